// Spiders, crabs and insects, facing +Z, on eight legs or six, some with wings or claws.
#include "bodies/body.h"

#include <math.h>

enum { BODY, ABDOMEN, HEAD, LEGS, LEG_JOINTS = 3, MOST_PAIRS = 4, WING_JOINTS = 2 };

static const char *const leg_names[2][MOST_PAIRS][LEG_JOINTS] = {
    {{"leftLeg1Upper", "leftLeg1Middle", "leftLeg1Lower"},
     {"leftLeg2Upper", "leftLeg2Middle", "leftLeg2Lower"},
     {"leftLeg3Upper", "leftLeg3Middle", "leftLeg3Lower"},
     {"leftLeg4Upper", "leftLeg4Middle", "leftLeg4Lower"}},
    {{"rightLeg1Upper", "rightLeg1Middle", "rightLeg1Lower"},
     {"rightLeg2Upper", "rightLeg2Middle", "rightLeg2Lower"},
     {"rightLeg3Upper", "rightLeg3Middle", "rightLeg3Lower"},
     {"rightLeg4Upper", "rightLeg4Middle", "rightLeg4Lower"}}};

static const char *const wing_names[2][WING_JOINTS] = {{"leftWing1", "leftWing2"},
                                                       {"rightWing1", "rightWing2"}};

// Fractions of the body's length.
typedef struct {
    float length; // metres
    int pairs;
    float high;            // height of the body over the ground
    float thorax, abdomen; // radii
    float reach, knee;     // legs: horizontal reach, and height of the knee over the body
    float thick;
    float rear, waist;        // of the abdomen: how much longer than wide, and how far behind
    float broad;              // of the thorax, against its length
    float head;               // radius, of the thorax's
    float wing, feeler, claw; // lengths of wings and feelers, radius of claws; 0: none
} bug;

enum { USUAL_BUGS = 4 };
static const bug bugs[] = {
    {0.05f, 4, 0.42f, 0.19f, 0.21f, 1.10f, 0.45f, 0.050f, 1.3f, 0, 1, 0.65f, 0, 0, 0}, // spider
    {0.12f, 4, 0.35f, 0.20f, 0.19f, 0.85f, 0.25f, 0.075f, 1.3f, 0, 1, 0.65f, 0, 0, 0}, // tarantula
    {0.03f, 3, 0.38f, 0.17f, 0.20f, 0.75f, 0.15f, 0.045f, 1.3f, 0, 1, 0.65f, 0, 0.3f, 0}, // insect
    {0.04f, 3, 0.50f, 0.15f, 0.18f, 0.95f, 0.30f, 0.040f, 1.3f, 0, 1, 0.65f, 0, 0,
     0}, // on long legs
    {0.03f, 4, 0.42f, 0.15f, 0.38f, 1.00f, 0.45f, 0.040f, 1.1f, 0.05f, 1, 0.7f, 0, 0, 0}, // widow
    {0.01f, 3, 0.30f, 0.12f, 0.22f, 0.72f, 0.22f, 0.032f, 1.4f, 0.08f, 0.9f, 1.2f, 0, 0.4f,
     0}, // ant
    {0.03f, 3, 0.30f, 0.25f, 0.36f, 0.72f, 0.06f, 0.050f, 1.4f, -0.1f, 1.2f, 0.6f, 0, 0.25f,
     0}, // beetle
    {0.02f, 3, 0.45f, 0.22f, 0.31f, 0.50f, 0.02f, 0.036f, 1.5f, -0.05f, 1, 0.8f, 0.95f, 0.25f,
     0}, // bee
    {0.04f, 3, 0.45f, 0.16f, 0.17f, 0.50f, 0.06f, 0.030f, 2.6f, 0.04f, 1, 0.9f, 1.2f, 0.15f,
     0},                                                                               // wasp
    {0.15f, 4, 0.30f, 0.32f, 0, 1.00f, 0.18f, 0.060f, 1, 0, 1.7f, 0.35f, 0, 0, 0.15f}, // crab
};

typedef struct {
    lmbi_plan *plan;
    bug b;
    float u;
    lmbi_implicit *body;
    uint16_t shell, dark;
    lmb_vec3 feet[MOST_PAIRS]; // of the left side
} spider;

