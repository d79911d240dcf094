/// Texts that readers refuse, and where they say it went wrong.
#ifndef TESTS_IO_TEXT_FAULTS_H
#define TESTS_IO_TEXT_FAULTS_H

#include "limber/asset.h"

typedef struct text_fault {
    const char *text, *found;
    unsigned line, column;
} text_fault;

typedef lmb_result text_reader(const char *text, lmb_character **out, lmb_error *error);

static inline void text_faults_are_found(text_reader *read, const text_fault *faults, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        lmb_character *c = NULL;
        lmb_error error = {0};
        assert_int_equal(read(faults[i].text, &c, &error), LMB_ERROR_MALFORMED);
        assert_null(c);
        assert_string_equal(error.found, faults[i].found);
        assert_int_equal(error.line, faults[i].line);
        assert_int_equal(error.column, faults[i].column);
    }
}

#endif
