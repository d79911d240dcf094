/// What each kind of body implements, how it is told from others, and the mesh that they share.
#ifndef EMBED_KINDS_H
#define EMBED_KINDS_H

#include "embed/creature/creature.h"
#include "embed/hand/hand.h"
#include "embed/human/human.h"
#include "embed/shape/shape.h"
#include "limber/embed.h"

// ---- The mesh to embed a skeleton in, and its main body without floors and props. The
// voxelisations of both are cached and shared by all kinds.

typedef struct lmbi_embed_input {
    lmbi_triangle_soup soup, body; ///< without its slab; that of `main_body`
    uint32_t *above, *kept;        ///< triangles of these
    lmbi_voxel_cache whole, main_body;
    lmbi_human_looks humans;
    lmbi_volume_network *animals; ///< that sees these; both are NULL until they are looked for
    bool searched, has_main_body; ///< has_main_body: it differs from the whole
    bool holds;                   ///< pieces were left out of the main body that one hand holds
    const lmb_allocator *alloc;
} lmbi_embed_input;

/// The mesh without the slab under the body, whose corners would be taken for feet. `out` must not be moved, and is to be
/// destroyed on failure too. Errors: INVALID, MEMORY.
lmb_result lmbi_embed_input_create(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                   lmbi_embed_input *out, lmb_error *error);
void lmbi_embed_input_destroy(lmbi_embed_input *input);

/// The voxelisations of the main body: lmbi_main_body_find, with the first mirror plane that it is asked with, in the
/// mesh's space, or NULL. NULL where that is everything or nothing. Errors: MEMORY.
lmb_result lmbi_embed_input_main_body(lmbi_embed_input *input, const lmbi_mirror *plane,
                                      lmbi_voxel_cache **out, lmb_error *error);

// ---- What each kind of body implements: how it is told from others, and where its joints lie.

/// The skeleton of a hand. `mesh` is its shape in the mesh's own axes. The embedding keeps these, with the plane as its
/// mirror plane.
void lmbi_hand_place(const lmbi_lone_hand *hand, const lmbi_triangle_soup *soup,
                     const lmbi_body_shape *mesh, const lmbi_mirror *plane, lmb_vec3 up,
                     lmb_embedding *out);

/// The number of limbs; without any there is nothing to place.
uint32_t lmbi_generic_limbs(const lmbi_body_shape *shape);
lmb_result lmbi_generic_place(const lmbi_body_shape *shape, lmb_embedding *out, lmb_error *error);

/// What a network sees in the whole mesh as it stands in its file, along the axes that are told or that landmarks tell.
/// Errors: INVALID, MEMORY.
lmb_result lmbi_see_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                          lmbi_seen_figure *out, lmb_error *error);
/// The humanoid, without fingers. `figure` is what lmbi_see_human saw, and becomes what is embedded. Where that is not clear
/// it looks further. Errors: UNSUPPORTED, MEMORY.
lmb_result lmbi_embed_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                            lmbi_seen_figure *figure, lmb_embedding *out, lmb_error *error);
/// Adds fingers to the human that was embedded of a figure, where both hands have five. Errors: MEMORY.
lmb_result lmbi_human_add_fingers(const lmbi_seen_figure *figure, lmb_embedding *human,
                                  lmb_error *error);

/// Embeds the skeleton of the user's template. Errors: UNSUPPORTED, which says what is seen; MEMORY.
lmb_result lmbi_embed_given(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                            lmb_error *error);

/// What bodies of a kind are like: "an animal on four legs".
const char *lmbi_kind_needs(lmb_skeleton_kind kind);

/// Embeds the kind that the user gives, or the one that fits best. Markers that only a human has
/// imply a human. Errors: UNSUPPORTED, MEMORY.
lmb_result lmbi_embed_kind(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error);
/// Chest, neck and head of a bust that stands along +Y or +Z, as a generic skeleton. Errors:
/// UNSUPPORTED for other bodies, MEMORY.
lmb_result lmbi_embed_bust(lmbi_voxel_cache *cache, const lmb_embed_opts *opts, lmb_embedding *out);

/// Adds the chains that `opts` asks for to a finished embedding of the mesh of `cache`. Errors:
/// INVALID for a name that is empty, too long or taken, or a point that is not finite or far from
/// the mesh; UNSUPPORTED where no branch leaves the skeleton, or for too many joints; MEMORY.
lmb_result lmbi_extra_chains_add(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                 lmb_embedding *e, lmb_error *error);

// ---- Joints of both sides.

/// If chains of both sides are in the same pose, makes their joints mirror images: those of one chain in the middle, given
/// twice, come to the mirror plane.
void lmbi_symmetrise(lmb_vec3 *at, int left, int right, int count);

// ---- Whether an embedded skeleton reaches all of the body.

/// The fraction of the soup's surface, 0 to 1, that is farther from every bone than a fifth of the
/// soup's longest side. It is large where limbs have no joints, or where a second body stands
/// beside the embedded one.
float lmbi_uncovered_fraction(const lmbi_triangle_soup *soup, const lmb_embedding *e);
/// Lowers e->overall by what is uncovered beyond what usually is, and says so in the summary if that is much.
void lmbi_doubt_uncovered(const lmbi_triangle_soup *soup, lmb_embedding *e);

#endif
