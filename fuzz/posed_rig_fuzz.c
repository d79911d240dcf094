/// A body from a file, rigged, turned into a pose, written and read again: what is written is read,
/// with as many joints and vertices.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/bvh/bvh.h"
#include "io/surface/surface.h"
#include "limber/author.h"
#include "limber/io.h"
#include "target.h"

enum { VERTICES_MOST = 1500 };

static uint32_t vertices_of(const lmb_character *c)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < c->mesh_count; ++m) {
        count += c->meshes[m]->vertex_count;
    }
    return count;
}

/// Every joint a little off its rest.
static void pose(lmb_character *c, const uint8_t *data, size_t size)
{
    lmb_skeleton *skeleton = c->skeleton;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const float a = (float)(size > 0 ? data[j % size] : 0) / 256.0f;
        const lmb_quat turn = lmb_quat_normalize(lmb_quat_make(a, 0.3f * a, -0.2f * a, 1));
        skeleton->rest[j].rotation = lmb_quat_mul(skeleton->rest[j].rotation, turn);
    }
}

static void write_and_read(const lmb_character *c)
{
    lmb_buffer glb = {0}, bvh = {0};
    lmb_character *again = NULL;
    const lmb_result written = lmb_gltf_write(c, NULL, NULL, &glb, NULL);
    if (written == LMB_OK) {
        if (lmb_gltf_read(glb.data, glb.size, NULL, NULL, &again, NULL) != LMB_OK ||
            again->skeleton->joint_count < c->skeleton->joint_count) {
            abort();
        }
    } else if (written == LMB_ERROR_INVALID) {
        abort();
    }
    if (lmbi_bvh_write(c, NULL, NULL, &bvh, NULL) == LMB_OK) {
        lmb_character *motion = NULL;
        if (lmbi_bvh_read(bvh.data, bvh.size, NULL, NULL, &motion, NULL) == LMB_OK) {
            lmb_character_destroy(motion);
        }
    }
    lmb_character_destroy(again);
    lmb_buffer_free(&glb);
    lmb_buffer_free(&bvh);
}

static lmb_character *read_any(const uint8_t *data, size_t size)
{
    lmb_character *c = NULL;
    if (lmb_gltf_read(data, size, NULL, NULL, &c, NULL) != LMB_OK &&
        lmbi_obj_read(data, size, NULL, NULL, &c, NULL) != LMB_OK) {
        return NULL;
    }
    return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *c = read_any(data, size);
    if (c == NULL) {
        return 0;
    }
    if (vertices_of(c) <= VERTICES_MOST) {
        // A kind that is told: the search through all of them takes seconds a body.
        const lmb_rig_opts opts = {.embed = {.kind = LMB_SKELETON_HUMAN}};
        lmb_rig_report report = {0};
        if (lmb_rig(&c, &opts, &report, NULL, NULL) == LMB_OK) {
            pose(c, data, size);
        }
        write_and_read(c);
    }
    lmb_character_destroy(c);
    return 0;
}
