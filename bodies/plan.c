// Fills in a plan, and adds lumps.
#include "bodies/body.h"

#include "limber/asset.h"

#include <string.h>

void lmbi_plan_init(lmbi_plan *plan, const lmb_allocator *alloc)
{
    memset(plan, 0, sizeof *plan);
    plan->alloc = alloc;
}

void lmbi_plan_free(lmbi_plan *plan)
{
    for (uint32_t i = 0; i < plan->shell_count; ++i) {
        lmbi_implicit_free(&plan->shells[i].field);
    }
    plan->shell_count = 0;
}

int lmbi_plan_bone(lmbi_plan *plan, const char *name, int parent, lmb_vec3 at)
{
    lmbi_bone *b = &plan->bones[plan->bone_count];
    b->name = name;
    b->parent = parent;
    b->present = true;
    b->at = at;
    b->rotation = lmb_quat_identity();
    return (int)plan->bone_count++;
}

static float linear_of(uint32_t byte)
{
    const float s = (float)byte / 255.0f;
    return s <= 0.04045f ? s / 12.92f : lmb_exp(2.4f * lmb_log((s + 0.055f) / 1.055f));
}

lmbi_implicit *lmbi_plan_begin(lmbi_plan *plan, const char *name, const char *pose, float height,
                               float weight_falloff)
{
    plan->name = name;
    plan->pose = pose;
    plan->height = height;
    plan->weight_falloff = weight_falloff;
    return lmbi_plan_shell(plan, "body");
}

uint16_t lmbi_plan_material(lmbi_plan *plan, const char *name, uint32_t srgb, float roughness)
{
    const uint32_t k = plan->material_count++;
    plan->materials[k].name = name;
    plan->materials[k].roughness = roughness;
    const lmb_vec4 color = {linear_of(srgb >> 16 & 255), linear_of(srgb >> 8 & 255),
                            linear_of(srgb & 255), 1.0f};
    plan->materials[k].color = color;
    return (uint16_t)k;
}

void lmbi_plan_eye_colors(lmbi_plan *plan, uint32_t white, uint32_t iris, uint32_t pupil)
{
    plan->eye_white = lmbi_plan_material(plan, "eye", white, 0.2f);
    plan->iris = lmbi_plan_material(plan, "iris", iris, 0.2f);
    plan->pupil = lmbi_plan_material(plan, "pupil", pupil, 0.1f);
}

void lmbi_plan_eye(lmbi_plan *plan, lmbi_eye eye)
{
    plan->eyes[plan->eye_count++] = eye;
}

lmbi_implicit *lmbi_plan_shell(lmbi_plan *plan, const char *name)
{
    lmbi_shell *s = &plan->shells[plan->shell_count++];
    s->name = name;
    lmbi_implicit_init(&s->field, plan->alloc);
    return &s->field;
}

static lmb_transform rotation_about(lmb_vec3 at, lmb_quat rotation)
{
    lmb_transform t = lmb_transform_identity();
    t.rotation = rotation;
    t.translation = lmb_vec3_sub(at, lmb_quat_rotate(rotation, at));
    return t;
}

void lmbi_plan_pose(lmbi_plan *plan)
{
    lmb_transform posed[LMBI_BONES];
    for (uint32_t i = 0; i < plan->bone_count; ++i) {
        lmbi_bone *b = &plan->bones[i];
        const lmb_transform own = rotation_about(b->at, b->rotation);
        b->posed_from_rest = b->parent == LMB_NONE
                                 ? own
                                 : lmb_transform_mul(plan->bones[b->parent].posed_from_rest, own);
        posed[i] = b->posed_from_rest;
    }
    for (uint32_t i = 0; i < plan->bone_count; ++i) {
        plan->bones[i].at = lmb_transform_point(posed[i], plan->bones[i].at);
    }
    for (uint32_t i = 0; i < plan->shell_count; ++i) {
        lmbi_implicit_pose(&plan->shells[i].field, posed);
    }
    for (uint32_t i = 0; i < plan->eye_count; ++i) {
        lmbi_eye *e = &plan->eyes[i];
        e->at = lmb_transform_point(posed[e->bone], e->at);
        e->gaze = lmb_quat_rotate(posed[e->bone].rotation, e->gaze);
    }
}

