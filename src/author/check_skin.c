/// The rules of skins and of the skeleton.
#include "author/check.h"

static const lmbi_check_rule no_weight = {"LMB-SKIN-001", LMB_SEVERITY_ERROR,
                                          "vertices without any weight"};
static const lmbi_check_rule bad_sum = {"LMB-SKIN-002", LMB_SEVERITY_ERROR,
                                        "vertices whose weights do not sum to 1"};
static const lmbi_check_rule unknown_joint = {"LMB-SKIN-003", LMB_SEVERITY_ERROR,
                                              "weights on joints that the skin does not have"};
static const lmbi_check_rule many_influences = {
    "LMB-SKIN-004", LMB_SEVERITY_NOTE, "vertices with more than 4 joints, which many engines cut"};
static const lmbi_check_rule no_bind = {"LMB-SKIN-005", LMB_SEVERITY_WARNING,
                                        "skin without inverse bind matrices"};
static const lmbi_check_rule flat_bind = {"LMB-SKIN-006", LMB_SEVERITY_ERROR,
                                          "inverse bind matrices that flatten"};
static const lmbi_check_rule unused_joint = {"LMB-SKIN-007", LMB_SEVERITY_NOTE,
                                             "joints of the skin that pull no vertex"};
static const lmbi_check_rule no_influences = {"LMB-SKIN-008", LMB_SEVERITY_ERROR,
                                              "mesh with a skin but no weights"};
static const lmbi_check_rule moved_skin = {"LMB-SKIN-009", LMB_SEVERITY_NOTE,
                                           "skinned mesh on a moved node, which does not move it"};
static const lmbi_check_rule bad_rest = {"LMB-SKEL-001", LMB_SEVERITY_WARNING,
                                         "joints whose rotation is not unit"};
static const lmbi_check_rule zero_scale = {"LMB-SKEL-002", LMB_SEVERITY_ERROR, "joints of scale 0"};
static const lmbi_check_rule mirrored = {"LMB-SKEL-003", LMB_SEVERITY_WARNING,
                                         "joints of negative scale"};
static const lmbi_check_rule uneven_scale = {
    "LMB-SKEL-004", LMB_SEVERITY_WARNING, "joints of uneven scale with children, which may shear"};
static const lmbi_check_rule same_names = {"LMB-SKEL-005", LMB_SEVERITY_WARNING,
                                           "joints that have another joint's name"};

// ------------------------------------------------------------------------------------------ skins

static void check_rows(lmbi_check *check, const lmb_mesh *mesh, const lmb_skin *skin,
                       const char *location, bool *pulls)
{
    lmbi_check_tally empty = {0}, sums = {0}, unknown = {0}, wide = {0};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t first = mesh->influences.first[v], end = mesh->influences.first[v + 1];
        double sum = 0;
        for (uint32_t i = first; i < end; ++i) {
            const lmb_influence influence = mesh->influences.items[i];
            sum += (double)influence.weight;
            lmbi_check_count(&unknown, influence.joint >= skin->joint_count, v);
            if (influence.joint < skin->joint_count && influence.weight > 0) {
                pulls[influence.joint] = true;
            }
        }
        lmbi_check_count(&empty, first == end || !(sum > 0), v);
        lmbi_check_count(&sums, sum > 0 && fabs(sum - 1) > 1e-3, v);
        lmbi_check_count(&wide, end - first > 4, v);
    }
    lmbi_check_add(check, &no_weight, location, empty);
    lmbi_check_add(check, &bad_sum, location, sums);
    lmbi_check_add(check, &unknown_joint, location, unknown);
    lmbi_check_add(check, &many_influences, location, wide);
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

static void check_skin(lmbi_check *check, const lmb_character *character, uint32_t s)
{
    const lmb_skin *skin = character->skins[s];
    char location[96];
    lmbi_check_locate(location, "skin", s, skin->name);
    lmbi_check_tally flat = {0}, unused = {0};
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        lmb_mat4 inverse;
        lmbi_check_count(&flat, !lmb_mat4_inverse_affine(skin->joint_from_bind[k], &inverse), k);
    }
    lmbi_check_add(check, &no_bind, location, (lmbi_check_tally){skin->bind_was_missing, 0});
    lmbi_check_add(check, &flat_bind, location, flat);
    bool *pulls = lmbi_check_scratch(check, skin->joint_count, sizeof *pulls);
    if (pulls == NULL) {
        return;
    }
    bool worn = false;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_instance *instance = &character->instances[i];
        const lmb_mesh *mesh = character->meshes[instance->mesh];
        char mesh_location[96];
        lmbi_check_locate(mesh_location, "mesh", instance->mesh, mesh->name);
        if (instance->skin == (int32_t)s && mesh->influences.first != NULL) {
            check_rows(check, mesh, skin, mesh_location, pulls);
            lmbi_check_add(check, &moved_skin, mesh_location,
                           (lmbi_check_tally){is_moved(character->skeleton, instance->joint), 0});
            worn = true;
        } else if (instance->skin == (int32_t)s) {
            lmbi_check_add(check, &no_influences, mesh_location,
                           (lmbi_check_tally){1, instance->mesh});
        }
    }
    for (uint32_t k = 0; worn && k < skin->joint_count; ++k) {
        lmbi_check_count(&unused, !pulls[k], k);
    }
    lmbi_check_add(check, &unused_joint, location, unused);
}

void lmbi_check_skins(lmbi_check *check, const lmb_character *character)
{
    for (uint32_t s = 0; s < character->skin_count; ++s) {
        check_skin(check, character, s);
        lmbi_arena_free(&check->scratch);
    }
}

// --------------------------------------------------------------------------------------- skeleton

static bool is_even(lmb_vec3 s)
{
    const float largest = fmaxf(fabsf(s.x), fmaxf(fabsf(s.y), fabsf(s.z)));
    return fabsf(s.x - s.y) <= 1e-3f * largest && fabsf(s.y - s.z) <= 1e-3f * largest;
}

void lmbi_check_skeleton(lmbi_check *check, const lmb_skeleton *skeleton)
{
    lmbi_check_tally rotations = {0}, zero = {0}, negative = {0}, uneven = {0};
    bool *has_child = lmbi_check_scratch(check, skeleton->joint_count, sizeof *has_child);
    if (has_child == NULL) {
        return;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] != LMB_NONE) {
            has_child[skeleton->parents[j]] = true;
        }
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const lmb_transform rest = skeleton->rest[j];
        lmbi_check_count(&rotations,
                         !lmbi_check_is_unit(lmb_quat_dot(rest.rotation, rest.rotation)), j);
        lmbi_check_count(&zero, lmbi_check_is_flat(rest.scale), j);
        lmbi_check_count(&negative, rest.scale.x < 0 || rest.scale.y < 0 || rest.scale.z < 0, j);
        lmbi_check_count(&uneven, has_child[j] && !is_even(rest.scale), j);
    }
    lmbi_check_add(check, &bad_rest, "skeleton", rotations);
    lmbi_check_add(check, &zero_scale, "skeleton", zero);
    lmbi_check_add(check, &mirrored, "skeleton", negative);
    lmbi_check_add(check, &uneven_scale, "skeleton", uneven);
    lmbi_check_add(
        check, &same_names, "skeleton",
        lmbi_check_repeated(check, (const char *const *)skeleton->names, skeleton->joint_count));
}
