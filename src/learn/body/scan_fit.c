/// Pose and shape of a body by Levenberg and Marquardt's method on the distances of its vertices from their targets.
#include <math.h>
#include <string.h>

#include "learn/body/matrix.h"
#include "learn/body/scan_body.h"
#include "linalg/linalg.h"
#include "math/double.h"

/// Normal equations of one state: unknowns are three a joint (a rotation about axes of the model through the joint),
/// three of the translation, and the coefficients.
typedef struct equations {
    double *square; ///< [size][size] lower triangle
    double *right;  ///< [size]
    double cost;
} equations;

struct lmbi_scan_fitter {
    const lmbi_scan_body *body;
    lmbi_scan_shape *shape;
    const lmbi_scan_target *target;
    lmbi_scan_pose *pose;
    uint32_t size;
    equations at, next;
    double *work, *step; ///< [size][size], [size]
    lmbi_scan_shape kept_shape;
    lmbi_scan_pose kept_pose;
    double *
        shape_moves; ///< [joint_count][direction_count][3] of the skin of a joint by its own position
    // of one vertex
    double *below, *lever;       ///< [joint_count], [joint_count][3]
    uint32_t *columns, *touched; ///< [size], [joint_count]
    double (*derivatives)[3];    ///< [size]
};

typedef struct lmbi_scan_fitter fit;

// ---- memory

static bool equations_init(equations *e, lmbi_arena *arena, uint32_t size)
{
    e->square = lmbi_arena_array(arena, (size_t)size * size, sizeof(double));
    e->right = lmbi_arena_array(arena, size, sizeof(double));
    return e->square && e->right;
}

lmbi_scan_fitter *lmbi_scan_fitter_create(const lmbi_scan_body *body, uint32_t directions,
                                          lmbi_arena *arena)
{
    const uint32_t joints = body->joint_count;
    fit *f = lmbi_arena_array(arena, 1, sizeof *f);
    if (f == NULL) {
        return NULL;
    }
    f->body = body;
    f->size = 3 * joints + 3 + directions;
    f->work = lmbi_arena_array(arena, (size_t)f->size * f->size, sizeof(double));
    f->step = lmbi_arena_array(arena, f->size, sizeof(double));
    f->shape_moves = lmbi_arena_array(arena, (size_t)joints * directions, 3 * sizeof(double));
    f->below = lmbi_arena_array(arena, joints, sizeof(double));
    f->lever = lmbi_arena_array(arena, joints, 3 * sizeof(double));
    f->columns = lmbi_arena_array(arena, f->size, sizeof(uint32_t));
    f->touched = lmbi_arena_array(arena, joints, sizeof(uint32_t));
    f->derivatives = lmbi_arena_array(arena, f->size, sizeof *f->derivatives);
    lmbi_scan_shape *kept = &f->kept_shape;
    kept->rest = lmbi_arena_array(arena, directions ? body->vertex_count : 0, 3 * sizeof(double));
    kept->joints = lmbi_arena_array(arena, directions ? joints : 0, 3 * sizeof(double));
    kept->coefficients = lmbi_arena_array(arena, directions, sizeof(double));
    const bool ok = f->work && f->step && f->shape_moves && f->below && f->lever && f->columns &&
                    f->touched && f->derivatives && kept->rest && kept->joints &&
                    kept->coefficients && equations_init(&f->at, arena, f->size) &&
                    equations_init(&f->next, arena, f->size) &&
                    lmbi_scan_pose_init(body, arena, &f->kept_pose);
    return ok ? f : NULL;
}

static void copy_state(const fit *f, const lmbi_scan_shape *from, const lmbi_scan_pose *pose,
                       lmbi_scan_shape *shape_to, lmbi_scan_pose *pose_to)
{
    const size_t joints = f->body->joint_count, k = f->shape->direction_count;
    memcpy(pose_to->rotations, pose->rotations, 9 * joints * sizeof(double));
    memcpy(pose_to->translation, pose->translation, sizeof pose->translation);
    if (k > 0) {
        memcpy(shape_to->rest, from->rest, 3 * (size_t)f->body->vertex_count * sizeof(double));
        memcpy(shape_to->joints, from->joints, 3 * joints * sizeof(double));
        memcpy(shape_to->coefficients, from->coefficients, k * sizeof(double));
    }
}

// ---- the equations of a state

