/// The expressions of a motion: a driver program whose channels are one joint an expression.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "procedural/motion_source.h"

/// On one line before the text; the first three are set before every step, in this order.
static const char parameters[] = "param u = 0; param side = 0; param along = 0\n";
enum { U, SIDE, ALONG };

lmb_result lmbi_motion_start_program(lmbi_motion_source *s, lmb_error *error)
{
    s->prefix = sizeof parameters - 1;
    s->program = lmbi_alloc_array(s->alloc, s->prefix + s->size + 1, 1);
    if (s->program == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(s->program, parameters, s->prefix);
    for (size_t k = 0; k < s->size; ++k) {
        const char c = s->text[k];
        s->program[s->prefix + k] = c == '\n' || c == '\r' ? '\n' : ' ';
        // One line end for both bytes, as the scanner counts.
        if (c == '\r' && k + 1 < s->size && s->text[k + 1] == '\n') {
            s->program[s->prefix + k] = ' ';
        }
    }
    return LMB_OK;
}

void lmbi_motion_copy_program(lmbi_motion_source *s, const char *from, size_t size)
{
    memcpy(s->program + s->prefix + (from - s->text), from, size);
}

lmb_result lmbi_motion_read_wave(lmbi_motion_source *s, const lmbi_scan *before, lmb_error *error)
{
    lmbi_scan at = s->scan;
    lmbi_motion_bone bone = {0};
    lmbi_word word = {0}, field = {0}, equals = {0};
    if (s->motion->wave_count == LMBI_MOTION_WAVES) {
        at = *before;
        return lmbi_scan_fail(&at, error, "at most 64 waves");
    }
    lmbi_motion_next_word(&s->scan, &word);
    const lmb_result result = lmbi_motion_read_bone(s, word, &at, &bone, error);
    if (result != LMB_OK) {
        return result;
    }
    at = s->scan;
    lmbi_motion_next_word(&s->scan, &field);
    const int row = lmbi_motion_find_row(s, bone.name, field);
    if (row < 0) {
        return lmbi_scan_fail(&at, error, "a field of that bone");
    }
    at = s->scan;
    lmbi_motion_next_word(&s->scan, &equals);
    if (!lmbi_word_is_exact(equals, "=")) {
        return lmbi_scan_fail(&at, error, "= and an expression");
    }
    char *out = s->program + s->prefix + (before->at - s->text);
    char name[8];
    // Shorter than the shortest "wave BONE FIELD ", which it replaces.
    const int length = snprintf(name, sizeof name, "w%u.tx", (unsigned)s->motion->wave_count);
    memcpy(out, name, (size_t)length);
    lmbi_scan rest = s->scan;
    const lmbi_word expression = lmbi_scan_rest(&rest);
    lmbi_motion_copy_program(s, equals.at, 1);
    lmbi_motion_copy_program(s, expression.at, expression.size);
    lmbi_motion_wave *wave = &s->waves[s->motion->wave_count++];
    wave->row = (uint16_t)row;
    for (int side = 0; side < 2; ++side) {
        wave->sides[side] = lmbi_motion_channels[row].paired ? bone.sides[side] : side == 0;
        s->motion->uses[row][side] = s->motion->uses[row][side] || wave->sides[side];
    }
    return LMB_OK;
}

/// A skeleton of one joint an expression, w0, w1, …: its x is the expression's value.
static lmb_result make_outputs(uint32_t count, const lmb_allocator *alloc, lmb_character **out,
                               lmb_error *error)
{
    int32_t parents[LMBI_MOTION_WAVES];
    lmb_transform rest[LMBI_MOTION_WAVES];
    char texts[LMBI_MOTION_WAVES][8];
    const char *names[LMBI_MOTION_WAVES];
    for (uint32_t k = 0; k < count; ++k) {
        parents[k] = LMB_NONE;
        rest[k] = lmb_transform_identity();
        snprintf(texts[k], sizeof texts[k], "w%u", (unsigned)k);
        names[k] = texts[k];
    }
    lmb_skeleton *skeleton = NULL;
    const lmb_skeleton def = {
        .joint_count = count, .parents = parents, .rest = rest, .names = names};
    lmb_result result = lmb_skeleton_create(&def, alloc, &skeleton, error);
    if (result == LMB_OK) {
        result = lmb_character_create(&(lmb_character){.skeleton = skeleton}, alloc, out, error);
        if (result != LMB_OK) {
            lmb_skeleton_destroy(skeleton);
        }
    }
    return result;
}

lmb_result lmbi_motion_compile(lmbi_motion_source *s, lmb_error *error)
{
    lmb_motion *m = s->motion;
    lmb_error own = {0};
    if (m->wave_count == 0) {
        return LMB_OK;
    }
    m->waves = lmbi_arena_array(&m->arena, m->wave_count, sizeof *m->waves);
    if (m->waves == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(m->waves, s->waves, m->wave_count * sizeof *m->waves);
    lmb_result result = make_outputs(m->wave_count, s->alloc, &m->outputs, error);
    if (result != LMB_OK) {
        return result;
    }
    result = lmb_drivers_create(s->program, s->prefix + s->size, m->outputs, s->alloc, &m->program,
                                &own);
    if (result != LMB_OK && error != NULL) {
        *error = own;
        error->line -= own.line > 0; // the line of parameters
    }
    return result;
}

// ------------------------------------------------------------------------------------- evaluation

/// All expressions for one side and one position along a chain.
static void step(const lmb_motion *m, const lmbi_motion_moment *moment, float side, float along,
                 double dt_s, lmb_transform *local)
{
    lmb_drivers_set(m->program, U, (double)moment->u);
    lmb_drivers_set(m->program, SIDE, (double)side);
    lmb_drivers_set(m->program, ALONG, (double)along);
    for (uint32_t k = 0; k < m->wave_count; ++k) {
        local[k] = lmb_transform_identity();
    }
    lmb_drivers_step(&(lmb_drivers_step_job){
        .drivers = m->program, .time_s = moment->time_s, .dt_s = dt_s, .local = local});
}

static void add_waves(const lmb_motion *m, const lmbi_motion_moment *moment,
                      lmbi_motion_values *values)
{
    lmb_transform local[LMBI_MOTION_WAVES];
    for (int side = 0; side < 2; ++side) {
        step(m, moment, side == 0 ? 1.0f : -1.0f, 1, side == 0 ? moment->dt_s : 0, local);
        for (uint32_t k = 0; k < m->wave_count; ++k) {
            if (m->waves[k].sides[side]) {
                values->at[m->waves[k].row][side] += moment->energy * local[k].translation.x;
            }
        }
    }
}

float lmbi_motion_waves_at(const lmb_motion *motion, const lmbi_motion_moment *moment,
                           lmbi_motion_row row, float along)
{
    lmb_transform local[LMBI_MOTION_WAVES];
    float sum = 0;
    if (!motion->uses[row][0] || motion->wave_count == 0) {
        return 0;
    }
    step(motion, moment, 1, along, 0, local);
    for (uint32_t k = 0; k < motion->wave_count; ++k) {
        sum += motion->waves[k].row == row ? moment->energy * local[k].translation.x : 0;
    }
    return sum;
}

/// Whether more energy makes a channel's movements larger: rotations of trunk and head.
static bool takes_energy(int row)
{
    return row >= ROW_PELVIS_BEND && row <= ROW_SHOULDER_FORWARD;
}

static float travel_of(const lmb_motion *m, const lmbi_motion_track *track)
{
    const int row = track->row;
    if (row >= ROW_HIPS_X && row <= ROW_HIPS_Z) {
        return m->travel[row - ROW_HIPS_X];
    }
    if (row >= ROW_FOOT_X && row <= ROW_FOOT_Z) {
        return m->travel[row - ROW_FOOT_X];
    }
    // Outward, and in the arm's length.
    const float outward = row == ROW_REACH_X && track->side == 1 ? -1.0f : 1.0f;
    return row >= ROW_REACH_X && row <= ROW_REACH_Z && m->anchors[track->side] == ANCHOR_GROUND
               ? outward * m->travel[row - ROW_REACH_X] * FIGURE_LEG / FIGURE_ARM
               : 0.0f;
}

void lmbi_motion_evaluate(const lmb_motion *m, const lmbi_motion_moment *moment,
                          lmbi_motion_values *out)
{
    for (int row = 0; row < ROW_COUNT; ++row) {
        out->at[row][0] = out->at[row][1] = lmbi_motion_channels[row].rest;
    }
    for (uint32_t k = 0; k < m->track_count; ++k) {
        const lmbi_motion_track *t = &m->tracks[k];
        const float rest = lmbi_motion_channels[t->row].rest;
        const float value = lmbi_motion_track_at(t, moment->at, m->loops ? m->length : 0,
                                                 m->loops ? travel_of(m, t) : 0);
        out->at[t->row][t->side] =
            takes_energy(t->row) ? rest + moment->energy * (value - rest) : value;
    }
    if (m->wave_count > 0) {
        add_waves(m, moment, out);
    }
    for (int row = 0; row < ROW_COUNT; ++row) {
        const lmbi_motion_channel *channel = &lmbi_motion_channels[row];
        for (int side = 0; channel->unit != UNIT_LENGTH && side < 2; ++side) {
            out->at[row][side] = fminf(fmaxf(out->at[row][side], channel->low), channel->high);
        }
    }
}
