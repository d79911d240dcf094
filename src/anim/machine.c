#include "anim/machine.h"
#include "anim/anim.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "anim/machine_weights.h"
#include "anim/mix.h"

// ------------------------------------------------------------------------------------- parameters

void lmb_machine_set(lmb_machine *m, uint32_t parameter, float value)
{
    assert(parameter < m->graph->parameter_count);
    const lmbi_parameter *p = &m->graph->parameters[parameter];
    const bool is_number = p->kind == LMBI_PARAMETER_NUMBER;
    m->targets[parameter] =
        !isfinite(value) ? 0.0f : (is_number ? value : (fabsf(value) > 0 ? 1.0f : 0.0f));
    if (!(p->smooth_s > 0)) {
        m->parameters[parameter] = m->targets[parameter];
    }
}

static void smooth_parameters(lmb_machine *m, double dt_s)
{
    for (uint32_t k = 0; k < m->graph->parameter_count; ++k) {
        const float half_life = m->graph->parameters[k].smooth_s;
        if (half_life > 0) {
            double x = (double)(m->parameters[k] - m->targets[k]), v = (double)m->velocities[k];
            lmbi_spring_step(&x, &v, (double)half_life, dt_s);
            m->parameters[k] = m->targets[k] + (float)x;
            m->velocities[k] = (float)v;
        }
    }
}

// ------------------------------------------------------------------------------------ transitions

/// Linear extrapolation to one step before `now`: 2 now - after.
static void extrapolate_back(const lmb_transform *now, const lmb_transform *after, uint32_t count,
                             lmb_transform *out)
{
    for (uint32_t j = 0; j < count; ++j) {
        out[j].translation =
            lmb_vec3_sub(lmb_vec3_scale(now[j].translation, 2), after[j].translation);
        out[j].scale = lmb_vec3_sub(lmb_vec3_scale(now[j].scale, 2), after[j].scale);
        const lmb_quat back = lmb_quat_mul(now[j].rotation, lmb_quat_conjugate(after[j].rotation));
        out[j].rotation = lmb_quat_normalize(lmb_quat_mul(back, now[j].rotation));
    }
}

static float spring_half_life(const lmbi_graph_transition *t)
{
    return t->duration_s / 3; // after `duration_s` 8% of the offset is left
}

/// Inertialisation: starts the offset between the last output poses and the target, which plays
/// alone from now on.
static void start_transition(lmb_machine *m, lmbi_layer *layer, const lmbi_graph_transition *t,
                             lmbi_full_pose before_step, lmbi_full_pose after_step,
                             lmb_root_placement speed, double dt_s)
{
    static const lmb_transition_kind kinds[] = {LMB_TRANSITION_DEAD, LMB_TRANSITION_SPRING,
                                                LMB_TRANSITION_QUINTIC, LMB_TRANSITION_DEAD,
                                                LMB_TRANSITION_FROZEN};
    lmb_transform *to_before = m->poses[3].joints;
    extrapolate_back(before_step.joints, after_step.joints, m->skeleton->joint_count, to_before);
    lmb_transition_start(
        layer->transition,
        &(lmb_transition_start_job){
            .kind = kinds[t->method],
            .duration_s = t->duration_s,
            .half_life_s = t->method == LMBI_METHOD_SPRING ? spring_half_life(t) : 0,
            .from = layer->recent[0].joints,
            .from_before = layer->recent_count > 1 ? layer->recent[1].joints : NULL,
            .from_dt_s = layer->recent_dt_s,
            .to = before_step.joints,
            .to_before = to_before,
            .dt_s = (float)dt_s});
    lmbi_weights_start_transition(m, layer, before_step.weights, after_step.weights,
                                  spring_half_life(t), t->method == LMBI_METHOD_FROZEN, dt_s);
    const lmb_root_placement was =
        t->method == LMBI_METHOD_FROZEN ? (lmb_root_placement){{0, 0, 0}, 0} : layer->root_velocity;
    layer->root_velocity_offset.position = lmb_vec3_sub(was.position, speed.position);
    layer->root_velocity_offset.yaw_rad = was.yaw_rad - speed.yaw_rad;
    layer->offset_time_s = 0;
    layer->offset_duration_s = t->duration_s;
    layer->in_transition = true;
}

