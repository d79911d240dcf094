// Linear blend skinning on one core: positions, with normals, with tangents; 1 to 8 influences;
// meshes from cache to memory;
// and the characters named on the command line. Then what dual quaternions and a palette of tiny
// entries cost beside it.
// All with equal bits on every machine, and, as "fast", with products and sums fused.
// In the same run a copy of as many bytes, and, where the build was told
// where ozz-animation is installed (-DLIMBER_OZZ=DIR), its job on the same data. JSON on stdout.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/ozz_skin.h"
#include "limber/io.h"
#include "limber/os.h"
#include "limber/skin.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD "unknown"
#endif

enum { JOINTS = 64, ROUNDS = 15, MOST = 8 };

static void *allocate(size_t count, size_t size)
{
    const size_t bytes = (count * size + 63) / 64 * 64 + 64;
    void *block = aligned_alloc(64, bytes);
    if (block == NULL) {
        fputs("skin_bench: out of memory\n", stderr);
        exit(1);
    }
    memset(block, 0, bytes);
    return block;
}

// ----------------------------------------------------------------------------------------- a mesh

/// Rows of influences of a made mesh: either neighbouring vertices share joints, as on a body (each
/// run of 200 vertices has its own set), or every vertex has joints of its own, which no body has.
static void fill_row(lmb_random *random, uint32_t v, uint32_t width, bool scattered,
                     lmb_influence *row)
{
    const uint32_t start = scattered ? lmb_random_u32(random) : v / 200;
    const uint32_t step = scattered ? 1 + 2 * (lmb_random_u32(random) % 3) : 5;
    float sum = 0;
    for (uint32_t k = 0; k < width; ++k) {
        row[k].joint = (start + step * k) % JOINTS;
        row[k].weight = lmb_random_range(random, 0.5f, 1.0f) / (float)(k + 1);
        sum += row[k].weight;
    }
    for (uint32_t k = 0; k < width; ++k) {
        row[k].weight /= sum;
    }
}

static lmb_mesh *make_mesh(uint32_t vertex_count, uint32_t width, bool scattered)
{
    lmb_random random = lmb_random_seed(1);
    lmb_vec3 *positions = allocate(vertex_count, sizeof(*positions)),
             *normals = allocate(vertex_count, sizeof(*normals));
    lmb_vec4 *tangents = allocate(vertex_count, sizeof(*tangents));
    uint32_t *first = allocate((size_t)vertex_count + 1, sizeof(*first));
    lmb_influence *items = allocate((size_t)vertex_count * width, sizeof(*items));
    for (uint32_t v = 0; v < vertex_count; ++v) {
        positions[v] = lmb_vec3_make(lmb_random_unit(&random), lmb_random_unit(&random),
                                     lmb_random_unit(&random));
        normals[v] = lmb_vec3_normalize_or(positions[v], lmb_vec3_make(0, 1, 0));
        const lmb_vec3 t = lmb_vec3_any_perpendicular(normals[v]);
        tangents[v] = (lmb_vec4){t.x, t.y, t.z, 1};
        fill_row(&random, v, width, scattered, items + (size_t)v * width);
        first[v + 1] = (v + 1) * width;
    }
    const lmb_mesh def = {.vertex_count = vertex_count,
                          .positions = positions,
                          .normals = normals,
                          .tangents = tangents,
                          .influences = {first, items}};
    lmb_mesh *mesh = NULL;
    if (lmb_mesh_create(&def, NULL, &mesh, NULL) != LMB_OK) {
        exit(1);
    }
    free(positions);
    free(normals);
    free(tangents);
    free(first);
    free(items);
    return mesh;
}

