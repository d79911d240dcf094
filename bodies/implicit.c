// The field of a body: lumps, groups, and the coarse grid that keeps evaluation cheap.
#include "bodies/implicit.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

enum { COARSE = 4 };

static const float HALF_DIAGONAL = 0.8661f; // of a unit cube
static const float CULL_SLOPE = 1.3f;       // of one lump's distance

void lmbi_implicit_init(lmbi_implicit *field, const lmb_allocator *alloc)
{
    memset(field, 0, sizeof *field);
    field->alloc = alloc;
}

void lmbi_implicit_free(lmbi_implicit *field)
{
    lmbi_free(field->alloc, field->lumps);
    lmbi_free(field->alloc, field->groups);
    lmbi_free(field->alloc, field->cell_lists);
    lmbi_free(field->alloc, field->list_lumps);
    lmbi_implicit_init(field, field->alloc);
}

void lmbi_implicit_group(lmbi_implicit *field, lmbi_group group)
{
    void *groups = field->groups;
    if (field->failed || !lmbi_grow(field->alloc, &groups, &field->group_capacity,
                                    field->group_count + 1, sizeof group)) {
        field->failed = true;
        return;
    }
    field->groups = groups;
    field->groups[field->group_count++] = group;
}

static void get_channels(const lmbi_station *s, float out[4])
{
    out[0] = s->side;
    out[1] = s->front;
    out[2] = s->off_side;
    out[3] = s->off_front;
}

// Slopes of a cubic through the stations (Catmull-Rom with uneven spacing), flat at the ends.
static void compute_slopes(lmbi_lump *lump)
{
    for (uint32_t i = 1; i + 1 < lump->station_count; ++i) {
        float before[4], after[4];
        get_channels(&lump->stations[i - 1], before);
        get_channels(&lump->stations[i + 1], after);
        const float dt = lump->stations[i + 1].t - lump->stations[i - 1].t;
        for (int c = 0; c < 4; ++c) {
            lump->slopes[i][c] = dt > 0.0f ? (after[c] - before[c]) / dt : 0.0f;
        }
    }
}

void lmbi_implicit_add(lmbi_implicit *field, const lmbi_lump *lump)
{
    void *lumps = field->lumps;
    if (field->failed || !lmbi_grow(field->alloc, &lumps, &field->lump_capacity,
                                    field->lump_count + 1, sizeof *lump)) {
        field->failed = true;
        return;
    }
    field->lumps = lumps;
    lmbi_lump *added = &field->lumps[field->lump_count++];
    *added = *lump;
    added->group = (uint16_t)(field->group_count - 1);
    memset(added->slopes, 0, sizeof added->slopes);
    compute_slopes(added);
}

void lmbi_implicit_pose(lmbi_implicit *field, const lmb_transform *posed_from_rest)
{
    for (size_t i = 0; i < field->lump_count; ++i) {
        lmbi_lump *l = &field->lumps[i];
        const lmb_transform t = posed_from_rest[l->attach];
        l->origin = lmb_transform_point(t, l->origin);
        l->side = lmb_quat_rotate(t.rotation, l->side);
        l->axis = lmb_quat_rotate(t.rotation, l->axis);
        l->front = lmb_quat_rotate(t.rotation, l->front);
    }
    for (size_t i = 0; i < field->group_count; ++i) {
        lmbi_group *g = &field->groups[i];
        g->join = lmb_transform_point(posed_from_rest[g->attach], g->join);
    }
}