/// Starts the target state. Returns true when it plays alone and the offset from the last output
/// poses has to be inertialised.
static bool take_transition(lmb_machine *m, lmbi_layer *layer, const lmbi_graph_layer *graph,
                            const lmbi_transition_path *path)
{
    const lmbi_graph_transition *t = path->steps[path->count - 1];
    const lmbi_player *source = layer->is_crossfading ? &layer->next : &layer->current;
    const bool is_synced = t->sync && lmbi_player_is_synced(m, source);
    const double phase = is_synced ? source->phase : -1;
    const lmbi_state *target = lmbi_transition_enter(m, graph, path, t->to);
    const bool empty = target->motion_count == 0 || source->state->motion_count == 0;
    layer->taken = t;
    layer->time_s = 0;
    layer->synced = is_synced;
    if (layer->is_crossfading || (t->method != LMBI_METHOD_CROSSFADE && !empty)) {
        layer->is_crossfading = false;
        lmbi_player_start(m, &layer->current, target, phase);
        return t->duration_s > 0 && layer->recent_count > 0 && !empty;
    }
    lmbi_player_start(m, &layer->next, target, phase);
    layer->is_crossfading = true;
    return false;
}

// ------------------------------------------------------------------------------------------- step

static float ease(lmbi_curve curve, float s)
{
    if (curve == LMBI_CURVE_LINEAR) {
        return s;
    }
    return curve == LMBI_CURVE_SMOOTH ? s * s * (3 - 2 * s) : s * s * s * (10 + s * (6 * s - 15));
}

/// Phase increment of synchronised clips; both players of a synchronised crossfade share it.
static double phase_step(const lmb_machine *m, const lmbi_player *a, const lmbi_player *b,
                         float weight, double dt_s)
{
    double seconds = 0, weighted_speed = 0;
    lmbi_player_sum_intervals(m, a, 1 - weight, &seconds, &weighted_speed);
    if (b != NULL) {
        lmbi_player_sum_intervals(m, b, weight, &seconds, &weighted_speed);
    }
    return seconds > 0 ? dt_s * weighted_speed / seconds : 0;
}

static lmb_root_placement lerp_places(lmb_root_placement a, lmb_root_placement b, float weight)
{
    const lmb_root_placement out = {lmb_vec3_lerp(a.position, b.position, weight),
                                    a.yaw_rad + (b.yaw_rad - a.yaw_rad) * weight};
    return out;
}

static lmbi_foot_state lerp_feet(const lmb_machine *m, const lmbi_foot_state *a,
                                 const lmbi_foot_state *b, float weight)
{
    lmbi_foot_state out = *a;
    for (uint32_t k = 0; k < m->foot_count; ++k) {
        out.planted[k] += (b->planted[k] - a->planted[k]) * weight;
        out.floors[k][0] += (b->floors[k][0] - a->floors[k][0]) * weight;
        out.floors[k][1] += (b->floors[k][1] - a->floors[k][1]) * weight;
    }
    return out;
}

static lmb_root_placement per_second(lmb_root_placement moved, double dt_s)
{
    const float rate = dt_s > 0 ? (float)(1 / dt_s) : 0;
    const lmb_root_placement out = {lmb_vec3_scale(moved.position, rate), moved.yaw_rad * rate};
    return out;
}

static void add_root_velocity_offset(lmbi_layer *layer, double dt_s, lmb_root_placement *moved)
{
    const float s =
        fminf((layer->offset_time_s + 0.5f * (float)dt_s) / layer->offset_duration_s, 1);
    const float weight = (1 - ease(LMBI_CURVE_SMOOTH, s)) * (float)dt_s;
    moved->position = lmb_vec3_mad(moved->position, layer->root_velocity_offset.position, weight);
    moved->yaw_rad += layer->root_velocity_offset.yaw_rad * weight;
    layer->offset_time_s += (float)dt_s;
}

static void copy_full_pose(const lmb_machine *m, lmbi_full_pose from, lmbi_full_pose to)
{
    memcpy(to.joints, from.joints, m->skeleton->joint_count * sizeof(*to.joints));
    if (m->weight_count > 0) {
        memcpy(to.weights, from.weights, m->weight_count * sizeof(*to.weights));
    }
}

