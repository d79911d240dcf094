// Birds and bats, facing +Z, wings spread to the sides, hanging or folded.
#include "bodies/body.h"

#include <math.h>

enum { HIPS, SPINE, CHEST, NECK, HEAD, TAIL, LEFT_SIDE };
enum { UPPER_ARM, LOWER_ARM, HAND, UPPER_LEG, LOWER_LEG, FOOT, TOES, SIDE_BONES };

static const char *const trunk_names[6] = {"hips", "spine", "chest", "neck", "head", "tail"};
static const char *const side_names[2][SIDE_BONES] = {
    {"leftUpperArm", "leftLowerArm", "leftHand", "leftUpperLeg", "leftLowerLeg", "leftFoot",
     "leftToes"},
    {"rightUpperArm", "rightLowerArm", "rightHand", "rightUpperLeg", "rightLowerLeg", "rightFoot",
     "rightToes"},
};

// Fractions of the body's length.
typedef struct {
    float length, girth, tilt_rad; // of the body above level
    float neck, neck_rad, head, beak;
    float wing, chord;
    float leg, tail;
    float thick;   // of the legs, against usual ones
    float ear;     // length, 0: none
    float at_rest; // chance that the wings are folded, or hang
    bool hang;     // the wings at rest hang at the sides
    float hip;     // where the legs begin: 0 in the middle, -1 a body length behind it
} fowl;

enum { USUAL_FOWLS = 4 };
static const fowl fowls[] = {
    {0.24f, 0.26f, 0.45f, 0.26f, 1.15f, 0.15f, 0.14f, 1.15f, 0.22f, 0.42f, 0.45f, 1, 0, 0.3f, false,
     -0.14f}, // pigeon
    {0.34f, 0.21f, 0.25f, 0.26f, 0.90f, 0.13f, 0.20f, 1.75f, 0.17f, 0.42f, 0.38f, 1, 0, 0.1f, false,
     -0.14f}, // gull
    {0.50f, 0.18f, 0.50f, 0.72f, 1.25f, 0.10f, 0.30f, 1.30f, 0.20f, 1.15f, 0.30f, 1, 0, 0.3f, false,
     -0.14f}, // heron
    {0.30f, 0.30f, 0.35f, 0.36f, 1.30f, 0.15f, 0.12f, 0.85f, 0.22f, 0.55f, 0.45f, 1, 0, 0.5f, false,
     -0.14f}, // hen
    {0.12f, 0.40f, 0.55f, 0.18f, 1.10f, 0.22f, 0.10f, 0.90f, 0.26f, 0.30f, 0.50f, 0.9f, 0, 0.4f,
     false, -0.12f}, // sparrow
    {0.10f, 0.44f, 0.50f, 0.22f, 1.30f, 0.32f, 0.09f, 0.40f, 0.20f, 0.26f, 0.10f, 1.3f, 0, 0.5f,
     false, -0.08f}, // chick
    {0.45f, 0.24f, 0.30f, 1.15f, 1.30f, 0.12f, 0.20f, 1.35f, 0.22f, 1.65f, 0.22f, 0.9f, 0, 0.5f,
     false, -0.08f}, // flamingo
    {0.35f, 0.34f, 1.25f, 0.14f, 1.45f, 0.30f, 0.06f, 1.15f, 0.28f, 0.20f, 0.30f, 1.6f, 0.16f, 0.5f,
     true, -0.30f}, // owl
    {0.60f, 0.27f, 1.35f, 0.16f, 1.45f, 0.16f, 0.14f, 0.62f, 0.14f, 0.08f, 0.14f, 2.2f, 0, 0.7f,
     true, -0.36f}, // penguin
    {0.70f, 0.23f, 0.30f, 0.26f, 0.70f, 0.13f, 0.12f, 1.90f, 0.32f, 0.36f, 0.48f, 1.5f, 0, 0.1f,
     false, -0.14f}, // eagle
    {0.45f, 0.27f, 0.15f, 0.36f, 1.25f, 0.16f, 0.16f, 1.10f, 0.20f, 0.24f, 0.26f, 1.3f, 0, 0.4f,
     false, -0.12f}, // duck
    {1.20f, 0.27f, 0.15f, 0.95f, 1.35f, 0.11f, 0.13f, 0.75f, 0.26f, 1.35f, 0.28f, 1.9f, 0, 0.5f,
     false, -0.06f}, // ostrich
    {0.08f, 0.26f, 1.05f, 0.10f, 1.20f, 0.24f, 0.05f, 1.70f, 0.50f, 0.16f, 0.02f, 0.8f, 0.28f, 0.2f,
     true, -0.36f}, // bat
    {0.30f, 0.46f, 0.90f, 0.06f, 1.30f, 0.36f, 0.08f, 0.85f, 0.40f, 0.14f, 0.16f, 1.6f, 0.20f, 0.3f,
     true, -0.30f}, // of a cartoon
};

