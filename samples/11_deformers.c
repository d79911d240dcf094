// Bends and twists a tube by every deformer, prints what is left of its volume, and writes them
// side by side, bent above, twisted below. From left to right: rigid, linear, dual quaternions, the
// same with their bulge taken back, centres of rotation, direct delta mush v0, v2, v4 and v5, delta
// mush.
//     build/samples/11_deformers deformers.glb
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "limber/os.h"

enum {
    RINGS = 61,
    SIDES = 32,
    SIDE = RINGS * SIDES,
    VERTICES = SIDE + 2,
    TRIANGLES = 2 * RINGS * SIDES,
};

enum {
    RIGID,
    LINEAR,
    DUAL,
    FIXED,
    CENTERS,
    MUSH,
    MUSH_2,
    MUSH_4,
    MUSH_5,
    DELTA,
    METHODS,
    TUBES = 2 * METHODS
};
static const char *const names[METHODS] = {"rigid", "linear", "dual",  "fixed", "centers",
                                           "mush",  "mush2",  "mush4", "mush5", "delta"};
static const lmb_mush_variant variants[METHODS] = {
    [MUSH] = LMB_MUSH_V0, [MUSH_2] = LMB_MUSH_V2, [MUSH_4] = LMB_MUSH_V4, [MUSH_5] = LMB_MUSH_V5};

typedef struct tube {
    lmb_vec3 positions[VERTICES], normals[VERTICES];
    uint32_t indices[3 * TRIANGLES], first[VERTICES + 1];
    lmb_influence items[2 * VERTICES];
} tube;

/// Upright, four metres long, a metre thick, closed by a vertex at both ends; the upper joint, at y
/// = 0, takes over from the lower between y = -1/2 and 1/2.
static void shape(tube *t)
{
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const bool end = v >= SIDE;
        const float y =
            end ? (v == SIDE ? -2.0f : 2.0f) : -2 + 4 * (float)(v / SIDES) / (RINGS - 1);
        const float turn = 2 * LMB_PI * (float)(v % SIDES) / SIDES, x = lmb_sin(turn),
                    z = lmb_cos(turn);
        const float upper = y <= -0.5f ? 0 : (y >= 0.5f ? 1 : y + 0.5f);
        const uint32_t strong = upper > 0.5f; // rows are sorted by falling weight
        t->positions[v] = end ? lmb_vec3_make(0, y, 0) : lmb_vec3_make(0.5f * x, y, 0.5f * z);
        t->normals[v] = end ? lmb_vec3_make(0, y / 2, 0) : lmb_vec3_make(x, 0, z);
        t->items[2 * v] = (lmb_influence){strong, strong ? upper : 1 - upper};
        t->items[2 * v + 1] = (lmb_influence){1 - strong, strong ? 1 - upper : upper};
        t->first[v + 1] = 2 * v + 2;
    }
    for (uint32_t ring = 0, at = 0; ring <= RINGS; ++ring) {
        // below the first ring and above the last there are the ends
        for (uint32_t k = 0; k < SIDES; ++k) {
            const uint32_t next = (k + 1) % SIDES;
            const uint32_t a = ring > 0 ? (ring - 1) * SIDES + k : SIDE,
                           b = ring > 0 ? (ring - 1) * SIDES + next : SIDE;
            const uint32_t c = ring < RINGS ? ring * SIDES + next : SIDE + 1,
                           d = ring < RINGS ? ring * SIDES + k : SIDE + 1;
            const uint32_t corners[] = {a, b, c, a, c, d};
            for (int i = ring == 0 ? 3 : 0; i < (ring == RINGS ? 3 : 6); ++i) {
                t->indices[at++] = corners[i];
            }
        }
    }
}