/// Where a coefficient moves the skin of a joint and of those below it: by a joint's own position j, they move by (R of
/// the parent - R of the joint) j, since that position rotates with the parent and is taken out before the joint rotates.
static void move_joints(fit *f)
{
    const uint32_t count = f->shape->direction_count;
    for (uint32_t j = 0; j < f->body->joint_count; ++j) {
        const int32_t parent = f->body->parents[j];
        for (uint32_t k = 0; k < count; ++k) {
            const double *d =
                f->shape->joint_directions + 3 * ((size_t)k * f->body->joint_count + j);
            double above[3], own[3];
            if (parent == LMB_NONE) {
                memcpy(above, d, sizeof above);
            } else {
                lmbi_m3_point(f->pose->global + 9 * (size_t)parent, d, above);
            }
            lmbi_m3_point(f->pose->global + 9 * (size_t)j, d, own);
            double *out = f->shape_moves + 3 * ((size_t)j * count + k);
            for (int c = 0; c < 3; ++c) {
                out[c] = above[c] - own[c];
            }
        }
    }
}

/// Sums, for the joints of a vertex and all above them, the weights of the joints at or below each and the points to
/// which these bring the vertex. Returns how many joints there are.
static uint32_t climb(const fit *f, uint32_t vertex, const double rest[3], double blend[9],
                      double point[3])
{
    const lmbi_scan_body *body = f->body;
    uint32_t count = 0;
    memset(blend, 0, 9 * sizeof *blend);
    memset(point, 0, 3 * sizeof *point);
    for (uint32_t k = body->row_first[vertex]; k < body->row_first[vertex + 1]; ++k) {
        const uint32_t joint = body->row_joints[k];
        const double w = body->row_weights[k], *global = f->pose->global + 9 * (size_t)joint;
        const double *at = f->shape->joints + 3 * (size_t)joint;
        const double from[3] = {rest[0] - at[0], rest[1] - at[1], rest[2] - at[2]};
        double to[3];
        lmbi_m3_point(global, from, to);
        for (size_t c = 0; c < 3; ++c) {
            to[c] += f->pose->origins[3 * (size_t)joint + c];
            point[c] += w * to[c];
        }
        for (int c = 0; c < 9; ++c) {
            blend[c] += w * global[c];
        }
        for (int32_t j = (int32_t)joint; w > 0 && j != LMB_NONE; j = body->parents[j]) {
            double *lever = f->lever + 3 * (size_t)j;
            if (!(f->below[j] > 0)) {
                f->touched[count++] = (uint32_t)j;
            }
            f->below[j] += w;
            for (int c = 0; c < 3; ++c) {
                lever[c] += w * to[c];
            }
        }
    }
    return count;
}

static uint32_t add_column(fit *f, uint32_t count, uint32_t column, double x, double y, double z)
{
    f->columns[count] = column;
    f->derivatives[count][0] = x;
    f->derivatives[count][1] = y;
    f->derivatives[count][2] = z;
    return count + 1;
}

/// Derivatives of a vertex. Returns how many unknowns move it.
static uint32_t fill_columns(fit *f, uint32_t vertex, uint32_t touched, const double blend[9])
{
    const uint32_t joints = f->body->joint_count, directions = f->shape->direction_count;
    uint32_t count = 0;
    for (uint32_t t = 0; t < touched; ++t) {
        const uint32_t j = f->touched[t];
        double a[3];
        for (size_t c = 0; c < 3; ++c) {
            a[c] = f->lever[3 * (size_t)j + c] - f->below[j] * f->pose->origins[3 * (size_t)j + c];
        }
        count = add_column(f, count, 3 * j, 0, -a[2], a[1]);
        count = add_column(f, count, 3 * j + 1, a[2], 0, -a[0]);
        count = add_column(f, count, 3 * j + 2, -a[1], a[0], 0);
    }
    for (uint32_t c = 0; c < 3; ++c) {
        count = add_column(f, count, 3 * joints + c, c == 0, c == 1, c == 2);
    }
    for (uint32_t k = 0; k < directions; ++k) {
        double d[3];
        lmbi_m3_point(
            blend, f->shape->vertex_directions + 3 * ((size_t)k * f->body->vertex_count + vertex),
            d);
        for (uint32_t t = 0; t < touched; ++t) {
            const uint32_t j = f->touched[t];
            const double *move = f->shape_moves + 3 * ((size_t)j * directions + k);
            for (int c = 0; c < 3; ++c) {
                d[c] += f->below[j] * move[c];
            }
        }
        count = add_column(f, count, 3 * joints + 3 + k, d[0], d[1], d[2]);
    }
    return count;
}

