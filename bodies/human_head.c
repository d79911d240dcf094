// Head, face and hair. Lengths are in head heights: 0 is the chin, 1 the crown, +z the face.
#include "bodies/human.h"

static const lmb_vec3 forward = {0, 0, 1};

static lmb_vec3 on_head(const lmbi_human *h, float x, float y, float z)
{
    const float n = h->head;
    return lmb_vec3_make(x * n, h->leg + h->torso + h->neck + y * n, z * n + 0.004f * h->height);
}

static void add_ball(const lmbi_human *h, const lmbi_brush *b, float x, float y, float z, float rx,
                     float ry, float rz)
{
    lmbi_brush_ball(b, on_head(h, x, y, z), rx * h->head, ry * h->head, rz * h->head);
}

static void add_cone(const lmbi_human *h, const lmbi_brush *b, const float from[3],
                     const float to[3], float r0, float r1)
{
    lmbi_brush_cone(b, on_head(h, from[0], from[1], from[2]), on_head(h, to[0], to[1], to[2]),
                    r0 * h->head, r1 * h->head);
}

// Point of the face at x and y, `out` in front of its surface.
static lmb_vec3 on_face(const lmbi_human *h, float x, float y, float out)
{
    const lmb_vec3 from = on_head(h, x, y, 0.9f);
    const float t = lmbi_implicit_reach(h->body, from, lmb_vec3_make(0, 0, -1), 1.2f * h->head);
    return lmb_vec3_make(from.x, from.y, from.z - t + out * h->head);
}

// Adds a line of cones over the face through up to four points, x and y in head heights.
static void add_face_line(const lmbi_human *h, lmbi_brush *b, const float (*points)[2],
                          const float *radii, int count, float out)
{
    lmb_vec3 on[4]; // before either side is there
    for (int k = 0; k < count; ++k) {
        on[k] = on_face(h, points[k][0], points[k][1], out);
    }
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        for (int k = 0; k + 1 < count; ++k) {
            lmbi_brush_cone(b, on[k], on[k + 1], radii[k] * h->head, radii[k + 1] * h->head);
        }
    }
    b->mirror = 1.0f;
}

static void add_skull(const lmbi_human *h, lmbi_brush *b)
{
    const float n = h->head, j = h->jaw;
    add_ball(h, b, 0, 0.63f, -0.03f, 0.345f, 0.37f, 0.40f);
    b->blend = 0.12f * n;
    const lmbi_station face[4] = {{0, 0.152f * n * j, 0.13f * n, 0, 0.03f * n},
                                  {0.3f, 0.243f * n * j, 0.205f * n, 0, 0.0f},
                                  {0.65f, 0.285f * n, 0.25f * n, 0, 0.0f},
                                  {1, 0.300f * n, 0.26f * n, 0, -0.02f * n}};
    lmbi_brush_tube(b, on_head(h, 0, 0.10f, 0.145f), on_head(h, 0, 0.60f, 0.095f), forward, face, 4,
                    0.10f * n, 0.12f * n);
    b->blend = 0.08f * n;
    add_ball(h, b, 0, 0.075f, 0.235f, 0.085f * j, 0.07f, 0.08f);
}

static void add_cheeks_and_brow(const lmbi_human *h, lmbi_brush *b)
{
    const float n = h->head;
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        b->blend = 0.08f * n;
        add_ball(h, b, 0.170f, 0.320f, 0.215f, 0.090f, 0.085f, 0.09f);
        b->blend = 0.05f * n;
        add_cone(h, b, (const float[3]){0.05f, 0.545f, 0.335f},
                 (const float[3]){0.22f, 0.555f, 0.255f}, 0.045f, 0.04f);
    }
    b->mirror = 1.0f;
}

static void add_nose(const lmbi_human *h, lmbi_brush *b)
{
    const float n = h->head, s = h->nose;
    b->blend = 0.05f * n;
    add_cone(h, b, (const float[3]){0, 0.50f, 0.322f},
             (const float[3]){0, 0.330f, 0.355f + 0.045f * s}, 0.024f, 0.032f + 0.012f * s);
    b->blend = 0.03f * n;
    add_ball(h, b, 0, 0.320f, 0.365f + 0.05f * s, 0.038f + 0.010f * s, 0.034f + 0.008f * s,
             0.040f + 0.010f * s);
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        add_ball(h, b, 0.040f + 0.006f * s, 0.306f, 0.345f + 0.03f * s, 0.026f, 0.024f, 0.032f);
    }
    b->mirror = 1.0f;
}