static lmbi_station section_at(const lmbi_lump *l, float t)
{
    if (l->station_count == 1 || t <= l->stations[0].t) {
        return l->stations[0];
    }
    uint32_t i = 0;
    while (i + 2 < l->station_count && t > l->stations[i + 1].t) {
        ++i;
    }
    const lmbi_station *a = &l->stations[i], *b = &l->stations[i + 1];
    const float dt = b->t - a->t, u = dt > 0.0f ? (t - a->t) / dt : 1.0f;
    if (u >= 1.0f) {
        return *b;
    }
    const float u2 = u * u, u3 = u2 * u;
    const float h1 = 3.0f * u2 - 2.0f * u3, h0 = 1.0f - h1, g0 = (u3 - 2.0f * u2 + u) * dt,
                g1 = (u3 - u2) * dt;
    float ca[4], cb[4], c[4];
    get_channels(a, ca);
    get_channels(b, cb);
    for (int k = 0; k < 4; ++k) {
        c[k] = ca[k] * h0 + cb[k] * h1 + l->slopes[i][k] * g0 + l->slopes[i + 1][k] * g1;
    }
    const lmbi_station s = {t, c[0], c[1], c[2], c[3]};
    return s;
}

// First-order distance to the ellipsoid with the section's half axes (Quilez), exact on the
// surface.
float lmbi_lump_distance(const lmbi_lump *l, lmb_vec3 p)
{
    const lmb_vec3 q = lmb_vec3_sub(p, l->origin);
    const float y = lmb_vec3_dot(q, l->axis);
    const float on = y < 0.0f ? 0.0f : y > l->length ? l->length : y;
    const lmbi_station s = section_at(l, l->length > 0.0f ? on / l->length : 0.0f);
    const float x = lmb_vec3_dot(q, l->side) - s.off_side,
                z = lmb_vec3_dot(q, l->front) - s.off_front;
    const float cap = y < 0.0f ? l->cap_low : l->cap_high;
    const float u = x / s.side, v = z / s.front, w = (y - on) / cap;
    float r2 = u * u + v * v + w * w;
    const float g0 = u / s.side, g1 = v / s.front, g2 = w / cap;
    const float slope = sqrtf(g0 * g0 + g1 * g1 + g2 * g2);
    // A squircle (Fernandez-Guasti): x^2 + z^2 - square x^2 z^2 = 1.
    if (l->square > 0.0f) {
        r2 -= l->square * u * u * v * v / (r2 > 1.0f ? r2 : 1.0f);
    }
    const float r = sqrtf(r2 > 0.0f ? r2 : 0.0f);
    const float inner = -(s.side < s.front ? s.side : s.front);
    if (slope * s.side < 1e-4f) {
        return inner;
    }
    const float d = r * (r - 1.0f) / slope;
    return d > inner ? d : inner;
}

// Quadratic smooth minimum (Quilez): equals the smaller value where they differ by more than k.
static float soft_min(float a, float b, float k)
{
    const float near = k - fabsf(a - b);
    const float low = a < b ? a : b;
    return k > 0.0f && near > 0.0f ? low - near * near * 0.25f / k : low;
}

float lmbi_implicit_blend(const lmbi_lump *lump, float sum, float distance)
{
    return lump->carve ? -soft_min(-sum, distance, lump->blend)
                       : soft_min(sum, distance, lump->blend);
}

static float group_blend(const lmbi_group *g, lmb_vec3 p)
{
    const float d = g->reach > 0.0f ? lmb_vec3_distance(p, g->join) / g->reach : 1.0f;
    if (d >= 1.0f) {
        return g->far_blend;
    }
    const float s = 1.0f - d * d;
    return g->far_blend + (g->near_blend - g->far_blend) * s * s;
}

// `list` NULL: all lumps.
static float evaluate_lumps(const lmbi_implicit *f, lmb_vec3 p, const uint16_t *list,
                            uint32_t count)
{
    float total = 1e9f;
    for (uint32_t i = 0; i < count;) {
        const uint16_t group = f->lumps[list ? list[i] : i].group;
        float sum = 1e9f;
        for (; i < count && f->lumps[list ? list[i] : i].group == group; ++i) {
            const lmbi_lump *l = &f->lumps[list ? list[i] : i];
            sum = lmbi_implicit_blend(l, sum, lmbi_lump_distance(l, p));
        }
        total = total < 1e8f ? soft_min(total, sum, group_blend(&f->groups[group], p)) : sum;
    }
    return total;
}

