// Inverse kinematics on one core: limbs and aiming one at a time and in batches, and every chain
// solver on chains of 2 to 100 links, free and limited, with what is left and how often the target
// is met. JSON on stdout.
//     ik_bench [--quick] [PEER.so …]
// A peer is a shared object of bench/peers/ and runs in the same process on the same problems, in
// turn with ours.
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset/asset.h"
#include "bench/peers/ik_peer.h"
#include "ik/ik.h"
#include "joint_line.h"
#include "limber/os.h"

enum { MOST_LINKS = 100, JOINTS = MOST_LINKS + 1, LIMBS = 1024, ROUNDS = 9, PEERS = 4 };

typedef enum freedom { FREE = 0, LIMITED, FREEDOMS } freedom;

static const ik_peer *peers[PEERS];
static int peer_count;

static lmb_vec3 direction(lmb_random *random)
{
    lmb_vec3 v;
    do {
        v.x = lmb_random_range(random, -1, 1);
        v.y = lmb_random_range(random, -1, 1);
        v.z = lmb_random_range(random, -1, 1);
    } while (lmb_vec3_dot(v, v) > 1 || lmb_vec3_dot(v, v) < 0.01f);
    return lmb_vec3_normalize_or(v, lmb_vec3_make(1, 0, 0));
}

// ------------------------------------------------------------------------------- limbs and aiming

typedef struct crowd {
    lmb_two_bone_points limbs[LIMBS];
    lmb_vec3 goals[LIMBS], targets[LIMBS], hinges[LIMBS];
    lmb_transform joints[LIMBS]; ///< that aim
    float lanes[25][LIMBS], out[8][LIMBS];
    // One skeleton of a thigh, a shin and a foot, and one of a head, a pose of each a limb.
    lmb_skeleton leg, head;
    int32_t parents[3];
    lmb_transform poses[LIMBS][3], work[LIMBS][3];
    lmb_mat4 models[LIMBS][3], heads[LIMBS];
} crowd;

static crowd c;

static void put(float (*lanes)[LIMBS], int i, lmb_vec3 v)
{
    lanes[0][i] = v.x, lanes[1][i] = v.y, lanes[2][i] = v.z;
}

static void fill_limb(lmb_random *random, int i)
{
    for (int j = 0; j < 3; ++j) {
        c.poses[i][j] = lmb_transform_identity();
        c.poses[i][j].translation = j == 0 ? direction(random) : lmb_vec3_make(0, -0.4f, 0);
    }
    // A leg that stands anyhow, its knee bent the way knees do.
    c.poses[i][0].rotation = lmb_quat_axis_angle(direction(random), lmb_random_range(random, 0, 3));
    c.poses[i][1].rotation =
        lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), lmb_random_range(random, 0.2f, 2));
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = &c.leg, .local = c.poses[i], .model_from_joint = c.models[i]});
    lmb_vec3 *points[3] = {&c.limbs[i].start, &c.limbs[i].mid, &c.limbs[i].end};
    for (int j = 0; j < 3; ++j) {
        *points[j] = lmb_mat4_translation(c.models[i][j]);
        put(&c.lanes[3 * j], i, *points[j]);
    }
    c.goals[i] =
        lmb_vec3_mad(c.limbs[i].start, direction(random), lmb_random_range(random, 0.2f, 0.78f));
    put(&c.lanes[9], i, c.goals[i]);
    c.joints[i] = lmb_transform_identity();
    c.joints[i].rotation = lmb_quat_axis_angle(direction(random), lmb_random_range(random, 0, 2));
    c.joints[i].translation = direction(random);
    c.targets[i] = lmb_vec3_scale(direction(random), 4);
    c.heads[i] = lmb_mat4_from_transform(c.joints[i]);
    c.hinges[i] = lmb_mat4_vector(c.models[i][1], lmb_vec3_make(1, 0, 0));
    put(&c.lanes[22], i, c.hinges[i]);
    put(&c.lanes[12], i, c.joints[i].translation);
    put(&c.lanes[15], i, c.targets[i]);
    const lmb_quat q = c.joints[i].rotation;
    c.lanes[18][i] = q.x, c.lanes[19][i] = q.y, c.lanes[20][i] = q.z, c.lanes[21][i] = q.w;
}

static void solve_points(void)
{
    static volatile float seen;
    for (int i = 0; i < LIMBS; ++i) {
        const lmb_two_bone_rotation t =
            lmb_two_bone_solve(c.limbs[i], c.goals[i], c.hinges[i], lmb_vec3_make(0, 1, 0), 0);
        seen = t.start.x + t.mid.x;
    }
    (void)seen;
}

