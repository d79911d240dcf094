// A single hand, fingers up, palm to the front: the human's hand on a piece of forearm.
#include "bodies/human.h"

static void remove_other_bones(lmbi_human *h, int side)
{
    lmbi_plan *p = h->plan;
    const int first = lmbi_side_bone(side, HAND), last = lmbi_side_bone(side, FINGERS + 14);
    const lmbi_bone arm = p->bones[lmbi_side_bone(side, LOWER_ARM)];
    for (int b = 1; b < (int)p->bone_count; ++b) {
        if (b < first || b > last) {
            p->bones[b].present = false;
            p->bones[b].name = NULL;
        }
    }
    // The root replaces the forearm, half way to the elbow.
    p->bones[HIPS].name = arm.name;
    p->bones[HIPS].at = lmb_vec3_lerp(arm.at, p->bones[first].at, 0.5f);
}

static void add_forearm(lmbi_human *h, int side)
{
    const float n = h->hand;
    lmbi_brush b = lmbi_brush_make(h->body, side == 0 ? 1.0f : -1.0f);
    const lmb_vec3 w = lmbi_human_left(h, HAND),
                   e = lmb_vec3_lerp(lmbi_human_left(h, LOWER_ARM), w, 0.45f);
    const lmbi_station s[3] = {{0, 0.155f * n, 0.140f * n, 0, 0},
                               {0.6f, 0.125f * n, 0.105f * n, 0, 0},
                               {1, 0.105f * n, 0.088f * n, 0, 0}};
    b.material = h->skin;
    lmbi_brush_bone(&b, HIPS);
    lmbi_brush_group(&b, e, 0, 0, 0);
    lmbi_brush_tube(&b, e, w, lmb_vec3_make(0, 1, 0), s, 3, 0.03f * n, 0.05f * n);
}

static void bend_fingers(lmbi_human *h, int side, lmb_random *r)
{
    const float sign = side == 0 ? 1.0f : -1.0f, together = lmb_random_range(r, -0.05f, 0.45f);
    for (int f = 0; f < 5; ++f) {
        const float curl = f == 0 ? 0.3f * together : together + lmb_random_range(r, -0.08f, 0.12f);
        for (int k = 0; k < 3; ++k) {
            // Fingers point sideways: they curl about the forward axis, towards the palm.
            h->plan->bones[lmbi_side_bone(side, FINGERS + 3 * f + k)].rotation =
                lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), -sign * curl);
        }
    }
}

void lmbi_plan_hand(lmbi_plan *plan, const lmb_made_body_opts *opts)
{
    static const uint32_t skins[5] = {0xf0c4a4, 0xe0a880, 0xc68a5e, 0x9a6440, 0x6b432b};
    lmb_random random = lmb_random_seed(opts->seed), *r = &random;
    lmbi_human human = {.plan = plan}, *h = &human;
    const int side = lmbi_chance(r, 0.5f) ? 0 : 1;
    h->height = lmb_random_range(r, 1.2f, 1.9f);
    h->hand = lmbi_jitter(r, 0.11f * h->height, 0.08f);
    h->head = 0.15f * h->height;
    h->torso = 0.3f * h->height;
    h->leg = 0.5f * h->height;
    h->shoulder = 0.1f * h->height;
    h->hip = 0.05f * h->height;
    h->upper_arm = 0.16f * h->height;
    h->lower_arm = lmbi_jitter(r, 0.14f * h->height, 0.15f);
    h->foot = 0.15f * h->height;
    h->skin = lmbi_plan_material(plan, "skin", skins[lmbi_pick(r, 5)], 0.65f);
    h->body = lmbi_plan_begin(plan, "hand", "t", 1.9f * h->hand, 0.16f * h->hand);
    lmbi_human_skeleton(h);
    add_forearm(h, side);
    lmbi_human_hand(h, side);
    remove_other_bones(h, side);
    if (opts->pose != LMB_MADE_POSE_T) {
        bend_fingers(h, side, r);
    }
    const float sign = side == 0 ? 1.0f : -1.0f;
    plan->bones[HIPS].rotation =
        lmb_quat_mul(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -0.5f * sign * LMB_PI),
                     lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.5f * sign * LMB_PI));
}
