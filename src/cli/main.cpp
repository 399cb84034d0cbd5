#include "cli/commands.h"

int main(int argc, char** argv) { return lakebed::cli::run_command_line(argc, argv); }