static void add_vertex(fit *f, equations *e, uint32_t vertex, double weight)
{
    double rest[3], blend[9], off[3];
    lmbi_scan_vertex_rest(f->body, f->shape->rest, f->pose, vertex, rest);
    const uint32_t touched = climb(f, vertex, rest, blend, off);
    const float *goal = &f->target->positions[vertex].x;
    for (int c = 0; c < 3; ++c) {
        off[c] = (double)goal[c] - off[c];
    }
    const uint32_t count = fill_columns(f, vertex, touched, blend);
    for (uint32_t t = 0; t < touched; ++t) {
        f->below[f->touched[t]] = 0;
        memset(f->lever + 3 * (size_t)f->touched[t], 0, 3 * sizeof(double));
    }
    if (f->target->normals) {
        lmbi_scan_slide(f->target->normals[vertex], off);
        for (uint32_t a = 0; a < count; ++a) {
            lmbi_scan_slide(f->target->normals[vertex], f->derivatives[a]);
        }
    }
    e->cost += weight * (off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
    for (uint32_t a = 0; a < count; ++a) {
        const double *d = f->derivatives[a];
        const size_t row = f->columns[a];
        e->right[row] += weight * (d[0] * off[0] + d[1] * off[1] + d[2] * off[2]);
        for (uint32_t b = 0; b < count; ++b) {
            const double *o = f->derivatives[b];
            if (f->columns[b] <= row) {
                e->square[row * f->size + f->columns[b]] +=
                    weight * (d[0] * o[0] + d[1] * o[1] + d[2] * o[2]);
            }
        }
    }
}

/// sin(angle) times the axis is half the antisymmetric part; over 2 cos(angle / 2) it is the sine of half.
void lmbi_scan_half_angle(const double *r, double out[3])
{
    const double half_cos = 0.5 * sqrt(fmax(1 + r[0] + r[4] + r[8], 1e-3));
    const double s = 0.25 / half_cos;
    out[0] = s * (r[7] - r[5]);
    out[1] = s * (r[2] - r[6]);
    out[2] = s * (r[3] - r[1]);
}

/// Joints toward rest: the vector part of a joint's quaternion moves by half the rotation.
static void add_priors(fit *f, equations *e)
{
    const uint32_t joints = f->body->joint_count;
    const double pose_weight = f->shape->pose_weight, weight = f->shape->coefficient_weight;
    for (uint32_t j = 1; pose_weight > 0 && j < joints; ++j) {
        const double *r = f->pose->rotations + 9 * (size_t)j;
        double half[3], pull[3];
        lmbi_scan_half_angle(r, half);
        lmbi_m3_point(f->pose->global + 9 * (size_t)f->body->parents[j], half, pull);
        for (size_t c = 0; c < 3; ++c) {
            const size_t at = 3 * (size_t)j + c;
            e->cost += pose_weight * half[c] * half[c];
            e->right[at] -= 0.5 * pose_weight * pull[c];
            e->square[at * f->size + at] += 0.25 * pose_weight;
        }
    }
    for (uint32_t k = 0; k < f->shape->direction_count; ++k) {
        const size_t at = 3 * (size_t)joints + 3 + k;
        const double b = f->shape->coefficients[k];
        e->cost += weight * b * b;
        e->right[at] -= weight * b;
        e->square[at * f->size + at] += weight;
    }
}

static void build(fit *f, equations *e)
{
    const double *weights = f->target->weights;
    double total = 0;
    memset(e->square, 0, (size_t)f->size * f->size * sizeof(double));
    memset(e->right, 0, f->size * sizeof(double));
    e->cost = 0;
    lmbi_scan_pose_update(f->body, f->shape->joints, f->pose);
    move_joints(f);
    for (uint32_t v = 0; v < f->body->vertex_count; ++v) {
        total += weights ? weights[v] : 1;
    }
    for (uint32_t v = 0; v < f->body->vertex_count; ++v) {
        const double w = weights ? weights[v] : 1;
        if (w > 0) {
            add_vertex(f, e, v, w / total);
        }
    }
    add_priors(f, e);
}

// ---- steps

/// Solves the damped equations into `step`. False where they are singular.
static bool solve(fit *f, double damping)
{
    double trace = 0;
    for (size_t r = 0; r < f->size; ++r) {
        trace += f->at.square[r * f->size + r];
        for (size_t c = 0; c <= r; ++c) {
            f->work[r * f->size + c] = f->work[c * f->size + r] = f->at.square[r * f->size + c];
        }
    }
    for (size_t r = 0; r < f->size; ++r) {
        f->work[r * f->size + r] *= 1 + damping;
        f->work[r * f->size + r] += 1e-9 * trace / f->size; // joints without skin
    }
    memcpy(f->step, f->at.right, f->size * sizeof(double));
    return lmbi_dense_solve(f->work, f->size, f->step, 1, NULL) == LMB_OK;
}

void lmbi_scan_pose_rotate(const lmbi_scan_body *body, const double *step, lmbi_scan_pose *pose)
{
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        double *local = pose->rotations + 9 * (size_t)j, by[9], w[3];
        double turned[3][3], fixed[3][3];
        const int32_t parent = body->parents[j];
        memcpy(w, step + 3 * (size_t)j, sizeof w);
        if (parent != LMB_NONE) {
            lmbi_m3_transpose_point(pose->global + 9 * (size_t)parent, step + 3 * (size_t)j, w);
        }
        lmbi_m3_rotation_by(w, by);
        lmbi_m3_mul(by, local, &turned[0][0]);
        // Back to a rotation: errors of rounding would add up over many steps.
        lmbi_polar3((const double(*)[3])turned, fixed);
        memcpy(local, fixed, sizeof fixed);
    }
}

