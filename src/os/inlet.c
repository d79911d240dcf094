/// Bytes from any sender: datagrams, and one connection at a time.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/network.h"
#include "os/socket.h"

enum { TRIES = 16 };

struct lmbi_inlet {
    int datagrams, door, peer; ///< -1: none
    bool connected;            ///< by us: no other peer is accepted when this one closes
};

static void close_handle(int *handle)
{
    if (*handle >= 0) {
        close(*handle);
        *handle = -1;
    }
}

/// Both kinds on one port. One that is free for datagrams may be taken for connections.
static lmb_result open_doors(lmbi_inlet *inlet, const char *host, uint16_t port, lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (int k = 0; k < (port == 0 ? TRIES : 1); ++k) {
        close_handle(&inlet->datagrams);
        result = lmbi_socket_open(host, port, SOCK_DGRAM, true, &inlet->datagrams, error);
        if (result == LMB_OK) {
            const uint16_t same = lmbi_socket_port(inlet->datagrams);
            result = lmbi_socket_open(host, same, SOCK_STREAM, true, &inlet->door, error);
        }
        if (result == LMB_OK) {
            break;
        }
    }
    return result;
}

static lmbi_inlet *make(void)
{
    lmbi_inlet *inlet = malloc(sizeof *inlet);
    if (inlet != NULL) {
        *inlet = (lmbi_inlet){.datagrams = -1, .door = -1, .peer = -1};
    }
    return inlet;
}

lmb_result lmbi_inlet_listen(const char *host, uint16_t port, lmbi_inlet **out, lmb_error *error)
{
    lmbi_inlet *inlet = make();
    if (inlet == NULL) {
        return LMB_ERROR_MEMORY;
    }
    const lmb_result result = open_doors(inlet, host, port, error);
    if (result != LMB_OK) {
        lmbi_inlet_close(inlet);
        return result;
    }
    *out = inlet;
    return LMB_OK;
}

lmb_result lmbi_inlet_connect(const char *host, uint16_t port, lmbi_inlet **out, lmb_error *error)
{
    lmbi_inlet *inlet = make();
    if (inlet == NULL) {
        return LMB_ERROR_MEMORY;
    }
    inlet->connected = true;
    const lmb_result result = lmbi_socket_open(host, port, SOCK_STREAM, false, &inlet->peer, error);
    if (result != LMB_OK) {
        lmbi_inlet_close(inlet);
        return result;
    }
    *out = inlet;
    return LMB_OK;
}

void lmbi_inlet_close(lmbi_inlet *inlet)
{
    if (inlet != NULL) {
        close_handle(&inlet->datagrams);
        close_handle(&inlet->door);
        close_handle(&inlet->peer);
        free(inlet);
    }
}

uint16_t lmbi_inlet_port(const lmbi_inlet *inlet)
{
    return lmbi_socket_port(inlet->datagrams >= 0 ? inlet->datagrams : inlet->peer);
}

static bool is_passing(int reason)
{
    return reason == EINTR || reason == EAGAIN || reason == ECONNREFUSED || reason == ECONNABORTED;
}

/// What a socket that is ready has; 0 for nothing, -1 when it is broken.
static int64_t take(int handle, void *bytes, size_t capacity)
{
    const ssize_t size = recv(handle, bytes, capacity, 0);
    return size >= 0 ? size : is_passing(errno) ? 0 : -1;
}

/// The peer went: we wait for the next, unless it was we who came.
static int64_t take_from_peer(lmbi_inlet *inlet, void *bytes, size_t capacity)
{
    const ssize_t size = recv(inlet->peer, bytes, capacity, 0);
    if (size > 0 || (size < 0 && is_passing(errno))) {
        return size > 0 ? size : 0;
    }
    close_handle(&inlet->peer);
    return inlet->connected ? -1 : 0;
}

int64_t lmbi_inlet_receive(lmbi_inlet *inlet, void *bytes, size_t capacity, double timeout_s,
                           bool *datagram)
{
    // poll ignores a handle of -1: while a peer is connected, others wait in the backlog.
    struct pollfd wait[3] = {
        {.fd = inlet->datagrams, .events = POLLIN},
        {.fd = inlet->peer, .events = POLLIN},
        {.fd = inlet->peer < 0 ? inlet->door : -1, .events = POLLIN},
    };
    *datagram = false;
    if (inlet->connected && inlet->peer < 0) {
        return -1;
    }
    const int ready = poll(wait, 3, timeout_s > 0 ? (int)(timeout_s * 1e3 + 0.999) : 0);
    if (ready <= 0) {
        return ready == 0 || errno == EINTR ? 0 : -1;
    }
    if (wait[0].revents != 0) {
        *datagram = true;
        return take(inlet->datagrams, bytes, capacity);
    }
    if (wait[1].revents != 0) {
        return take_from_peer(inlet, bytes, capacity);
    }
    inlet->peer = accept(inlet->door, NULL, NULL);
    return inlet->peer >= 0 || is_passing(errno) ? 0 : -1;
}
