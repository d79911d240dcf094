// What readers ask the caller's loader for: plain names below the file's folder, and no others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/external.h"
#include "io/files.h"

typedef struct asked {
    int count;
    char last[1100];
} asked;

static bool load(void *user, const char *name, lmb_bytes *out)
{
    asked *a = user;
    ++a->count;
    snprintf(a->last, sizeof a->last, "%s", name);
    *out = (lmb_bytes){(const uint8_t *)"", 0};
    return strstr(name, "absent") == NULL;
}

static void names_are_judged_as_they_will_be_opened(void **state)
{
    (void)state;
    static const struct {
        const char *name, *asked;
    } cases[] = {
        {"a.png", "a.png"},
        {"./a.png", "a.png"},
        {"b//c\\a b.png", "b/c/a b.png"},
        {"..a/b..png", "..a/b..png"},
        {"%2e%2e/a.png", "%2e%2e/a.png"},
        {"...", "..."},
        {"", NULL},
        {"..", NULL},
        {"../a.png", NULL},
        {"..\\a.png", NULL},
        {"b/../a.png", NULL},
        {"b\\..\\..\\a.png", NULL},
        {"b/..", NULL},
        {"/a.png", NULL},
        {"\\a.png", NULL},
        {"C:\\a.png", NULL},
        {"b/C:a.png", NULL},
        {"http://x/a.png", NULL},
        {"a\nb.png", NULL},
        {"a\033[2Jb.png", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        asked a = {0};
        lmb_bytes bytes = {0};
        const lmb_loader loader = {.load = load, .user = &a};
        const lmbi_external outcome = lmbi_external_load(&loader, cases[k].name, &bytes);
        assert_int_equal(outcome, cases[k].asked ? LMBI_EXTERNAL_FOUND : LMBI_EXTERNAL_OUTSIDE);
        assert_int_equal(a.count, cases[k].asked != NULL);
        assert_string_equal(a.last, cases[k].asked ? cases[k].asked : "");
    }
}

static void what_is_not_there_is_absent(void **state)
{
    (void)state;
    char name[3000];
    asked a = {0};
    lmb_bytes bytes = {0};
    const lmb_loader loader = {.load = load, .user = &a};
    assert_int_equal(lmbi_external_load(&loader, "absent.png", &bytes), LMBI_EXTERNAL_ABSENT);
    assert_int_equal(a.count, 1);
    assert_int_equal(lmbi_external_load(NULL, "a.png", &bytes), LMBI_EXTERNAL_ABSENT);
    assert_int_equal(lmbi_external_load(&(lmb_loader){0}, "a.png", &bytes), LMBI_EXTERNAL_ABSENT);
    assert_int_equal(lmbi_external_load(&loader, ".", &bytes), LMBI_EXTERNAL_ABSENT);
    for (size_t size = 1000; size <= 2999; ++size) {
        memset(name, 'a', size);
        name[size] = 0;
        const lmbi_external outcome = lmbi_external_load(&loader, name, &bytes);
        assert_int_equal(outcome, size < 1023 ? LMBI_EXTERNAL_FOUND : LMBI_EXTERNAL_ABSENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_judged_as_they_will_be_opened),
        cmocka_unit_test(what_is_not_there_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
