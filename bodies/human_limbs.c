// Trunk, arms, legs and feet, with the clothes on them.
#include "bodies/human.h"

static const lmb_vec3 forward = {0, 0, 1}, upward = {0, 1, 0};

// Sets the four trunk bones along a tube from `low` to `high`.
static void set_trunk_bones(const lmbi_human *h, lmbi_brush *b, float low, float high)
{
    b->bone_count = 4;
    for (int k = 0; k < 4; ++k) {
        const float y = lmbi_human_at(h, HIPS + k).y;
        const float above = k < 3 ? lmbi_human_at(h, HIPS + k + 1).y : y + 0.1f * h->torso;
        b->bones[k] = (uint16_t)(HIPS + k);
        b->bone_at[k] = (0.5f * (y + above) - low) / (high - low);
    }
}

// Half widths and depths of the trunk, as fractions of the height, at fractions of the distance
// from hip to neck.
static void make_trunk_sections(const lmbi_human *h, lmbi_station s[6], float pad)
{
    const float u = h->height, g = h->girth, w = h->shoulder / (0.098f * u), hw = h->hips_width;
    static const float t[6] = {0.0f, 0.16f, 0.42f, 0.66f, 0.86f, 1.0f};
    const float side[6] = {0.078f * hw * g,
                           0.087f * hw * g,
                           (0.075f - 0.006f * h->bust) * g,
                           0.083f * (0.5f * g + 0.5f * w),
                           0.083f * w,
                           0.052f * w};
    const float front[6] = {0.056f * g, 0.062f * g, 0.050f * g, 0.061f * g, 0.051f * g, 0.034f};
    const float shift[6] = {-0.004f, -0.004f, 0.003f, 0.001f, -0.009f, -0.014f};
    for (int k = 0; k < 6; ++k) {
        s[k].t = t[k];
        s[k].side = side[k] * u + pad;
        s[k].front = front[k] * u + pad;
        s[k].off_side = 0.0f;
        s[k].off_front = shift[k] * u;
    }
}

static void add_chest(const lmbi_human *h, lmbi_brush *b, float pad)
{
    const float u = h->height, y = h->leg, T = h->torso;
    lmbi_brush_bone(b, UPPER_CHEST);
    b->blend = 0.03f * u;
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        // Pectorals or bust, then trapezius towards the neck.
        const float m = h->muscle, f = h->bust;
        lmbi_brush_ball(
            b, vec3(0.042f * u, y + (0.72f - 0.03f * f) * T, (0.024f + 0.024f * f) * u * h->girth),
            (0.040f + 0.004f * m) * u + pad, (0.032f + 0.006f * f) * u + pad,
            (0.022f + 0.008f * m + 0.014f * f) * u + pad);
        lmbi_brush_bones(b, UPPER_CHEST, 0.1f, lmbi_side_bone(side, SHOULDER), 0.6f);
        lmbi_brush_cone(b, vec3(0.015f * u, y + 1.02f * T, -0.016f * u),
                        vec3(h->shoulder * 0.9f, y + 0.90f * T, -0.014f * u),
                        (0.022f + 0.006f * m) * u + pad, 0.020f * u + pad);
        lmbi_brush_bone(b, UPPER_CHEST);
        lmbi_brush_ball(b, vec3(0.055f * u, y + 0.70f * T, -0.030f * u),
                        (0.024f + 0.018f * m) * u + pad, 0.05f * u,
                        (0.022f + 0.006f * m) * u + pad);
    }
    b->mirror = 1.0f;
}

static void add_belly(const lmbi_human *h, lmbi_brush *b, float pad)
{
    const float u = h->height, y = h->leg, T = h->torso, f = h->belly;
    b->blend = 0.05f * u;
    lmbi_brush_bone(b, SPINE);
    if (f > 0.0f && (h->top != TOP_BARE || h->bottom == BOTTOM_BARE)) {
        lmbi_brush_ball(b, vec3(0, y + 0.36f * T, (0.012f + 0.030f * f) * u),
                        (0.060f + 0.045f * f) * u + pad, (0.065f + 0.035f * f) * u + pad,
                        (0.045f + 0.055f * f) * u + pad);
    }
    lmbi_brush_bone(b, HIPS);
    b->blend = 0.03f * u;
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        lmbi_brush_ball(b, vec3(0.036f * u, y + 0.04f * T, -0.030f * u),
                        0.042f * u * h->hips_width + pad, 0.046f * u + pad,
                        0.038f * u * h->leg_girth + pad);
    }
    b->mirror = 1.0f;
}

