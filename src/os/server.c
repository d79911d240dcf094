/// Connections that bring a request each and take an answer, all served by one thread.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/socket.h"

enum { PLACES = 32, REQUEST_MOST = 16384, HELD_MOST = 64 << 20 };
#define PATIENCE_S 10.0

typedef enum stage {
    ASKING, ///< its request comes
    TAKING, ///< the answer goes out
    LEAVING ///< the answer is out; what it still sends is thrown away, for closing over unread bytes
            ///< would tear the answer off
} stage;

typedef struct visitor {
    int handle; ///< -1: the place is free
    stage stage;
    double until_s;
    uint8_t *request; ///< [request_most]
    size_t size, sent;
    lmb_file answer;
} visitor;

struct lmb_server {
    lmb_server_def def;
    int door;
    visitor visitors[PLACES];
};

static bool is_passing(int reason)
{
    return reason == EINTR || reason == EAGAIN || reason == EWOULDBLOCK;
}

/// Calls on the socket do not wait, and programs that are started do not get it.
static bool make_brisk(int handle)
{
    const int flags = fcntl(handle, F_GETFL);
    return flags >= 0 && fcntl(handle, F_SETFL, flags | O_NONBLOCK) == 0 &&
           fcntl(handle, F_SETFD, FD_CLOEXEC) == 0;
}

static void send_away(visitor *v)
{
    if (v->handle >= 0) {
        close(v->handle);
    }
    free(v->request);
    lmb_file_free(&v->answer);
    *v = (visitor){.handle = -1};
}

lmb_result lmb_server_open(const lmb_server_def *def, lmb_server **out, lmb_error *error)
{
    lmb_server *server = malloc(sizeof *server);
    if (server == NULL) {
        return LMB_ERROR_MEMORY;
    }
    server->def = *def;
    server->def.request_most = def->request_most > 0 ? def->request_most : REQUEST_MOST;
    server->def.held_most = def->held_most > 0 ? def->held_most : HELD_MOST;
    server->def.patience_s = def->patience_s > 0 ? def->patience_s : PATIENCE_S;
    for (int k = 0; k < PLACES; ++k) {
        server->visitors[k] = (visitor){.handle = -1};
    }
    const lmb_result result =
        lmbi_socket_open(def->host, def->port, SOCK_STREAM, true, &server->door, error);
    if (result != LMB_OK) {
        free(server);
        return result;
    }
    if (!make_brisk(server->door)) {
        lmb_server_close(server);
        return lmbi_socket_refuse(error, "a port to listen on", "one that waits");
    }
    *out = server;
    return LMB_OK;
}

void lmb_server_close(lmb_server *server)
{
    if (server != NULL) {
        for (int k = 0; k < PLACES; ++k) {
            send_away(&server->visitors[k]);
        }
        close(server->door);
        free(server);
    }
}

uint16_t lmb_server_port(const lmb_server *server)
{
    return lmbi_socket_port(server->door);
}

// ---------------------------------------------------------------------------------- one connection

static void take_leave(visitor *v, double patience_s)
{
    lmb_file_free(&v->answer);
    v->stage = LEAVING;
    v->until_s = lmb_clock_s() + (patience_s < 1 ? patience_s : 1);
    if (shutdown(v->handle, SHUT_WR) != 0) {
        send_away(v);
    }
}

static void give(visitor *v, double patience_s)
{
    const ssize_t size =
        send(v->handle, v->answer.data + v->sent, v->answer.size - v->sent, MSG_NOSIGNAL);
    if (size < 0) {
        if (!is_passing(errno)) {
            send_away(v);
        }
        return;
    }
    v->sent += (size_t)size;
    v->until_s = lmb_clock_s() + patience_s;
    if (v->sent == v->answer.size) {
        take_leave(v, patience_s);
    }
}

static void hear(const lmb_server_def *def, visitor *v)
{
    const ssize_t size = recv(v->handle, v->request + v->size, def->request_most - v->size, 0);
    if (size <= 0) {
        if (size == 0 || !is_passing(errno)) {
            send_away(v);
        }
        return;
    }
    v->size += (size_t)size;
    if (def->answer(def->context, v->request, v->size, &v->answer)) {
        v->stage = TAKING;
        v->until_s = lmb_clock_s() + def->patience_s;
    } else if (v->size < def->request_most) {
        return;
    }
    if (v->answer.size == 0) {
        send_away(v);
    } else {
        give(v, def->patience_s);
    }
}

