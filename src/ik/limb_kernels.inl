/// The closed forms of two_bone.c and aim.c on wide lanes. Both sides of a branch are computed and
/// one selected.
#include "ik/limb_kernels.h"
#include "simd/wide.h"

typedef struct wide3 {
    lmbi_wide x, y, z;
} wide3;

typedef struct wide4 {
    lmbi_wide x, y, z, w;
} wide4;

#define TINY 1e-12f
#define STRAIGHT 0.17f

LMBI_WIDE lmbi_wide splat(float x)
{
    return lmbi_wide_splat(x);
}

LMBI_WIDE wide3 load3(const lmb_lanes3 *from, size_t at)
{
    return (wide3){lmbi_wide_load(from->x + at), lmbi_wide_load(from->y + at),
                   lmbi_wide_load(from->z + at)};
}

LMBI_WIDE wide3 splat3(lmb_vec3 v)
{
    return (wide3){splat(v.x), splat(v.y), splat(v.z)};
}

LMBI_WIDE wide3 load3_or(const lmb_lanes3 *from, size_t at, lmb_vec3 otherwise)
{
    return from->x ? load3(from, at) : splat3(otherwise);
}

LMBI_WIDE void store4(const lmb_lanes4 *to, size_t at, wide4 q)
{
    lmbi_wide_store(to->x + at, q.x);
    lmbi_wide_store(to->y + at, q.y);
    lmbi_wide_store(to->z + at, q.z);
    lmbi_wide_store(to->w + at, q.w);
}

