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

/// A request ends with its first full stop. "big." is answered with BIG bytes, "bye." with none,
/// others with themselves.
enum { BIG = 8000000 };

static bool echo(void *context, const uint8_t *bytes, size_t size, lmb_file *out)
{
    ++*(int *)context;
    const uint8_t *stop = memchr(bytes, '.', size);
    if (stop == NULL) {
        return false;
    }
    size = (size_t)(stop - bytes) + 1;
    const bool big = size == 4 && memcmp(bytes, "big.", 4) == 0;
    if (size == 4 && memcmp(bytes, "bye.", 4) == 0) {
        return true;
    }
    *out = (lmb_file){malloc(big ? BIG : size), big ? BIG : size};
    assert_non_null(out->data);
    if (big) {
        memset(out->data, 'b', BIG);
    } else {
        memcpy(out->data, bytes, size);
    }
    return true;
}

static int calls;

static lmb_server *open_server(double patience_s)
{
    lmb_server *server = NULL;
    lmb_error error = {0};
    const lmb_server_def def = {.host = "127.0.0.1",
                                .request_most = 16,
                                .patience_s = patience_s,
                                .answer = echo,
                                .context = &calls};
    assert_int_equal(lmb_server_open(&def, &server, &error), LMB_OK);
    assert_true(lmb_server_port(server) > 0);
    return server;
}

