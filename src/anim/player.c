#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/machine.h"
#include "anim/machine_weights.h"

static const lmbi_clip_source *source_of(const lmb_machine *m, const lmbi_state *state,
                                         uint32_t motion)
{
    return &m->sources[state->clips[motion]];
}

static float speed_of(const lmb_machine *m, const lmbi_state *state)
{
    return state->speed *
           (state->speed_parameter != LMB_NONE ? m->parameters[state->speed_parameter] : 1.0f);
}

static bool is_synced(const lmb_machine *m, const lmbi_state *state, uint32_t motion)
{
    return state->sync && source_of(m, state, motion)->stride->mark_count > 0;
}

void lmbi_player_update_weights(const lmb_machine *m, lmbi_player *player)
{
    const lmbi_state *state = player->state;
    player->heaviest = 0;
    if (state->space == NULL) {
        player->weights[0] = 1;
        return;
    }
    const lmb_vec2 at = {m->parameters[state->axes[0]],
                         state->axes[1] != LMB_NONE ? m->parameters[state->axes[1]] : 0};
    lmbi_blend_space_weights(state->space, at, player->weights);
    for (uint32_t i = 1; i < state->motion_count; ++i) {
        player->heaviest =
            player->weights[i] > player->weights[player->heaviest] ? i : player->heaviest;
    }
}

bool lmbi_player_is_synced(const lmb_machine *m, const lmbi_player *player)
{
    for (uint32_t i = 0; i < player->state->motion_count; ++i) {
        if (is_synced(m, player->state, i)) {
            return true;
        }
    }
    return false;
}

void lmbi_player_start(lmb_machine *m, lmbi_player *player, const lmbi_state *state, double phase)
{
    memset(player, 0, sizeof(*player));
    player->state = state;
    if (state->motion_count == 0) {
        return;
    }
    lmbi_player_update_weights(m, player);
    const bool backwards = speed_of(m, state) < 0;
    for (uint32_t i = 0; i < state->motion_count; ++i) {
        const lmbi_clip_source *source = source_of(m, state, i);
        player->times_s[i] = backwards && state->mode == LMB_PLAY_CLAMP ? source->duration_s : 0;
    }
    if (is_synced(m, state, player->heaviest)) {
        player->phase = phase >= 0
                            ? phase
                            : lmbi_stride_phase(source_of(m, state, player->heaviest)->stride, 0);
    }
    for (uint32_t i = 0; i < state->motion_count; ++i) {
        if (is_synced(m, state, i)) {
            const lmbi_clip_source *source = source_of(m, state, i);
            player->times_s[i] = lmb_time_in(lmbi_stride_time(source->stride, player->phase),
                                             source->duration_s, LMB_PLAY_LOOP);
        }
    }
}

void lmbi_player_sum_intervals(const lmb_machine *m, const lmbi_player *player, float blend_weight,
                               double *seconds, double *weighted_speed)
{
    const float speed = speed_of(m, player->state);
    for (uint32_t i = 0; i < player->state->motion_count; ++i) {
        if (is_synced(m, player->state, i)) {
            const double part = (double)(blend_weight * player->weights[i]);
            *seconds +=
                part * lmbi_stride_interval(source_of(m, player->state, i)->stride, player->phase);
            *weighted_speed += part * (double)speed;
        }
    }
}

static void fire_events(lmb_machine *m, const lmbi_player *player, double from, double to)
{
    const lmbi_graph_clip *clip = &m->graph->clips[player->state->clips[player->heaviest]];
    const double d = m->sources[player->state->clips[player->heaviest]].duration_s;
    const lmb_play_mode mode = player->state->mode;
    const double *times = clip->event_times_s;
    const uint32_t count = clip->event_count;
    uint32_t fired[LMBI_MAX_FIRED_EVENTS];
    lmbi_event_search list = {times, count, fired, 0, LMBI_MAX_FIRED_EVENTS - m->event_count};
    const double from_in = lmb_time_in(from, d, mode), to_in = lmb_time_in(to, d, mode);
    const bool first = !(player->progress > 0 || player->progress < 0);
    if (mode == LMB_PLAY_LOOP && d > 0) {
        const double wraps = fabs(round((to - to_in) / d) - round((from - from_in) / d));
        lmbi_events_looped(&list, d, from_in, to_in, wraps < 1e6 ? (uint32_t)wraps : 1000000u,
                           to < from, first);
    } else if (mode == LMB_PLAY_PING_PONG && d > 0) {
        lmb_timer timer = {.time_s = from_in, .duration_s = d, .mode = mode, .backwards = from > d};
        list.count =
            lmb_timer_step_events(&timer, to - from, times, count, first, fired, list.capacity);
    } else {
        lmbi_events_between(&list, from_in, to_in, first);
    }
    for (uint32_t k = 0; k < list.count; ++k) {
        m->events[m->event_count++] = (lmb_machine_event){clip->event_names[fired[k]], clip->name};
    }
}

