#include "embed/creature/spine.h"
#include "geometry/volume.h"

#include <math.h>

/// Half the width of the slab of voxels that counts as on the mirror plane.
static const float ON_PLANE = 0.025f;

static int32_t clamped_index(float x, float low, float cell, int32_t count)
{
    const int32_t i = (int32_t)((x - low) / cell);
    return x < low ? 0 : i >= count ? count - 1 : i;
}

bool lmbi_trunk_span(const lmbi_body_shape *shape, float z, float *out_low, float *out_high)
{
    const lmbi_grid *g = &shape->body.grid;
    const int32_t i = clamped_index(0, g->low.x, g->cell, g->nx),
                  k = clamped_index(z, g->low.z, g->cell, g->nz);
    int32_t best = 0, run = 0, end = 0;
    for (int32_t j = 0; j < g->ny; ++j) {
        run = shape->body.cells[lmbi_grid_index(g, i, j, k)] ? run + 1 : 0;
        if (run > best) {
            best = run;
            end = j;
        }
    }
    if (best == 0) {
        return false;
    }
    *out_low = g->low.y + g->cell * (float)(end + 1 - best);
    *out_high = g->low.y + g->cell * (float)(end + 1);
    return true;
}

/// Whether a voxel at p or next to it is solid.
static bool is_solid_near(const lmbi_body_shape *v, lmb_vec3 p)
{
    const float cell = v->body.grid.cell;
    bool found = false;
    for (int k = 0; k < 27 && !found; ++k) {
        const lmb_vec3 step = {(float)(k % 3 - 1), (float)(k / 3 % 3 - 1), (float)(k / 9 - 1)};
        found = v->body.cells[lmbi_grid_voxel_at(&v->body.grid, lmb_vec3_mad(p, step, cell))] != 0;
    }
    return found;
}

/// Ears and horns come in pairs, a muzzle does not. The other ear may be no limb tip, but there is
/// solid at its position.
static bool has_twin(const lmbi_body_shape *v, const lmbi_tip *tip)
{
    const float beside = 0.05f;
    const lmb_vec3 image = lmb_vec3_make(-tip->position.x, tip->position.y, tip->position.z);
    bool found = fabsf(image.x) > beside && is_solid_near(v, image);
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        found = found || (fabsf(image.x) > 0.015f && v->tips[t].voxel != tip->voxel &&
                          lmb_vec3_distance(v->tips[t].position, image) < 0.03f);
    }
    return found;
}

/// The muzzle: the farthest unpaired tip before z, or else the foremost voxel.
static uint32_t muzzle_of(const lmbi_body_shape *v, float z)
{
    float farthest = 0;
    uint32_t best = UINT32_MAX;
    const float low = 0.3f * v->body.centroid.y;
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        const lmbi_tip *tip = &v->tips[t];
        const float far = tip->geodesic - 0.5f * fabsf(tip->position.x);
        if (tip->position.z > z && tip->position.y > low && far > farthest && !has_twin(v, tip)) {
            farthest = far;
            best = tip->voxel;
        }
    }
    float foremost = -1e30f;
    const bool found = best != UINT32_MAX;
    for (uint32_t s = 0; s < v->body.solid_count && !found; ++s) {
        const lmb_vec3 p = v->body.at[s];
        if (p.z > foremost && p.y > v->body.centroid.y && fabsf(p.x) < ON_PLANE) {
            foremost = p.z;
            best = v->body.solid[s];
        }
    }
    return best == UINT32_MAX ? v->body.center : best;
}

static lmb_vec3 snap_to_plane(lmb_vec3 p)
{
    return fabsf(p.x) < 2 * ON_PLANE ? lmb_vec3_make(0, p.y, p.z) : p;
}

/// The first sample of the line that has passed the shoulders.
static uint32_t neck_of(const lmbi_limb_profile *line, float front, float length)
{
    uint32_t k = 2;
    while (k + 1 < line->count && line->at[k].z > front + 0.08f * length) {
        ++k;
    }
    return k;
}

/// The sample with the sharpest turn of at least 25 degrees; 0 if there is none.
static uint32_t sharpest_turn(const lmbi_limb_profile *line, uint32_t neck)
{
    const uint32_t wide = neck / 5 + 1;
    float least = 0.9f;
    uint32_t best = 0;
    for (uint32_t k = neck / 4 + wide; k + wide < 4 * neck / 5; ++k) {
        const lmb_vec3 before = lmb_vec3_sub(line->at[k], line->at[k - wide]),
                       after = lmb_vec3_sub(line->at[k + wide], line->at[k]);
        const float cosine = lmb_vec3_dot(before, after) /
                             fmaxf(lmb_vec3_length(before) * lmb_vec3_length(after), 1e-12f);
        if (cosine < least) {
            least = cosine;
            best = k;
        }
    }
    return best;
}

