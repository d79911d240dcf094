/// The objects of an FBX file and how they are connected, the same for every version: 7000 and
/// later name objects by number, 6000 to 6100 by text, 5000 keeps everything at the top level and
/// nests what later versions connect.
#ifndef IO_FBX_SCENE_H
#define IO_FBX_SCENE_H

#include "io/fbx/fbx.h"

typedef enum lmbi_fbx_kind {
    LMBI_FBX_OTHER = 0,
    LMBI_FBX_MODEL,
    LMBI_FBX_MESH,
    LMBI_FBX_SHAPE,
    LMBI_FBX_SKIN,
    LMBI_FBX_CLUSTER,
    LMBI_FBX_BLEND,
    LMBI_FBX_BLEND_CHANNEL,
    LMBI_FBX_MATERIAL,
    LMBI_FBX_TEXTURE,
    LMBI_FBX_VIDEO,
    LMBI_FBX_STACK,
    LMBI_FBX_LAYER,
    LMBI_FBX_CURVE_NODE,
    LMBI_FBX_CURVE,
} lmbi_fbx_kind;

typedef struct lmbi_fbx_object {
    int64_t id;
    lmbi_fbx_kind kind;
    const char *name; ///< without its class
    const lmbi_fbx_node *node;
    const lmbi_fbx_node *properties; ///< Properties70 or Properties60, or NULL
    const lmbi_fbx_node *defaults;   ///< those of its class, or NULL
} lmbi_fbx_object;

/// A connection: `from` belongs to `to`, or drives its property. Indices of objects.
typedef struct lmbi_fbx_link {
    uint32_t from, to;
    lmbi_word property;
} lmbi_fbx_link;

typedef struct lmbi_fbx_scene {
    lmbi_fbx *fbx;
    lmbi_fbx_object *objects;
    size_t count, capacity;
    lmbi_fbx_link *links; ///< by `to`, in file order
    size_t link_count, link_capacity;
    uint32_t *link_first;   ///< [count + 1] into links
    uint32_t *upward;       ///< links by `from`, in file order: indices into links
    uint32_t *upward_first; ///< [count + 1] into upward
    uint32_t *slots;        ///< hash of ids: index + 1
    size_t slot_count;
    const lmbi_fbx_node *settings; ///< the properties of GlobalSettings, or NULL
} lmbi_fbx_scene;

/// The object of index 0 is the scene's root, a model without a node.
#define LMBI_FBX_ROOT 0u

lmb_result lmbi_fbx_scene_make(lmbi_fbx *fbx, lmbi_fbx_scene *scene);
void lmbi_fbx_scene_free(lmbi_fbx_scene *scene);

/// These build the scene; the reader of version 5000 calls them too.
lmb_result lmbi_fbx_scene_add(lmbi_fbx_scene *scene, int64_t id, lmbi_fbx_kind kind, lmbi_word name,
                              const lmbi_fbx_node *node, uint32_t *index);
lmb_result lmbi_fbx_scene_link(lmbi_fbx_scene *scene, uint32_t from, uint32_t to,
                               lmbi_word property);
/// Before 7000 blend shapes are inside the model: each becomes a channel of the mesh with one shape.
lmb_result lmbi_fbx_scene_add_shapes(lmbi_fbx_scene *scene, uint32_t mesh,
                                     const lmbi_fbx_node *node);
/// The identifier that stands for a name.
int64_t lmbi_fbx_name_id(lmbi_word name);
/// LMB_NONE when there is none.
int32_t lmbi_fbx_scene_find(const lmbi_fbx_scene *scene, int64_t id);
/// Version 5000: fills objects and links from the top level.
lmb_result lmbi_fbx_scene_legacy(lmbi_fbx_scene *scene);

/// The k-th object of that kind connected to `to`, in file order, or LMB_NONE.
int32_t lmbi_fbx_scene_source(const lmbi_fbx_scene *scene, uint32_t to, lmbi_fbx_kind kind,
                              uint32_t k);
/// The first object of that kind that `from` is connected to, or LMB_NONE.
int32_t lmbi_fbx_scene_target(const lmbi_fbx_scene *scene, uint32_t from, lmbi_fbx_kind kind);

/// Reads up to `count` values of a property of the object or its class into `out`, which keeps its
/// values where the property has fewer. False when there is no such property.
bool lmbi_fbx_property(const lmbi_fbx_object *object, const char *name, double *out,
                       uint32_t count);
double lmbi_fbx_property_number(const lmbi_fbx_object *object, const char *name, double missing);
/// The same for a list of properties alone, which may be NULL.
bool lmbi_fbx_list_property(const lmbi_fbx_node *list, const char *name, double *out,
                            uint32_t count);

#endif
