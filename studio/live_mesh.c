/// Meshes: what is in them, and how the pose deforms them.
#include "live.h"
#include "live_exports.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(lmb_vec3) == 3 * sizeof(float), "a point is three floats");

live_character *live_find_mesh(int handle, uint32_t mesh)
{
    live_character *live = live_find(handle);
    if (live != NULL && mesh >= live->character->instance_count) {
        (void)live_fail("there is no mesh %u, there are %u", (unsigned)mesh,
                        (unsigned)live->character->instance_count);
        return NULL;
    }
    return live;
}

static const lmb_mesh *mesh_of(const live_character *live, uint32_t mesh)
{
    return live->character->meshes[live->character->instances[mesh].mesh];
}

EXPORT(limber_mesh_count) uint32_t limber_mesh_count(int handle)
{
    const live_character *live = live_find(handle);
    return live != NULL ? live->character->instance_count : 0;
}

EXPORT(limber_mesh_name) const char *limber_mesh_name(int handle, uint32_t mesh)
{
    const live_character *live = live_find_mesh(handle, mesh);
    if (live == NULL) {
        return NULL;
    }
    const char *name = mesh_of(live, mesh)->name;
    return name != NULL ? name : "";
}

EXPORT(limber_mesh_node) int32_t limber_mesh_node(int handle, uint32_t mesh)
{
    const live_character *live = live_find_mesh(handle, mesh);
    return live != NULL ? limber_joint_node(handle, live->character->instances[mesh].joint)
                        : LMB_NONE;
}

EXPORT(limber_mesh_of_file) int32_t limber_mesh_of_file(int handle, uint32_t mesh)
{
    const live_character *live = live_find_mesh(handle, mesh);
    return live != NULL ? (int32_t)live->character->instances[mesh].mesh : LMB_NONE;
}

EXPORT(limber_mesh_vertex_count) uint32_t limber_mesh_vertex_count(int handle, uint32_t mesh)
{
    const live_character *live = live_find_mesh(handle, mesh);
    return live != NULL ? mesh_of(live, mesh)->vertex_count : 0;
}

EXPORT(limber_mesh_index_count) uint32_t limber_mesh_index_count(int handle, uint32_t mesh)
{
    const live_character *live = live_find_mesh(handle, mesh);
    return live != NULL ? mesh_of(live, mesh)->index_count : 0;
}

EXPORT(limber_mesh_indices) const uint32_t *limber_mesh_indices(int handle, uint32_t mesh)
{
    const live_character *live = live_find_mesh(handle, mesh);
    return live != NULL ? mesh_of(live, mesh)->indices : NULL;
}

EXPORT(limber_mesh_primitive_count) uint32_t limber_mesh_primitive_count(int handle, uint32_t mesh)
{
    const live_character *live = live_find_mesh(handle, mesh);
    return live != NULL ? mesh_of(live, mesh)->primitive_count : 0;
}

EXPORT(limber_mesh_primitive)
const int32_t *limber_mesh_primitive(int handle, uint32_t mesh, uint32_t primitive)
{
    static int32_t numbers[6];
    const live_character *live = live_find_mesh(handle, mesh);
    if (live == NULL) {
        return NULL;
    }
    if (primitive >= mesh_of(live, mesh)->primitive_count) {
        (void)live_fail("there is no primitive %u of mesh %u", (unsigned)primitive, (unsigned)mesh);
        return NULL;
    }
    const lmb_primitive *p = &mesh_of(live, mesh)->primitives[primitive];
    numbers[0] = (int32_t)p->first_index;
    numbers[1] = (int32_t)p->index_count;
    numbers[2] = (int32_t)p->first_vertex;
    numbers[3] = (int32_t)p->vertex_count;
    numbers[4] = p->material;
    numbers[5] = (int32_t)p->topology;
    return numbers;
}

// ------------------------------------------------------------------------------------------- skin

void live_forget_skin(live_character *live)
{
    lmb_deformer_destroy(live->deformer);
    live_drivers_free(live);
    live->deformer = NULL;
    live->prepared = 0;
    live->skin_due = true;
}

bool live_make_deformer(live_character *live)
{
    lmb_error error = {0};
    if (live->deformer == NULL &&
        lmb_deformer_create(live->character, NULL, &live->deformer, &error) != LMB_OK) {
        return live_fail_call("the skin", &error);
    }
    return true;
}

static void deform(live_character *live, const lmb_mat4 *model, const float *weights)
{
    lmb_deform(&(lmb_deform_job){.deformer = live->deformer,
                                 .model_from_joint = model,
                                 .weight_first = live->weight_first,
                                 .weights = weights});
}

/// The mesh as the pose has it; nothing, with an error, when that fails.
static lmb_deformed skinned(int handle, uint32_t mesh)
{
    live_character *live = live_find_mesh(handle, mesh);
    if (live == NULL) {
        return (lmb_deformed){0};
    }
    // Showing the weights does not split a stroke in progress.
    if ((!live->paint.open && !live_paint_store(live)) || !live_make_deformer(live)) {
        return (lmb_deformed){0};
    }
    if (live->skin_due) {
        deform(live, live->model, live->weights);
        live->skin_due = false;
    }
    return lmb_deformer_instance(live->deformer, mesh);
}

EXPORT(limber_skin) const float *limber_skin(int handle, uint32_t mesh)
{
    return (const float *)skinned(handle, mesh).positions;
}

EXPORT(limber_skin_normals) const float *limber_skin_normals(int handle, uint32_t mesh)
{
    return (const float *)skinned(handle, mesh).normals;
}

EXPORT(limber_mesh_rest) const float *limber_mesh_rest(int handle, uint32_t mesh)
{
    live_character *live = live_find_mesh(handle, mesh);
    if (live == NULL || !live_make_deformer(live)) {
        return NULL;
    }
    lmb_mat4 *model = live_room(live->character->skeleton->joint_count, sizeof *model);
    if (model == NULL) {
        return NULL;
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = live->character->skeleton, .model_from_joint = model});
    deform(live, model, live->rest_weights);
    live->skin_due = true;
    free(model);
    return (const float *)lmb_deformer_instance(live->deformer, mesh).positions;
}