static int leg_bone(const spider *s, int side, int pair, int joint)
{
    return LEGS + (side * s->b.pairs + pair) * LEG_JOINTS + joint;
}

static int wing_bone(const spider *s, int side, int joint)
{
    return leg_bone(s, 2, 0, side * WING_JOINTS + joint);
}

static void add_bones(spider *s, lmb_random *r)
{
    lmbi_plan *p = s->plan;
    const float u = s->u, y = s->b.high * u;
    lmbi_plan_bone(p, "body", LMB_NONE, vec3(0, y, 0));
    lmbi_plan_bone(p, "abdomen", BODY, vec3(0, y, -(0.85f * s->b.thorax + s->b.waist) * u));
    p->bones[ABDOMEN].present = s->b.abdomen > 0;
    lmbi_plan_bone(p, "head", BODY, vec3(0, y, 0.75f * s->b.thorax * u));
    float heading[MOST_PAIRS], reach[MOST_PAIRS];
    for (int k = 0; k < s->b.pairs; ++k) {
        const float even = s->b.pairs == 4 ? 0.95f - 0.55f * (float)k : 0.85f - 0.80f * (float)k;
        heading[k] = even + lmb_random_range(r, -0.06f, 0.06f);
        reach[k] = s->b.reach * lmb_random_range(r, 0.92f, 1.08f) * u;
    }
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f;
        for (int k = 0; k < s->b.pairs; ++k) {
            const float c = m * lmb_cos(heading[k]), z = lmb_sin(heading[k]);
            const float in = 0.85f * s->b.thorax * u, far = reach[k];
            const float root = (0.5f - (float)k / (float)(s->b.pairs - 1)) * 0.9f * s->b.thorax * u;
            const char *const *n = leg_names[side][k];
            const bool claw = s->b.claw > 0 && k == 0;
            const float lift = claw ? 0.5f * y : 0;
            int j = lmbi_plan_bone(p, n[0], BODY,
                                   vec3(0.9f * in * s->b.broad * (c < 0 ? -1.0f : 1.0f), y, root));
            j = lmbi_plan_bone(
                p, n[1], j,
                vec3((in + 0.35f * (far - in)) * c, y + s->b.knee * u, root + 0.38f * far * z));
            lmbi_plan_bone(
                p, n[2], j,
                vec3((in + 0.75f * (far - in)) * c, 0.45f * y + lift, root + 0.8f * far * z));
            if (side == 0) {
                s->feet[k] =
                    vec3((claw ? 0.6f : 1.0f) * far * c, 0.03f * u + 2 * lift, root + far * z);
            }
        }
    }
}

static void add_wing_bones(spider *s)
{
    const float u = s->u, t = s->b.thorax * u, w = s->b.wing * u, y = s->b.high * u;
    for (int side = 0; side < 2 && w > 0; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f;
        const int j = lmbi_plan_bone(s->plan, wing_names[side][0], BODY,
                                     vec3(0.4f * m * t, y + 0.55f * t, 0.1f * t));
        lmbi_plan_bone(
            s->plan, wing_names[side][1], j,
            vec3(m * (0.4f * t + 0.5f * w), y + 0.55f * t + 0.12f * w, 0.1f * t - 0.12f * w));
    }
}

static void add_wing(spider *s, int side)
{
    const float u = s->u, w = s->b.wing * u, thin = 0.016f * u;
    lmbi_brush b = lmbi_brush_make(s->body, side == 0 ? 1.0f : -1.0f);
    const lmb_vec3 root = lmbi_bone_at(s->plan, wing_bone(s, 0, 0)),
                   middle = lmbi_bone_at(s->plan, wing_bone(s, 0, 1)),
                   half = lmb_vec3_sub(middle, root);
    const lmbi_station part[2][2] = {{{0, 0.05f * w, thin, 0, 0}, {1, 0.17f * w, thin, 0, 0}},
                                     {{0, 0.17f * w, thin, 0, 0}, {1, 0.11f * w, thin, 0, 0}}};
    b.material = s->dark;
    b.detail = 0.6f;
    b.blend = 0.02f * u;
    lmbi_brush_bone(&b, wing_bone(s, side, 0));
    lmbi_brush_group(&b, root, 0.1f * u, 0.03f * u, 0.004f * u);
    lmbi_brush_tube(&b, root, middle, vec3(0, 1, 0), part[0], 2, thin, thin);
    lmbi_brush_bone(&b, wing_bone(s, side, 1));
    lmbi_brush_tube(&b, middle, lmb_vec3_mad(middle, half, 0.85f), vec3(0, 1, 0), part[1], 2, thin,
                    0.1f * w);
}

