#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/skinned/md5.h"

void lmbi_md5_space(lmbi_scan *scan)
{
    for (lmbi_scan_space(scan);
         scan->end - scan->at >= 2 && scan->at[0] == '/' && scan->at[1] == '/';
         lmbi_scan_space(scan)) {
        lmbi_scan_next_line(scan);
    }
}

bool lmbi_md5_accept(lmbi_scan *scan, const char *word)
{
    lmbi_md5_space(scan);
    lmbi_scan peek = *scan;
    if (!lmbi_word_is_exact(lmbi_scan_word(&peek), word)) {
        return false;
    }
    *scan = peek;
    return true;
}

lmb_result lmbi_md5_keyword(lmbi_md5 *m, lmbi_scan *scan, const char *word)
{
    return lmbi_md5_accept(scan, word) ? LMB_OK : lmbi_scan_fail(scan, m->error, word);
}

lmb_result lmbi_md5_number(lmbi_md5 *m, lmbi_scan *scan, float *out)
{
    double value = 0;
    lmbi_md5_space(scan);
    lmbi_scan before = *scan;
    if (!lmbi_scan_number(scan, &value) || !isfinite((float)value)) {
        return lmbi_scan_fail(&before, m->error, "a finite number");
    }
    *out = (float)value;
    return LMB_OK;
}

lmb_result lmbi_md5_integer(lmbi_md5 *m, lmbi_scan *scan, int64_t low, int64_t high, int64_t *out)
{
    double value = 0;
    lmbi_md5_space(scan);
    lmbi_scan before = *scan;
    if (!lmbi_scan_number(scan, &value) || !(value >= (double)low && value <= (double)high) ||
        value != floor(value)) {
        char expected[80];
        snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)low,
                 (long long)high);
        return lmbi_scan_fail(&before, m->error, expected);
    }
    *out = (int64_t)value;
    return LMB_OK;
}

lmb_result lmbi_md5_count(lmbi_md5 *m, lmbi_scan *scan, const char *word, size_t least,
                          uint32_t *out)
{
    int64_t count = 0;
    lmb_result result = lmbi_md5_keyword(m, scan, word);
    if (result == LMB_OK) {
        const size_t most = (size_t)(scan->end - scan->at) / least;
        result = lmbi_md5_integer(m, scan, 0,
                                  (int64_t)(most < INT32_MAX / 4 ? most : INT32_MAX / 4), &count);
    }
    *out = (uint32_t)count;
    return result;
}

lmb_result lmbi_md5_numbers(lmbi_md5 *m, lmbi_scan *scan, float *out, int count)
{
    lmbi_md5_space(scan);
    if (lmbi_scan_done(scan) || *scan->at != '(') {
        return lmbi_scan_fail(scan, m->error, "( and numbers");
    }
    ++scan->at;
    for (int k = 0; k < count; ++k) {
        const lmb_result result = lmbi_md5_number(m, scan, &out[k]);
        if (result != LMB_OK) {
            return result;
        }
    }
    lmbi_md5_space(scan);
    if (lmbi_scan_done(scan) || *scan->at != ')') {
        return lmbi_scan_fail(scan, m->error, ")");
    }
    ++scan->at;
    return LMB_OK;
}

lmb_result lmbi_md5_text(lmbi_md5 *m, lmbi_scan *scan, const char **out)
{
    lmbi_md5_space(scan);
    const char *begin = scan->at;
    const char *line_end = begin;
    while (line_end < scan->end && *line_end != '\n' && *line_end != '\r') {
        ++line_end;
    }
    const char *quote = begin < line_end && *begin == '"'
                            ? memchr(begin + 1, '"', (size_t)(line_end - begin) - 1)
                            : NULL;
    if (quote == NULL) {
        return lmbi_scan_fail(scan, m->error, "a text in quotes");
    }
    *out = lmbi_arena_string(&m->model.arena, begin + 1, (size_t)(quote - begin) - 1);
    scan->at = quote + 1;
    return *out != NULL ? LMB_OK : lmbi_fail_memory(m->error);
}

lmb_result lmbi_md5_head(lmbi_md5 *m, lmbi_scan *scan)
{
    lmb_result result = lmbi_md5_keyword(m, scan, "MD5Version");
    lmbi_scan before = *scan;
    float version = 0;
    if (result == LMB_OK) {
        result = lmbi_md5_number(m, scan, &version);
    }
    if (result == LMB_OK && version != 10) {
        lmbi_md5_space(&before);
        return lmbi_scan_fail(&before, m->error, "version 10");
    }
    if (result == LMB_OK && lmbi_md5_accept(scan, "commandline")) {
        lmbi_scan_next_line(
            scan); // skip the whole line: the quoted command line may contain quotes
    }
    return result;
}

lmb_quat lmbi_md5_rotation(const float v[3])
{
    const float rest = 1 - v[0] * v[0] - v[1] * v[1] - v[2] * v[2];
    return lmb_quat_normalize(lmb_quat_make(v[0], v[1], v[2], rest > 0 ? -sqrtf(rest) : 0));
}
