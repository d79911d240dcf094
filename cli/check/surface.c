/// limber check: defects of scans and generated meshes.
#include <stdlib.h>
#include <string.h>

#include "cli/check/rules.h"
#include "cli/check/survey.h"

static const cli_rule against = {"LMB-MESH-007", CLI_WARNING,
                                 "edges whose two triangles are wound against each other",
                                 "winding is not asked for"};
static const cli_rule repeated = {"LMB-MESH-008", CLI_NOTE,
                                  "triangles that repeat another's three vertices",
                                  "one of them counts when solving"};
static const cli_rule inside_out = {"LMB-MESH-009", CLI_WARNING, "closed pieces wound inside out",
                                    "turned when solving"};
static const cli_rule crumbs = {
    "LMB-MESH-010", CLI_NOTE, "pieces of fewer than 12 vertices",
    "carried by what they sit on; where they are most of a mesh, weights are solved for with "
    "vertices welded that lie close"};
static const cli_rule piercing = {"LMB-MESH-011", CLI_NOTE,
                                  "edges that pierce triangles (of those looked at)",
                                  "the volume is filled from outside, whatever cuts inside it"};

/// Most edges tested of a mesh and of a vertex: a sample suffices, and in a fan of triangles every
/// edge lies in the bounds of all others.
enum { PROBED_EDGES = 200000, PROBED_AT_VERTEX = 256 };

/// Pieces of fewer vertices count as fragments.
enum { CRUMB = 12 };

typedef struct piece {
    uint32_t vertices, triangle;
    bool open;
    double volume; ///< six times
} piece;

/// Whether the triangle runs along the edge from its lower vertex to its higher one.
static bool runs_up(const lmb_surface *s, uint32_t triangle, const uint32_t edge[2])
{
    const uint32_t *c = s->triangles + 3 * (size_t)triangle;
    return (c[0] == edge[0] && c[1] == edge[1]) || (c[1] == edge[0] && c[2] == edge[1]) ||
           (c[2] == edge[0] && c[0] == edge[1]);
}

static cli_tally walk_edges(const lmb_surface *s, const lmb_adjacency *a, const uint32_t *piece_of,
                            piece *pieces)
{
    cli_tally tally = {0};
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        const uint32_t *triangles = a->edge_triangles + a->edge_first[e],
                       count = a->edge_first[e + 1] - a->edge_first[e],
                       *edge = a->edges + 2 * (size_t)e;
        pieces[piece_of[edge[0]]].open |= count != 2;
        const bool same =
            count == 2 && runs_up(s, triangles[0], edge) == runs_up(s, triangles[1], edge);
        pieces[piece_of[edge[0]]].open |= same; // an open piece has no volume
        cli_meet(&tally, same, count ? triangles[0] : 0);
    }
    return tally;
}

static void walk_triangles(const lmb_surface *s, const uint32_t *piece_of, piece *pieces)
{
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *c = s->triangles + 3 * (size_t)t;
        piece *p = &pieces[piece_of[c[0]]];
        const lmb_vec3 a = s->positions[c[0]], b = s->positions[c[1]], d = s->positions[c[2]];
        p->triangle = p->volume == 0 ? t : p->triangle;
        p->volume += (double)lmb_vec3_dot(a, lmb_vec3_cross(b, d));
    }
}

static void add_pieces(const lmb_surface *s, const lmb_adjacency *a, const uint32_t *piece_of,
                       uint32_t count, const char *location, cli_findings *out)
{
    piece *pieces = cli_resize(NULL, count, sizeof *pieces);
    memset(pieces, 0, count * sizeof *pieces);
    for (uint32_t v = 0; v < s->vertex_count; ++v) { // vertices without triangles are no piece
        pieces[piece_of[v]].vertices += a->vertex_first[v + 1] > a->vertex_first[v];
    }
    cli_add_finding(out, &against, location, walk_edges(s, a, piece_of, pieces));
    walk_triangles(s, piece_of, pieces);
    cli_tally inverted = {0}, small = {0};
    for (uint32_t p = 0; p < count; ++p) {
        cli_meet(&inverted, pieces[p].vertices > 0 && !pieces[p].open && pieces[p].volume < 0,
                 pieces[p].triangle);
        cli_meet(&small, pieces[p].vertices > 0 && pieces[p].vertices < CRUMB && count > 1,
                 pieces[p].triangle);
    }
    cli_add_finding(out, &inside_out, location, inverted);
    cli_add_finding(out, &crumbs, location, small);
    free(pieces);
}

