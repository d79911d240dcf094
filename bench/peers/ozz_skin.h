/* What skin_bench asks of ozz-animation's skinning job. Linked when the build is told where ozz is installed; see
 * docs/playing.md. */
#ifndef PEERS_OZZ_SKIN_H
#define PEERS_OZZ_SKIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_skin {
    int vertex_count, influences, joint_count;
    const float *palette;                        /* 16 a joint, columns; aligned to 16 bytes */
    const uint16_t *joints;                      /* [vertex_count][influences] */
    const float *weights;                        /* [vertex_count][influences - 1] */
    const float *positions, *normals, *tangents; /* 3 a vertex; directions may be NULL */
    float *out_positions, *out_normals, *out_tangents;
} peer_skin;

/* 0 when the job was refused. */
__attribute__((weak)) int peer_ozz_skin(const peer_skin *job);

#ifdef __cplusplus
}
#endif
#endif
