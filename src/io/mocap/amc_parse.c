#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/mocap/asf.h"

typedef struct amc_reader {
    lmbi_asf *asf;
    lmbi_scan scan;
    lmb_error *error;
    uint32_t *seen_in; ///< the last frame, from 1, that gave the bone
    uint32_t moving;   ///< bones with degrees of freedom
    uint32_t given;    ///< how many of those this frame has given so far
    double expected_number;
} amc_reader;

static bool next_content(amc_reader *r)
{
    for (lmbi_scan_space(&r->scan); !lmbi_scan_done(&r->scan) && *r->scan.at == '#';
         lmbi_scan_space(&r->scan)) {
        lmbi_scan_next_line(&r->scan);
    }
    return !lmbi_scan_done(&r->scan);
}

/// A line with one number begins a frame. Every frame must give every bone, so a row never takes
/// more memory than its text.
static lmb_result begin_frame(amc_reader *r, double number)
{
    lmbi_asf *asf = r->asf;
    void *values = asf->values;
    if (asf->frame_count && r->given < r->moving) {
        return lmbi_scan_fail(&r->scan, r->error, "every bone of the frame before the next one");
    }
    if (asf->frame_count && fabs(number - r->expected_number) > 0.5) {
        lmbi_note(asf->notes, r->scan.line,
                  "frame numbers are not consecutive; frames were read as if they were");
    }
    r->expected_number = number + 1;
    r->given = 0;
    if (asf->frame_count == UINT32_MAX ||
        !lmbi_grow(asf->alloc, &values, &asf->capacity, asf->stored + asf->value_count,
                   sizeof(float))) {
        return lmbi_fail_memory(r->error);
    }
    asf->values = values;
    asf->stored += asf->value_count;
    ++asf->frame_count;
    return LMB_OK;
}

static lmb_result read_bone(amc_reader *r)
{
    lmbi_asf *asf = r->asf;
    const lmbi_scan before = r->scan;
    const int32_t index = lmbi_names_find(&asf->names, lmbi_scan_word(&r->scan));
    if (index < 0 || asf->frame_count == 0 || r->seen_in[index] == asf->frame_count) {
        r->scan = before;
        return lmbi_scan_fail(&r->scan, r->error,
                              asf->frame_count ? "a bone of the skeleton, once a frame"
                                               : "a frame number");
    }
    const lmbi_asf_bone *bone = &asf->bones[index];
    float *row =
        asf->values + (size_t)(asf->frame_count - 1) * asf->value_count + bone->first_value;
    for (size_t i = 0; bone->dofs[i]; ++i) {
        double value = 0;
        lmbi_scan_blanks(&r->scan);
        const lmbi_scan at = r->scan;
        if (!lmbi_scan_number(&r->scan, &value) || !isfinite((float)value)) {
            r->scan = at;
            return lmbi_scan_fail(&r->scan, r->error, "a finite number for each degree of freedom");
        }
        row[i] = (float)value;
    }
    if (!lmbi_scan_line_end(&r->scan)) {
        return lmbi_scan_fail(&r->scan, r->error, "the end of the line after the bone's values");
    }
    r->seen_in[index] = asf->frame_count;
    r->given += bone->dofs[0] != 0;
    return LMB_OK;
}

static lmb_result read_line(amc_reader *r)
{
    double number = 0;
    lmbi_scan peek = r->scan;
    if (*r->scan.at == ':') {
        const lmbi_word word = lmbi_scan_word(&r->scan);
        r->asf->motion_radians = lmbi_word_is(word, ":RADIANS") ||
                                 (r->asf->motion_radians && !lmbi_word_is(word, ":DEGREES"));
        return LMB_OK;
    }
    if (lmbi_scan_number(&peek, &number) && lmbi_scan_line_end(&peek)) {
        const lmb_result result = begin_frame(r, number);
        r->scan = peek;
        return result;
    }
    return read_bone(r);
}

/// A truncated file loses only its last frame.
static void drop_unfinished_frame(amc_reader *r)
{
    lmbi_asf *asf = r->asf;
    if (asf->frame_count && r->given < r->moving) {
        lmbi_note(asf->notes, r->scan.line, "the last frame gives %u of %u bones and was left out",
                  r->given, r->moving);
        --asf->frame_count;
    }
}

lmb_result lmbi_amc_parse(lmbi_asf *asf, const void *bytes, size_t size, lmb_error *error)
{
    amc_reader r = {.asf = asf, .error = error};
    lmb_result result = lmbi_text_check(bytes, size, error);
    if (result != LMB_OK) {
        return result;
    }
    r.seen_in = lmbi_alloc_array(asf->alloc, asf->bone_count, sizeof *r.seen_in);
    if (r.seen_in == NULL) {
        return lmbi_fail_memory(error);
    }
    for (size_t b = 0; b < asf->bone_count; ++b) {
        r.moving += asf->bones[b].dofs[0] != 0;
    }
    asf->motion_radians = asf->radians;
    lmbi_scan_init(&r.scan, bytes, size);
    while (result == LMB_OK && next_content(&r)) {
        result = read_line(&r);
        // The line may be invalid because the file is truncated in it.
        lmbi_scan rest = r.scan;
        lmbi_scan_next_line(&rest);
        if (result == LMB_ERROR_MALFORMED && asf->frame_count > 1 && lmbi_scan_done(&rest) &&
            lmbi_scan_line_end(&r.scan)) {
            result = LMB_OK;
        }
        lmbi_scan_next_line(&r.scan);
    }
    if (result == LMB_OK) {
        drop_unfinished_frame(&r);
    }
    if (result == LMB_OK && asf->frame_count == 0) {
        result = lmbi_scan_fail(&r.scan, error, "a frame");
    }
    lmbi_free(asf->alloc, r.seen_in);
    return result;
}
