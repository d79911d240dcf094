#include "cli/studio/request.h"

#include "base/hex.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/// Bytes from `at` up to `end`.
typedef struct span {
    const char *at, *end;
} span;

static size_t length(span text)
{
    return (size_t)(text.end - text.at);
}

static bool is(span text, const char *word)
{
    return length(text) == strlen(word) && memcmp(text.at, word, strlen(word)) == 0;
}

static bool is_any_case(span text, const char *word)
{
    return length(text) == strlen(word) && strncasecmp(text.at, word, strlen(word)) == 0;
}

/// The line at the begin of the text, without its CR LF, which are taken with it. False when no end
/// is there yet.
static bool take_line(span *text, span *line)
{
    for (const char *at = text->at; at + 1 < text->end; ++at) {
        if (at[0] == '\r' && at[1] == '\n') {
            *line = (span){text->at, at};
            text->at = at + 2;
            return true;
        }
    }
    return false;
}

/// What stands before the mark, which is taken with it. False where there is none.
static bool take_until(span *text, char mark, span *out)
{
    const char *at = length(*text) > 0 ? memchr(text->at, mark, length(*text)) : NULL;
    if (at == NULL) {
        return false;
    }
    *out = (span){text->at, at};
    text->at = at + 1;
    return true;
}

static bool is_token_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_token(span text)
{
    for (const char *at = text.at; at < text.end; ++at) {
        if (!is_token_byte(*at)) {
            return false;
        }
    }
    return length(text) > 0;
}

// ------------------------------------------------------------------------------------------- target

/// One byte of the target, decoded; false where it stands for none that a path may have. They are
/// judged after decoding: an encoded slash is a slash, and an encoded dot leads upwards all the same.
static bool take_byte(span *target, char *out)
{
    const char c = *target->at++;
    if (c <= ' ' || c > '~' || c == '#') {
        return false;
    }
    *out = c;
    if (c == '%') {
        const int high = length(*target) >= 2 ? lmbi_hex_value(target->at[0]) : -1;
        const int low = high >= 0 ? lmbi_hex_value(target->at[1]) : -1;
        if (low < 0) {
            return false;
        }
        *out = (char)(16 * high + low);
        target->at += 2;
    }
    return (unsigned char)*out >= ' ' && *out != 0x7f && *out != '\\';
}

static bool has_bad_part(const char *path)
{
    for (const char *at = path; *at != 0;) {
        const size_t part = strcspn(at, "/");
        if (part == 0 || (part == 1 && at[0] == '.') ||
            (part == 2 && at[0] == '.' && at[1] == '.') || (at[part] == '/' && at[part + 1] == 0)) {
            return true;
        }
        at += part + (at[part] == '/');
    }
    return false;
}

static studio_status read_target(span target, char path[STUDIO_PATH_MOST + 1])
{
    size_t size = 0;
    if (length(target) == 0 || *target.at != '/') {
        return STUDIO_BAD;
    }
    ++target.at;
    while (target.at < target.end && *target.at != '?') {
        if (size == STUDIO_PATH_MOST) {
            return STUDIO_LONG_PATH;
        }
        if (!take_byte(&target, &path[size])) {
            return STUDIO_BAD;
        }
        ++size;
    }
    path[size] = 0;
    for (char c; target.at < target.end;) {
        if (!take_byte(&target, &c)) {
            return STUDIO_BAD;
        }
    }
    return has_bad_part(path) ? STUDIO_BAD : STUDIO_OK;
}

static studio_status read_first_line(span line, studio_request *out)
{
    span method, target;
    if (!take_until(&line, ' ', &method) || !take_until(&line, ' ', &target) || !is_token(method) ||
        !(is(line, "HTTP/1.1") || is(line, "HTTP/1.0"))) {
        return STUDIO_BAD;
    }
    out->head = is(method, "HEAD");
    return out->head || is(method, "GET") ? read_target(target, out->path) : STUDIO_METHOD;
}

// ------------------------------------------------------------------------------------------ headers

