#include "cli/check/rules.h"
#include "cli/check/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The rules, named where they are used. docs/command-line.md lists them for readers.
static const cli_rule reader_note = {"LMB-FILE-001", CLI_WARNING, "%s"};
static const cli_rule flat_triangles = {"LMB-MESH-001", CLI_WARNING, "triangles without area",
                                        "left out when solving"};
static const cli_rule crowded_edges = {"LMB-MESH-002", CLI_WARNING,
                                       "edges with more than two triangles",
                                       "each triangle counts on its own"};
static const cli_rule open_edges = {"LMB-MESH-003", CLI_NOTE, "edges on a border",
                                    "holes are closed by sight lines to find the skeleton"};
static const cli_rule loose_vertices = {"LMB-MESH-004", CLI_NOTE, "vertices that no element uses",
                                        "they follow the nearest bone"};
static const cli_rule bad_normals = {"LMB-MESH-005", CLI_WARNING, "normals that are not unit"};
static const cli_rule bad_targets = {"LMB-MESH-006", CLI_ERROR,
                                     "displacements of morph targets that are not finite"};
static const cli_rule no_weight = {"LMB-SKIN-001", CLI_ERROR, "vertices without any weight"};
static const cli_rule bad_sum = {"LMB-SKIN-002", CLI_ERROR,
                                 "vertices whose weights do not sum to 1"};
static const cli_rule unknown_joint = {"LMB-SKIN-003", CLI_ERROR,
                                       "weights on joints that the skin does not have"};
static const cli_rule many_influences = {
    "LMB-SKIN-004", CLI_NOTE, "vertices with more than 4 joints, which many engines cut"};
static const cli_rule no_bind = {"LMB-SKIN-005", CLI_WARNING, "skin without inverse bind matrices"};
static const cli_rule flat_bind = {"LMB-SKIN-006", CLI_ERROR, "inverse bind matrices that flatten"};
static const cli_rule unused_joint = {"LMB-SKIN-007", CLI_NOTE,
                                      "joints of the skin that pull no vertex"};
static const cli_rule no_influences = {"LMB-SKIN-008", CLI_ERROR,
                                       "mesh with a skin but no weights"};
static const cli_rule moved_skin = {"LMB-SKIN-009", CLI_NOTE,
                                    "skinned mesh on a moved node, which does not move it"};
static const cli_rule bad_rest = {"LMB-SKEL-001", CLI_WARNING, "joints whose rotation is not unit"};
static const cli_rule zero_scale = {"LMB-SKEL-002", CLI_ERROR, "joints of scale 0"};
static const cli_rule mirrored = {"LMB-SKEL-003", CLI_WARNING, "joints of negative scale"};
static const cli_rule uneven_scale = {"LMB-SKEL-004", CLI_WARNING,
                                      "joints of uneven scale with children, which may shear"};
static const cli_rule same_names = {"LMB-SKEL-005", CLI_WARNING,
                                    "joints that have another joint's name"};
static const cli_rule times_fall = {"LMB-CLIP-001", CLI_ERROR,
                                    "keys that are earlier than the one before"};
static const cli_rule times_equal = {"LMB-CLIP-002", CLI_NOTE,
                                     "keys at the time of the one before"};
static const cli_rule bad_key = {"LMB-CLIP-003", CLI_ERROR, "key values that are not finite"};
static const cli_rule long_rotation = {"LMB-CLIP-004", CLI_WARNING,
                                       "rotation keys that are not unit"};
static const cli_rule zero_scale_key = {"LMB-CLIP-005", CLI_WARNING, "scale keys of 0"};
static const cli_rule same_channel = {"LMB-CLIP-006", CLI_ERROR,
                                      "channels that move what another one moves"};
static const cli_rule late_start = {"LMB-CLIP-007", CLI_NOTE,
                                    "channels whose first key is not at 0"};
static const cli_rule no_channels = {"LMB-CLIP-008", CLI_WARNING, "clip that moves nothing"};

// ------------------------------------------------------------------------------------- locations

static void name_location(char location[96], const char *kind, uint32_t index, const char *name)
{
    snprintf(location, 96, name != NULL && name[0] != 0 ? "%s %u \"%.60s\"" : "%s %u", kind, index,
             name);
}

void cli_check_notes(const lmb_notes *notes, cli_findings *out)
{
    const uint32_t shown = notes->count < LMB_NOTE_MAX ? notes->count : LMB_NOTE_MAX;
    for (uint32_t i = 0; i < shown; ++i) {
        cli_add_finding(out, &reader_note, notes->items[i].text,
                        (cli_tally){1, notes->items[i].line});
    }
}

