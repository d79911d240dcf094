#include "cli/learn/learn.h"

#include "cli/still.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------- one file

/// A file's mesh as the file numbers it: the positions of all instances, one after another.
typedef struct numbering {
    uint32_t count, vertex_count;
    uint32_t *position_of; ///< [vertex_count] for each vertex of each instance
    uint32_t index_count;
    uint32_t *indices; ///< triangles, of positions
} numbering;

static uint32_t position_count(const lmb_mesh *mesh)
{
    uint32_t count = mesh->source_position ? 0 : mesh->vertex_count;
    for (uint32_t v = 0; mesh->source_position && v < mesh->vertex_count; ++v) {
        count = mesh->source_position[v] >= count ? mesh->source_position[v] + 1 : count;
    }
    return count;
}

static const lmb_mesh *mesh_of(const lmb_character *character, uint32_t instance)
{
    return character->meshes[character->instances[instance].mesh];
}

static void number_instance(const lmb_mesh *mesh, numbering *n)
{
    const uint32_t first = n->vertex_count;
    n->position_of =
        cli_resize(n->position_of, (size_t)first + mesh->vertex_count, sizeof *n->position_of);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        n->position_of[first + v] =
            n->count + (mesh->source_position ? mesh->source_position[v] : v);
    }
    n->indices =
        cli_resize(n->indices, (size_t)n->index_count + mesh->index_count, sizeof *n->indices);
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *part = &mesh->primitives[p];
        for (uint32_t k = 0; part->topology == LMB_TRIANGLES && k < part->index_count; ++k) {
            n->indices[n->index_count++] =
                n->position_of[first + mesh->indices[part->first_index + k]];
        }
    }
    n->vertex_count += mesh->vertex_count;
    n->count += position_count(mesh);
}

static numbering number(const lmb_character *character)
{
    numbering n = {0};
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        number_instance(mesh_of(character, i), &n);
    }
    return n;
}

static void number_end(numbering *n)
{
    free(n->position_of);
    free(n->indices);
}

// ------------------------------------------------------------------------------------- many files

typedef struct reader {
    cli_run *cli;
    const cli_shapes_opts *opts;
    cli_shapes *out;
    uint32_t file; ///< input that is being read
    numbering rest;
    uint32_t *used; ///< [rest.count] vertex of a position plus 1, 0 for one that no vertex has
    /// [viewed_count] the same for the vertices as a viewer shows them, and as `bake` writes them:
    /// those of each primitive after those of the primitive before, also where they have some in common
    uint32_t *viewed, viewed_count;
} reader;

/// Vertices plus 1 of the positions of a file that has so many; NULL where it fits REST in neither
/// order.
static const uint32_t *map_of(const reader *r, uint32_t count)
{
    return count == r->rest.count ? r->used : count == r->viewed_count ? r->viewed : NULL;
}

static lmb_vec3 *gather(const reader *r, const cli_posed *posed, const numbering *n)
{
    const uint32_t *map = map_of(r, n->count);
    lmb_vec3 *shape = cli_resize(NULL, r->out->vertex_count, sizeof *shape);
    uint32_t at = 0;
    for (uint32_t i = 0; i < posed->character->instance_count; ++i) {
        const lmb_deformed d = lmb_deformer_instance(posed->deformer, i);
        for (uint32_t v = 0; v < d.vertex_count; ++v, ++at) {
            shape[map[n->position_of[at]] - 1] = d.positions[v];
        }
    }
    return shape;
}

/// Positions that no triangle's vertex has are left out.
static void take_numbering(reader *r)
{
    cli_shapes *out = r->out;
    const numbering *n = &r->rest;
    r->used = cli_resize(NULL, n->count, sizeof *r->used);
    memset(r->used, 0, n->count * sizeof *r->used);
    for (uint32_t v = 0; v < n->vertex_count; ++v) {
        r->used[n->position_of[v]] = 1;
    }
    for (uint32_t k = 0; k < n->count; ++k) {
        r->used[k] = r->used[k] ? ++out->vertex_count : 0;
    }
    out->vertex_of = cli_resize(NULL, n->vertex_count, sizeof *out->vertex_of);
    out->indices = cli_resize(NULL, n->index_count, sizeof *out->indices);
    out->index_count = n->index_count;
    for (uint32_t v = 0; v < n->vertex_count; ++v) {
        out->vertex_of[v] = r->used[n->position_of[v]] - 1;
    }
    for (uint32_t k = 0; k < n->index_count; ++k) {
        out->indices[k] = r->used[n->indices[k]] - 1;
    }
}

