/// What the parts of the weight solver share.
#ifndef RIG_HEAT_H
#define RIG_HEAT_H

#include "base/arena.h"
#include "limber/rig.h"

/// At most this many joints share a vertex's heat.
enum { LMBI_TIES = 4 };
/// The longest rows that are kept while solving.
enum { LMBI_WIDEST = 64 };

/// What warms one vertex of the surface.
typedef struct lmbi_heat_source {
    float distance; ///< to the nearest bone
    uint8_t tie_count;
    bool seen;                  ///< the bone is in sight, and not in front of the skin
    bool open;                  ///< some bone is in sight, even if it is in front of the skin
    bool behind;                ///< the nearest bone lies behind the skin, by its normal
    uint16_t joints[LMBI_TIES]; ///< slots of the nearest joints, see lmbi_heat.slots
} lmbi_heat_source;

/// How a connected piece of the surface is dealt with.
typedef enum lmbi_piece_kind {
    LMBI_PIECE_PLAIN = 0, ///< sees its bones
    LMBI_PIECE_LAYER,     ///< sees them when the other pieces are not there
    LMBI_PIECE_UNSEEN,    ///< never does: heated as if it did
    LMBI_PIECE_SMALL,     ///< follows the nearest piece of another kind
} lmbi_piece_kind;

typedef struct lmbi_heat {
    const lmb_surface *surface;
    const lmb_bones *bones;
    lmb_weights_opts opts; ///< zeros replaced
    const lmb_allocator *alloc;
    lmbi_arena arena;
    bool machine;        ///< most of it is pieces that follow one joint
    bool soup;           ///< crumbs are carried along by the pieces that are none
    float size;          ///< longest side of the bounds
    uint32_t slot_count; ///< joints with bones
    uint32_t *joint_of_slot;
    uint32_t *slot_of_bone;
    lmb_tree *tree;
    uint32_t piece_count;
    uint32_t *piece_of_vertex, *piece_of_triangle;
    uint8_t *piece_kinds;
    bool *piece_stiff;         ///< moves as one: rigid, or carried along
    bool *piece_turned;        ///< most of the piece's normals look toward its bones
    lmb_vec3 *normals;         ///< [vertex_count]
    float *depths;             ///< [vertex_count] of the middle of the flesh under each
    float *reach;              ///< [bone count] what distances to the bone count, 1 or less
    float *beyond;             ///< [bone count] what they count besides beyond its end, 1 or more
    lmbi_heat_source *sources; ///< [vertex_count]
    double *areas;             ///< [vertex_count], of the Laplacian; set by the solver
    lmb_influence *rows; ///< [vertex_count][row_width], falling, joint = slot; weight 0 ends a row
    uint32_t row_width;
    lmb_weights_report report;
} lmbi_heat;

/// Finds each vertex's nearest bones, what it sees, and what kind each piece is. Needs the tree, the
/// pieces and the depths. Errors: MEMORY.
lmb_result lmbi_heat_sources(lmbi_heat *heat, lmb_error *error);
/// Solves for all slots and keeps each vertex's largest weights. Errors: MEMORY, CANCELLED.
lmb_result lmbi_heat_solve(lmbi_heat *heat, const lmb_adjacency *around, lmb_error *error);
/// The point of the bone nearest to p, and its distance.
float lmbi_bone_distance(const lmb_bone *bone, lmb_vec3 p, lmb_vec3 *out_nearest);
/// Rows by distance alone: d^-4 of each joint's nearest bone. Errors: MEMORY.
lmb_result lmbi_heat_nearest(lmbi_heat *heat, lmb_error *error);
/// Lets pieces that follow one joint for the most part follow it alone. Errors: MEMORY.
lmb_result lmbi_rigid_pieces(lmbi_heat *heat, lmb_error *error);
/// Gives small pieces the rows of their neighbours. Errors: MEMORY.
lmb_result lmbi_heat_inherit(lmbi_heat *heat, lmb_error *error);

/// Gives vertices that were not welded, but are at one place within rounding, one row. Errors: MEMORY.
lmb_result lmbi_heat_close_seams(lmbi_heat *heat, lmb_error *error);

/// Puts an influence into a falling row of `width` if it is large enough; the last one falls out.
void lmbi_row_insert(lmb_influence *row, uint32_t width, uint32_t joint, float weight);
/// Scales `count` positive, falling weights so that they sum to exactly 1, also when summed in
/// floats in any order.
void lmbi_row_normalize(lmb_influence *row, uint32_t count);

#endif
