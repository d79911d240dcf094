/// A humanoid from triangles: from the whole mesh, from its body alone, from its pieces, or lying.
#include "base/error.h"
#include "embed/human/blocks.h"
#include "embed/human/figure_embed.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>

/// A reading less sure than this is weighed against the pieces of the mesh, and how sure these are.
static const float DOUBTED = 0.5f, BLOCKS = 0.65f;

/// What the solid does not tell the pieces may: a figure of blocks that touch.
static lmb_result embed_blocks(lmbi_subject *subject, const lmb_embed_opts *opts,
                               lmb_embedding *out, lmb_error *error)
{
    lmbi_marks marks;
    bool found = false;
    lmb_result result = LMB_OK;
    if (opts->marker_count == 0) {
        result = lmbi_blocks_read(&subject->soup, opts->up, subject->alloc, &found, &marks, error);
    }
    if (result != LMB_OK || !found) {
        return result != LMB_OK
                   ? result
                   : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a figure of blocks", "other pieces");
    }
    result = lmbi_figure_embed(&subject->whole, opts, &marks, 0, out, error);
    if (result == LMB_OK) {
        out->joint_count = LMB_BODY_JOINTS; // blocks have no fingers that could move a wrist
        for (uint32_t j = 0; j < LMB_BODY_JOINTS; ++j) {
            out->joints[j] = marks.joint[j].set ? marks.joint[j].at : out->joints[j];
            out->confidence[j] = fminf(out->confidence[j], BLOCKS);
            out->reason[j] =
                marks.joint[j].set ? "a usual share of a piece of the mesh" : out->reason[j];
        }
        out->overall = BLOCKS;
        snprintf(out->summary, sizeof out->summary,
                 "a figure of blocks; limbs by the pieces of the mesh; where it looks is guessed");
    }
    return result;
}

lmb_result lmbi_embed_human(lmbi_subject *subject, const lmb_embed_opts *opts, lmb_embedding *out,
                            lmb_error *error)
{
    const lmbi_marks marks = lmbi_marks_read(opts->markers, opts->marker_count);
    lmb_result result = lmbi_figure_embed(&subject->whole, opts, &marks, 0, out, error);
    if (result == LMB_ERROR_UNSUPPORTED) {
        // A floor or a loose prop may have been read as limbs. What was said of the whole stands
        // when its body is no figure either.
        lmbi_looks *body;
        const lmb_result parted = lmbi_subject_alone(subject, &body, NULL);
        const lmb_result alone = parted == LMB_OK && body
                                     ? lmbi_figure_embed(body, opts, &marks, 0, out, NULL)
                                 : parted != LMB_OK ? parted
                                                    : result;
        result = alone == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : alone;
    }
    if (result == LMB_ERROR_UNSUPPORTED || (result == LMB_OK && out->overall < DOUBTED)) {
        lmb_embedding blocks;
        const lmb_result read = embed_blocks(subject, opts, &blocks, NULL);
        if (read == LMB_ERROR_MEMORY) {
            return lmbi_fail_memory(error);
        }
        if (read == LMB_OK) {
            *out = blocks;
            return LMB_OK;
        }
    }
    return result;
}

lmb_result lmbi_embed_posed(lmbi_subject *subject, const lmb_embed_opts *opts, lmb_embedding *out,
                            lmb_error *error)
{
    const lmbi_marks marks = lmbi_marks_read(opts->markers, opts->marker_count);
    subject->whole.posed = true;
    const lmb_result result = lmbi_figure_embed(&subject->whole, opts, &marks, 0, out, error);
    subject->whole.posed = false;
    return result;
}

/// Axes of the mesh that may be up, seen without a preference, those first along which its ends
/// make the best figures. How many there are.
static int rank_ups(const lmbi_look *look, lmb_vec3 out[6])
{
    static const lmb_vec3 ups[6] = {{0, 1, 0},  {0, 0, 1},  {1, 0, 0},
                                    {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    float costs[6];
    int count = 0;
    for (int u = 0; u < 6; ++u) {
        const lmbi_stance_opts opts = {.up = ups[u]};
        lmbi_stance stance;
        if (!lmbi_stance_find(&look->body, look->tips, look->tip_count, &opts, &stance) ||
            stance.armless || stance.cost > LMBI_FIGURE_REFUSED) {
            continue;
        }
        int at = count++;
        for (; at > 0 && costs[at - 1] > stance.cost; --at) {
            costs[at] = costs[at - 1];
            out[at] = out[at - 1];
        }
        costs[at] = stance.cost;
        out[at] = ups[u];
    }
    return count;
}

lmb_result lmbi_embed_lying(lmbi_subject *subject, const lmb_embed_opts *opts, float least,
                            lmb_embedding *out, lmb_error *error)
{
    enum { TRIES = 3 };
    const lmbi_marks marks = lmbi_marks_read(opts->markers, opts->marker_count);
    const lmbi_look *look;
    lmb_result result = lmbi_looks_take(&subject->whole, LMBI_COARSE, &look, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_vec3 ups[6];
    const int count = rank_ups(look, ups);
    bool any = false;
    for (int u = 0; u < count && u < TRIES; ++u) {
        if (lmb_vec3_dot(ups[u], subject->whole.stood) > 0.5f) {
            continue; // how it was read first
        }
        lmb_embed_opts told = *opts;
        told.up = ups[u];
        lmb_embedding made;
        result = lmbi_figure_embed(&subject->whole, &told, &marks, least, &made, error);
        if (result == LMB_OK) {
            *out = made;
            least = made.overall;
            any = true;
        } else if (result != LMB_ERROR_UNSUPPORTED) {
            return result;
        }
    }
    return any ? LMB_OK : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a figure", "another body");
}