static void lay_out_limbs(void)
{
    memcpy(c.work, c.poses, sizeof(c.work));
}

static void solve_limbs(void)
{
    lmb_ik_two_bone_job job = {
        .skeleton = &c.leg, .chain = {0, 1, 2}, .pole = {0, 1, 0}, .hinge = {1, 0, 0}, .weight = 1};
    for (int i = 0; i < LIMBS; ++i) {
        job.local = c.work[i];
        job.model_from_joint = c.models[i];
        job.target = c.goals[i];
        lmb_ik_two_bone(&job);
    }
}

static void lay_out_aims(void)
{
    for (int i = 0; i < LIMBS; ++i) {
        c.work[i][0] = c.joints[i];
    }
}

static void solve_aims(void)
{
    lmb_ik_aim_job job = {
        .skeleton = &c.head, .forward = {1, 0, 0}, .up = {0, 1, 0}, .pole = {0, 1, 0}, .weight = 1};
    for (int i = 0; i < LIMBS; ++i) {
        job.local = c.work[i];
        job.model_from_joint = &c.heads[i];
        job.target = c.targets[i];
        lmb_ik_aim(&job);
    }
}

static lmb_lanes3 three(float (*at)[LIMBS])
{
    return (lmb_lanes3){at[0], at[1], at[2]};
}

static lmb_lanes4 four(float (*at)[LIMBS])
{
    return (lmb_lanes4){at[0], at[1], at[2], at[3]};
}

static lmb_simd simd_set;

static void batch_limbs(void)
{
    lmb_two_bone_batch(&(lmb_two_bone_batch_job){.count = LIMBS,
                                                 .start = three(&c.lanes[0]),
                                                 .mid = three(&c.lanes[3]),
                                                 .end = three(&c.lanes[6]),
                                                 .goal = three(&c.lanes[9]),
                                                 .hinge = three(&c.lanes[22]),
                                                 .common_pole = {0, 1, 0},
                                                 .start_rotation = four(&c.out[0]),
                                                 .mid_rotation = four(&c.out[4]),
                                                 .simd = simd_set});
}

static void batch_aims(void)
{
    lmb_aim_batch(&(lmb_aim_batch_job){.count = LIMBS,
                                       .position = three(&c.lanes[12]),
                                       .target = three(&c.lanes[15]),
                                       .rotation = four(&c.lanes[18]),
                                       .forward = {1, 0, 0},
                                       .up = {0, 1, 0},
                                       .pole = {0, 1, 0},
                                       .rotated = four(&c.out[0]),
                                       .simd = simd_set});
}

/// Nanoseconds a limb. Laying the poses out anew before each pass is not timed.
static double time_crowd(void (*lay_out)(void), void (*solve)(void))
{
    enum { CALLS = 20 };
    double took = 0;
    for (int i = 0; i < CALLS; ++i) {
        if (lay_out) {
            lay_out();
        }
        const double begun = lmb_clock_s();
        solve();
        took += lmb_clock_s() - begun;
    }
    return took * 1e9 / (CALLS * LIMBS);
}

typedef struct contestant {
    const char *what, *who;
    void (*solve)(void);
    double best;
    lmb_simd set;
    void (*lay_out)(void);
} contestant;

static void measure_crowd(void)
{
    static contestant all[32];
    int count = 0;
    all[count++] =
        (contestant){"two bones", "limber, points to turns", solve_points, 1e9, LMB_SIMD_BEST};
    all[count++] =
        (contestant){"two bones", "limber, a pose", solve_limbs, 1e9, LMB_SIMD_BEST, lay_out_limbs};
    all[count++] =
        (contestant){"aim", "limber, a pose", solve_aims, 1e9, LMB_SIMD_BEST, lay_out_aims};
    for (int set = LMB_SIMD_SCALAR; set < LMB_SIMD_COUNT; ++set) {
        if (lmb_simd_runs((lmb_simd)set)) {
            all[count++] = (contestant){"two bones, batch", lmb_simd_name((lmb_simd)set),
                                        batch_limbs, 1e9, (lmb_simd)set};
            all[count++] = (contestant){"aim, batch", lmb_simd_name((lmb_simd)set), batch_aims, 1e9,
                                        (lmb_simd)set};
        }
    }
    for (int p = 0; p < peer_count; ++p) {
        if (peers[p]->limbs_make) {
            peers[p]->limbs_make(LIMBS, c.models, c.goals, lmb_vec3_make(1, 0, 0));
            all[count++] = (contestant){"two bones", peers[p]->name, peers[p]->limbs_solve, 1e9,
                                        LMB_SIMD_BEST};
        }
        if (peers[p]->aims_make) {
            peers[p]->aims_make(LIMBS, c.joints, c.targets);
            all[count++] =
                (contestant){"aim", peers[p]->name, peers[p]->aims_solve, 1e9, LMB_SIMD_BEST};
        }
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < count; ++i) {
            simd_set = all[i].set;
            const double ns = time_crowd(all[i].lay_out, all[i].solve);
            all[i].best = ns < all[i].best ? ns : all[i].best;
        }
    }
    puts("  \"limbs\": [");
    for (int i = 0; i < count; ++i) {
        printf("    {\"what\": \"%s\", \"who\": \"%s\", \"ns\": %.2f}%s\n", all[i].what, all[i].who,
               all[i].best, i + 1 < count ? "," : "");
    }
    puts("  ],");
}

