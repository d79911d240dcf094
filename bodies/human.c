// Draws a human from the seed: proportions, clothes, colours.
#include "bodies/human.h"

typedef struct {
    float height, head, neck, torso,
        leg;             // the four parts are fractions of the height, scaled to sum to 1
    float shoulder, hip; // fractions of the height
    float upper_arm, lower_arm, hand, foot;
    float girth, belly, arm_girth, leg_girth, muscle, bust, hips_width;
    float eye_size;
} figure;

// Stylised young adult, slim, muscular, heavy, thin and tall, child, chibi, long-armed.
static const figure figures[8] = {
    {1.70f, 0.175f, 0.030f, 0.300f, 0.495f, 0.094f, 0.050f, 0.155f, 0.138f, 0.118f, 0.155f, 1.00f,
     0.0f, 1.00f, 1.00f, 0.3f, 0.0f, 1.00f, 1.0f},
    {1.64f, 0.175f, 0.034f, 0.290f, 0.501f, 0.082f, 0.050f, 0.150f, 0.134f, 0.105f, 0.142f, 0.90f,
     0.0f, 0.84f, 0.96f, 0.0f, 0.8f, 1.08f, 1.1f},
    {1.88f, 0.145f, 0.028f, 0.322f, 0.505f, 0.118f, 0.052f, 0.160f, 0.142f, 0.115f, 0.150f, 1.14f,
     0.0f, 1.32f, 1.15f, 1.4f, 0.2f, 0.98f, 0.9f},
    {1.72f, 0.155f, 0.018f, 0.330f, 0.497f, 0.100f, 0.060f, 0.150f, 0.135f, 0.108f, 0.150f, 1.28f,
     0.9f, 1.22f, 1.28f, 0.0f, 0.3f, 1.10f, 0.9f},
    {1.95f, 0.130f, 0.040f, 0.295f, 0.535f, 0.088f, 0.044f, 0.172f, 0.156f, 0.112f, 0.152f, 0.80f,
     0.0f, 0.76f, 0.78f, 0.0f, 0.0f, 0.92f, 1.0f},
    {1.20f, 0.225f, 0.022f, 0.295f, 0.458f, 0.086f, 0.048f, 0.142f, 0.126f, 0.112f, 0.150f, 1.02f,
     0.25f, 0.95f, 1.00f, 0.0f, 0.0f, 0.98f, 1.1f},
    {1.10f, 0.340f, 0.012f, 0.268f, 0.380f, 0.088f, 0.056f, 0.120f, 0.110f, 0.115f, 0.155f, 1.10f,
     0.3f, 1.10f, 1.12f, 0.0f, 0.0f, 1.05f, 1.2f},
    {1.80f, 0.150f, 0.030f, 0.325f, 0.495f, 0.104f, 0.050f, 0.190f, 0.180f, 0.128f, 0.160f, 1.00f,
     0.0f, 1.05f, 0.95f, 0.6f, 0.0f, 0.95f, 1.0f},
};

static void draw_proportions(lmbi_human *h, const figure *f, lmb_random *r)
{
    const float head = lmbi_jitter(r, f->head, 0.06f), neck = lmbi_jitter(r, f->neck, 0.15f),
                torso = lmbi_jitter(r, f->torso, 0.04f), leg = lmbi_jitter(r, f->leg, 0.03f);
    h->height = lmbi_jitter(r, f->height, 0.04f);
    const float u = h->height, unit = u / (head + neck + torso + leg);
    h->head = head * unit;
    h->neck = neck * unit;
    h->torso = torso * unit;
    h->leg = leg * unit;
    h->shoulder = lmbi_jitter(r, f->shoulder, 0.05f) * u;
    h->hip = lmbi_jitter(r, f->hip, 0.05f) * u;
    h->upper_arm = lmbi_jitter(r, f->upper_arm, 0.04f) * u;
    h->lower_arm = lmbi_jitter(r, f->lower_arm, 0.04f) * u;
    h->hand = lmbi_jitter(r, f->hand, 0.05f) * u;
    h->foot = lmbi_jitter(r, f->foot, 0.05f) * u;
    h->girth = lmbi_jitter(r, f->girth, 0.05f);
    h->belly = lmbi_jitter(r, f->belly, 0.3f);
    h->arm_girth = lmbi_jitter(r, f->arm_girth, 0.06f);
    h->leg_girth = lmbi_jitter(r, f->leg_girth, 0.06f);
    h->muscle = lmbi_jitter(r, f->muscle, 0.2f);
    h->bust = lmbi_jitter(r, f->bust, 0.2f);
    h->hips_width = lmbi_jitter(r, f->hips_width, 0.03f);
    h->eye_size = lmbi_jitter(r, f->eye_size, 0.06f);
    h->nose = lmb_random_range(r, 0.0f, 1.0f);
    h->ears = lmb_random_range(r, 0.85f, 1.15f);
    h->jaw = lmb_random_range(r, 0.9f, 1.15f);
}