static void add_trunk_layer(const lmbi_human *h, lmbi_brush *b, float low, float high, float pad)
{
    lmbi_station s[6];
    make_trunk_sections(h, s, pad);
    const lmb_vec3 bottom = vec3(0, h->leg + low * h->torso, 0),
                   top = vec3(0, h->leg + high * h->torso, 0);
    for (int k = 0; k < 6; ++k) {
        s[k].t = (s[k].t - low) / (high - low);
    }
    set_trunk_bones(h, b, bottom.y, top.y);
    b->blend = 0.02f * h->height;
    lmbi_brush_tube(b, bottom, top, forward, s, 6,
                    low > 0.05f ? 0.007f * h->height : 0.03f * h->height, 0.012f * h->height);
}

static void add_coat(const lmbi_human *h, lmbi_brush *b)
{
    const float u = h->height;
    const lmbi_station s[3] = {{0, (0.095f + 0.045f * h->leg_girth) * u * h->hips_width,
                                (0.05f + 0.055f * h->leg_girth) * u, 0, 0},
                               {0.6f, (0.055f + 0.055f * h->leg_girth) * u * h->hips_width,
                                (0.035f + 0.052f * h->leg_girth) * u, 0, 0},
                               {1, 0.078f * u * h->girth, 0.064f * u * h->girth, 0, 0}};
    lmbi_brush_bone(b, HIPS);
    b->blend = 0.05f * u;
    lmbi_brush_tube(b, vec3(0, h->leg * 0.72f, 0), vec3(0, h->leg + 0.42f * h->torso, 0), forward,
                    s, 3, 0.004f * u, 0.02f * u);
}

static void add_skirt(const lmbi_human *h, lmbi_brush *b)
{
    const float u = h->height;
    const lmbi_station s[3] = {
        {0, 0.150f * u * h->hips_width, 0.130f * u, 0, 0},
        {0.65f, 0.102f * u * h->hips_width * h->girth, 0.080f * u * h->girth, 0, -0.003f * u},
        {1, 0.074f * u * h->girth, 0.055f * u * h->girth, 0, 0}};
    lmbi_brush_bone(b, HIPS);
    lmbi_brush_group(b, vec3(0, 0, 0), 0, 0.004f * u, 0.004f * u);
    b->blend = 0.02f * u;
    lmbi_brush_tube(b, vec3(0, h->leg * 0.60f, 0), vec3(0, h->leg + 0.36f * h->torso, 0), forward,
                    s, 3, 0.003f * u, 0.01f * u);
}

static void add_belt(lmbi_human *h)
{
    const float u = h->height, y = h->leg + 0.25f * h->torso;
    lmbi_brush b = lmbi_brush_make(h->own_belt ? h->belt_shell : h->body, 1.0f);
    lmbi_brush_bone(&b, HIPS);
    lmbi_brush_group(&b, vec3(0, y, 0), 0, 0.002f * u, 0.002f * u);
    b.material = h->strap;
    b.square = 0.0f;
    lmbi_station s[6], ring[2];
    make_trunk_sections(h, s, (0.0105f + 0.03f * h->belly) * u);
    ring[0] = s[1];
    ring[1] = s[1];
    ring[0].t = 0;
    ring[1].t = 1;
    ring[0].side = ring[1].side = 0.5f * (s[1].side + s[2].side) + 0.003f * u;
    ring[0].front = ring[1].front = 0.5f * (s[1].front + s[2].front) + 0.003f * u;
    lmbi_brush_tube(&b, vec3(0, y - 0.010f * u, 0), vec3(0, y + 0.010f * u, 0), forward, ring, 2,
                    0.003f * u, 0.003f * u);
    b.material = h->trim;
    b.square = 0.8f;
    lmbi_brush_group(&b, vec3(0, y, 0), 0, 0.002f * u, 0.002f * u);
    lmbi_brush_ball(&b, vec3(0, y, ring[0].front - 0.002f * u), 0.016f * u, 0.013f * u, 0.007f * u);
}

