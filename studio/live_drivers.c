/// What the pose drives: correctives and helpers that the file says (docs/gltf.md).
#include "live.h"
#include "live_exports.h"

void live_drivers_free(live_character *live)
{
    lmb_pose_drivers_destroy(live->drivers);
    live->drivers = NULL;
    live->knows_drivers = false;
}

/// NULL where nothing is driven, or drivers are of another form, which commands that write warn of.
static lmb_pose_drivers *drivers_of(live_character *live)
{
    if (!live->knows_drivers) {
        (void)lmb_pose_drivers_create(live->character, NULL, &live->drivers, NULL);
        live->knows_drivers = true;
    }
    return live->drivers;
}

void live_drive(live_character *live, lmb_transform *pose, const lmb_clip *clip)
{
    if (drivers_of(live) != NULL) {
        lmb_pose_drivers_evaluate(&(lmb_pose_drivers_job){
            .drivers = live->drivers, .local = pose, .weights = live->weights, .clip = clip});
    }
}

void live_show_driven(live_character *live, const lmb_clip *clip)
{
    live_drive(live, live->pose, clip);
    live_show(live);
}

EXPORT(limber_driven) int limber_driven(int handle)
{
    live_character *live = live_find(handle);
    return live != NULL && drivers_of(live) != NULL;
}

EXPORT(limber_mesh_target_count) uint32_t limber_mesh_target_count(int handle, uint32_t mesh)
{
    const live_character *live = live_find_mesh(handle, mesh);
    const lmb_character *c = live != NULL ? live->character : NULL;
    return c != NULL ? c->meshes[c->instances[mesh].mesh]->target_count : 0;
}

EXPORT(limber_mesh_weights) const float *limber_mesh_weights(int handle, uint32_t mesh)
{
    const live_character *live = live_find_mesh(handle, mesh);
    return live != NULL ? live->weights + live->weight_first[live->character->instances[mesh].joint]
                        : NULL;
}
