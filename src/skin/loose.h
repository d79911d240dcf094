/// The loose vertices of a binding, for deformers that take them one at a time.
#ifndef SKIN_LOOSE_H
#define SKIN_LOOSE_H

#include <string.h>

#include "skin/linear_kernels.h"

/// Loose vertex i, which is v in its chunk: the job's input or the mesh at rest.
static inline lmb_vec3 lmbi_loose_vec3(const uint8_t *given, const lmb_vec3 *rest, uint32_t i,
                                       size_t v)
{
    lmb_vec3 value;
    memcpy(&value, given != NULL ? given + v * sizeof(value) : (const uint8_t *)&rest[i],
           sizeof(value));
    return value;
}

static inline lmb_vec4 lmbi_loose_tangent(const lmbi_linear_pass *pass, uint32_t i, size_t v)
{
    lmb_vec4 t;
    memcpy(&t,
           pass->tangents != NULL ? pass->tangents + v * sizeof(t)
                                  : (const uint8_t *)&pass->binding->loose_tangents[i],
           sizeof(t));
    return t;
}

void lmbi_dual_loose(const lmbi_linear_pass *pass, const lmbi_loose_run *run);

#endif