static void draw_clothes(lmbi_human *h, bool slim, lmb_random *r)
{
    static const lmbi_top_kind tops[8] = {TOP_SHORT, TOP_LONG,  TOP_SHORT, TOP_LONG,
                                          TOP_COAT,  TOP_SHORT, TOP_LONG,  TOP_BARE};
    static const lmbi_bottom_kind bottoms[6] = {BOTTOM_TROUSERS, BOTTOM_TROUSERS, BOTTOM_TROUSERS,
                                                BOTTOM_SHORTS,   BOTTOM_SHORTS,   BOTTOM_BRIEFS};
    static const lmbi_shoe_kind shoes[4] = {SHOES, SHOES, BOOTS, BAREFOOT};
    static const lmbi_hair_kind hairs[2][8] = {
        {HAIR_SHORT, HAIR_SHORT, HAIR_SPIKES, HAIR_NONE, HAIR_AFRO, HAIR_HAT, HAIR_SHORT,
         HAIR_TAIL},
        {HAIR_LONG, HAIR_BUN, HAIR_TAIL, HAIR_LONG, HAIR_BUN, HAIR_HAT, HAIR_SHORT, HAIR_AFRO}};
    h->top = slim ? tops[lmbi_pick(r, 7)] : tops[lmbi_pick(r, 8)];
    h->bottom = slim && lmbi_chance(r, 0.4f) ? BOTTOM_SKIRT : bottoms[lmbi_pick(r, 6)];
    h->shoes = shoes[lmbi_pick(r, 4)];
    h->hair = hairs[slim][lmbi_pick(r, 8)];
    h->beard = !slim && h->head < 0.17f * h->height && lmbi_chance(r, 0.3f);
    h->belt = h->bottom != BOTTOM_BRIEFS && h->bottom != BOTTOM_SKIRT && h->top != TOP_COAT &&
              h->belly < 0.2f && lmbi_chance(r, 0.5f);
    h->own_hair = lmbi_chance(r, 0.7f);
    h->own_eyes = lmbi_chance(r, 0.85f);
    h->own_belt = lmbi_chance(r, 0.5f);
    h->own_shoes = lmbi_chance(r, 0.35f);
}

static void draw_hands(lmbi_human *h, const lmb_made_body_opts *opts, lmb_random *r)
{
    const uint32_t kind = lmbi_pick(r, 10), odd = lmbi_pick(r, 24);
    const lmbi_hand_kind both = kind < 7 ? HAND_FINGERS : kind < 9 ? HAND_MITTEN : HAND_FIST;
    h->hands[0] = h->hands[1] = opts->whole ? HAND_FINGERS : both;
    if (!opts->whole && odd < 2) {
        h->hands[odd] = HAND_NONE;
    }
    if (!opts->whole && odd == 2) {
        h->arm_missing[lmbi_pick(r, 2)] = true;
    }
}