static int come(const lmb_server *server)
{
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons(lmb_server_port(server)),
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
static size_t hear(lmb_server *server, int handle, char first[16])
{
    static char bytes[65536];
    size_t size = 0;
    const double end_s = lmb_clock_s() + 20;
    memset(first, 0, 16);
    while (lmb_clock_s() < end_s) {
        struct pollfd wait = {.fd = handle, .events = POLLIN};
        assert_true(lmb_server_step(server, 0.001));
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
    lmb_server *server = open_server(0);
    char first[16];
    for (int k = 0; k < 100; ++k) {
        const int handle = come(server);
        say(handle, "one.");
        assert_int_equal(hear(server, handle, first), 4);
        assert_string_equal(first, "one.");
    }
    lmb_server_close(server);
}

static void answers_many_at_once_whatever_the_order(void **state)
{
    (void)state;
    lmb_server *server = open_server(0);
    int handles[10];
    char first[16];
    for (int k = 0; k < 10; ++k) {
        handles[k] = come(server);
        say(handles[k], "a");
        assert_true(lmb_server_step(server, 0.01));
    }
    for (int k = 9; k >= 0; --k) {
        say(handles[k], "b.");
        assert_int_equal(hear(server, handles[k], first), 3);
        assert_string_equal(first, "ab.");
    }
    lmb_server_close(server);
}

static void sends_more_than_fits_at_once(void **state)
{
    (void)state;
    lmb_server *server = open_server(0);
    char first[16];
    const int slow = come(server), handle = come(server);
    say(slow, "big.");
    say(handle, "two.");
    // While one answer waits for its taker another goes out.
    assert_int_equal(hear(server, handle, first), 4);
    assert_int_equal(hear(server, slow, first), BIG);
    assert_string_equal(first, "bbbbbbbbbbbbbbb");
    lmb_server_close(server);
}

static void closes_without_an_answer(void **state)
{
    (void)state;
    lmb_server *server = open_server(0);
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
    lmb_server_close(server);
}

static void takes_bytes_behind_a_request(void **state)
{
    (void)state;
    // Closing over what was not read would tear off the answer.
    lmb_server *server = open_server(0);
    char first[16], more[1000];
    const int handle = come(server);
    say(handle, "one.");
    assert_true(lmb_server_step(server, 1));
    memset(more, 'm', sizeof more);
    assert_true(send(handle, more, sizeof more, MSG_NOSIGNAL) > 0);
    assert_int_equal(hear(server, handle, first), 4);
    lmb_server_close(server);
}

/// Whoever asks and does not read holds an answer: no more are made than the server may hold.
static void holds_few_answers_that_nobody_takes(void **state)
{
    (void)state;
    enum { GUESTS = 24 };
    int guests[GUESTS];
    lmb_server *server = NULL;
    const lmb_server_def def = {.host = "127.0.0.1",
                                .request_most = 16,
                                .held_most = 3 * (size_t)BIG - 1,
                                .answer = echo,
                                .context = &calls};
    assert_int_equal(lmb_server_open(&def, &server, NULL), LMB_OK);
    calls = 0;
    for (int k = 0; k < GUESTS; ++k) {
        guests[k] = come(server);
        say(guests[k], "big.");
        assert_true(lmb_server_step(server, 0.001)); // only so many wait at a port's door
    }
    for (int k = 0; k < 4 * GUESTS; ++k) {
        assert_true(lmb_server_step(server, 0.001));
    }
    assert_int_equal(calls, 3);
    for (int k = 0; k < GUESTS; ++k) { // the others get theirs as the first are taken
        char first[16];
        assert_int_equal(hear(server, guests[k], first), BIG);
    }
    assert_int_equal(calls, GUESTS);
    lmb_server_close(server);
}

static void loses_patience(void **state)
{
    (void)state;
    lmb_server *server = open_server(0.1);
    char first[16];
    // Who says nothing, who says a little every now and then, who takes nothing of an answer.
    const double begin_s = lmb_clock_s();
    const int silent = come(server), taker = come(server), slow = come(server);
    say(taker, "big.");
    say(slow, "a");
    assert_int_equal(hear(server, silent, first), 0);
    assert_true(lmb_clock_s() - begin_s >= 0.09);
    for (int k = 0; k < 5 && send(slow, "a", 1, MSG_NOSIGNAL) == 1; ++k) {
        lmb_sleep_s(0.05);
        assert_true(lmb_server_step(server, 0));
    }
    assert_int_equal(hear(server, slow, first), 0);
    while (lmb_clock_s() - begin_s < 0.5) {
        assert_true(lmb_server_step(server, 0.05));
    }
    assert_true(hear(server, taker, first) < BIG);
    lmb_server_close(server);
}

static void goes_on_when_every_place_is_taken(void **state)
{
    (void)state;
    lmb_server *server = open_server(0.3);
    int handles[40];
    char first[16];
    for (int k = 0; k < 40; ++k) {
        handles[k] = come(server);
        assert_true(lmb_server_step(server, 0));
    }
    const int late = come(server);
    say(late, "one.");
    assert_int_equal(hear(server, late, first), 4);
    for (int k = 0; k < 40; ++k) {
        close(handles[k]);
    }
    lmb_server_close(server);
}

static void refuses_a_port_that_is_taken(void **state)
{
    (void)state;
    lmb_server *server = open_server(0), *second = NULL;
    lmb_error error = {0};
    const lmb_server_def def = {
        .host = "127.0.0.1", .port = lmb_server_port(server), .answer = echo, .context = &calls};
    assert_int_equal(lmb_server_open(&def, &second, &error), LMB_ERROR_INVALID);
    assert_true(error.found[0] != 0);
    assert_null(second);
    lmb_server_close(server);
    assert_int_equal(lmb_server_open(&def, &second, &error), LMB_OK);
    lmb_server_close(second);
    lmb_server_close(NULL);
}

/// A program called xdg-open, first in PATH, that tells which address it got.
static void asks_the_desktop(void **state)
{
    (void)state;
    char folder[] = "desktop_test_XXXXXX", path[64], out[64], script[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/xdg-open", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    const int length =
        snprintf(script, sizeof script, "#!/bin/sh\nprintf '%%s' \"$1\" > %s.part\nmv %s.part %s\n",
                 out, out, out);
    assert_int_equal(lmb_file_write(path, script, (size_t)length, NULL), LMB_OK);
    assert_int_equal(chmod(path, 0700), 0);
    char search[512];
    snprintf(search, sizeof search, "%s:/usr/bin:/bin", folder);
    setenv("PATH", search, 1);
    unsetenv("WAYLAND_DISPLAY");
    unsetenv("DISPLAY");
    assert_false(lmb_desktop_open("http://nobody/"));
    setenv("DISPLAY", ":99", 1);
    assert_true(lmb_desktop_open("http://127.0.0.1:1/#file=a b"));
    for (int k = 0; k < 400 && lmb_path_look(out) == LMB_PATH_NOTHING; ++k) {
        lmb_sleep_s(0.05);
    }
    lmb_file told;
    assert_int_equal(lmb_file_read(out, 0, &told, NULL), LMB_OK);
    assert_int_equal(told.size, strlen("http://127.0.0.1:1/#file=a b"));
    assert_memory_equal(told.data, "http://127.0.0.1:1/#file=a b", told.size);
    lmb_file_free(&told);
    unlink(out);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_one_after_the_other),
        cmocka_unit_test(answers_many_at_once_whatever_the_order),
        cmocka_unit_test(sends_more_than_fits_at_once),
        cmocka_unit_test(closes_without_an_answer),
        cmocka_unit_test(takes_bytes_behind_a_request),
        cmocka_unit_test(holds_few_answers_that_nobody_takes),
        cmocka_unit_test(loses_patience),
        cmocka_unit_test(goes_on_when_every_place_is_taken),
        cmocka_unit_test(refuses_a_port_that_is_taken),
        cmocka_unit_test(asks_the_desktop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
