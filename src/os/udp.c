#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/network.h"
#include "os/socket.h"

struct lmbi_udp {
    int handle;
};

static lmb_result open_udp(const char *host, uint16_t port, bool listen, lmbi_udp **out,
                           lmb_error *error)
{
    int handle = -1;
    const lmb_result result = lmbi_socket_open(host, port, SOCK_DGRAM, listen, &handle, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_udp *udp = malloc(sizeof *udp);
    if (udp == NULL) {
        close(handle);
        return LMB_ERROR_MEMORY;
    }
    udp->handle = handle;
    *out = udp;
    return LMB_OK;
}

lmb_result lmbi_udp_listen(const char *host, uint16_t port, lmbi_udp **out, lmb_error *error)
{
    return open_udp(host, port, true, out, error);
}

lmb_result lmbi_udp_connect(const char *host, uint16_t port, lmbi_udp **out, lmb_error *error)
{
    return open_udp(host, port, false, out, error);
}

void lmbi_udp_close(lmbi_udp *udp)
{
    if (udp != NULL) {
        close(udp->handle);
        free(udp);
    }
}

uint16_t lmbi_udp_port(const lmbi_udp *udp)
{
    return lmbi_socket_port(udp->handle);
}

int64_t lmbi_udp_receive(lmbi_udp *udp, void *bytes, size_t capacity, double timeout_s)
{
    struct pollfd wait = {.fd = udp->handle, .events = POLLIN};
    const int ready = poll(&wait, 1, timeout_s > 0 ? (int)(timeout_s * 1e3 + 0.999) : 0);
    if (ready <= 0) {
        return ready == 0 || errno == EINTR ? 0 : -1;
    }
    const ssize_t size = recv(udp->handle, bytes, capacity, 0);
    if (size < 0) {
        // An earlier datagram was refused, or a signal arrived: neither is an error.
        return errno == EINTR || errno == EAGAIN || errno == ECONNREFUSED ? 0 : -1;
    }
    return size;
}

bool lmbi_udp_send(lmbi_udp *udp, const void *bytes, size_t size)
{
    return send(udp->handle, bytes, size, MSG_DONTWAIT) == (ssize_t)size;
}