static void add_neck(const lmbi_human *h, lmbi_brush *b)
{
    const float u = h->height, r = 0.028f * u * (0.6f + 0.4f * h->girth) + 0.006f * u * h->muscle;
    const lmb_vec3 low = lmb_vec3_mad(lmbi_human_at(h, NECK), upward, -0.03f * u),
                   high = lmbi_human_at(h, HEAD);
    b->material = h->skin;
    lmbi_brush_bones(b, NECK, 0.55f, HEAD, 1.0f);
    lmbi_brush_group(b, lmbi_human_at(h, NECK), 0.06f * u,
                     h->top == TOP_BARE ? 0.03f * u : 0.004f * u, 0.004f * u);
    const lmbi_station s[3] = {
        {0, r * 1.2f, r * 1.1f, 0, 0}, {0.5f, r, r * 0.98f, 0, 0}, {1, r * 1.02f, r * 1.05f, 0, 0}};
    lmbi_brush_tube(b, low, high, forward, s, 3, r, r);
}

void lmbi_human_trunk(lmbi_human *h)
{
    const float u = h->height;
    lmbi_brush b = lmbi_brush_make(h->body, 1.0f);
    const bool shirt = h->top != TOP_BARE;
    const float cloth = shirt ? 0.006f * u : 0.0f;
    b.material = h->bottom == BOTTOM_BARE ? h->skin : h->trousers;
    lmbi_brush_bone(&b, HIPS);
    lmbi_brush_group(&b, vec3(0, 0, 0), 0, 0, 0);
    add_trunk_layer(h, &b, 0.0f, shirt || h->bottom == BOTTOM_BARE ? 0.5f : 0.27f, 0.003f * u);
    add_belly(h, &b, 0.003f * u);
    b.material = shirt ? h->shirt : h->skin;
    lmbi_brush_bone(&b, SPINE);
    const float seam = (h->bottom == BOTTOM_BARE ? 0.03f : 0.003f) * u;
    lmbi_brush_group(&b, vec3(0, h->leg + 0.3f * h->torso, 0), 0, seam, seam);
    add_trunk_layer(h, &b,
                    h->top == TOP_COAT ? 0.42f
                    : !shirt           ? 0.22f
                    : h->belt          ? 0.24f
                                       : 0.12f,
                    1.0f, cloth);
    add_chest(h, &b, cloth);
    if (h->belly > 0.0f) {
        b.blend = 0.05f * u;
        lmbi_brush_bone(&b, SPINE);
        const float f = h->belly;
        lmbi_brush_ball(&b, vec3(0, h->leg + 0.38f * h->torso, (0.014f + 0.030f * f) * u),
                        (0.060f + 0.047f * f) * u + cloth, (0.065f + 0.036f * f) * u + cloth,
                        (0.045f + 0.055f * f) * u + cloth);
    }
    if (h->top == TOP_COAT) {
        add_coat(h, &b);
    }
    if (h->bottom == BOTTOM_SKIRT) {
        b.material = h->trousers;
        add_skirt(h, &b);
    }
    if (h->belt) {
        add_belt(h);
    }
    b = lmbi_brush_make(h->body, 1.0f);
    add_neck(h, &b);
}

// Cuts stations of a whole tube to the part that ends at `end`.
static void cut_stations(lmbi_station *stations, int count, float end)
{
    for (int k = 0; k < count; ++k) {
        stations[k].t /= end;
    }
}

static void add_sleeve(const lmbi_human *h, lmbi_brush *b, int side, lmb_vec3 s, lmb_vec3 e,
                       lmb_vec3 w)
{
    const float u = h->height, g = h->arm_girth, pad = 0.006f * u;
    b->material = h->shirt;
    lmbi_brush_bone(b, lmbi_side_bone(side, UPPER_ARM));
    lmbi_brush_group(b, s, 0.085f * u, 0.035f * u, 0.004f * u);
    b->blend = 0.012f * u;
    const bool full = h->top != TOP_SHORT;
    const float m = 0.005f * u * h->muscle;
    lmbi_brush_ball(b, s, 0.033f * u * g + m + pad, 0.030f * u * g + m + pad,
                    0.032f * u * g + m + pad);
    const lmb_vec3 inner = vec3(s.x - 0.012f * u, s.y, s.z);
    const float end = full ? 1.0f : 0.55f;
    lmbi_station upper[4] = {{0, 0.028f * u * g + pad, 0.028f * u * g + pad, 0, 0},
                             {0.25f, 0.030f * u * g + m + pad, 0.0305f * u * g + m + pad, 0, 0},
                             {0.6f, 0.0275f * u * g + m + pad, 0.0275f * u * g + m + pad, 0, 0},
                             {1, 0.026f * u * g + 1.25f * pad, 0.026f * u * g + 1.25f * pad, 0, 0}};
    cut_stations(upper, 4, end);
    lmbi_brush_tube(b, inner, lmb_vec3_lerp(s, e, end), upward, upper, 4, 0.025f * u,
                    full ? 0.02f * u : 0.003f * u);
    if (full) {
        const lmbi_station lower[3] = {
            {0, 0.025f * u * g + pad, 0.025f * u * g + pad, 0, 0},
            {0.3f, 0.0255f * u * g + m + pad, 0.0255f * u * g + m + pad, 0, 0},
            {1, 0.021f * u * g + pad, 0.021f * u * g + pad, 0, 0}};
        lmbi_brush_bone(b, lmbi_side_bone(side, LOWER_ARM));
        lmbi_brush_tube(b, e, lmb_vec3_lerp(e, w, 0.93f), upward, lower, 3, 0.02f * u, 0.003f * u);
    }
}