typedef struct {
    lmbi_plan *plan;
    fowl f;
    float u; // body length
    lmbi_implicit *body;
    uint16_t coat, wing, beak;
} bird;

// Position along the tilted body: 0 in the middle, 1 a body length ahead.
static lmb_vec3 on_body(const bird *b, float along, float up)
{
    const float s = lmb_sin(b->f.tilt_rad), c = lmb_cos(b->f.tilt_rad),
                high = b->f.leg + 0.8f * b->f.girth - (b->f.hip + 0.14f) * s;
    return vec3(0, (high + along * s + up * c) * b->u, (along * c - up * s) * b->u);
}

static void add_bones(bird *b)
{
    lmbi_plan *p = b->plan;
    const float u = b->u;
    const fowl *f = &b->f;
    int k = lmbi_plan_bone(p, trunk_names[HIPS], LMB_NONE, on_body(b, -0.28f, 0.02f));
    k = lmbi_plan_bone(p, trunk_names[SPINE], k, on_body(b, -0.02f, 0.04f));
    k = lmbi_plan_bone(p, trunk_names[CHEST], k, on_body(b, 0.20f, 0.05f));
    const lmb_vec3 base = on_body(b, 0.42f, 0.10f);
    k = lmbi_plan_bone(p, trunk_names[NECK], k, base);
    lmbi_plan_bone(p, trunk_names[HEAD], k,
                   lmb_vec3_add(base, vec3(0, lmb_sin(f->neck_rad) * f->neck * u,
                                           lmb_cos(f->neck_rad) * f->neck * u)));
    lmbi_plan_bone(p, trunk_names[TAIL], HIPS, on_body(b, -0.48f, 0.02f));
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f, x = 0.75f * f->girth * u, w = f->wing * u;
        const char *const *n = side_names[side];
        const lmb_vec3 root = on_body(b, 0.26f, 0.45f * f->girth);
        k = lmbi_plan_bone(p, n[UPPER_ARM], CHEST, vec3(m * x, root.y, root.z));
        k = lmbi_plan_bone(p, n[LOWER_ARM], k,
                           vec3(m * (x + 0.26f * w), root.y, root.z - 0.06f * w));
        lmbi_plan_bone(p, n[HAND], k, vec3(m * (x + 0.58f * w), root.y, root.z));
        const lmb_vec3 hip = on_body(b, f->hip, -0.2f * f->girth);
        const float lx = m * 0.50f * f->girth * u;
        k = lmbi_plan_bone(p, n[UPPER_LEG], HIPS, vec3(lx, hip.y, hip.z));
        const float ankle = 0.055f * u, knee = ankle + 0.4f * (hip.y - ankle);
        k = lmbi_plan_bone(p, n[LOWER_LEG], k,
                           vec3(lx, fmaxf(0.72f * f->leg * u, knee), hip.z + 0.10f * u));
        k = lmbi_plan_bone(p, n[FOOT], k, vec3(lx, ankle, hip.z + 0.02f * u));
        lmbi_plan_bone(p, n[TOES], k, vec3(lx, 0.030f * u, hip.z + 0.11f * u));
    }
}

