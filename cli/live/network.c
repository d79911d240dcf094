#include "os/network.h"
#include "cli/live/network.h"

#include <stdlib.h>
#include <string.h>

/// "HOST:PORT", "[::1]:PORT" or "PORT" alone, which is on this machine.
static cli_exit read_address(const cli_run *cli, const char *option, const char *text,
                             char host[256], uint16_t *port)
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
        length >= 256) {
        return cli_fail(cli, CLI_USAGE, "--%s: expected HOST:PORT, found \"%s\"", option, text);
    }
    strcpy(host, "127.0.0.1");
    if (length > 0) {
        memcpy(host, from, length);
        host[length] = 0;
    }
    *port = (uint16_t)number;
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
    char host[256];
    uint16_t port = 0;
    lmb_error error = {0};
    const cli_exit code = read_address(cli, option, text, host, &port);
    return code == CLI_DONE
               ? say_refused(cli, option, text, lmbi_udp_connect(host, port, out, &error), &error)
               : code;
}

cli_exit cli_inlet_connect(const cli_run *cli, const char *option, const char *text,
                           lmbi_inlet **out)
{
    char host[256];
    uint16_t port = 0;
    lmb_error error = {0};
    const cli_exit code = read_address(cli, option, text, host, &port);
    return code == CLI_DONE
               ? say_refused(cli, option, text, lmbi_inlet_connect(host, port, out, &error), &error)
               : code;
}