// ----------------------------------------------------------------------------------------- chains

static joint_line rod; ///< links of one metre along +X from the origin

/// Balls of 50 degrees with some twist, hinges about Z that bend one way, hinges about Y that bend
/// both.
static lmb_joint_limit limit_of(uint32_t joint)
{
    if (joint % 3 == 0) {
        return (lmb_joint_limit){.kind = LMB_JOINT_BALL,
                                 .axis = {1, 0, 0},
                                 .swing_rad = 0.9f,
                                 .twist_min_rad = -0.5f,
                                 .twist_max_rad = 0.5f};
    }
    const lmb_vec3 axis = joint % 3 == 1 ? lmb_vec3_make(0, 0, 1) : lmb_vec3_make(0, 1, 0);
    return (lmb_joint_limit){.kind = LMB_JOINT_HINGE,
                             .axis = axis,
                             .twist_min_rad = joint % 3 == 1 ? 0.0f : -2.0f,
                             .twist_max_rad = 2.0f};
}

static void make_chain(uint32_t links, freedom kind)
{
    joint_line_make(&rod, links, lmb_vec3_make(1, 0, 0));
    for (uint32_t j = 0; j <= links; ++j) {
        rod.limits[j] = limit_of(j);
    }
    rod.skeleton.limits = kind == LIMITED ? rod.limits : NULL;
}

static lmb_vec3 tip_of(const lmb_transform *local)
{
    static lmb_mat4 model[JOINTS];
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = &rod.skeleton, .local = local, .model_from_joint = model});
    return lmb_mat4_translation(model[rod.links]);
}

/// Free: uniform in the ball of 0.95 of the length. Limited: where a random pose inside the limits,
/// or at them, has the tip.
static lmb_vec3 target_of(freedom kind, lmb_random *random)
{
    static lmb_transform local[JOINTS];
    if (kind == FREE) {
        const float r = 0.95f * (float)rod.links * powf(lmb_random_unit(random), 1.0f / 3.0f);
        return lmb_vec3_scale(direction(random), r);
    }
    for (uint32_t j = 0; j <= rod.links; ++j) {
        const lmb_joint_limit *limit = &rod.limits[j];
        const bool hinges = limit->kind == LMB_JOINT_HINGE;
        const lmb_vec3 axis = hinges ? limit->axis : direction(random);
        const float angle =
            hinges ? lmb_random_range(random, limit->twist_min_rad, limit->twist_max_rad)
                   : lmb_random_range(random, 0, 1.5f);
        local[j] = rod.rest[j];
        local[j].rotation = lmb_quat_axis_angle(axis, angle);
        local[j] = lmbi_joint_limit_apply(limit, rod.rest[j], local[j]);
    }
    return tip_of(local);
}

typedef struct score {
    double us, iterations, starts, success, left, most;
} score;

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void score_solve(score *s, double left)
{
    s->success += left <= 1e-3 ? 1 : 0;
    s->left += left;
    s->most = left > s->most ? left : s->most;
}

/// The mean of the times without the slowest fiftieth: those that something else interrupted.
static double mean_us(double *times, int count)
{
    double sum = 0;
    const int kept = count - count / 50;
    qsort(times, (size_t)count, sizeof(*times), by_value);
    for (int i = 0; i < kept; ++i) {
        sum += times[i];
    }
    return sum / kept;
}

