#include "cli/simulate/ground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/posed.h"
#include "cli/simulate/ground_heights.h"

// ----------------------------------------------------------------------------------------- meshes

/// Triangles collected from the instances of a ground file.
typedef struct triangles {
    lmb_vec3 *positions;
    uint32_t *indices;
    uint32_t vertex_count, index_count;
} triangles;

static void add_instance(const cli_posed *posed, uint32_t instance, triangles *t)
{
    const lmb_mesh *mesh = posed->character->meshes[posed->character->instances[instance].mesh];
    const lmb_deformed d = lmb_deformer_instance(posed->deformer, instance);
    const uint32_t first = t->vertex_count;
    t->positions = cli_resize(t->positions, (size_t)first + d.vertex_count + 1, sizeof(lmb_vec3));
    memcpy(t->positions + first, d.positions, d.vertex_count * sizeof(lmb_vec3));
    t->vertex_count += d.vertex_count;
    t->indices =
        cli_resize(t->indices, (size_t)t->index_count + mesh->index_count + 1, sizeof(uint32_t));
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *run = &mesh->primitives[p];
        for (uint32_t i = 0; run->topology == LMB_TRIANGLES && i < run->index_count; ++i) {
            t->indices[t->index_count++] = first + mesh->indices[run->first_index + i];
        }
    }
}

static cli_exit make_mesh(const cli_run *cli, const triangles *t, cli_ground *out)
{
    lmb_vec3 *normals = cli_resize(NULL, (size_t)t->vertex_count + 1, sizeof *normals);
    memset(normals, 0, t->vertex_count * sizeof *normals);
    for (uint32_t i = 0; i + 2 < t->index_count; i += 3) {
        const uint32_t *c = t->indices + i;
        const lmb_vec3 n = lmb_vec3_cross(lmb_vec3_sub(t->positions[c[1]], t->positions[c[0]]),
                                          lmb_vec3_sub(t->positions[c[2]], t->positions[c[0]]));
        for (int k = 0; k < 3; ++k) {
            normals[c[k]] = lmb_vec3_add(normals[c[k]], n);
        }
    }
    for (uint32_t v = 0; v < t->vertex_count; ++v) {
        normals[v] = lmb_vec3_normalize_or(normals[v], lmb_vec3_make(0, 1, 0));
    }
    lmb_primitive run = {.index_count = t->index_count,
                         .vertex_count = t->vertex_count,
                         .attributes = LMB_HAS_NORMALS,
                         .material = LMB_NONE};
    const lmb_mesh def = {.name = "ground",
                          .vertex_count = t->vertex_count,
                          .positions = t->positions,
                          .normals = normals,
                          .index_count = t->index_count,
                          .indices = t->indices,
                          .primitive_count = 1,
                          .primitives = &run};
    lmb_error error = {0};
    const lmb_result result = lmb_mesh_create(&def, NULL, &out->mesh, &error);
    free(normals);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "--ground", result, &error);
}

static cli_exit read_mesh(cli_run *cli, const char *path, cli_ground *out)
{
    lmb_character *character = NULL;
    cli_posed posed = {0};
    triangles t = {0};
    cli_exit code = cli_character_read(cli, path, NULL, NULL, &character);
    if (code == CLI_DONE) {
        code = cli_posed_start(&posed, cli, character);
    }
    if (code == CLI_DONE) {
        cli_posed_at(&posed, cli, NULL, 0);
        for (uint32_t i = 0; i < character->instance_count; ++i) {
            add_instance(&posed, i, &t);
        }
        cli_posed_end(&posed);
        code = t.index_count > 0
                   ? make_mesh(cli, &t, out)
                   : cli_fail(cli, CLI_INPUT, "%s: expected triangles, found none", path);
    }
    if (code == CLI_DONE) {
        const lmb_ground_mesh mesh = {out->mesh->positions, out->mesh->vertex_count,
                                      out->mesh->indices, out->mesh->index_count};
        lmb_error error = {0};
        const lmb_result result = lmb_ground_create(&mesh, NULL, NULL, &out->ground, &error);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, path, result, &error);
    }
    free(t.positions);
    free(t.indices);
    lmb_character_destroy(character);
    return code;
}

