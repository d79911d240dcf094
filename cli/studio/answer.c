#include "cli/studio/answer.h"
#include "os/reader.h"
#include "os/server.h"

#include "base/sha256.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_MOST = 1536 };

/// The page's own policy, which its worker would not inherit; and no other page may frame it.
static const char policy[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self' "
    "'unsafe-inline'; img-src 'self' blob: data:; manifest-src 'self'; connect-src 'self' blob: "
    "data:; "
    "frame-ancestors 'none'";

static const char *reason_of(studio_status status)
{
    switch (status) {
    case STUDIO_OK:
        return "OK";
    case STUDIO_SAME:
        return "Not Modified";
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

/// Header fields of a response.
typedef struct answer_head {
    studio_status status;
    const char *type;
    uint64_t size;
    bool page;
    const char *coding;            ///< content coding, or NULL
    char tag[2 + LMBI_SHA256_HEX]; ///< names the contents; "" for what is not to be kept
} answer_head;

static int write_caching(char *at, size_t room, const answer_head *h)
{
    // A browser keeps the page and asks whether it has changed. Of the user's files nothing is kept.
    if (h->tag[0] == 0) {
        return snprintf(at, room, "Cache-Control: no-store\r\n");
    }
    return snprintf(at, room,
                    "Cache-Control: no-cache\r\n"
                    "Vary: Accept-Encoding\r\n"
                    "ETag: %s\r\n%s%s%s",
                    h->tag, h->coding ? "Content-Encoding: " : "", h->coding ? h->coding : "",
                    h->coding ? "\r\n" : "");
}

/// The size of the head; 0 when it does not fit.
static size_t write_head(char head[HEAD_MOST], const answer_head *h)
{
    char caching[256], size[64] = "";
    write_caching(caching, sizeof caching, h);
    if (h->status != STUDIO_SAME) {
        snprintf(size, sizeof size, "Content-Length: %" PRIu64 "\r\n", h->size);
    }
    // Other sites may ask, but neither read an answer nor run one. Both policies of the middle make
    // the page one that may share memory between threads.
    const int length =
        snprintf(head, HEAD_MOST,
                 "HTTP/1.1 %d %s\r\n"
                 "Content-Type: %s\r\n"
                 "%s%s%s"
                 "Content-Security-Policy: %s\r\n"
                 "Cross-Origin-Opener-Policy: same-origin\r\n"
                 "Cross-Origin-Embedder-Policy: require-corp\r\n"
                 "Cross-Origin-Resource-Policy: same-origin\r\n"
                 "Referrer-Policy: no-referrer\r\n"
                 "X-Content-Type-Options: nosniff\r\n"
                 "Connection: close\r\n\r\n",
                 (int)h->status, reason_of(h->status), h->type, size,
                 h->status == STUDIO_METHOD ? "Allow: GET, HEAD\r\n" : "", caching, policy);
    return length > 0 && length < HEAD_MOST ? (size_t)length : 0;
}

/// Names what stands in a file of the page.
static void write_tag(lmbi_reader *file, answer_head *h)
{
    uint8_t digest[LMBI_SHA256_SIZE];
    char text[LMBI_SHA256_HEX];
    if (h->page && lmbi_reader_digest(file, digest)) {
        lmbi_sha256_hex(digest, text);
        snprintf(h->tag, sizeof h->tag, "\"%s\"", text);
    }
}

/// Opens what is asked for; without it there is no body.
static void find_body(studio_site *site, const studio_request *request, answer_head *h,
                      lmbi_reader **out)
{
    h->status = studio_site_open(site, request->path, request->codings, out, &h->coding);
    if (h->status != STUDIO_OK) {
        return;
    }
    h->type = studio_site_type(request->path);
    h->size = lmbi_reader_size(*out);
    h->page = studio_site_is_page(request->path);
    write_tag(*out, h);
    if (h->tag[0] != 0 && strstr(request->has, h->tag) != NULL) {
        h->status = STUDIO_SAME;
    }
    if (request->head || h->status == STUDIO_SAME) {
        lmbi_reader_close(*out);
        *out = NULL;
    }
}

bool studio_answer(void *desk_at, const uint8_t *bytes, size_t size, lmbi_answer *out)
{
    studio_desk *desk = desk_at;
    studio_request request = {0};
    answer_head h = {.type = "text/plain; charset=utf-8"};
    char head[HEAD_MOST];
    *out = (lmbi_answer){0};
    h.status = studio_request_read(bytes, size, desk->port, &request);
    if (h.status == STUDIO_WAIT) {
        return false;
    }
    if (h.status == STUDIO_OK) {
        find_body(&desk->site, &request, &h, &out->body);
    }
    const size_t length = write_head(head, &h);
    uint8_t *kept = length > 0 ? malloc(length) : NULL;
    if (kept != NULL) {
        memcpy(kept, head, length);
        out->head = (lmb_file){kept, length};
    }
    return true;
}
