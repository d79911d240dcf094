// Reptiles on two legs, facing +Z: level ones that a long tail balances, and upright ones.
#include "bodies/body.h"

enum { HIPS, SPINE, CHEST, NECK, HEAD, TAIL, TAIL_JOINTS = 3, LEFT_SIDE = TAIL + TAIL_JOINTS };
enum { UPPER_LEG, LOWER_LEG, FOOT, TOES, UPPER_ARM, LOWER_ARM, HAND, SIDE_BONES };

static const char *const trunk_names[LEFT_SIDE] = {"hips", "spine", "chest", "neck",
                                                   "head", "tail1", "tail2", "tail3"};
static const char *const side_names[2][SIDE_BONES] = {
    {"leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes", "leftUpperArm", "leftLowerArm",
     "leftHand"},
    {"rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes", "rightUpperArm", "rightLowerArm",
     "rightHand"},
};

// Fractions of the hips' height.
typedef struct {
    float hips; // metres
    float trunk, tilt_rad, girth;
    float neck, neck_rad, head, snout; // the head's length, and that of its nose
    float limb;                        // thickness of the legs
    float hock;                        // height of the ankle
    float arm, arm_limb;               // length and thickness
    float out_rad;                     // how far the arms are lifted to the sides
    float tail, tail_rad, tail_girth;
} reptile;

static const reptile reptiles[] = {
    {0.5f, 0.85f, 0.15f, 0.17f, 0.45f, 0.9f, 0.24f, 0.28f, 0.8f, 0.40f, 0.50f, 0.8f, 0.3f, 1.5f,
     0.1f, 0.7f}, // raptor
    {3.0f, 0.85f, 0.30f, 0.26f, 0.30f, 0.7f, 0.36f, 0.32f, 1.4f, 0.34f, 0.26f, 0.7f, 0.4f, 1.5f,
     0.0f, 1.2f}, // tyrant
    {2.0f, 0.90f, 0.25f, 0.26f, 0.45f, 0.8f, 0.26f, 0.24f, 1.3f, 0.34f, 0.55f, 1.2f, 0.3f, 1.5f,
     -0.1f, 1.1f}, // duckbill
    {20.f, 1.00f, 1.15f, 0.34f, 0.25f, 1.3f, 0.26f, 0.16f, 1.9f, 0.18f, 0.65f, 1.8f, 0.8f, 1.9f,
     -0.4f, 1.6f}, // giant
    {1.0f, 1.00f, 0.95f, 0.42f, 0.12f, 1.3f, 0.50f, 0.22f, 1.9f, 0.18f, 0.45f, 1.4f, 0.7f, 1.1f,
     -0.3f, 1.6f}, // of a cartoon
    {0.8f, 0.85f, 0.90f, 0.24f, 0.28f, 1.1f, 0.26f, 0.18f, 1.3f, 0.16f, 0.38f, 0.8f, 0.3f, 1.2f,
     -0.5f, 1.0f}, // kangaroo
    {1.2f, 0.70f, 0.75f, 0.26f, 0.22f, 1.1f, 0.34f, 0.22f, 1.3f, 0.22f, 0.60f, 1.2f, 1.1f, 1.3f,
     -0.2f, 1.2f}, // lizard that stands
};

typedef struct {
    lmbi_plan *plan;
    reptile b;
    float u; // the hips' height
    lmbi_implicit *body;
    uint16_t skin;
} biped;

// A point of the trunk: 0 at the hips, 1 at the neck's root, a little beside its line.
static lmb_vec3 on_trunk(const biped *b, float along, float up)
{
    const float s = lmb_sin(b->b.tilt_rad), c = lmb_cos(b->b.tilt_rad), l = along * b->b.trunk;
    return vec3(0, (1 + l * s + up * c) * b->u, (l * c - up * s) * b->u);
}

static lmb_vec3 in_plane(float rad, float length)
{
    return vec3(0, length * lmb_sin(rad), length * lmb_cos(rad));
}

