#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limber/os.h"
#include "os/interrupt.h"
#include "os/paths.h"
#include "os/reader.h"
#include "os/server.h"
#include "os/temporary.h"

/// A request ends with its first full stop. "big." is answered with BIG bytes, "bye." with none,
/// "file." with three bytes and a file,
/// others with themselves.
enum { BIG = 8000000 };

static char streamed[32];

static bool echo(void *context, const uint8_t *bytes, size_t size, lmbi_answer *out)
{
    ++*(int *)context;
    const uint8_t *stop = memchr(bytes, '.', size);
    if (stop == NULL) {
        return false;
    }
    size = (size_t)(stop - bytes) + 1;
    if (size == 5 && memcmp(bytes, "file.", 5) == 0) {
        out->head = (lmb_file){calloc(1, 3), 3};
        assert_int_equal(lmbi_reader_open(streamed, &out->body, NULL), LMB_OK);
        return true;
    }
    const bool big = size == 4 && memcmp(bytes, "big.", 4) == 0;
    if (size == 4 && memcmp(bytes, "bye.", 4) == 0) {
        return true;
    }
    out->head = (lmb_file){malloc(big ? BIG : size), big ? BIG : size};
    assert_non_null(out->head.data);
    if (big) {
        memset(out->head.data, 'b', BIG);
    } else {
        memcpy(out->head.data, bytes, size);
    }
    return true;
}

static int calls;

static lmbi_server *open_server(double patience_s)
{
    lmbi_server *server = NULL;
    lmb_error error = {0};
    const lmbi_server_def def = {.host = "127.0.0.1",
                                 .request_most = 16,
                                 .patience_s = patience_s,
                                 .answer = echo,
                                 .context = &calls};
    assert_int_equal(lmbi_server_open(&def, &server, &error), LMB_OK);
    assert_true(lmbi_server_port(server) > 0);
    return server;
}

