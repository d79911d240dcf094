// Animals on four legs, facing +Z: mammals, reptiles, frogs, and such of cartoons.
#include "bodies/body.h"

#include <math.h>

enum { HIPS, SPINE, CHEST, NECK, HEAD, TAIL, LEFT_SIDE = TAIL + 3 };
enum {
    FRONT_SHOULDER,
    FRONT_UPPER,
    FRONT_LOWER,
    FRONT_FOOT,
    BACK_UPPER,
    BACK_LOWER,
    BACK_FOOT,
    BACK_TOES,
    SIDE_BONES
};

static const char *const trunk_names[8] = {"hips", "spine", "chest", "neck",
                                           "head", "tail1", "tail2", "tail3"};
static const char *const side_names[2][SIDE_BONES] = {
    {"leftFrontShoulder", "leftFrontUpperLeg", "leftFrontLowerLeg", "leftFrontFoot",
     "leftBackUpperLeg", "leftBackLowerLeg", "leftBackFoot", "leftBackToes"},
    {"rightFrontShoulder", "rightFrontUpperLeg", "rightFrontLowerLeg", "rightFrontFoot",
     "rightBackUpperLeg", "rightBackLowerLeg", "rightBackFoot", "rightBackToes"},
};

// Metres and factors. `withers` is the height of the shoulders; leg, body and others are fractions
// of it.
typedef struct {
    float withers, leg, length, depth, width;
    float neck, neck_rad; // length, and rise above level
    float head, snout, limb;
    float tail, tail_rad, tail_girth;
    float ear;      // length
    bool drop_ears; // hang beside the head
    bool hoof;
    float hock;  // height of the hock as a fraction of the leg: low for plantigrade feet
    float splay; // how far feet and elbows stand out, in lengths of the leg
} beast;

enum { USUAL_BEASTS = 5 };
static const beast beasts[] = {
    {0.60f, 0.56f, 1.02f, 0.200f, 0.150f, 0.30f, 0.80f, 0.34f, 0.20f, 1.0f, 0.55f, 0.5f, 1.0f,
     0.12f, true, false, 0.42f, 0}, // dog
    {0.28f, 0.54f, 1.15f, 0.190f, 0.155f, 0.22f, 0.70f, 0.36f, 0.06f, 0.95f, 0.95f, 0.9f, 0.9f,
     0.13f, false, false, 0.40f, 0}, // cat
    {1.55f, 0.60f, 0.98f, 0.185f, 0.150f, 0.52f, 0.90f, 0.30f, 0.22f, 0.72f, 0.48f, -1.0f, 1.5f,
     0.09f, false, true, 0.46f, 0}, // horse
    {1.00f, 0.46f, 1.10f, 0.270f, 0.240f, 0.26f, 0.35f, 0.38f, 0.14f, 1.55f, 0.12f, -0.3f, 1.3f,
     0.07f, false, false, 0.22f, 0}, // bear
    {1.40f, 0.62f, 0.80f, 0.170f, 0.140f, 0.95f, 1.15f, 0.24f, 0.13f, 0.70f, 0.32f, -1.0f, 0.8f,
     0.10f, false, true, 0.46f, 0}, // llama
    {0.70f, 0.36f, 1.15f, 0.320f, 0.260f, 0.14f, 0.20f, 0.42f, 0.14f, 1.10f, 0.18f, 0.4f, 0.7f,
     0.12f, false, true, 0.42f, 0}, // pig
    {0.40f, 0.34f, 0.85f, 0.300f, 0.250f, 0.12f, 0.90f, 0.78f, 0.10f, 1.50f, 0.45f, 0.6f, 1.5f,
     0.20f, false, false, 0.36f, 0}, // of a cartoon
    {0.15f, 0.30f, 1.20f, 0.350f, 0.300f, 0.10f, 0.20f, 0.52f, 0.20f, 0.90f, 0.90f, 0.1f, 0.6f,
     0.20f, false, false, 0.32f, 0.2f}, // mouse
    {2.80f, 0.50f, 0.95f, 0.260f, 0.230f, 0.16f, 0.40f, 0.40f, 0.40f, 2.10f, 0.35f, -1.1f, 0.8f,
     0.22f, true, false, 0.26f, 0}, // elephant
    {0.25f, 0.40f, 0.95f, 0.300f, 0.230f, 0.16f, 1.00f, 0.42f, 0.08f, 1.10f, 0.12f, 0.6f, 2.4f,
     0.45f, false, false, 0.34f, 0.1f}, // rabbit
    {0.50f, 0.50f, 1.90f, 0.300f, 0.340f, 0.30f, 0.05f, 0.62f, 0.80f, 1.40f, 2.00f, -0.2f, 4.5f,
     0.00f, false, false, 0.30f, 0.7f}, // crocodile
    {0.10f, 0.48f, 1.70f, 0.250f, 0.260f, 0.26f, 0.30f, 0.46f, 0.20f, 1.20f, 2.20f, -0.2f, 3.0f,
     0.00f, false, false, 0.30f, 0.9f}, // lizard
    {0.08f, 0.44f, 1.10f, 0.290f, 0.310f, 0.12f, 0.35f, 0.58f, 0.16f, 1.20f, 0.00f, 0.0f, 1.0f,
     0.00f, false, false, 0.24f, 1.0f}, // frog
    {0.30f, 0.34f, 1.20f, 0.330f, 0.430f, 0.34f, 0.40f, 0.34f, 0.10f, 1.60f, 0.25f, -0.3f, 1.3f,
     0.00f, false, false, 0.26f, 0.6f}, // turtle
    {3.50f, 0.52f, 1.05f, 0.250f, 0.220f, 1.25f, 0.80f, 0.26f, 0.10f, 1.70f, 1.70f, -0.1f, 4.0f,
     0.00f, false, false, 0.24f, 0}, // long neck and tail
    {2.00f, 0.42f, 1.20f, 0.310f, 0.260f, 0.20f, 0.05f, 0.48f, 0.26f, 1.80f, 1.10f, 0.0f, 3.6f,
     0.08f, false, false, 0.24f, 0.1f}, // horned or plated reptile
};