static void add_limb_bones(biped *b, int side)
{
    lmbi_plan *p = b->plan;
    const reptile *t = &b->b;
    const char *const *n = side_names[side];
    const float m = side == 0 ? 1.0f : -1.0f, u = b->u, x = m * 0.72f * t->girth * u, h = t->hock;
    int j = lmbi_plan_bone(p, n[UPPER_LEG], HIPS, vec3(x, 0.92f * u, 0));
    j = lmbi_plan_bone(p, n[LOWER_LEG], j, vec3(x, (h + 0.5f * (0.92f - h)) * u, 0.20f * u));
    j = lmbi_plan_bone(p, n[FOOT], j, vec3(x, h * u, (0.02f - 0.5f * h) * u));
    lmbi_plan_bone(p, n[TOES], j, vec3(x, 0.07f * u, 0.06f * u));
    const lmb_vec3 root = on_trunk(b, 0.82f, -0.25f * t->girth);
    const float out = lmb_sin(t->out_rad), down = lmb_cos(t->out_rad), l = t->arm * u;
    const float shoulder = m * 0.78f * t->girth * u;
    j = lmbi_plan_bone(p, n[UPPER_ARM], CHEST, vec3(shoulder, root.y, root.z));
    const lmb_vec3 elbow =
        vec3(shoulder + m * 0.45f * l * out, root.y - 0.45f * l * down, root.z + 0.05f * l);
    j = lmbi_plan_bone(p, n[LOWER_ARM], j, elbow);
    lmbi_plan_bone(p, n[HAND], j,
                   lmb_vec3_add(elbow, vec3(m * 0.25f * l * out, -0.2f * l * down, 0.28f * l)));
}

static void add_bones(biped *b)
{
    lmbi_plan *p = b->plan;
    const reptile *t = &b->b;
    const float u = b->u;
    int k = lmbi_plan_bone(p, trunk_names[HIPS], LMB_NONE, on_trunk(b, 0, 0));
    k = lmbi_plan_bone(p, trunk_names[SPINE], k, on_trunk(b, 0.4f, 0.1f * t->girth));
    k = lmbi_plan_bone(p, trunk_names[CHEST], k, on_trunk(b, 0.75f, 0.1f * t->girth));
    k = lmbi_plan_bone(p, trunk_names[NECK], k, on_trunk(b, 1, 0.15f * t->girth));
    lmbi_plan_bone(p, trunk_names[HEAD], k,
                   lmb_vec3_add(lmbi_bone_at(b->plan, NECK), in_plane(t->neck_rad, t->neck * u)));
    lmb_vec3 at = on_trunk(b, -0.22f, 0.1f * t->girth);
    for (k = 0; k < TAIL_JOINTS; ++k) {
        lmbi_plan_bone(p, trunk_names[TAIL + k], k == 0 ? HIPS : TAIL + k - 1, at);
        const float rad = t->tail_rad + 0.15f * (float)k, step = t->tail * u / TAIL_JOINTS;
        at = lmb_vec3_add(at, vec3(0, step * lmb_sin(rad), -step * lmb_cos(rad)));
    }
    add_limb_bones(b, 0);
    add_limb_bones(b, 1);
}

static void add_trunk(biped *b)
{
    const float u = b->u, g = b->b.girth * u;
    lmbi_brush r = lmbi_brush_make(b->body, 1.0f);
    r.material = b->skin;
    r.bone_count = 3;
    for (int k = 0; k < 3; ++k) {
        r.bones[k] = (uint16_t)(HIPS + k);
        r.bone_at[k] = 0.15f + 0.33f * (float)k;
    }
    lmbi_brush_group(&r, vec3(0, 0, 0), 0, 0, 0);
    const lmbi_station s[4] = {{0, 0.80f * g, 0.85f * g, 0, 0},
                               {0.35f, 0.92f * g, g, 0, -0.05f * g},
                               {0.75f, g, 0.95f * g, 0, 0},
                               {1, 0.60f * g, 0.62f * g, 0, 0.1f * g}};
    lmbi_brush_tube(&r, on_trunk(b, -0.18f, 0), on_trunk(b, 0.98f, 0), vec3(0, 1, 0), s, 4,
                    0.5f * g, 0.4f * g);
    const float thick = 0.42f * g + 0.18f * b->b.head * u;
    lmbi_brush_bones(&r, NECK, 0.4f, HEAD, 1.0f);
    lmbi_brush_group(&r, lmbi_bone_at(b->plan, NECK), 0.3f * u, 0.12f * u, 0.03f * u);
    lmbi_brush_cone(&r, on_trunk(b, 0.9f, 0), lmbi_bone_at(b->plan, HEAD), thick, 0.75f * thick);
    r.blend = 0.04f * u;
    for (int k = 0; k < TAIL_JOINTS; ++k) {
        const float wide = 0.7f * g * b->b.tail_girth / (b->b.tail_girth + 0.4f);
        const lmb_vec3 low = lmbi_bone_at(b->plan, TAIL + k),
                       next = k + 1 < TAIL_JOINTS
                                  ? lmbi_bone_at(b->plan, TAIL + k + 1)
                                  : lmb_vec3_mad(
                                        low, lmb_vec3_sub(low, lmbi_bone_at(b->plan, TAIL + 1)), 1);
        lmbi_brush_bone(&r, TAIL + k);
        if (k == 0) {
            lmbi_brush_group(&r, low, 0.3f * u, 0.1f * u, 0.03f * u);
        }
        lmbi_brush_cone(&r, k == 0 ? on_trunk(b, -0.05f, 0) : low, next,
                        wide * (1 - 0.30f * (float)k), wide * (0.70f - 0.29f * (float)k));
    }
}

