// Snakes on the ground in waves or coiled, with the head towards +Z, some with their front raised.
#include "bodies/body.h"

#include <math.h>

enum { SPINE_JOINTS = 12, PARTS = 36, SPINE = 0, HEAD = SPINE_JOINTS };

static const char *const names[SPINE_JOINTS + 1] = {
    "spine1", "spine2", "spine3",  "spine4",  "spine5",  "spine6", "spine7",
    "spine8", "spine9", "spine10", "spine11", "spine12", "head"};

typedef struct {
    lmbi_plan *plan;
    float u, girth; // length, largest radius
    // bends: amplitude of the heading in radians, number of waves, initial phase
    float amplitude, waves, phase;
    float coil;               // instead: how far a spiral turns inward, in radians
    float rise;               // the fraction of the body that stands up, from the snout
    lmb_vec3 line[PARTS + 1]; // from the snout to the tip of the tail
    lmbi_implicit *body;
    uint16_t scales;
} snake;

// The direction towards the tail, level and down, at a fraction of the body from the snout.
static float heading_at(const snake *s, float fraction)
{
    const float stiff = fraction < 0.1f ? fraction / 0.1f : 1;
    if (s->coil > 0) {
        return s->coil * (1 - sqrtf(1 - 0.85f * fraction));
    }
    return s->amplitude * stiff * lmb_sin(2 * LMB_PI * s->waves * fraction + s->phase);
}

static float fall_at(const snake *s, float fraction)
{
    const float head = 0.08f, steepest = 1.7f;
    if (fraction < head || fraction > s->rise) {
        return 0;
    }
    const float t = (fraction - head) / (s->rise - head);
    return steepest * lmb_sin(LMB_PI * t);
}

static void set_centre_line(snake *s)
{
    const float step = s->u / PARTS;
    lmb_vec3 p = lmb_vec3_make(0, s->girth, 0), sum = {0, 0, 0};
    for (int k = 0; k <= PARTS; ++k) {
        s->line[k] = p;
        sum = lmb_vec3_add(sum, p);
        const float fraction = (float)k / PARTS;
        const float heading = heading_at(s, fraction), down = fall_at(s, fraction),
                    level = step * lmb_cos(down);
        p = lmb_vec3_add(p, lmb_vec3_make(level * lmb_sin(heading), -step * lmb_sin(down),
                                          -level * lmb_cos(heading)));
    }
    const float floor = s->line[PARTS].y;
    for (int k = 0; k <= PARTS; ++k) {
        s->line[k].x -= sum.x / (PARTS + 1);
        s->line[k].y += s->girth - floor;
        s->line[k].z -= sum.z / (PARTS + 1);
    }
}

static lmb_vec3 point_at(const snake *s, float fraction)
{
    const float x = fraction * PARTS;
    const int k = x < PARTS - 1 ? (int)x : PARTS - 1;
    return lmb_vec3_lerp(s->line[k], s->line[k + 1], x - (float)k);
}

static float radius_at(const snake *s, float fraction)
{
    const float neck = 0.09f;
    if (fraction < neck) {
        // a head with a snout and a narrower neck
        const float t = fraction / neck;
        return s->girth * (t < 0.5f ? 0.55f + 0.9f * t : 1.0f - 0.6f * (t - 0.5f));
    }
    const float grow = (fraction - neck) / 0.25f;
    const float body = grow < 1 ? 0.7f + 0.3f * grow : 1;
    const float taper = fraction > 0.55f ? (fraction - 0.55f) / 0.45f : 0;
    return s->girth * body * (1 - 0.85f * taper);
}

static const float FIRST = 0.10f;

static void add_bones(snake *s)
{
    int parent = LMB_NONE;
    for (int k = 0; k < SPINE_JOINTS; ++k) {
        const float fraction = FIRST + (1 - FIRST) * (float)k / SPINE_JOINTS;
        parent = lmbi_plan_bone(s->plan, names[SPINE + k], parent, point_at(s, fraction));
    }
    lmbi_plan_bone(s->plan, names[HEAD], SPINE, point_at(s, 0.075f));
}

