#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cli/studio/request.h"

enum { PORT = 8017 };

static studio_status read_text(const char *text, studio_request *out)
{
    return studio_request_read(text, strlen(text), PORT, out);
}

/// What comes of a target, with nothing wrong around it.
static studio_status ask(const char *target, studio_request *out)
{
    char text[4096];
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:8017\r\n\r\n", target);
    return read_text(text, out);
}

/// What comes of headers, with a good first line before them.
static studio_status ask_with(const char *headers)
{
    studio_request request;
    char text[4096];
    snprintf(text, sizeof text, "GET / HTTP/1.1\r\n%s\r\n", headers);
    return read_text(text, &request);
}

static void reads_what_browsers_send(void **state)
{
    (void)state;
    studio_request request;
    assert_int_equal(read_text("GET /studio.js HTTP/1.1\r\nHost: localhost:8017\r\n"
                               "User-Agent: Mozilla/5.0 (X11; Linux)\r\nAccept: */*\r\n"
                               "Accept-Encoding: gzip, deflate, br\r\nX-Empty:\r\n"
                               "Cookie: caf\xc3\xa9=1; b=2 \t\r\n\r\n",
                               &request),
                     STUDIO_OK);
    assert_false(request.head);
    assert_int_equal(request.codings, STUDIO_GZIP | STUDIO_BROTLI);
    assert_string_equal(request.has, "");
    assert_string_equal(request.path, "studio.js");
    assert_int_equal(read_text("HEAD / HTTP/1.0\r\nhOST:\t[::1]:8017\r\n\r\n", &request),
                     STUDIO_OK);
    assert_true(request.head);
    assert_int_equal(request.codings, 0);
    assert_string_equal(request.path, "");
    assert_int_equal(
        read_text("GET / HTTP/1.1\r\nHost: localhost:8017\r\nIf-None-Match: \"a\", W/\"b\"\r\n\r\n",
                  &request),
        STUDIO_OK);
    assert_string_equal(request.has, "\"a\", W/\"b\"");
}

static void decodes_paths(void **state)
{
    (void)state;
    static const struct {
        const char *target, *path;
    } cases[] = {
        {"/", ""},
        {"/?", ""},
        {"/index.html?a=/../b&c=%2e", "index.html"},
        {"/file/a%20b.obj", "file/a b.obj"},
        {"/file/textures%2Fskin.png", "file/textures/skin.png"},
        {"/file/%C3%A9.glb", "file/\xc3\xa9.glb"},
        {"/file/%25", "file/%"},
        {"/file/%252e%252e%252f", "file/%2e%2e%2f"},
        {"/file/a+b..c...d", "file/a+b..c...d"},
        {"/...", "..."},
        {"/.a", ".a"},
        {"/%3f%23", "?#"},
    };
    studio_request request;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        assert_int_equal(ask(cases[k].target, &request), STUDIO_OK);
        assert_string_equal(request.path, cases[k].path);
    }
}

static void refuses_paths_that_lead_elsewhere(void **state)
{
    (void)state;
    static const char *const targets[] = {
        "/..",         "/../a",
        "/a/..",       "/a/../b",
        "/.",          "/./a",
        "/a/.",        "/%2e%2e",
        "/%2E%2e/a",   "/.%2e/a",
        "/%2e./a",     "/a%2f..%2fb",
        "/..%2fa",     "/%2e%2e%2fa",
        "//",          "//etc",
        "/a//b",       "/a/",
        "/%2fetc",     "/a%2f%2fb",
        "/a%00",       "/%00",
        "/a%00.js",    "/..%5ca",
        "/a\\b",       "/%5c",
        "/a%0d%0aB:c", "/a%7f",
        "/a%1f",       "/%",
        "/%2",         "/%zz",
        "/%2x",        "/a%",
        "/a#b",        "a",
        "*",           "http://127.0.0.1:8017/",
        "../a",        "%2f",
        "/?%00",       "/?%",
        "/a\tb",       "/\xc3\xa9",
        "/a\x01",      "/a?\x7f",
    };
    studio_request request;
    for (size_t k = 0; k < sizeof targets / sizeof targets[0]; ++k) {
        if (ask(targets[k], &request) != STUDIO_BAD) {
            fail_msg("%s is let through", targets[k]);
        }
    }
}