static bool is_unit(float square)
{
    return fabsf(square - 1.0f) <= 2e-3f;
}

// ----------------------------------------------------------------------------------------- meshes

/// Vertices of primitives without normals have zeros where others of the mesh have theirs.
static void check_normals(const lmb_mesh *mesh, const char *location, cli_findings *out)
{
    cli_tally normals = {0};
    for (uint32_t p = 0; mesh->normals != NULL && p < mesh->primitive_count; ++p) {
        const lmb_primitive *run = &mesh->primitives[p];
        const uint32_t end = run->first_vertex + run->vertex_count;
        for (uint32_t v = run->first_vertex; run->attributes & LMB_HAS_NORMALS && v < end; ++v) {
            cli_meet(&normals, !is_unit(lmb_vec3_dot(mesh->normals[v], mesh->normals[v])), v);
        }
    }
    cli_add_finding(out, &bad_normals, location, normals);
}

static void check_targets(const lmb_mesh *mesh, const char *location, cli_findings *out)
{
    cli_tally targets = {0};
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        const lmb_vec3 *const deltas[] = {mesh->targets[t].positions, mesh->targets[t].normals,
                                          mesh->targets[t].tangents};
        for (uint32_t v = 0; v < 3 * mesh->vertex_count; ++v) {
            const lmb_vec3 *delta = deltas[v / mesh->vertex_count];
            cli_meet(&targets, delta != NULL && !lmb_vec3_is_finite(delta[v % mesh->vertex_count]),
                     t);
        }
    }
    cli_add_finding(out, &bad_targets, location, targets);
}

static void check_loose(const lmb_mesh *mesh, const char *location, cli_findings *out)
{
    bool *used = cli_resize(NULL, mesh->vertex_count, sizeof(*used));
    memset(used, 0, mesh->vertex_count * sizeof(*used));
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        for (uint32_t i = 0; i < mesh->primitives[p].index_count; ++i) {
            used[mesh->indices[mesh->primitives[p].first_index + i]] = true;
        }
    }
    cli_tally loose = {0};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        cli_meet(&loose, !used[v], v);
    }
    free(used);
    cli_add_finding(out, &loose_vertices, location, loose);
}

static cli_exit check_mesh(const cli_run *cli, const lmb_mesh *mesh, const char *location,
                           cli_findings *out)
{
    cli_mesh_survey survey;
    const cli_exit code = cli_mesh_survey_make(cli, mesh, &survey);
    if (code != CLI_DONE) {
        return code;
    }
    cli_add_finding(out, &flat_triangles, location,
                    (cli_tally){survey.degenerate_count, survey.first_degenerate});
    cli_add_finding(out, &crowded_edges, location, (cli_tally){survey.crowded_edges, 0});
    cli_add_finding(out, &open_edges, location, (cli_tally){survey.border_edges, 0});
    check_loose(mesh, location, out);
    check_normals(mesh, location, out);
    check_targets(mesh, location, out);
    return cli_check_surface(cli, mesh, survey.triangle_count, survey.degenerate_count, location,
                             out);
}

// ------------------------------------------------------------------------------------------ skins

static void check_rows(const lmb_mesh *mesh, const lmb_skin *skin, bool *pulls,
                       const char *location, cli_findings *out)
{
    cli_tally empty = {0}, sums = {0}, unknown = {0}, wide = {0};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t first = mesh->influences.first[v], end = mesh->influences.first[v + 1];
        double sum = 0;
        for (uint32_t i = first; i < end; ++i) {
            const lmb_influence influence = mesh->influences.items[i];
            sum += (double)influence.weight;
            cli_meet(&unknown, influence.joint >= skin->joint_count, v);
            if (influence.joint < skin->joint_count && influence.weight > 0) {
                pulls[influence.joint] = true;
            }
        }
        cli_meet(&empty, first == end || !(sum > 0), v);
        cli_meet(&sums, sum > 0 && fabs(sum - 1) > 1e-3, v);
        cli_meet(&wide, end - first > 4, v);
    }
    cli_add_finding(out, &no_weight, location, empty);
    cli_add_finding(out, &bad_sum, location, sums);
    cli_add_finding(out, &unknown_joint, location, unknown);
    cli_add_finding(out, &many_influences, location, wide);
}