const uint16_t *lmbi_implicit_near(const lmbi_implicit *f, lmb_vec3 p, uint32_t *count)
{
    const float at[3] = {(p.x - f->box.low.x) / f->cell_size, (p.y - f->box.low.y) / f->cell_size,
                         (p.z - f->box.low.z) / f->cell_size};
    uint32_t cell[3];
    for (int c = 0; c < 3; ++c) {
        const float last = (float)(f->cells[c] - 1);
        cell[c] = (uint32_t)(at[c] > 0.0f ? at[c] < last ? at[c] : last : 0.0f);
    }
    const size_t k = ((size_t)cell[2] * f->cells[1] + cell[1]) * f->cells[0] + cell[0];
    *count = f->cell_lists[k][1];
    return f->list_lumps + f->cell_lists[k][0];
}

float lmbi_implicit_value(const void *field, lmb_vec3 p)
{
    uint32_t count;
    const uint16_t *list = lmbi_implicit_near(field, p, &count);
    return evaluate_lumps(field, p, list, count);
}

float lmbi_implicit_reach(const lmbi_implicit *field, lmb_vec3 from, lmb_vec3 direction,
                          float limit)
{
    float t = 0.0f;
    for (int k = 0; k < 64 && t < limit; ++k) {
        const float v = evaluate_lumps(field, lmb_vec3_mad(from, direction, t), NULL,
                                       (uint32_t)field->lump_count);
        if (v < 1e-4f * limit) {
            break;
        }
        t += 0.7f * v;
    }
    return t < limit ? t : limit;
}

static lmb_box lump_box(lmb_box box, const lmbi_lump *l)
{
    for (uint32_t i = 0; i < l->station_count; ++i) {
        const lmbi_station *s = &l->stations[i];
        lmb_vec3 c = lmb_vec3_mad(l->origin, l->axis, s->t * l->length);
        c = lmb_vec3_mad(lmb_vec3_mad(c, l->side, s->off_side), l->front, s->off_front);
        float r = s->side > s->front ? s->side : s->front;
        r = r > l->cap_low ? r : l->cap_low;
        r = (r > l->cap_high ? r : l->cap_high) * 1.1f + l->blend * 0.3f;
        box = lmb_box_add(box, lmb_vec3_add(c, lmb_vec3_make(r, r, r)));
        box = lmb_box_add(box, lmb_vec3_sub(c, lmb_vec3_make(r, r, r)));
    }
    return box;
}

// Appends a list of the lumps that can change the value inside the ball of `radius` around
// `centre`: those of the list `from` (NULL: all) within the largest blend of the nearest one.
// Returns the distance of the nearest.
static float add_list(lmbi_implicit *f, lmb_vec3 centre, float radius, float max_blend,
                      const uint32_t from[2], float *distances, uint32_t out[2])
{
    const uint32_t count = from ? from[1] : (uint32_t)f->lump_count;
    void *lists = f->list_lumps;
    if (!lmbi_grow(f->alloc, &lists, &f->list_capacity, f->list_used + count, sizeof(uint16_t))) {
        f->failed = true;
        out[0] = out[1] = 0;
        return 0.0f;
    }
    f->list_lumps = lists;
    float nearest = 1e9f;
    for (uint32_t i = 0; i < count; ++i) {
        const lmbi_lump *l = &f->lumps[from ? f->list_lumps[from[0] + i] : i];
        distances[i] = lmbi_lump_distance(l, centre);
        nearest = !l->carve && distances[i] < nearest ? distances[i] : nearest;
    }
    out[0] = (uint32_t)f->list_used;
    for (uint32_t i = 0; i < count; ++i) {
        const uint16_t k = from ? f->list_lumps[from[0] + i] : (uint16_t)i;
        const float bound = f->lumps[k].carve ? radius * LMBI_FIELD_SLOPE + f->lumps[k].blend
                                              : nearest + 2.0f * radius * CULL_SLOPE + max_blend;
        if (distances[i] <= bound) {
            f->list_lumps[f->list_used++] = k;
        }
    }
    out[1] = (uint32_t)f->list_used - out[0];
    return nearest;
}