/// Blends the next state's pose into `out`, which holds the current one's, and sets `pose_weight`.
static void crossfade_pose(lmb_machine *m, lmbi_layer *layer, bool has_pose, float weight,
                           lmbi_full_pose out)
{
    const lmbi_full_pose next = m->poses[1];
    const bool has_next = lmbi_player_pose(m, &layer->next, next);
    if (has_pose && has_next) {
        const lmb_blend_layer two[2] = {{out.joints, 1 - weight, NULL},
                                        {next.joints, weight, NULL}};
        const float *const weights[2] = {out.weights, next.weights};
        lmb_blend(&(lmb_blend_job){.joint_count = m->skeleton->joint_count,
                                   .layers = two,
                                   .layer_count = 2,
                                   .out = out.joints});
        lmbi_weights_mix(m, weights, (const float[2]){1 - weight, weight}, 2, out.weights);
    } else if (has_next) {
        copy_full_pose(m, next, out);
    }
    layer->pose_weight = (has_pose ? 1 - weight : 0) + (has_next ? weight : 0);
}

static void record_pose(const lmb_machine *m, lmbi_layer *layer, lmbi_full_pose pose, double dt_s)
{
    if (dt_s > 0) {
        const lmbi_full_pose oldest = layer->recent[1];
        layer->recent[1] = layer->recent[0];
        layer->recent[0] = oldest;
        copy_full_pose(m, pose, oldest);
        layer->recent_count = layer->recent_count < 2 ? layer->recent_count + 1 : 2;
        layer->recent_dt_s = (float)dt_s;
    }
}

/// Advances the active crossfade by dt_s and returns the weight of the next state.
static float step_crossfade_weight(const lmb_machine *m, lmbi_layer *layer, double dt_s)
{
    if (!layer->is_crossfading) {
        return 0;
    }
    lmbi_player_update_weights(m, &layer->next);
    layer->time_s += (float)dt_s;
    const float all_s = layer->taken->duration_s;
    return ease(layer->taken->curve, all_s > 0 ? fminf(layer->time_s / all_s, 1) : 1);
}

/// Eases the foot floor heights from the old motion's to the new one's, as the pose does.
static void ease_floor_heights(const lmb_machine *m, lmbi_layer *layer, double dt_s)
{
    const float s = fminf((layer->offset_time_s + (float)dt_s) / layer->offset_duration_s, 1);
    const float left = 1 - ease(LMBI_CURVE_SMOOTH, s);
    for (uint32_t k = 0; k < m->foot_count; ++k) {
        for (int i = 0; i < 2; ++i) {
            float *floor = &layer->feet.floors[k][i];
            *floor += (layer->feet_before.floors[k][i] - *floor) * left;
        }
    }
}

/// Advances the playing states by dt_s. Returns the root motion.
static lmb_root_placement advance_players(lmb_machine *m, lmbi_layer *layer, float weight,
                                          double dt_s)
{
    const bool together = layer->is_crossfading && layer->synced;
    const double phases =
        phase_step(m, &layer->current, together ? &layer->next : NULL, together ? weight : 0, dt_s);
    const lmb_root_placement moved =
        lmbi_player_advance(m, &layer->current, dt_s, phases, weight < 0.5f);
    layer->feet = lmbi_player_feet(m, &layer->current);
    if (!layer->is_crossfading) {
        return moved;
    }
    const double next_phases = together ? phases : phase_step(m, &layer->next, NULL, 0, dt_s);
    const lmb_root_placement next =
        lmbi_player_advance(m, &layer->next, dt_s, next_phases, weight >= 0.5f);
    const lmbi_foot_state then = lmbi_player_feet(m, &layer->next);
    layer->feet = lerp_feet(m, &layer->feet, &then, weight);
    return lerp_places(moved, next, weight);
}