typedef struct {
    lmbi_plan *plan;
    beast b;
    lmbi_implicit *body;
    float u; // withers
    uint16_t coat, dark;
} animal;

static void add_bones(animal *a)
{
    lmbi_plan *p = a->plan;
    const beast *b = &a->b;
    const float u = a->u, half = 0.5f * b->length * u, back = (1.0f - 0.55f * b->depth) * u;
    int k =
        lmbi_plan_bone(p, trunk_names[HIPS], LMB_NONE, vec3(0, back - 0.02f * u, -half * 0.72f));
    k = lmbi_plan_bone(p, trunk_names[SPINE], k, vec3(0, back - 0.01f * u, -half * 0.15f));
    k = lmbi_plan_bone(p, trunk_names[CHEST], k, vec3(0, back - 0.02f * u, half * 0.42f));
    const lmb_vec3 base = vec3(0, back + 0.02f * u, half * 0.80f);
    k = lmbi_plan_bone(p, trunk_names[NECK], k, base);
    const lmb_vec3 rise = vec3(0, lmb_sin(b->neck_rad), lmb_cos(b->neck_rad));
    lmbi_plan_bone(p, trunk_names[HEAD], k, lmb_vec3_mad(base, rise, b->neck * u));
    int parent = HIPS;
    lmb_vec3 t = vec3(0, back + 0.02f * u, -half * 0.96f);
    for (int i = 0; i < 3; ++i) {
        parent = lmbi_plan_bone(p, trunk_names[TAIL + i], parent, t);
        const float rad = b->tail_rad + 0.25f * (float)i;
        p->bones[parent].present = b->tail > 0;
        t = lmb_vec3_add(
            t, vec3(0, lmb_sin(rad) * b->tail * u / 3.0f, -lmb_cos(rad) * b->tail * u / 3.0f));
    }
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f, x = m * 0.60f * b->width * u, leg = b->leg * u;
        // Hips and shoulders lie in the trunk, knees below the midpoint of hip and hock.
        const float root = leg + 0.38f * (u - leg), hock = b->hock * leg,
                    knee = hock + 0.44f * (root - hock);
        const float out = m * b->splay * leg, lift = 0.3f * fminf(b->splay, 1);
        const char *const *n = side_names[side];
        int j = lmbi_plan_bone(p, n[FRONT_SHOULDER], CHEST,
                               vec3(0.6f * x, back - 0.05f * u, half * 0.52f));
        j = lmbi_plan_bone(p, n[FRONT_UPPER], j, vec3(x, root, half * 0.68f));
        j = lmbi_plan_bone(p, n[FRONT_LOWER], j,
                           vec3(x + 0.6f * out, (0.53f + lift) * root, half * 0.60f));
        lmbi_plan_bone(p, n[FRONT_FOOT], j, vec3(x + 0.8f * out, 0.14f * root, half * 0.64f));
        j = lmbi_plan_bone(p, n[BACK_UPPER], HIPS, vec3(x, root, -half * 0.70f));
        j = lmbi_plan_bone(p, n[BACK_LOWER], j,
                           vec3(x + 0.7f * out, knee + lift * (root - knee), -half * 0.56f));
        j = lmbi_plan_bone(p, n[BACK_FOOT], j, vec3(x + 0.8f * out, hock, -half * 0.90f));
        lmbi_plan_bone(p, n[BACK_TOES], j, vec3(x + 0.9f * out, 0.26f * hock, -half * 0.80f));
    }
}