LMBI_WIDE wide3 sub(wide3 a, wide3 b)
{
    return (wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LMBI_WIDE wide3 add(wide3 a, wide3 b)
{
    return (wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LMBI_WIDE wide3 scale(wide3 a, lmbi_wide s)
{
    return (wide3){a.x * s, a.y * s, a.z * s};
}

LMBI_WIDE wide3 mad(wide3 a, wide3 b, lmbi_wide s)
{
    return add(a, scale(b, s));
}

LMBI_WIDE lmbi_wide dot(wide3 a, wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LMBI_WIDE wide3 cross(wide3 a, wide3 b)
{
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LMBI_WIDE wide3 select3(lmbi_wide_int mask, wide3 a, wide3 b)
{
    return (wide3){lmbi_wide_select(mask, a.x, b.x), lmbi_wide_select(mask, a.y, b.y),
                   lmbi_wide_select(mask, a.z, b.z)};
}

LMBI_WIDE wide4 select4(lmbi_wide_int mask, wide4 a, wide4 b)
{
    return (wide4){lmbi_wide_select(mask, a.x, b.x), lmbi_wide_select(mask, a.y, b.y),
                   lmbi_wide_select(mask, a.z, b.z), lmbi_wide_select(mask, a.w, b.w)};
}

LMBI_WIDE lmbi_wide clamp(lmbi_wide x, lmbi_wide low, lmbi_wide high)
{
    return lmbi_wide_min(lmbi_wide_max(x, low), high);
}

LMBI_WIDE lmbi_wide_int is_less(lmbi_wide a, lmbi_wide b)
{
    return (lmbi_wide_int)(a < b);
}

LMBI_WIDE wide3 unit_or(wide3 v, wide3 fallback)
{
    const lmbi_wide square = dot(v, v);
    const lmbi_wide_int has = is_less(splat(1e-30f), square) & is_less(square, splat(INFINITY));
    return select3(has, scale(v, splat(1.0f) / lmbi_wide_sqrt(square)), fallback);
}

LMBI_WIDE wide3 perpendicular(wide3 a)
{
    const lmbi_wide x = lmbi_wide_abs(a.x), y = lmbi_wide_abs(a.y), z = lmbi_wide_abs(a.z),
                    zero = splat(0.0f);
    const lmbi_wide_int is_x = (lmbi_wide_int)(x <= y) & (lmbi_wide_int)(x <= z),
                        is_y = (lmbi_wide_int)(y <= z);
    const wide3 by_z = {a.y, -a.x, zero}, by_y = {-a.z, zero, a.x}, by_x = {zero, a.z, -a.y};
    return unit_or(select3(is_x, by_x, select3(is_y, by_y, by_z)), splat3((lmb_vec3){1, 0, 0}));
}

LMBI_WIDE wide4 quat_scale(wide4 q, lmbi_wide s)
{
    return (wide4){q.x * s, q.y * s, q.z * s, q.w * s};
}

LMBI_WIDE lmbi_wide quat_dot(wide4 a, wide4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

LMBI_WIDE wide4 quat_renormalize(wide4 q)
{
    return quat_scale(q, splat(1.5f) - splat(0.5f) * quat_dot(q, q));
}

LMBI_WIDE wide4 quat_mul(wide4 a, wide4 b)
{
    return (wide4){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                   a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                   a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

LMBI_WIDE wide3 quat_rotate(wide4 q, wide3 v)
{
    const wide3 u = {q.x, q.y, q.z}, t = scale(cross(u, v), splat(2.0f));
    return add(mad(v, t, q.w), cross(u, t));
}

/// As lmbi_quat_between.
LMBI_WIDE wide4 quat_between(wide3 from, wide3 to)
{
    const wide3 h = add(from, to), c = cross(from, h), axis = perpendicular(from);
    const lmbi_wide w = splat(0.5f) * dot(h, h),
                    s = splat(1.0f) / lmbi_wide_sqrt(dot(c, c) + w * w);
    const wide4 rotation = {c.x * s, c.y * s, c.z * s, w * s},
                half = {axis.x, axis.y, axis.z, splat(0.0f)};
    return select4(is_less(w, splat(1e-10f)), half, rotation);
}

/// As lmbi_quat_about: half-angle from cosine and sine.
LMBI_WIDE wide4 quat_about(wide3 axis, wide3 from, wide3 to)
{
    const wide3 a = mad(from, axis, -dot(from, axis)), b = mad(to, axis, -dot(to, axis));
    const lmbi_wide sine = dot(axis, cross(a, b)), cosine = dot(a, b);
    const lmbi_wide whole = lmbi_wide_sqrt(sine * sine + cosine * cosine), w = whole + cosine;
    const lmbi_wide s = splat(1.0f) / lmbi_wide_sqrt(sine * sine + w * w), x = sine * s,
                    zero = splat(0.0f);
    const wide4 rotation = {axis.x * x, axis.y * x, axis.z * x, w * s},
                half = {axis.x, axis.y, axis.z, zero};
    const wide4 none = {zero, zero, zero, splat(1.0f)};
    const wide4 some = select4(is_less(w, splat(1e-6f) * whole), half, rotation);
    return select4(is_less(splat(1e-20f), whole), some, none);
}

// -------------------------------------------------------------------------------------- two bones

LMBI_WIDE lmbi_wide soft_distance(lmbi_wide distance, lmbi_wide length, float soft)
{
    const lmbi_wide s = length * splat(soft), a = length - s;
    const lmbi_wide r = splat(4.0f) / ((distance - a) / s + splat(4.0f)), r2 = r * r;
    const lmbi_wide_int is_far = is_less(a, distance) & is_less(splat(0.0f), s);
    return lmbi_wide_select(is_far, a + s * (splat(1.0f) - r2 * r2), distance);
}

LMBI_WIDE wide3 across_or(wide3 along, wide3 hinge, wide3 otherwise)
{
    const wide3 across = mad(hinge, along, -dot(hinge, along));
    const lmbi_wide square = dot(across, across), whole = dot(hinge, hinge);
    const lmbi_wide_int has = is_less(splat(1e-4f) * whole, square) & is_less(splat(TINY), whole);
    return select3(has, scale(across, splat(1.0f) / lmbi_wide_sqrt(square)), otherwise);
}

LMBI_WIDE wide3 bend_axis(wide3 upper, wide3 lower, wide3 hinge, lmbi_wide size)
{
    const wide3 normal = cross(upper, lower), down = splat3((lmb_vec3){0, -1, 0}),
                right = splat3((lmb_vec3){1, 0, 0});
    const lmbi_wide area = lmbi_wide_sqrt(dot(normal, normal)), zero = splat(0.0f),
                    straight = splat(STRAIGHT) * size;
    const wide3 plane = scale(normal, splat(1.0f) / area), along = unit_or(add(upper, lower), down);
    const wide3 across = across_or(along, hinge, across_or(along, right, perpendicular(along)));
    const lmbi_wide_int has_hinge = is_less(splat(TINY), dot(hinge, hinge)),
                        has_plane = is_less(splat(1e-4f) * size, area);
    const lmbi_wide own = clamp(area / straight, zero, splat(1.0f));
    const wide3 mixed = unit_or(add(across, scale(sub(plane, across), own)), across);
    const lmbi_wide_int clear =
        (lmbi_wide_int)(area >= straight) & is_less(zero, dot(normal, hinge));
    const lmbi_wide_int takes_across = ~has_plane | is_less(dot(normal, across), zero);
    return select3(has_plane & (~has_hinge | clear), plane, select3(takes_across, across, mixed));
}

LMBI_WIDE wide3 bend_bone(wide3 upper, wide3 axis, lmbi_wide cosine)
{
    const wide3 about = unit_or(mad(axis, upper, -dot(axis, upper)), perpendicular(upper));
    const lmbi_wide sine =
        lmbi_wide_sqrt(lmbi_wide_max(splat(1.0f) - cosine * cosine, splat(0.0f)));
    return add(scale(upper, cosine), scale(cross(about, upper), sine));
}

LMBI_WIDE wide4 or_none(lmbi_wide_int holds, wide4 q)
{
    const lmbi_wide zero = splat(0.0f);
    const wide4 none = {zero, zero, zero, splat(1.0f)};
    return select4(holds, q, none);
}

static void two_bone(const lmb_two_bone_batch_job *job)
{
    const float soft = job->soft < 0.0f ? 0.0f : (job->soft > 0.5f ? 0.5f : job->soft);
    const lmbi_wide one = splat(1.0f), zero = splat(0.0f);
    for (size_t i = 0; i < job->count; i += LMBI_LANES) {
        const wide3 start = load3(&job->start, i), mid = load3(&job->mid, i),
                    end = load3(&job->end, i);
        const wide3 hinge = load3_or(&job->hinge, i, job->common_hinge),
                    pole = load3_or(&job->pole, i, job->common_pole);
        const wide3 upper = sub(mid, start), lower = sub(end, mid),
                    to_goal = sub(load3(&job->goal, i), start);
        const lmbi_wide aa = dot(upper, upper), bb = dot(lower, lower), a = lmbi_wide_sqrt(aa),
                        b = lmbi_wide_sqrt(bb);
        const lmbi_wide distance = lmbi_wide_sqrt(dot(to_goal, to_goal)), length = a + b;
        const lmbi_wide least = lmbi_wide_abs(a - b) + splat(1e-4f) * length,
                        most = length * splat(1.0f - 1e-6f);
        const lmbi_wide d = clamp(soft_distance(distance, length, soft), least, most);
        const lmbi_wide cosine = clamp((d * d - aa - bb) / (splat(2.0f) * a * b), -one, one);
        const wide3 from_upper = scale(upper, one / a);
        const wide3 shin = bend_bone(from_upper, bend_axis(upper, lower, hinge, a * b), cosine);
        const wide4 bend = quat_between(scale(lower, one / b), shin);
        const wide3 from = unit_or(mad(upper, shin, b), from_upper);
        const wide3 toward =
            select3(is_less(splat(TINY), distance), scale(to_goal, one / distance), from);
        const wide4 swing = quat_between(from, toward);
        const wide4 rolled =
            quat_renormalize(quat_mul(quat_about(toward, quat_rotate(swing, upper), pole), swing));
        const wide4 rotation = select4(is_less(splat(TINY), dot(pole, pole)), rolled, swing);
        const lmbi_wide_int is_limb =
            is_less(splat(TINY), a) & is_less(splat(TINY), b) & is_less(distance, splat(INFINITY));
        const lmbi_wide_int holds = is_limb & is_less(quat_dot(rotation, rotation), splat(2.0f)) &
                                    is_less(quat_dot(bend, bend), splat(2.0f));
        store4(&job->start_rotation, i, or_none(holds, rotation));
        store4(&job->mid_rotation, i, or_none(holds, bend));
        if (job->reach) {
            lmbi_wide_store(job->reach + i, lmbi_wide_select(is_limb, distance / length, zero));
        }
    }
}

// ----------------------------------------------------------------------------------------- aiming

static void aim(const lmb_aim_batch_job *job)
{
    const wide3 forward = unit_or(splat3(job->forward), splat3((lmb_vec3){0, 0, 1})),
                offset = splat3(job->offset);
    const wide3 up = splat3(job->up), pole = splat3(job->pole);
    const lmbi_wide zero = splat(0.0f), one = splat(1.0f), along = dot(offset, forward);
    const lmbi_wide beside = along * along - dot(offset, offset);
    const lmbi_wide_int rolls = is_less(zero, dot(up, up)) & is_less(zero, dot(pole, pole));
    for (size_t i = 0; i < job->count; i += LMBI_LANES) {
        const wide4 rotation = {
            lmbi_wide_load(job->rotation.x + i), lmbi_wide_load(job->rotation.y + i),
            lmbi_wide_load(job->rotation.z + i), lmbi_wide_load(job->rotation.w + i)};
        const wide3 to_target = sub(load3(&job->target, i), load3(&job->position, i));
        const lmbi_wide square = dot(to_target, to_target), under = beside + square;
        const lmbi_wide s = lmbi_wide_sqrt(lmbi_wide_max(under, zero)) - along;
        const wide3 from = quat_rotate(rotation, unit_or(mad(offset, forward, s), forward));
        const wide3 toward = scale(to_target, one / lmbi_wide_sqrt(square));
        wide4 rotated = quat_mul(quat_between(from, toward), rotation);
        if (lmbi_wide_any(rolls)) { // the same in all lanes
            rotated = quat_mul(quat_about(toward, quat_rotate(rotated, up), pole), rotated);
        }
        rotated = quat_renormalize(rotated);
        const lmbi_wide_int can = is_less(zero, square) & is_less(square, splat(INFINITY)) &
                                  is_less(quat_dot(rotated, rotated), splat(2.0f));
        store4(&job->rotated, i, select4(can, rotated, rotation));
    }
}

const lmbi_limb_kernels LMBI_TABLE(lmbi_limb) = {two_bone, aim};