static void add_mouth(const lmbi_human *h, lmbi_brush *b)
{
    static const float upper[3][2] = {{0.0f, 0.206f}, {0.050f, 0.209f}, {0.115f, 0.212f}};
    static const float lower[3][2] = {{0.0f, 0.176f}, {0.050f, 0.181f}, {0.105f, 0.203f}};
    static const float line[3][2] = {{0.0f, 0.192f}, {0.060f, 0.196f}, {0.130f, 0.214f}};
    const float n = h->head;
    b->detail = 0.22f;
    b->material = h->lips;
    b->blend = 0.014f * n;
    add_face_line(h, b, upper, (const float[3]){0.014f, 0.014f, 0.010f}, 3, 0.0f);
    add_face_line(h, b, lower, (const float[3]){0.019f, 0.018f, 0.010f}, 3, -0.002f);
    b->carve = true;
    b->blend = 0.012f * n;
    add_face_line(h, b, line, (const float[3]){0.007f, 0.007f, 0.006f}, 3, 0.0f);
    b->carve = false;
    b->detail = 0.35f;
    b->material = h->skin;
}

static void add_ears(const lmbi_human *h, lmbi_brush *b)
{
    const float n = h->head, s = h->ears;
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        b->rotation = lmb_quat_mul(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -0.35f),
                                   lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -0.15f));
        b->blend = 0.03f * n;
        add_ball(h, b, 0.335f, 0.43f, -0.02f, 0.035f * s, 0.115f * s, 0.075f * s);
        b->carve = true;
        b->blend = 0.03f * n;
        add_ball(h, b, 0.335f + 0.045f * s, 0.445f, 0.005f, 0.025f * s, 0.065f * s, 0.035f * s);
        b->carve = false;
    }
    b->rotation = lmb_quat_identity();
    b->mirror = 1.0f;
}

// Adds a lid around the eyeball with an almond-shaped opening. Without separate eyeballs the lids
// stay closed.
static void add_eyes(lmbi_human *h, lmbi_brush *b)
{
    const float n = h->head, r = 0.092f * h->eye_size, z = 0.305f - r;
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        b->carve = true;
        b->blend = 0.05f * n;
        add_ball(h, b, 0.142f, 0.435f, 0.350f, 0.10f, 0.065f, 0.055f);
        b->carve = false;
        b->blend = 0.02f * n;
        add_ball(h, b, 0.142f, 0.435f, z, r * 1.12f, r * 1.12f, r * 1.12f);
        if (h->own_eyes) {
            b->carve = true;
            b->blend = 0.006f * n;
            b->rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.06f);
            add_ball(h, b, 0.145f, 0.425f, z + r, r * 0.92f, r * 0.62f, r * 0.95f);
            b->rotation = lmb_quat_identity();
            b->carve = false;
            const lmb_vec3 at = on_head(h, 0.142f * b->mirror, 0.435f, z);
            lmbi_plan_eye(
                h->plan,
                (lmbi_eye){
                    at, lmb_vec3_normalize_or(lmb_vec3_make(0.05f * b->mirror, -0.01f, 1), forward),
                    r * n, 0.68f, 0.30f, HEAD});
        }
    }
    b->mirror = 1.0f;
}

static void add_eyebrows(const lmbi_human *h, lmbi_brush *b)
{
    static const float brow[3][2] = {{0.060f, 0.592f}, {0.145f, 0.612f}, {0.232f, 0.588f}};
    b->material = h->hairs;
    b->blend = 0.006f * h->head;
    add_face_line(h, b, brow, (const float[3]){0.020f, 0.019f, 0.011f}, 3, -0.002f);
    b->material = h->skin;
}

