/// The whole command, for whoever has a command line: `main`, and the module that a page runs.
#ifndef LIMBER_CLI_COMMAND_LINE_H
#define LIMBER_CLI_COMMAND_LINE_H

/// Runs `limber` with that command line, argv[0] being its own name. Returns the exit code.
int cli_main(int argc, char **argv);

#endif
