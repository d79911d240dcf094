#include "os/socket.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

lmb_result lmbi_socket_refuse(lmb_error *error, const char *expected, const char *reason)
{
    if (error != NULL) {
        *error = (lmb_error){.code = LMB_ERROR_INVALID};
        snprintf(error->expected, sizeof error->expected, "%s", expected);
        snprintf(error->found, sizeof error->found, "%s", reason);
    }
    return LMB_ERROR_INVALID;
}

/// How many connections the system holds until they are taken.
enum { WAITING = 16 };

/// A port that a program before this one used a moment ago is free for connections.
static int bind_to(int handle, const struct addrinfo *at)
{
    const int yes = 1;
    if (at->ai_socktype != SOCK_STREAM) {
        return bind(handle, at->ai_addr, at->ai_addrlen);
    }
    (void)setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    return bind(handle, at->ai_addr, at->ai_addrlen) == 0 ? listen(handle, WAITING) : -1;
}

static int open_one(const struct addrinfo *at, bool listening)
{
    const int handle = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (handle < 0) {
        return -1;
    }
    const int done = listening ? bind_to(handle, at) : connect(handle, at->ai_addr, at->ai_addrlen);
    if (done != 0) {
        const int reason = errno;
        close(handle);
        errno = reason;
        return -1;
    }
    return handle;
}

lmb_result lmbi_socket_open(const char *host, uint16_t port, int type, bool listening, int *out,
                            lmb_error *error)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = type};
    struct addrinfo *list = NULL;
    char service[8];
    snprintf(service, sizeof service, "%u", (unsigned)port);
    const int found = getaddrinfo(host, service, &hints, &list);
    if (found != 0) {
        return lmbi_socket_refuse(error, "an address", gai_strerror(found));
    }
    int handle = -1;
    for (const struct addrinfo *at = list; at != NULL && handle < 0; at = at->ai_next) {
        handle = open_one(at, listening);
    }
    const int reason = errno;
    freeaddrinfo(list);
    if (handle < 0) {
        return lmbi_socket_refuse(error, listening ? "a port to listen on" : "a way to the host",
                                  strerror(reason));
    }
    *out = handle;
    return LMB_OK;
}

uint16_t lmbi_socket_port(int handle)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char service[8] = "";
    if (getsockname(handle, (struct sockaddr *)&address, &size) != 0 ||
        getnameinfo((const struct sockaddr *)&address, size, NULL, 0, service, sizeof service,
                    NI_NUMERICSERV) != 0) {
        return 0;
    }
    return (uint16_t)strtoul(service, NULL, 10);
}