static void add_body(snake *s)
{
    lmbi_brush b = lmbi_brush_make(s->body, 1.0f);
    b.material = s->scales;
    lmbi_brush_group(&b, lmb_vec3_make(0, 0, 0), 0, 0, 0);
    for (int k = 0; k < PARTS; ++k) {
        const float s0 = (float)k / PARTS, s1 = (float)(k + 1) / PARTS;
        const int bone = s0 < FIRST - 0.01f
                             ? HEAD
                             : SPINE + (int)((s0 - FIRST + 0.01f) / (1 - FIRST) * SPINE_JOINTS);
        lmbi_brush_bone(&b, bone);
        b.blend = k == 0 ? 0 : 0.6f * s->girth;
        lmbi_brush_cone(&b, point_at(s, s0), point_at(s, s1), radius_at(s, s0), radius_at(s, s1));
    }
    for (int side = 0; side < 2; ++side) {
        const float m = side == 0 ? 1.0f : -1.0f, g = s->girth;
        const lmb_vec3 ahead = lmb_vec3_normalize_or(
            lmb_vec3_sub(point_at(s, 0), point_at(s, 0.04f)), lmb_vec3_make(0, 0, 1));
        const lmb_vec3 left = lmb_vec3_make(ahead.z, 0, -ahead.x);
        lmb_vec3 at = lmb_vec3_mad(point_at(s, 0.03f), left, 0.62f * m * g);
        at.y += 0.45f * g;
        lmbi_plan_eye(s->plan,
                      (lmbi_eye){at, lmb_vec3_scale(left, m), 0.22f * g, 0.9f, 0.5f, HEAD});
    }
}

static void choose_posture(snake *s, lmb_random *r)
{
    // Turns of a spiral lie further apart than the body is thick.
    const float apart = s->girth * lmb_random_range(r, 3.2f, 5);
    const float coil = fminf(sqrtf(4 * LMB_PI * s->u / apart), 4 * LMB_PI);
    s->coil = lmbi_chance(r, 0.2f) ? coil : 0;
    const bool raised = lmbi_chance(r, 0.3f);
    const float rise = lmb_random_range(r, 0.25f, 0.6f);
    s->rise = raised ? rise : 0;
}

void lmbi_plan_snake(lmbi_plan *plan, const lmb_made_body_opts *opts)
{
    static const uint32_t scales[5] = {0x5f6b3a, 0x8a6b3f, 0x3d3a38, 0xb09a62, 0x3f6b52};
    lmb_random random = lmb_random_seed(opts->seed), *r = &random;
    snake made = {.plan = plan}, *s = &made;
    s->u = lmb_random_range(r, 0.6f, 3.0f);
    const bool stout = opts->varied && lmbi_chance(r, 0.4f);
    s->girth = s->u * lmb_random_range(r, 0.014f, stout ? 0.045f : 0.024f);
    const float amplitude = lmb_random_range(r, 0.3f, 1.0f);
    s->amplitude = opts->pose == LMB_MADE_POSE_ANY ? amplitude : 0;
    s->waves = lmb_random_range(r, 1.0f, 2.2f);
    s->phase = lmb_random_range(r, 0, 2 * LMB_PI);
    if (opts->varied && opts->pose == LMB_MADE_POSE_ANY) {
        choose_posture(s, r);
    }
    s->scales = lmbi_plan_material(plan, "scales", scales[lmbi_pick(r, 5)], 0.6f);
    lmbi_plan_eye_colors(plan, 0xe8d9a0, 0x8a6a1e, 0x100c0c);
    s->body = lmbi_plan_begin(plan, "snake", "crawl", 0.5f * s->u, 1.2f * s->girth);
    set_centre_line(s);
    add_bones(s);
    add_body(s);
}