static lmb_mat4 *make_palette(uint32_t count)
{
    lmb_random random = lmb_random_seed(2);
    lmb_mat4 *palette = allocate(count, sizeof(*palette));
    for (uint32_t j = 0; j < count; ++j) {
        lmb_transform t = lmb_transform_identity();
        t.translation = lmb_vec3_make(lmb_random_unit(&random), lmb_random_unit(&random), 0);
        const lmb_vec3 axis = lmb_vec3_make(lmb_random_unit(&random), lmb_random_unit(&random), 1);
        t.rotation = lmb_quat_axis_angle(lmb_vec3_normalize_or(axis, axis),
                                         lmb_random_range(&random, -2, 2));
        palette[j] = lmb_mat4_from_transform(t);
    }
    return palette;
}

// --------------------------------------------------------------------------------------- the peer

/// The peer wants vertices sorted by how many influences they have, and a job for each number.
typedef struct peer {
    peer_skin jobs[MOST];
    int job_count;
} peer;

static uint32_t row_size(const lmb_mesh *mesh, uint32_t v)
{
    const uint32_t size = mesh->influences.first[v + 1] - mesh->influences.first[v];
    return size > MOST ? MOST : (size > 0 ? size : 1);
}

static void peer_add_vertex(peer_skin *job, const lmb_mesh *mesh, uint32_t v)
{
    const uint32_t first = mesh->influences.first[v], end = mesh->influences.first[v + 1];
    uint16_t *joints = (uint16_t *)(uintptr_t)job->joints + job->vertex_count * job->influences;
    float *weights = (float *)(uintptr_t)job->weights + job->vertex_count * (job->influences - 1);
    for (int k = 0; k < job->influences && first + (uint32_t)k < end; ++k) {
        joints[k] = (uint16_t)mesh->influences.items[first + (uint32_t)k].joint;
        if (k < job->influences - 1) {
            weights[k] = mesh->influences.items[first + (uint32_t)k].weight;
        }
    }
    const size_t at = 3 * (size_t)job->vertex_count++;
    memcpy((float *)(uintptr_t)job->positions + at, &mesh->positions[v], sizeof(lmb_vec3));
    if (mesh->normals != NULL) {
        memcpy((float *)(uintptr_t)job->normals + at, &mesh->normals[v], sizeof(lmb_vec3));
    }
    if (mesh->tangents != NULL) {
        memcpy((float *)(uintptr_t)job->tangents + at, &mesh->tangents[v], sizeof(lmb_vec3));
    }
}

static peer peer_create(const lmb_mesh *mesh, const lmb_mat4 *palette, uint32_t joint_count)
{
    peer p = {.job_count = 0};
    for (uint32_t width = 1; width <= MOST; ++width) {
        size_t count = 0;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            count += row_size(mesh, v) == width;
        }
        if (count == 0) {
            continue;
        }
        peer_skin *job = &p.jobs[p.job_count++];
        *job = (peer_skin){.influences = (int)width,
                           .joint_count = (int)joint_count,
                           .palette = palette[0].m,
                           .joints = allocate(count * width, sizeof(uint16_t)),
                           .weights = allocate(count * width, sizeof(float)),
                           .positions = allocate(count, sizeof(lmb_vec3)),
                           .normals = allocate(count, sizeof(lmb_vec3)),
                           .tangents = allocate(count, sizeof(lmb_vec3)),
                           .out_positions = allocate(count, sizeof(lmb_vec3)),
                           .out_normals = allocate(count, sizeof(lmb_vec3)),
                           .out_tangents = allocate(count, sizeof(lmb_vec3))};
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            if (row_size(mesh, v) == width) {
                peer_add_vertex(job, mesh, v);
            }
        }
    }
    return p;
}

static void peer_destroy(peer *p)
{
    for (int i = 0; i < p->job_count; ++i) {
        const peer_skin *job = &p->jobs[i];
        const void *const blocks[] = {job->joints,      job->weights,     job->positions,
                                      job->normals,     job->tangents,    job->out_positions,
                                      job->out_normals, job->out_tangents};
        for (int k = 0; k < 8; ++k) {
            free((void *)(uintptr_t)blocks[k]);
        }
    }
}

