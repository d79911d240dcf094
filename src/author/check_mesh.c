/// The rules of meshes: elements and attributes, then defects of scans and generated meshes.
#include "author/check.h"

#include "base/error.h"
#include "geometry/adjacency.h"
#include "geometry/tree.h"
#include "limber/geometry.h"

static const lmbi_check_rule flat_triangles = {"LMB-MESH-001", LMB_SEVERITY_WARNING,
                                               "triangles without area", "left out when solving"};
static const lmbi_check_rule crowded_edges = {"LMB-MESH-002", LMB_SEVERITY_WARNING,
                                              "edges with more than two triangles",
                                              "each triangle counts on its own"};
static const lmbi_check_rule open_edges = {"LMB-MESH-003", LMB_SEVERITY_NOTE, "edges on a border",
                                           "holes are closed by sight lines to find the skeleton"};
static const lmbi_check_rule loose_vertices = {"LMB-MESH-004", LMB_SEVERITY_NOTE,
                                               "vertices that no element uses",
                                               "they follow the nearest bone"};
static const lmbi_check_rule bad_normals = {"LMB-MESH-005", LMB_SEVERITY_WARNING,
                                            "normals that are not unit"};
static const lmbi_check_rule bad_targets = {"LMB-MESH-006", LMB_SEVERITY_ERROR,
                                            "displacements of morph targets that are not finite"};

static const lmbi_check_rule against = {"LMB-MESH-007", LMB_SEVERITY_WARNING,
                                        "edges whose two triangles are wound against each other",
                                        "winding is not asked for"};
static const lmbi_check_rule repeated = {"LMB-MESH-008", LMB_SEVERITY_NOTE,
                                         "triangles that repeat another's three vertices",
                                         "one of them counts when solving"};
static const lmbi_check_rule inside_out = {"LMB-MESH-009", LMB_SEVERITY_WARNING,
                                           "closed pieces wound inside out", "turned when solving"};
static const lmbi_check_rule crumbs = {
    "LMB-MESH-010", LMB_SEVERITY_NOTE, "pieces of fewer than 12 vertices",
    "carried by what they sit on; where they are most of a mesh, weights are solved for with "
    "vertices welded that lie close"};