/// Whether the node or one above it moves what hangs on it.
static bool is_moved(const lmb_skeleton *skeleton, uint32_t joint)
{
    const lmb_transform still = lmb_transform_identity();
    for (int32_t j = (int32_t)joint; j != LMB_NONE; j = skeleton->parents[j]) {
        const lmb_transform rest = skeleton->rest[j];
        if (lmb_vec3_distance(rest.translation, still.translation) > 1e-6f ||
            lmb_vec3_distance(rest.scale, still.scale) > 1e-6f ||
            lmb_quat_angle(rest.rotation, still.rotation) > 1e-5f) {
            return true;
        }
    }
    return false;
}

static void check_skin(const lmb_character *character, uint32_t s, cli_findings *out)
{
    const lmb_skin *skin = character->skins[s];
    char location[96];
    name_location(location, "skin", s, skin->name);
    cli_tally flat = {0}, unused = {0};
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        lmb_mat4 inverse;
        cli_meet(&flat, !lmb_mat4_inverse_affine(skin->joint_from_bind[k], &inverse), k);
    }
    cli_add_finding(out, &no_bind, location, (cli_tally){skin->bind_was_missing, 0});
    cli_add_finding(out, &flat_bind, location, flat);
    bool *pulls = cli_resize(NULL, skin->joint_count, sizeof(*pulls));
    memset(pulls, 0, skin->joint_count * sizeof(*pulls));
    bool worn = false;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_instance *instance = &character->instances[i];
        const lmb_mesh *mesh = character->meshes[instance->mesh];
        char mesh_place[96];
        name_location(mesh_place, "mesh", instance->mesh, mesh->name);
        if (instance->skin == (int32_t)s && mesh->influences.first != NULL) {
            check_rows(mesh, skin, pulls, mesh_place, out);
            cli_add_finding(out, &moved_skin, mesh_place,
                            (cli_tally){is_moved(character->skeleton, instance->joint), 0});
            worn = true;
        } else if (instance->skin == (int32_t)s) {
            cli_add_finding(out, &no_influences, mesh_place, (cli_tally){1, instance->mesh});
        }
    }
    for (uint32_t k = 0; worn && k < skin->joint_count; ++k) {
        cli_meet(&unused, !pulls[k], k);
    }
    free(pulls);
    cli_add_finding(out, &unused_joint, location, unused);
}

// --------------------------------------------------------------------------------------- skeleton

static int compare_names(const void *a, const void *b)
{
    const char *const *first = a, *const *second = b;
    return strcmp(*first, *second);
}

/// How many names were met before, in sorted order.
static cli_tally repeated_names(const lmb_skeleton *skeleton)
{
    cli_tally same = {0};
    if (skeleton->joint_count == 0) {
        return same;
    }
    const char **names = cli_resize(NULL, skeleton->joint_count, sizeof(*names));
    memcpy(names, skeleton->names, skeleton->joint_count * sizeof(*names));
    qsort(names, skeleton->joint_count, sizeof(*names),
          compare_names); // equal names are equal: ties do not matter
    for (uint32_t j = 1; j < skeleton->joint_count; ++j) {
        const bool repeated = strcmp(names[j], names[j - 1]) == 0;
        cli_meet(&same, repeated,
                 repeated && same.count == 0 ? (uint32_t)lmb_skeleton_find(skeleton, names[j]) : 0);
    }
    free(names);
    return same;
}

static bool is_even(lmb_vec3 s)
{
    const float largest = fmaxf(fabsf(s.x), fmaxf(fabsf(s.y), fabsf(s.z)));
    return fabsf(s.x - s.y) <= 1e-3f * largest && fabsf(s.y - s.z) <= 1e-3f * largest;
}

static bool is_flat(lmb_vec3 s)
{
    return !(fabsf(s.x) > 0) || !(fabsf(s.y) > 0) || !(fabsf(s.z) > 0);
}

