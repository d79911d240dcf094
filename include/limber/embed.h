/// Embeds a skeleton in a mesh: of a human, an animal or a hand, or a given one that is fitted to
/// it.
#ifndef LIMBER_EMBED_H
#define LIMBER_EMBED_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/geometry.h"
#include "limber/jobs.h"
#include "limber/mapping.h"
#include "limber/math.h"

#ifdef __cplusplus
extern "C" {
#endif

// -------------------------------------------------------------------------------------- embedding

/// The body plan of a skeleton.
typedef enum lmb_skeleton_kind {
    LMB_SKELETON_AUTO = 0, ///< detect it
    LMB_SKELETON_HUMAN,
    LMB_SKELETON_QUADRUPED,
    LMB_SKELETON_BIRD,
    LMB_SKELETON_HAND,
    LMB_SKELETON_FISH,
    LMB_SKELETON_SNAKE,
    LMB_SKELETON_SPIDER,  ///< six legs or more
    LMB_SKELETON_BIPED,   ///< two legs and a tail: reptiles, dinosaurs
    LMB_SKELETON_GENERIC, ///< a root at the center, and a chain along every limb
    LMB_SKELETON_KINDS,
} lmb_skeleton_kind;

/// "auto", "human", "quadruped", …: static strings.
LMB_API const char *lmb_skeleton_kind_name(lmb_skeleton_kind kind);

/// A template of a kind of body: how its limbs are told from others, and where joints lie on them.
typedef struct lmb_body_template lmb_body_template;

/// Reads the text of a template (docs/rigging.md, "A kind of body of your own"). Errors: MALFORMED
/// with line and column; MEMORY.
LMB_API lmb_result lmb_body_template_read(const void *bytes, size_t size,
                                          const lmb_allocator *alloc, lmb_body_template **out,
                                          lmb_error *error);
/// Writes the text that lmb_body_template_read reads. Errors: MEMORY.
LMB_API lmb_result lmb_body_template_write(const lmb_body_template *body_template,
                                           const lmb_allocator *alloc, lmb_buffer *out,
                                           lmb_error *error);
/// NULL is ignored.
LMB_API void lmb_body_template_destroy(lmb_body_template *body_template);

enum { LMB_EMBEDDING_JOINTS = 160, LMB_EMBEDDING_NAME = 32 };

/// A point that the user gives, in the mesh's space. `name` is that of a joint of the resulting
/// skeleton (VRM's names for a humanoid), or for a humanoid one of "chin", "groin", "leftWrist",
/// "leftElbow", "leftHip", "leftKnee", "leftAnkle" and their right twins.
typedef struct lmb_joint_marker {
    const char *name;
    lmb_vec3 at;
} lmb_joint_marker;

typedef struct lmb_embed_opts {
    lmb_skeleton_kind kind;
    /// or NULL: the body is read as this kind alone, whatever `kind` says
    const lmb_body_template *body_template;
    lmb_vec3 up; ///< unit, or zero: detect it
    /// the mesh comes from a format in which +Y is up (glTF, FBX): another axis is unlikely, but
    /// still detected
    bool y_up;
    lmb_vec3 forward; ///< unit, where the character faces; or zero: detect it
    /// Joints are placed exactly at their markers. In a humanoid the markers also determine left
    /// and right, up and front; a joint between two moves along, chin and groin set neck and hips.
    /// With an elbow or wrist and a knee or ankle on both sides no mesh is refused.
    const lmb_joint_marker *markers;
    uint32_t marker_count;
    /// Chains of joints to add along branches that the skeleton does not have (hair, ears, a skirt,
    /// a prop): each ends near its point, and its joints are `name`1, `name`2, … from where it leaves
    /// the body.
    const lmb_joint_marker *chains;
    uint32_t chain_count;
    bool tail; ///< adds a chain "tail" along the longest branch behind the hips
    const lmb_jobs *jobs;
} lmb_embed_opts;

/// A skeleton inside a mesh.
typedef struct lmb_embedding {
    lmb_skeleton_kind kind;     ///< never AUTO
    lmb_vec3 left, up, forward; ///< unit axes of the character in the mesh's space
    lmb_vec3 ground;            ///< between the feet, on the ground
    /// from the ground to the top of the mesh, without what one hand holds, in the mesh's unit
    float height;
    uint32_t joint_count;
    int32_t parents[LMB_EMBEDDING_JOINTS]; ///< LMB_NONE for the first; parents come first
    char names[LMB_EMBEDDING_JOINTS][LMB_EMBEDDING_NAME];
    lmb_vec3 joints[LMB_EMBEDDING_JOINTS]; ///< in the mesh's space
    /// which joint is which human bone, LMB_NONE where there is none and for other kinds
    int32_t human[LMB_HUMAN_BONE_COUNT];
    /// where a leaf bone ends (head, toes, hand or last finger joint); elsewhere the joint itself
    lmb_vec3 tips[LMB_EMBEDDING_JOINTS];
    /// the axis whose positive rotation flexes a hinge joint; zero for other joints
    lmb_vec3 hinges[LMB_EMBEDDING_JOINTS];
    float confidence[LMB_EMBEDDING_JOINTS]; ///< 0 to 1
    /// what the position of the joint is based on, a static phrase
    const char *reason[LMB_EMBEDDING_JOINTS];
    float overall;     ///< 0 to 1
    char summary[256]; ///< why `overall` is what it is
} lmb_embedding;

/// Finds the kind of body (unless given), its up and forward axes, and the joints of that kind
/// inside the mesh. The mesh need not be closed, connected, oriented or manifold. Rotating, scaling
/// and remeshing the mesh rotate and scale the result.
/// Limb ends are maxima of the geodesic distance inside the solid; shoulders and hips lie where the
/// cross-sections of limbs open into the trunk (after ideas of Baran, Popovic 2007 and of Tierny,
/// Vandeborre, Daoudi 2006); proportions of humans follow Drillis, Contini 1966. Feet of animals
/// are the most persistent minima of height in the solid (Edelsbrunner, Letscher, Zomorodian 2002),
/// paired across the plane that mirrors the depths of the solid best.
/// Errors: INVALID for a mesh without triangles or extent, an index out of bounds, a marker that
/// names no joint or is not finite; UNSUPPORTED if the mesh is not recognised as the kind (`found`
/// says what it looks like, `expected` what is needed) or by the template, or has no branch for a chain; INVALID for a
/// chain whose name is empty, too long or taken, or whose point is far from the mesh; MEMORY.
LMB_API lmb_result lmb_embed(const lmb_vec3 *positions, uint32_t position_count,
                             const uint32_t *triangles, uint32_t triangle_count,
                             const lmb_embed_opts *opts, const lmb_allocator *alloc,
                             lmb_embedding *out, lmb_error *error);

/// The template of the kind of body that a mesh with its embedding is an example of: its limbs with their measurements, and
/// its joints along them. Spreads of measurements are usual ones. Errors: UNSUPPORTED for a human or a hand, which networks
/// see, and for a body without limbs; INVALID for a mesh without triangles or extent; MEMORY.
LMB_API lmb_result lmb_body_template_of_body(const lmb_vec3 *positions, uint32_t position_count,
                                             const uint32_t *triangles, uint32_t triangle_count,
                                             const lmb_embedding *embedding,
                                             const lmb_allocator *alloc, lmb_body_template **out,
                                             lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