static void add_feelers(spider *s)
{
    const float u = s->u, y = s->b.high * u, t = s->b.thorax * u, f = s->b.feeler * u,
                h = s->b.head * t;
    lmbi_brush b = lmbi_brush_make(s->body, 1.0f);
    b.material = s->dark;
    b.detail = 0.5f;
    b.blend = 0.02f * u;
    lmbi_brush_bone(&b, HEAD);
    for (int side = 0; side < 2 && f > 0; ++side) {
        b.mirror = side == 0 ? 1.0f : -1.0f;
        const lmb_vec3 root = vec3(0.35f * h, y + 0.6f * h, 1.3f * t);
        lmbi_brush_group(&b, root, 0.1f * u, 0.02f * u, 0.004f * u);
        lmbi_brush_cone(&b, root, lmb_vec3_add(root, vec3(0.45f * f, 0.6f * f, 0.7f * f)),
                        0.022f * u, 0.016f * u);
    }
}

static void add_trunk(spider *s)
{
    const float u = s->u, y = s->b.high * u, t = s->b.thorax * u, a = s->b.abdomen * u;
    lmbi_brush b = lmbi_brush_make(s->body, 1.0f);
    b.material = s->shell;
    lmbi_brush_bone(&b, BODY);
    lmbi_brush_group(&b, vec3(0, y, 0), 0, 0, 0);
    lmbi_brush_ball(&b, vec3(0, y, 0), 0.95f * t * s->b.broad, 0.75f * t, 1.05f * t);
    b.blend = 0.05f * u;
    lmbi_brush_bone(&b, HEAD);
    b.material = s->dark;
    const float h = s->b.head * t;
    if (h > 0) {
        lmbi_brush_ball(&b, vec3(0, y, 0.75f * t + 0.85f * h), h, 0.85f * h, 0.92f * h);
    }
    lmbi_brush_bone(&b, ABDOMEN);
    b.material = s->shell;
    const lmb_vec3 rear =
        vec3(0, y + 0.15f * a, -0.85f * t - s->b.waist * u - 0.88f * s->b.rear * a);
    if (a > 0) {
        lmbi_brush_cone(&b, vec3(0, y, -0.5f * t), rear, 0.35f * t, 0.35f * t);
        lmbi_brush_ball(&b, rear, a, 0.9f * a, s->b.rear * a);
    }
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f;
        lmbi_plan_eye(
            s->plan,
            (lmbi_eye){vec3(m * 0.35f * t, y + 0.25f * t, 0.75f * t + fmaxf(1.45f * h, 0.2f * t)),
                       lmb_vec3_normalize_or(vec3(0.5f * m, 0.2f, 1), vec3(0, 0, 1)), 0.14f * t,
                       0.9f, 0.5f, HEAD});
    }
}

static void add_leg(spider *s, int side, int pair)
{
    const float u = s->u, thick = s->b.thick * u;
    lmbi_brush b = lmbi_brush_make(s->body, side == 0 ? 1.0f : -1.0f);
    b.material = s->dark;
    b.detail = 0.6f;
    b.blend = 0.02f * u;
    lmbi_brush_bone(&b, leg_bone(s, side, pair, 0));
    lmbi_brush_group(&b, lmbi_bone_at(s->plan, leg_bone(s, 0, pair, 0)), 0.1f * u, 0.03f * u,
                     0.004f * u);
    for (int k = 0; k < LEG_JOINTS; ++k) {
        const lmb_vec3 low = lmbi_bone_at(s->plan, leg_bone(s, 0, pair, k)),
                       high = k + 1 < LEG_JOINTS
                                  ? lmbi_bone_at(s->plan, leg_bone(s, 0, pair, k + 1))
                                  : s->feet[pair];
        lmbi_brush_bone(&b, leg_bone(s, side, pair, k));
        lmbi_brush_cone(&b, low, high, thick * (1 - 0.2f * (float)k),
                        thick * (0.8f - 0.2f * (float)k));
    }
    const float claw = pair == 0 ? s->b.claw * u : 0;
    if (claw > 0) {
        lmbi_brush_ball(&b, s->feet[pair], 0.7f * claw, 0.5f * claw, claw);
    }
}

