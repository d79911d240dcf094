/// The whole command: run by `main`, and by the module of the page.
#ifndef LIMBER_CLI_COMMAND_LINE_H
#define LIMBER_CLI_COMMAND_LINE_H

/// Runs `limber` with that command line, argv[0] being its own name. Returns the exit code.
int cli_main(int argc, char **argv);

#endif