static void add_trunk(animal *a)
{
    const float u = a->u, d = a->b.depth * u, w = a->b.width * u, half = 0.5f * a->b.length * u,
                mid = (1.0f - a->b.depth) * u;
    lmbi_brush b = lmbi_brush_make(a->body, 1.0f);
    b.material = a->coat;
    b.bone_count = 3;
    for (int k = 0; k < 3; ++k) {
        b.bones[k] = (uint16_t)(HIPS + k);
        b.bone_at[k] = 0.12f + 0.36f * (float)k;
    }
    lmbi_brush_group(&b, vec3(0, 0, 0), 0, 0, 0);
    const lmbi_station s[5] = {{0, 0.80f * w, 0.78f * d, 0, 0.10f * d},
                               {0.25f, 0.88f * w, 0.84f * d, 0, 0.08f * d},
                               {0.5f, 0.86f * w, 0.82f * d, 0, 0.02f * d},
                               {0.78f, w, d, 0, 0},
                               {1, 0.80f * w, 0.85f * d, 0, 0.05f * d}};
    lmbi_brush_tube(&b, vec3(0, mid, -half * 0.80f), vec3(0, mid, half * 0.72f), vec3(0, 1, 0), s,
                    5, 0.24f * half, 0.22f * half);
}

static void add_neck_and_tail(animal *a)
{
    const float u = a->u, d = a->b.depth * u, w = a->b.width * u;
    lmbi_brush b = lmbi_brush_make(a->body, 1.0f);
    b.material = a->coat;
    b.blend = 0.05f * u;
    const lmb_vec3 base = lmbi_bone_at(a->plan, NECK), head = lmbi_bone_at(a->plan, HEAD),
                   start = lmb_vec3_add(base, vec3(0, -0.50f * d, -0.10f * u));
    lmbi_brush_bones(&b, CHEST, 0.15f, NECK, 0.40f);
    lmbi_brush_group(&b, base, 0.30f * u, 0.10f * u, 0.03f * u);
    const float thin = a->b.head * u * 0.26f;
    const lmbi_station s[3] = {{0, 0.72f * w, 0.80f * d, 0, 0},
                               {0.5f, 0.5f * (0.55f * w + thin), 0.5f * (0.60f * d + thin), 0, 0},
                               {1, thin, thin * 1.1f, 0, 0}};
    lmbi_brush_tube(&b, start, head, vec3(0, 1, -1), s, 3, 0.5f * w, thin);
    if (!a->body->failed) { // attached to the neck, although its skin begins on the chest
        a->body->lumps[a->body->lump_count - 1].attach = NECK;
    }
    for (int k = 0; k < 3 && a->b.tail > 0; ++k) {
        const float r = 0.030f * u * a->b.tail_girth * (1.0f - 0.18f * (float)k);
        const lmb_vec3 low = lmbi_bone_at(a->plan, TAIL + k);
        const lmb_vec3 high =
            k < 2 ? lmbi_bone_at(a->plan, TAIL + k + 1)
                  : lmb_vec3_mad(low, lmb_vec3_sub(low, lmbi_bone_at(a->plan, TAIL + 1)), 1.0f);
        lmbi_brush_bone(&b, TAIL + k);
        b.detail = 0.7f;
        b.blend = 0.008f * u;
        if (k == 0) {
            lmbi_brush_group(&b, low, 0.12f * u, 0.05f * u, 0.01f * u);
        }
        lmbi_brush_cone(&b, low, high, r, r * 0.82f);
    }
}

