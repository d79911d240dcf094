#include "network.h"

#include <stdlib.h>
#include <string.h>

cli_exit cli_udp_connect(const cli_run *cli, const char *option, const char *text, lmb_udp **out)
{
    char host[256] = "127.0.0.1", *end = NULL;
    const char *colon = strrchr(text, ':'), *port_at = colon != NULL ? colon + 1 : text;
    size_t length = colon != NULL ? (size_t)(colon - text) : 0;
    const char *from = text;
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        ++from;
        length -= 2;
    }
    const unsigned long port = strtoul(port_at, &end, 10);
    if (port_at[0] < '0' || port_at[0] > '9' || *end != 0 || port == 0 || port > 65535 ||
        length >= sizeof host) {
        return cli_fail(cli, CLI_USAGE, "--%s: expected HOST:PORT, found \"%s\"", option, text);
    }
    if (length > 0) {
        memcpy(host, from, length);
        host[length] = 0;
    }
    lmb_error error = {0};
    const lmb_result result = lmb_udp_connect(host, (uint16_t)port, out, &error);
    if (result != LMB_OK) {
        return cli_fail(cli, CLI_FAILED, "--%s %s: %s", option, text, error.found);
    }
    return CLI_DONE;
}
