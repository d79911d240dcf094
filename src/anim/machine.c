#include "anim/machine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "anim/mix.h"

// ------------------------------------------------------------------------------------- parameters

void lmb_machine_set(lmb_machine *m, uint32_t parameter, float value)
{
    assert(parameter < m->graph->parameter_count);
    const lmbi_parameter *p = &m->graph->parameters[parameter];
    const bool is_number = p->kind == LMBI_PARAMETER_NUMBER;
    m->goals[parameter] =
        !isfinite(value) ? 0.0f : (is_number ? value : (fabsf(value) > 0 ? 1.0f : 0.0f));
    if (!(p->smooth_s > 0)) {
        m->parameters[parameter] = m->goals[parameter];
    }
}

float lmb_machine_get(const lmb_machine *m, uint32_t parameter)
{
    assert(parameter < m->graph->parameter_count);
    return m->parameters[parameter];
}

static void smooth_parameters(lmb_machine *m, double dt_s)
{
    for (uint32_t k = 0; k < m->graph->parameter_count; ++k) {
        const float half_life = m->graph->parameters[k].smooth_s;
        if (half_life > 0) {
            double x = (double)(m->parameters[k] - m->goals[k]), v = (double)m->speeds[k];
            lmb_spring_decay(&x, &v, (double)half_life, dt_s);
            m->parameters[k] = m->goals[k] + (float)x;
            m->speeds[k] = (float)v;
        }
    }
}

static void consume_triggers(lmb_machine *m, const lmbi_condition *when)
{
    for (uint32_t i = 0; i < when->count; ++i) {
        const lmbi_operation *o = &when->operations[i];
        if (o->op == LMBI_OP_PARAMETER &&
            m->graph->parameters[o->parameter].kind == LMBI_PARAMETER_TRIGGER) {
            m->parameters[o->parameter] = m->goals[o->parameter] = 0;
        }
    }
}

// ------------------------------------------------------------------------------------ transitions

/// Whether the clip passed the exit in the last step; one that plays once has passed it for good.
static bool has_passed(const lmbi_player *player, float at)
{
    const double exit = (double)at;
    if (player->state->motion_count == 0 || at < 0) {
        return true;
    }
    if (player->state->mode == LMB_PLAY_CLAMP) {
        return player->passed >= exit;
    }
    return player->passed >= exit &&
           floor(player->passed - exit) > floor(player->passed_before - exit);
}

static const lmbi_graph_transition *
find_transition(const lmb_machine *m, const lmbi_graph_layer *layer, const lmbi_player *player)
{
    const int32_t here = (int32_t)(player->state - layer->states);
    for (int pass = 0; pass < 2; ++pass) { // those from any state come first
        for (uint32_t k = 0; k < layer->transition_count; ++k) {
            const lmbi_graph_transition *t = &layer->transitions[k];
            const bool starts_here =
                pass == 0 ? t->from == LMB_NONE && (int32_t)t->to != here : t->from == here;
            if (starts_here && has_passed(player, t->exit_at) &&
                lmbi_condition_holds(&t->when, m->parameters)) {
                return t;
            }
        }
    }
    return NULL;
}

static const lmbi_graph_transition *choose(const lmb_machine *m, const lmbi_graph_layer *graph,
                                           const lmbi_layer *layer)
{
    if (!layer->crossfades) {
        return find_transition(m, graph, &layer->current);
    }
    const lmbi_graph_transition *found = NULL;
    if (layer->taken->interrupt & LMBI_INTERRUPT_SOURCE) {
        found = find_transition(m, graph, &layer->current);
        found = found != NULL && &graph->states[found->to] == layer->next.state ? NULL : found;
    }
    if (found == NULL && (layer->taken->interrupt & LMBI_INTERRUPT_TARGET)) {
        found = find_transition(m, graph, &layer->next);
    }
    return found;
}

/// 2 now - after, joint by joint: where a motion was a step ago, if it has not changed its
/// velocity.
static void reflect(const lmb_transform *now, const lmb_transform *after, uint32_t count,
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
    return t->duration_s / 3; // 8% of the offset is left after `seconds`; the rest fades
}

/// What was shown is carried over into the new state, which plays alone from now on.
static void carry_over(lmb_machine *m, lmbi_layer *layer, const lmbi_graph_transition *t,
                       const lmb_transform *before_step, const lmb_transform *after_step,
                       lmb_place speed, double dt_s)
{
    static const lmb_transition_kind kinds[] = {LMB_TRANSITION_DEAD, LMB_TRANSITION_SPRING,
                                                LMB_TRANSITION_QUINTIC, LMB_TRANSITION_DEAD,
                                                LMB_TRANSITION_FROZEN};
    lmb_transform *reflected = m->poses[3];
    reflect(before_step, after_step, m->skeleton->joint_count, reflected);
    lmb_transition_start(layer->transition,
                         &(lmb_transition_start_job){
                             .kind = kinds[t->how],
                             .duration_s = t->duration_s,
                             .half_life_s = t->how == LMBI_HOW_SPRING ? spring_half_life(t) : 0,
                             .from = layer->shown[0],
                             .from_before = layer->shown_count > 1 ? layer->shown[1] : NULL,
                             .from_dt_s = layer->shown_dt_s,
                             .to = before_step,
                             .to_before = reflected,
                             .dt_s = (float)dt_s});
    const lmb_place was = t->how == LMBI_HOW_FROZEN ? (lmb_place){{0, 0, 0}, 0} : layer->root_speed;
    layer->carried_speed.position = lmb_vec3_sub(was.position, speed.position);
    layer->carried_speed.yaw_rad = was.yaw_rad - speed.yaw_rad;
    layer->carried_s = 0;
    layer->carried_all_s = t->duration_s;
    layer->carries = true;
}

