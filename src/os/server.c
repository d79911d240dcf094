/// Connections that bring a request each and take an answer, all served by one thread.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/reader.h"
#include "os/server.h"
#include "os/socket.h"

enum { PLACES = 32, REQUEST_MOST = 16384, PIECE = 65536 };
#define PATIENCE_S 10.0

typedef enum stage {
    ASKING, ///< receiving its request
    TAKING, ///< sending the answer
    LEAVING ///< the answer is sent; further input is discarded, since closing with unread bytes
            ///< would reset the connection and lose the answer
} stage;

typedef struct visitor {
    int handle; ///< -1: this entry is free
    stage stage;
    double until_s;
    uint8_t *request; ///< [request_most]
    size_t size;
    lmbi_answer answer;
    uint64_t sent;  ///< bytes of the answer, head and body
    uint8_t *piece; ///< [PIECE] of the body; NULL until it is needed
    uint64_t piece_begin;
    size_t piece_size;
} visitor;

struct lmbi_server {
    lmbi_server_def def;
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

static void forget_answer(visitor *v)
{
    lmb_file_free(&v->answer.head);
    lmbi_reader_close(v->answer.body);
    v->answer.body = NULL;
    free(v->piece);
    v->piece = NULL;
}

static void send_away(visitor *v)
{
    if (v->handle >= 0) {
        close(v->handle);
    }
    free(v->request);
    forget_answer(v);
    *v = (visitor){.handle = -1};
}

lmb_result lmbi_server_open(const lmbi_server_def *def, lmbi_server **out, lmb_error *error)
{
    lmbi_server *server = malloc(sizeof *server);
    if (server == NULL) {
        return LMB_ERROR_MEMORY;
    }
    server->def = *def;
    server->def.request_most = def->request_most > 0 ? def->request_most : REQUEST_MOST;
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
        lmbi_server_close(server);
        return lmbi_socket_refuse(error, "a port to listen on", "one that waits");
    }
    *out = server;
    return LMB_OK;
}

void lmbi_server_close(lmbi_server *server)
{
    if (server != NULL) {
        for (int k = 0; k < PLACES; ++k) {
            send_away(&server->visitors[k]);
        }
        close(server->door);
        free(server);
    }
}

uint16_t lmbi_server_port(const lmbi_server *server)
{
    return lmbi_socket_port(server->door);
}

// ---------------------------------------------------------------------------------- one connection

static void take_leave(visitor *v, double patience_s)
{
    forget_answer(v);
    v->stage = LEAVING;
    v->until_s = lmb_clock_s() + (patience_s < 1 ? patience_s : 1);
    if (shutdown(v->handle, SHUT_WR) != 0) {
        send_away(v);
    }
}

static uint64_t answer_size(const visitor *v)
{
    return v->answer.head.size + (v->answer.body != NULL ? lmbi_reader_size(v->answer.body) : 0);
}

/// The bytes of the answer that are next to be sent. NULL when the file has become shorter or
/// memory ends: the promised length cannot be kept then.
static const uint8_t *next_bytes(visitor *v, size_t *size)
{
    const size_t head = v->answer.head.size;
    if (v->sent < head) {
        *size = head - (size_t)v->sent;
        return v->answer.head.data + v->sent;
    }
    const uint64_t at = v->sent - head;
    if (at >= v->piece_begin + v->piece_size) {
        v->piece = v->piece != NULL ? v->piece : malloc(PIECE);
        v->piece_begin = at;
        v->piece_size =
            v->piece != NULL ? lmbi_reader_read(v->answer.body, at, v->piece, PIECE) : 0;
    }
    *size = v->piece_size - (size_t)(at - v->piece_begin);
    return *size > 0 ? v->piece + (at - v->piece_begin) : NULL;
}

static void send_answer(visitor *v, double patience_s)
{
    size_t next;
    const uint8_t *bytes = next_bytes(v, &next);
    if (bytes == NULL) {
        send_away(v);
        return;
    }
    const ssize_t size = send(v->handle, bytes, next, MSG_NOSIGNAL);
    if (size < 0) {
        if (!is_passing(errno)) {
            send_away(v);
        }
        return;
    }
    v->sent += (uint64_t)size;
    v->until_s = lmb_clock_s() + patience_s;
    if (v->sent == answer_size(v)) {
        take_leave(v, patience_s);
    }
}

static void hear(const lmbi_server_def *def, visitor *v)
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
    if (v->answer.head.size == 0) {
        send_away(v);
    } else {
        send_answer(v, def->patience_s);
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

static void serve(const lmbi_server_def *def, visitor *v)
{
    switch (v->stage) {
    case ASKING:
        hear(def, v);
        break;
    case TAKING:
        send_answer(v, def->patience_s);
        break;
    case LEAVING:
        ignore(v);
        break;
    }
}

// -------------------------------------------------------------------------------------------- all

static visitor *find_free_visitor(lmbi_server *server)
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
static bool let_in(lmbi_server *server, visitor *v)
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

/// Sends away whom patience has ended for; gives how long the next one may still take.
static double lose_patience(lmbi_server *server, double timeout_s)
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

bool lmbi_server_step(lmbi_server *server, double timeout_s)
{
    struct pollfd wait[PLACES + 1];
    const double left_s = lose_patience(server, timeout_s > 0 ? timeout_s : 0);
    visitor *free_visitor = find_free_visitor(server);
    // poll ignores a handle of -1: while every entry is in use, others wait in the backlog.
    wait[PLACES] =
        (struct pollfd){.fd = free_visitor != NULL ? server->door : -1, .events = POLLIN};
    for (int k = 0; k < PLACES; ++k) {
        const visitor *v = &server->visitors[k];
        wait[k] = (struct pollfd){.fd = v->handle, .events = v->stage == TAKING ? POLLOUT : POLLIN};
    }
    const int ready = poll(wait, PLACES + 1, (int)(left_s * 1e3 + 0.999));
    if (ready <= 0) {
        return ready == 0 || errno == EINTR;
    }
    for (int k = 0; k < PLACES; ++k) {
        if (wait[k].revents != 0) {
            serve(&server->def, &server->visitors[k]);
        }
    }
    return wait[PLACES].revents == 0 || let_in(server, free_visitor);
}