static void add_bare_arm(const lmbi_human *h, lmbi_brush *b, int side, lmb_vec3 s, lmb_vec3 e,
                         lmb_vec3 w)
{
    const float u = h->height, g = h->arm_girth, m = 0.005f * u * h->muscle;
    b->material = h->skin;
    b->blend = 0.012f * u;
    lmbi_brush_bone(b, lmbi_side_bone(side, UPPER_ARM));
    lmbi_brush_group(b, s, 0.085f * u, h->top == TOP_BARE ? 0.035f * u : 0.003f * u, 0.003f * u);
    const lmbi_station upper[4] = {{0, 0.028f * u * g, 0.028f * u * g, 0, 0},
                                   {0.3f, 0.0295f * u * g + m, 0.029f * u * g + m, 0, 0},
                                   {0.6f, 0.0275f * u * g + m, 0.0265f * u * g + m, 0, 0},
                                   {1, 0.0225f * u * g, 0.022f * u * g, 0, 0}};
    // front of an arm's section is up, side is back to front
    lmbi_brush_tube(b, s, e, upward, upper, 4, 0.026f * u, 0.02f * u * g);
    if (h->top == TOP_BARE) {
        lmbi_brush_ball(b, lmb_vec3_mad(s, upward, 0.002f * u), 0.034f * u * g + m,
                        0.030f * u * g + m, 0.033f * u * g + m);
    }
    const lmbi_station lower[5] = {
        {0, 0.0225f * u * g, 0.022f * u * g, 0, 0},
        {0.22f, 0.0255f * u * g + m, 0.0245f * u * g + m, 0, 0},
        {0.5f, 0.0225f * u * g + 0.5f * m, 0.021f * u * g + 0.5f * m, 0, 0},
        {0.85f, 0.0175f * u * g, 0.015f * u * g, 0, 0},
        {1, 0.0172f * u * g, 0.0142f * u * g, 0, 0}};
    lmbi_brush_bone(b, lmbi_side_bone(side, LOWER_ARM));
    lmbi_brush_tube(b, e, w, upward, lower, 5, 0.02f * u * g, 0.015f * u * g);
}

void lmbi_human_arm(lmbi_human *h, int side)
{
    const float u = h->height;
    lmbi_brush b = lmbi_brush_make(h->body, side == 0 ? 1.0f : -1.0f);
    const lmb_vec3 s = lmbi_human_left(h, UPPER_ARM), e = lmbi_human_left(h, LOWER_ARM),
                   w = lmbi_human_left(h, HAND);
    if (h->arm_missing[side]) {
        b.material = h->top == TOP_BARE ? h->skin : h->shirt;
        lmbi_brush_bone(&b, lmbi_side_bone(side, SHOULDER));
        lmbi_brush_group(&b, s, 0.085f * u, 0.03f * u, 0.004f * u);
        lmbi_brush_ball(&b, s, 0.034f * u, 0.034f * u, 0.034f * u);
        return;
    }
    if (h->top != TOP_BARE) {
        add_sleeve(h, &b, side, s, e, w);
    }
    add_bare_arm(h, &b, side, s, e, w);
    if (h->hands[side] != HAND_NONE) {
        lmbi_human_hand(h, side);
    }
}