/// Takes a transition. Returns true when the target plays alone at once and what was shown is to be
/// carried over.
static bool take(lmb_machine *m, lmbi_layer *layer, const lmbi_graph_layer *graph,
                 const lmbi_graph_transition *t)
{
    const lmbi_state *target = &graph->states[t->to];
    const lmbi_player *source = layer->crossfades ? &layer->next : &layer->current;
    const bool in_step = t->sync && lmbi_player_keeps_step(m, source);
    const double phase = in_step ? source->phase : -1;
    const bool empty = target->motion_count == 0 || source->state->motion_count == 0;
    consume_triggers(m, &t->when);
    layer->taken = t;
    layer->time_s = 0;
    layer->synced = in_step;
    if (layer->crossfades || (t->how != LMBI_HOW_CROSSFADE && !empty)) {
        layer->crossfades = false;
        lmbi_player_start(m, &layer->current, target, phase);
        return t->duration_s > 0 && layer->shown_count > 0 && !empty;
    }
    lmbi_player_start(m, &layer->next, target, phase);
    layer->crossfades = true;
    return false;
}

// ------------------------------------------------------------------------------------------- step

static float curve_at(lmbi_curve curve, float s)
{
    if (curve == LMBI_CURVE_LINEAR) {
        return s;
    }
    return curve == LMBI_CURVE_SMOOTH ? s * s * (3 - 2 * s) : s * s * s * (10 + s * (6 * s - 15));
}

/// Phases that clips which keep step go on by; both players of a crossfade in step go on alike.
static double phases_of(const lmb_machine *m, const lmbi_player *a, const lmbi_player *b,
                        float share, double dt_s)
{
    double seconds = 0, weight = 0;
    lmbi_player_interval(m, a, 1 - share, &seconds, &weight);
    if (b != NULL) {
        lmbi_player_interval(m, b, share, &seconds, &weight);
    }
    return seconds > 0 ? dt_s * weight / seconds : 0;
}

static lmb_place place_mix(lmb_place a, lmb_place b, float share)
{
    const lmb_place out = {lmb_vec3_lerp(a.position, b.position, share),
                           a.yaw_rad + (b.yaw_rad - a.yaw_rad) * share};
    return out;
}

static lmb_place per_second(lmb_place moved, double dt_s)
{
    const float rate = dt_s > 0 ? (float)(1 / dt_s) : 0;
    const lmb_place out = {lmb_vec3_scale(moved.position, rate), moved.yaw_rad * rate};
    return out;
}

static void carry_root(lmbi_layer *layer, double dt_s, lmb_place *moved)
{
    const float s = fminf((layer->carried_s + 0.5f * (float)dt_s) / layer->carried_all_s, 1);
    const float share = (1 - curve_at(LMBI_CURVE_SMOOTH, s)) * (float)dt_s;
    moved->position = lmb_vec3_mad(moved->position, layer->carried_speed.position, share);
    moved->yaw_rad += layer->carried_speed.yaw_rad * share;
    layer->carried_s += (float)dt_s;
}

/// Pose of the crossfade's two states, where `pose` holds the first. How much there is of either is
/// in `presence`.
static void crossfade(lmb_machine *m, lmbi_layer *layer, bool has_pose, float share,
                      lmb_transform *pose)
{
    const bool has_next = lmbi_player_pose(m, &layer->next, m->poses[1]);
    const uint32_t joints = m->skeleton->joint_count;
    if (has_pose && has_next) {
        const lmb_blend_layer two[2] = {{pose, 1 - share, NULL}, {m->poses[1], share, NULL}};
        lmb_blend(
            &(lmb_blend_job){.joint_count = joints, .layers = two, .layer_count = 2, .out = pose});
    } else if (has_next) {
        memcpy(pose, m->poses[1], joints * sizeof(*pose));
    }
    layer->presence = (has_pose ? 1 - share : 0) + (has_next ? share : 0);
}