static void add_head(biped *b)
{
    const float n = b->b.head * b->u, nose = b->b.snout * b->u;
    lmbi_brush r = lmbi_brush_make(b->body, 1.0f);
    const lmb_vec3 c = lmb_vec3_add(lmbi_bone_at(b->plan, HEAD), vec3(0, 0.1f * n, 0.2f * n));
    r.material = b->skin;
    r.detail = 0.6f;
    lmbi_brush_bone(&r, HEAD);
    lmbi_brush_group(&r, lmbi_bone_at(b->plan, HEAD), n, 0.2f * n, 0.04f * n);
    lmbi_brush_ball(&r, c, 0.46f * n, 0.50f * n, 0.56f * n);
    r.blend = 0.12f * n;
    const lmbi_station s[2] = {{0, 0.36f * n, 0.36f * n, 0, 0}, {1, 0.24f * n, 0.22f * n, 0, 0}};
    lmbi_brush_tube(&r, lmb_vec3_add(c, vec3(0, -0.08f * n, 0.2f * n)),
                    lmb_vec3_add(c, vec3(0, -0.14f * n, 0.3f * n + nose)), vec3(0, 1, 0), s, 2,
                    0.2f * n, 0.12f * n);
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f;
        lmbi_plan_eye(b->plan,
                      (lmbi_eye){lmb_vec3_add(c, vec3(m * 0.40f * n, 0.24f * n, 0.22f * n)),
                                 lmb_vec3_normalize_or(vec3(m, 0.1f, 0.5f), vec3(m, 0, 0)),
                                 0.12f * n, 0.9f, 0.5f, HEAD});
    }
}

static void add_part(const biped *b, lmbi_brush *r, int side, int bone, lmb_vec3 to, float r0,
                     float r1)
{
    lmbi_brush_bone(r, LEFT_SIDE + side * SIDE_BONES + bone);
    lmbi_brush_cone(r, lmbi_bone_at(b->plan, LEFT_SIDE + bone), to, r0, r1);
}

static void add_limbs(biped *b, int side)
{
    const float leg = b->b.limb * b->u, arm = b->b.arm_limb * b->u, l = b->b.arm * b->u;
    lmbi_brush r = lmbi_brush_make(b->body, side == 0 ? 1.0f : -1.0f);
    r.material = b->skin;
    r.blend = 0.03f * b->u;
    r.detail = 0.7f;
    lmbi_brush_bone(&r, LEFT_SIDE + side * SIDE_BONES + UPPER_LEG);
    lmbi_brush_group(&r, lmbi_bone_at(b->plan, LEFT_SIDE + UPPER_LEG), 0.35f * b->u, 0.08f * b->u,
                     0.015f * b->u);
    add_part(b, &r, side, UPPER_LEG, lmbi_bone_at(b->plan, LEFT_SIDE + LOWER_LEG), 0.14f * leg,
             0.085f * leg);
    add_part(b, &r, side, LOWER_LEG, lmbi_bone_at(b->plan, LEFT_SIDE + FOOT), 0.085f * leg,
             0.055f * leg);
    const lmb_vec3 toes = lmbi_bone_at(b->plan, LEFT_SIDE + TOES);
    add_part(b, &r, side, FOOT, toes, 0.055f * leg, 0.06f * leg);
    for (int k = -1; k <= 1; ++k) {
        const lmb_vec3 claw =
            lmb_vec3_add(toes, vec3(0.09f * (float)k * leg, 0.045f * b->u - toes.y, 0.16f * leg));
        add_part(b, &r, side, TOES, claw, 0.05f * leg, 0.035f * leg);
    }
    lmbi_brush_bone(&r, LEFT_SIDE + side * SIDE_BONES + UPPER_ARM);
    lmbi_brush_group(&r, lmbi_bone_at(b->plan, LEFT_SIDE + UPPER_ARM), 0.2f * b->u, 0.05f * b->u,
                     0.012f * b->u);
    const lmb_vec3 elbow = lmbi_bone_at(b->plan, LEFT_SIDE + LOWER_ARM),
                   hand = lmbi_bone_at(b->plan, LEFT_SIDE + HAND);
    const lmb_vec3 on = lmb_vec3_normalize_or(lmb_vec3_sub(hand, elbow), vec3(0, 0, 1));
    add_part(b, &r, side, UPPER_ARM, elbow, 0.060f * arm, 0.048f * arm);
    add_part(b, &r, side, LOWER_ARM, hand, 0.046f * arm, 0.038f * arm);
    add_part(b, &r, side, HAND, lmb_vec3_mad(hand, on, 0.2f * l), 0.045f * arm, 0.035f * arm);
}