static lmb_vec3 on_head(const animal *a, float x, float y, float z)
{
    const float n = a->b.head * a->u;
    return lmb_vec3_add(lmbi_bone_at(a->plan, HEAD), vec3(x * n, y * n, z * n));
}

static void add_eyes(animal *a, lmbi_brush *b)
{
    const float n = a->b.head * a->u, r = 0.070f;
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        b->blend = 0.02f * n;
        lmbi_brush_ball(b, on_head(a, 0.155f, 0.135f, 0.30f), r * 1.15f * n, r * 1.15f * n,
                        r * 1.15f * n);
        b->carve = true;
        b->blend = 0.006f * n;
        lmbi_brush_ball(b, on_head(a, 0.155f + 0.045f, 0.130f, 0.30f + 0.060f), r * 0.85f * n,
                        r * 0.75f * n, r * 0.85f * n);
        b->carve = false;
        lmbi_plan_eye(
            a->plan, (lmbi_eye){on_head(a, 0.155f * b->mirror, 0.135f, 0.30f),
                                lmb_vec3_normalize_or(vec3(0.55f * b->mirror, 0, 1), vec3(0, 0, 1)),
                                r * n, 0.85f, 0.42f, HEAD});
    }
    b->mirror = 1.0f;
}

static void add_ears(const animal *a, lmbi_brush *b)
{
    const float n = a->b.head * a->u, e = a->b.ear * a->u / n;
    b->material = a->b.drop_ears ? a->dark : a->coat;
    b->blend = 0.02f * n;
    for (int side = 0; side < 2 && e > 0; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        const lmb_vec3 root = on_head(a, 0.17f, 0.27f, 0.06f);
        const lmb_vec3 tip = a->b.drop_ears ? on_head(a, 0.27f + 0.10f * e, 0.27f - e, 0.06f)
                                            : on_head(a, 0.19f + 0.10f * e, 0.25f + e, 0.03f);
        const lmbi_station s[3] = {{0, 0.045f * n, 0.09f * n, 0, 0},
                                   {0.5f, 0.038f * n, 0.10f * n, 0, 0},
                                   {1, 0.022f * n, 0.035f * n, 0, 0}};
        lmbi_brush_tube(b, root, tip, vec3(0, 0, 1), s, 3, 0.05f * n, 0.03f * n);
    }
    b->mirror = 1.0f;
    b->material = a->coat;
}

static void add_head(animal *a)
{
    const float n = a->b.head * a->u, long_nose = a->b.snout / a->b.head;
    lmbi_brush b = lmbi_brush_make(a->body, 1.0f);
    b.material = a->coat;
    b.detail = 0.5f;
    lmbi_brush_bone(&b, HEAD);
    lmbi_brush_group(&b, lmbi_bone_at(a->plan, HEAD), 0.5f * n, 0.12f * n, 0.03f * n);
    lmbi_brush_ball(&b, on_head(a, 0, 0.06f, 0.14f), 0.26f * n, 0.27f * n, 0.30f * n);
    b.blend = 0.10f * n;
    const float end = 0.40f + 0.55f * long_nose;
    const lmbi_station s[3] = {{0, 0.19f * n, 0.20f * n, 0, 0},
                               {0.6f, 0.135f * n, 0.13f * n, 0, 0},
                               {1, 0.115f * n, 0.105f * n, 0, 0}};
    lmbi_brush_tube(&b, on_head(a, 0, 0.0f, 0.22f), on_head(a, 0, -0.10f, end), vec3(0, 1, 0), s, 3,
                    0.15f * n, 0.09f * n);
    b.detail = 0.35f;
    add_eyes(a, &b);
    b.material = a->dark;
    b.blend = 0.02f * n;
    lmbi_brush_ball(&b, on_head(a, 0, -0.045f, end + 0.065f), 0.065f * n, 0.045f * n, 0.045f * n);
    add_ears(a, &b);
}