static void add_trunk(bird *b)
{
    const float u = b->u, g = b->f.girth * u;
    lmbi_brush r = lmbi_brush_make(b->body, 1.0f);
    r.material = b->coat;
    r.bone_count = 3;
    for (int k = 0; k < 3; ++k) {
        r.bones[k] = (uint16_t)(HIPS + k);
        r.bone_at[k] = 0.15f + 0.33f * (float)k;
    }
    lmbi_brush_group(&r, vec3(0, 0, 0), 0, 0, 0);
    const lmbi_station s[4] = {{0, 0.45f * g, 0.42f * g, 0, 0},
                               {0.35f, 0.86f * g, 0.84f * g, 0, -0.04f * g},
                               {0.7f, g, g, 0, -0.06f * g},
                               {1, 0.68f * g, 0.75f * g, 0, 0.05f * g}};
    lmbi_brush_tube(&r, on_body(b, -0.46f, 0), on_body(b, 0.36f, 0), vec3(0, 1, 0), s, 4, 0.12f * u,
                    0.16f * u);
    const float d = 0.10f * u;
    lmbi_brush_bones(&r, NECK, 0.5f, HEAD, 1.0f);
    lmbi_brush_group(&r, lmbi_bone_at(b->plan, NECK), 0.35f * u, 0.14f * u, 0.03f * u);
    const lmbi_station n[3] = {
        {0, 0.75f * g, 0.8f * g, 0, 0},
        {0.5f, d, d, 0, 0},
        {1, 0.75f * d * (0.5f + 3.3f * b->f.head), 0.8f * d * (0.5f + 3.3f * b->f.head), 0, 0}};
    lmbi_brush_tube(&r, lmb_vec3_mad(lmbi_bone_at(b->plan, NECK), vec3(0, -0.4f, -0.3f), g),
                    lmbi_bone_at(b->plan, HEAD), vec3(0, 0, 1), n, 3, 0.3f * g, 0.05f * u);
    lmbi_brush_bone(&r, TAIL);
    r.material = b->wing;
    r.detail = 0.7f;
    lmbi_brush_group(&r, lmbi_bone_at(b->plan, TAIL), 0.2f * u, 0.08f * u, 0.01f * u);
    const lmbi_station t[3] = {{0, 0.35f * g, 0.22f * g, 0, 0},
                               {0.6f, 0.50f * g, 0.09f * g, 0, 0},
                               {1, 0.62f * g, 0.05f * g, 0, 0}};
    lmbi_brush_tube(&r, on_body(b, -0.40f, 0), on_body(b, -0.50f - 0.8f * b->f.tail, 0.02f),
                    vec3(0, 1, 0), t, 3, 0.05f * u, 0.03f * u);
}

static void add_ears(const bird *b, lmbi_brush *r, lmb_vec3 middle)
{
    const float n = b->f.head * b->u, e = b->f.ear * b->u;
    for (int side = 0; side < 2 && e > 0; ++side) {
        r->mirror = side == 0 ? 1.0f : -1.0f;
        const lmb_vec3 root = lmb_vec3_add(middle, vec3(0.42f * n, 0.55f * n, 0));
        lmbi_brush_cone(r, root, lmb_vec3_add(root, vec3(0.4f * e, e, 0)), 0.24f * n, 0.08f * n);
    }
    r->mirror = 1.0f;
}

static void add_head(bird *b)
{
    const float n = b->f.head * b->u;
    lmbi_brush r = lmbi_brush_make(b->body, 1.0f);
    const lmb_vec3 c = lmb_vec3_add(lmbi_bone_at(b->plan, HEAD), vec3(0, 0.15f * n, 0.25f * n));
    r.material = b->coat;
    r.detail = 0.45f;
    lmbi_brush_bone(&r, HEAD);
    lmbi_brush_group(&r, lmbi_bone_at(b->plan, HEAD), 1.2f * n, 0.35f * n, 0.05f * n);
    lmbi_brush_ball(&r, c, 0.78f * n, 0.80f * n, 0.95f * n);
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f;
        const lmb_vec3 e = lmb_vec3_add(c, vec3(m * 0.52f * n, 0.18f * n, 0.42f * n));
        lmbi_plan_eye(b->plan,
                      (lmbi_eye){e, lmb_vec3_normalize_or(vec3(m, 0.05f, 0.55f), vec3(m, 0, 0)),
                                 0.26f * n, 1.0f, 0.55f, HEAD});
    }
    add_ears(b, &r, c);
    r.material = b->beak;
    r.detail = 0.35f;
    r.blend = 0.06f * n;
    const float l = b->f.beak * b->u;
    const lmbi_station s[3] = {{0, 0.36f * n, 0.34f * n, 0, 0},
                               {0.5f, 0.22f * n, 0.22f * n, 0, 0.02f * n},
                               {1, 0.07f * n, 0.08f * n, 0, -0.04f * n}};
    lmbi_brush_tube(&r, lmb_vec3_add(c, vec3(0, -0.08f * n, 0.62f * n)),
                    lmb_vec3_add(c, vec3(0, -0.16f * n, 0.80f * n + l)), vec3(0, 1, 0), s, 3,
                    0.2f * n, 0.08f * n);
}

static void add_wing_part(const bird *b, lmbi_brush *r, int side, int bone, lmb_vec3 to,
                          float chord0, float chord1)
{
    const float u = b->u;
    const lmb_vec3 from = lmbi_bone_at(b->plan, LEFT_SIDE + bone);
    // the section's front axis is up: thin in that direction, long from front to back, mostly
    // behind the bone
    const lmbi_station s[2] = {{0, chord0 * u, 0.040f * u, -0.62f * chord0 * u, 0},
                               {1, chord1 * u, 0.030f * u, -0.62f * chord1 * u, 0}};
    lmbi_brush_bone(r, LEFT_SIDE + side * SIDE_BONES + bone);
    lmbi_brush_tube(r, from, to, vec3(0, 1, 0), s, 2, 0.06f * u, 0.08f * u);
}