static lmb_result make_mesh(tube *t, bool skinned, lmb_mesh **out)
{
    lmb_primitive primitive = {.index_count = 3 * TRIANGLES,
                               .vertex_count = VERTICES,
                               .attributes = LMB_HAS_NORMALS,
                               .material = LMB_NONE};
    lmb_mesh def = {.name = "tube",
                    .vertex_count = VERTICES,
                    .positions = t->positions,
                    .normals = t->normals,
                    .index_count = 3 * TRIANGLES,
                    .indices = t->indices,
                    .primitive_count = 1,
                    .primitives = &primitive};
    if (skinned) {
        primitive.attributes |= LMB_HAS_INFLUENCES;
        def.influences = (lmb_influences){t->first, t->items};
    }
    return lmb_mesh_create(&def, NULL, out, NULL);
}

static double volume(const tube *t)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * TRIANGLES; i += 3) {
        const lmb_vec3 *p = t->positions;
        const uint32_t *c = t->indices + i;
        sum += (double)lmb_vec3_dot(p[c[0]], lmb_vec3_cross(p[c[1]], p[c[2]])) / 6;
    }
    return sum;
}

/// What the deformers know of the mesh at rest, found once.
typedef struct prepared {
    lmb_binding *binding;
    lmb_centers *centers;
    lmb_mush *mush[METHODS]; ///< of the methods that are variants of it
    lmb_delta_mush *delta;
    void *scratch;
    const lmb_mesh *mesh;
    lmb_vec3 pivots[VERTICES]; ///< on the bones, for taking the bulge back
} prepared;

/// Centres and delta mush look at the triangles once, here; a frame needs no memory.
static lmb_result prepare(prepared *p, const lmb_mesh *mesh, lmb_error *error)
{
    p->mesh = mesh;
    lmb_result result = lmb_binding_create(mesh, 2, NULL, &p->binding, error);
    if (result == LMB_OK) {
        result = lmb_centers_create(mesh, NULL, NULL, NULL, &p->centers, error);
    }
    for (int m = MUSH; m <= MUSH_5 && result == LMB_OK; ++m) {
        const lmb_mush_opts opts = {.variant = variants[m]};
        result = lmb_mush_create(mesh, &opts, NULL, NULL, &p->mush[m], error);
    }
    if (result == LMB_OK) {
        result = lmb_delta_mush_create(mesh, NULL, NULL, &p->delta, error);
    }
    // The bones are the tube's axis here; lmb_skin_pivots finds them on a character's.
    for (uint32_t v = 0; v < VERTICES; ++v) {
        p->pivots[v] = lmb_vec3_make(0, mesh->positions[v].y, 0);
    }
    p->scratch = p->delta != NULL ? malloc(lmb_delta_mush_scratch_size(p->delta)) : NULL;
    return result == LMB_OK && p->scratch == NULL ? LMB_ERROR_MEMORY : result;
}

static void finish(prepared *p)
{
    for (int m = 0; m < METHODS; ++m) {
        lmb_mush_destroy(p->mush[m]);
    }
    lmb_delta_mush_destroy(p->delta);
    lmb_centers_destroy(p->centers);
    lmb_binding_destroy(p->binding);
    free(p->scratch);
    free(p);
}

static void deform_by(const prepared *p, int method, const lmb_skin_job *job,
                      const lmb_quat rotations[2])
{
    switch (method) {
    case RIGID:
        lmb_skin_rigid(job);
        break;
    case DUAL:
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = *job, .rotations = rotations});
        break;
    case FIXED:
        lmb_skin_dual(&(lmb_skin_dual_job){
            .skin = *job, .rotations = rotations, .pivots = p->pivots, .bulge_fix = 1});
        break;
    case CENTERS:
        lmb_skin_center(&(lmb_skin_center_job){
            .skin = *job, .rotations = rotations, .centers = p->centers->positions});
        break;
    case LINEAR:
    case DELTA:
        lmb_skin_linear(job);
        break;
    default:
        lmb_skin_mush(
            &(lmb_skin_mush_job){.skin = *job, .mush = p->mush[method], .rotations = rotations});
        break;
    }
    if (method == DELTA) {
        lmb_skin_delta_mush(&(lmb_skin_delta_job){.mush = p->delta,
                                                  .positions = job->out_positions,
                                                  .out_normals = job->out_normals,
                                                  .scratch = p->scratch});
    }
}

