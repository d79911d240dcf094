/// Meshes by other methods than a viewer's, at a pose that is handed in, and the text by which a GPU
/// does the same.
#include "live.h"
#include "live_exports.h"

#include <stdlib.h>
#include <string.h>

static const lmb_skin_method methods[] = {
    [LIMBER_SKIN_LINEAR] = LMB_SKIN_LINEAR, [LIMBER_SKIN_DUAL] = LMB_SKIN_DUAL,
    [LIMBER_SKIN_CENTER] = LMB_SKIN_CENTER, [LIMBER_SKIN_DELTA_MUSH] = LMB_SKIN_DELTA_MUSH,
    [LIMBER_SKIN_MUSH] = LMB_SKIN_MUSH,     [LIMBER_SKIN_RIGID] = LMB_SKIN_RIGID,
};
enum { METHOD_COUNT = sizeof methods / sizeof *methods };

/// The deformer, ready for a method, of the character as it was painted.
static bool prepare(live_character *live, lmb_skin_method method)
{
    lmb_error error = {0};
    if ((!live->paint.open && !live_paint_store(live)) || !live_make_deformer(live)) {
        return false;
    }
    if ((live->prepared & 1u << method) != 0) {
        return true;
    }
    if (lmb_deformer_prepare(live->deformer, method, NULL, &error) != LMB_OK) {
        return live_fail_call("the skin", &error);
    }
    live->prepared |= 1u << method;
    return true;
}

/// [joint_count] of ten numbers each as transforms, rotations unit; false when one is none.
static bool read_pose(uint32_t joint_count, const float *numbers, lmb_transform *out)
{
    for (uint32_t j = 0; j < joint_count; ++j) {
        if (!live_transform(numbers + (size_t)10 * j, &out[j])) {
            return live_fail("joint %u: expected ten finite numbers and a rotation", (unsigned)j);
        }
    }
    return true;
}

EXPORT(limber_deform) int limber_deform(int handle, int method, const float *pose)
{
    live_character *live = live_find(handle);
    if (live == NULL) {
        return 0;
    }
    if (method < 0 || method >= METHOD_COUNT) {
        return live_fail("there is no method %d of skinning", method);
    }
    const uint32_t joints = live->character->skeleton->joint_count;
    lmb_transform *local = live_room(joints, sizeof *local);
    lmb_mat4 *model = live_room(joints, sizeof *model);
    bool done = local != NULL && model != NULL && read_pose(joints, pose, local) &&
                prepare(live, methods[method]);
    if (done) {
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = live->character->skeleton, .local = local, .model_from_joint = model});
        lmb_deform(&(lmb_deform_job){.deformer = live->deformer,
                                     .model_from_joint = model,
                                     .weight_first = live->weight_first,
                                     .weights = live->weights,
                                     .method = methods[method]});
        live->skin_due = true;
    }
    free(local);
    free(model);
    return done;
}

/// What the deformer has of a mesh; nothing, with an error, when there is none yet.
static lmb_deformed deformed(int handle, uint32_t mesh)
{
    live_character *live = live_find_mesh(handle, mesh);
    if (live != NULL && live->deformer == NULL) {
        (void)live_fail("nothing was deformed yet");
        live = NULL;
    }
    return live != NULL ? lmb_deformer_instance(live->deformer, mesh) : (lmb_deformed){0};
}

EXPORT(limber_deformed) const float *limber_deformed(int handle, uint32_t mesh)
{
    return (const float *)deformed(handle, mesh).positions;
}

EXPORT(limber_deformed_normals) const float *limber_deformed_normals(int handle, uint32_t mesh)
{
    return (const float *)deformed(handle, mesh).normals;
}

static const char *gpu_text(lmb_gpu_language language, int dual, uint32_t influences)
{
    static char *text;
    lmb_error error = {0};
    const lmb_gpu_skin skin = {.language = language,
                               .method = dual ? LMB_GPU_DUAL : LMB_GPU_LINEAR,
                               .palettes = LMB_GPU_TEXTURE,
                               .influences = influences,
                               .weights = LMB_GPU_FLOAT32,
                               .wide_joints = true,
                               .normals = true,
                               .tangents = true,
                               .joint_count = 1,
                               .vertex_count = 1};
    if (influences == 0 || lmb_gpu_check(&skin, &error) != LMB_OK) {
        (void)live_fail_call("the shader", &error);
        return NULL;
    }
    const size_t size = lmb_gpu_shader(&skin, NULL, 0) + 1;
    free(text);
    text = live_room(size, 1);
    if (text != NULL) {
        (void)lmb_gpu_shader(&skin, text, size);
    }
    return text;
}

EXPORT(limber_gpu_text) const char *limber_gpu_text(int dual, uint32_t influences)
{
    return gpu_text(LMB_GPU_ESSL_300, dual, influences);
}

EXPORT(limber_gpu_wgsl) const char *limber_gpu_wgsl(int dual, uint32_t influences)
{
    return gpu_text(LMB_GPU_WGSL, dual, influences);
}