static int come(const lmbi_server *server)
{
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons(lmbi_server_port(server)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int handle = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(handle >= 0);
    assert_int_equal(connect(handle, (const struct sockaddr *)&at, sizeof at), 0);
    return handle;
}

static void say(int handle, const char *text)
{
    assert_int_equal(send(handle, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/// Steps until the connection has ended; gives how many bytes came and the first of them.
static size_t hear(lmbi_server *server, int handle, char first[16])
{
    static char bytes[65536];
    size_t size = 0;
    const double end_s = lmb_clock_s() + 20;
    memset(first, 0, 16);
    while (lmb_clock_s() < end_s) {
        struct pollfd wait = {.fd = handle, .events = POLLIN};
        assert_true(lmbi_server_step(server, 0.001));
        if (poll(&wait, 1, 0) == 0) {
            continue;
        }
        const ssize_t got = recv(handle, bytes, sizeof bytes, 0);
        if (got <= 0) {
            close(handle);
            return size;
        }
        for (size_t k = size; k < 15 && k < size + (size_t)got; ++k) {
            first[k] = bytes[k - size];
        }
        size += (size_t)got;
    }
    fail_msg("the connection does not end");
    return 0;
}

static void answers_one_after_the_other(void **state)
{
    (void)state;
    lmbi_server *server = open_server(0);
    char first[16];
    for (int k = 0; k < 100; ++k) {
        const int handle = come(server);
        say(handle, "one.");
        assert_int_equal(hear(server, handle, first), 4);
        assert_string_equal(first, "one.");
    }
    lmbi_server_close(server);
}

static void answers_many_at_once_whatever_the_order(void **state)
{
    (void)state;
    lmbi_server *server = open_server(0);
    int handles[10];
    char first[16];
    for (int k = 0; k < 10; ++k) {
        handles[k] = come(server);
        say(handles[k], "a");
        assert_true(lmbi_server_step(server, 0.01));
    }
    for (int k = 9; k >= 0; --k) {
        say(handles[k], "b.");
        assert_int_equal(hear(server, handles[k], first), 3);
        assert_string_equal(first, "ab.");
    }
    lmbi_server_close(server);
}

static void sends_more_than_fits_at_once(void **state)
{
    (void)state;
    lmbi_server *server = open_server(0);
    char first[16];
    const int slow = come(server), handle = come(server);
    say(slow, "big.");
    say(handle, "two.");
    // While one answer waits for its taker another goes out.
    assert_int_equal(hear(server, handle, first), 4);
    assert_int_equal(hear(server, slow, first), BIG);
    assert_string_equal(first, "bbbbbbbbbbbbbbb");
    lmbi_server_close(server);
}

static void write_streamed(size_t size)
{
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t k = 0; k < size; ++k) {
        bytes[k] = (uint8_t)(k * 7 + k / 1000);
    }
    snprintf(streamed, sizeof streamed, "server_test_%d", (int)getpid());
    assert_int_equal(lmb_file_write(streamed, bytes, size, NULL), LMB_OK);
    free(bytes);
}

static void streams_files(void **state)
{
    (void)state;
    lmbi_server *server = open_server(0);
    char first[16];
    static const size_t sizes[] = {0, 1, 65536, 200001, BIG};
    for (int k = 0; k < 5; ++k) {
        write_streamed(sizes[k]);
        const int handle = come(server);
        say(handle, "file.");
        assert_int_equal(hear(server, handle, first), 3 + sizes[k]);
        for (size_t j = 0; j < 12 && j < sizes[k]; ++j) {
            assert_int_equal((uint8_t)first[3 + j], (uint8_t)(j * 7));
        }
    }
    // A file that becomes shorter while it is taken: the connection ends before its time.
    const int handle = come(server);
    say(handle, "file.");
    assert_true(lmbi_server_step(server, 1) && lmbi_server_step(server, 1));
    assert_int_equal(truncate(streamed, 1000), 0);
    assert_true(hear(server, handle, first) < BIG);
    assert_int_equal(unlink(streamed), 0);
    lmbi_server_close(server);
}

static void reads_pieces(void **state)
{
    (void)state;
    lmbi_reader *reader = NULL;
    uint8_t bytes[8], digest[32];
    write_streamed(200001);
    assert_int_equal(lmbi_reader_open(streamed, &reader, NULL), LMB_OK);
    assert_int_equal(lmbi_reader_size(reader), 200001);
    assert_int_equal(lmbi_reader_read(reader, 1000, bytes, 8), 8);
    assert_int_equal(bytes[0], (uint8_t)(7000 + 1));
    assert_int_equal(lmbi_reader_read(reader, 199999, bytes, 8), 2);
    assert_int_equal(lmbi_reader_read(reader, 200001, bytes, 8), 0);
    assert_int_equal(lmbi_reader_read(reader, UINT64_MAX, bytes, 8), 0);
    uint8_t whole[32];
    uint64_t size = 0;
    assert_true(lmbi_reader_digest(reader, digest));
    assert_int_equal(lmbi_file_digest(streamed, whole, &size, NULL), LMB_OK);
    assert_memory_equal(digest, whole, 32);
    assert_int_equal(truncate(streamed, 10), 0);
    assert_false(lmbi_reader_digest(reader, digest));
    lmbi_reader_close(reader);
    lmbi_reader_close(NULL);
    assert_int_equal(lmbi_reader_open(".", &reader, NULL), LMB_ERROR_MALFORMED);
    assert_int_equal(lmbi_reader_open_below(".", "../x", &reader, NULL), LMB_ERROR_MALFORMED);
    assert_int_equal(lmbi_reader_open_below(".", streamed, &reader, NULL), LMB_OK);
    lmbi_reader_close(reader);
    assert_int_equal(unlink(streamed), 0);
}

static void closes_without_an_answer(void **state)
{
    (void)state;
    lmbi_server *server = open_server(0);
    char first[16];
    int handle = come(server);
    say(handle, "bye.");
    assert_int_equal(hear(server, handle, first), 0);
    // Too much without an end; the server did not ask for what is behind.
    handle = come(server);
    calls = 0;
    say(handle, "0123456789abcdef");
    assert_int_equal(hear(server, handle, first), 0);
    assert_true(calls >= 1 && calls <= 16);
    handle = come(server);
    assert_int_equal(shutdown(handle, SHUT_WR), 0);
    assert_int_equal(hear(server, handle, first), 0);
    lmbi_server_close(server);
}

static void takes_bytes_behind_a_request(void **state)
{
    (void)state;
    // Closing over what was not read would tear off the answer.
    lmbi_server *server = open_server(0);
    char first[16], more[1000];
    const int handle = come(server);
    say(handle, "one.");
    assert_true(lmbi_server_step(server, 1));
    memset(more, 'm', sizeof more);
    assert_true(send(handle, more, sizeof more, MSG_NOSIGNAL) > 0);
    assert_int_equal(hear(server, handle, first), 4);
    lmbi_server_close(server);
}

static void loses_patience(void **state)
{
    (void)state;
    lmbi_server *server = open_server(0.1);
    char first[16];
    // Who says nothing, who says a little every now and then, who takes nothing of an answer.
    const double begin_s = lmb_clock_s();
    const int silent = come(server), taker = come(server), slow = come(server);
    say(taker, "big.");
    say(slow, "a");
    assert_int_equal(hear(server, silent, first), 0);
    assert_true(lmb_clock_s() - begin_s >= 0.09);
    for (int k = 0; k < 5 && send(slow, "a", 1, MSG_NOSIGNAL) == 1; ++k) {
        lmbi_sleep_s(0.05);
        assert_true(lmbi_server_step(server, 0));
    }
    assert_int_equal(hear(server, slow, first), 0);
    while (lmb_clock_s() - begin_s < 0.5) {
        assert_true(lmbi_server_step(server, 0.05));
    }
    assert_true(hear(server, taker, first) < BIG);
    lmbi_server_close(server);
}

static void goes_on_when_every_connection_is_taken(void **state)
{
    (void)state;
    lmbi_server *server = open_server(0.3);
    int handles[40];
    char first[16];
    for (int k = 0; k < 40; ++k) {
        handles[k] = come(server);
        assert_true(lmbi_server_step(server, 0));
    }
    const int late = come(server);
    say(late, "one.");
    assert_int_equal(hear(server, late, first), 4);
    for (int k = 0; k < 40; ++k) {
        close(handles[k]);
    }
    lmbi_server_close(server);
}

static void refuses_a_port_that_is_taken(void **state)
{
    (void)state;
    lmbi_server *server = open_server(0), *second = NULL;
    lmb_error error = {0};
    const lmbi_server_def def = {
        .host = "127.0.0.1", .port = lmbi_server_port(server), .answer = echo, .context = &calls};
    assert_int_equal(lmbi_server_open(&def, &second, &error), LMB_ERROR_INVALID);
    assert_true(error.found[0] != 0);
    assert_null(second);
    lmbi_server_close(server);
    assert_int_equal(lmbi_server_open(&def, &second, &error), LMB_OK);
    lmbi_server_close(second);
    lmbi_server_close(NULL);
}

/// A program called xdg-open, first in PATH, that tells which address it got.
static void asks_the_desktop(void **state)
{
    (void)state;
    static const char script[] = "#!/bin/sh\nprintf '%s' \"$1\" > out.part\nmv out.part out\n";
    assert_int_equal(lmb_file_write("xdg-open", script, strlen(script), NULL), LMB_OK);
    assert_int_equal(chmod("xdg-open", 0700), 0);
    setenv("PATH", ".:/usr/bin:/bin", 1);
    unsetenv("WAYLAND_DISPLAY");
    unsetenv("DISPLAY");
    assert_false(lmbi_desktop_open("http://nobody/"));
    setenv("DISPLAY", ":99", 1);
    assert_true(lmbi_desktop_open("http://127.0.0.1:1/#file=a b"));
    for (int k = 0; k < 400 && lmbi_path_kind_of("out") == LMB_PATH_NOTHING; ++k) {
        lmbi_sleep_s(0.05);
    }
    lmb_file out;
    assert_int_equal(lmb_file_read("out", 0, &out, NULL), LMB_OK);
    assert_int_equal(out.size, strlen("http://127.0.0.1:1/#file=a b"));
    assert_memory_equal(out.data, "http://127.0.0.1:1/#file=a b", out.size);
    lmb_file_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_one_after_the_other),
        cmocka_unit_test(answers_many_at_once_whatever_the_order),
        cmocka_unit_test(sends_more_than_fits_at_once),
        cmocka_unit_test(streams_files),
        cmocka_unit_test(reads_pieces),
        cmocka_unit_test(closes_without_an_answer),
        cmocka_unit_test(takes_bytes_behind_a_request),
        cmocka_unit_test(loses_patience),
        cmocka_unit_test(goes_on_when_every_connection_is_taken),
        cmocka_unit_test(refuses_a_port_that_is_taken),
        cmocka_unit_test_setup_teardown(asks_the_desktop, temporary_enter, temporary_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
