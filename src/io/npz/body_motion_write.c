/// Motions of body models as archives with AMASS's names.
#include <stdio.h>

#include "base/error.h"
#include "io/npz/npz_write.h"
#include "limber/io.h"

static void add_all(lmbi_npz_writer *a, const lmb_body_motion *m)
{
    char shape[48];
    const size_t rows = m->frame_count;
    static const uint32_t neutral[7] = {'n', 'e', 'u', 't', 'r', 'a', 'l'};
    snprintf(shape, sizeof shape, "(%u, %u)", m->frame_count, 3 * m->joint_count);
    lmbi_npz_write_words(a, "poses", "<f4", shape, m->rotations, rows * m->joint_count * 3);
    snprintf(shape, sizeof shape, "(%u, 3)", m->frame_count);
    lmbi_npz_write_words(a, "trans", "<f4", shape, m->translations, rows * 3);
    snprintf(shape, sizeof shape, "(%u,)", m->shape_count);
    lmbi_npz_write_words(a, "betas", "<f4", shape, m->shape, m->shape_count);
    lmbi_npz_write_words(a, "mocap_framerate", "<f4", "()", &m->frame_rate, 1);
    lmbi_npz_write_words(a, "gender", "<U7", "()", neutral, 7);
    lmbi_npz_write_end(a);
}

lmb_result lmb_body_motion_write(const lmb_body_motion *motion, const lmb_allocator *alloc,
                                 lmb_buffer *out, lmb_error *error)
{
    if ((uint64_t)motion->frame_count * (motion->joint_count + 1) > UINT32_C(1) << 28) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "archives of less than 4 GiB",
                         "one of %u frames of %u joints", motion->frame_count, motion->joint_count);
    }
    lmbi_npz_writer a;
    lmbi_npz_write_start(&a, alloc);
    add_all(&a, motion);
    return lmbi_buffer_take(&a.text, out, error);
}