// ---------------------------------------------------------------------------------------- heights

/// The height field's triangles, positioned as the collision shape is.
static cli_exit mesh_of_heights(const cli_run *cli, const lmb_height_field *h, cli_ground *out)
{
    triangles t = {.vertex_count = h->columns * h->rows};
    t.positions = cli_resize(NULL, t.vertex_count, sizeof *t.positions);
    t.indices = cli_resize(NULL, 6 * (size_t)t.vertex_count, sizeof *t.indices);
    for (uint32_t v = 0; v < t.vertex_count; ++v) {
        const uint32_t i = v % h->columns, k = v / h->columns;
        const float y = isnan(h->heights[v]) ? 0 : h->heights[v];
        t.positions[v] = lmb_vec3_add(out->shape.offset, lmb_vec3_make((float)i * h->spacing[0], y,
                                                                       (float)k * h->spacing[1]));
        const uint32_t six[6] = {v, v + h->columns,     v + h->columns + 1,
                                 v, v + h->columns + 1, v + 1};
        for (int half = 0; half < 6 && i + 1 < h->columns && k + 1 < h->rows; half += 3) {
            const uint32_t *c = six + half;
            if (!isnan(h->heights[c[0]] + h->heights[c[1]] + h->heights[c[2]])) {
                memcpy(t.indices + t.index_count, c, 3 * sizeof *c);
                t.index_count += 3;
            }
        }
    }
    const cli_exit code = make_mesh(cli, &t, out);
    free(t.positions);
    free(t.indices);
    return code;
}

/// Centres the height field under the character, with its surface at the floor.
static cli_exit read_heights(cli_run *cli, const cli_ground_opts *opts, cli_ground *out)
{
    lmb_height_field *h = NULL;
    cli_exit code = cli_heights_read(cli, opts->ground, opts->size, &h);
    lmb_error error = {0};
    if (code == CLI_DONE) {
        const lmb_result result = lmb_ground_create(NULL, h, NULL, &out->ground, &error);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, opts->ground, result, &error);
    }
    if (code == CLI_DONE) {
        const lmb_vec3 half = {0.5f * (float)(h->columns - 1) * h->spacing[0], 1e30f,
                               0.5f * (float)(h->rows - 1) * h->spacing[1]};
        lmb_vec3 at, normal;
        const float under = lmb_ground_below(out->ground, half, &at, &normal) ? at.y : 0;
        out->shape.offset =
            lmb_vec3_make(opts->middle.x - half.x, opts->floor - under, opts->middle.z - half.z);
        code = mesh_of_heights(cli, h, out);
    }
    lmb_height_field_destroy(h);
    return code;
}

// --------------------------------------------------------------------------------------- the whole

cli_exit cli_ground_start(cli_run *cli, const cli_ground_opts *opts, cli_ground *out)
{
    *out = (cli_ground){.is_there = true,
                        .shape = {.kind = LMB_RIGID_PLANE,
                                  .body = LMB_NONE,
                                  .offset = {0, opts->floor, 0},
                                  .static_friction = 0.8f,
                                  .dynamic_friction = 0.65f}};
    if (opts->ground == NULL || strcmp(opts->ground, "none") == 0) {
        out->is_there = opts->ground == NULL;
        return CLI_DONE;
    }
    char *end = NULL;
    const double height = strtod(opts->ground, &end);
    if (end != opts->ground && *end == 0 && isfinite(height)) {
        out->shape.offset.y = (float)height;
        return CLI_DONE;
    }
    if (strchr(opts->ground, '.') == NULL) {
        return cli_fail(cli, CLI_USAGE, "--ground: expected a height, none or a file, found \"%s\"",
                        opts->ground);
    }
    out->shape.kind = LMB_RIGID_GROUND;
    out->shape.offset.y = 0;
    const cli_exit code = cli_heights_is(opts->ground) ? read_heights(cli, opts, out)
                                                       : read_mesh(cli, opts->ground, out);
    out->shape.ground = out->ground;
    return code;
}

void cli_ground_end(cli_ground *ground)
{
    lmb_ground_destroy(ground->ground);
    lmb_mesh_destroy(ground->mesh);
}