static void remember(const lmb_machine *m, lmbi_layer *layer, const lmb_transform *pose,
                     double dt_s)
{
    if (dt_s > 0) {
        lmb_transform *oldest = layer->shown[1];
        layer->shown[1] = layer->shown[0];
        layer->shown[0] = oldest;
        memcpy(oldest, pose, m->skeleton->joint_count * sizeof(*pose));
        layer->shown_count = layer->shown_count < 2 ? layer->shown_count + 1 : 2;
        layer->shown_dt_s = (float)dt_s;
    }
}

static lmb_place step_layer(lmb_machine *m, uint32_t index, double dt_s, lmb_transform *pose)
{
    lmbi_layer *layer = &m->layers[index];
    const lmbi_graph_layer *graph = &m->graph->layers[index];
    const lmbi_graph_transition *t = choose(m, graph, layer);
    const bool carries_over = t != NULL && take(m, layer, graph, t);
    lmbi_player_weigh(m, &layer->current);
    if (carries_over) {
        lmbi_player_pose(m, &layer->current, m->poses[2]);
    }
    float share = 0;
    if (layer->crossfades) {
        lmbi_player_weigh(m, &layer->next);
        layer->time_s += (float)dt_s;
        const float s =
            layer->taken->duration_s > 0 ? fminf(layer->time_s / layer->taken->duration_s, 1) : 1;
        share = curve_at(layer->taken->curve, s);
    }
    const bool together = layer->crossfades && layer->synced;
    const double phases =
        phases_of(m, &layer->current, together ? &layer->next : NULL, together ? share : 0, dt_s);
    lmb_place moved = lmbi_player_advance(m, &layer->current, dt_s, phases, share < 0.5f);
    if (layer->crossfades) {
        const double next_phases = together ? phases : phases_of(m, &layer->next, NULL, 0, dt_s);
        moved = place_mix(
            moved, lmbi_player_advance(m, &layer->next, dt_s, next_phases, share >= 0.5f), share);
    }
    const bool has_pose = lmbi_player_pose(m, &layer->current, pose);
    layer->presence = has_pose ? 1 : 0;
    if (carries_over) {
        carry_over(m, layer, t, m->poses[2], pose, per_second(moved, dt_s), dt_s);
    }
    if (layer->carries && has_pose) {
        carry_root(layer, dt_s, &moved);
        layer->carries = lmb_transition_step(layer->transition, (float)dt_s, pose);
    }
    if (layer->crossfades) {
        crossfade(m, layer, has_pose, share, pose);
        if (layer->time_s >= layer->taken->duration_s) {
            layer->current = layer->next;
            layer->crossfades = layer->carries = false;
        }
    }
    layer->root_speed = dt_s > 0 ? per_second(moved, dt_s) : layer->root_speed;
    if (layer->presence > 0) {
        remember(m, layer, pose, dt_s);
    }
    return moved;
}

static void lay_over(lmb_machine *m, uint32_t index, lmb_transform *over, lmb_transform *pose)
{
    const lmbi_graph_layer *graph = &m->graph->layers[index];
    const lmbi_layer *layer = &m->layers[index];
    float weight = graph->weight * layer->presence;
    weight *= graph->weight_parameter != LMB_NONE ? m->parameters[graph->weight_parameter] : 1.0f;
    weight = fmaxf(0, fminf(weight, 1));
    if (!(weight > 0)) {
        return;
    }
    const uint32_t joints = m->skeleton->joint_count;
    if (graph->additive && graph->model_space) {
        lmb_pose_difference_model(m->skeleton, layer->reference, over, m->rotations, over);
    } else if (graph->additive) {
        lmb_pose_difference(layer->reference, over, joints, over);
    }
    lmb_overlay(&(lmb_overlay_job){.skeleton = m->skeleton,
                                   .over = over,
                                   .weight = weight,
                                   .mask = layer->mask,
                                   .additive = graph->additive,
                                   .model_space = graph->model_space,
                                   .scratch = m->rotations,
                                   .pose = pose});
}

void lmb_machine_step(lmb_machine *m, double dt_s, lmb_transform *pose, lmb_place *moved)
{
    assert(dt_s >= 0);
    m->event_count = 0;
    smooth_parameters(m, dt_s);
    memcpy(pose, m->skeleton->rest, m->skeleton->joint_count * sizeof(*pose));
    const lmb_place base = step_layer(m, 0, dt_s, pose);
    if (moved != NULL) {
        *moved = base;
    }
    for (uint32_t l = 1; l < m->graph->layer_count; ++l) {
        step_layer(m, l, dt_s, m->poses[0]);
        lay_over(m, l, m->poses[0], pose);
    }
}

const char *lmb_machine_state(const lmb_machine *m, uint32_t layer)
{
    return layer < m->graph->layer_count ? m->layers[layer].current.state->name : NULL;
}

const char *lmb_machine_next_state(const lmb_machine *m, uint32_t layer)
{
    return layer < m->graph->layer_count && m->layers[layer].crossfades
               ? m->layers[layer].next.state->name
               : NULL;
}

const lmb_machine_event *lmb_machine_events(const lmb_machine *m, uint32_t *count)
{
    *count = m->event_count;
    return m->events;
}
