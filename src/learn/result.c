/// The learned rig in units of the mesh, and its error.
#include "learn/learn.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "linalg/linalg.h"

/// Smaller weights are dropped.
static const float LEAST_WEIGHT = 1e-6f;

double lmbi_learn_e_rms(const lmbi_learn *p, double mean_square)
{
    const lmb_box box = lmb_box_of(p->def->rest, p->def->vertex_count);
    const double diagonal = (double)lmb_vec3_distance(box.low, box.high);
    return 1000 * p->size * sqrt(mean_square / 3) * 2 / diagonal;
}

// ---- rows

/// The row of a point as floats that sum to 1; returns its length.
static uint32_t float_row(const lmbi_learn *p, uint32_t point, lmb_influence *out)
{
    const size_t first = (size_t)point * p->influences;
    uint32_t count = 0;
    float sum = 0;
    for (uint32_t k = 0; k < p->influences; ++k) {
        const float weight = (float)p->row_weights[first + k];
        if (weight > LEAST_WEIGHT) {
            out[count++] = (lmb_influence){p->row_bones[first + k], weight};
            sum += weight;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        out[k].weight /= sum;
    }
    return count;
}

bool lmbi_learn_rows(const lmbi_learn *p, lmbi_arena *arena, lmb_influences *out)
{
    const size_t n = p->def->vertex_count;
    out->first = lmbi_arena_array(arena, n + 1, sizeof(uint32_t));
    out->items = lmbi_arena_array(arena, n, p->influences * sizeof(lmb_influence));
    if (!out->first || !out->items) {
        return false;
    }
    for (size_t v = 0; v < n; ++v) {
        const uint32_t at = out->first[v];
        out->first[v + 1] = at + float_row(p, p->point_of[v], out->items + at);
    }
    return true;
}

// ---- bones

/// Centroid of the points that a bone moves, by squared weight.
static void find_centroid(const lmbi_learn *p, uint32_t bone, double out[3])
{
    double total = 0;
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t k = p->list_first[bone]; k < p->list_first[bone + 1]; ++k) {
        const double w = p->list_weights[k] * p->list_weights[k];
        const double *x = p->rest + 3 * (size_t)p->list_points[k];
        total += w;
        for (int c = 0; c < 3; ++c) {
            out[c] += w * x[c];
        }
    }
    for (int c = 0; c < 3 && total > 0; ++c) {
        out[c] /= total;
    }
}

static lmb_vec3 to_mesh_units(const double *center, double size, const double x[3])
{
    return lmb_vec3_make((float)(center[0] + size * x[0]), (float)(center[1] + size * x[1]),
                         (float)(center[2] + size * x[2]));
}

/// Rows of the nearest rotation.
static void nearest_rotation(const double b[12], double out[3][3])
{
    double linear[3][3];
    for (int r = 0; r < 3; ++r) {
        memcpy(linear[r], b + 4 * r, sizeof linear[r]);
    }
    lmbi_polar3((const double(*)[3])linear, out);
}

static lmb_transform read_joint(const lmbi_learn *p, uint32_t bone, uint32_t frame,
                                const double joint[3])
{
    double b[12], x[3];
    for (uint32_t e = 0; e < 12; ++e) {
        b[e] = lmbi_learn_bone(p, bone, e)[frame];
    }
    for (size_t r = 0; r < 3; ++r) {
        x[r] =
            b[4 * r] * joint[0] + b[4 * r + 1] * joint[1] + b[4 * r + 2] * joint[2] + b[4 * r + 3];
    }
    double q[3][3] = {{b[0], b[1], b[2]}, {b[4], b[5], b[6]}, {b[8], b[9], b[10]}};
    if (p->fits_affine) {
        nearest_rotation(b, q);
    }
    return (lmb_transform){
        to_mesh_units(p->frame_centers + 3 * (size_t)frame, p->size, x),
        lmb_quat_from_axes(lmb_vec3_make((float)q[0][0], (float)q[1][0], (float)q[2][0]),
                           lmb_vec3_make((float)q[0][1], (float)q[1][1], (float)q[2][1]),
                           lmb_vec3_make((float)q[0][2], (float)q[1][2], (float)q[2][2])),
        {1, 1, 1}};
}