static void refuses_first_lines(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        studio_status status;
    } cases[] = {
        {"POST / HTTP/1.1", STUDIO_METHOD},
        {"OPTIONS * HTTP/1.1", STUDIO_METHOD},
        {"CONNECT a:1 HTTP/1.1", STUDIO_METHOD},
        {"get / HTTP/1.1", STUDIO_METHOD},
        {"GETS / HTTP/1.1", STUDIO_METHOD},
        {"", STUDIO_BAD},
        {"GET", STUDIO_BAD},
        {"GET /", STUDIO_BAD},
        {"GET / ", STUDIO_BAD},
        {"GET  / HTTP/1.1", STUDIO_BAD},
        {"GET / HTTP/1.1 ", STUDIO_BAD},
        {" GET / HTTP/1.1", STUDIO_BAD},
        {"GET / HTTP/2.0", STUDIO_BAD},
        {"GET / HTTP/1.10", STUDIO_BAD},
        {"GET / http/1.1", STUDIO_BAD},
        {"GET / HTTP/1.1\n", STUDIO_BAD},
        {"G\x01T / HTTP/1.1", STUDIO_BAD},
    };
    studio_request request;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char text[256];
        snprintf(text, sizeof text, "%s\r\nHost: localhost:8017\r\n\r\n", cases[k].line);
        assert_int_equal(read_text(text, &request), cases[k].status);
    }
}

static void knows_its_names(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        studio_status status;
    } cases[] = {
        {"localhost:8017", STUDIO_OK},
        {"LocalHost:8017", STUDIO_OK},
        {"127.0.0.1:8017", STUDIO_OK},
        {"[::1]:8017", STUDIO_OK},
        {" 127.0.0.1:8017 \t", STUDIO_OK},
        {"127.0.0.1", STUDIO_STRANGER},
        {"127.0.0.1:80", STUDIO_STRANGER},
        {"127.0.0.1:8018", STUDIO_STRANGER},
        {"127.0.0.1:08017", STUDIO_STRANGER},
        {"127.0.0.1:80170", STUDIO_STRANGER},
        {"127.0.0.1:73553", STUDIO_STRANGER}, // 8017 + 65536
        {"127.0.0.1:", STUDIO_STRANGER},
        {"127.0.0.1:8017.", STUDIO_STRANGER},
        {"127.0.0.1.:8017", STUDIO_STRANGER},
        {"127.0.0.2:8017", STUDIO_STRANGER},
        {"0.0.0.0:8017", STUDIO_STRANGER},
        {"::1:8017", STUDIO_STRANGER},
        {"evil.example:8017", STUDIO_STRANGER},
        {"localhost.evil.example:8017", STUDIO_STRANGER},
        {"evil.localhost:8017", STUDIO_STRANGER},
        {"a@localhost:8017", STUDIO_STRANGER},
        {"localhost:8017, evil.example", STUDIO_STRANGER},
        {":8017", STUDIO_STRANGER},
        {"", STUDIO_STRANGER},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char header[128];
        snprintf(header, sizeof header, "Host:%s\r\n", cases[k].host);
        if (ask_with(header) != cases[k].status) {
            fail_msg("\"%s\" gives %d", cases[k].host, ask_with(header));
        }
    }
    // The port that addresses leave out.
    studio_request request;
    static const char plain[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_int_equal(studio_request_read(plain, strlen(plain), 80, &request), STUDIO_OK);
    // A stranger does not learn which methods there are.
    assert_int_equal(read_text("POST / HTTP/1.1\r\nHost: evil.example\r\n\r\n", &request),
                     STUDIO_STRANGER);
}

