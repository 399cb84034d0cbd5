#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "base/world.h"
#include "cli/print.h"
#include "cli/print_events.h"
#include "run/pipeline/flow_graph.h"
#include "run/project/init.h"
#include "run/sql/describe.h"
#include "run/update/update.h"

namespace lakebed::cli {

namespace {

struct Arguments {
  std::string spec;
  std::string name;
  std::string statement;
  std::string file;
  std::string format = "table";
  std::vector<std::string> refresh;
  std::vector<std::string> full_refresh;
  bool full_refresh_all = false;
  bool continuous = false;
  bool json = false;
  std::string update;  // of `events`
};

// Tests of what depends on time set LAKEBED_TEST_CLOCK: seconds that the clock is ahead.
std::unique_ptr<Clock> chosen_clock() {
  const char* ahead = std::getenv("LAKEBED_TEST_CLOCK");
  return ahead ? shifted_clock(std::strtoll(ahead, nullptr, 10)) : system_clock();
}

// Everything that a command works with, opened from the arguments.
struct Opened {
  std::unique_ptr<Clock> clock = chosen_clock();
  std::unique_ptr<Random> random = system_random();
  std::unique_ptr<run::Session> session;
};

int exit_code(const Error& error) { return error.blame == Blame::kProject ? 2 : 1; }

Status open_project(const Arguments& arguments, run::Files files, Opened& opened) {
  const auto spec = arguments.spec.empty() ? std::nullopt : std::optional(arguments.spec);
  LAKEBED_ASSIGN(run::Project project,
                 run::load_project(spec, std::filesystem::current_path(), files));
  opened.session =
      std::make_unique<run::Session>(std::move(project), *opened.clock, *opened.random);
  return {};
}

std::string folder_of(const Opened& opened) {
  return opened.session ? opened.session->project().root.string() : ".";
}

Format format_of(const std::string& text) {
  return text == "json" ? Format::kJson : text == "csv" ? Format::kCsv : Format::kTable;
}

// The pipeline where it can be read; commands that only look do without it otherwise.
std::optional<run::Pipeline> readable_pipeline(const run::Project& project) {
  auto pipeline = run::read_pipeline(project);
  return pipeline.ok() ? std::optional(std::move(pipeline).value()) : std::nullopt;
}

int run_pipeline(const Arguments& arguments, Opened& opened) {
  EventPrinter events(arguments.json, *opened.clock);
  run::UpdateRequest request{arguments.refresh, arguments.full_refresh, arguments.full_refresh_all,
                             arguments.continuous};
  auto result = run::run_update(*opened.session, request, events);
  if (!result.ok()) {
    print_error(result.error(), folder_of(opened));
    return exit_code(result.error());
  }
  for (const Error& error : result->errors) print_error(error, folder_of(opened));
  return result->errors.empty() ? 0 : 1;
}

int dry_run_pipeline(const Arguments& arguments, Opened& opened) {
  EventPrinter events(arguments.json, *opened.clock);
  const auto planned = run::dry_run(*opened.session, events);
  if (planned.ok()) return 0;
  print_error(planned.error(), folder_of(opened));
  return 2;
}

Result<std::string> read_text(const Arguments& arguments, std::string& shown) {
  if (!arguments.statement.empty()) {
    shown = "<statement>";
    return arguments.statement;
  }
  std::stringstream text;
  if (arguments.file.empty()) {
    shown = "<input>";
    text << std::cin.rdbuf();
    return text.str();
  }
  shown = arguments.file;
  std::ifstream in(arguments.file, std::ios::binary);
  if (!in) return project_error("FILE_NOT_FOUND", arguments.file + " can't be read");
  text << in.rdbuf();
  return text.str();
}

int run_sql(const Arguments& arguments, Opened& opened) {
  std::string shown;
  auto text = read_text(arguments, shown);
  RowPrinter printer(format_of(arguments.format), opened.session->project().time_zone);
  Status done = text.ok() ? Status{} : Status(std::move(text).error());
  if (done.ok()) {
    run::SqlSession sql(*opened.session);
    done = sql.run(*text, shown, printer);
  }
  printer.finish();
  if (done.ok()) return 0;
  const std::string folder = std::filesystem::current_path().string();
  print_error(done.error(), folder, text.ok() ? *text : "");
  return exit_code(done.error());
}

int print_rows(const Result<value::ColumnBatch>& rows, const Arguments& arguments,
               const Opened& opened) {
  if (!rows.ok()) {
    print_error(rows.error(), folder_of(opened));
    return exit_code(rows.error());
  }
  RowPrinter printer(arguments.json ? Format::kJson : Format::kTable,
                     opened.session->project().time_zone);
  (void)printer.rows(*rows);
  printer.finish();
  return 0;
}

int list(const Arguments& arguments, Opened& opened) {
  const auto pipeline = readable_pipeline(opened.session->project());
  return print_rows(run::list_datasets(*opened.session, pipeline ? &*pipeline : nullptr), arguments,
                    opened);
}

int history(const Arguments& arguments, Opened& opened) {
  return print_rows(run::named_history(*opened.session, arguments.name), arguments, opened);
}

int events(const Arguments& arguments, Opened& opened) {
  return print_events(*opened.session, arguments.update, arguments.json);
}

int graph(const Arguments& arguments, Opened& opened) {
  const auto pipeline = run::read_pipeline(opened.session->project());
  if (!pipeline.ok()) {
    print_error(pipeline.error(), folder_of(opened));
    return exit_code(pipeline.error());
  }
  const run::GraphFormat format = arguments.format == "dot"       ? run::GraphFormat::kDot
                                  : arguments.format == "mermaid" ? run::GraphFormat::kMermaid
                                                                  : run::GraphFormat::kText;
  const std::string text = run::draw_graph(*pipeline, format);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

int make_project(const Arguments& arguments) {
  const Status made = run::init_project(arguments.name);
  if (!made.ok()) {
    print_error(made.error(), ".");
    return exit_code(made.error());
  }
  std::printf(
      "made %s; now type:\n  cd %s\n  lakebed run\n  lakebed sql -c 'SELECT * FROM "
      "customers'\n",
      arguments.name.c_str(), arguments.name.c_str());
  return 0;
}

using Command = int (*)(const Arguments&, Opened&);

int with_project(const Arguments& arguments, Command command, run::Files files) {
  Opened opened;
  if (const Status found = open_project(arguments, files, opened); !found.ok()) {
    print_error(found.error(), arguments.spec.empty() ? "." : arguments.spec);
    return exit_code(found.error());
  }
  return command(arguments, opened);
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what,
                      const std::string& example) {
  CLI::App* command = app.add_subcommand(name, what);
  command->footer("Example:\n  " + example);
  return command;
}

void add_spec(CLI::App* command, Arguments& arguments) {
  command->add_option("--spec", arguments.spec, "the specification, or the folder it lies in");
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app{"AUTO CDC for open tables: SCD type 1 and 2 Delta tables from change feeds"};
  app.require_subcommand(1);
  Arguments arguments;
  auto* init = add_command(app, "init", "make a project that runs at once", "lakebed init shop");
  init->add_option("name", arguments.name, "folder and name of the project")->required();
  auto* run = add_command(app, "run", "run one update of the pipeline",
                          "lakebed run --full-refresh customers");
  add_spec(run, arguments);
  run->add_option("--refresh", arguments.refresh, "update only these tables")->delimiter(',');
  run->add_option("--full-refresh", arguments.full_refresh, "empty these tables and replay")
      ->delimiter(',');
  run->add_flag("--full-refresh-all", arguments.full_refresh_all, "empty all tables and replay");
  run->add_flag("--continuous", arguments.continuous, "go on until stopped");
  run->add_flag("--json", arguments.json, "one event a line");
  auto* dry = add_command(app, "dry-run", "check everything, touch nothing", "lakebed dry-run");
  add_spec(dry, arguments);
  dry->add_flag("--json", arguments.json, "one event a line");
  auto* sql = add_command(app, "sql", "run SQL over the project's tables",
                          "lakebed sql -c 'SELECT count(*) FROM customers' --format json");
  add_spec(sql, arguments);
  sql->add_option("-c", arguments.statement, "statements");
  sql->add_option("-f", arguments.file, "a file of statements");
  sql->add_option("--format", arguments.format, "table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}));
  auto* ls = add_command(app, "ls", "list datasets and flows", "lakebed ls --json");
  add_spec(ls, arguments);
  ls->add_flag("--json", arguments.json, "one object a line");
  auto* past = add_command(app, "history", "list a table's versions", "lakebed history customers");
  add_spec(past, arguments);
  past->add_option("table", arguments.name, "the table")->required();
  past->add_flag("--json", arguments.json, "one object a line");
  auto* log = add_command(app, "events", "print the event log, oldest first",
                          "lakebed events --update last --json");
  add_spec(log, arguments);
  log->add_option("--update", arguments.update, "only of this update: its id, or last");
  log->add_flag("--json", arguments.json, "one record a line, all of them");
  auto* drawing =
      add_command(app, "graph", "draw who reads whom", "lakebed graph --format mermaid");
  add_spec(drawing, arguments);
  drawing->add_option("--format", arguments.format, "text, dot (Graphviz) or mermaid")
      ->check(CLI::IsMember({"text", "dot", "mermaid"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    const int code = app.exit(problem);
    return code == 0 ? 0 : 2;
  }
  if (init->parsed()) return make_project(arguments);
  if (run->parsed()) return with_project(arguments, run_pipeline, run::Files::kNeeded);
  if (dry->parsed()) return with_project(arguments, dry_run_pipeline, run::Files::kNeeded);
  if (sql->parsed()) return with_project(arguments, run_sql, run::Files::kMayLack);
  if (ls->parsed()) return with_project(arguments, list, run::Files::kMayLack);
  if (log->parsed()) return with_project(arguments, events, run::Files::kMayLack);
  if (drawing->parsed()) return with_project(arguments, graph, run::Files::kNeeded);
  return with_project(arguments, history, run::Files::kMayLack);
}

}  // namespace lakebed::cli