static void check_skeleton(const lmb_skeleton *skeleton, cli_findings *out)
{
    cli_tally rotations = {0}, zero = {0}, negative = {0}, uneven = {0};
    bool *has_child = cli_resize(NULL, skeleton->joint_count, sizeof(*has_child));
    memset(has_child, 0, skeleton->joint_count * sizeof(*has_child));
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] != LMB_NONE) {
            has_child[skeleton->parents[j]] = true;
        }
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const lmb_transform rest = skeleton->rest[j];
        cli_meet(&rotations, !is_unit(lmb_quat_dot(rest.rotation, rest.rotation)), j);
        cli_meet(&zero, is_flat(rest.scale), j);
        cli_meet(&negative, rest.scale.x < 0 || rest.scale.y < 0 || rest.scale.z < 0, j);
        cli_meet(&uneven, has_child[j] && !is_even(rest.scale), j);
    }
    free(has_child);
    cli_add_finding(out, &bad_rest, "skeleton", rotations);
    cli_add_finding(out, &zero_scale, "skeleton", zero);
    cli_add_finding(out, &mirrored, "skeleton", negative);
    cli_add_finding(out, &uneven_scale, "skeleton", uneven);
    cli_add_finding(out, &same_names, "skeleton", repeated_names(skeleton));
}

// ------------------------------------------------------------------------------------------ clips

static bool same_target(const lmb_channel *a, const lmb_channel *b)
{
    return a->joint == b->joint && a->path == b->path;
}

static bool all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

typedef struct key_tallies {
    cli_tally fall, equal, bad, rotations, zero, repeated, late;
} key_tallies;

static void check_channel(const lmb_channel *channel, uint32_t c, key_tallies *t)
{
    const uint32_t per_key = channel->interpolation == LMB_CUBIC ? 3 : 1;
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        const float *key = channel->values + (size_t)k * per_key * channel->width;
        const float *value = per_key == 3 ? key + channel->width : key;
        cli_meet(&t->fall, k > 0 && channel->ticks[k] < channel->ticks[k - 1], c);
        cli_meet(&t->equal,
                 k > 0 && !(channel->ticks[k] < channel->ticks[k - 1]) &&
                     !(channel->ticks[k] > channel->ticks[k - 1]),
                 c);
        cli_meet(&t->bad,
                 !all_finite(key, (size_t)per_key * channel->width) || !isfinite(channel->ticks[k]),
                 c);
        if (channel->path == LMB_PATH_ROTATION) {
            const float square = value[0] * value[0] + value[1] * value[1] + value[2] * value[2] +
                                 value[3] * value[3];
            cli_meet(&t->rotations, !is_unit(square), c);
        } else if (channel->path == LMB_PATH_SCALE) {
            cli_meet(&t->zero, is_flat(lmb_vec3_make(value[0], value[1], value[2])), c);
        }
    }
    cli_meet(&t->late, channel->ticks[0] > 0, c);
}

static void check_clip(const lmb_clip *clip, const char *location, cli_findings *out)
{
    key_tallies t = {0};
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        check_channel(&clip->channels[c], c, &t);
        bool repeated = false;
        // Channels of one joint lie together in what tools write; a full search would be quadratic.
        for (uint32_t other = c > 8 ? c - 8 : 0; other < c; ++other) {
            repeated = repeated || same_target(&clip->channels[other], &clip->channels[c]);
        }
        cli_meet(&t.repeated, repeated, c);
    }
    cli_add_finding(out, &times_fall, location, t.fall);
    cli_add_finding(out, &times_equal, location, t.equal);
    cli_add_finding(out, &bad_key, location, t.bad);
    cli_add_finding(out, &long_rotation, location, t.rotations);
    cli_add_finding(out, &zero_scale_key, location, t.zero);
    cli_add_finding(out, &same_channel, location, t.repeated);
    cli_add_finding(out, &late_start, location, t.late);
    cli_add_finding(out, &no_channels, location, (cli_tally){clip->channel_count == 0, 0});
}

// -------------------------------------------------------------------------------------------- all

cli_exit cli_check_meshes(const cli_run *cli, const lmb_character *character, cli_findings *out)
{
    char location[96];
    for (uint32_t m = 0; m < character->mesh_count; ++m) {
        name_location(location, "mesh", m, character->meshes[m]->name);
        const cli_exit code = check_mesh(cli, character->meshes[m], location, out);
        if (code != CLI_DONE) {
            return code;
        }
    }
    return CLI_DONE;
}

cli_exit cli_check_character(const cli_run *cli, const lmb_character *character, cli_findings *out)
{
    char location[96];
    const cli_exit code = cli_check_meshes(cli, character, out);
    if (code != CLI_DONE) {
        return code;
    }
    for (uint32_t s = 0; s < character->skin_count; ++s) {
        check_skin(character, s, out);
    }
    check_skeleton(character->skeleton, out);
    for (uint32_t c = 0; c < character->clip_count; ++c) {
        name_location(location, "clip", c, character->clips[c]->name);
        check_clip(character->clips[c], location, out);
    }
    return CLI_DONE;
}