/// A name of this machine with our port, which addresses leave out where it is 80.
static bool is_ours(span host, uint16_t port)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        char ours[24];
        snprintf(ours, sizeof ours, "%s:%u", names[k], (unsigned)port);
        if (is_any_case(host, ours) || (port == 80 && is_any_case(host, names[k]))) {
            return true;
        }
    }
    return false;
}

static span trim(span text)
{
    while (length(text) > 0 && (*text.at == ' ' || *text.at == '\t')) {
        ++text.at;
    }
    while (length(text) > 0 && (text.end[-1] == ' ' || text.end[-1] == '\t')) {
        --text.end;
    }
    return text;
}

/// "Name: value"; spaces around the value do not count.
static bool read_header(span line, span *name, span *value)
{
    if (!take_until(&line, ':', name) || !is_token(*name)) {
        return false;
    }
    line = trim(line);
    for (const char *at = line.at; at < line.end; ++at) {
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f) {
            return false;
        }
    }
    *value = line;
    return true;
}

/// What the headers say.
typedef struct headers {
    bool bad, body, hosted, stranger;
    unsigned codings;
    span has;
} headers;

/// The codings that a list (RFC 9110, section 12.5.3) has without a weight; who weighs gets plain
/// bytes, which are always right.
static unsigned read_codings(span list)
{
    unsigned codings = 0;
    while (length(list) > 0) {
        span one;
        if (!take_until(&list, ',', &one)) {
            one = list;
            list.at = list.end;
        }
        codings |= is_any_case(trim(one), "br") ? STUDIO_BROTLI : 0;
        codings |= is_any_case(trim(one), "gzip") ? STUDIO_GZIP : 0;
    }
    return codings;
}

static void note_header(headers *h, span name, span value, uint16_t port)
{
    if (is_any_case(name, "host")) {
        h->bad = h->bad || h->hosted;
        h->hosted = true;
        h->stranger = h->stranger || !is_ours(value, port);
    }
    h->codings |= is_any_case(name, "accept-encoding") ? read_codings(value) : 0;
    if (is_any_case(name, "if-none-match")) {
        h->has = value;
    }
    h->body = h->body || is_any_case(name, "transfer-encoding") ||
              (is_any_case(name, "content-length") && !is(value, "0"));
}

/// Up to the empty line behind them.
static headers read_headers(span text, uint16_t port)
{
    headers h = {0};
    span line, name, value;
    while (take_line(&text, &line) && length(line) > 0) {
        if (read_header(line, &name, &value)) {
            note_header(&h, name, value, port);
        } else {
            h.bad = true;
        }
    }
    h.bad = h.bad || !h.hosted;
    return h;
}

/// Whether the empty line behind the headers has come.
static bool has_end(span text)
{
    span line;
    while (take_line(&text, &line)) {
        if (length(line) == 0) {
            return true;
        }
    }
    return false;
}

studio_status studio_request_read(const void *bytes, size_t size, uint16_t port,
                                  studio_request *out)
{
    const char *begin = bytes;
    const bool full = size >= STUDIO_REQUEST_MOST;
    span text = {begin, begin + (full ? STUDIO_REQUEST_MOST : size)}, first;
    if (!take_line(&text, &first)) {
        return full ? STUDIO_LONG_PATH : STUDIO_WAIT;
    }
    if (!has_end(text)) {
        return full ? STUDIO_LONG_HEADERS : STUDIO_WAIT;
    }
    const headers sent = read_headers(text, port);
    if (sent.bad || sent.stranger) {
        // Who asks by another name learns nothing else.
        return sent.bad ? STUDIO_BAD : STUDIO_STRANGER;
    }
    const studio_status status = read_first_line(first, out);
    out->codings = sent.codings;
    const size_t has = length(sent.has) <= STUDIO_HAS_MOST ? length(sent.has) : 0;
    if (has > 0) {
        memcpy(out->has, sent.has.at, has);
    }
    out->has[has] = 0;
    return status == STUDIO_OK && sent.body ? STUDIO_BAD : status;
}
