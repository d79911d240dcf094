/// Stacks, layers and tracks as they are added, whatever the version.
#include "io/fbx/take.h"

#include "base/alloc.h"

#define ADD(takes, scene, items, count, capacity, item)                                 \
    void *grown = (takes)->items;                                                       \
    if (!lmbi_grow((scene)->fbx->alloc, &grown, &(takes)->capacity, (takes)->count + 1, \
                   sizeof(item))) {                                                     \
        return lmbi_fail_memory((scene)->fbx->error);                                   \
    }                                                                                   \
    (takes)->items = grown;                                                             \
    (takes)->items[(takes)->count++] = (item);                                          \
    return LMB_OK

lmb_result lmbi_fbx_takes_add_stack(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes,
                                    lmbi_fbx_stack stack)
{
    ADD(takes, scene, stacks, stack_count, stack_capacity, stack);
}

lmb_result lmbi_fbx_takes_add_layer(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes,
                                    lmbi_fbx_layer layer)
{
    ADD(takes, scene, layers, layer_count, layer_capacity, layer);
}

lmb_result lmbi_fbx_takes_add_track(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes,
                                    lmbi_fbx_track track)
{
    ADD(takes, scene, tracks, track_count, track_capacity, track);
}

void lmbi_fbx_takes_free(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes)
{
    lmbi_free(scene->fbx->alloc, takes->stacks);
    lmbi_free(scene->fbx->alloc, takes->layers);
    lmbi_free(scene->fbx->alloc, takes->tracks);
}