static void peer_run(const peer *p, int attributes)
{
    for (int i = 0; i < p->job_count; ++i) {
        peer_skin job = p->jobs[i];
        job.normals = attributes > 1 ? job.normals : NULL;
        job.tangents = attributes > 2 ? job.tangents : NULL;
        if (!peer_ozz_skin(&job)) {
            fputs("skin_bench: the peer refused a job\n", stderr);
            exit(1);
        }
    }
}

// -------------------------------------------------------------------------------------- measuring

typedef struct scene {
    const lmb_mesh *mesh;
    lmb_binding *binding;
    lmb_mat4 *palette;
    lmb_vec3 *positions, *normals;
    lmb_vec4 *tangents;
    peer peer;
    uint8_t *from, *to;
    int attributes; ///< 1 positions, 2 and normals, 3 and tangents
    double mean_width, compile_s;
    lmb_simd simd;
    lmb_mat4 *tiny;      ///< a palette full of entries that would give denormals
    lmb_quat *rotations; ///< of the palette
} scene;

static void scene_start(scene *s, const lmb_mesh *mesh, uint32_t joint_count)
{
    const uint32_t n = mesh->vertex_count;
    *s = (scene){.mesh = mesh, .palette = make_palette(joint_count)};
    const double begun = lmb_clock_s();
    if (lmb_binding_create(mesh, joint_count, NULL, &s->binding, NULL) != LMB_OK) {
        exit(1);
    }
    s->compile_s = lmb_clock_s() - begun;
    s->tiny = make_palette(joint_count);
    s->rotations = allocate(joint_count, sizeof(*s->rotations));
    for (uint32_t j = 0; j < joint_count; ++j) {
        lmb_transform t;
        lmb_mat4_decompose(s->palette[j], &t);
        s->rotations[j] = t.rotation;
        for (int e = 0; e < 15; ++e) {
            s->tiny[j].m[e] = e % 4 == 3 ? 0 : s->tiny[j].m[e] * 1e-39f;
        }
    }
    s->positions = allocate(n, sizeof(lmb_vec3));
    s->normals = allocate(n, sizeof(lmb_vec3));
    s->tangents = allocate(n, sizeof(lmb_vec4));
    s->from = allocate(n, 128);
    s->to = allocate(n, 128);
    for (uint32_t v = 0; v < n; ++v) {
        s->mean_width += (double)row_size(mesh, v) / n;
    }
    if (peer_ozz_skin) {
        s->peer = peer_create(mesh, s->palette, joint_count);
    }
}

static void scene_end(scene *s)
{
    lmb_binding_destroy(s->binding);
    free(s->palette);
    free(s->tiny);
    free(s->rotations);
    free(s->positions);
    free(s->normals);
    free(s->tangents);
    free(s->from);
    free(s->to);
    peer_destroy(&s->peer);
}

/// Bytes that a call reads and writes: the mesh at rest, a weight less than there are influences, 2
/// for where the vertex goes, the outputs. Tangents have 16 bytes, the rest 12.
static double bytes_per_vertex(const scene *s)
{
    const int rest = s->attributes == 1 ? 12 : (s->attributes == 2 ? 24 : 40);
    // large meshes keep the weights of up to four joints in 16 bits
    const int weight = s->mesh->vertex_count >= 65536 && s->mean_width <= 4 ? 2 : 4;
    return 2 * rest + weight * (s->mean_width - 1) + 2;
}

static lmb_skin_job job_of(const scene *s, const lmb_mat4 *palette)
{
    return (lmb_skin_job){
        .binding = s->binding,
        .model_from_bind = palette,
        .out_positions = s->positions,
        .out_normals = s->attributes > 1 ? s->normals : NULL,
        .out_tangents = s->attributes > 2 ? s->tangents : NULL,
        .simd = s->simd,
    };
}

static void run_ours(const scene *s)
{
    const lmb_skin_job job = job_of(s, s->palette);
    lmb_skin_linear(&job);
}

static void run_tiny(const scene *s)
{
    const lmb_skin_job job = job_of(s, s->tiny);
    lmb_skin_linear(&job);
}

