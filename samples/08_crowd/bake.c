#include "bake.h"

#include <stdlib.h>
#include <string.h>

uint32_t bake_frame_count(const lmb_clip *clip)
{
    const float frames = lmb_clip_duration_s(clip) * BAKE_RATE_HZ;
    return frames > 1 ? (uint32_t)(frames + 0.5f) : 1;
}

static void bake_frame(const lmb_character *character, const lmb_skin *skin, double time_s,
                       lmb_transform *pose, lmb_mat4 *model_from_joint, lmb_mat4 *model_from_bind)
{
    const lmb_skeleton *skeleton = character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = character->clips[0],
                                 .time_s = time_s,
                                 .mode = LMB_PLAY_LOOP,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = pose});
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = pose, .model_from_joint = model_from_joint});
    lmb_skin_palette(skin, model_from_joint, model_from_bind);
}

bool bake_palettes(const lmb_character *character, const lmb_skin *skin, const lmb_gpu_skin *layout,
                   lmb_vec4 *texels)
{
    const uint32_t joint_count = character->skeleton->joint_count;
    lmb_transform *pose = calloc(joint_count, sizeof(*pose));
    lmb_mat4 *model_from_joint = calloc(joint_count, sizeof(*model_from_joint));
    lmb_mat4 *model_from_bind = calloc(skin->joint_count, sizeof(*model_from_bind));
    lmb_vec3 *origins = calloc(skin->joint_count, sizeof(*origins));
    const bool room = pose && model_from_joint && model_from_bind && origins;
    if (room) {
        int32_t counts[4];
        memcpy(counts, lmb_gpu_describe(layout, 1).counts, sizeof(int32_t[4]));
        lmb_skin_origins(skin, origins);
        const uint32_t frames = bake_frame_count(character->clips[0]);
        for (uint32_t f = 0; f < frames; ++f) {
            bake_frame(character, skin, (double)f / BAKE_RATE_HZ, pose, model_from_joint,
                       model_from_bind);
            lmb_gpu_palette(&(lmb_gpu_palette_job){.skin = layout,
                                                   .model_from_bind = model_from_bind,
                                                   .origins = origins,
                                                   .out = texels + (size_t)f * (size_t)counts[0]});
        }
    }
    free(pose);
    free(model_from_joint);
    free(model_from_bind);
    free(origins);
    return room;
}