/// A part of a leg between two joints: radii at both, and how much deeper than wide it begins.
typedef struct leg_part {
    int low, high;
    float r0, r1, deep;
} leg_part;

static void add_leg_part(const animal *a, lmbi_brush *b, int side, const leg_part *part)
{
    const float u = a->u * a->b.limb, r0 = part->r0, r1 = part->r1;
    const lmbi_station s[2] = {{0, r0 * u, r0 * part->deep * u, 0, 0}, {1, r1 * u, r1 * u, 0, 0}};
    lmbi_brush_bone(b, LEFT_SIDE + side * SIDE_BONES + part->low);
    lmbi_brush_tube(b, lmbi_bone_at(a->plan, LEFT_SIDE + part->low),
                    lmbi_bone_at(a->plan, LEFT_SIDE + part->high), vec3(0, 0, 1), s, 2, r0 * u,
                    r1 * u);
}

static void add_foot(const animal *a, lmbi_brush *b, int side, int bone)
{
    const float u = a->u * a->b.limb;
    const lmb_vec3 p = lmbi_bone_at(a->plan, LEFT_SIDE + bone);
    lmbi_brush_bone(b, LEFT_SIDE + side * SIDE_BONES + bone);
    b->material = a->dark;
    b->detail = 0.6f;
    const float r = a->b.hoof ? 0.044f * u : 0.046f * u, out = a->b.hoof ? 0.01f * u : 0.045f * u;
    const lmbi_station s[2] = {{0, r, 0.036f * u, 0, 0},
                               {1, r * 1.05f, 0.030f * u, 0, -0.003f * u}};
    lmbi_brush_tube(b, vec3(p.x, 0.034f * u, p.z - 0.01f * u), vec3(p.x, 0.034f * u, p.z + out),
                    vec3(0, 1, 0), s, 2, r, r);
    lmbi_brush_cone(b, p, vec3(p.x, 0.036f * u, p.z), 0.034f * u, 0.036f * u);
    b->carve = true;
    b->blend = 0.004f * u;
    lmbi_brush_ball(b, vec3(p.x, -1.5f * u, p.z), 6.0f * u, 1.5f * u, 6.0f * u);
    b->carve = false;
    b->material = a->coat;
    b->detail = 1.0f;
}

/// A front leg or a hind leg.
typedef struct leg {
    int upper, foot;
    leg_part parts[3];
} leg;

static const leg legs[2] = {
    {FRONT_UPPER,
     FRONT_FOOT,
     {{FRONT_SHOULDER, FRONT_UPPER, 0.055f, 0.075f, 1.3f},
      {FRONT_UPPER, FRONT_LOWER, 0.072f, 0.047f, 1.25f},
      {FRONT_LOWER, FRONT_FOOT, 0.045f, 0.033f, 1.1f}}},
    {BACK_UPPER,
     BACK_TOES,
     {{BACK_UPPER, BACK_LOWER, 0.090f, 0.058f, 1.35f},
      {BACK_LOWER, BACK_FOOT, 0.056f, 0.034f, 1.2f},
      {BACK_FOOT, BACK_TOES, 0.034f, 0.032f, 1.0f}}},
};

static void add_legs(animal *a, int side)
{
    const float u = a->u;
    lmbi_brush b = lmbi_brush_make(a->body, side == 0 ? 1.0f : -1.0f);
    b.material = a->coat;
    for (int k = 0; k < 2; ++k) {
        const leg *l = &legs[k];
        b.blend = 0.03f * u;
        lmbi_brush_bone(&b, LEFT_SIDE + side * SIDE_BONES + l->upper);
        lmbi_brush_group(&b, lmbi_bone_at(a->plan, LEFT_SIDE + l->upper), 0.24f * u, 0.08f * u,
                         0.012f * u);
        for (int p = 0; p < 3; ++p) {
            add_leg_part(a, &b, side, &l->parts[p]);
        }
        add_foot(a, &b, side, l->foot);
    }
}