static void add_leg_tubes(const lmbi_human *h, lmbi_brush *b, int side, float pad, float end)
{
    const float u = h->height, g = h->leg_girth, m = 0.004f * u * h->muscle;
    const lmb_vec3 hip = lmbi_human_left(h, UPPER_LEG), knee = lmbi_human_left(h, LOWER_LEG),
                   ankle = lmbi_human_left(h, FOOT);
    lmbi_station thigh[4] = {
        {0, 0.047f * u * g + pad, 0.053f * u * g + pad, 0, -0.004f * u},
        {0.3f, 0.046f * u * g + m + pad, 0.050f * u * g + m + pad, 0, 0.002f * u},
        {0.7f, 0.0375f * u * g + pad, 0.040f * u * g + pad, 0, 0.003f * u},
        {1, 0.031f * u * g + pad, 0.032f * u * g + pad, 0, 0.001f * u}};
    b->blend = 0.012f * u;
    lmbi_brush_bone(b, lmbi_side_bone(side, UPPER_LEG));
    const float on_thigh = end < 1.0f ? end : 1.0f;
    cut_stations(thigh, 4, on_thigh);
    lmbi_brush_tube(b, hip, lmb_vec3_lerp(hip, knee, on_thigh), forward, thigh, 4, 0.04f * u,
                    end < 1.0f ? 0.003f * u : 0.028f * u);
    if (end < 1.0f) {
        return;
    }
    const lmbi_station shin[5] = {
        {0, 0.0295f * u * g + pad, 0.030f * u * g + pad, 0, 0},
        {0.25f, 0.0315f * u * g + m + pad, 0.033f * u * g + m + pad, 0, -0.008f * u},
        {0.5f, 0.028f * u * g + pad, 0.029f * u * g + pad, 0, -0.006f * u},
        {0.8f, 0.0205f * u * g + 1.4f * pad, 0.0215f * u * g + 1.4f * pad, 0, 0},
        {1, 0.019f * u * g + 2.0f * pad, 0.021f * u * g + 2.0f * pad, 0, 0}};
    lmbi_brush_bone(b, lmbi_side_bone(side, LOWER_LEG));
    lmbi_brush_tube(b, knee, lmb_vec3_lerp(knee, ankle, end - 1.0f), forward, shin, 5, 0.028f * u,
                    end < 2.0f ? 0.003f * u : 0.015f * u);
}

// Adds the ankle between hem and shoe, down into the shoe.
static void add_ankle(const lmbi_human *h, lmbi_brush *b, int side)
{
    const float r = 0.0175f * h->height * (0.5f + 0.5f * h->leg_girth);
    const lmb_vec3 ankle = lmbi_human_left(h, FOOT),
                   high = lmb_vec3_lerp(ankle, lmbi_human_left(h, LOWER_LEG), 0.25f);
    b->material = h->skin;
    b->blend = 0.01f * h->height;
    lmbi_brush_bone(b, lmbi_side_bone(side, LOWER_LEG));
    lmbi_brush_group(b, ankle, 0, 0.003f * h->height, 0.003f * h->height);
    lmbi_brush_cone(b, high, ankle, r * 1.1f, r);
    lmbi_brush_bone(b, lmbi_side_bone(side, FOOT));
    lmbi_brush_cone(b, ankle, vec3(ankle.x, 0.13f * h->foot, ankle.z + 0.02f * h->foot), r, r);
}

void lmbi_human_leg(lmbi_human *h, int side)
{
    const float u = h->height;
    lmbi_brush b = lmbi_brush_make(h->body, side == 0 ? 1.0f : -1.0f);
    const lmb_vec3 hip = lmbi_human_left(h, UPPER_LEG);
    lmbi_brush_bone(&b, lmbi_side_bone(side, UPPER_LEG));
    b.material = h->skin;
    const bool cloth =
        h->bottom == BOTTOM_TROUSERS || h->bottom == BOTTOM_SHORTS || h->bottom == BOTTOM_BRIEFS;
    if (h->bottom != BOTTOM_TROUSERS) {
        lmbi_brush_group(&b, hip, 0.09f * u, h->bottom == BOTTOM_BARE ? 0.03f * u : 0.003f * u,
                         0.003f * u);
        add_leg_tubes(h, &b, side, 0.0f, 2.0f);
    }
    if (cloth) {
        b.material = h->trousers;
        lmbi_brush_bone(&b, lmbi_side_bone(side, UPPER_LEG));
        lmbi_brush_group(&b, hip, 0.09f * u, 0.03f * u, 0.003f * u);
        add_leg_tubes(h, &b, side, 0.0045f * u,
                      h->bottom == BOTTOM_SHORTS   ? 0.85f
                      : h->bottom == BOTTOM_BRIEFS ? 0.16f
                                                   : 1.93f);
    }
    if (h->shoes != BAREFOOT || cloth) {
        add_ankle(h, &b, side);
    }
    lmbi_human_foot(h, side);
}

