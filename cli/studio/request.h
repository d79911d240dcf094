/// What a browser asks the studio's server for: bytes in, a path or a refusal out. Nothing here
/// opens a file or prints.
#ifndef LIMBER_CLI_STUDIO_REQUEST_H
#define LIMBER_CLI_STUDIO_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STUDIO_REQUEST_MOST = 16384, ///< bytes of a request: cookies of other programs of this host too
    STUDIO_PATH_MOST = 1023,     ///< bytes of a path
    STUDIO_HAS_MOST = 255
};

/// Result of a request: a status of HTTP (RFC 9110, section 15), or that its end is still to
/// come.
typedef enum studio_status {
    STUDIO_WAIT = 0,
    STUDIO_OK = 200,
    STUDIO_SAME = 304,         ///< the browser has it; given by the site
    STUDIO_BAD = 400,          ///< no request, one with a body, or a path that leads elsewhere
    STUDIO_STRANGER = 403,     ///< the name that it came by is not this machine's
    STUDIO_NOT_FOUND = 404,    ///< given by the site, not by the parser
    STUDIO_METHOD = 405,       ///< neither GET nor HEAD
    STUDIO_LONG_PATH = 414,    ///< a path over STUDIO_PATH_MOST, or a first line without an end
    STUDIO_LONG_HEADERS = 431, ///< no end within STUDIO_REQUEST_MOST
    STUDIO_BROKEN = 500        ///< out of memory; given by the site
} studio_status;

/// Content codings (RFC 9110, section 8.4.1; Brotli: RFC 7932), as bits.
enum { STUDIO_BROTLI = 1, STUDIO_GZIP = 2 };

typedef struct studio_request {
    bool head;        ///< the answer is to have no body
    unsigned codings; ///< STUDIO_BROTLI and STUDIO_GZIP: how the answer may be compressed
    /// What If-None-Match says (RFC 9110, section 13.1.2), where that is not longer: the contents
    /// that the browser has; "" for nothing.
    char has[STUDIO_HAS_MOST + 1];
    /// Below the root, without a slash at its begin, percent-decoded, without the query; "" is the
    /// root. No part of it is empty, "." or "..", no byte is a control character or a backslash.
    char path[STUDIO_PATH_MOST + 1];
} studio_request;

/// Reads a GET or HEAD request of HTTP/1.0 or 1.1 (RFC 9112) that came to `port` of this machine.
/// Lines end in CR LF, targets begin with a slash, there is one Host, which is localhost, 127.0.0.1
/// or [::1] with that port: a page of another site whose name was made to lead here (DNS rebinding)
/// has another one. `out` is filled where STUDIO_OK is returned. What is behind the request is not
/// looked at.
studio_status studio_request_read(const void *bytes, size_t size, uint16_t port,
                                  studio_request *out);

#endif
