// Chains to try solvers on: links along +X, joints of any kind, poses and targets drawn at random.
#ifndef TESTS_IK_ROD_H
#define TESTS_IK_ROD_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "joint_line.h"
#include "limber/ik.h"

typedef joint_line rod;

static inline void near(float got, float want, float tolerance)
{
    if (!(fabsf(got - want) <= tolerance)) {
        fail_msg("got %.9g, expected %.9g", (double)got, (double)want);
    }
}

static inline lmb_vec3 v3(float x, float y, float z)
{
    return lmb_vec3_make(x, y, z);
}

/// Straight along +X from the origin; `length` a link.
static inline void rod_make(rod *r, uint32_t links, float length)
{
    joint_line_make(r, links, v3(length, 0, 0));
}

/// Hinges both ways, round and elliptic balls in turn, and a fixed joint now and then.
static inline void rod_limit(rod *r)
{
    static const lmb_joint_limit kinds[5] = {
        {.kind = LMB_JOINT_BALL,
         .axis = {1, 0, 0},
         .swing_rad = 0.9f,
         .twist_min_rad = -0.5f,
         .twist_max_rad = 0.5f},
        {.kind = LMB_JOINT_HINGE, .axis = {0, 0, 1}, .twist_min_rad = 0, .twist_max_rad = 2.6f},
        {.kind = LMB_JOINT_HINGE, .axis = {0, 1, 0}, .twist_min_rad = -1.5f, .twist_max_rad = 1.5f},
        {.kind = LMB_JOINT_BALL,
         .axis = {1, 0, 0},
         .twist_min_rad = -0.2f,
         .twist_max_rad = 0.9f,
         .side = {0, 1, 0},
         .swing_side_rad = {0.3f, 1.2f},
         .swing_across_rad = {0.8f, 0.5f}},
        {.kind = LMB_JOINT_FIXED},
    };
    for (uint32_t j = 0; j <= r->links; ++j) {
        r->limits[j] = kinds[j % 11 == 10 ? 4 : j % 4];
    }
    r->skeleton.limits = r->limits;
}

static inline lmb_vec3 any_direction(lmb_random *random)
{
    const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, -1, 1),
                z = lmb_random_range(random, -1, 1);
    return lmb_vec3_normalize_or(v3(x, y, z), v3(1, 0, 0));
}

/// Every joint somewhere inside its limit; free ones within half a radian.
static inline void rod_pose(rod *r, lmb_random *random)
{
    for (uint32_t j = 0; j <= r->links; ++j) {
        const lmb_joint_limit *limit = &r->limits[j];
        const lmb_vec3 axis = limit->kind == LMB_JOINT_HINGE ? limit->axis : any_direction(random);
        const float angle =
            limit->kind == LMB_JOINT_HINGE
                ? lmb_random_range(random, limit->twist_min_rad, limit->twist_max_rad)
                : lmb_random_range(random, 0, limit->kind == LMB_JOINT_BALL ? 1.5f : 0.5f);
        r->local[j].rotation = lmb_quat_mul(r->rest[j].rotation, lmb_quat_axis_angle(axis, angle));
        r->local[j] = lmbi_joint_limit_apply(limit, r->rest[j], r->local[j]);
    }
    joint_line_update(r);
}

static inline void rod_reset(rod *r)
{
    memcpy(r->local, r->rest, sizeof(r->local));
    joint_line_update(r);
}

static inline lmb_ik_chain_report rod_solve(rod *r, lmb_ik_chain_job *job)
{
    static union {
        uint8_t bytes[1 << 22];
        double align;
    } scratch;
    job->skeleton = &r->skeleton;
    job->local = r->local;
    job->model_from_joint = r->model;
    job->scratch = scratch.bytes;
    job->scratch_size = lmb_ik_chain_scratch(job);
    assert_true(job->scratch_size <= sizeof(scratch));
    const lmb_ik_chain_report report = lmb_ik_chain(job);
    joint_line_update(r);
    return report;
}

/// Rotations are unit, numbers are finite, nothing is out of its limit, and bones have kept their
/// length.
static inline void rod_check(const rod *r)
{
    for (uint32_t j = 0; j <= r->links; ++j) {
        const lmb_quat q = r->local[j].rotation;
        if (!(fabsf(lmb_quat_dot(q, q) - 1) < 1e-4f) ||
            !lmb_vec3_is_finite(r->local[j].translation)) {
            fail_msg("joint %u is no rotation", j);
        }
        float distance = 0;
        if (r->skeleton.limits) {
            const float out =
                lmbi_joint_limit_excess(&r->limits[j], r->rest[j], r->local[j], &distance);
            if (out > 2e-5f || distance > 2e-5f) {
                fail_msg("joint %u is out of its limit by %g rad, %g m", j, (double)out,
                         (double)distance);
            }
        }
    }
}

#endif
