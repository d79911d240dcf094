/// The rules of lmb_check: how they count and report what they find.
#ifndef AUTHOR_CHECK_H
#define AUTHOR_CHECK_H

#include <math.h>

#include "base/arena.h"
#include "geometry/adjacency.h"
#include "limber/author.h"
#include "limber/geometry.h"

/// What a rule says. Codes are never used again for something else.
typedef struct lmbi_check_rule {
    const char *code;
    lmb_severity severity;
    const char *text;   ///< "vertices without any weight"
    const char *repair; ///< what lmb_rig does about it, or NULL
} lmbi_check_rule;

/// Counts the violations of one rule at one location.
typedef struct lmbi_check_tally {
    uint32_t count, first;
} lmbi_check_tally;

/// One run of the rules. Once memory is out, nothing more is added.
typedef struct lmbi_check {
    const lmb_allocator *alloc;
    lmbi_arena scratch; ///< freed after each mesh, skin and clip
    lmb_finding *items;
    size_t count, capacity;
    bool is_out_of_memory;
} lmbi_check;

void lmbi_check_count(lmbi_check_tally *tally, bool found, uint32_t index);
/// Adds nothing if the tally is empty.
void lmbi_check_add(lmbi_check *check, const lmbi_check_rule *rule, const char *location,
                    lmbi_check_tally tally);
/// `mesh 0 "body"`; without a name `mesh 0`.
void lmbi_check_locate(char location[96], const char *kind, uint32_t index, const char *name);
/// Scratch memory, zeroed; NULL, and the check's flag set, when there is none.
void *lmbi_check_scratch(lmbi_check *check, size_t count, size_t size);
/// How many of the names repeat an earlier one, and the index of the first that is repeated.
lmbi_check_tally lmbi_check_repeated(lmbi_check *check, const char *const *names, uint32_t count);

static inline bool lmbi_check_is_unit(float square)
{
    return fabsf(square - 1.0f) <= 2e-3f;
}

/// Whether a scale is 0, or no number, along an axis.
static inline bool lmbi_check_is_flat(lmb_vec3 s)
{
    return !(fabsf(s.x) > 0) || !(fabsf(s.y) > 0) || !(fabsf(s.z) > 0);
}

void lmbi_check_markers(lmbi_check *check, const lmb_markers *markers);
void lmbi_check_skins(lmbi_check *check, const lmb_character *character);
void lmbi_check_skeleton(lmbi_check *check, const lmb_skeleton *skeleton);
void lmbi_check_clips(lmbi_check *check, const lmb_character *character);
/// Errors: INVALID for positions that are not finite; MEMORY.
lmb_result lmbi_check_meshes(lmbi_check *check, const lmb_character *character, lmb_error *error);

// ---- surveys

/// The triangles of a mesh, welded by position, and their neighbours.
typedef struct lmbi_survey_surface {
    lmb_surface *surface; ///< NULL without triangles
    lmbi_adjacency *adjacency;
    uint32_t *component; ///< [vertex_count of the surface]
    uint32_t component_count;
} lmbi_survey_surface;

/// lmb_mesh_survey_make that also hands out what it counted on. Errors: as that; *surface is zero then.
lmb_result lmbi_mesh_survey(const lmb_mesh *mesh, const lmb_allocator *alloc, lmb_mesh_survey *out,
                            lmbi_survey_surface *surface, lmb_error *error);
void lmbi_survey_surface_free(lmbi_survey_surface *surface, const lmb_allocator *alloc);

#endif
