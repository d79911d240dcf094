/// The made motions as one cast: characters of one skeleton, a clip each, on two feet.
#ifndef TESTS_ANIM_CAST_H
#define TESTS_ANIM_CAST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limber/limber.h"
#include "procedural/procedural.h"

typedef struct cast {
    lmb_character *characters[LMB_MOTION_COUNT];
    const lmb_clip *clips[LMB_MOTION_COUNT];
    const lmb_skeleton *skeleton;
    uint32_t hips;
    lmb_foot_lock_leg legs[2]; ///< left, right
} cast;

static inline uint32_t cast_joint(const cast *c, const char *name)
{
    const int32_t found = lmb_skeleton_find(c->skeleton, name);
    assert_true(found >= 0);
    return (uint32_t)found;
}

static inline cast make_cast(void)
{
    cast c = {0};
    for (int k = 0; k < LMB_MOTION_COUNT; ++k) {
        assert_int_equal(lmb_motion_create(&(lmb_motion_opts){.kind = (lmb_motion_kind)k}, NULL,
                                           &c.characters[k], NULL),
                         LMB_OK);
        c.clips[k] = c.characters[k]->clips[0];
        assert_string_equal(c.clips[k]->name, lmbi_motion_name((lmb_motion_kind)k));
    }
    c.skeleton = c.characters[0]->skeleton;
    c.hips = cast_joint(&c, "hips");
    static const char *const parts[2][4] = {
        {"leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"},
        {"rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes"}};
    for (int k = 0; k < 2; ++k) {
        const uint32_t toes = cast_joint(&c, parts[k][3]);
        c.legs[k] = (lmb_foot_lock_leg){.upper = cast_joint(&c, parts[k][0]),
                                        .lower = cast_joint(&c, parts[k][1]),
                                        .foot = cast_joint(&c, parts[k][2]),
                                        .ball = c.skeleton->rest[toes].translation,
                                        .hinge = {1, 0, 0},
                                        .toes = toes,
                                        .tip = {0, 0, 0.07f}};
    }
    return c;
}

static inline void end_cast(cast *c)
{
    for (int k = 0; k < LMB_MOTION_COUNT; ++k) {
        lmb_character_destroy(c->characters[k]);
    }
}

#endif