/// Wraps a clip time so that precision lasts for hours; ping-pong wraps over both directions.
static double wrap_time(double time_s, double duration_s, lmb_play_mode mode)
{
    return mode == LMB_PLAY_PING_PONG ? lmb_time_in(time_s, 2 * duration_s, LMB_PLAY_LOOP)
                                      : lmb_time_in(time_s, duration_s, mode);
}

lmb_root_placement lmbi_player_advance(lmb_machine *m, lmbi_player *player, double dt_s,
                                       double phases, bool fires_events)
{
    const lmbi_state *state = player->state;
    const double step = dt_s * (double)speed_of(m, state);
    lmb_root_placement moved = {{0, 0, 0}, 0};
    player->progress_before = player->progress;
    for (uint32_t i = 0; i < state->motion_count; ++i) {
        const lmbi_clip_source *source = source_of(m, state, i);
        const bool synced = is_synced(m, state, i);
        const double from =
            synced ? lmbi_stride_time(source->stride, player->phase) : player->times_s[i];
        const double to =
            synced ? lmbi_stride_time(source->stride, player->phase + phases) : from + step;
        if (source->track != NULL && player->weights[i] > 0) {
            const lmb_root_placement part =
                lmb_root_track_between(source->track, from, to, state->mode);
            moved.position = lmb_vec3_mad(moved.position, part.position, player->weights[i]);
            moved.yaw_rad += part.yaw_rad * player->weights[i];
        }
        if (i == player->heaviest) {
            if (fires_events) {
                fire_events(m, player, from, to);
            }
            player->progress += source->duration_s > 0 ? fabs(to - from) / source->duration_s : 1;
        }
        player->times_s[i] = wrap_time(to, source->duration_s, state->mode);
    }
    player->phase = lmb_time_in(player->phase + phases, m->phase_period, LMB_PLAY_LOOP);
    return moved;
}

bool lmbi_player_pose(lmb_machine *m, const lmbi_player *player, lmbi_full_pose out)
{
    const lmbi_state *state = player->state;
    lmb_blend_layer layers[3];
    const float *weights[3];
    float mix_weights[3];
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->motion_count && count < 3; ++i) {
        if (!(player->weights[i] > 0)) {
            continue;
        }
        const lmbi_clip_source *source = source_of(m, state, i);
        const lmbi_full_pose sample = m->samples[count];
        lmbi_source_pose(m, source, player->times_s[i], state->mode, sample);
        if (source->track != NULL) {
            const double time_s = lmb_time_in(player->times_s[i], source->duration_s, state->mode);
            lmbi_pose_extract_root(m->skeleton, source->track->joint,
                                   lmbi_root_track_at(source->track, time_s), sample.joints);
        }
        weights[count] = sample.weights;
        mix_weights[count] = player->weights[i];
        layers[count++] = (lmb_blend_layer){sample.joints, player->weights[i], NULL};
    }
    if (count > 0) {
        lmb_blend(&(lmb_blend_job){.joint_count = m->skeleton->joint_count,
                                   .layers = layers,
                                   .layer_count = count,
                                   .out = out.joints});
        lmbi_weights_mix(m, weights, mix_weights, count, out.weights);
    }
    return count > 0;
}

lmb_root_placement lmbi_player_place(const lmb_machine *m, const lmbi_player *player)
{
    const lmbi_state *state = player->state;
    lmb_root_placement out = {{0, 0, 0}, 0};
    float nearest_to = 0;
    for (uint32_t pass = 0; pass < 2; ++pass) { // the heaviest first
        for (uint32_t i = 0; i < state->motion_count; ++i) {
            const lmbi_clip_source *source = source_of(m, state, i);
            if (source->track == NULL || (pass == 0) != (i == player->heaviest)) {
                continue;
            }
            const double time_s = lmb_time_in(player->times_s[i], source->duration_s, state->mode);
            lmb_root_placement at = lmbi_root_track_at(source->track, time_s);
            nearest_to = pass == 0 ? at.yaw_rad : nearest_to;
            at.yaw_rad -= roundf((at.yaw_rad - nearest_to) / (2 * LMB_PI)) * (2 * LMB_PI);
            out.position = lmb_vec3_mad(out.position, at.position, player->weights[i]);
            out.yaw_rad += at.yaw_rad * player->weights[i];
        }
    }
    return out;
}

lmbi_foot_state lmbi_player_feet(const lmb_machine *m, const lmbi_player *player)
{
    const lmbi_state *state = player->state;
    lmbi_foot_state out = {0};
    for (uint32_t i = 0; i < state->motion_count; ++i) {
        const lmbi_clip_source *source = source_of(m, state, i);
        const double time_s = lmb_time_in(player->times_s[i], source->duration_s, state->mode);
        const float weight = player->weights[i];
        for (uint32_t k = 0; k < m->foot_count; ++k) {
            out.planted[k] += weight * lmbi_clip_contacts_at(source->contacts[k], time_s);
            out.floors[k][0] += weight * source->contacts[k]->floor;
            out.floors[k][1] += weight * source->tip_floors[k];
        }
    }
    return out;
}
