/// Addresses on the command line.
#ifndef LIMBER_CLI_NETWORK_H
#define LIMBER_CLI_NETWORK_H

#include "cli/cli.h"
#include "os/network.h"

#include "limber/os.h"

/// Opens a socket to "HOST:PORT", "[::1]:PORT" or "PORT" alone, which is on this machine.
cli_exit cli_udp_connect(const cli_run *cli, const char *option, const char *text, lmbi_udp **out);

/// The same for a connection to a host that sends.
cli_exit cli_inlet_connect(const cli_run *cli, const char *option, const char *text,
                           lmbi_inlet **out);

#endif