static void add_sole(const lmbi_human *h, lmbi_brush *b, lmb_vec3 heel, lmb_vec3 toe)
{
    const float n = h->foot;
    const lmbi_station s[4] = {{0, 0.15f * n, 0.055f * n, 0, 0},
                               {0.35f, 0.15f * n, 0.055f * n, 0, 0},
                               {0.75f, 0.205f * n, 0.055f * n, 0, 0},
                               {1, 0.17f * n, 0.055f * n, 0, 0}};
    b->material = h->sole;
    b->square = 0.9f;
    lmbi_brush_group(b, heel, 0, 0.004f * n, 0.004f * n);
    lmbi_brush_tube(b, vec3(heel.x, 0.055f * n, heel.z), vec3(toe.x, 0.055f * n, toe.z), upward, s,
                    4, 0.15f * n, 0.19f * n);
    b->square = 0.0f;
}

// Adds a foot from heel to toe cap, flat underneath.
void lmbi_human_foot(lmbi_human *h, int side)
{
    const float n = h->foot;
    lmbi_implicit *field = h->own_shoes ? h->shoe_shell : h->body;
    lmbi_brush b = lmbi_brush_make(field, side == 0 ? 1.0f : -1.0f);
    const lmb_vec3 ankle = lmbi_human_left(h, FOOT), toes = lmbi_human_left(h, TOES);
    const bool bare = h->shoes == BAREFOOT;
    const float big = bare ? 0.86f : 1.0f, lift = bare ? 0.0f : 0.03f * n;
    const lmb_vec3 heel = vec3(ankle.x - 0.01f * n, 0, ankle.z - 0.10f * n),
                   tip = vec3(toes.x + 0.03f * n, 0, toes.z + 0.17f * n);
    b.material = bare ? h->skin : h->leather;
    b.detail = 0.75f;
    b.blend = 0.08f * n;
    lmbi_brush_bones(&b, lmbi_side_bone(side, FOOT), 0.62f, lmbi_side_bone(side, TOES), 0.85f);
    lmbi_brush_group(&b, ankle, 0.35f * n, bare ? 0.14f * n : 0.02f * n, 0.015f * n);
    const lmbi_station s[4] = {{0, 0.135f * n * big, 0.13f * n, 0, 0.13f * n + lift},
                               {0.35f, 0.135f * n * big, 0.145f * n, 0, 0.13f * n + lift},
                               {0.78f, 0.19f * n * big, 0.105f * n, 0, 0.095f * n + lift},
                               {1, 0.155f * n * big, 0.085f * n, 0, 0.08f * n + lift}};
    lmbi_brush_tube(&b, heel, tip, upward, s, 4, 0.14f * n, 0.17f * n);
    lmbi_brush_bone(&b, lmbi_side_bone(side, FOOT));
    // Boots go over trousers.
    const float over = h->shoes == BOOTS && h->bottom == BOTTOM_TROUSERS ? 1.25f : 1.0f;
    const float r = bare ? 0.105f * n : 0.135f * n * (0.5f + 0.5f * h->leg_girth) * over;
    const float top = h->shoes == BOOTS ? ankle.y + 0.55f * n : ankle.y + (bare ? 0.1f : 0.05f) * n;
    const lmbi_station shaft[2] = {
        {0, r, r * 1.15f, 0, 0},
        {1, r * (h->shoes == BOOTS ? 1.25f : 1.0f), r * (h->shoes == BOOTS ? 1.3f : 1.08f), 0, 0}};
    b.blend = 0.12f * n;
    lmbi_brush_tube(&b, vec3(ankle.x, 0.14f * n, ankle.z), vec3(ankle.x, top, ankle.z), forward,
                    shaft, 2, 0.1f * n, bare ? 0.1f * n : 0.02f * n);
    b.carve = true;
    b.blend = 0.02f * n;
    lmbi_brush_bones(&b, lmbi_side_bone(side, FOOT), 0.5f, lmbi_side_bone(side, TOES), 0.9f);
    lmbi_brush_ball(&b, vec3(ankle.x, -2.0f * n, ankle.z), 8.0f * n, 2.0f * n, 8.0f * n);
    b.carve = false;
    if (!bare) {
        add_sole(h, &b, heel, tip);
        b.carve = true;
        b.blend = 0.01f * n;
        lmbi_brush_ball(&b, vec3(ankle.x, -2.0f * n, ankle.z), 8.0f * n, 2.0f * n, 8.0f * n);
    }
}
