// ozz-animation's IKTwoBoneJob and IKAimJob, one limb a call as they are made.
//     c++ -O3 -march=native -shared -fPIC -Iinclude -I. -I$OZZ/include bench/peers/ozz_ik.cpp -o ozz_ik.so \
//         $OZZ/lib/libozz_animation_r.a $OZZ/lib/libozz_base_r.a
#include "bench/peers/ik_peer.h"

#include <vector>

#include "ozz/animation/runtime/ik_aim_job.h"
#include "ozz/animation/runtime/ik_two_bone_job.h"
#include "ozz/base/maths/simd_math.h"
#include "ozz/base/maths/simd_quaternion.h"

using namespace ozz;

namespace
{

struct limb {
    math::Float4x4 start, mid, end;
    math::SimdFloat4 goal;
};

struct aimed {
    math::Float4x4 joint;
    math::SimdFloat4 target;
};

std::vector<limb> limbs;
std::vector<aimed> aims;
math::SimdFloat4 opens;
math::SimdQuaternion corrections[2];

math::SimdFloat4 vector(lmb_vec3 v)
{
    return math::simd_float4::Load(v.x, v.y, v.z, 0);
}

math::Float4x4 at(lmb_vec3 v)
{
    return math::Float4x4::Translation(vector(v));
}

math::Float4x4 matrix(const lmb_mat4 &m)
{
    math::Float4x4 out;
    for (int k = 0; k < 4; ++k) {
        out.cols[k] =
            math::simd_float4::Load(m.m[4 * k], m.m[4 * k + 1], m.m[4 * k + 2], m.m[4 * k + 3]);
    }
    return out;
}

void limbs_make(uint32_t count, lmb_mat4 (*joints)[3], const lmb_vec3 *goals, lmb_vec3 hinge)
{
    limbs.clear();
    opens = vector({-hinge.x, -hinge.y, -hinge.z}); // a positive turn about its axis opens
    for (uint32_t i = 0; i < count; ++i) {
        limbs.push_back(
            {matrix(joints[i][0]), matrix(joints[i][1]), matrix(joints[i][2]), vector(goals[i])});
    }
}

void limbs_solve()
{
    animation::IKTwoBoneJob job;
    job.mid_axis = opens;
    for (const limb &l : limbs) {
        job.target = l.goal;
        job.start_joint = &l.start;
        job.mid_joint = &l.mid;
        job.end_joint = &l.end;
        job.start_joint_correction = &corrections[0];
        job.mid_joint_correction = &corrections[1];
        job.Run();
    }
}

void aims_make(uint32_t count, const lmb_transform *joints, const lmb_vec3 *targets)
{
    aims.clear();
    for (uint32_t i = 0; i < count; ++i) {
        const lmb_quat q = joints[i].rotation;
        const math::SimdFloat4 rotation = math::simd_float4::Load(q.x, q.y, q.z, q.w);
        aims.push_back({at(joints[i].translation) * math::Float4x4::FromQuaternion(rotation),
                        vector(targets[i])});
    }
}

void aims_solve()
{
    animation::IKAimJob job;
    for (const aimed &a : aims) {
        job.target = a.target;
        job.joint = &a.joint;
        job.joint_correction = &corrections[0];
        job.Run();
    }
}

const ik_peer peer = {"ozz-animation", limbs_make, limbs_solve, aims_make,
                      aims_solve,      nullptr,    nullptr};

} // namespace

extern "C" __attribute__((visibility("default"))) const ik_peer *ik_peer_get(void)
{
    return &peer;
}