static lmb_root_placement step_layer(lmb_machine *m, uint32_t index, double dt_s,
                                     lmbi_full_pose out)
{
    lmbi_layer *layer = &m->layers[index];
    const lmbi_graph_layer *graph = &m->graph->layers[index];
    lmbi_transition_path path = {0};
    const bool takes = lmbi_transition_choose(m, graph, layer, &path);
    const lmbi_foot_state feet_before = layer->feet;
    const bool starts_transition = takes && take_transition(m, layer, graph, &path);
    lmbi_player_update_weights(m, &layer->current);
    if (starts_transition) {
        lmbi_player_pose(m, &layer->current, m->poses[2]);
    }
    const float weight = step_crossfade_weight(m, layer, dt_s);
    lmb_root_placement moved = advance_players(m, layer, weight, dt_s);
    const bool has_pose = lmbi_player_pose(m, &layer->current, out);
    layer->pose_weight = has_pose ? 1 : 0;
    if (starts_transition) {
        start_transition(m, layer, path.steps[path.count - 1], m->poses[2], out,
                         per_second(moved, dt_s), dt_s);
        layer->feet_before = feet_before;
    }
    if (layer->in_transition) {
        ease_floor_heights(m, layer, dt_s);
    }
    if (layer->in_transition && has_pose) {
        add_root_velocity_offset(layer, dt_s, &moved);
        layer->in_transition = lmb_transition_step(layer->transition, (float)dt_s, out.joints);
    }
    if (has_pose) {
        lmbi_weights_step_transition(m, layer, dt_s, out.weights);
    }
    if (layer->is_crossfading) {
        crossfade_pose(m, layer, has_pose, weight, out);
        if (layer->time_s >= layer->taken->duration_s) {
            layer->current = layer->next;
            layer->is_crossfading = layer->in_transition = layer->weights_in_transition = false;
        }
    }
    layer->root_velocity = dt_s > 0 ? per_second(moved, dt_s) : layer->root_velocity;
    if (layer->pose_weight > 0) {
        record_pose(m, layer, out, dt_s);
    }
    return moved;
}

static void apply_layer(lmb_machine *m, uint32_t index, lmbi_full_pose over, lmbi_full_pose out)
{
    const lmbi_graph_layer *graph = &m->graph->layers[index];
    const lmbi_layer *layer = &m->layers[index];
    float weight = graph->weight * layer->pose_weight;
    weight *= graph->weight_parameter != LMB_NONE ? m->parameters[graph->weight_parameter] : 1.0f;
    weight = fmaxf(0, fminf(weight, 1));
    if (!(weight > 0)) {
        return;
    }
    const lmb_transform *reference = layer->reference.joints;
    if (graph->additive) {
        lmb_pose_difference(
            &(lmb_pose_difference_job){.joint_count = m->skeleton->joint_count,
                                       .base = reference,
                                       .pose = over.joints,
                                       .out = over.joints,
                                       .skeleton = graph->model_space ? m->skeleton : NULL,
                                       .scratch = m->rotations});
    }
    lmb_overlay(&(lmb_overlay_job){.skeleton = m->skeleton,
                                   .over = over.joints,
                                   .weight = weight,
                                   .mask = layer->mask,
                                   .additive = graph->additive,
                                   .model_space = graph->model_space,
                                   .scratch = m->rotations,
                                   .pose = out.joints});
    lmbi_weights_overlay(m, layer, graph->additive, weight, over.weights, out.weights);
}

void lmb_machine_step(lmb_machine *m, double dt_s, lmb_transform *pose, lmb_root_placement *moved)
{
    assert(dt_s >= 0);
    const lmbi_full_pose out = {pose, m->weights};
    m->event_count = 0;
    smooth_parameters(m, dt_s);
    memcpy(pose, m->skeleton->rest, m->skeleton->joint_count * sizeof(*pose));
    if (m->weight_count > 0) {
        memcpy(m->weights, m->rest_weights, m->weight_count * sizeof(float));
    }
    const lmb_root_placement base = step_layer(m, 0, dt_s, out);
    if (moved != NULL) {
        *moved = base;
    }
    for (uint32_t l = 1; l < m->graph->layer_count; ++l) {
        step_layer(m, l, dt_s, m->poses[0]);
        apply_layer(m, l, m->poses[0], out);
    }
}

lmb_machine_info lmb_machine_describe(const lmb_machine *m)
{
    lmb_machine_info info = {.root = lmbi_player_place(m, &m->layers[0].current),
                             .parameters = m->parameters,
                             .weights = m->weights,
                             .foot_count = m->foot_count,
                             .layer_count = m->graph->layer_count,
                             .event_count = m->event_count,
                             .planted = m->layers[0].feet.planted,
                             .floors = m->layers[0].feet.floors[0],
                             .events = m->events};
    for (uint32_t l = 0; l < info.layer_count; ++l) {
        const lmbi_layer *layer = &m->layers[l];
        info.states[l] = layer->current.state->name;
        info.next_states[l] = layer->is_crossfading ? layer->next.state->name : NULL;
    }
    return info;
}
