/// What is to be rigged: the mesh as it was given, and its body without what lies about it. Both
/// are looked at once, for all kinds.
#ifndef EMBED_INPUT_H
#define EMBED_INPUT_H

#include "embed/shape/voxel_cache.h"

typedef struct lmbi_subject {
    lmbi_triangle_soup soup;
    lmbi_looks whole;
    uint32_t *triangles;     ///< of `body`
    lmbi_triangle_soup body; ///< what `alone` looks at
    lmbi_looks alone;
    bool parted, less; ///< less: `alone` is there
    const lmb_allocator *alloc;
} lmbi_subject;

/// `out` must stay where it is. Errors: as lmbi_looks_create.
lmb_result lmbi_subject_create(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                               lmbi_subject *out, lmb_error *error);
void lmbi_subject_destroy(lmbi_subject *subject);
/// The body without what lies about it (lmbi_body_alone); NULL where that is all or nothing.
/// Errors: MEMORY.
lmb_result lmbi_subject_alone(lmbi_subject *subject, lmbi_looks **out, lmb_error *error);

#endif
