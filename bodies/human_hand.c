// Four kinds of hands. The palm faces down and the thumb forward; lengths are in hand lengths.
#include "bodies/human.h"

static const lmb_vec3 forward = {0, 0, 1};

static lmb_vec3 from_wrist(const lmbi_human *h, float x, float y, float z)
{
    const lmb_vec3 w = lmbi_human_left(h, HAND);
    return lmb_vec3_make(w.x + x * h->hand, w.y + y * h->hand, w.z + z * h->hand);
}

// Sections: side is thickness, front is width.
static void add_palm(const lmbi_human *h, lmbi_brush *b, float length, float width)
{
    const float n = h->hand;
    const lmbi_station s[4] = {{0, 0.088f * n, 0.105f * n, 0, 0},
                               {0.3f, 0.092f * n, 0.150f * n * width, 0, 0.005f * n},
                               {0.75f, 0.080f * n, 0.195f * n * width, 0, 0.004f * n},
                               {1, 0.066f * n, 0.195f * n * width, 0, 0.002f * n}};
    b->square = 0.25f;
    lmbi_brush_tube(b, from_wrist(h, 0, 0, 0), from_wrist(h, length, 0, 0), forward, s, 4,
                    0.10f * n, 0.06f * n);
    b->square = 0.0f;
}

static lmb_vec3 finger_tip(const lmbi_human *h, int finger)
{
    const lmb_vec3 a = lmbi_human_left(h, FINGERS + 3 * finger + 1),
                   c = lmbi_human_left(h, FINGERS + 3 * finger + 2);
    const float ratio = finger == 0 ? 0.62f : 0.58f;
    return lmb_vec3_mad(c, lmb_vec3_sub(c, a), ratio);
}

static void add_finger(const lmbi_human *h, lmbi_brush *b, int side, int f)
{
    static const float radii[5] = {0.060f, 0.050f, 0.052f, 0.049f, 0.043f};
    const float n = h->hand, r = radii[f] * n;
    const lmb_vec3 j0 = lmbi_human_left(h, FINGERS + 3 * f);
    b->blend = 0.010f * n;
    lmbi_brush_bone(b, lmbi_side_bone(side, FINGERS + 3 * f));
    b->detail = 0.36f;
    lmbi_brush_group(b, j0, f == 0 ? 0.26f * n : 0.12f * n, f == 0 ? 0.07f * n : 0.03f * n,
                     0.006f * n);
    for (int k = 0; k < 3; ++k) {
        const lmb_vec3 low = lmbi_human_left(h, FINGERS + 3 * f + k);
        const lmb_vec3 high =
            k < 2 ? lmbi_human_left(h, FINGERS + 3 * f + k + 1) : finger_tip(h, f);
        const float wide = f == 0 && k == 0 ? 1.3f : 1.0f;
        lmbi_brush_bone(b, lmbi_side_bone(side, FINGERS + 3 * f + k));
        lmbi_brush_cone(b, low, high, r * wide * (1.0f - 0.06f * (float)k),
                        r * (0.96f - 0.06f * (float)k));
    }
}

static void add_thumb(const lmbi_human *h, lmbi_brush *b, float curl)
{
    const float n = h->hand;
    b->blend = 0.06f * n;
    const lmb_vec3 bend = from_wrist(h, 0.32f, -0.05f, 0.24f + 0.06f * (1.0f - curl));
    lmbi_brush_cone(b, from_wrist(h, 0.10f, -0.02f, 0.11f), bend, 0.085f * n, 0.068f * n);
    lmbi_brush_cone(
        b, bend, from_wrist(h, 0.50f + 0.02f * curl, -0.07f - 0.05f * curl, 0.36f - 0.18f * curl),
        0.068f * n, 0.055f * n);
}

static void add_mitten(const lmbi_human *h, lmbi_brush *b)
{
    const float n = h->hand;
    const lmbi_station s[3] = {{0, 0.075f * n, 0.195f * n, 0, 0},
                               {0.5f, 0.072f * n, 0.19f * n, 0, 0},
                               {1, 0.055f * n, 0.13f * n, 0, 0}};
    b->blend = 0.05f * n;
    lmbi_brush_tube(b, from_wrist(h, 0.45f, 0, 0), from_wrist(h, 0.86f, -0.05f, 0), forward, s, 3,
                    0.06f * n, 0.12f * n);
    add_thumb(h, b, 0.0f);
}

static void add_fist(const lmbi_human *h, lmbi_brush *b)
{
    const float n = h->hand;
    for (int f = 0; f < 4; ++f) {
        const float z = 0.155f - 0.105f * (float)f, r = (f == 3 ? 0.062f : 0.070f) * n;
        b->blend = 0.025f * n;
        lmbi_brush_cone(b, from_wrist(h, 0.46f, 0.02f, z), from_wrist(h, 0.60f, -0.06f, z), r,
                        r * 0.95f);
        lmbi_brush_cone(b, from_wrist(h, 0.60f, -0.06f, z), from_wrist(h, 0.50f, -0.16f, z),
                        r * 0.95f, r * 0.9f);
        lmbi_brush_cone(b, from_wrist(h, 0.50f, -0.16f, z), from_wrist(h, 0.36f, -0.12f, z),
                        r * 0.9f, r * 0.85f);
    }
    add_thumb(h, b, 1.0f);
}

void lmbi_human_hand(lmbi_human *h, int side)
{
    const float n = h->hand;
    lmbi_brush b = lmbi_brush_make(h->body, side == 0 ? 1.0f : -1.0f);
    b.material = h->skin;
    b.detail = 0.5f;
    b.blend = 0.08f * n;
    lmbi_brush_bone(&b, lmbi_side_bone(side, HAND));
    lmbi_brush_group(&b, from_wrist(h, 0, 0, 0), 0.35f * n, 0.05f * n, 0.01f * n);
    add_palm(h, &b, h->hands[side] == HAND_FIST ? 0.44f : 0.47f, 1.0f);
    switch (h->hands[side]) {
    case HAND_FINGERS:
        for (int f = 0; f < 5; ++f) {
            add_finger(h, &b, side, f);
        }
        break;
    case HAND_MITTEN:
        add_mitten(h, &b);
        break;
    case HAND_FIST:
        add_fist(h, &b);
        break;
    case HAND_NONE:
        break;
    }
}