static void add_viewed(reader *r, const lmb_mesh *mesh, uint32_t first)
{
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *part = &mesh->primitives[p];
        r->viewed =
            cli_resize(r->viewed, (size_t)r->viewed_count + part->vertex_count, sizeof *r->viewed);
        for (uint32_t v = 0; v < part->vertex_count; ++v) {
            r->viewed[r->viewed_count++] = r->out->vertex_of[first + part->first_vertex + v] + 1;
        }
    }
}

static cli_exit take_rest(reader *r, cli_posed *posed, const char *path)
{
    lmb_error error = {0};
    r->rest = number(posed->character);
    if (r->rest.index_count == 0) {
        return cli_fail(r->cli, CLI_INPUT, "%s: expected a mesh with triangles, found none", path);
    }
    take_numbering(r);
    for (uint32_t i = 0, first = 0; i < posed->character->instance_count; ++i) {
        add_viewed(r, mesh_of(posed->character, i), first);
        first += mesh_of(posed->character, i)->vertex_count;
    }
    if (r->opts->bound) {
        const cli_exit code = cli_posed_as_bound(posed, r->cli);
        if (code != CLI_DONE) {
            return code;
        }
    } else {
        cli_posed_at(posed, r->cli, NULL, 0);
    }
    r->out->rest = gather(r, posed, &r->rest);
    const lmb_result result = cli_still_character(posed, false, &r->out->still, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(r->cli, path, result, &error);
}

static cli_exit compare(const reader *r, const numbering *n, const char *path)
{
    const char *rest = r->cli->inputs[0];
    const uint32_t *map = map_of(r, n->count);
    if (map == NULL) {
        return cli_fail(r->cli, CLI_INPUT, "%s: expected %u vertices as %s has, found %u", path,
                        r->rest.count, rest, n->count);
    }
    if (n->index_count != r->rest.index_count && n->index_count > 0) {
        return cli_fail(r->cli, CLI_INPUT, "%s: expected %u triangles as %s has, found %u", path,
                        r->rest.index_count / 3, rest, n->index_count / 3);
    }
    for (uint32_t k = 0; k < n->index_count; ++k) {
        if (map[n->indices[k]] != r->out->indices[k] + 1) {
            return cli_fail(r->cli, CLI_INPUT,
                            "%s: expected the triangles of %s: corner %u of triangle %u to be "
                            "vertex %u, found %u",
                            path, rest, k % 3, k / 3, r->rest.indices[k], n->indices[k]);
        }
    }
    for (uint32_t v = 0; v < n->vertex_count; ++v) {
        if (!map[n->position_of[v]]) {
            return cli_fail(r->cli, CLI_INPUT, "%s: vertex %u is used, which it is not in %s", path,
                            n->position_of[v], rest);
        }
    }
    return CLI_DONE;
}

static void push_frame(reader *r, lmb_vec3 *positions)
{
    cli_shapes *out = r->out;
    out->frames = cli_resize(out->frames, (size_t)out->frame_count + 1, sizeof *out->frames);
    out->files = cli_resize(out->files, (size_t)out->frame_count + 1, sizeof *out->files);
    out->files[out->frame_count] = (int)r->file;
    out->frames[out->frame_count++] = positions;
}

static void add_frame(reader *r, cli_posed *posed, const numbering *n, const lmb_clip *clip,
                      double time_s)
{
    cli_posed_at(posed, r->cli, clip, time_s);
    push_frame(r, gather(r, posed, n));
}

static cli_exit add_clip(reader *r, cli_posed *posed, const numbering *n, const char *path)
{
    uint32_t index = 0;
    const lmb_character *character = posed->character;
    if (r->opts->clip != NULL) {
        const cli_exit code = cli_clip_find(r->cli, character, r->opts->clip, &index);
        if (code != CLI_DONE) {
            return code;
        }
    }
    const lmb_clip *clip = character->clips[index];
    const double recorded = clip->frame_rate > 0 ? (double)clip->frame_rate : 30;
    const double fps = r->opts->fps > 0 ? r->opts->fps : recorded;
    const double duration = (double)lmb_clip_duration_s(clip);
    // A clip of 1 s at 30 a second has frames 0 to 30; rounding must not drop the last.
    const double frames = floor(duration * fps + 1e-4) + 1;
    if (frames > 1e5) {
        return cli_fail(r->cli, CLI_USAGE,
                        "--fps: expected a rate that gives at most 100000 frames, found %g", fps);
    }
    for (uint32_t k = 0; k < (uint32_t)frames; ++k) {
        add_frame(r, posed, n, clip, fmin(k / fps, duration));
    }
    r->out->rate = fps;
    cli_detail(r->cli, path, "%u frames of \"%s\" at %g Hz", (uint32_t)frames,
               clip->name ? clip->name : "", fps);
    return CLI_DONE;
}

// ----------------------------------------------------------------------------- morph targets

static const char *target_name(const lmb_mesh *mesh, uint32_t target)
{
    const char *name = mesh->targets[target].name;
    return name ? name : "";
}

/// Sets the weights of all targets of this name to 1, or of the one target where it has none. Returns
/// false where an instance before has had this name.
static bool show_target(cli_posed *posed, uint32_t instance, uint32_t target)
{
    const lmb_character *c = posed->character;
    const char *name = target_name(mesh_of(c, instance), target);
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = mesh_of(c, i);
        for (uint32_t t = 0; t < mesh->target_count; ++t) {
            const bool is_own = i == instance && t == target;
            if (!is_own && (name[0] == 0 || strcmp(name, target_name(mesh, t)) != 0)) {
                continue;
            }
            if (i < instance || (i == instance && t < target)) {
                return false;
            }
            posed->rest_weights[posed->weight_first[c->instances[i].joint] + t] = 1;
        }
    }
    return true;
}

