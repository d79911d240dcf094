// Fish and whales, facing +Z, belly down: slender, deep, round and flat-sided ones.
#include "bodies/body.h"

#include <math.h>

enum { SPINE_JOINTS = 5 };
enum { SPINE, HEAD = SPINE + SPINE_JOINTS, TAIL_FIN, DORSAL_FIN, LEFT_FIN, RIGHT_FIN, FISH_BONES };

static const char *const names[FISH_BONES] = {"spine1",  "spine2",  "spine3",  "spine4",
                                              "spine5",  "head",    "tailFin", "dorsalFin",
                                              "leftFin", "rightFin"};

// Fractions of the length from snout to tail root.
typedef struct {
    float length; // metres
    float tall, wide;
    float head;         // where the gills are
    float tail, spread; // the tail fin: length, half the distance of its lobes
    float dorsal, fin;  // lengths
    float eye;          // radius
    float blunt;        // of the snout: 0 pointed, 1 as high as the body behind it
    bool flukes;        // the tail fin lies level
} breed;

static const breed breeds[] = {
    {0.40f, 0.24f, 0.14f, 0.24f, 0.22f, 0.15f, 0.12f, 0.16f, 0.022f, 0, false},    // trout
    {0.30f, 0.42f, 0.16f, 0.28f, 0.26f, 0.20f, 0.16f, 0.18f, 0.022f, 0, false},    // bream
    {0.80f, 0.15f, 0.11f, 0.28f, 0.15f, 0.12f, 0.08f, 0.10f, 0.022f, 0, false},    // pike
    {2.50f, 0.20f, 0.18f, 0.25f, 0.22f, 0.20f, 0.16f, 0.24f, 0.022f, 0, false},    // shark
    {0.60f, 0.34f, 0.26f, 0.28f, 0.24f, 0.28f, 0.16f, 0.22f, 0.030f, 0.2f, false}, // tuna
    {0.20f, 0.72f, 0.20f, 0.30f, 0.22f, 0.22f, 0.24f, 0.20f, 0.035f, 0.1f, false}, // butterflyfish
    {0.25f, 0.58f, 0.46f, 0.34f, 0.32f, 0.28f, 0.26f, 0.22f, 0.060f, 0.4f, false}, // goldfish
    {0.30f, 0.60f, 0.56f, 0.38f, 0.22f, 0.18f, 0.14f, 0.18f, 0.070f, 0.8f, false}, // puffer
    {2.20f, 0.24f, 0.23f, 0.22f, 0.16f, 0.20f, 0.14f, 0.20f, 0.015f, 0, true},     // dolphin
    {12.0f, 0.26f, 0.28f, 0.28f, 0.16f, 0.20f, 0.06f, 0.28f, 0.012f, 0.5f, true},  // whale
};

typedef struct {
    lmbi_plan *plan;
    breed b;
    float u;     // length
    float sway;  // leftward offset of the tail, or upward of flukes, as a fraction of the length
    float chord; // of fins, against the usual one
    float dorsal_at;           // position along the body
    float slim;                // half height of the tail's root, against the usual one
    bool second, anal, pelvic; // fins without joints: behind on the back, below, a pair below
    lmbi_implicit *body;
    uint16_t scales, fins;
} fish;

// Position along the body: 0 at the snout, 1 at the root of the tail fin.
static lmb_vec3 along(const fish *f, float fraction)
{
    const float bend = fraction > 0.4f ? (fraction - 0.4f) / 0.6f : 0;
    const float aside = f->sway * bend * bend * f->u;
    return vec3(f->b.flukes ? 0 : aside, f->b.flukes ? aside : 0, (0.5f - fraction) * f->u);
}

static void add_bones(fish *f)
{
    lmbi_plan *p = f->plan;
    const float start = f->b.head + 0.02f;
    int parent = LMB_NONE;
    for (int k = 0; k < SPINE_JOINTS; ++k) {
        const float fraction = start + (0.92f - start) * (float)k / (SPINE_JOINTS - 1);
        parent = lmbi_plan_bone(p, names[SPINE + k], parent, along(f, fraction));
    }
    lmbi_plan_bone(p, names[HEAD], SPINE, along(f, 0.75f * f->b.head));
    lmbi_plan_bone(p, names[TAIL_FIN], SPINE + SPINE_JOINTS - 1, along(f, 1));
    lmb_vec3 d = along(f, f->dorsal_at);
    d.y += 0.42f * f->b.tall * f->u;
    lmbi_plan_bone(p, names[DORSAL_FIN], SPINE + 1, d);
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f;
        lmb_vec3 r = along(f, f->b.head + 0.06f);
        r = lmb_vec3_add(r, vec3(m * 0.40f * f->b.wide * f->u, -0.14f * f->b.tall * f->u, 0));
        lmbi_plan_bone(p, names[LEFT_FIN + side], SPINE, r);
    }
}

