#include "studio_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MOST = 1024 };

/// The page's own policy, which its worker would not get from it; and nobody frames the page.
static const char policy[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' "
    "'unsafe-inline'; img-src 'self' blob: data:; connect-src 'self' blob: data:; frame-ancestors "
    "'none'";

static const char *reason_of(studio_status status)
{
    switch (status) {
    case STUDIO_OK:
        return "OK";
    case STUDIO_STRANGER:
        return "Forbidden";
    case STUDIO_NOT_FOUND:
        return "Not Found";
    case STUDIO_METHOD:
        return "Method Not Allowed";
    case STUDIO_LONG_PATH:
        return "URI Too Long";
    case STUDIO_LONG_HEADERS:
        return "Request Header Fields Too Large";
    case STUDIO_BROKEN:
        return "Internal Server Error";
    case STUDIO_WAIT:
    case STUDIO_BAD:
        break;
    }
    return "Bad Request";
}

static size_t write_head(char head[HEAD_MOST], studio_status status, const char *type, size_t size)
{
    // Other sites may ask, but neither read an answer nor run one; and nothing is kept, so that a
    // file that changed is read anew.
    const int length = snprintf(head, HEAD_MOST,
                                "HTTP/1.1 %d %s\r\n"
                                "Content-Type: %s\r\n"
                                "Content-Length: %zu\r\n"
                                "%s"
                                "Cache-Control: no-store\r\n"
                                "Content-Security-Policy: %s\r\n"
                                "Cross-Origin-Opener-Policy: same-origin\r\n"
                                "Cross-Origin-Resource-Policy: same-origin\r\n"
                                "Referrer-Policy: no-referrer\r\n"
                                "X-Content-Type-Options: nosniff\r\n"
                                "Connection: close\r\n\r\n",
                                (int)status, reason_of(status), type, size,
                                status == STUDIO_METHOD ? "Allow: GET, HEAD\r\n" : "", policy);
    return length > 0 && length < HEAD_MOST ? (size_t)length : 0;
}

/// Puts the head before the body, or in its place. Without memory for it nothing is left.
static void put_head(lmb_file *body, const char *head, size_t size, bool alone)
{
    const size_t kept = alone ? 0 : body->size;
    uint8_t *grown = realloc(body->data, size + kept);
    if (grown == NULL) {
        lmb_file_free(body);
        return;
    }
    memmove(grown + size, grown, kept);
    memcpy(grown, head, size);
    *body = (lmb_file){grown, size + kept};
}

bool studio_answer(void *desk_at, const uint8_t *bytes, size_t size, lmb_file *out)
{
    studio_desk *desk = desk_at;
    studio_request request = {0};
    char head[HEAD_MOST];
    *out = (lmb_file){0};
    studio_status status = studio_request_read(bytes, size, desk->port, &request);
    if (status == STUDIO_WAIT) {
        return false;
    }
    if (status == STUDIO_OK) {
        status = studio_site_read(&desk->site, request.path, out);
    }
    const char *type =
        status == STUDIO_OK ? studio_site_type(request.path) : "text/plain; charset=utf-8";
    put_head(out, head, write_head(head, status, type, out->size), request.head);
    return true;
}