static void ignore(visitor *v)
{
    uint8_t waste[4096];
    const ssize_t size = recv(v->handle, waste, sizeof waste, 0);
    if (size == 0 || (size < 0 && !is_passing(errno))) {
        send_away(v);
    }
}

static void serve(const lmb_server_def *def, visitor *v)
{
    switch (v->stage) {
    case ASKING:
        hear(def, v);
        break;
    case TAKING:
        give(v, def->patience_s);
        break;
    case LEAVING:
        ignore(v);
        break;
    }
}

// -------------------------------------------------------------------------------------------- all

static visitor *free_place(lmb_server *server)
{
    for (int k = 0; k < PLACES; ++k) {
        if (server->visitors[k].handle < 0) {
            return &server->visitors[k];
        }
    }
    return NULL;
}

/// False when the door is broken. A connection that is gone by now, or for which the system has
/// nothing left, is no fault of the door's.
static bool let_in(lmb_server *server, visitor *v)
{
    const int handle = accept(server->door, NULL, NULL);
    if (handle < 0) {
        return errno != EBADF && errno != EINVAL && errno != ENOTSOCK;
    }
    *v = (visitor){.handle = handle,
                   .until_s = lmb_clock_s() + server->def.patience_s,
                   .request = malloc(server->def.request_most)};
    if (v->request == NULL || !make_brisk(handle)) {
        send_away(v);
    }
    return true;
}

/// Whether so many bytes of answers wait to be taken that nobody else is heard for now.
static bool is_full(const lmb_server *server)
{
    size_t held = 0;
    for (int k = 0; k < PLACES; ++k) {
        held += server->visitors[k].answer.size;
    }
    return held >= server->def.held_most;
}

/// Whose request is not heard loses no time by it.
static void keep_waiting(lmb_server *server)
{
    const double until_s = lmb_clock_s() + server->def.patience_s;
    for (int k = 0; k < PLACES; ++k) {
        visitor *v = &server->visitors[k];
        if (v->handle >= 0 && v->stage == ASKING) {
            v->until_s = until_s;
        }
    }
}

static struct pollfd watch(const visitor *v, bool full)
{
    const bool heard = v->stage != ASKING || !full;
    return (struct pollfd){.fd = heard ? v->handle : -1,
                           .events = v->stage == TAKING ? POLLOUT : POLLIN};
}

/// Sends away whom patience has ended for; gives how long the next one may still take.
static double lose_patience(lmb_server *server, double timeout_s)
{
    const double now = lmb_clock_s();
    for (int k = 0; k < PLACES; ++k) {
        visitor *v = &server->visitors[k];
        if (v->handle >= 0 && v->until_s <= now) {
            send_away(v);
        } else if (v->handle >= 0 && v->until_s - now < timeout_s) {
            timeout_s = v->until_s - now;
        }
    }
    return timeout_s;
}

bool lmb_server_step(lmb_server *server, double timeout_s)
{
    struct pollfd wait[PLACES + 1];
    if (is_full(server)) {
        keep_waiting(server);
    }
    const double left_s = lose_patience(server, timeout_s > 0 ? timeout_s : 0);
    visitor *place = free_place(server);
    // A handle of -1 is passed over by poll: while every place is taken, others wait.
    wait[PLACES] = (struct pollfd){.fd = place != NULL ? server->door : -1, .events = POLLIN};
    for (int k = 0; k < PLACES; ++k) {
        wait[k] = watch(&server->visitors[k], is_full(server));
    }
    const int ready = poll(wait, PLACES + 1, (int)(left_s * 1e3 + 0.999));
    if (ready <= 0) {
        return ready == 0 || errno == EINTR;
    }
    for (int k = 0; k < PLACES; ++k) {
        // An answer that was just made may be the one too many.
        if (wait[k].revents != 0 && (server->visitors[k].stage != ASKING || !is_full(server))) {
            serve(&server->def, &server->visitors[k]);
        }
    }
    return wait[PLACES].revents == 0 || let_in(server, place);
}