lmbi_brush lmbi_brush_make(lmbi_implicit *field, float mirror)
{
    lmbi_brush b = {.field = field,
                    .mirror = mirror,
                    .rotation = {0, 0, 0, 1},
                    .detail = 1.0f,
                    .bone_count = 1};
    return b;
}

void lmbi_brush_bone(lmbi_brush *brush, int bone)
{
    brush->bone_count = 1;
    brush->bones[0] = (uint16_t)bone;
}

void lmbi_brush_bones(lmbi_brush *brush, int low, float t_low, int high, float t_high)
{
    brush->bone_count = 2;
    brush->bones[0] = (uint16_t)low;
    brush->bones[1] = (uint16_t)high;
    brush->bone_at[0] = t_low;
    brush->bone_at[1] = t_high;
}

static lmb_vec3 mirror_vector(const lmbi_brush *brush, lmb_vec3 v)
{
    return lmb_vec3_make(v.x * brush->mirror, v.y, v.z);
}

void lmbi_brush_group(const lmbi_brush *brush, lmb_vec3 join, float reach, float near_blend,
                      float far_blend)
{
    const lmbi_group g = {mirror_vector(brush, join), reach, near_blend, far_blend,
                          brush->bones[0]};
    lmbi_implicit_group(brush->field, g);
}

static lmbi_lump make_lump(const lmbi_brush *brush)
{
    lmbi_lump l = {.blend = brush->blend,
                   .carve = brush->carve,
                   .square = brush->square,
                   .detail = brush->detail,
                   .material = brush->material,
                   .attach = brush->bones[0],
                   .bone_count = brush->bone_count};
    memcpy(l.bones, brush->bones, sizeof l.bones);
    memcpy(l.bone_at, brush->bone_at, sizeof l.bone_at);
    return l;
}

void lmbi_brush_ball(const lmbi_brush *brush, lmb_vec3 at, float rx, float ry, float rz)
{
    lmbi_lump l = make_lump(brush);
    lmb_quat q = brush->rotation;
    q.y *= brush->mirror;
    q.z *= brush->mirror;
    l.origin = mirror_vector(brush, at);
    l.side = lmb_quat_rotate(q, lmb_vec3_make(1, 0, 0));
    l.axis = lmb_quat_rotate(q, lmb_vec3_make(0, 1, 0));
    l.front = lmb_quat_rotate(q, lmb_vec3_make(0, 0, 1));
    l.cap_low = l.cap_high = ry;
    l.station_count = 1;
    l.stations[0].side = rx;
    l.stations[0].front = rz;
    lmbi_implicit_add(brush->field, &l);
}

void lmbi_brush_tube(const lmbi_brush *brush, lmb_vec3 from, lmb_vec3 to, lmb_vec3 front,
                     const lmbi_station *stations, uint32_t station_count, float cap_low,
                     float cap_high)
{
    lmbi_lump l = make_lump(brush);
    const lmb_vec3 a = mirror_vector(brush, from), b = mirror_vector(brush, to),
                   f = mirror_vector(brush, front);
    l.origin = a;
    l.length = lmb_vec3_distance(a, b);
    l.axis = lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0));
    const lmb_vec3 flat = lmb_vec3_mad(f, l.axis, -lmb_vec3_dot(f, l.axis));
    l.front = lmb_vec3_normalize_or(flat, lmb_vec3_any_perpendicular(l.axis));
    l.side = lmb_vec3_cross(l.axis, l.front);
    l.cap_low = cap_low;
    l.cap_high = cap_high;
    l.station_count = station_count;
    for (uint32_t i = 0; i < station_count; ++i) {
        l.stations[i] = stations[i];
        l.stations[i].off_side *= brush->mirror; // a mirrored frame has its side axis reversed
    }
    lmbi_implicit_add(brush->field, &l);
}

void lmbi_brush_cone(const lmbi_brush *brush, lmb_vec3 from, lmb_vec3 to, float r0, float r1)
{
    const lmbi_station s[2] = {{0, r0, r0, 0, 0}, {1, r1, r1, 0, 0}};
    lmbi_brush_tube(brush, from, to,
                    lmb_vec3_any_perpendicular(
                        lmb_vec3_normalize_or(lmb_vec3_sub(to, from), lmb_vec3_make(0, 1, 0))),
                    s, 2, r0, r1);
}