/// model_from_joint of an affine bone in mesh units.
static lmb_mat4 read_affine_joint(const lmbi_learn *p, uint32_t bone, uint32_t frame,
                                  lmb_transform joint)
{
    lmb_mat4 out = lmb_mat4_identity();
    for (uint32_t r = 0; r < 3; ++r) {
        for (uint32_t c = 0; c < 3; ++c) {
            out.m[4 * c + r] = (float)lmbi_learn_bone(p, bone, 4 * r + c)[frame];
        }
    }
    out.m[12] = joint.translation.x;
    out.m[13] = joint.translation.y;
    out.m[14] = joint.translation.z;
    return out;
}

static bool write_bones(const lmbi_learn *p, const lmbi_learn_tree *tree, lmbi_arena *arena,
                        lmb_learned *l)
{
    const uint32_t count = l->bone_count;
    l->parents = lmbi_arena_array(arena, count, sizeof *l->parents);
    l->joints = lmbi_arena_array(arena, count, sizeof *l->joints);
    l->slides = lmbi_arena_array(arena, count, sizeof *l->slides);
    l->motion = lmbi_arena_array(arena, (size_t)count * l->frame_count, sizeof *l->motion);
    if (p->fits_affine) {
        l->affine = lmbi_arena_array(arena, (size_t)count * l->frame_count, sizeof *l->affine);
    }
    if (!l->parents || !l->joints || !l->slides || !l->motion || (p->fits_affine && !l->affine)) {
        return false;
    }
    for (uint32_t j = 0; j < count; ++j) {
        double joint[3];
        find_centroid(p, j, joint);
        l->parents[j] = tree ? tree->parents[j] : LMB_NONE;
        l->slides[j] = tree && tree->slides[j];
        if (tree) {
            memcpy(joint, tree->joints + 3 * (size_t)j, sizeof joint);
        }
        l->joints[j] = to_mesh_units(p->center, p->size, joint);
        for (uint32_t k = 0; k < l->frame_count; ++k) {
            const size_t at = (size_t)k * count + j;
            l->motion[at] = read_joint(p, j, k, joint);
            if (l->affine) {
                l->affine[at] = read_affine_joint(p, j, k, l->motion[at]);
            }
        }
    }
    return true;
}

/// The rest shape that was solved for.
static bool write_rest(const lmbi_learn *p, lmbi_arena *arena, lmb_learned *l)
{
    if (!p->opts.move_rest) {
        return true;
    }
    l->rest = lmbi_arena_array(arena, l->vertex_count, sizeof *l->rest);
    for (uint32_t v = 0; l->rest && v < l->vertex_count; ++v) {
        l->rest[v] = to_mesh_units(p->center, p->size, p->rest + 3 * (size_t)p->point_of[v]);
    }
    return l->rest != NULL;
}

// ---- errors, of what comes out

typedef struct vec {
    double x[3];
} vec;

static vec rotate(lmb_quat q, vec v)
{
    const double a[3] = {(double)q.x, (double)q.y, (double)q.z}, w = (double)q.w;
    const double c[3] = {a[1] * v.x[2] - a[2] * v.x[1] + w * v.x[0],
                         a[2] * v.x[0] - a[0] * v.x[2] + w * v.x[1],
                         a[0] * v.x[1] - a[1] * v.x[0] + w * v.x[2]};
    vec out = {{v.x[0] + 2 * (a[1] * c[2] - a[2] * c[1]), v.x[1] + 2 * (a[2] * c[0] - a[0] * c[2]),
                v.x[2] + 2 * (a[0] * c[1] - a[1] * c[0])}};
    return out;
}

/// A point relative to the joint, moved by the bone.
static vec move_point(const lmb_learned *l, size_t at, vec v)
{
    vec out = rotate(l->motion[at].rotation, v);
    const float *m = l->affine ? l->affine[at].m : NULL;
    for (int r = 0; m && r < 3; ++r) {
        out.x[r] = (double)m[r] * v.x[0] + (double)m[4 + r] * v.x[1] + (double)m[8 + r] * v.x[2];
    }
    return out;
}

