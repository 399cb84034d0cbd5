#include "run/target/generated.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "delta/schema.h"
#include "plan/functions.h"
#include "plan/json.h"
#include "plan/resolve.h"
#include "plan/tree_make.h"
#include "plan/tree_tools.h"
#include "run/batch/not_null.h"
#include "sql/parse.h"
#include "value/conform.h"

namespace lakebed::run {

namespace {

using plan::Expression;
using plan::ExpressionKind;
using plan::ExpressionPtr;
using plan::RelationPtr;
using value::ColumnBatch;
using value::Schema;

constexpr const char* kRow = "the row";

// Offers one table: the row whose column is computed.
class RowCatalog : public plan::Catalog {
 public:
  explicit RowCatalog(Schema columns) : columns_(std::move(columns)) {}

  Result<plan::Source> find_table(const std::vector<std::string>& name, bool,
                                  const std::map<std::string, std::string>&) override {
    if (name != std::vector<std::string>{kRow}) {
      return project_error("TABLE_OR_VIEW_NOT_FOUND", "a generated column reads its row only");
    }
    plan::Source source;
    source.schema = columns_;
    source.token = "0";
    return source;
  }
  Result<std::optional<plan::Source>> call_function(const std::string&,
                                                    const std::vector<std::string>&,
                                                    const std::map<std::string, std::string>&,
                                                    bool) override {
    return std::optional<plan::Source>();
  }

 private:
  Schema columns_;
};

RelationPtr the_row() {
  auto read = std::make_shared<plan::Relation>();
  read->kind = plan::RelationKind::kRead;
  read->name_parts = {kRow};
  return read;
}

Result<plan::ResolvedQuery> over_row(const std::vector<ExpressionPtr>& outputs, const Schema& table,
                                     const plan::ResolveOptions& options) {
  RowCatalog catalog(delivered_columns(table));
  return plan::resolve_projection(the_row(), outputs, nullptr, catalog, options);
}

Error bad_expression(const plan::ColumnDefinition& column, const std::string& why) {
  return project_error(
      "GENERATED_COLUMN_EXPRESSION",
      fmt::format("the generated column {} {}", quote_name(column.field.name), why),
      column.generated->span);
}

bool varies(const ExpressionPtr& root) {
  return plan::any_expression(root, [](const Expression& node) {
    if (node.kind != ExpressionKind::kCall) return false;
    const plan::Function* function = plan::find_function(node.name);
    return function != nullptr && !function->deterministic;
  });
}

bool looks_beyond_its_row(const ExpressionPtr& root) {
  return plan::any_expression(root, [](const Expression& node) {
    if (node.kind == ExpressionKind::kSubquery || node.kind == ExpressionKind::kExists ||
        node.kind == ExpressionKind::kInSubquery || node.kind == ExpressionKind::kWindow) {
      return true;
    }
    if (node.kind != ExpressionKind::kCall) return false;
    const plan::Function* function = plan::find_function(node.name);
    return function != nullptr && function->kind != plan::FunctionKind::kScalar;
  });
}

// The resolver puts the time of the batch where the clock is asked: so an expression that asks it
// becomes another one at another time.
Result<bool> reads_clock(const ExpressionPtr& expression, const Schema& table,
                         plan::ResolveOptions options) {
  std::string texts[2];
  constexpr int64_t kOtherDay = 400LL * 86'400 * 1'000'000;
  for (std::string& text : texts) {
    LAKEBED_ASSIGN(const auto query,
                   over_row({plan::make_alias(expression, "value")}, table, options));
    text = plan::to_json(*query.root).dump();
    options.now_us += kOtherDay;
  }
  return texts[0] != texts[1];
}

Status check_reads(const plan::ColumnDefinition& item, const Schema& declared) {
  std::string generated;
  plan::any_expression(item.generated, [&](const Expression& node) {
    if (node.kind != ExpressionKind::kColumn) return false;
    const auto at = value::find_field(declared, node.name_parts.front());
    if (at && !delta::generation_expression(declared[*at]).empty()) generated = declared[*at].name;
    return !generated.empty();
  });
  if (generated.empty()) return {};
  return bad_expression(item, "reads " + quote_name(generated) + ", which is generated itself");
}

Status check_column(Session& session, const plan::ColumnDefinition& item, const Schema& table) {
  if (looks_beyond_its_row(item.generated)) {
    return bad_expression(item, "looks at other rows than its own");
  }
  const plan::ResolveOptions options = session.resolve_options();
  LAKEBED_ASSIGN(const auto query,
                 over_row({plan::make_alias(item.generated, "value")}, table, options));
  LAKEBED_ASSIGN(const bool clock, reads_clock(item.generated, table, options));
  if (clock || varies(item.generated)) {
    return bad_expression(item, clock ? "asks the clock" : "is not the same each time")
        .with_hint("a row is written again when it moves, and must not change by that");
  }
  const value::Type given = query.schema().front().type;
  const value::Type& wanted = item.field.type;
  const bool fits =
      given == wanted || given.kind == value::Kind::kVoid || value::can_widen(given, wanted);
  if (fits) return {};
  return bad_expression(item, fmt::format("is {}, its expression {}", wanted.text(), given.text()))
      .with_hint("write CAST(... AS " + wanted.text() + ")");
}

void erase_places(Json& json) {
  if (json.is_object()) json.erase("at");
  for (Json& part : json) {
    if (part.is_structured()) erase_places(part);
  }
}

// Whether two texts say the same, whatever their spaces.
Result<bool> same_expression(const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto meaning = [](const std::string& text) -> Result<std::string> {
    LAKEBED_ASSIGN(const ExpressionPtr parsed, sql::parse_expression(text));
    Json json = plan::to_json(*parsed);
    erase_places(json);
    return json.dump();
  };
  LAKEBED_ASSIGN(const std::string first, meaning(one));
  LAKEBED_ASSIGN(const std::string second, meaning(other));
  return first == second;
}

// The rows without their generated columns, for the engine.
class DeliveredRows : public value::BatchReader {
 public:
  DeliveredRows(const std::vector<const ColumnBatch*>& batches, Schema columns)
      : batches_(batches), columns_(std::move(columns)) {}

