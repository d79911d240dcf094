/// Every deformer on one mesh.
#ifndef SAMPLES_DEFORMERS_DEFORM_H
#define SAMPLES_DEFORMERS_DEFORM_H

#include "tube.h"

enum { RIGID, LINEAR, DUAL, FIXED, CENTERS, MUSH, MUSH_2, MUSH_4, MUSH_5, DELTA, METHODS };

/// What the deformers know of the mesh at rest, found once.
typedef struct deformers {
    lmb_binding *binding;
    lmb_centers *centers;
    lmb_mush *mush[METHODS]; ///< of the methods that are variants of it
    lmb_delta_mush *delta;
    void *scratch;
    const lmb_mesh *mesh;
    lmb_vec3 pivots[VERTICES]; ///< on the bones, for taking the bulge back
} deformers;

/// Centres and delta mush look at the triangles once, here; a frame needs no memory.
lmb_result deformers_prepare(deformers *d, const lmb_mesh *mesh, lmb_error *error);
void deformers_free(deformers *d);
void deform(const deformers *d, int method, const lmb_mat4 palette[2], tube *out);

#endif