/// Each morph target alone, at weight 1, is a frame; those of one name in several meshes together.
static void add_targets(reader *r, cli_posed *posed, const numbering *n, const char *path)
{
    const lmb_character *c = posed->character;
    const uint32_t count = posed->weight_first[c->skeleton->joint_count],
                   before = r->out->frame_count;
    float *rest = cli_resize(NULL, count, sizeof *rest);
    memcpy(rest, posed->rest_weights, count * sizeof *rest);
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        for (uint32_t t = 0; t < mesh_of(c, i)->target_count; ++t) {
            if (show_target(posed, i, t)) {
                add_frame(r, posed, n, NULL, 0);
            }
            memcpy(posed->rest_weights, rest, count * sizeof *rest);
        }
    }
    free(rest);
    cli_detail(r->cli, path, "%u frames of morph targets", r->out->frame_count - before);
}

static bool has_targets(const lmb_character *c)
{
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (mesh_of(c, i)->target_count > 0) {
            return true;
        }
    }
    return false;
}

static cli_exit take_frames(reader *r, cli_posed *posed, const char *path)
{
    numbering n = number(posed->character);
    cli_exit code = compare(r, &n, path);
    if (code == CLI_DONE && posed->character->clip_count > 0) {
        code = add_clip(r, posed, &n, path);
    } else if (code == CLI_DONE && r->file == 0) {
        add_targets(r, posed, &n, path);
    } else if (code == CLI_DONE) {
        add_frame(r, posed, &n, NULL, 0);
    }
    number_end(&n);
    return code;
}

// ------------------------------------------------------------------------------- point caches

bool cli_shapes_is_cache(const char *path)
{
    static const char *const names[] = {".pc2", ".mdd", ".npy", ".npz"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        if (cli_has_extension(path, names[k])) {
            return true;
        }
    }
    return false;
}

/// By its name, or by its bytes where no mesh's format fits.
static bool is_cache(const char *path, cli_bytes bytes)
{
    return cli_shapes_is_cache(path) ||
           (cli_format_of(path, bytes) == CLI_UNKNOWN &&
            lmb_content_is(LMB_CONTENT_POINT_CACHE, bytes.data, bytes.size));
}

static void add_cached_frame(reader *r, const uint32_t *map, const lmb_vec3 *positions,
                             uint32_t count)
{
    lmb_vec3 *shape = cli_resize(NULL, r->out->vertex_count, sizeof *shape);
    for (uint32_t k = 0; k < count; ++k) {
        if (map[k]) {
            shape[map[k] - 1] = positions[k];
        }
    }
    push_frame(r, shape);
}

