// A crowd on one core: characters that each sample three clips, blend them and go to model space;
// then with a mesh that follows each. In the same run, where the build was told where
// ozz-animation is installed (-DLIMBER_OZZ=DIR), its jobs on the same clips, and a copy of as many
// bytes as come out. JSON on stdout.
//   crowd_bench [--count N] [FILE.bvh|.glb|.clip FILE FILE]
// Without files: 67 joints that all move, 30 to 60 samples a second. Files are clips of one
// skeleton; bench/peers/ozz_raw.cpp makes such of ozz's own walk, jog and run.
#include <math.h>

#include "bench/clips.h"
#include "bench/peers/ozz_crowd.h"
#include "bench/peers/ozz_skin.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD ""
#endif

enum { CLIPS = 3, FRAMES = 6, ROUNDS = 7, VERTICES = 3934, ROW = 4 };

// Where there is no peer: weak, so that the linker leaves them out.
__attribute__((weak)) peer_ozz_crowd *peer_ozz_crowd_make(const lmb_skeleton *skeleton,
                                                          const lmb_clip *const *clips,
                                                          const float *rates_hz,
                                                          uint32_t clip_count, uint32_t count);
__attribute__((weak)) void peer_ozz_crowd_step(peer_ozz_crowd *peer, uint32_t character,
                                               const double *times_s, const float *weights,
                                               peer_stage last, lmb_mat4 *palette);
__attribute__((weak)) void peer_ozz_crowd_free(peer_ozz_crowd *peer);

typedef struct scene {
    uint32_t count, joints, mesh_count;
    lmb_character *characters[CLIPS];
    const lmb_skeleton *skeleton;
    const lmb_clip *clips[CLIPS];
    lmb_packed_clip *packed[CLIPS];
    const lmb_packed_clip **played; ///< [count][CLIPS]
    double *begins, *times;         ///< [count][CLIPS]
    float *weights;                 ///< [count][CLIPS]
    lmb_transform *local, *poses;   ///< [count][joints]; [CLIPS][joints]
    lmb_mat4 *model;                ///< [count][joints]
    // The mesh, as both want it.
    lmb_mat4 *joint_from_bind, *palette;
    lmb_vec3 *rest, *skinned;
    float (*rows3)[12]; ///< [count][joints]
    float seen;
    uint16_t *rows;
    float *shares;
    lmb_binding *binding;
    peer_ozz_crowd *peer;
} scene;

static void *allocate(size_t count, size_t size)
{
    void *out = aligned_alloc(64, (count * size + 63) / 64 * 64);
    if (out == NULL) {
        bench_fail("out of memory");
    }
    memset(out, 0, (count * size + 63) / 64 * 64);
    return out;
}

// ------------------------------------------------------------------------------------------- scene

/// Points round the joints; each follows a joint and its three next of kin.
static void make_mesh(scene *s)
{
    lmb_random random = lmb_random_seed(5);
    lmb_influence *items = allocate((size_t)VERTICES * ROW, sizeof(*items));
    uint32_t *first = allocate(VERTICES + 1, sizeof(*first));
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const uint32_t j = v * s->joints / VERTICES;
        first[v + 1] = (v + 1) * ROW;
        s->rest[v] = lmb_vec3_make(lmb_random_range(&random, -1, 1),
                                   lmb_random_range(&random, 0, 2), (float)j * 0.01f);
        for (uint32_t i = 0; i < ROW; ++i) {
            const uint32_t joint = (j + i) % s->joints;
            const float share = (float)(ROW - i) / 10;
            s->rows[v * ROW + i] = (uint16_t)joint;
            items[v * ROW + i] = (lmb_influence){joint, share};
            if (i + 1 < ROW) {
                s->shares[v * (ROW - 1) + i] = share;
            }
        }
    }
    const lmb_mesh def = {.vertex_count = VERTICES,
                          .positions = s->rest,
                          .influences = {.first = first, .items = items}};
    lmb_mesh *mesh = NULL;
    lmb_error error = {0};
    if (lmb_mesh_create(&def, NULL, &mesh, &error) != LMB_OK ||
        lmb_binding_create(mesh, s->joints, NULL, &s->binding, &error) != LMB_OK) {
        bench_fail(error.found);
    }
    lmb_mesh_destroy(mesh);
    free(items);
    free(first);
}

