#include "os/network.h"
#include "cli/live/network.h"

#include <stdlib.h>
#include <string.h>

typedef struct address {
    char host[256];
    uint16_t port;
    lmb_error error; ///< of connecting to it
} address;

/// "HOST:PORT", "[::1]:PORT" or "PORT" alone, which is on this machine.
static cli_exit read_address(const cli_run *cli, const char *option, const char *text, address *out)
{
    const char *colon = strrchr(text, ':'), *port_at = colon != NULL ? colon + 1 : text;
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    const char *from = text;
    char *end = NULL;
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        ++from;
        length -= 2;
    }
    const unsigned long number = strtoul(port_at, &end, 10);
    if (port_at[0] < '0' || port_at[0] > '9' || *end != 0 || number == 0 || number > 65535 ||
        length >= sizeof out->host) {
        return cli_fail(cli, CLI_USAGE, "--%s: expected HOST:PORT, found \"%s\"", option, text);
    }
    *out = (address){.host = "127.0.0.1", .port = (uint16_t)number};
    if (length > 0) {
        memcpy(out->host, from, length);
        out->host[length] = 0;
    }
    return CLI_DONE;
}

static cli_exit say_refused(const cli_run *cli, const char *option, const char *text,
                            lmb_result result, const lmb_error *error)
{
    return result == LMB_OK ? CLI_DONE
                            : cli_fail(cli, CLI_FAILED, "--%s %s: %s", option, text, error->found);
}

cli_exit cli_udp_connect(const cli_run *cli, const char *option, const char *text, lmbi_udp **out)
{
    address a;
    const cli_exit code = read_address(cli, option, text, &a);
    return code ? code
                : say_refused(cli, option, text, lmbi_udp_connect(a.host, a.port, out, &a.error),
                              &a.error);
}

cli_exit cli_inlet_connect(const cli_run *cli, const char *option, const char *text,
                           lmbi_inlet **out)
{
    address a;
    const cli_exit code = read_address(cli, option, text, &a);
    return code ? code
                : say_refused(cli, option, text, lmbi_inlet_connect(a.host, a.port, out, &a.error),
                              &a.error);
}
