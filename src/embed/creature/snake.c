/// Bodies that consist of one line: snakes, worms, eels, tentacles.
#include "embed/creature/chain.h"

#include <math.h>

enum { SPINE_JOINTS = 12 };

/// Positions of head and first joint from the snout, as fractions of the length.
static const float HEAD = 0.075f, FIRST = 0.10f;

lmb_result lmbi_snake_place(const lmbi_body_shape *shape, lmb_embedding *out, lmb_error *error)
{
    lmbi_spine_line spine;
    const lmb_result result = lmbi_spine_line_find(shape, &spine, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_SNAKE, &shape->frame, shape->box.high.y, out);
    const float sure = spine.head_clear ? 0.85f : 0.5f;
    int32_t parent = LMB_NONE, first = 0;
    for (uint32_t k = 0; k < SPINE_JOINTS; ++k) {
        const float fraction = FIRST + (1 - FIRST) * (float)k / SPINE_JOINTS;
        parent = lmbi_embedding_add_numbered(
            &c, "spine", k + 1, parent, lmbi_limb_point(&spine.line, fraction * spine.length), sure,
            spine.head_clear ? "at equal steps along the body" : "head and tail are alike");
        first = k == 0 ? parent : first;
    }
    lmbi_embedding_set_tip(&c, parent, spine.line.at[spine.line.count - 1]);
    const int32_t head = lmbi_embedding_add_joint(&c, "head", first,
                                                  lmbi_limb_point(&spine.line, HEAD * spine.length),
                                                  sure, "a fraction of the body");
    lmbi_embedding_set_tip(&c, head, spine.line.at[0]);
    return LMB_OK;
}