static void deform(const prepared *p, int method, const lmb_mat4 palette[2], tube *out)
{
    lmb_mat4 rigid[2], stretch[2]; // a palette that stretches would be blended linearly first
    lmb_quat rotations[2];
    lmb_skin_split(&(lmb_skin_split_job){.joint_count = 2,
                                         .model_from_bind = palette,
                                         .rigid = rigid,
                                         .rotations = rotations,
                                         .stretch = stretch});
    const lmb_skin_job job = {.binding = p->binding,
                              .model_from_bind = rigid,
                              .positions = p->mesh->positions,
                              .normals = p->mesh->normals,
                              .out_positions = out->positions,
                              .out_normals = out->normals};
    deform_by(p, method, &job, rotations);
}

static lmb_result write_row(lmb_mesh **meshes, const char *path, lmb_error *error)
{
    int32_t parents[TUBES];
    const char *joint_names[TUBES];
    lmb_transform rest[TUBES];
    lmb_instance instances[TUBES];
    for (uint32_t i = 0; i < TUBES; ++i) {
        parents[i] = LMB_NONE;
        joint_names[i] = names[i % METHODS];
        rest[i] = lmb_transform_identity();
        rest[i].translation = lmb_vec3_make(2.9f * (float)(i % METHODS), i < METHODS ? 4.2f : 0, 0);
        instances[i] = (lmb_instance){.joint = i, .mesh = i, .skin = LMB_NONE};
    }
    const lmb_skeleton skeleton = {
        .joint_count = TUBES, .parents = parents, .names = joint_names, .rest = rest};
    lmb_character def = {
        .mesh_count = TUBES, .meshes = meshes, .instance_count = TUBES, .instances = instances};
    lmb_character *character = NULL;
    lmb_buffer glb = {0};
    lmb_result result = lmb_skeleton_create(&skeleton, NULL, &def.skeleton, error);
    result = result == LMB_OK ? lmb_character_create(&def, NULL, &character, error) : result;
    result = result == LMB_OK ? lmb_gltf_write(character, NULL, NULL, &glb, error) : result;
    result = result == LMB_OK ? lmb_file_write(path, glb.data, glb.size, error) : result;
    lmb_buffer_free(&glb);
    lmb_character_destroy(character);
    return result;
}

int main(int argc, char **argv)
{
    lmb_error error = {0};
    lmb_mesh *mesh = NULL, *meshes[TUBES] = {0};
    prepared *p = calloc(1, sizeof(*p));
    tube *rest = calloc(1, sizeof(*rest)), *out = calloc(1, sizeof(*out));
    if (argc != 2 || rest == NULL || out == NULL || p == NULL) {
        fputs("usage: 11_deformers OUT.glb\n", stderr);
        return 2;
    }
    shape(rest);
    if (make_mesh(rest, true, &mesh) != LMB_OK || prepare(p, mesh, &error) != LMB_OK) {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
        return 1;
    }
    for (int i = 0; i < TUBES; ++i) {
        const bool bent = i < METHODS;
        lmb_transform turn = lmb_transform_identity();
        turn.rotation = lmb_quat_axis_angle(bent ? lmb_vec3_make(0, 0, 1) : lmb_vec3_make(0, 1, 0),
                                            bent ? -1.9f : 3.0f);
        const lmb_mat4 palette[] = {lmb_mat4_identity(), lmb_mat4_from_transform(turn)};
        *out = *rest;
        deform(p, i % METHODS, palette, out);
        printf("%-8s %-8s keeps %.4f of the volume\n", names[i % METHODS],
               bent ? "bent" : "twisted", volume(out) / volume(rest));
        if (make_mesh(out, false, &meshes[i]) != LMB_OK) {
            return 1;
        }
    }
    finish(p);
    lmb_mesh_destroy(mesh);
    free(rest);
    free(out);
    return write_row(meshes, argv[1], &error) == LMB_OK ? 0 : 1;
}