static void apply_step(fit *f)
{
    const uint32_t joints = f->body->joint_count, n = f->body->vertex_count;
    lmbi_scan_pose_rotate(f->body, f->step, f->pose);
    for (size_t c = 0; c < 3; ++c) {
        f->pose->translation[c] += f->step[3 * (size_t)joints + c];
    }
    for (uint32_t k = 0; k < f->shape->direction_count; ++k) {
        const double by = f->step[3 * joints + 3 + k];
        const double *vertices = f->shape->vertex_directions + 3 * (size_t)k * n;
        const double *moves = f->shape->joint_directions + 3 * (size_t)k * joints;
        f->shape->coefficients[k] += by;
        for (size_t i = 0; i < 3 * (size_t)n; ++i) {
            f->shape->rest[i] += by * vertices[i];
        }
        for (size_t i = 0; i < 3 * (size_t)joints; ++i) {
            f->shape->joints[i] += by * moves[i];
        }
    }
}

static const double START_DAMPING = 1e-3, LEAST_DAMPING = 1e-9, MOST_DAMPING = 1e3;
/// A step that gains less than this fraction of the cost is the last.
static const double LEAST_GAIN = 1e-3;

static void descend(fit *f, uint32_t most)
{
    double damping = START_DAMPING;
    build(f, &f->at);
    for (uint32_t k = 0; k < most && f->at.cost > 0; ++k) {
        copy_state(f, f->shape, f->pose, &f->kept_shape, &f->kept_pose);
        if (solve(f, damping)) {
            apply_step(f);
            build(f, &f->next);
            if (f->next.cost < f->at.cost) {
                const bool last = f->at.cost - f->next.cost < LEAST_GAIN * f->at.cost;
                const equations better = f->next;
                f->next = f->at;
                f->at = better;
                damping = fmax(damping * 0.1, LEAST_DAMPING);
                if (last) {
                    return;
                }
                continue;
            }
        }
        copy_state(f, &f->kept_shape, &f->kept_pose, f->shape, f->pose);
        lmbi_scan_pose_update(f->body, f->shape->joints, f->pose);
        move_joints(f);
        damping *= 10;
        if (damping > MOST_DAMPING) {
            return;
        }
    }
}

void lmbi_scan_fit(lmbi_scan_fitter *fitter, lmbi_scan_shape *shape, const lmbi_scan_target *target,
                   uint32_t most, lmbi_scan_pose *pose)
{
    fitter->shape = shape;
    fitter->target = target;
    fitter->pose = pose;
    descend(fitter, most);
}

void lmbi_scan_square(lmbi_scan_fitter *fitter, lmbi_scan_shape *shape,
                      const lmbi_scan_target *target, lmbi_scan_pose *pose, double *square)
{
    fitter->shape = shape;
    fitter->target = target;
    fitter->pose = pose;
    build(fitter, &fitter->at);
    memcpy(square, fitter->at.square, (size_t)fitter->size * fitter->size * sizeof *square);
}