/// The sample whose depth exceeds a linear growth from muzzle to neck most; 0 if none exceeds it
/// clearly.
static uint32_t skull_of(const lmbi_limb_profile *line, uint32_t neck)
{
    const float low = line->depth[0], rise = line->depth[neck] - low;
    float best = 0.12f * fmaxf(line->depth[neck], low);
    uint32_t at = 0;
    for (uint32_t k = 2; k < 4 * neck / 5; ++k) {
        const float over = line->depth[k] - (low + rise * (float)k / (float)neck);
        if (over > best) {
            best = over;
            at = k;
        }
    }
    return at;
}

lmbi_head_line lmbi_head_find(const lmbi_body_shape *shape, float front, float length)
{
    lmbi_limb_profile line;
    lmbi_body_shape_trace_limb(shape, muzzle_of(shape, front), &line);
    const uint32_t neck = neck_of(&line, front, length);
    const uint32_t skull = skull_of(&line, neck), turn = sharpest_turn(&line, neck);
    lmbi_head_line head = {.muzzle = line.at[0], .neck = snap_to_plane(line.at[neck])};
    float at = 0.5f * (float)neck;
    head.sure = 0.6f;
    if (turn > 0) {
        at = (float)turn;
        head.sure = 0.75f;
    } else if (skull > 0) {
        at = fminf((float)skull + 0.7f * line.depth[skull] / fmaxf(line.step, 1e-6f),
                   0.5f * (float)(skull + neck));
        head.sure = 0.8f;
    }
    head.head = snap_to_plane(lmbi_limb_point(&line, at * line.step));
    return head;
}

/// The tip near the mirror plane that reaches farthest behind and is no foot, or -1.
static int32_t tail_tip(const lmbi_body_shape *v, float back, float low)
{
    int32_t best = -1;
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        const lmbi_tip *tip = &v->tips[t];
        const bool behind = tip->position.z < back && fabsf(tip->position.x) < 0.1f;
        if (behind && tip->position.y > 0.25f * low && tip->length > 0.035f &&
            (best < 0 || tip->geodesic > v->tips[best].geodesic)) {
            best = (int32_t)t;
        }
    }
    return best;
}

/// The sample where the tail becomes the trunk: it is thicker, or above the hips. 0 if the line
/// strays into a leg or ends below `low`.
static uint32_t tail_root(const lmbi_body_shape *v, const lmbi_tip *tip,
                          const lmbi_limb_profile *line, float back, float low)
{
    const float aside = fmaxf(0.06f, fabsf(line->at[0].x) + 0.02f);
    // A tail that is the farthest tip of all has no branch of its own.
    const float free = tip->length < 0.8f * tip->geodesic ? 1.15f * tip->length : 1e9f;
    uint32_t last = 2;
    while (last + 1 < line->count && line->at[last].z < back && (float)last * line->step < free) {
        ++last;
    }
    float thick = 0;
    for (uint32_t k = 0; k <= last / 2; ++k) {
        thick = fmaxf(thick, line->depth[k]);
        if (fabsf(line->at[k].x) > aside) {
            return 0;
        }
    }
    uint32_t root = last / 2 + 1;
    while (root < last && line->depth[root] < 1.5f * thick + v->body.grid.cell &&
           fabsf(line->at[root].x) < aside) {
        ++root;
    }
    return line->at[root].y > low + 0.2f * (v->body.centroid.y - low) ? root : 0;
}

/// A tail that lies against the legs has no medial line of its own: a straight line down from the
/// rump.
static void place_hanging_tail(const lmbi_body_shape *v, float back, lmb_vec3 tip,
                               lmbi_tail_line *out)
{
    float low = 0, high = v->body.centroid.y, z = back;
    lmbi_trunk_span(v, back, &low, &high);
    const float y = high - 0.15f * (high - low);
    for (uint32_t s = 0; s < v->body.solid_count; ++s) {
        const lmb_vec3 p = v->body.at[s];
        z = fabsf(p.x) < ON_PLANE && fabsf(p.y - y) < ON_PLANE ? fminf(z, p.z) : z;
    }
    const lmb_vec3 root = lmb_vec3_make(0, y, z + ON_PLANE);
    for (int k = 0; k < 4; ++k) {
        out->at[k] = lmb_vec3_lerp(root, tip, (float)k / 3);
    }
}

bool lmbi_tail_find(const lmbi_body_shape *shape, float back, float low, lmbi_tail_line *out)
{
    const int32_t tip = tail_tip(shape, back, low);
    if (tip < 0) {
        return false;
    }
    lmbi_limb_profile line;
    lmbi_body_shape_trace_limb(shape, shape->tips[tip].voxel, &line);
    const uint32_t root = tail_root(shape, &shape->tips[tip], &line, back, low);
    if (root == 0) {
        place_hanging_tail(shape, back, line.at[0], out);
        return true;
    }
    for (int k = 0; k < 4; ++k) {
        const float fraction = (float)(3 - k) / 3;
        out->at[k] = lmbi_limb_point(&line, fraction * (float)root * line.step);
        out->at[k] = fabsf(out->at[k].x) < ON_PLANE ? snap_to_plane(out->at[k]) : out->at[k];
    }
    return true;
}