/// Edges that run through other triangles. The ends are left out: there the edge's own neighbours
/// begin.
static lmb_result find_piercing(const lmb_surface *s, const lmb_adjacency *a, const char *location,
                                cli_findings *out, lmb_error *error)
{
    lmb_tree *tree = NULL;
    const lmb_result result = lmb_tree_create(s, NULL, &tree, error);
    uint16_t *probed = cli_resize(NULL, s->vertex_count, sizeof *probed);
    memset(probed, 0, s->vertex_count * sizeof *probed);
    cli_tally met = {0};
    const uint32_t stride = 1 + a->edge_count / PROBED_EDGES;
    for (uint32_t e = 0; result == LMB_OK && e < a->edge_count; e += stride) {
        const uint32_t *edge = a->edges + 2 * (size_t)e;
        if (probed[edge[0]] == PROBED_AT_VERTEX || probed[edge[1]] == PROBED_AT_VERTEX) {
            continue;
        }
        ++probed[edge[0]];
        ++probed[edge[1]];
        const lmb_vec3 from = s->positions[edge[0]], to = s->positions[edge[1]];
        const lmb_ray ray = {.origin = from,
                             .direction = lmb_vec3_sub(to, from),
                             .t_min = 0.01f,
                             .t_max = 0.99f,
                             .least_sine = 0.02f};
        cli_meet(&met, lmb_tree_hit_any(tree, &ray), a->edge_triangles[a->edge_first[e]]);
    }
    cli_add_finding(out, &piercing, location, met);
    free(probed);
    lmb_tree_destroy(tree);
    return result;
}

static lmb_result check_topology(const lmb_surface *s, const char *location, cli_findings *out,
                                 lmb_error *error)
{
    uint32_t *piece_of = cli_resize(NULL, s->vertex_count, sizeof *piece_of), count = 0;
    lmb_adjacency *a = NULL;
    lmb_result result = lmb_surface_components(s, NULL, piece_of, &count, error);
    if (result == LMB_OK) {
        result = lmb_adjacency_create(s, NULL, &a, error);
    }
    if (result == LMB_OK) {
        add_pieces(s, a, piece_of, count, location, out);
        result = find_piercing(s, a, location, out, error);
    }
    lmb_adjacency_destroy(a);
    free(piece_of);
    return result;
}

cli_exit cli_check_surface(const cli_run *cli, const lmb_mesh *mesh, uint32_t triangle_count,
                           uint32_t flat_count, const char *location, cli_findings *out)
{
    if (triangle_count == 0) {
        return CLI_DONE;
    }
    uint32_t *indices = cli_triangle_indices(mesh, triangle_count);
    const lmb_surface_part part = {.positions = mesh->positions,
                                   .vertex_count = mesh->vertex_count,
                                   .indices = indices,
                                   .index_count = 3 * triangle_count};
    lmb_surface *s = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_surface_create(&part, 1, NULL, NULL, &s, &error);
    if (result == LMB_OK) {
        const uint32_t dropped = triangle_count - s->triangle_count;
        const cli_tally twice = {dropped > flat_count ? dropped - flat_count : 0, 0};
        cli_add_finding(out, &repeated, location, twice);
        result = check_topology(s, location, out, &error);
    }
    lmb_surface_destroy(s);
    free(indices);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, location, result, &error);
}