bool cli_ground_below(const cli_ground *ground, lmb_vec3 from, lmb_vec3 *at, lmb_vec3 *normal)
{
    const lmb_vec3 offset = ground->shape.offset;
    if (!ground->is_there || ground->ground == NULL) {
        *at = lmb_vec3_make(from.x, offset.y, from.z);
        *normal = lmb_vec3_make(0, 1, 0);
        return ground->is_there && from.y >= offset.y;
    }
    const bool found = lmb_ground_below(ground->ground, lmb_vec3_sub(from, offset), at, normal);
    *at = found ? lmb_vec3_add(*at, offset) : *at;
    return found;
}

/// A copy of an array of `count` elements with a zeroed one behind them; NULL for NULL. Free it with free.
static void *with_one_more(const void *array, uint32_t count, size_t size)
{
    if (array == NULL) {
        return NULL;
    }
    char *longer = cli_resize(NULL, (size_t)count + 1, size);
    memcpy(longer, array, count * size);
    memset(longer + count * size, 0, size);
    return longer;
}

/// The skeleton with one more root; NULL on failure.
static lmb_skeleton *with_root(const lmb_skeleton *old, lmb_error *error)
{
    const uint32_t n = old->joint_count;
    lmb_skeleton def = *old, *skeleton = NULL;
    def.joint_count = n + 1;
    def.names = with_one_more(old->names, n, sizeof *def.names);
    def.parents = with_one_more(old->parents, n, sizeof *def.parents);
    def.rest = with_one_more(old->rest, n, sizeof *def.rest);
    def.limits = with_one_more(old->limits, n, sizeof *def.limits);
    def.tips = with_one_more(old->tips, n, sizeof *def.tips);
    def.source_index = with_one_more(old->source_index, n, sizeof *def.source_index);
    def.carried = with_one_more(old->carried, n, sizeof *def.carried);
    def.names[n] = "ground";
    def.parents[n] = LMB_NONE;
    def.rest[n] = lmb_transform_identity();
    for (uint32_t j = 0; def.source_index != NULL && j < n; ++j) {
        if (def.source_index[j] >= def.source_index[n]) {
            def.source_index[n] = def.source_index[j] + 1;
        }
    }
    lmb_skeleton_create(&def, NULL, &skeleton, error);
    free(def.names);
    free(def.parents);
    free(def.rest);
    free(def.limits);
    free(def.tips);
    free(def.source_index);
    free(def.carried);
    return skeleton;
}

cli_exit cli_ground_keep(const cli_run *cli, const cli_ground *ground, lmb_character **character)
{
    if (ground->mesh == NULL) {
        return CLI_DONE;
    }
    lmb_character *old = *character, def = *old;
    lmb_error error = {0};
    lmb_mesh *mesh = NULL;
    lmb_result result = lmb_mesh_create(ground->mesh, NULL, &mesh, &error);
    def.skeleton = result == LMB_OK ? with_root(old->skeleton, &error) : NULL;
    def.meshes = cli_resize(NULL, (size_t)old->mesh_count + 1, sizeof *def.meshes);
    def.instances = cli_resize(NULL, (size_t)old->instance_count + 1, sizeof *def.instances);
    if (old->mesh_count > 0) {
        memcpy(def.meshes, old->meshes, old->mesh_count * sizeof *def.meshes);
    }
    if (old->instance_count > 0) {
        memcpy(def.instances, old->instances, old->instance_count * sizeof *def.instances);
    }
    def.meshes[def.mesh_count++] = mesh;
    def.instances[def.instance_count++] = (lmb_instance){
        .joint = old->skeleton->joint_count, .mesh = old->mesh_count, .skin = LMB_NONE};
    if (def.skeleton != NULL) {
        result = lmb_character_create(&def, NULL, character, &error);
    }
    free(def.meshes);
    free(def.instances);
    if (def.skeleton == NULL || result != LMB_OK) {
        lmb_mesh_destroy(mesh);
        lmb_skeleton_destroy(def.skeleton);
        return cli_fail_call(cli, "--keep-ground", result, &error);
    }
    lmb_skeleton_destroy(old->skeleton);
    lmb_character_release(old);
    return CLI_DONE;
}
