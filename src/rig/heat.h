/// State shared by the parts of the weight solver.
#ifndef RIG_HEAT_H
#define RIG_HEAT_H

#include "base/arena.h"
#include "geometry/adjacency.h"
#include "geometry/tree.h"
#include "limber/rig.h"
#include "rig/rig.h"

/// Most equally near joints that share a vertex's heat.
enum { LMBI_TIES = 4 };
/// Most influences per row while solving.
enum { LMBI_WIDEST = 64 };

/// Heat source of one vertex.
typedef struct lmbi_heat_source {
    float distance; ///< to the nearest bone
    uint8_t tie_count;
    bool seen;                  ///< the bone is visible, and not in front of the skin
    bool open;                  ///< some bone is visible, even if in front of the skin
    bool behind;                ///< the nearest bone lies behind the skin, by its normal
    uint16_t joints[LMBI_TIES]; ///< slots of the nearest joints, see lmbi_heat.joint_of_slot
} lmbi_heat_source;

/// Treatment of a connected piece of the surface.
typedef enum lmbi_piece_kind {
    LMBI_PIECE_PLAIN = 0, ///< its bones are visible
    LMBI_PIECE_LAYER,     ///< its bones are visible once other pieces are ignored
    LMBI_PIECE_UNSEEN,    ///< its bones are never visible: heated as if they were
    LMBI_PIECE_SMALL,     ///< follows the nearest piece of another kind
} lmbi_piece_kind;

typedef struct lmbi_heat {
    const lmb_surface *surface;
    const lmbi_bones *bones;
    lmb_weights_opts opts; ///< zeros replaced
    const lmb_allocator *alloc;
    lmbi_arena arena;
    bool machine;        ///< most vertices are in pieces that follow one joint
    bool triangle_soup;  ///< triangle soup: fragments follow the other pieces
    float size;          ///< longest side of the bounds
    uint32_t slot_count; ///< joints with bones
    uint32_t *joint_of_slot;
    uint32_t *slot_of_bone;
    lmbi_tree *tree;
    lmbi_adjacency *around;
    uint32_t piece_count;
    uint32_t *piece_of_vertex, *piece_of_triangle;
    uint8_t *piece_kinds;
    bool *piece_stiff;    ///< moves as one: rigid, or attached to another piece
    bool *piece_block;    ///< rigid as a block, see rigid_blocks.c
    bool *piece_inverted; ///< most of the piece's normals point toward its bones
    lmb_vec3 *normals;    ///< [vertex_count]
    float *
        depths; ///< [vertex_count] distance from the vertex to the medial surface, along the inward normal
    float *reach;              ///< [bone count] factor of distances to the bone, 1 or less
    float *thickness;          ///< [bone count] distance up to which that factor applies
    float *beyond;             ///< [bone count] further factor past the bone's tail, 1 or more
    float *claims;             ///< [slot_count] factor of distances to the joint's bones, or NULL
    float *own_claims;         ///< [slot_count] the same for vertices of the joint's own piece
    uint32_t *own_piece;       ///< [slot_count] that piece, or UINT32_MAX
    float *strengths;          ///< [slot_count] factor of the joint's heat, or NULL
    lmbi_heat_source *sources; ///< [vertex_count]
    double *areas;             ///< [vertex_count], of the Laplacian; set by the solver
    lmb_influence
        *rows; ///< [vertex_count][row_width], descending, joint = slot; weight 0 ends a row
    uint32_t row_width;
    lmb_weights_report report;
} lmbi_heat;

/// Fills everything that a solve needs, but for the claims and the rows. Call lmbi_heat_end also
/// when it failed. Errors: INVALID for too many joints; MEMORY.
lmb_result lmbi_heat_prepare(lmbi_heat *heat, lmb_error *error);
void lmbi_heat_end(lmbi_heat *heat);
/// Finds each vertex's nearest and visible bones, and the kind of each piece. Needs the tree, the
/// pieces and the depths. Errors: MEMORY.
lmb_result lmbi_heat_sources(lmbi_heat *heat, lmb_error *error);
/// Solves for all slots and keeps each vertex's largest weights. Errors: MEMORY, CANCELLED.
lmb_result lmbi_heat_solve(lmbi_heat *heat, const lmbi_adjacency *around, lmb_error *error);
/// Distance from p to the bone, and the bone's nearest point.
float lmbi_bone_distance(const lmbi_bone_segment *bone, lmb_vec3 p, lmb_vec3 *out_nearest);
/// Weights d^-4 of the distance to each joint's nearest bone. Errors: MEMORY.
lmb_result lmbi_heat_nearest(lmbi_heat *heat, lmb_error *error);
/// Binds pieces that mostly follow one joint to it alone. Errors: MEMORY.
lmb_result lmbi_rigid_pieces(lmbi_heat *heat, lmb_error *error);
/// Gives small pieces the rows of their neighbours. Errors: MEMORY.
lmb_result lmbi_heat_inherit(lmbi_heat *heat, lmb_error *error);

/// Gives vertices at one position within rounding, which were not welded, the same row. Errors:
/// MEMORY.
lmb_result lmbi_heat_close_seams(lmbi_heat *heat, lmb_error *error);

/// Inserts an influence into a descending row of `width` if it is large enough; the last one is
/// dropped.
void lmbi_row_insert(lmb_influence *row, uint32_t width, uint32_t joint, float weight);
/// Divides a row by its sum, unless it is empty.
void lmbi_row_to_one(lmb_influence *row, uint32_t width);
/// Scales `count` positive, descending weights to sum to exactly 1, also when summed as floats in
/// any order.
void lmbi_row_normalize(lmb_influence *row, uint32_t count);

// ---- weights computed in the volume

/// (1 / ((1 - alpha) d + alpha d^2))^2, d as a fraction of the diagonal (Dionne, de Lasa 2013).
float lmbi_voxel_pull(float distance, float alpha);
/// Rows by distance through the solid. Errors: MEMORY, INVALID for a surface without triangles.
lmb_result lmbi_voxel_weights(lmbi_heat *heat, lmb_error *error);
/// Rows of bounded biharmonic weights. Errors: as above, CANCELLED.
lmb_result lmbi_bbw_weights(lmbi_heat *heat, lmb_error *error);

// ---- weights by a learned model

/// Replaces heat's rows by those of opts.model. Needs the rows of heat. Errors: MEMORY, CANCELLED.
lmb_result lmbi_learned_weights(lmbi_heat *heat, lmb_error *error);

#endif
