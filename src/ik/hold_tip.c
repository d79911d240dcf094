/// Raises toes that blending rotated into the ground.
#include <math.h>

#include "ik/frame.h"
#include "ik/hold.h"

/// Raises a vector to the height `to`, or as far as its length allows, keeping its length and
/// heading.
static lmb_vec3 raise_direction(lmb_vec3 direction, float to)
{
    const float length = lmb_vec3_length(direction), up = fminf(to, 0.99f * length);
    const float across = lmb_sqrt(direction.x * direction.x + direction.z * direction.z);
    const float wanted = lmb_sqrt(fmaxf(0.0f, length * length - up * up));
    if (!(across > 1e-6f * length)) {
        return direction; // straight down: no heading to keep
    }
    return lmb_vec3_make(direction.x * wanted / across, up, direction.z * wanted / across);
}

bool lmbi_hold_tip(const lmb_ik_hold_job *job, uint32_t leg)
{
    const lmb_hold_leg *l = &job->legs[leg];
    const uint32_t joint = l->toes > 0 ? l->toes : l->foot;
    const float floor = job->floors[2 * leg + 1];
    const lmb_mat4 *model = job->model_from_joint;
    const lmb_vec3 pivot = lmb_mat4_translation(model[joint]);
    const lmb_vec3 tip = lmb_mat4_point(model[joint], l->tip);
    const lmb_vec3 direction = lmb_vec3_sub(tip, pivot);
    const float length = lmb_vec3_length(direction);
    if (!(tip.y < floor - 1e-6f * length) || !(length > 0)) {
        return false;
    }
    const lmb_vec3 up = raise_direction(direction, floor - pivot.y);
    const lmbi_parent_frame frame = lmbi_frame_of(job->skeleton, model, joint);
    const float to_unit = lmb_sqrt(frame.inverse_square) / length;
    const lmb_quat swing =
        lmbi_quat_between(lmb_vec3_scale(lmbi_frame_vector(&frame, direction), to_unit),
                          lmb_vec3_scale(lmbi_frame_vector(&frame, up), to_unit));
    lmb_quat *rotation = &job->local[joint].rotation;
    *rotation = lmbi_quat_unit_or_identity(lmbi_quat_mul(swing, *rotation));
    return true;
}
