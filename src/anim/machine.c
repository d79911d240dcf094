#include "anim/machine.h"

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

// ------------------------------------------------------------------------------------ transitions

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
                       lmbi_posed before_step, lmbi_posed after_step, lmb_place speed, double dt_s)
{
    static const lmb_transition_kind kinds[] = {LMB_TRANSITION_DEAD, LMB_TRANSITION_SPRING,
                                                LMB_TRANSITION_QUINTIC, LMB_TRANSITION_DEAD,
                                                LMB_TRANSITION_FROZEN};
    lmb_transform *reflected = m->poses[3].joints;
    reflect(before_step.joints, after_step.joints, m->skeleton->joint_count, reflected);
    lmb_transition_start(layer->transition,
                         &(lmb_transition_start_job){
                             .kind = kinds[t->how],
                             .duration_s = t->duration_s,
                             .half_life_s = t->how == LMBI_HOW_SPRING ? spring_half_life(t) : 0,
                             .from = layer->shown[0].joints,
                             .from_before = layer->shown_count > 1 ? layer->shown[1].joints : NULL,
                             .from_dt_s = layer->shown_dt_s,
                             .to = before_step.joints,
                             .to_before = reflected,
                             .dt_s = (float)dt_s});
    lmbi_weights_carry(m, layer, before_step.weights, after_step.weights, spring_half_life(t),
                       t->how == LMBI_HOW_FROZEN, dt_s);
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
                 const lmbi_transition_path *way)
{
    const lmbi_graph_transition *t = way->steps[way->count - 1];
    const lmbi_player *source = layer->crossfades ? &layer->next : &layer->current;
    const bool in_step = t->sync && lmbi_player_keeps_step(m, source);
    const double phase = in_step ? source->phase : -1;
    const lmbi_state *target = lmbi_transition_enter(m, graph, way, t->to);
    const bool empty = target->motion_count == 0 || source->state->motion_count == 0;
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

static lmbi_foot_floors mix_stances(const lmb_machine *m, const lmbi_foot_floors *a,
                                    const lmbi_foot_floors *b, float share)
{
    lmbi_foot_floors out = *a;
    for (uint32_t k = 0; k < m->foot_count; ++k) {
        out.planted[k] += (b->planted[k] - a->planted[k]) * share;
        out.floors[k][0] += (b->floors[k][0] - a->floors[k][0]) * share;
        out.floors[k][1] += (b->floors[k][1] - a->floors[k][1]) * share;
    }
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

static void copy_posed(const lmb_machine *m, lmbi_posed from, lmbi_posed to)
{
    memcpy(to.joints, from.joints, m->skeleton->joint_count * sizeof(*to.joints));
    if (m->weight_count > 0) {
        memcpy(to.weights, from.weights, m->weight_count * sizeof(*to.weights));
    }
}

/// Pose of the crossfade's two states, where `out` holds the first. How much there is of either is
/// in `presence`.
static void crossfade(lmb_machine *m, lmbi_layer *layer, bool has_pose, float share, lmbi_posed out)
{
    const lmbi_posed next = m->poses[1];
    const bool has_next = lmbi_player_pose(m, &layer->next, next);
    if (has_pose && has_next) {
        const lmb_blend_layer two[2] = {{out.joints, 1 - share, NULL}, {next.joints, share, NULL}};
        const float *const weights[2] = {out.weights, next.weights};
        lmb_blend(&(lmb_blend_job){.joint_count = m->skeleton->joint_count,
                                   .layers = two,
                                   .layer_count = 2,
                                   .out = out.joints});
        lmbi_weights_mix(m, weights, (const float[2]){1 - share, share}, 2, out.weights);
    } else if (has_next) {
        copy_posed(m, next, out);
    }
    layer->presence = (has_pose ? 1 - share : 0) + (has_next ? share : 0);
}

static void remember(const lmb_machine *m, lmbi_layer *layer, lmbi_posed shown, double dt_s)
{
    if (dt_s > 0) {
        const lmbi_posed oldest = layer->shown[1];
        layer->shown[1] = layer->shown[0];
        layer->shown[0] = oldest;
        copy_posed(m, shown, oldest);
        layer->shown_count = layer->shown_count < 2 ? layer->shown_count + 1 : 2;
        layer->shown_dt_s = (float)dt_s;
    }
}

/// How far the crossfade under way has come, dt_s later.
static float crossfade_share(const lmb_machine *m, lmbi_layer *layer, double dt_s)
{
    if (!layer->crossfades) {
        return 0;
    }
    lmbi_player_weigh(m, &layer->next);
    layer->time_s += (float)dt_s;
    const float all_s = layer->taken->duration_s;
    return curve_at(layer->taken->curve, all_s > 0 ? fminf(layer->time_s / all_s, 1) : 1);
}

/// Where feet come down no lower changes as the pose does.
static void carry_floors(const lmb_machine *m, lmbi_layer *layer, double dt_s)
{
    const float s = fminf((layer->carried_s + (float)dt_s) / layer->carried_all_s, 1);
    const float left = 1 - curve_at(LMBI_CURVE_SMOOTH, s);
    for (uint32_t k = 0; k < m->foot_count; ++k) {
        for (int i = 0; i < 2; ++i) {
            float *floor = &layer->stance.floors[k][i];
            *floor += (layer->carried.floors[k][i] - *floor) * left;
        }
    }
}

/// What plays goes on by dt_s. Says what the root went by.
static lmb_place advance(lmb_machine *m, lmbi_layer *layer, float share, double dt_s)
{
    const bool together = layer->crossfades && layer->synced;
    const double phases =
        phases_of(m, &layer->current, together ? &layer->next : NULL, together ? share : 0, dt_s);
    const lmb_place moved = lmbi_player_advance(m, &layer->current, dt_s, phases, share < 0.5f);
    layer->stance = lmbi_player_stance(m, &layer->current);
    if (!layer->crossfades) {
        return moved;
    }
    const double next_phases = together ? phases : phases_of(m, &layer->next, NULL, 0, dt_s);
    const lmb_place next = lmbi_player_advance(m, &layer->next, dt_s, next_phases, share >= 0.5f);
    const lmbi_foot_floors then = lmbi_player_stance(m, &layer->next);
    layer->stance = mix_stances(m, &layer->stance, &then, share);
    return place_mix(moved, next, share);
}

static lmb_place step_layer(lmb_machine *m, uint32_t index, double dt_s, lmbi_posed out)
{
    lmbi_layer *layer = &m->layers[index];
    const lmbi_graph_layer *graph = &m->graph->layers[index];
    lmbi_transition_path way = {0};
    const bool takes = lmbi_transition_choose(m, graph, layer, &way);
    const lmbi_foot_floors stood = layer->stance;
    const bool carries_over = takes && take(m, layer, graph, &way);
    lmbi_player_weigh(m, &layer->current);
    if (carries_over) {
        lmbi_player_pose(m, &layer->current, m->poses[2]);
    }
    const float share = crossfade_share(m, layer, dt_s);
    lmb_place moved = advance(m, layer, share, dt_s);
    const bool has_pose = lmbi_player_pose(m, &layer->current, out);
    layer->presence = has_pose ? 1 : 0;
    if (carries_over) {
        carry_over(m, layer, way.steps[way.count - 1], m->poses[2], out, per_second(moved, dt_s),
                   dt_s);
        layer->carried = stood;
    }
    if (layer->carries) {
        carry_floors(m, layer, dt_s);
    }
    if (layer->carries && has_pose) {
        carry_root(layer, dt_s, &moved);
        layer->carries = lmb_transition_step(layer->transition, (float)dt_s, out.joints);
    }
    if (has_pose) {
        lmbi_weights_settle(m, layer, dt_s, out.weights);
    }
    if (layer->crossfades) {
        crossfade(m, layer, has_pose, share, out);
        if (layer->time_s >= layer->taken->duration_s) {
            layer->current = layer->next;
            layer->crossfades = layer->carries = layer->weights_carry = false;
        }
    }
    layer->root_speed = dt_s > 0 ? per_second(moved, dt_s) : layer->root_speed;
    if (layer->presence > 0) {
        remember(m, layer, out, dt_s);
    }
    return moved;
}

static void lay_over(lmb_machine *m, uint32_t index, lmbi_posed over, lmbi_posed out)
{
    const lmbi_graph_layer *graph = &m->graph->layers[index];
    const lmbi_layer *layer = &m->layers[index];
    float weight = graph->weight * layer->presence;
    weight *= graph->weight_parameter != LMB_NONE ? m->parameters[graph->weight_parameter] : 1.0f;
    weight = fmaxf(0, fminf(weight, 1));
    if (!(weight > 0)) {
        return;
    }
    const lmb_transform *reference = layer->reference.joints;
    if (graph->additive && graph->model_space) {
        lmb_pose_difference_model(m->skeleton, reference, over.joints, m->rotations, over.joints);
    } else if (graph->additive) {
        lmb_pose_difference(reference, over.joints, m->skeleton->joint_count, over.joints);
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

void lmb_machine_step(lmb_machine *m, double dt_s, lmb_transform *pose, lmb_place *moved)
{
    assert(dt_s >= 0);
    const lmbi_posed out = {pose, m->weights};
    m->event_count = 0;
    smooth_parameters(m, dt_s);
    memcpy(pose, m->skeleton->rest, m->skeleton->joint_count * sizeof(*pose));
    if (m->weight_count > 0) {
        memcpy(m->weights, m->rest_weights, m->weight_count * sizeof(float));
    }
    const lmb_place base = step_layer(m, 0, dt_s, out);
    if (moved != NULL) {
        *moved = base;
    }
    for (uint32_t l = 1; l < m->graph->layer_count; ++l) {
        step_layer(m, l, dt_s, m->poses[0]);
        lay_over(m, l, m->poses[0], out);
    }
}

lmb_place lmb_machine_place(const lmb_machine *m)
{
    return lmbi_player_place(m, &m->layers[0].current);
}

const float *lmb_machine_weights(const lmb_machine *m)
{
    return m->weights;
}

void lmb_machine_planted(const lmb_machine *m, float *planted)
{
    memcpy(planted, m->layers[0].stance.planted, m->foot_count * sizeof(*planted));
}

void lmb_machine_floors(const lmb_machine *m, float *floors)
{
    memcpy(floors, m->layers[0].stance.floors, m->foot_count * 2 * sizeof(*floors));
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