static void run_dual(const scene *s)
{
    lmb_skin_dual(&(lmb_skin_dual_job){.skin = job_of(s, s->palette), .rotations = s->rotations});
}

static void run_fast(const scene *s)
{
    lmb_skin_job job = job_of(s, s->palette);
    job.simd = LMB_SIMD_FAST;
    lmb_skin_linear(&job);
}

static void run_peer(const scene *s)
{
    peer_run(&s->peer, s->attributes);
}

static void run_copy(const scene *s)
{
    memcpy(s->to, s->from, (size_t)(s->mesh->vertex_count * bytes_per_vertex(s) / 2));
    s->from[s->to[7] & 7] ^= 1;
}

static double time_calls(const scene *s, void (*run)(const scene *), int calls)
{
    const double begun = lmb_clock_s();
    for (int i = 0; i < calls; ++i) {
        run(s);
    }
    return (lmb_clock_s() - begun) / calls;
}

enum { OURS, COPY, FAST, PEER, RUNS };

static void print_row(const scene *s, const char *name, const char *order, const double *best)
{
    static const char *const what[] = {"", "positions", "normals too", "tangents too"};
    static bool is_next = false;
    const double n = s->mesh->vertex_count;
    printf("%s    {\"mesh\": \"%s\", \"order\": \"%s\", \"vertices\": %u, \"influences\": %.2f, "
           "\"outputs\": \"%s\", "
           "\"simd\": \"%s\", \"ns_per_vertex\": %.3f, \"bytes_per_vertex\": %.1f, "
           "\"share_of_copy\": %.2f, \"fast_ns_per_vertex\": %.3f, \"fast_share_of_copy\": %.2f",
           is_next ? ",\n" : "", name, order, s->mesh->vertex_count, s->mean_width,
           what[s->attributes], lmb_simd_name(s->simd == LMB_SIMD_BEST ? lmb_simd_best() : s->simd),
           best[OURS] / n * 1e9, bytes_per_vertex(s), best[COPY] / best[OURS], best[FAST] / n * 1e9,
           best[COPY] / best[FAST]);
    if (peer_ozz_skin) {
        printf(", \"ozz_ns_per_vertex\": %.3f, \"times_faster_than_ozz\": %.2f, "
               "\"fast_times_faster_than_ozz\": %.2f",
               best[PEER] / n * 1e9, best[PEER] / best[OURS], best[PEER] / best[FAST]);
    }
    printf("}");
    is_next = true;
}

/// The mesh as it came, and in the order of lmb_skin_order: the least of several rounds each, taken
/// in turn so that a noisy moment strikes all. The peer gets both, and its better time counts.
static void measure(scene scenes[2], const char *name, int attributes)
{
    static const char *const orders[] = {"as it came", "of the skin"};
    void (*const runs[RUNS])(const scene *) = {run_ours, run_copy, run_fast, run_peer};
    double best[2][RUNS];
    const int calls = (int)(400000 / scenes[0].mesh->vertex_count) + 1;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < 2 * (peer_ozz_skin ? RUNS : RUNS - 1); ++i) {
            scene *s = &scenes[i % 2];
            s->attributes = attributes;
            const double time = time_calls(s, runs[i / 2], calls);
            double *least = &best[i % 2][i / 2];
            *least = round == 0 ? time : fmin(*least, time);
        }
    }
    for (int k = COPY; k <= PEER; k += PEER - COPY) {
        best[0][k] = best[1][k] = peer_ozz_skin || k == COPY ? fmin(best[0][k], best[1][k]) : 0;
    }
    for (int k = 0; k < 2; ++k) {
        print_row(&scenes[k], name, orders[k], best[k]);
    }
}

