/// ozz-animation's BlendingJob behind a C call, for blend_bench. Built where LIMBER_OZZ says that
/// ozz is installed.
#ifndef BENCH_PEERS_OZZ_BLEND_H
#define BENCH_PEERS_OZZ_BLEND_H

#include "limber/anim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_ozz_blend peer_ozz_blend;

/// Its own copies of the layers, turned into its layout; the job borrows nothing of `job`
/// afterwards.
peer_ozz_blend *peer_ozz_blend_make(const lmb_blend_job *job);
int peer_ozz_blend_run(peer_ozz_blend *peer);
/// The result as an array of transforms.
void peer_ozz_blend_read(const peer_ozz_blend *peer, lmb_transform *out);
void peer_ozz_blend_free(peer_ozz_blend *peer);

#ifdef __cplusplus
}
#endif
#endif
