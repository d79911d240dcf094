// Bends and twists a tube by every deformer, prints what is left of its volume, and writes them
// side by side: bent above, twisted below; rigid, linear, dual quaternions, centres of rotation,
// direct delta mush from left to right.
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
    METHODS = 5,
    TUBES = 2 * METHODS
};

static const char *const names[METHODS] = {"rigid", "linear", "dual", "centers", "mush"};

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
    lmb_mush *mush;
} prepared;

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
                              .out_positions = out->positions,
                              .out_normals = out->normals};
    if (method == 0) {
        lmb_skin_rigid(&job);
    } else if (method == 1) {
        lmb_skin_linear(&job);
    } else if (method == 2) {
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = job, .rotations = rotations});
    } else if (method == 3) {
        lmb_skin_center(&(lmb_skin_center_job){
            .skin = job, .rotations = rotations, .centers = p->centers->positions});
    } else {
        lmb_skin_mush(&(lmb_skin_mush_job){.skin = job, .mush = p->mush});
    }
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
        rest[i].translation = lmb_vec3_make(2.6f * (float)(i % METHODS), i < METHODS ? 4.2f : 0, 0);
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
    prepared p = {0};
    tube *rest = calloc(1, sizeof(*rest)), *out = calloc(1, sizeof(*out));
    if (argc != 2 || rest == NULL || out == NULL) {
        fputs("usage: 11_deformers OUT.glb\n", stderr);
        return 2;
    }
    shape(rest);
    // Centres and delta mush look at the triangles once, here; a frame needs no memory.
    if (make_mesh(rest, true, &mesh) != LMB_OK ||
        lmb_binding_create(mesh, 2, NULL, &p.binding, &error) != LMB_OK ||
        lmb_centers_create(mesh, NULL, NULL, NULL, &p.centers, &error) != LMB_OK ||
        lmb_mush_create(mesh, NULL, NULL, NULL, &p.mush, &error) != LMB_OK) {
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
        deform(&p, i % METHODS, palette, out);
        printf("%-8s %-8s keeps %.4f of the volume\n", names[i % METHODS],
               bent ? "bent" : "twisted", volume(out) / volume(rest));
        if (make_mesh(out, false, &meshes[i]) != LMB_OK) {
            return 1;
        }
    }
    lmb_mush_destroy(p.mush);
    lmb_centers_destroy(p.centers);
    lmb_binding_destroy(p.binding);
    lmb_mesh_destroy(mesh);
    free(rest);
    free(out);
    return write_row(meshes, argv[1], &error) == LMB_OK ? 0 : 1;
}
