/// Embeds a human: the likeliest candidate of the whole mesh or of its main body, the limbs that a network sees, or the
/// pieces as blocks, with a confidence and with fingers.
#include "base/error.h"
#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// An embedding with less confidence than that of a figure of blocks is compared with one.
static const float BLOCKS = 0.65f;

/// Up to this confidence the main body is tried too: the figure is doubtful, or leaves much uncovered.
/// Where one hand holds something it is tried first, and the whole mesh unless it is SURE.
static const float VAGUE = 0.5f, SURE = 0.65f;

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
    result =
        lmbi_human_embed_readings(&input->whole, opts, &landmarks, readings, out, &best, error);
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

static void try_figure(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                       const lmbi_landmarks *landmarks, lmbi_readings *readings, lmbi_attempt *out,
                       lmb_error *error)
{
    out->mesh = cache->mesh;
    out->result =
        lmbi_human_embed_readings(cache, opts, landmarks, readings, &out->made, &out->best, error);
    if (out->result == LMB_OK) {
        lmb_embedding doubted = out->made;
        lmbi_doubt_uncovered(cache->mesh, &doubted);
        out->overall = doubted.overall;
    }
}

static bool exceeds(const lmbi_attempt *a, float confidence)
{
    return a->result == LMB_OK && a->overall > confidence;
}

static void try_main_body(lmbi_voxel_cache *body, const lmb_embed_opts *opts,
                          const lmbi_landmarks *landmarks, const lmbi_readings *readings,
                          lmbi_attempt *out)
{
    lmbi_readings own;
    out->result = body ? lmbi_readings_find(body, opts, &own, NULL) : LMB_ERROR_UNSUPPORTED;
    if (out->result == LMB_OK) {
        own.seen = readings->seen;
        try_figure(body, opts, landmarks, &own, out, NULL);
    }
}

/// The figure of the main body where one hand holds what that leaves out, else of the whole mesh. If
/// it is doubtful, or none, the likelier of both: a floor or a prop may have been taken for limbs. If
/// there is none, keeps the error of the whole.
static void find_figure(lmbi_embed_input *input, const lmb_embed_opts *opts,
                        const lmbi_landmarks *landmarks, lmbi_readings *readings, lmbi_attempt *out,
                        lmb_error *error)
{
    lmbi_voxel_cache *body;
    lmbi_attempt alone = {.result = LMB_ERROR_UNSUPPORTED};
    *out = alone;
    out->result = lmbi_embed_input_main_body(input, readings, &body, error);
    if (out->result != LMB_OK) {
        return;
    }
    const bool holds = body && input->holds && !landmarks;
    if (holds) {
        try_main_body(body, opts, landmarks, readings, &alone);
    }
    if (!exceeds(&alone, SURE)) {
        try_figure(&input->whole, opts, landmarks, readings, out, error);
    }
    if (!exceeds(out, VAGUE) && !holds) {
        try_main_body(body, opts, landmarks, readings, &alone);
    }
    if (alone.result == LMB_OK && !exceeds(out, alone.overall)) {
        *out = alone;
    }
    if (alone.result == LMB_ERROR_MEMORY) {
        out->result = lmbi_fail_memory(error);
    }
}

/// Says how to turn a doubtful figure round, if one that faces the other way is likely enough.
static void name_other_facing(float facing, lmb_embedding *e)
{
    const float unsure = 0.7f, likely = 0.17f;
    if (e->overall >= unsure || 1 - facing < likely) {
        return;
    }
    static const char *const axes[3][2] = {{"x", "-x"}, {"y", "-y"}, {"z", "-z"}};
    const float v[3] = {-e->forward.x, -e->forward.y, -e->forward.z};
    const int along = fabsf(v[0]) > fabsf(v[1]) ? (fabsf(v[0]) > fabsf(v[2]) ? 0 : 2)
                                                : (fabsf(v[1]) > fabsf(v[2]) ? 1 : 2);
    const size_t used = strlen(e->summary);
    snprintf(e->summary + used, sizeof e->summary - used,
             "; if it looks the other way: --facing %s", axes[along][v[along] < 0]);
}

lmb_result lmbi_embed_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                            lmbi_readings *readings, lmb_embedding *out, lmb_error *error)
{
    const lmbi_landmarks landmarks = lmbi_landmarks_read(opts->markers, opts->marker_count);
    const bool marked = landmarks.count > 0;
    lmbi_attempt figure;
    lmbi_seen_figure seen;
    if (!marked) {
        const lmb_result looked = lmbi_see_human(input, opts, readings, &seen);
        if (looked == LMB_ERROR_MEMORY) {
            return lmbi_fail_memory(error);
        }
        readings->seen = looked == LMB_OK ? &seen : NULL;
    }
    find_figure(input, opts, marked ? &landmarks : NULL, readings, &figure, error);
    if (readings->seen && figure.result != LMB_ERROR_MEMORY &&
        lmbi_weigh_seen(input, opts, readings, &figure) != LMB_OK) {
        figure.result = lmbi_fail_memory(error);
    }
    readings->seen = NULL;
    const bool found = figure.result == LMB_OK, none = figure.result == LMB_ERROR_UNSUPPORTED;
    lmb_result blocks = LMB_ERROR_UNSUPPORTED;
    if ((none || (found && figure.made.overall < BLOCKS)) && !marked) {
        blocks = embed_blocks(input, opts, readings, out, NULL);
    }
    if (blocks == LMB_ERROR_MEMORY) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = blocks == LMB_OK ? LMB_OK : figure.result;
    if (blocks != LMB_OK && found) { // blocks have no fingers
        *out = figure.made;
        name_other_facing(figure.best.facing, out);
        result = lmbi_human_add_fingers(&figure.best, out, error);
    }
    if (result == LMB_OK && opts->marker_count == 0 && opts->kind == LMB_SKELETON_AUTO) {
        lmbi_doubt_uncovered(blocks == LMB_OK ? &input->soup : figure.mesh, out);
    }
    return result;
}
