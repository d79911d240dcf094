/// Bodies that consist of one line: snakes, worms, eels, tentacles.
#include "embed/creature/chain.h"

#include <math.h>

enum { SPINE_JOINTS = 12 };

/// Positions of head and first joint from the snout, as fractions of the length.
static const float HEAD = 0.075f, FIRST = 0.10f;

float lmbi_snake_cost(const lmbi_body_shape *shape, const lmbi_spine_line *spine)
{
    const float slender = spine->length / fmaxf(spine->thick, 1e-4f);
    float cost = slender < 22 ? 0.12f * (22 - slender) : 0;
    uint32_t limbs = 0;
    for (uint32_t t = 0; t < shape->tip_count; ++t) {
        limbs += shape->tips[t].length > 0.07f * spine->length;
    }
    return cost + (limbs > 2 ? 0.5f * (float)(limbs - 2) : 0);
}

lmb_result lmbi_snake_place(const lmbi_body_shape *shape, float height,
                            const lmbi_spine_line *spine, lmb_embedding *out)
{
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_SNAKE, &shape->frame, height, out);
    const float sure = spine->head_clear ? 0.85f : 0.5f;
    int32_t parent = LMB_NONE, first = 0;
    for (uint32_t k = 0; k < SPINE_JOINTS; ++k) {
        const float fraction = FIRST + (1 - FIRST) * (float)k / SPINE_JOINTS;
        parent = lmbi_embedding_add_numbered(
            &c, "spine", k + 1, parent, lmbi_limb_point(&spine->line, fraction * spine->length),
            sure, spine->head_clear ? "at equal steps along the body" : "head and tail are alike");
        first = k == 0 ? parent : first;
    }
    lmbi_embedding_set_tip(&c, parent, spine->line.at[spine->line.count - 1]);
    const int32_t head = lmbi_embedding_add_joint(
        &c, "head", first, lmbi_limb_point(&spine->line, HEAD * spine->length), sure,
        "a fraction of the body");
    lmbi_embedding_set_tip(&c, head, spine->line.at[0]);
    return LMB_OK;
}
