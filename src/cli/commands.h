// The command line: arguments in, exit code out. No logic of its own: it opens the project, calls
// room run, and prints. Exit codes: 0 done, 1 the update failed, 2 project or arguments are wrong.
#pragma once

namespace lakebed::cli {

int run_command_line(int argc, char** argv);

}  // namespace lakebed::cli