static void rotate_bone(biped *b, int bone, lmb_vec3 axis, float angle)
{
    b->plan->bones[bone].rotation = lmb_quat_axis_angle(axis, angle);
}

// Turns the head, swings the tail, lifts the arms and puts one foot before the other.
static void set_pose(biped *b, lmb_random *r)
{
    const float wag = lmb_random_range(r, -0.4f, 0.4f), step = lmb_random_range(r, -0.3f, 0.3f);
    rotate_bone(b, NECK, vec3(0, 1, 0), lmb_random_range(r, -0.3f, 0.3f));
    rotate_bone(b, HEAD, vec3(1, 0, 0), lmb_random_range(r, -0.2f, 0.2f));
    for (int k = 0; k < TAIL_JOINTS; ++k) {
        rotate_bone(b, TAIL + k, vec3(0, 1, 0), wag / TAIL_JOINTS);
    }
    const float lift = lmb_random_range(r, -0.2f, 0.5f);
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f;
        const int base = LEFT_SIDE + side * SIDE_BONES;
        rotate_bone(b, base + UPPER_LEG, vec3(1, 0, 0), m * step);
        rotate_bone(b, base + TOES, vec3(1, 0, 0), -m * step);
        rotate_bone(b, base + UPPER_ARM, vec3(0, 0, 1), m * lift);
    }
}

static void choose_shape(biped *b, lmb_random *r)
{
    b->b = reptiles[lmbi_pick(r, sizeof reptiles / sizeof *reptiles)];
    reptile *t = &b->b;
    float *const jittered[] = {&t->trunk, &t->girth,    &t->neck, &t->neck_rad,
                               &t->head,  &t->snout,    &t->limb, &t->hock,
                               &t->arm,   &t->arm_limb, &t->tail, &t->tail_girth};
    for (size_t k = 0; k < sizeof jittered / sizeof *jittered; ++k) {
        *jittered[k] = lmbi_jitter(r, *jittered[k], 0.18f);
    }
    t->tilt_rad += lmb_random_range(r, -0.15f, 0.15f);
    t->tail_rad += lmb_random_range(r, -0.2f, 0.2f);
    t->out_rad += lmb_random_range(r, -0.2f, 0.3f);
    b->u = lmbi_jitter(r, t->hips, 0.2f);
}

void lmbi_plan_biped(lmbi_plan *plan, const lmb_made_body_opts *opts)
{
    static const uint32_t skins[5] = {0x6f7f4a, 0x4a7a72, 0x8a5a3a, 0x5a5f6a, 0x9a8a4a};
    lmb_random random = lmb_random_seed(opts->seed), *r = &random;
    biped made = {.plan = plan}, *b = &made;
    choose_shape(b, r);
    b->skin = lmbi_plan_material(plan, "skin", skins[lmbi_pick(r, 5)], 0.7f);
    lmbi_plan_eye_colors(plan, 0xe8d9a0, 0x8a3a1e, 0x100c0c);
    b->body = lmbi_plan_begin(plan, "biped", "stand", 1.6f * b->u, 0.04f * b->u);
    add_bones(b);
    add_trunk(b);
    add_head(b);
    add_limbs(b, 0);
    add_limbs(b, 1);
    if (opts->pose == LMB_MADE_POSE_ANY) {
        set_pose(b, r);
    }
}
