#include "limber/os.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct lmb_udp {
    int handle;
};

static lmb_result refuse(lmb_error *error, const char *expected, const char *reason)
{
    if (error != NULL) {
        *error = (lmb_error){.code = LMB_ERROR_INVALID};
        snprintf(error->expected, sizeof error->expected, "%s", expected);
        snprintf(error->found, sizeof error->found, "%s", reason);
    }
    return LMB_ERROR_INVALID;
}

static int open_one(const struct addrinfo *at, bool listen)
{
    const int handle = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (handle < 0) {
        return -1;
    }
    const int done = listen ? bind(handle, at->ai_addr, at->ai_addrlen)
                            : connect(handle, at->ai_addr, at->ai_addrlen);
    if (done != 0) {
        const int reason = errno;
        close(handle);
        errno = reason;
        return -1;
    }
    return handle;
}

/// The first address of the host that works.
static lmb_result open_udp(const char *host, uint16_t port, bool listen, lmb_udp **out,
                           lmb_error *error)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *list = NULL;
    char service[8];
    snprintf(service, sizeof service, "%u", (unsigned)port);
    const int found = getaddrinfo(host, service, &hints, &list);
    if (found != 0) {
        return refuse(error, "an address", gai_strerror(found));
    }
    int handle = -1;
    for (const struct addrinfo *at = list; at != NULL && handle < 0; at = at->ai_next) {
        handle = open_one(at, listen);
    }
    const int reason = errno;
    freeaddrinfo(list);
    if (handle < 0) {
        return refuse(error, listen ? "a port to listen on" : "a way to the host",
                      strerror(reason));
    }
    lmb_udp *udp = malloc(sizeof *udp);
    if (udp == NULL) {
        close(handle);
        return LMB_ERROR_MEMORY;
    }
    udp->handle = handle;
    *out = udp;
    return LMB_OK;
}

lmb_result lmb_udp_listen(const char *host, uint16_t port, lmb_udp **out, lmb_error *error)
{
    return open_udp(host, port, true, out, error);
}

lmb_result lmb_udp_connect(const char *host, uint16_t port, lmb_udp **out, lmb_error *error)
{
    return open_udp(host, port, false, out, error);
}

void lmb_udp_close(lmb_udp *udp)
{
    if (udp != NULL) {
        close(udp->handle);
        free(udp);
    }
}

uint16_t lmb_udp_port(const lmb_udp *udp)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char service[8] = "";
    if (getsockname(udp->handle, (struct sockaddr *)&address, &size) != 0 ||
        getnameinfo((const struct sockaddr *)&address, size, NULL, 0, service, sizeof service,
                    NI_NUMERICSERV) != 0) {
        return 0;
    }
    return (uint16_t)strtoul(service, NULL, 10);
}

int64_t lmb_udp_receive(lmb_udp *udp, void *bytes, size_t capacity, double timeout_s)
{
    struct pollfd wait = {.fd = udp->handle, .events = POLLIN};
    const int ready = poll(&wait, 1, timeout_s > 0 ? (int)(timeout_s * 1e3 + 0.999) : 0);
    if (ready <= 0) {
        return ready == 0 || errno == EINTR ? 0 : -1;
    }
    const ssize_t size = recv(udp->handle, bytes, capacity, 0);
    if (size < 0) {
        // A refused answer to something sent earlier, or a signal: nothing is broken.
        return errno == EINTR || errno == EAGAIN || errno == ECONNREFUSED ? 0 : -1;
    }
    return size;
}

bool lmb_udp_send(lmb_udp *udp, const void *bytes, size_t size)
{
    return send(udp->handle, bytes, size, MSG_DONTWAIT) == (ssize_t)size;
}