static void draw_dimensions(animal *a, bool varied, lmb_random *r)
{
    beast b = beasts[lmbi_pick(r, varied ? sizeof beasts / sizeof *beasts : USUAL_BEASTS)];
    b.withers = lmbi_jitter(r, b.withers, 0.15f);
    b.length = lmbi_jitter(r, b.length, 0.14f);
    b.depth = lmbi_jitter(r, b.depth, 0.12f);
    b.width = lmbi_jitter(r, b.width, 0.14f);
    b.neck = lmbi_jitter(r, b.neck, 0.20f);
    b.neck_rad = lmbi_jitter(r, b.neck_rad, 0.20f);
    b.head = lmbi_jitter(r, b.head, 0.12f);
    b.snout = lmbi_jitter(r, b.snout, 0.30f);
    b.limb = lmbi_jitter(r, b.limb, 0.14f);
    b.tail = lmbi_jitter(r, b.tail, 0.30f);
    b.tail_rad += lmb_random_range(r, -0.3f, 0.3f);
    b.ear = lmbi_jitter(r, b.ear, 0.3f);
    b.leg = lmbi_jitter(r, b.leg, 0.06f);
    b.hock = lmbi_jitter(r, b.hock, 0.06f);
    b.splay = varied ? lmbi_jitter(r, b.splay, 0.3f) : b.splay;
    a->b = b;
    a->u = b.withers;
}

static void rotate_bone(animal *a, int bone, float pitch, float yaw)
{
    a->plan->bones[bone].rotation =
        lmb_quat_mul(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), yaw),
                     lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), pitch));
}

// Poses head and tail at random; half of the animals take a step, with diagonal legs together and
// soles level.
static void set_pose(animal *a, lmb_random *r)
{
    const float down = lmb_random_range(r, -0.25f, 0.4f), aside = lmb_random_range(r, -0.3f, 0.3f);
    rotate_bone(a, NECK, down, 0.7f * aside);
    rotate_bone(a, HEAD, -0.6f * down, 0.3f * aside);
    const float wag = lmb_random_range(r, -0.4f, 0.4f), lift = lmb_random_range(r, -0.3f, 0.3f);
    for (int k = 0; k < 3; ++k) {
        rotate_bone(a, TAIL + k, lift / 3, wag / 3);
    }
    const bool steps = lmbi_chance(r, 0.5f);
    const float step = lmb_random_range(r, 0.05f, 0.25f);
    for (int k = 0; k < 4 && steps; ++k) {
        const bool left = k == 0 || k == 2, front = k < 2;
        const float swing = (left == front ? step : -step) * lmb_random_range(r, 0.8f, 1.2f);
        const int side = LEFT_SIDE + (left ? 0 : SIDE_BONES);
        rotate_bone(a, side + (front ? FRONT_UPPER : BACK_UPPER), swing, 0);
        rotate_bone(a, side + (front ? FRONT_FOOT : BACK_TOES), -swing, 0);
    }
}

void lmbi_plan_quadruped(lmbi_plan *plan, const lmb_made_body_opts *opts)
{
    static const uint32_t coats[6] = {0xb8804a, 0x8a8580, 0x5c4030, 0xd9c3a0, 0x3a3634, 0xc9722f};
    lmb_random random = lmb_random_seed(opts->seed), *r = &random;
    animal beast_made = {.plan = plan}, *a = &beast_made;
    draw_dimensions(a, opts->varied, r);
    a->coat = lmbi_plan_material(plan, "coat", coats[lmbi_pick(r, 6)], 0.9f);
    a->dark = lmbi_plan_material(plan, "dark", 0x2b2523, 0.6f);
    lmbi_plan_eye_colors(plan, 0xf3efe6, 0x6b4a1e, 0x100c0c);
    a->body = lmbi_plan_begin(plan, "quadruped", "stand", 1.3f * a->u, 0.03f * a->u);
    add_bones(a);
    add_trunk(a);
    add_neck_and_tail(a);
    add_head(a);
    add_legs(a, 0);
    add_legs(a, 1);
    if (opts->pose == LMB_MADE_POSE_ANY) {
        set_pose(a, r);
    }
}
