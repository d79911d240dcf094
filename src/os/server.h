/// A server of HTTP for this machine.
#ifndef OS_SERVER_H
#define OS_SERVER_H

#include "limber/os.h"
#include "os/reader.h"

/// A port that others connect to with one request each; it is answered, and the connection closed.
typedef struct lmbi_server lmbi_server;

/// What a request is answered with: bytes, then a file, of which the server holds a piece at a time
/// however slowly it is taken.
typedef struct lmbi_answer {
    lmb_file head;     ///< bytes from malloc, which the server frees
    lmbi_reader *body; ///< the server closes it; NULL: none
} lmbi_answer;

typedef struct lmbi_server_def {
    const char *host;    ///< the address to listen on, such as "127.0.0.1"
    uint16_t port;       ///< 0: any that is free
    size_t request_most; ///< bytes of a request; 0 means 16 KiB
    /// How long a connection may take for its request, and how long it may take nothing of the
    /// answer; then it is closed. 0 means 10.
    double patience_s;
    /// Called with the bytes of a request received so far, `size` up to request_most. Returns false
    /// to wait for more; at request_most bytes the connection is closed instead. Returns true with
    /// the answer in `out`; an empty head closes the connection.
    bool (*answer)(void *context, const uint8_t *bytes, size_t size, lmbi_answer *out);
    void *context;
} lmbi_server_def;

/// Errors: INVALID with the system's reason in `found`; MEMORY.
lmb_result lmbi_server_open(const lmbi_server_def *def, lmbi_server **out, lmb_error *error);

/// Closes all connections. NULL is allowed.
void lmbi_server_close(lmbi_server *server);

/// The port that it listens on.
uint16_t lmbi_server_port(const lmbi_server *server);

/// Waits until some connection moves, no longer than `timeout_s` or until a signal comes, and
/// serves those that did. False when the port is broken.
bool lmbi_server_step(lmbi_server *server, double timeout_s);

#endif