// Swings and spreads each leg slightly; feet stay near the ground.
static void set_pose(spider *s, bool varied, lmb_random *r)
{
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < s->b.pairs; ++k) {
            const lmb_quat step =
                lmb_quat_axis_angle(vec3(0, 1, 0), lmb_random_range(r, -0.1f, 0.1f));
            s->plan->bones[leg_bone(s, side, k, 0)].rotation = step;
            const float spread = lmb_random_range(r, -0.08f, 0.08f);
            s->plan->bones[leg_bone(s, side, k, 2)].rotation =
                lmb_quat_axis_angle(vec3(0, 0, 1), side == 0 ? spread : -spread);
        }
    }
    const float flap = varied ? lmb_random_range(r, -0.2f, 0.6f) : 0,
                sweep = varied ? lmb_random_range(r, -0.2f, 0.7f) : 0;
    for (int side = 0; side < 2 && s->b.wing > 0; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f;
        s->plan->bones[wing_bone(s, side, 0)].rotation =
            lmb_quat_mul(lmb_quat_axis_angle(vec3(0, 1, 0), m * sweep),
                         lmb_quat_axis_angle(vec3(0, 0, 1), m * flap));
    }
    s->plan->bones[ABDOMEN].rotation =
        lmb_quat_axis_angle(vec3(1, 0, 0), lmb_random_range(r, -0.25f, 0.15f));
}

void lmbi_plan_spider(lmbi_plan *plan, const lmb_made_body_opts *opts)
{
    static const uint32_t shells[5] = {0x4a3a2c, 0x2d2a2a, 0x7a4a2a, 0x5a3030, 0x6a6a3a};
    lmb_random random = lmb_random_seed(opts->seed), *r = &random;
    spider made = {.plan = plan}, *s = &made;
    s->b = bugs[lmbi_pick(r, opts->varied ? sizeof bugs / sizeof *bugs : USUAL_BUGS)];
    s->b.high = lmbi_jitter(r, s->b.high, 0.25f);
    s->b.thorax = lmbi_jitter(r, s->b.thorax, 0.18f);
    s->b.abdomen = lmbi_jitter(r, s->b.abdomen, 0.25f);
    s->b.reach = lmbi_jitter(r, s->b.reach, 0.18f);
    s->b.knee = lmbi_jitter(r, s->b.knee, 0.35f);
    s->b.thick = lmbi_jitter(r, s->b.thick, 0.25f);
    s->b.wing = opts->varied ? lmbi_jitter(r, s->b.wing, 0.2f) : 0;
    s->b.feeler = opts->varied ? lmbi_jitter(r, s->b.feeler, 0.4f) : 0;
    s->u = lmbi_jitter(r, s->b.length, 0.2f);
    s->shell = lmbi_plan_material(plan, "shell", shells[lmbi_pick(r, 5)], 0.5f);
    s->dark = lmbi_plan_material(plan, "dark", 0x241e1a, 0.6f);
    lmbi_plan_eye_colors(plan, 0x8a2a1a, 0x5a1a10, 0x100c0c);
    s->body = lmbi_plan_begin(plan, "spider", "stand", 1.5f * s->u, 0.05f * s->u);
    add_bones(s, r);
    add_wing_bones(s);
    add_trunk(s);
    add_feelers(s);
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < s->b.pairs; ++k) {
            add_leg(s, side, k);
        }
        if (s->b.wing > 0) {
            add_wing(s, side);
        }
    }
    if (opts->pose == LMB_MADE_POSE_ANY) {
        set_pose(s, opts->varied, r);
    }
}
