/// Another solver behind C calls, for ik_bench to load and run in the same process: a shared object
/// with ik_peer_get. The files beside this one are such, each with the line that builds it against
/// the peer where that is installed.
#ifndef BENCH_PEERS_IK_PEER_H
#define BENCH_PEERS_IK_PEER_H

#include "limber/ik.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a peer does not have is NULL. The makers copy and convert outside of what is timed.
typedef struct ik_peer {
    const char *name;
    /// joints[i]: model_from_joint of thigh, shin, foot. `hinge`: the shin's, in its own space; a
    /// positive turn bends.
    void (*limbs_make)(uint32_t count, lmb_mat4 (*joints)[3], const lmb_vec3 *goals,
                       lmb_vec3 hinge);
    void (*limbs_solve)(void); ///< every limb once
    void (*aims_make)(uint32_t count, const lmb_transform *joints, const lmb_vec3 *targets);
    void (*aims_solve)(void);
    void (*chain_make)(uint32_t links); ///< straight along +X, links of 1
    void (*chain_solve)(lmb_vec3 target,
                        lmb_vec3 *out_tip); ///< from the straight pose, position alone
} ik_peer;

const ik_peer *ik_peer_get(void);

#ifdef __cplusplus
}
#endif
#endif
