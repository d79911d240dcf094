/// Bakes layers of clips, or a state machine, to a clip.
#include "author/blend_bake.h"

#include <string.h>

#include "base/error.h"

// -------------------------------------------------------------------------------------- a machine

static void apply_settings(lmb_machine *machine, const lmb_blend_machine *with, bool *done,
                           double now_s)
{
    for (uint32_t k = 0; k < with->setting_count; ++k) {
        const lmb_machine_setting *setting = &with->settings[k];
        if (!done[k] && setting->time_s <= now_s + 1e-9) {
            lmb_machine_set(machine, setting->parameter, setting->value);
            done[k] = true;
        }
    }
}

static void store_frame(lmbi_blend_bake *b, uint32_t frame, const lmb_machine_info *info)
{
    lmbi_foot_state *contacts = &b->contacts[frame];
    memcpy(contacts->planted, info->planted, info->foot_count * sizeof(float));
    memcpy(contacts->floors[0], info->floors, 2 * info->foot_count * sizeof(float));
    if (b->weight_count > 0) {
        memcpy(b->weights + (size_t)frame * b->weight_count, info->weights,
               b->weight_count * sizeof(float));
    }
}

static void record(lmbi_blend_bake *b, lmb_machine *machine, bool *done)
{
    const lmb_blend_machine *with = b->opts->machine;
    const lmb_skeleton *skeleton = b->character->skeleton;
    lmb_root_placement root = {{0, 0, 0}, 0}, in_place = root;
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        lmb_transform *pose = b->poses + (size_t)f * skeleton->joint_count;
        lmb_root_placement moved;
        // A step leads from the previous frame to this one: settings of that frame apply to it.
        const double from_s = f > 0 ? (f - 1) / b->rate_hz : 0;
        apply_settings(machine, with, done, from_s);
        lmb_machine_step(machine, f > 0 ? 1 / b->rate_hz : 0, pose, &moved);
        const lmb_machine_info info = lmb_machine_describe(machine);
        store_frame(b, f, &info);
        // It begins where the clips do, with their heading.
        root = f > 0 ? lmb_root_placement_mul(root, moved) : info.root;
        in_place.yaw_rad = f > 0 ? in_place.yaw_rad : root.yaw_rad;
        if (b->stance.root != LMB_NONE) {
            lmb_pose_apply_root(skeleton, (uint32_t)b->stance.root,
                                b->opts->in_place ? in_place : root, pose);
        }
        if (with->on_step != NULL) {
            with->on_step(with->user, &info, from_s, f / b->rate_hz);
        }
    }
}

static lmb_result play_machine(lmbi_blend_bake *b, lmb_error *error)
{
    const lmb_blend_machine *with = b->opts->machine;
    const lmb_machine_def def = {.graph = with->graph,
                                 .skeleton = b->character->skeleton,
                                 .clips = with->clips,
                                 .clip_count = with->clip_count,
                                 .packed = with->packed,
                                 .packed_count = with->packed_count,
                                 .root = b->stance.root,
                                 .left_foot = b->stance.left_foot,
                                 .right_foot = b->stance.right_foot,
                                 .foot_count = b->stance.leg_count,
                                 .feet = b->stance.feet,
                                 .weight_first = b->weight_first,
                                 .rest_weights = b->rest_weights};
    lmb_machine *machine = NULL;
    bool *done = lmbi_arena_array(&b->arena, with->setting_count, sizeof *done);
    lmb_result result = done != NULL ? lmb_machine_create(&def, b->alloc, &machine, error)
                                     : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = lmbi_blend_frames_create(b, b->opts->seconds > 0 ? b->opts->seconds : 10, error);
    }
    if (result == LMB_OK) {
        record(b, machine, done);
    }
    lmb_machine_destroy(machine);
    return result;
}

// -------------------------------------------------------------------------------------------- all

static lmb_result start(lmbi_blend_bake *b, lmb_error *error)
{
    const lmb_character *c = b->character;
    const lmb_blend_bake_opts *opts = b->opts;
    b->rate_hz = opts->rate_hz > 0 ? opts->rate_hz : 60;
    if ((opts->machine != NULL) == (opts->layer_count > 0)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "layers or a machine", "%s",
                         opts->machine != NULL ? "both" : "neither");
    }
    if (!(b->rate_hz <= 480)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "up to 480 frames a second", "%g", b->rate_hz);
    }
    b->weight_first =
        lmbi_arena_array(&b->arena, (size_t)c->skeleton->joint_count + 1, sizeof(uint32_t));
    if (b->weight_first == NULL) {
        return lmbi_fail_memory(error);
    }
    b->weight_count = lmb_character_weights(c, b->weight_first, NULL);
    b->rest_weights = lmbi_arena_array(&b->arena, b->weight_count, sizeof(float));
    if (b->rest_weights == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_character_weights(c, b->weight_first, b->rest_weights);
    const lmb_result result = lmb_stance_find(c, b->alloc, &b->stance, error);
    b->stance.root = opts->no_root ? LMB_NONE : b->stance.root;
    return result;
}

lmb_result lmb_blend_bake(const lmb_character *character, const lmb_blend_bake_opts *opts,
                          const lmb_allocator *alloc, lmb_clip **out, lmb_blend_bake_report *report,
                          lmb_error *error)
{
    lmbi_blend_bake bake = {.character = character, .opts = opts, .alloc = alloc};
    lmb_blend_bake_report made = {0};
    lmbi_arena_init(&bake.arena, alloc);
    lmb_result result = start(&bake, error);
    if (result == LMB_OK) {
        result = opts->machine != NULL ? play_machine(&bake, error)
                                       : lmbi_blend_layers_play(&bake, error);
    }
    made.frame_count = bake.frame_count;
    made.holds_feet =
        bake.stance.leg_count > 0 && !opts->no_lock && !opts->in_place && !bake.is_as_recorded;
    if (result == LMB_OK && made.holds_feet) {
        result = lmbi_blend_frames_hold(&bake, &made.held_count, error);
    }
    if (result == LMB_OK) {
        result = lmbi_blend_frames_clip(&bake, out, error);
    }
    if (result == LMB_OK && report != NULL) {
        *report = made;
    }
    lmbi_arena_free(&bake.arena);
    return result;
}