static void add_wing(bird *b, int side)
{
    const float u = b->u, c = b->f.chord, w = b->f.wing * u;
    lmbi_brush r = lmbi_brush_make(b->body, side == 0 ? 1.0f : -1.0f);
    r.material = b->wing;
    r.blend = 0.05f * u;
    r.detail = 0.7f;
    lmbi_brush_bone(&r, LEFT_SIDE + side * SIDE_BONES + UPPER_ARM);
    lmbi_brush_group(&r, lmbi_bone_at(b->plan, LEFT_SIDE + UPPER_ARM), 0.25f * u, 0.07f * u,
                     0.01f * u);
    add_wing_part(b, &r, side, UPPER_ARM, lmbi_bone_at(b->plan, LEFT_SIDE + LOWER_ARM), 0.85f * c,
                  c);
    add_wing_part(b, &r, side, LOWER_ARM, lmbi_bone_at(b->plan, LEFT_SIDE + HAND), c, 0.85f * c);
    const lmb_vec3 h = lmbi_bone_at(b->plan, LEFT_SIDE + HAND);
    add_wing_part(b, &r, side, HAND, vec3(h.x + 0.38f * w, h.y, h.z - 0.08f * w), 0.85f * c,
                  0.25f * c);
}

static void add_leg(bird *b, int side)
{
    const float u = b->u, thick = b->f.thick * u;
    lmbi_brush r = lmbi_brush_make(b->body, side == 0 ? 1.0f : -1.0f);
    const lmb_vec3 hip = lmbi_bone_at(b->plan, LEFT_SIDE + UPPER_LEG),
                   knee = lmbi_bone_at(b->plan, LEFT_SIDE + LOWER_LEG),
                   ankle = lmbi_bone_at(b->plan, LEFT_SIDE + FOOT);
    const int base = LEFT_SIDE + side * SIDE_BONES;
    r.material = b->coat;
    r.detail = 0.6f;
    r.blend = 0.03f * u;
    lmbi_brush_bone(&r, base + UPPER_LEG);
    lmbi_brush_group(&r, hip, 0.2f * u, 0.06f * u, 0.01f * u);
    lmbi_brush_cone(&r, hip, knee, 0.080f * thick, 0.036f * thick);
    r.material = b->beak;
    r.detail = 0.4f;
    lmbi_brush_bone(&r, base + LOWER_LEG);
    lmbi_brush_cone(&r, knee, ankle, 0.030f * thick, 0.022f * thick);
    static const float spread[4] = {-0.55f, 0.0f, 0.55f, LMB_PI};
    r.blend = 0.012f * u;
    for (int k = 0; k < 4; ++k) {
        const float reach = (k == 3 ? 0.10f : 0.19f) * u, s = lmb_sin(spread[k]),
                    c = lmb_cos(spread[k]);
        const lmb_vec3 ball =
            vec3(ankle.x + 0.5f * reach * s, 0.030f * u, ankle.z + 0.5f * reach * c);
        lmbi_brush_bone(&r, base + FOOT);
        lmbi_brush_cone(&r, vec3(ankle.x, 0.035f * u, ankle.z), ball, 0.026f * thick,
                        0.023f * thick);
        lmbi_brush_bone(&r, base + (k == 3 ? FOOT : TOES));
        lmbi_brush_cone(&r, ball, vec3(ankle.x + reach * s, 0.020f * u, ankle.z + reach * c),
                        0.023f * thick, 0.015f * thick);
    }
}

static void rotate_bone(bird *b, int bone, lmb_vec3 axis, float angle)
{
    b->plan->bones[bone].rotation = lmb_quat_axis_angle(axis, angle);
}

// Lays a wing against the side: its edge down, its end backward, and the forearm back along the arm.
static void fold_wing(bird *b, int base, float m)
{
    const float back = m * 0.47f * LMB_PI, forth = m * 0.85f * LMB_PI;
    const lmb_quat flat = lmb_quat_mul(lmb_quat_axis_angle(vec3(0, 0, 1), m * 0.45f * LMB_PI),
                                       lmb_quat_axis_angle(vec3(0, 1, 0), back));
    b->plan->bones[base + UPPER_ARM].rotation =
        lmb_quat_mul(lmb_quat_axis_angle(vec3(1, 0, 0), -0.7f * b->f.tilt_rad), flat);
    const lmb_quat bent = lmb_quat_mul(lmb_quat_axis_angle(vec3(0, 1, 0), -forth),
                                       lmb_quat_axis_angle(vec3(1, 0, 0), LMB_PI));
    b->plan->bones[base + LOWER_ARM].rotation = bent;
    b->plan->bones[base + HAND].rotation = lmb_quat_conjugate(bent);
}

