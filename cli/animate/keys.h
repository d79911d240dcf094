/// Clips of keys that a person set, as text.
#ifndef LIMBER_CLI_KEYS_H
#define LIMBER_CLI_KEYS_H

#include "cli/cli.h"

/// Whether the argument names a text of keys: NAME.keys.
bool cli_keys_is(const char *name);
/// `limber animate CHARACTER NAME.keys …`: puts the clips of the texts on the joints that the
/// character has, writes it, and prints what --json wants.
cli_exit cli_keys_animate(cli_run *cli, const cli_read_opts *in);

#endif