static void make_arrays(scene *s)
{
    const size_t all = (size_t)s->count * s->joints;
    s->played = allocate((size_t)s->count * CLIPS, sizeof(*s->played));
    s->begins = allocate((size_t)s->count * CLIPS, sizeof(double));
    s->times = allocate((size_t)s->count * CLIPS, sizeof(double));
    s->weights = allocate((size_t)s->count * CLIPS, sizeof(float));
    s->local = allocate(all, sizeof(lmb_transform));
    s->poses = allocate((size_t)CLIPS * s->joints, sizeof(lmb_transform));
    s->model = allocate(all, sizeof(lmb_mat4));
    s->joint_from_bind = allocate(s->joints, sizeof(lmb_mat4));
    s->palette = allocate(s->joints, sizeof(lmb_mat4));
    s->rows3 = allocate(all, sizeof(*s->rows3));
    s->rest = allocate(VERTICES, sizeof(lmb_vec3));
    s->skinned = allocate((size_t)VERTICES * s->count, sizeof(lmb_vec3));
    s->rows = allocate((size_t)VERTICES * ROW, sizeof(uint16_t));
    s->shares = allocate((size_t)VERTICES * (ROW - 1), sizeof(float));
}

static void make_scene(scene *s, char **files, int file_count)
{
    float rates[CLIPS];
    for (uint32_t k = 0; k < CLIPS; ++k) {
        s->characters[k] = file_count == CLIPS ? bench_read_character(files[k])
                                               : bench_make_character(67, 40 + 15 * k, 3 + k);
        s->clips[k] = s->characters[k]->clips[0];
        s->skeleton = s->characters[0]->skeleton;
        if (s->characters[k]->skeleton->joint_count != s->skeleton->joint_count ||
            lmb_packed_clip_create(s->skeleton, s->clips[k], NULL, NULL, &s->packed[k], NULL) !=
                LMB_OK) {
            bench_fail("three clips of one skeleton are wanted");
        }
        rates[k] = s->packed[k]->rate_hz;
    }
    s->joints = s->skeleton->joint_count;
    make_arrays(s);
    lmb_random random = lmb_random_seed(9);
    for (size_t i = 0; i < (size_t)s->count * CLIPS; ++i) {
        s->played[i] = s->packed[i % CLIPS];
        s->begins[i] = (double)lmb_random_unit(&random) * (double)s->played[i]->duration_s;
        s->weights[i] = lmb_random_range(&random, 0.1f, 1);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = s->skeleton, .model_from_joint = s->palette});
    for (uint32_t j = 0; j < s->joints; ++j) {
        lmb_mat4_inverse_affine(s->palette[j], &s->joint_from_bind[j]);
    }
    make_mesh(s);
    s->peer = peer_ozz_crowd_make != NULL
                  ? peer_ozz_crowd_make(s->skeleton, s->clips, rates, CLIPS, s->count)
                  : NULL;
}

// ----------------------------------------------------------------------------------------- players

static void set_times(scene *s, uint32_t frame)
{
    for (size_t i = 0; i < (size_t)s->count * CLIPS; ++i) {
        s->times[i] = lmb_time_in(s->begins[i] + frame / 60.0, (double)s->played[i]->duration_s,
                                  LMB_PLAY_LOOP);
    }
}

static void sample_alone(scene *s)
{
    for (uint32_t c = 0; c < s->count; ++c) {
        for (uint32_t k = 0; k < CLIPS; ++k) {
            lmb_packed_sample(&(lmb_packed_sample_job){.clip = s->packed[k],
                                                       .time_s = s->times[c * CLIPS + k],
                                                       .pose = s->poses + (size_t)k * s->joints});
        }
    }
}

static void step_by_step(scene *s)
{
    for (uint32_t c = 0; c < s->count; ++c) {
        lmb_blend_layer layers[CLIPS];
        for (uint32_t k = 0; k < CLIPS; ++k) {
            lmb_transform *pose = s->poses + (size_t)k * s->joints;
            lmb_packed_sample(&(lmb_packed_sample_job){
                .clip = s->packed[k], .time_s = s->times[c * CLIPS + k], .pose = pose});
            layers[k] = (lmb_blend_layer){pose, s->weights[c * CLIPS + k], NULL};
        }
        lmb_transform *local = s->local + (size_t)c * s->joints;
        lmb_blend(&(lmb_blend_job){.joint_count = s->joints,
                                   .layers = layers,
                                   .layer_count = CLIPS,
                                   .rest = s->skeleton->rest,
                                   .out = local});
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = s->skeleton,
                                     .local = local,
                                     .model_from_joint = s->model + (size_t)c * s->joints});
    }
}