static void add_trunk(fish *f)
{
    const float tall = 0.5f * f->b.tall * f->u, wide = 0.5f * f->b.wide * f->u;
    // half height and width at each station, as fractions of the largest
    float shape[8][2] = {{0.30f, 0.45f}, {0.62f, 0.80f}, {0.86f, 1.0f},  {1.0f, 1.0f},
                         {0.95f, 0.88f}, {0.70f, 0.62f}, {0.40f, 0.34f}, {0.28f, 0.18f}};
    for (int k = 0; k < 2; ++k) {
        for (int axis = 0; axis < 2; ++axis) {
            const float full = k == 0 ? 0.75f : 0.92f;
            shape[k][axis] += f->b.blunt * fmaxf(full - shape[k][axis], 0);
        }
    }
    shape[7][0] *= f->slim, shape[7][1] *= f->slim;
    lmbi_brush b = lmbi_brush_make(f->body, 1.0f);
    b.material = f->scales;
    lmbi_brush_group(&b, vec3(0, 0, 0), 0, 0, 0);
    for (int k = 0; k < 7; ++k) {
        const float s0 = 0.03f + 0.97f * (float)k / 7, s1 = 0.03f + 0.97f * (float)(k + 1) / 7;
        const lmbi_station s[2] = {{0, shape[k][1] * wide, shape[k][0] * tall, 0, 0},
                                   {1, shape[k + 1][1] * wide, shape[k + 1][0] * tall, 0, 0}};
        const float middle = 0.5f * (s0 + s1), start = f->b.head + 0.02f;
        const float joint = (middle - start) / (0.92f - start) * (SPINE_JOINTS - 1);
        const int bone = middle < f->b.head ? HEAD : SPINE + (joint > 0 ? (int)joint : 0);
        b.blend = k == 0 ? 0 : 0.008f * f->u;
        lmbi_brush_bone(&b, bone);
        lmbi_brush_tube(&b, along(f, s0), along(f, s1), vec3(0, 1, 0), s, 2, 0.5f * s[0].side,
                        0.5f * s[1].side);
    }
}

static void add_fin(const fish *f, lmbi_brush *b, int bone, lmb_vec3 root, lmb_vec3 tip,
                    lmb_vec3 flat, float chord0, float chord1)
{
    const float thin = 0.013f * f->u;
    // the section's front axis is the chord
    const lmbi_station s[2] = {{0, thin, chord0 * f->u, 0, 0}, {1, thin, chord1 * f->u, 0, 0}};
    b->material = f->fins;
    b->detail = 0.6f;
    b->blend = 0.02f * f->u;
    lmbi_brush_bone(b, bone);
    lmbi_brush_group(b, root, 0.08f * f->u, 0.03f * f->u, 0.005f * f->u);
    lmbi_brush_tube(b, root, tip, flat, s, 2, thin, thin);
}

static void add_tail_fin(const fish *f, lmbi_brush *b)
{
    const lmb_vec3 tail = lmbi_bone_at(f->plan, TAIL_FIN),
                   out = lmb_vec3_sub(tail, along(f, 0.93f));
    const lmb_vec3 back =
        lmb_vec3_scale(lmb_vec3_normalize_or(out, vec3(0, 0, -1)), f->b.tail * f->u);
    for (int half = 0; half < 2; ++half) {
        const float aside = (half == 0 ? f->b.spread : -f->b.spread) * f->u;
        const lmb_vec3 lobe = f->b.flukes ? vec3(aside, 0, 0) : vec3(0, aside, 0);
        add_fin(f, b, TAIL_FIN, lmb_vec3_mad(tail, back, -0.15f),
                lmb_vec3_add(lmb_vec3_add(tail, back), lobe), vec3(0, 0, 1), 0.045f * f->chord,
                0.03f * f->chord);
    }
}