/// What other work costs in units of linear blending of four influences.
static void measure_others(uint32_t vertex_count, int attributes)
{
    scene s;
    lmb_mesh *mesh = make_mesh(vertex_count, 4, false);
    scene_start(&s, mesh, JOINTS);
    s.attributes = attributes;
    double best[3] = {1e9, 1e9, 1e9};
    const int calls = (int)(400000 / vertex_count) + 1;
    void (*const runs[3])(const scene *) = {run_ours, run_dual, run_tiny};
    for (int round = 0; round < ROUNDS; ++round) {
        for (int k = 0; k < 3; ++k) {
            best[k] = fmin(best[k], time_calls(&s, runs[k], calls));
        }
    }
    printf(",\n    {\"vertices\": %u, \"outputs\": \"%s\", \"dual_over_linear\": %.2f, "
           "\"tiny_palette_over_normal\": %.2f, \"compile_ns_per_vertex\": %.1f}",
           vertex_count, attributes == 1 ? "positions" : "normals too", best[1] / best[0],
           best[2] / best[0], s.compile_s / vertex_count * 1e9);
    scene_end(&s);
    lmb_mesh_destroy(mesh);
}

static lmb_mesh *order_mesh(const lmb_mesh *mesh)
{
    uint32_t *order = allocate(mesh->vertex_count, sizeof(*order));
    lmb_mesh *ordered = NULL;
    if (lmb_skin_order(mesh, NULL, order, NULL) != LMB_OK ||
        lmb_mesh_reorder(mesh, order, NULL, &ordered, NULL) != LMB_OK) {
        exit(1);
    }
    free(order);
    return ordered;
}

static void measure_all(const lmb_mesh *mesh, uint32_t joint_count, const char *name)
{
    scene scenes[2];
    lmb_mesh *ordered = order_mesh(mesh);
    scene_start(&scenes[0], mesh, joint_count);
    scene_start(&scenes[1], ordered, joint_count);
    for (int attributes = 1; attributes <= 3; ++attributes) {
        const bool has_it = attributes == 1 || (mesh->normals != NULL && attributes == 2) ||
                            (mesh->normals != NULL && mesh->tangents != NULL);
        if (has_it) {
            measure(scenes, name, attributes);
        }
    }
    scene_end(&scenes[0]);
    scene_end(&scenes[1]);
    lmb_mesh_destroy(ordered);
}

/// The skinned meshes of a glTF file.
static void measure_file(const char *path)
{
    lmb_file file = {0};
    lmb_error error;
    lmb_character *c = NULL;
    if (lmb_file_read(path, 0, &file, &error) != LMB_OK ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &c, &error) != LMB_OK) {
        fprintf(stderr, "skin_bench: %s: cannot be read\n", path);
        exit(1);
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        if (c->instances[i].skin != LMB_NONE && mesh->influences.first != NULL &&
            mesh->vertex_count >= 500) {
            measure_all(mesh, c->skins[c->instances[i].skin]->joint_count, name);
        }
    }
    lmb_character_destroy(c);
    lmb_file_free(&file);
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[] = {4000, 100000, 1000000};
    static const uint32_t widths[] = {1, 2, 3, 4, 8};
    printf("{\n  \"bench\": \"skin\", \"build\": \"%s\", \"simd\": \"%s\", \"cores_used\": 1,\n  "
           "\"runs\": [\n",
           LMBI_BUILD, lmb_simd_name(lmb_simd_best()));
    for (size_t i = 0; argc == 1 && i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        for (size_t k = 0; k < sizeof(widths) / sizeof(widths[0]); ++k) {
            lmb_mesh *mesh = make_mesh(sizes[i], widths[k], false);
            measure_all(mesh, JOINTS, "made");
            lmb_mesh_destroy(mesh);
        }
    }
    if (argc == 1) {
        lmb_mesh *mesh = make_mesh(100000, 4, true);
        measure_all(mesh, JOINTS, "scattered");
        lmb_mesh_destroy(mesh);
        for (int attributes = 1; attributes <= 2; ++attributes) {
            measure_others(4000, attributes);
            measure_others(100000, attributes);
        }
        measure_others(1000000, 1);
    }
    for (int i = 1; i < argc; ++i) {
        measure_file(argv[i]);
    }
    puts("\n  ]\n}");
    return 0;
}