static lmb_crowd_job job_of(const scene *s)
{
    return (lmb_crowd_job){.skeleton = s->skeleton,
                           .count = s->count,
                           .layer_count = CLIPS,
                           .clips = s->played,
                           .times_s = s->times,
                           .weights = s->weights};
}

static void crowd_into(scene *s, lmb_transform *local)
{
    lmb_crowd_job job = job_of(s);
    job.local = local;
    job.model_from_joint = s->model;
    lmb_crowd(&job);
}

static void crowd(scene *s)
{
    crowd_into(s, s->local);
}

static void crowd_matrices(scene *s)
{
    crowd_into(s, NULL);
}

static void crowd_in_pieces(scene *s, const lmb_mat4 *joint_from_bind, lmb_crowd_fn each)
{
    lmb_crowd_job job = job_of(s);
    job.joint_from_bind = joint_from_bind;
    job.each = each;
    job.context = s;
    lmb_crowd(&job);
}

/// Something of every pose, so that none is made for nothing.
static void look(void *context, const lmb_crowd_piece *piece)
{
    scene *s = context;
    for (uint32_t c = 0; c < piece->count; ++c) {
        s->seen += piece->model_from_joint[(size_t)(c + 1) * s->joints - 1].m[12];
    }
}

static void crowd_seen(scene *s)
{
    crowd_in_pieces(s, NULL, look);
}

/// The upper three rows, as a GPU takes them.
static void put_rows(void *context, const lmb_crowd_piece *piece)
{
    scene *s = context;
    const size_t first = (size_t)piece->first * s->joints, count = (size_t)piece->count * s->joints;
    for (size_t k = 0; k < count; ++k) {
        const float *m = piece->model_from_bind[k].m;
        const float rows[12] = {m[0], m[4],  m[8], m[12], m[1],  m[5],
                                m[9], m[13], m[2], m[6],  m[10], m[14]};
        memcpy(s->rows3[first + k], rows, sizeof(rows));
    }
}

static void crowd_palettes(scene *s)
{
    crowd_in_pieces(s, s->joint_from_bind, put_rows);
}

static void skin_piece(void *context, const lmb_crowd_piece *piece)
{
    scene *s = context;
    for (uint32_t c = 0; c < piece->count; ++c) {
        lmb_skin_linear(
            &(lmb_skin_job){.binding = s->binding,
                            .model_from_bind = piece->model_from_bind + (size_t)c * s->joints,
                            .out_positions = s->skinned + (size_t)(piece->first + c) * VERTICES});
    }
}

static void crowd_skinned(scene *s)
{
    crowd_in_pieces(s, s->joint_from_bind, skin_piece);
}

static void peer_to(scene *s, peer_stage last)
{
    for (uint32_t c = 0; c < s->count; ++c) {
        peer_ozz_crowd_step(s->peer, c, s->times + (size_t)c * CLIPS,
                            s->weights + (size_t)c * CLIPS, last, s->palette);
        if (last == PEER_PALETTE) {
            const peer_skin job = {
                .vertex_count = VERTICES,
                .influences = ROW,
                .joint_count = (int)s->joints,
                .palette = &s->palette->m[0],
                .joints = s->rows,
                .weights = s->shares,
                .positions = &s->rest->x,
                .out_positions = &s->skinned[(size_t)c * VERTICES].x,
            };
            peer_ozz_skin(&job);
        }
    }
}

static void peer_sample(scene *s)
{
    peer_to(s, PEER_SAMPLE);
}

static void peer_model(scene *s)
{
    peer_to(s, PEER_MODEL);
}

static void peer_skinned(scene *s)
{
    peer_to(s, PEER_PALETTE);
}

/// As many bytes as the skinned positions are.
static void copy_skinned(scene *s)
{
    const size_t half = (size_t)s->count * VERTICES / 2;
    memcpy(s->skinned, s->skinned + half, half * sizeof(lmb_vec3));
    memcpy(s->skinned + half, s->skinned, half * sizeof(lmb_vec3));
}

static void copy(scene *s)
{
    const size_t half = (size_t)s->count * s->joints / 2;
    memcpy(s->model, s->model + half, half * sizeof(lmb_mat4));
    memcpy(s->model + half, s->model, half * sizeof(lmb_mat4));
    memcpy(s->local, s->local + half, half * sizeof(lmb_transform));
    memcpy(s->local + half, s->local, half * sizeof(lmb_transform));
}

// ----------------------------------------------------------------------------------------- measure

typedef struct row {
    const char *name;
    void (*run)(scene *s);
    bool is_peers;
    double best_us; ///< a character
} row;