static score measure_solver(freedom kind, lmb_ik_solver solver, int count, double *times)
{
    static union {
        uint8_t bytes[1 << 20];
        double align;
    } scratch;
    lmb_random random = lmb_random_seed(7);
    score s = {0};
    lmb_ik_end end = {.joint = rod.links};
    lmb_ik_chain_job job = {.skeleton = &rod.skeleton,
                            .local = rod.local,
                            .model_from_joint = rod.model,
                            .solver = solver,
                            .end_count = 1,
                            .ends = &end,
                            .tolerance = 1e-3f,
                            .scratch = scratch.bytes,
                            .scratch_size = sizeof(scratch)};
    for (int i = 0; i < count; ++i) {
        end.target = target_of(kind, &random);
        memcpy(rod.local, rod.rest, (rod.links + 1) * sizeof(lmb_transform));
        const double begun = lmb_clock_s();
        const lmb_ik_chain_report r = lmb_ik_chain(&job);
        times[i] = (lmb_clock_s() - begun) * 1e6;
        s.iterations += r.iterations;
        s.starts += r.starts;
        score_solve(&s, (double)lmb_vec3_distance(tip_of(rod.local), end.target));
    }
    s.us = mean_us(times, count);
    s.iterations /= count, s.starts /= count, s.success /= count, s.left /= count;
    return s;
}

static score measure_peer(const ik_peer *peer, int count, double *times)
{
    lmb_random random = lmb_random_seed(7);
    score s = {0};
    peer->chain_make(rod.links);
    for (int i = 0; i < count; ++i) {
        const lmb_vec3 target = target_of(FREE, &random);
        lmb_vec3 tip;
        const double begun = lmb_clock_s();
        peer->chain_solve(target, &tip);
        times[i] = (lmb_clock_s() - begun) * 1e6;
        score_solve(&s, (double)lmb_vec3_distance(tip, target));
    }
    s.us = mean_us(times, count);
    s.success /= count, s.left /= count;
    return s;
}

static void print_score(const char *who, freedom kind, score s, bool *is_first)
{
    printf(
        "%s    {\"links\": %u, \"limits\": %s, \"solver\": \"%s\", \"us\": %.2f, \"iterations\": "
        "%.1f, \"starts\": %.2f, \"success\": %.4f, \"left_mean\": %.2e, \"left_most\": %.2e}",
        *is_first ? "" : ",\n", rod.links, kind == LIMITED ? "true" : "false", who, s.us,
        s.iterations, s.starts, s.success, s.left, s.most);
    *is_first = false;
}

static void measure_chains(int count)
{
    static const uint32_t lengths[] = {2, 3, 5, 10, 20, 50, 100};
    static double times[2000];
    bool is_first = true;
    puts("  \"chains\": [");
    for (int kind = FREE; kind < FREEDOMS; ++kind) {
        for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); ++i) {
            make_chain(lengths[i], (freedom)kind);
            for (int s = 0; s < LMB_IK_SOLVER_COUNT; ++s) {
                const bool is_slow =
                    s == LMB_IK_TRANSPOSE || s == LMB_IK_PSEUDO_INVERSE || s == LMB_IK_SELECTIVE;
                const int solves = is_slow ? count / 10 : count;
                print_score(lmbi_ik_solver_name((lmb_ik_solver)s), (freedom)kind,
                            measure_solver((freedom)kind, (lmb_ik_solver)s, solves, times),
                            &is_first);
            }
            for (int p = 0; kind == FREE && p < peer_count; ++p) {
                if (peers[p]->chain_make) {
                    print_score(peers[p]->name, FREE, measure_peer(peers[p], count / 2, times),
                                &is_first);
                }
            }
        }
    }
    puts("\n  ]\n}");
}

static bool load_peer(const char *path)
{
    const ik_peer *(*get)(void);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL),
         *symbol = object ? dlsym(object, "ik_peer_get") : NULL;
    if (symbol == NULL) {
        fprintf(stderr, "ik_bench: %s\n", dlerror());
        return false;
    }
    memcpy(&get, &symbol, sizeof(get));
    peers[peer_count++] = get();
    return true;
}

int main(int argc, char **argv)
{
    int count = 1000;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--quick") == 0) {
            count = 100;
        } else if (peer_count == PEERS || !load_peer(argv[i])) {
            return 1;
        }
    }
    lmb_random random = lmb_random_seed(1);
    c.parents[0] = LMB_NONE, c.parents[1] = 0, c.parents[2] = 1;
    c.leg = (lmb_skeleton){.joint_count = 3, .parents = c.parents, .rest = c.work[0]};
    c.head = (lmb_skeleton){.joint_count = 1, .parents = c.parents, .rest = c.work[0]};
    for (int i = 0; i < LIMBS; ++i) {
        fill_limb(&random, i);
    }
    printf("{\n  \"bench\": \"ik\", \"build\": \"%s\", \"cores_used\": 1,\n", LMBI_BUILD);
    measure_crowd();
    measure_chains(count);
    return 0;
}
