/// Toes that mixing motions turned into the ground come up again.
#include <math.h>

#include "ik/frame.h"
#include "ik/hold.h"

/// As far up as a tip at that distance reaches, the way it points kept.
static lmb_vec3 raised(lmb_vec3 way, float to)
{
    const float length = lmb_vec3_length(way), up = fminf(to, 0.99f * length);
    const float across = lmb_sqrt(way.x * way.x + way.z * way.z);
    const float wanted = lmb_sqrt(fmaxf(0.0f, length * length - up * up));
    if (!(across > 1e-6f * length)) {
        return way; // straight down: there is no way to turn it
    }
    return lmb_vec3_make(way.x * wanted / across, up, way.z * wanted / across);
}

bool lmbi_hold_tip(const lmb_ik_hold_job *job, uint32_t leg)
{
    const lmb_hold_leg *l = &job->legs[leg];
    const uint32_t joint = l->toes > 0 ? l->toes : l->foot;
    const float floor = job->floors[2 * leg + 1];
    const lmb_mat4 *model = job->model_from_joint;
    const lmb_vec3 pivot = lmb_mat4_translation(model[joint]);
    const lmb_vec3 tip = lmb_mat4_point(model[joint], l->tip);
    const lmb_vec3 way = lmb_vec3_sub(tip, pivot);
    const float length = lmb_vec3_length(way);
    if (!(tip.y < floor - 1e-6f * length) || !(length > 0)) {
        return false;
    }
    const lmb_vec3 up = raised(way, floor - pivot.y);
    const lmbi_parent_frame frame = lmbi_frame_of(job->skeleton, model, joint);
    const float to_unit = lmb_sqrt(frame.inverse_square) / length;
    const lmb_quat turn = lmbi_turn_between(lmb_vec3_scale(lmbi_frame_vector(&frame, way), to_unit),
                                            lmb_vec3_scale(lmbi_frame_vector(&frame, up), to_unit));
    lmb_quat *rotation = &job->local[joint].rotation;
    *rotation = lmbi_turn_unit(lmbi_turn_mul(turn, *rotation));
    return true;
}
