/// The plan of a generated body: bones in the rest pose, the implicit surface around them, and
/// materials. A maker for each kind fills it in; the rest of the room turns it into a character.
#ifndef BODIES_BODY_H
#define BODIES_BODY_H

#include "bodies/bodies.h"
#include "bodies/implicit.h"

enum { LMBI_BONES = 64, LMBI_SHELLS = 6, LMBI_EYES = 4, LMBI_MATERIALS = 24 };

typedef struct lmbi_bone {
    const char *name; ///< NULL: a bone that this kind of body never has
    int parent;       ///< or LMB_NONE; parents come first
    /// the primitives of absent bones follow the parent, and the truth leaves these bones out
    bool present;
    lmb_vec3 at;       ///< rest position in model space: characters stand in a T-pose and face +Z
    lmb_quat rotation; ///< rotation of the pose about `at`
    lmb_transform posed_from_rest;
} lmbi_bone;

/// An eyeball: a shell of its own, with iris and pupil around its gaze.
typedef struct lmbi_eye {
    lmb_vec3 at, gaze;
    float radius;
    float iris_rad, pupil_rad; ///< half angles
    uint16_t bone;
} lmbi_eye;

typedef struct lmbi_shell {
    const char *name;
    lmbi_implicit field;
} lmbi_shell;

typedef struct lmbi_plan {
    const lmb_allocator *alloc;
    const char *name;
    float height; ///< of the standing body, or its longest side; scales the size of details
    /// distance over which the weight of neighbouring lumps falls off, metres
    float weight_falloff;
    uint32_t bone_count;
    lmbi_bone bones[LMBI_BONES];
    uint32_t shell_count;
    lmbi_shell shells[LMBI_SHELLS];
    uint32_t eye_count;
    lmbi_eye eyes[LMBI_EYES];
    uint16_t eye_white, iris, pupil; ///< their materials
    uint32_t material_count;
    struct {
        const char *name;
        lmb_vec4 color; ///< linear
        float roughness;
    } materials[LMBI_MATERIALS];
    const char *pose;
    float arm_angle_rad;
} lmbi_plan;

void lmbi_plan_init(lmbi_plan *plan, const lmb_allocator *alloc);
void lmbi_plan_free(lmbi_plan *plan);
/// Says what is made, and adds the shell of its body.
lmbi_implicit *lmbi_plan_begin(lmbi_plan *plan, const char *name, const char *pose, float height,
                               float weight_falloff);
/// Adds a bone that is present, with identity rotation. Returns its index.
int lmbi_plan_bone(lmbi_plan *plan, const char *name, int parent, lmb_vec3 at);
/// Adds a material; `srgb` is 0xRRGGBB. Returns its index.
uint16_t lmbi_plan_material(lmbi_plan *plan, const char *name, uint32_t srgb, float roughness);
/// Adds the materials of the eyes, 0xRRGGBB each.
void lmbi_plan_eye_colors(lmbi_plan *plan, uint32_t white, uint32_t iris, uint32_t pupil);
void lmbi_plan_eye(lmbi_plan *plan, lmbi_eye eye);
/// Adds a shell, to which lumps can be added.
lmbi_implicit *lmbi_plan_shell(lmbi_plan *plan, const char *name);
/// Poses bones, fields and eyes by the bones' rotations.
void lmbi_plan_pose(lmbi_plan *plan);

static inline lmb_vec3 lmbi_bone_at(const lmbi_plan *plan, int bone)
{
    return plan->bones[bone].at;
}

/// Short, since bodies are made of points.
static inline lmb_vec3 vec3(float x, float y, float z)
{
    return lmb_vec3_make(x, y, z);
}

static inline float lmbi_jitter(lmb_random *random, float value, float fraction)
{
    return value * lmb_random_range(random, 1.0f - fraction, 1.0f + fraction);
}
static inline bool lmbi_chance(lmb_random *random, float fraction)
{
    return lmb_random_unit(random) < fraction;
}
/// 0 to count - 1.
static inline uint32_t lmbi_pick(lmb_random *random, uint32_t count)
{
    return (uint32_t)(lmb_random_unit(random) * (float)count) % count;
}

/// Makers of each kind. They leave the plan in its rest pose with rotations set.
void lmbi_plan_humanoid(lmbi_plan *plan, const lmb_made_body_opts *opts);
void lmbi_plan_quadruped(lmbi_plan *plan, const lmb_made_body_opts *opts);
void lmbi_plan_bird(lmbi_plan *plan, const lmb_made_body_opts *opts);
void lmbi_plan_hand(lmbi_plan *plan, const lmb_made_body_opts *opts);
void lmbi_plan_fish(lmbi_plan *plan, const lmb_made_body_opts *opts);
void lmbi_plan_snake(lmbi_plan *plan, const lmb_made_body_opts *opts);
void lmbi_plan_spider(lmbi_plan *plan, const lmb_made_body_opts *opts);
void lmbi_plan_biped(lmbi_plan *plan, const lmb_made_body_opts *opts);

/// State shared by consecutive lumps that are added.
typedef struct lmbi_brush {
    lmbi_implicit *field;
    float mirror;      ///< +1: unchanged, the left side; -1: mirrored to the right
    lmb_quat rotation; ///< rotation of balls, before mirroring
    float blend, square, detail;
    bool carve;
    uint16_t material;
    uint16_t bone_count;
    uint16_t bones[LMBI_LUMP_BONES]; ///< the first one carries the lump
    float bone_at[LMBI_LUMP_BONES];
} lmbi_brush;

lmbi_brush lmbi_brush_make(lmbi_implicit *field, float mirror);
void lmbi_brush_bone(lmbi_brush *brush, int bone);
/// Two bones along a tube: `low` up to t_low, `high` from t_high on.
void lmbi_brush_bones(lmbi_brush *brush, int low, float t_low, int high, float t_high);
void lmbi_brush_group(const lmbi_brush *brush, lmb_vec3 join, float reach, float near_blend,
                      float far_blend);
void lmbi_brush_ball(const lmbi_brush *brush, lmb_vec3 at, float rx, float ry, float rz);
/// `front` is the direction that the section's front axis points to.
void lmbi_brush_tube(const lmbi_brush *brush, lmb_vec3 from, lmb_vec3 to, lmb_vec3 front,
                     const lmbi_station *stations, uint32_t station_count, float cap_low,
                     float cap_high);
/// A round tube with two radii and round ends.
void lmbi_brush_cone(const lmbi_brush *brush, lmb_vec3 from, lmb_vec3 to, float r0, float r1);

#endif