static void add_beard(const lmbi_human *h, lmbi_brush *b)
{
    const float n = h->head, j = h->jaw;
    b->material = h->hairs;
    b->blend = 0.03f * n;
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        add_cone(h, b, (const float[3]){0.0f, 0.05f, 0.22f},
                 (const float[3]){0.17f * j, 0.12f, 0.12f}, 0.10f, 0.085f);
        add_cone(h, b, (const float[3]){0.17f * j, 0.12f, 0.12f},
                 (const float[3]){0.27f, 0.38f, 0.04f}, 0.085f, 0.05f);
        add_cone(h, b, (const float[3]){0.01f, 0.245f, 0.335f},
                 (const float[3]){0.09f, 0.225f, 0.29f}, 0.022f, 0.016f);
    }
    b->mirror = 1.0f;
    b->material = h->skin;
}

void lmbi_human_head(lmbi_human *h)
{
    const float n = h->head;
    lmbi_brush b = lmbi_brush_make(h->body, 1.0f);
    b.material = h->skin;
    b.detail = 0.55f;
    lmbi_brush_bone(&b, HEAD);
    lmbi_brush_group(&b, on_head(h, 0, 0.10f, -0.02f), 0.45f * n, 0.10f * n, 0.02f * n);
    add_skull(h, &b);
    add_cheeks_and_brow(h, &b);
    b.detail = 0.35f;
    add_nose(h, &b);
    add_eyes(h, &b);
    if (h->beard) {
        add_beard(h, &b);
    }
    add_mouth(h, &b);
    add_ears(h, &b);
    add_eyebrows(h, &b);
}

// Adds the scalp, thicker than the skull, with face and nape carved out.
static void add_scalp(const lmbi_human *h, lmbi_brush *b, float volume)
{
    const float n = h->head;
    add_ball(h, b, 0, 0.64f, -0.045f, 0.375f + 0.05f * volume, 0.395f + 0.05f * volume,
             0.425f + 0.05f * volume);
    b->carve = true;
    b->blend = 0.04f * n;
    add_ball(h, b, 0, 0.30f, 0.42f, 0.315f, 0.42f, 0.42f);
    add_ball(h, b, 0, -0.02f, -0.05f, 0.60f, 0.34f, 0.60f);
    b->carve = false;
}

// Adds locks of hair that fall from one point of the crown to a ring around the head, from angle
// `low` to `high` (0 is the face, pi / 2 the left ear), to the height `down`.
static void add_locks(const lmbi_human *h, lmbi_brush *b, const float crown[3], int count,
                      float low, float high, float down, float thick)
{
    b->blend = 0.014f * h->head;
    for (int k = 0; k < count; ++k) {
        const float a = low + (high - low) * (float)k / (float)(count - 1), s = lmb_sin(a),
                    c = lmb_cos(a);
        const float lift = 0.018f * (float)(k & 1);
        const float tip[3] = {0.385f * s, down + 0.05f * c + 2.0f * lift, 0.405f * c - 0.03f};
        const float bend[3] = {0.35f * crown[0] + 0.262f * s, 0.862f + lift,
                               0.35f * crown[2] + 0.295f * c - 0.03f};
        add_cone(h, b, crown, bend, 0.06f, thick);
        add_cone(h, b, bend, tip, thick, 0.020f);
    }
}

static void add_fringe(const lmbi_human *h, lmbi_brush *b)
{
    add_locks(h, b, (const float[3]){0.10f, 0.985f, -0.05f}, 8, -1.75f, 1.55f, 0.68f, 0.094f);
    b->blend = 0.03f * h->head;
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        add_cone(h, b, (const float[3]){0.335f, 0.60f, 0.05f},
                 (const float[3]){0.325f, 0.42f, 0.075f}, 0.05f, 0.022f);
    }
    b->mirror = 1.0f;
}

static void add_long_hair(const lmbi_human *h, lmbi_brush *b)
{
    const float n = h->head;
    b->blend = 0.10f * n;
    const lmbi_station fall[3] = {{0, 0.30f * n, 0.10f * n, 0, 0},
                                  {0.5f, 0.35f * n, 0.13f * n, 0, 0},
                                  {1, 0.33f * n, 0.17f * n, 0, 0}};
    lmbi_brush_bones(b, HEAD, 0.6f, HEAD, 1.0f);
    lmbi_brush_tube(b, on_head(h, 0, -0.22f, -0.33f), on_head(h, 0, 0.62f, -0.22f), forward, fall,
                    3, 0.10f * n, 0.1f * n);
    for (int side = 0; side < 2; ++side) {
        b->mirror = side == 0 ? 1.0f : -1.0f;
        add_cone(h, b, (const float[3]){0.36f, 0.62f, 0.0f}, (const float[3]){0.36f, 0.12f, 0.06f},
                 0.07f, 0.05f);
    }
    b->mirror = 1.0f;
}

