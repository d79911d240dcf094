/// limber weights pieces: the connected pieces of a character, by number.
#include "cli/weights/select.h"

#include <stdlib.h>
#include <string.h>

typedef struct piece {
    uint32_t vertex_count, instance;
    lmb_box box;
    float area;    ///< m^2, at rest
    float *weight; ///< [joint_count] of its vertices
} piece;

static void add_vertices(const lmb_character *c, const lmb_surface *s, const uint32_t *piece_of,
                         piece *pieces)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const bool skinned = c->instances[i].skin != LMB_NONE && mesh->influences.first != NULL;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            const uint32_t at = s->vertex_of[first + v];
            piece *p = &pieces[piece_of[at]];
            p->instance = p->vertex_count == 0 ? i : p->instance;
            ++p->vertex_count;
            p->box = lmb_box_add(p->box, s->positions[at]);
            for (uint32_t k = skinned ? mesh->influences.first[v] : 0;
                 skinned && k < mesh->influences.first[v + 1]; ++k) {
                const lmb_influence item = mesh->influences.items[k];
                p->weight[c->skins[c->instances[i].skin]->joints[item.joint]] += item.weight;
            }
        }
        first += mesh->vertex_count;
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *v = s->triangles + 3 * (size_t)t;
        const lmb_vec3 across =
            lmb_vec3_cross(lmb_vec3_sub(s->positions[v[1]], s->positions[v[0]]),
                           lmb_vec3_sub(s->positions[v[2]], s->positions[v[0]]));
        pieces[piece_of[v[0]]].area += 0.5f * lmb_vec3_length(across);
    }
}

/// The joint that most of a piece's weight belongs to, or "".
static const char *main_joint(const lmb_character *c, const piece *p, float *share)
{
    uint32_t best = 0;
    float sum = 0;
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        sum += p->weight[j];
        best = p->weight[j] > p->weight[best] ? j : best;
    }
    *share = sum > 0 ? p->weight[best] / sum : 0;
    return sum > 0 ? c->skeleton->names[best] : "";
}

static void print_vec3(cli_json *json, const char *key, lmb_vec3 v)
{
    cli_json_begin(json, key, '[');
    cli_json_number(json, NULL, v.x);
    cli_json_number(json, NULL, v.y);
    cli_json_number(json, NULL, v.z);
    cli_json_end(json, ']');
}

static void print_pieces(const lmb_character *c, const piece *pieces, uint32_t count)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "operation", "pieces");
    cli_json_begin(&json, "pieces", '[');
    for (uint32_t k = 0; k < count; ++k) {
        const char *mesh = c->meshes[c->instances[pieces[k].instance].mesh]->name;
        float share;
        const char *joint = main_joint(c, &pieces[k], &share);
        cli_json_begin(&json, NULL, '{');
        cli_json_integer(&json, "piece", k);
        cli_json_text(&json, "mesh", mesh != NULL ? mesh : "");
        cli_json_integer(&json, "vertices", pieces[k].vertex_count);
        cli_json_number(&json, "area", pieces[k].area);
        print_vec3(&json, "low", pieces[k].box.low);
        print_vec3(&json, "high", pieces[k].box.high);
        cli_json_text(&json, "joint", joint);
        cli_json_number(&json, "share", share);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

static void say_pieces(const lmb_character *c, const piece *pieces, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        const piece *p = &pieces[k];
        const char *mesh = c->meshes[c->instances[p->instance].mesh]->name;
        const lmb_vec3 middle = lmb_vec3_scale(lmb_vec3_add(p->box.low, p->box.high), 0.5f);
        float share;
        const char *joint = main_joint(c, p, &share);
        cli_print("%5u  %s, %u vertices about (%.3f, %.3f, %.3f), %.0f%% with %s\n", k,
                  mesh != NULL ? mesh : "unnamed", p->vertex_count, (double)middle.x,
                  (double)middle.y, (double)middle.z, 100 * (double)share,
                  share > 0 ? joint : "no joint");
    }
}

cli_exit cli_weights_pieces(const cli_run *cli, const lmb_character *character)
{
    lmb_surface *surface = NULL;
    lmb_error error = {0};
    uint32_t count = 0, *piece_of = NULL;
    lmb_result result = lmb_character_surface(character, NULL, &surface, &error);
    if (result == LMB_OK) {
        piece_of = cli_resize(NULL, (size_t)surface->vertex_count + 1, sizeof *piece_of);
        result = lmb_surface_components(surface, NULL, piece_of, &count, &error);
    }
    if (result != LMB_OK) {
        free(piece_of);
        lmb_surface_destroy(surface);
        return cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    const size_t joints = character->skeleton->joint_count;
    piece *pieces = cli_resize(NULL, (size_t)count + 1, sizeof *pieces);
    float *weights = cli_resize(NULL, count * joints + 1, sizeof *weights);
    memset(weights, 0, (count * joints + 1) * sizeof *weights);
    for (uint32_t k = 0; k < count; ++k) {
        pieces[k] = (piece){.box = lmb_box_empty(), .weight = weights + k * joints};
    }
    add_vertices(character, surface, piece_of, pieces);
    if (cli->json) {
        print_pieces(character, pieces, count);
    } else {
        say_pieces(character, pieces, count);
    }
    free(weights);
    free(pieces);
    free(piece_of);
    lmb_surface_destroy(surface);
    return CLI_DONE;
}