/// The points of a cache are the positions of the rest shape's file, in its order.
static cli_exit take_cache(reader *r, const char *path, cli_bytes bytes)
{
    const lmb_point_cache_opts opts = {.unit_m = r->opts->read.unit_m, .up = r->opts->read.up};
    lmb_point_cache *cache = NULL;
    lmb_error error = {0};
    error.code = lmb_point_cache_read(bytes.data, bytes.size, &opts, NULL, &cache, &error);
    if (error.code != LMB_OK) {
        return cli_fail_file(path, &error);
    }
    cli_exit code = CLI_DONE;
    const uint32_t *map = map_of(r, cache->point_count);
    if (map == NULL) {
        code = cli_fail(r->cli, CLI_INPUT, "%s: expected %u vertices as %s has, found %u", path,
                        r->rest.count, r->cli->inputs[0], cache->point_count);
    }
    for (uint32_t k = 0; code == CLI_DONE && k < cache->frame_count; ++k) {
        add_cached_frame(r, map, cache->positions + (size_t)k * cache->point_count,
                         cache->point_count);
    }
    if (code == CLI_DONE) {
        r->out->rate = cache->rate_hz > 0 ? (double)cache->rate_hz : r->out->rate;
        cli_detail(r->cli, path, "%u frames of %u points", cache->frame_count, cache->point_count);
    }
    lmb_point_cache_destroy(cache);
    return code;
}

// ----------------------------------------------------------------------------------- any file

/// The first file gives the rest shape, and frames too when it is the only one.
static cli_exit take_character(reader *r, uint32_t index, cli_bytes bytes)
{
    const char *path = r->cli->inputs[index];
    lmb_character *character = NULL;
    cli_source source = {.format = bytes.size > 0 ? cli_format_of(path, bytes) : CLI_UNKNOWN,
                         .size = bytes.size};
    cli_exit code = cli_character_parse(r->cli, path, bytes, &r->opts->read, &source, &character);
    if (code != CLI_DONE) {
        return code;
    }
    cli_posed posed = {0};
    if (character->instance_count == 0) {
        code = cli_fail(r->cli, CLI_INPUT, "%s: expected a mesh, found none", path);
    } else {
        code = cli_posed_start(&posed, r->cli, character);
    }
    if (code == CLI_DONE && index == 0) {
        code = take_rest(r, &posed, path);
    }
    if (code == CLI_DONE && index == 0 && r->cli->input_count == 1 && character->clip_count == 0 &&
        !has_targets(character)) {
        code = cli_fail(
            r->cli, CLI_INPUT,
            "%s: expected a clip or morph targets to learn from, or more files: found none", path);
    }
    if (code == CLI_DONE && (index > 0 || r->cli->input_count == 1)) {
        code = take_frames(r, &posed, path);
    }
    if (posed.deformer != NULL) {
        cli_posed_end(&posed);
    }
    lmb_character_destroy(character);
    return code;
}

static cli_exit take_file(reader *r, uint32_t index)
{
    const char *path = r->cli->inputs[index];
    cli_bytes bytes;
    cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    code = index > 0 && is_cache(path, bytes) ? take_cache(r, path, bytes)
                                              : take_character(r, index, bytes);
    free(bytes.data);
    return code;
}

cli_exit cli_shapes_read(cli_run *cli, const cli_shapes_opts *opts, cli_shapes *out)
{
    *out = (cli_shapes){0};
    reader r = {.cli = cli, .opts = opts, .out = out};
    cli_exit code = CLI_DONE;
    for (uint32_t k = 0; code == CLI_DONE && k < (uint32_t)cli->input_count; ++k) {
        r.file = k;
        code = take_file(&r, k);
    }
    number_end(&r.rest);
    free(r.used);
    free(r.viewed);
    return code;
}

void cli_shapes_end(cli_shapes *shapes)
{
    lmb_character_destroy(shapes->still);
    for (uint32_t k = 0; k < shapes->frame_count; ++k) {
        free(shapes->frames[k]);
    }
    free(shapes->frames);
    free(shapes->files);
    free(shapes->rest);
    free(shapes->vertex_of);
    free(shapes->indices);
    *shapes = (cli_shapes){0};
}
