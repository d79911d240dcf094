/// ozz-animation's jobs for many characters behind C calls, for crowd_bench. Built where LIMBER_OZZ
/// says that ozz is installed.
#ifndef BENCH_PEERS_OZZ_CROWD_H
#define BENCH_PEERS_OZZ_CROWD_H

#include "limber/asset.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_ozz_crowd peer_ozz_crowd;

typedef enum peer_stage { PEER_SAMPLE = 1, PEER_BLEND, PEER_MODEL, PEER_PALETTE } peer_stage;

/// Clips of one skeleton at `rate_hz`, reduced and built as its own tools do by default. NULL when
/// it refuses them.
peer_ozz_crowd *peer_ozz_crowd_make(const lmb_skeleton *skeleton, const lmb_clip *const *clips,
                                    const float *rates_hz, uint32_t clip_count, uint32_t count);
/// One character, as far as `last`: times_s[clip_count], weights[clip_count]; the palette in our
/// order of joints.
void peer_ozz_crowd_step(peer_ozz_crowd *peer, uint32_t character, const double *times_s,
                         const float *weights, peer_stage last, lmb_mat4 *palette);
void peer_ozz_crowd_free(peer_ozz_crowd *peer);

#ifdef __cplusplus
}
#endif
#endif