static void draw_colors(lmbi_human *h, lmb_random *r)
{
    static const uint32_t skins[6] = {0xf0c4a4, 0xe0a880, 0xc68a5e, 0x9a6440, 0x6b432b, 0xf5d3bb};
    static const uint32_t shirts[7] = {0x2f7f86, 0xc8553d, 0xe3b23c, 0x4a5d8f,
                                       0xe8e4da, 0x5b8c5a, 0x8a4f7d};
    static const uint32_t trousers[5] = {0x33415c, 0x4b4238, 0x2b2d34, 0x6b705c, 0x7d4e57};
    static const uint32_t hairs[6] = {0x4a2c1a, 0x1e1a1d, 0x8a5a2b, 0xd2a45a, 0x9c3b1c, 0x6e6a68};
    static const uint32_t shoes[4] = {0x7a3b2e, 0x2c2a2e, 0xd9d4c7, 0x3e5c76};
    static const uint32_t irises[4] = {0x4f7a9c, 0x5a3a22, 0x4f7f4f, 0x2e2018};
    lmbi_plan *p = h->plan;
    const uint32_t skin = lmbi_pick(r, 6);
    static const uint32_t lips[6] = {0xd9917a, 0xc27a62, 0xa66650, 0x824b3c, 0x5c352c, 0xe09c8a};
    h->skin = lmbi_plan_material(p, "skin", skins[skin], 0.65f);
    h->lips = lmbi_plan_material(p, "lips", lips[skin], 0.5f);
    h->shirt = lmbi_plan_material(p, "shirt", shirts[lmbi_pick(r, 7)], 0.9f);
    h->trousers = lmbi_plan_material(p, "trousers", trousers[lmbi_pick(r, 5)], 0.9f);
    h->hairs = lmbi_plan_material(p, "hair", hairs[lmbi_pick(r, 6)], 0.6f);
    h->leather = lmbi_plan_material(p, "shoes", shoes[lmbi_pick(r, 4)], 0.5f);
    h->sole = lmbi_plan_material(p, "soles", 0xe6e1d6, 0.8f);
    h->strap = lmbi_plan_material(p, "belt", 0x3a2a20, 0.5f);
    h->trim = lmbi_plan_material(p, "trim", 0xc9a44c, 0.4f);
    lmbi_plan_eye_colors(p, 0xf7f5f0, irises[lmbi_pick(r, 4)], 0x141014);
}

static void make_shells(lmbi_human *h)
{
    h->body = lmbi_plan_shell(h->plan, "body");
    h->hair_shell = h->own_hair && h->hair != HAIR_NONE ? lmbi_plan_shell(h->plan, "hair") : NULL;
    h->belt_shell = h->own_belt && h->belt ? lmbi_plan_shell(h->plan, "belt") : NULL;
    h->shoe_shell = h->own_shoes ? lmbi_plan_shell(h->plan, "shoes") : NULL;
}

void lmbi_plan_humanoid(lmbi_plan *plan, const lmb_made_body_opts *opts)
{
    // The factor and the offset only choose what the first few seeds look like.
    lmb_random random = lmb_random_seed(opts->seed + 99533u * (uint64_t)1000003u), *r = &random;
    lmbi_human human = {.plan = plan}, *h = &human;
    const uint32_t kind = lmbi_pick(r, 11); // the first figure is the usual one
    const uint32_t which = kind >= 8 ? 0 : kind;
    draw_proportions(h, &figures[which], r);
    draw_clothes(h, which == 1, r);
    draw_hands(h, opts, r);
    draw_colors(h, r);
    if (opts->bare) {
        h->top = TOP_BARE;
        h->bottom = BOTTOM_BARE;
        h->shoes = BAREFOOT;
        h->hair = HAIR_NONE;
        h->beard = h->belt = h->own_hair = h->own_eyes = h->own_belt = h->own_shoes = false;
    }
    plan->name = "humanoid";
    plan->height = h->height;
    plan->weight_falloff = 0.022f * h->height;
    lmbi_human_skeleton(h);
    make_shells(h);
    lmbi_human_trunk(h);
    lmbi_human_leg(h, 0);
    lmbi_human_leg(h, 1);
    lmbi_human_arm(h, 0);
    lmbi_human_arm(h, 1);
    lmbi_human_head(h);
    lmbi_human_hair(h);
    lmbi_human_pose(h, opts, r);
}