static double square_error(const lmb_learn_def *def, const lmb_learned *l, uint32_t v,
                           uint32_t frame)
{
    const lmb_vec3 u = l->rest ? l->rest[v] : def->rest[v], goal = def->frames[frame][v];
    double d[3] = {-(double)goal.x, -(double)goal.y, -(double)goal.z};
    for (uint32_t k = l->influences.first[v]; k < l->influences.first[v + 1]; ++k) {
        const lmb_influence in = l->influences.items[k];
        const size_t bone = (size_t)frame * l->bone_count + in.joint;
        const lmb_vec3 joint = l->joints[in.joint], o = l->motion[bone].translation;
        const vec at =
            move_point(l, bone,
                       (vec){{(double)u.x - (double)joint.x, (double)u.y - (double)joint.y,
                              (double)u.z - (double)joint.z}});
        const double position[3] = {(double)o.x + at.x[0], (double)o.y + at.x[1],
                                    (double)o.z + at.x[2]};
        for (int c = 0; c < 3; ++c) {
            d[c] += (double)in.weight * position[c];
        }
    }
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static void measure_errors(const lmbi_learn *p, const lmb_learned *l, lmb_learn_report *report)
{
    double sum = 0, most = 0;
    for (uint32_t k = 0; k < l->frame_count; ++k) {
        for (uint32_t v = 0; v < l->vertex_count; ++v) {
            const double square = square_error(p->def, l, v, k);
            sum += square;
            most = square > most ? square : most;
        }
    }
    const double mean = sum / ((double)l->vertex_count * l->frame_count);
    report->bone_count = l->bone_count;
    for (uint32_t j = 0; j < l->bone_count; ++j) {
        report->sliding_count += l->slides[j];
    }
    const lmb_box box = lmb_box_of(p->def->rest, p->def->vertex_count);
    report->rms = (float)sqrt(mean);
    report->rms_percent = (float)(100 * sqrt(mean) / (double)lmb_vec3_distance(box.low, box.high));
    report->max = (float)sqrt(most);
    report->e_rms = (float)lmbi_learn_e_rms(p, mean / (p->size * p->size));
}

// ---- the whole

static void *copy_learned(lmbi_block *block, const void *definition)
{
    const lmb_learned *def = definition;
    lmb_learned copy = *def, *learned = lmbi_block_array(block, def, 1, sizeof *def);
    const size_t count = def->bone_count, n = def->vertex_count;
    copy.parents = lmbi_block_array(block, def->parents, count, sizeof *def->parents);
    copy.joints = lmbi_block_array(block, def->joints, count, sizeof *def->joints);
    copy.slides = lmbi_block_array(block, def->slides, count, sizeof *def->slides);
    copy.motion =
        lmbi_block_array(block, def->motion, count * def->frame_count, sizeof *def->motion);
    copy.affine =
        lmbi_block_array(block, def->affine, count * def->frame_count, sizeof *def->affine);
    copy.rest = lmbi_block_array(block, def->rest, n, sizeof *def->rest);
    copy.influences.first =
        lmbi_block_array(block, def->influences.first, n + 1, sizeof *def->influences.first);
    copy.influences.items = lmbi_block_array(block, def->influences.items, def->influences.first[n],
                                             sizeof *def->influences.items);
    if (learned) {
        *learned = copy;
    }
    return learned;
}

lmb_result lmbi_learn_result(const lmbi_learn *p, const lmbi_learn_tree *tree,
                             const lmb_allocator *alloc, lmb_learned **out,
                             lmb_learn_report *report, lmb_error *error)
{
    lmb_learned def = {.bone_count = p->bone_count,
                       .frame_count = p->frame_count,
                       .vertex_count = p->def->vertex_count,
                       .allocator = alloc ? *alloc : (lmb_allocator){0}};
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_learned *created = NULL;
    if (lmbi_learn_rows(p, &arena, &def.influences) && write_bones(p, tree, &arena, &def) &&
        write_rest(p, &arena, &def)) {
        measure_errors(p, &def, report);
        created = lmbi_block_build(copy_learned, &def, alloc);
    }
    lmbi_arena_free(&arena);
    if (!created) {
        return lmbi_fail_memory(error);
    }
    *out = created;
    return LMB_OK;
}

float lmb_learned_slide(const lmb_learned *learned, uint32_t bone)
{
    double sum = 0;
    const int32_t above = learned->parents[bone];
    for (size_t f = 0; above != LMB_NONE && f < learned->frame_count; ++f) {
        const lmb_transform *at = learned->motion + f * learned->bone_count;
        const lmb_vec3 arm = lmb_vec3_sub(learned->joints[bone], learned->joints[above]);
        const double d =
            (double)lmb_vec3_distance(lmb_transform_point(at[above], arm), at[bone].translation);
        sum += d * d;
    }
    return learned->frame_count > 0 ? (float)sqrt(sum / learned->frame_count) : 0;
}