// Fins without joints of their own: the skin of the spine.
static void add_further_fins(const fish *f, lmbi_brush *b)
{
    const float below = 0.40f * f->b.tall * f->u, length = 0.8f * f->b.dorsal * f->u;
    for (int k = 0; k < 2; ++k) {
        const float m = k == 0 ? -1.0f : 1.0f;
        const lmb_vec3 r = lmb_vec3_add(along(f, 0.7f), vec3(0, m * 0.8f * below, 0));
        if (k == 0 ? f->anal : f->second) {
            add_fin(f, b, SPINE + 3, r, lmb_vec3_add(r, vec3(0, m * length, -0.08f * f->u)),
                    vec3(0, 0, 1), 0.06f * f->chord, 0.03f);
        }
    }
    for (int side = 0; f->pelvic && side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f, fin = 0.6f * f->b.fin * f->u;
        const lmb_vec3 r =
            lmb_vec3_add(along(f, 0.5f), vec3(m * 0.2f * f->b.wide * f->u, -below, 0));
        add_fin(f, b, SPINE + 2, r, lmb_vec3_add(r, vec3(m * 0.5f * fin, -fin, -0.4f * fin)),
                vec3(0, 0, 1), 0.03f, 0.025f);
    }
}

static void add_fins(fish *f)
{
    lmbi_brush b = lmbi_brush_make(f->body, 1.0f);
    const float u = f->u;
    add_tail_fin(f, &b);
    const lmb_vec3 d = lmbi_bone_at(f->plan, DORSAL_FIN);
    add_fin(f, &b, DORSAL_FIN, d, lmb_vec3_add(d, vec3(0, f->b.dorsal * u, -0.10f * u)),
            vec3(0, 0, 1), 0.09f * f->chord, 0.03f * f->chord);
    add_further_fins(f, &b);
    for (int side = 0; side < 2; ++side) {
        b.mirror = side == 0 ? 1.0f : -1.0f;
        lmb_vec3 r = lmbi_bone_at(f->plan, LEFT_FIN);
        add_fin(f, &b, LEFT_FIN + side, r,
                lmb_vec3_add(
                    r, vec3(0.75f * f->b.fin * u, -0.35f * f->b.fin * u, -0.5f * f->b.fin * u)),
                vec3(0, 0, 1), 0.03f * f->chord, 0.025f * f->chord);
    }
}

static void add_eyes(fish *f)
{
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f, r = f->b.eye * f->u;
        lmbi_plan_eye(f->plan,
                      (lmbi_eye){lmb_vec3_add(along(f, 0.13f), vec3(m * 0.36f * f->b.wide * f->u,
                                                                    0.08f * f->b.tall * f->u, 0)),
                                 vec3(m, 0, 0), r, 0.9f, 0.5f, HEAD});
    }
}

static void choose_shape(fish *f, lmb_random *r)
{
    f->b = breeds[lmbi_pick(r, sizeof breeds / sizeof *breeds)];
    f->b.tall = lmbi_jitter(r, f->b.tall, 0.2f);
    f->b.wide = lmbi_jitter(r, f->b.wide, 0.2f);
    f->b.tail = lmbi_jitter(r, f->b.tail, 0.25f);
    f->b.spread = lmbi_jitter(r, f->b.spread, 0.25f);
    f->b.dorsal *= lmb_random_range(r, 0.7f, 2.0f);
    f->b.fin *= lmb_random_range(r, 0.75f, 1.6f);
    f->u = lmbi_jitter(r, f->b.length, 0.2f);
    f->chord = lmb_random_range(r, 0.8f, 2.5f);
    f->dorsal_at = lmb_random_range(r, 0.36f, 0.6f);
    f->slim = lmb_random_range(r, 0.7f, 1.3f);
    f->anal = lmbi_chance(r, 0.6f) && !f->b.flukes;
    f->second = lmbi_chance(r, 0.3f) && !f->b.flukes;
    f->pelvic = lmbi_chance(r, 0.4f) && !f->b.flukes;
}

void lmbi_plan_fish(lmbi_plan *plan, const lmb_made_body_opts *opts)
{
    static const uint32_t scales[5] = {0x8fa0ad, 0xd98a3a, 0x6f8a5a, 0x56708c, 0xc9b48a};
    lmb_random random = lmb_random_seed(opts->seed), *r = &random;
    fish made = {.plan = plan}, *f = &made;
    choose_shape(f, r);
    const float sway = lmb_random_range(r, -0.12f, 0.12f);
    f->sway = opts->pose == LMB_MADE_POSE_ANY ? sway : 0;
    f->scales = lmbi_plan_material(plan, "scales", scales[lmbi_pick(r, 5)], 0.5f);
    f->fins = lmbi_plan_material(plan, "fins", 0x5d5148, 0.6f);
    lmbi_plan_eye_colors(plan, 0xf3efe6, 0xc9a24a, 0x100c0c);
    f->body = lmbi_plan_begin(plan, "fish", "swim", f->u, 0.05f * f->u);
    add_bones(f);
    add_trunk(f);
    add_fins(f);
    add_eyes(f);
}