  const Schema& schema() const override { return columns_; }
  Result<std::optional<ColumnBatch>> next() override {
    while (at_ < batches_.size() && batches_[at_]->rows == 0) ++at_;
    if (at_ == batches_.size()) return std::optional<ColumnBatch>();
    return std::optional<ColumnBatch>(value::conform_batch(*batches_[at_++], columns_));
  }

 private:
  const std::vector<const ColumnBatch*>& batches_;
  Schema columns_;
  size_t at_ = 0;
};

Status check_filled(const ColumnBatch& batch, const Schema& schema) {
  Schema all_nullable = schema;
  for (value::Field& field : all_nullable) {
    if (delta::generation_expression(field).empty()) field.nullable = true;
    field.metadata.clear();
  }
  ColumnBatch filled = batch;
  filled.schema = std::move(all_nullable);
  return check_no_nulls(filled, "of generated columns");
}

}  // namespace

Schema declared_schema(const std::vector<plan::ColumnDefinition>& columns) {
  Schema schema;
  for (const plan::ColumnDefinition& item : columns) {
    schema.push_back(item.field);
    if (item.generated) delta::set_generation_expression(schema.back(), item.generated_text);
  }
  return schema;
}

Schema delivered_columns(const Schema& schema) {
  Schema delivered;
  for (const value::Field& field : schema) {
    if (delta::generation_expression(field).empty()) delivered.push_back(field);
  }
  return delivered;
}

Status check_generated(Session& session, const std::vector<plan::ColumnDefinition>& columns,
                       const Schema& table) {
  for (const plan::ColumnDefinition& item : columns) {
    if (item.generated) LAKEBED_TRY(check_column(session, item, table));
  }
  return {};
}

Status check_generated_reads(const std::vector<plan::ColumnDefinition>& columns) {
  const Schema declared = declared_schema(columns);
  for (const plan::ColumnDefinition& item : columns) {
    if (item.generated) LAKEBED_TRY(check_reads(item, declared));
  }
  return {};
}

Status check_not_delivered(const Schema& declared, const Schema& delivered, const std::string& what,
                           const SourceSpan& span) {
  for (const value::Field& field : declared) {
    if (delta::generation_expression(field).empty()) continue;
    if (!value::find_field(delivered, field.name)) continue;
    return project_error("GENERATED_COLUMN_DELIVERED",
                         fmt::format("{} delivers {}, which the table generates", what,
                                     quote_name(field.name)),
                         span)
        .with_hint("leave the column out");
  }
  return {};
}

Status check_generated_unchanged(const std::vector<plan::ColumnDefinition>& columns,
                                 const Schema& table) {
  for (const plan::ColumnDefinition& item : columns) {
    const auto at = value::find_field(table, item.field.name);
    const std::string known = at ? delta::generation_expression(table[*at]) : "";
    if (known.empty() && !item.generated) continue;
    bool same = !known.empty() && item.generated;
    if (same) {
      LAKEBED_ASSIGN(same, same_expression(known, item.generated_text));
    }
    if (same) continue;
    const std::string was =
        known.empty() ? at ? "not generated" : "not there" : "AS (" + known + ")";
    return project_error("GENERATED_COLUMN_CHANGED",
                         fmt::format("column {} is {} in the table, and its rows were written so",
                                     quote_name(item.field.name), was),
                         item.span)
        .with_hint("full refresh writes them anew: lakebed run --full-refresh TABLE");
  }
  return {};
}

Result<std::vector<ColumnBatch>> fill_generated(Session& session,
                                                const std::vector<const ColumnBatch*>& batches,
                                                const Schema& schema) {
  std::vector<ExpressionPtr> outputs;
  for (const value::Field& field : schema) {
    const std::string text = delta::generation_expression(field);
    if (text.empty()) {
      outputs.push_back(plan::make_alias(plan::make_column(field.name), field.name));
      continue;
    }
    LAKEBED_ASSIGN(ExpressionPtr expression, sql::parse_expression(text));
    outputs.push_back(
        plan::make_alias(plan::make_cast(std::move(expression), field.type), field.name));
  }
  LAKEBED_ASSIGN(const auto query, over_row(outputs, schema, session.resolve_options()));
  LAKEBED_ASSIGN(engine::Engine * engine, session.engine());
  std::map<uint32_t, engine::ScanInput> inputs;
  for (const plan::Scan& scan : query.scans) {
    inputs[scan.leaf].reader = [&]() -> Result<std::unique_ptr<value::BatchReader>> {
      return std::unique_ptr<value::BatchReader>(
          std::make_unique<DeliveredRows>(batches, delivered_columns(schema)));
    };
  }
  LAKEBED_ASSIGN(const auto reader, engine->run(query, inputs));
  std::vector<ColumnBatch> filled;
  while (true) {
    LAKEBED_ASSIGN(auto next, reader->next());
    if (!next) break;
    filled.push_back(value::conform_batch(*next, schema));
    LAKEBED_TRY(check_filled(filled.back(), schema));
  }
  return filled;
}

}  // namespace lakebed::run