static float largest_blend(const lmbi_implicit *f)
{
    float max_blend = 0.0f;
    for (size_t i = 0; i < f->lump_count; ++i) {
        max_blend = f->lumps[i].blend > max_blend ? f->lumps[i].blend : max_blend;
    }
    for (size_t i = 1; i < f->group_count; ++i) {
        max_blend = f->groups[i].near_blend > max_blend ? f->groups[i].near_blend : max_blend;
    }
    return max_blend;
}

// Fills the cells of one block of COARSE^3. They share the block's list where the surface is far.
static void fill_block(lmbi_implicit *f, const uint32_t block[3], float max_blend, float *distances)
{
    const lmb_vec3 corner = lmb_vec3_make((float)(block[0] * COARSE), (float)(block[1] * COARSE),
                                          (float)(block[2] * COARSE));
    const lmb_vec3 half = lmb_vec3_make(0.5f * COARSE, 0.5f * COARSE, 0.5f * COARSE);
    const float radius = HALF_DIAGONAL * COARSE * f->cell_size;
    uint32_t block_list[2];
    const float nearest =
        add_list(f, lmb_vec3_mad(f->box.low, lmb_vec3_add(corner, half), f->cell_size), radius,
                 max_blend, NULL, distances, block_list);
    const bool remote = nearest > 1.5f * radius + max_blend || nearest < -3.0f * radius - max_blend;
    for (uint32_t k = 0; k < COARSE * COARSE * COARSE; ++k) {
        const uint32_t x = block[0] * COARSE + k % COARSE,
                       y = block[1] * COARSE + k / COARSE % COARSE,
                       z = block[2] * COARSE + k / COARSE / COARSE;
        if (x >= f->cells[0] || y >= f->cells[1] || z >= f->cells[2]) {
            continue;
        }
        uint32_t *list = f->cell_lists[((size_t)z * f->cells[1] + y) * f->cells[0] + x];
        if (remote) {
            list[0] = block_list[0];
            list[1] = block_list[1];
        } else {
            const lmb_vec3 at = lmb_vec3_make((float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f);
            add_list(f, lmb_vec3_mad(f->box.low, at, f->cell_size), HALF_DIAGONAL * f->cell_size,
                     max_blend, block_list, distances, list);
        }
    }
}

static void fill_cells(lmbi_implicit *f, float *distances)
{
    const float max_blend = largest_blend(f);
    uint32_t block[3];
    for (block[2] = 0; block[2] * COARSE < f->cells[2]; ++block[2]) {
        for (block[1] = 0; block[1] * COARSE < f->cells[1]; ++block[1]) {
            for (block[0] = 0; block[0] * COARSE < f->cells[0]; ++block[0]) {
                fill_block(f, block, max_blend, distances);
            }
        }
    }
}

bool lmbi_implicit_finish(lmbi_implicit *f)
{
    if (f->failed || f->lump_count == 0) {
        return false;
    }
    f->box = lmb_box_empty();
    for (size_t i = 0; i < f->lump_count; ++i) {
        if (!f->lumps[i].carve) {
            f->box = lump_box(f->box, &f->lumps[i]);
        }
    }
    const lmb_vec3 extent = lmb_vec3_sub(f->box.high, f->box.low);
    f->cell_size = fmaxf(extent.x, fmaxf(extent.y, extent.z)) / 90.0f;
    f->cells[0] = (uint32_t)(extent.x / f->cell_size) + 1;
    f->cells[1] = (uint32_t)(extent.y / f->cell_size) + 1;
    f->cells[2] = (uint32_t)(extent.z / f->cell_size) + 1;
    const size_t cells = (size_t)f->cells[0] * f->cells[1] * f->cells[2];
    f->cell_lists = lmbi_alloc_array(f->alloc, cells, sizeof *f->cell_lists);
    float *distances = lmbi_alloc_array(f->alloc, f->lump_count, sizeof *distances);
    if (f->cell_lists == NULL || distances == NULL) {
        f->failed = true;
    } else {
        fill_cells(f, distances);
    }
    lmbi_free(f->alloc, distances);
    return !f->failed;
}