static void refuses_headers(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "",
        "Accept: */*\r\n",
        "Host: localhost:8017\r\nHost: localhost:8017\r\n",
        "Host: localhost:8017\r\nHost: evil.example\r\n",
        "Host: localhost:8017\r\n folded: 1\r\n",
        "Host: localhost:8017\r\n\tfolded\r\n",
        "Host : localhost:8017\r\n",
        "Host: localhost:8017\r\n: nameless\r\n",
        "Host: localhost:8017\r\nno colon\r\n",
        "Host: localhost:8017\r\nA: \x01\r\n",
        "Host: localhost:8017\r\nA: b\nHost: c\r\n",
        "Host: localhost:8017\r\nA: b\rC: d\r\n",
        "Host: localhost:8017\r\nA(b): c\r\n",
        "Host: localhost:8017\r\nContent-Length: 1\r\n",
        "Host: localhost:8017\r\nContent-Length: -0\r\n",
        "Host: localhost:8017\r\nContent-Length: 0, 1\r\n",
        "Host: localhost:8017\r\nTransfer-Encoding: chunked\r\n",
        "Host: localhost:8017\r\ntransfer-encoding:\r\n",
    };
    for (size_t k = 0; k < sizeof headers / sizeof headers[0]; ++k) {
        if (ask_with(headers[k]) != STUDIO_BAD) {
            fail_msg("let through: %s", headers[k]);
        }
    }
    assert_int_equal(ask_with("Host: localhost:8017\r\nContent-Length: 0\r\n"), STUDIO_OK);
    studio_request request;
    static const char with_zero[] = "GET / HTTP/1.1\r\nHost: localhost:8017\r\nA: b\0c\r\n\r\n";
    assert_int_equal(studio_request_read(with_zero, sizeof with_zero - 1, PORT, &request),
                     STUDIO_BAD);
}

static void waits_for_the_end(void **state)
{
    (void)state;
    static const char whole[] = "GET /a HTTP/1.1\r\nHost: localhost:8017\r\nA: b\r\n\r\n";
    studio_request request;
    for (size_t size = 0; size < strlen(whole); ++size) {
        assert_int_equal(studio_request_read(whole, size, PORT, &request), STUDIO_WAIT);
    }
    assert_int_equal(read_text(whole, &request), STUDIO_OK);
    // Lines end in CR LF, and nothing else ends the headers.
    assert_int_equal(read_text("GET / HTTP/1.1\nHost: localhost:8017\n\n", &request), STUDIO_WAIT);
    // What comes behind is not of this request.
    assert_int_equal(read_text("GET / HTTP/1.1\r\nHost: localhost:8017\r\n\r\nGET /../a", &request),
                     STUDIO_OK);
}

static void bounds_what_it_reads(void **state)
{
    (void)state;
    static char text[2 * STUDIO_REQUEST_MOST];
    studio_request request;
    memset(text, 'a', sizeof text);
    assert_int_equal(studio_request_read(text, STUDIO_REQUEST_MOST - 1, PORT, &request),
                     STUDIO_WAIT);
    assert_int_equal(studio_request_read(text, STUDIO_REQUEST_MOST, PORT, &request),
                     STUDIO_LONG_PATH);
    assert_int_equal(studio_request_read(text, sizeof text, PORT, &request), STUDIO_LONG_PATH);
    static const char begin[] = "GET / HTTP/1.1\r\nHost: localhost:8017\r\nA: ";
    memcpy(text, begin, strlen(begin));
    assert_int_equal(studio_request_read(text, STUDIO_REQUEST_MOST, PORT, &request),
                     STUDIO_LONG_HEADERS);
    // The last request that fits, and the first that does not.
    memcpy(text + STUDIO_REQUEST_MOST - 4, "\r\n\r\n", 4);
    assert_int_equal(studio_request_read(text, STUDIO_REQUEST_MOST, PORT, &request), STUDIO_OK);
    memcpy(text + STUDIO_REQUEST_MOST - 4, "a\r\n\r\n", 5);
    assert_int_equal(studio_request_read(text, STUDIO_REQUEST_MOST + 1, PORT, &request),
                     STUDIO_LONG_HEADERS);

    char target[STUDIO_PATH_MOST + 3];
    memset(target, 'a', sizeof target);
    target[0] = '/';
    target[STUDIO_PATH_MOST + 1] = 0;
    assert_int_equal(ask(target, &request), STUDIO_OK);
    assert_int_equal(strlen(request.path), STUDIO_PATH_MOST);
    target[STUDIO_PATH_MOST + 1] = 'a';
    target[STUDIO_PATH_MOST + 2] = 0;
    assert_int_equal(ask(target, &request), STUDIO_LONG_PATH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_browsers_send),
        cmocka_unit_test(decodes_paths),
        cmocka_unit_test(refuses_paths_that_lead_elsewhere),
        cmocka_unit_test(refuses_first_lines),
        cmocka_unit_test(knows_its_names),
        cmocka_unit_test(refuses_headers),
        cmocka_unit_test(waits_for_the_end),
        cmocka_unit_test(bounds_what_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
