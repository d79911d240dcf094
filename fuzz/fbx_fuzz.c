/// FBX, both encodings: whatever reads must deform, and write as a GLB.
#include <stdlib.h>

#include "io/fbx/fbx.h"
#include "limber/limber.h"
#include "target.h"

static void deform(const lmb_character *c)
{
    lmb_deformer *deformer = NULL;
    lmb_mat4 *model = malloc((c->skeleton->joint_count + 1) * sizeof *model);
    if (lmb_deformer_create(c, NULL, &deformer, NULL) == LMB_OK) {
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = model});
        lmb_deform(&(lmb_deform_job){.deformer = deformer, .model_from_joint = model});
        lmb_deformer_destroy(deformer);
    }
    free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *read = NULL;
    lmb_error error;
    if (lmbi_fbx_read(data, size, NULL, NULL, &read, &error) != LMB_OK) {
        return 0;
    }
    lmb_buffer out = {0};
    deform(read);
    if (lmb_gltf_write(read, NULL, NULL, &out, &error) != LMB_OK) {
        abort();
    }
    lmb_buffer_free(&out);
    lmb_character_destroy(read);
    return 0;
}