static const lmbi_check_rule piercing = {
    "LMB-MESH-011", LMB_SEVERITY_NOTE, "edges that pierce triangles (of those looked at)",
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

static lmbi_check_tally walk_edges(const lmb_surface *s, const lmbi_adjacency *a,
                                   const uint32_t *piece_of, piece *pieces)
{
    lmbi_check_tally tally = {0};
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        const uint32_t *triangles = a->edge_triangles + a->edge_first[e],
                       count = a->edge_first[e + 1] - a->edge_first[e],
                       *edge = a->edges + 2 * (size_t)e;
        pieces[piece_of[edge[0]]].open |= count != 2;
        const bool same =
            count == 2 && runs_up(s, triangles[0], edge) == runs_up(s, triangles[1], edge);
        pieces[piece_of[edge[0]]].open |= same; // an open piece has no volume
        lmbi_check_count(&tally, same, count ? triangles[0] : 0);
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

static void add_pieces(lmbi_check *check, const lmbi_survey_surface *on, const char *location)
{
    const lmb_surface *s = on->surface;
    const lmbi_adjacency *a = on->adjacency;
    const uint32_t count = on->component_count;
    piece *pieces = lmbi_check_scratch(check, count, sizeof *pieces);
    if (pieces == NULL) {
        return;
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) { // vertices without triangles are no piece
        pieces[on->component[v]].vertices += a->vertex_first[v + 1] > a->vertex_first[v];
    }
    lmbi_check_add(check, &against, location, walk_edges(s, a, on->component, pieces));
    walk_triangles(s, on->component, pieces);
    lmbi_check_tally inverted = {0}, small = {0};
    for (uint32_t p = 0; p < count; ++p) {
        const piece *one = &pieces[p];
        lmbi_check_count(&inverted, one->vertices > 0 && !one->open && one->volume < 0,
                         one->triangle);
        lmbi_check_count(&small, one->vertices > 0 && one->vertices < CRUMB && count > 1,
                         one->triangle);
    }
    lmbi_check_add(check, &inside_out, location, inverted);
    lmbi_check_add(check, &crumbs, location, small);
}

/// The inner part of the edge: at its ends its own neighbours begin.
static lmbi_ray ray_along(lmb_vec3 from, lmb_vec3 to)
{
    return (lmbi_ray){.origin = from,
                      .direction = lmb_vec3_sub(to, from),
                      .t_min = 0.01f,
                      .t_max = 0.99f,
                      .least_sine = 0.02f};
}

/// Edges that run through other triangles.
static lmb_result find_piercing(lmbi_check *check, const lmbi_survey_surface *on,
                                const char *location, lmb_error *error)
{
    const lmb_surface *s = on->surface;
    const lmbi_adjacency *a = on->adjacency;
    lmbi_tree *tree = NULL;
    uint16_t *probed = lmbi_check_scratch(check, s->vertex_count, sizeof *probed);
    const lmb_result result =
        probed != NULL ? lmbi_tree_create(s, check->alloc, &tree, error) : lmbi_fail_memory(error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_check_tally met = {0};
    const uint32_t stride = 1 + a->edge_count / PROBED_EDGES;
    for (uint32_t e = 0; e < a->edge_count; e += stride) {
        const uint32_t *edge = a->edges + 2 * (size_t)e;
        if (probed[edge[0]] == PROBED_AT_VERTEX || probed[edge[1]] == PROBED_AT_VERTEX) {
            continue;
        }
        ++probed[edge[0]];
        ++probed[edge[1]];
        const lmbi_ray ray = ray_along(s->positions[edge[0]], s->positions[edge[1]]);
        lmbi_check_count(&met, lmbi_tree_hit_any(tree, &ray), a->edge_triangles[a->edge_first[e]]);
    }
    lmbi_check_add(check, &piercing, location, met);
    lmbi_tree_destroy(tree);
    return LMB_OK;
}

static lmb_result check_surface(lmbi_check *check, const lmb_mesh_survey *survey,
                                const lmbi_survey_surface *on, const char *location,
                                lmb_error *error)
{
    const uint32_t dropped = survey->triangle_count - on->surface->triangle_count,
                   flat = survey->degenerate_count;
    const lmbi_check_tally twice = {dropped > flat ? dropped - flat : 0, 0};
    lmbi_check_add(check, &repeated, location, twice);
    add_pieces(check, on, location);
    return find_piercing(check, on, location, error);
}

// ----------------------------------------------------------------------------------------- meshes

/// Vertices of primitives without normals have zeros where others of the mesh have theirs.
static void check_normals(lmbi_check *check, const lmb_mesh *mesh, const char *location)
{
    lmbi_check_tally normals = {0};
    for (uint32_t p = 0; mesh->normals != NULL && p < mesh->primitive_count; ++p) {
        const lmb_primitive *run = &mesh->primitives[p];
        const uint32_t end = run->first_vertex + run->vertex_count;
        for (uint32_t v = run->first_vertex; run->attributes & LMB_HAS_NORMALS && v < end; ++v) {
            lmbi_check_count(
                &normals, !lmbi_check_is_unit(lmb_vec3_dot(mesh->normals[v], mesh->normals[v])), v);
        }
    }
    lmbi_check_add(check, &bad_normals, location, normals);
}

static void check_targets(lmbi_check *check, const lmb_mesh *mesh, const char *location)
{
    lmbi_check_tally targets = {0};
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        const lmb_vec3 *const deltas[] = {mesh->targets[t].positions, mesh->targets[t].normals,
                                          mesh->targets[t].tangents};
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            for (int k = 0; k < 3; ++k) {
                lmbi_check_count(&targets, deltas[k] && !lmb_vec3_is_finite(deltas[k][v]), t);
            }
        }
    }
    lmbi_check_add(check, &bad_targets, location, targets);
}

static void check_loose(lmbi_check *check, const lmb_mesh *mesh, const char *location)
{
    bool *used = lmbi_check_scratch(check, mesh->vertex_count, sizeof *used);
    if (used == NULL) {
        return;
    }
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        for (uint32_t i = 0; i < mesh->primitives[p].index_count; ++i) {
            used[mesh->indices[mesh->primitives[p].first_index + i]] = true;
        }
    }
    lmbi_check_tally loose = {0};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        lmbi_check_count(&loose, !used[v], v);
    }
    lmbi_check_add(check, &loose_vertices, location, loose);
}

static lmb_result check_mesh(lmbi_check *check, const lmb_mesh *mesh, const char *location,
                             lmb_error *error)
{
    lmb_mesh_survey survey;
    lmbi_survey_surface on;
    lmb_result result = lmbi_mesh_survey(mesh, check->alloc, &survey, &on, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_check_add(check, &flat_triangles, location,
                   (lmbi_check_tally){survey.degenerate_count, survey.first_degenerate});
    lmbi_check_add(check, &crowded_edges, location, (lmbi_check_tally){survey.crowded_edges, 0});
    lmbi_check_add(check, &open_edges, location, (lmbi_check_tally){survey.border_edges, 0});
    check_loose(check, mesh, location);
    check_normals(check, mesh, location);
    check_targets(check, mesh, location);
    if (survey.has_surface) {
        result = check_surface(check, &survey, &on, location, error);
    }
    lmbi_survey_surface_free(&on, check->alloc);
    return result;
}

lmb_result lmbi_check_meshes(lmbi_check *check, const lmb_character *character, lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (uint32_t m = 0; m < character->mesh_count && result == LMB_OK; ++m) {
        char location[96];
        lmbi_check_locate(location, "mesh", m, character->meshes[m]->name);
        result = check_mesh(check, character->meshes[m], location, error);
        lmbi_arena_free(&check->scratch);
    }
    return result;
}