/// Rounds of all in turn, so that a slow moment of the machine strikes none alone.
static void measure(scene *s, row *rows, int count)
{
    for (int r = 0; r < count; ++r) {
        rows[r].best_us = 1e30;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int r = 0; r < count; ++r) {
            double took = 0;
            for (uint32_t frame = 0; frame < FRAMES && (!rows[r].is_peers || s->peer); ++frame) {
                set_times(s, (uint32_t)round * FRAMES + frame);
                const double begun = lmb_clock_s();
                rows[r].run(s);
                took += lmb_clock_s() - begun;
            }
            rows[r].best_us = fmin(rows[r].best_us, took * 1e6 / FRAMES / s->count);
        }
    }
}

static double farthest_from_peer(scene *s)
{
    double most = 0;
    set_times(s, 1);
    crowd(s);
    for (uint32_t c = 0; c < s->count && c < 64; ++c) {
        peer_ozz_crowd_step(s->peer, c, s->times + (size_t)c * CLIPS,
                            s->weights + (size_t)c * CLIPS, PEER_PALETTE, s->palette);
        for (uint32_t j = 0; j < s->joints; ++j) {
            const lmb_mat4 ours =
                lmb_mat4_mul(s->model[(size_t)c * s->joints + j], s->joint_from_bind[j]);
            for (int i = 0; i < 16; ++i) {
                most = fmax(most, fabs((double)ours.m[i] - (double)s->palette[j].m[i]));
            }
        }
    }
    return most;
}

static void report(uint32_t count, char **files, int file_count)
{
    scene s = {.count = count};
    make_scene(&s, files, file_count);
    row rows[] = {{"sample 3, alone", sample_alone, false, 0},
                  {"sample, blend, to model: three jobs", step_by_step, false, 0},
                  {"sample, blend, to model: lmb_crowd", crowd, false, 0},
                  {"sample, blend, to model: lmb_crowd, matrices alone", crowd_matrices, false, 0},
                  {"sample, blend, to model: lmb_crowd, piece by piece", crowd_seen, false, 0},
                  {"and palettes of three rows", crowd_palettes, false, 0},
                  {"and skin 3934 vertices", crowd_skinned, false, 0},
                  {"copy of the skinned vertices", copy_skinned, false, 0},
                  {"copy of what comes out", copy, false, 0},
                  {"ozz: sample 3, alone", peer_sample, true, 0},
                  {"ozz: sample, blend, to model", peer_model, true, 0},
                  {"ozz: and skin 3934 vertices", peer_skinned, true, 0}};
    const int row_count = (int)(sizeof(rows) / sizeof(rows[0]));
    measure(&s, rows, row_count);
    printf("    {\"characters\": %u, \"joints\": %u, \"clip_bytes\": [%.0f, %.0f, %.0f]", count,
           s.joints, (double)lmb_packed_clip_bytes(s.packed[0]),
           (double)lmb_packed_clip_bytes(s.packed[1]), (double)lmb_packed_clip_bytes(s.packed[2]));
    for (int r = 0; r < row_count; ++r) {
        if (!rows[r].is_peers || s.peer != NULL) {
            printf(",\n      \"%s\": {\"us\": %.3f, \"per_ms\": %.0f}", rows[r].name,
                   rows[r].best_us, 1e3 / rows[r].best_us);
        }
    }
    if (s.peer != NULL) {
        printf(
            ",\n      \"poses_of_ozz\": %.2f, \"pieces_of_ozz\": %.2f, \"skinned_of_ozz\": %.2f, "
            "\"farthest_from_ozz\": %.2g",
            rows[10].best_us / rows[3].best_us, rows[10].best_us / rows[4].best_us,
            rows[11].best_us / rows[6].best_us, farthest_from_peer(&s));
        peer_ozz_crowd_free(s.peer);
    }
    printf("}");
}

int main(int argc, char **argv)
{
    uint32_t counts[2] = {16, 1024};
    if (argc > 2 && strcmp(argv[1], "--count") == 0) {
        counts[0] = counts[1] = (uint32_t)strtoul(argv[2], NULL, 10);
        argv += 2;
        argc -= 2;
    }
    printf("{\"bench\": \"crowd\", \"build\": \"%s\", \"simd\": \"%s\", \"rows\": [\n", LMBI_BUILD,
           lmb_simd_name(lmb_simd_best()));
    for (int i = 0; i < 2 && (i == 0 || counts[1] != counts[0]); ++i) {
        fputs(i > 0 ? ",\n" : "", stdout);
        report(counts[i], argv + 1, argc - 1);
    }
    printf("\n]}\n");
    return 0;
}
