/// Keys of a motion: sorted into tracks, and the curve through them.
#include <math.h>

#include "base/error.h"
#include "procedural/motion_source.h"

// ---------------------------------------------------------------------------------------- building

/// The value at the start and the end of a motion that plays once. Weights that are keyed rise from
/// none.
static float rest_of(uint16_t row)
{
    return row == ROW_ARM_WEIGHT || row == ROW_REACH_WEIGHT ? 0.0f : lmbi_motion_channels[row].rest;
}

static lmb_result build_track(lmbi_motion_source *s, uint16_t row, uint16_t side, lmb_error *error)
{
    lmb_motion *m = s->motion;
    uint32_t count = 0;
    bool holds = false;
    for (size_t k = 0; k < s->key_count; ++k) {
        if (s->keys[k].row == row && s->keys[k].side == side) {
            ++count;
            holds = holds || s->keys[k].holds;
        }
    }
    if (count == 0) {
        return LMB_OK;
    }
    lmbi_motion_track *track = &m->tracks[m->track_count++];
    lmbi_motion_key *keys = lmbi_arena_array(&m->arena, count + 2, sizeof *keys);
    if (keys == NULL) {
        return lmbi_fail_memory(error);
    }
    uint32_t used = 0;
    for (size_t k = 0; k < s->key_count; ++k) {
        const lmbi_motion_raw_key *raw = &s->keys[k];
        if (raw->row == row && raw->side == side) {
            if (used == 0 && !m->loops && !holds && raw->key.at > 0) {
                keys[used++] = (lmbi_motion_key){.value = rest_of(row)};
            }
            keys[used++] = raw->key;
        }
    }
    if (!m->loops && !holds && keys[used - 1].at < m->length) {
        keys[used++] = (lmbi_motion_key){.at = m->length, .value = rest_of(row)};
    }
    *track = (lmbi_motion_track){.row = row, .side = side, .count = used, .keys = keys};
    return LMB_OK;
}

lmb_result lmbi_motion_build_tracks(lmbi_motion_source *s, lmb_error *error)
{
    lmb_result result = LMB_OK;
    s->motion->tracks =
        lmbi_arena_array(&s->motion->arena, LMBI_MOTION_TRACKS, sizeof *s->motion->tracks);
    if (s->motion->tracks == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint16_t row = 0; result == LMB_OK && row < ROW_COUNT; ++row) {
        for (uint16_t side = 0; result == LMB_OK && side < 2; ++side) {
            result = build_track(s, row, side, error);
        }
    }
    return result;
}

// ------------------------------------------------------------------------------------------- curve

/// Key i, which in a loop may lie before the first or after the last.
static lmbi_motion_key key_at(const lmbi_motion_track *t, int i, float period, float travel)
{
    const int n = (int)t->count;
    const int cycle = i < 0 ? -((n - 1 - i) / n) : i / n;
    lmbi_motion_key key = t->keys[i - cycle * n];
    key.at += period * (float)cycle;
    key.value += travel * (float)cycle;
    return key;
}

/// Slope at a key of the monotone cubic (Fritsch and Carlson 1980): 0 at extremes.
static float slope_at(lmbi_motion_key a, lmbi_motion_key b, lmbi_motion_key c)
{
    const float h0 = b.at - a.at, h1 = c.at - b.at;
    const float d0 = (b.value - a.value) / h0, d1 = (c.value - b.value) / h1;
    if (d0 * d1 <= 0.0f) {
        return 0.0f;
    }
    const float w0 = 2.0f * h1 + h0, w1 = h1 + 2.0f * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

float lmbi_motion_track_at(const lmbi_motion_track *t, float at, float period, float travel)
{
    const int n = (int)t->count;
    int i = n - 1;
    while (i >= 0 && t->keys[i].at > at) {
        --i;
    }
    const bool loops = period > 0;
    if (!loops && (i < 0 || i == n - 1)) {
        return t->keys[i < 0 ? 0 : n - 1].value;
    }
    const lmbi_motion_key b = key_at(t, i, period, travel), c = key_at(t, i + 1, period, travel);
    const float span = c.at - b.at, x = (at - b.at) / span;
    if (c.linear) {
        return b.value + x * (c.value - b.value);
    }
    // A motion that plays once starts and ends at rest.
    const bool first = !loops && i == 0, last = !loops && i + 1 == n - 1;
    const float from = first ? 0.0f : slope_at(key_at(t, i - 1, period, travel), b, c),
                to = last ? 0.0f : slope_at(b, c, key_at(t, i + 2, period, travel));
    return lmbi_hermite(b.value, from, c.value, to, span, x);
}