// Raises or lowers, sweeps and bends the wings, rotates the head and puts one foot before the
// other.
static void set_pose(bird *b, bool varied, lmb_random *r)
{
    const float raise = lmb_random_range(r, -0.2f, 0.35f), bend = lmb_random_range(r, -0.3f, 0.1f),
                sweep = lmb_random_range(r, -0.15f, 0.25f), step = lmb_random_range(r, -0.2f, 0.2f);
    const bool rests = varied && lmbi_chance(r, b->f.at_rest);
    const float lower = rests && b->f.hang ? lmb_random_range(r, 0.6f, 1.3f) : 0;
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f;
        const int base = LEFT_SIDE + side * SIDE_BONES;
        rotate_bone(b, base + UPPER_ARM, vec3(0, 0, 1), m * (raise - lower));
        rotate_bone(b, base + LOWER_ARM, vec3(0, 0, 1), m * bend);
        rotate_bone(b, base + HAND, vec3(0, 1, 0), m * sweep);
        if (rests && !b->f.hang) {
            fold_wing(b, base, m);
        }
        rotate_bone(b, base + UPPER_LEG, vec3(1, 0, 0), m * step);
        rotate_bone(b, base + FOOT, vec3(1, 0, 0), -m * step);
    }
    rotate_bone(b, NECK, vec3(0, 1, 0), lmb_random_range(r, -0.3f, 0.3f));
    rotate_bone(b, TAIL, vec3(1, 0, 0), lmb_random_range(r, -0.15f, 0.25f));
}

void lmbi_plan_bird(lmbi_plan *plan, const lmb_made_body_opts *opts)
{
    static const uint32_t coats[6] = {0x8f99a6, 0xf0eee8, 0x9fb0bf, 0xa8683c, 0x4d5d7a, 0xc94f3d};
    static const uint32_t wings[6] = {0x5f6a78, 0x9aa3ab, 0x5b7086, 0x6e3f24, 0x2f3a52, 0x7d2c22};
    lmb_random random = lmb_random_seed(opts->seed), *r = &random;
    bird made = {.plan = plan}, *b = &made;
    b->f = fowls[lmbi_pick(r, opts->varied ? sizeof fowls / sizeof *fowls : USUAL_FOWLS)];
    b->f.girth = lmbi_jitter(r, b->f.girth, 0.12f);
    b->f.neck = lmbi_jitter(r, b->f.neck, 0.2f);
    if (opts->varied) {
        b->f.head = lmbi_jitter(r, b->f.head, 0.15f);
        b->f.tail = lmbi_jitter(r, b->f.tail, 0.25f);
        b->f.thick = lmbi_jitter(r, b->f.thick, 0.25f);
        b->f.ear = lmbi_jitter(r, b->f.ear, 0.3f);
    }
    b->f.wing = lmbi_jitter(r, b->f.wing, 0.15f);
    b->f.chord = lmbi_jitter(r, b->f.chord, 0.15f);
    b->f.leg = lmbi_jitter(r, b->f.leg, 0.18f);
    b->f.tilt_rad = lmbi_jitter(r, b->f.tilt_rad, 0.3f);
    b->f.beak = lmbi_jitter(r, b->f.beak, 0.3f);
    b->u = lmbi_jitter(r, b->f.length, 0.15f);
    const uint32_t color = lmbi_pick(r, 6);
    b->coat = lmbi_plan_material(plan, "feathers", coats[color], 0.9f);
    b->wing = lmbi_plan_material(plan, "wings", wings[color], 0.9f);
    b->beak = lmbi_plan_material(plan, "beak", 0xe09a3a, 0.5f);
    lmbi_plan_eye_colors(plan, 0xf3e9c8, 0xb8742a, 0x100c0c);
    b->body = lmbi_plan_begin(plan, "bird", "t", 1.6f * b->u, 0.04f * b->u);
    add_bones(b);
    add_trunk(b);
    add_head(b);
    for (int side = 0; side < 2; ++side) {
        add_wing(b, side);
        add_leg(b, side);
    }
    if (opts->pose == LMB_MADE_POSE_ANY) {
        set_pose(b, opts->varied, r);
    }
}