static void add_spikes(const lmbi_human *h, lmbi_brush *b)
{
    static const float tip[9][3] = {
        {0, 1.22f, 0.10f},       {0.22f, 1.16f, 0.05f},  {-0.22f, 1.16f, 0.05f},
        {0.42f, 0.98f, -0.1f},   {-0.42f, 0.98f, -0.1f}, {0.15f, 1.12f, -0.32f},
        {-0.15f, 1.12f, -0.32f}, {0.25f, 0.85f, -0.56f}, {-0.25f, 0.85f, -0.56f}};
    b->blend = 0.06f * h->head;
    for (int k = 0; k < 9; ++k) {
        const float root[3] = {tip[k][0] * 0.55f, 0.62f + (tip[k][1] - 0.62f) * 0.55f,
                               tip[k][2] * 0.55f};
        add_cone(h, b, root, tip[k], 0.15f, 0.02f);
    }
}

static void add_gathered_hair(const lmbi_human *h, lmbi_brush *b)
{
    b->blend = 0.05f * h->head;
    if (h->hair == HAIR_BUN) {
        add_ball(h, b, 0, 1.02f, -0.22f, 0.17f, 0.15f, 0.17f);
        return;
    }
    add_ball(h, b, 0, 0.80f, -0.48f, 0.09f, 0.09f, 0.09f);
    add_cone(h, b, (const float[3]){0, 0.80f, -0.50f}, (const float[3]){0, 0.45f, -0.66f}, 0.10f,
             0.13f);
    add_cone(h, b, (const float[3]){0, 0.45f, -0.66f}, (const float[3]){0, 0.02f, -0.60f}, 0.13f,
             0.03f);
}

static void add_hat(const lmbi_human *h, lmbi_brush *b)
{
    const float n = h->head;
    b->material = h->trim;
    const lmbi_station crown[3] = {{0, 0.40f * n, 0.44f * n, 0, 0},
                                   {0.6f, 0.39f * n, 0.43f * n, 0, 0},
                                   {1, 0.33f * n, 0.36f * n, 0, 0}};
    lmbi_brush_tube(b, on_head(h, 0, 0.72f, -0.04f), on_head(h, 0, 0.98f, -0.05f), forward, crown,
                    3, 0.03f * n, 0.16f * n);
    const lmbi_station brim[2] = {{0, 0.56f * n, 0.60f * n, 0, 0}, {1, 0.56f * n, 0.60f * n, 0, 0}};
    b->blend = 0.03f * n;
    lmbi_brush_tube(b, on_head(h, 0, 0.715f, -0.04f), on_head(h, 0, 0.735f, -0.04f), forward, brim,
                    2, 0.025f * n, 0.025f * n);
}

void lmbi_human_hair(lmbi_human *h)
{
    const float n = h->head;
    if (h->hair == HAIR_NONE) {
        return;
    }
    lmbi_brush b = lmbi_brush_make(h->own_hair ? h->hair_shell : h->body, 1.0f);
    b.material = h->hairs;
    b.detail = 0.65f;
    lmbi_brush_bone(&b, HEAD);
    lmbi_brush_group(&b, on_head(h, 0, 0.6f, 0), 0, 0.01f * n, 0.01f * n);
    add_scalp(h, &b, h->hair == HAIR_AFRO ? 2.6f : h->hair == HAIR_HAT ? -0.2f : 0.3f);
    switch (h->hair) {
    case HAIR_SHORT:
        add_fringe(h, &b);
        break;
    case HAIR_LONG:
        add_fringe(h, &b);
        add_long_hair(h, &b);
        break;
    case HAIR_SPIKES:
        add_spikes(h, &b);
        break;
    case HAIR_BUN:
    case HAIR_TAIL:
        add_gathered_hair(h, &b);
        break;
    case HAIR_HAT:
        add_hat(h, &b);
        break;
    case HAIR_AFRO:
    case HAIR_NONE:
        break;
    }
}
