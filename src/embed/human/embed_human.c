/// Embeds a humanoid: from the whole mesh, its main body, its pieces as blocks, or along another up
/// axis.
#include "base/error.h"
#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>

/// An embedding with less confidence than that of a figure of blocks is compared with one.
static const float BLOCKS = 0.65f;
/// Up to this chance the main body is tried too: the figure is doubtful, or leaves much uncovered.
static const float VAGUE = 0.5f;

/// Pieces of the mesh can show a figure whose solid has no separate limbs.
static lmb_result embed_blocks(lmbi_embed_input *input, const lmb_embed_opts *opts,
                               lmbi_readings *readings, lmb_embedding *out, lmb_error *error)
{
    lmbi_landmarks landmarks;
    bool found = false;
    lmb_result result = LMB_OK;
    if (opts->marker_count == 0) {
        result =
            lmbi_block_figure_find(&input->soup, opts->up, input->alloc, &found, &landmarks, error);
    }
    if (result != LMB_OK || !found) {
        return result != LMB_OK ? result
                                : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a figure of blocks",
                                            "pieces that form none");
    }
    lmbi_human_candidate best;
    result = lmbi_human_embed_readings(&input->whole, opts, &landmarks, readings, LMBI_EFFORT_USUAL,
                                       out, &best, error);
    if (result == LMB_OK) {
        for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
            out->joints[j] = landmarks.joint[j].set ? landmarks.joint[j].at : out->joints[j];
            out->confidence[j] = fminf(out->confidence[j], BLOCKS);
            out->reason[j] =
                landmarks.joint[j].set ? "a usual fraction of a piece of the mesh" : out->reason[j];
        }
        out->overall = BLOCKS;
        snprintf(out->summary, sizeof out->summary,
                 "a figure of blocks; limbs by the pieces of the mesh; its facing is guessed");
    }
    return result;
}

/// The figure of the whole mesh or, where a floor or a loose prop was taken for limbs, of its main
/// body. If that is no figure either, keeps the error of the whole.
static lmb_result embed_figure(lmbi_embed_input *input, const lmb_embed_opts *opts,
                               const lmbi_landmarks *landmarks, lmbi_readings *readings,
                               lmb_embedding *out, lmbi_human_candidate *best, lmb_error *error)
{
    lmb_result result = lmbi_human_embed_readings(&input->whole, opts, landmarks, readings,
                                                  LMBI_EFFORT_USUAL, out, best, error);
    float chance = 0;
    if (result == LMB_OK) {
        lmb_embedding doubted = *out;
        lmbi_doubt_uncovered(&input->soup, &doubted);
        chance = doubted.overall;
    }
    if (result != LMB_ERROR_UNSUPPORTED && (result != LMB_OK || chance > VAGUE)) {
        return result;
    }
    lmbi_voxel_cache *body = NULL;
    lmbi_readings own;
    lmb_embedding made;
    lmbi_human_candidate own_best;
    lmb_result alone = lmbi_embed_input_main_body(input, &body, NULL);
    if (alone == LMB_OK && body) {
        alone = lmbi_readings_find(body, opts, &own, NULL);
        if (alone == LMB_OK) {
            alone = lmbi_human_embed_readings(body, opts, landmarks, &own, LMBI_EFFORT_FEW, &made,
                                              &own_best, NULL);
        }
        if (alone == LMB_OK && (result != LMB_OK || made.overall > chance)) {
            *out = made;
            *best = own_best;
            result = LMB_OK;
        }
    }
    return alone == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : result;
}

lmb_result lmbi_embed_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                            lmbi_readings *readings, lmb_embedding *out, lmb_error *error)
{
    const lmbi_landmarks landmarks = lmbi_landmarks_read(opts->markers, opts->marker_count);
    const bool marked = landmarks.count > 0;
    lmbi_human_candidate best;
    const lmb_result result =
        embed_figure(input, opts, marked ? &landmarks : NULL, readings, out, &best, error);
    const bool doubtful =
        result == LMB_ERROR_UNSUPPORTED || (result == LMB_OK && out->overall < BLOCKS);
    if (doubtful && !marked) {
        lmb_embedding blocks;
        const lmb_result block_result = embed_blocks(input, opts, readings, &blocks, NULL);
        if (block_result == LMB_ERROR_MEMORY) {
            return lmbi_fail_memory(error);
        }
        if (block_result == LMB_OK) {
            *out = blocks;
            return LMB_OK; // blocks have no fingers
        }
    }
    return result == LMB_OK ? lmbi_human_add_fingers(&best, out, error) : result;
}
