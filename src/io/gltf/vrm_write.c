/// Writes characters as VRM 1.0: a GLB whose extension VRMC_vrm names the human bones and says what
/// its author permits.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "limber/io.h"
#include "limber/mapping.h"
#include "mapping/vrm.h"
#include "math/math.h"

/// A VRM 1.0 stands in T-pose and faces +Z; so far, in degrees, may it be off.
static const float MOST_OFF_DEG = 20;
static const char extension_name[] = "VRMC_vrm", licence_url[] = "https://vrm.dev/licenses/1.0/";

typedef struct writer {
    const lmb_character *character;
    const lmb_vrm_meta *meta;
    lmb_joint_map map;
    const uint32_t *node_of_joint;
    bool same_nodes; ///< what the character carries of its file names nodes that are still there
    lmbi_arena arena;
    lmbi_text text;
    lmbi_json_out json;
} writer;

// --------------------------------------------------------------------------------- what it has to be

static lmb_result check_bones(writer *w, lmb_error *error)
{
    lmb_map_gap gaps[LMB_HUMAN_BONE_COUNT];
    if (lmb_joint_map_gaps(&w->map, w->character->skeleton, gaps) == 0) {
        return LMB_OK;
    }
    const char *bone = lmb_human_bone_name(gaps[0].bone);
    return gaps[0].apart_from == LMB_HUMAN_BONE_COUNT
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                           "a humanoid with all bones that VRM requires", "none for %s", bone)
               : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "human bones that descend from each other",
                           "%s not below %s", bone, lmb_human_bone_name(gaps[0].apart_from));
}

static float degrees_between(lmb_vec3 a, lmb_vec3 b)
{
    const float product = lmb_vec3_length(a) * lmb_vec3_length(b);
    const float cosine = product > 0 ? lmb_vec3_dot(a, b) / product : 1;
    return lmbi_acos(fminf(fmaxf(cosine, -1), 1)) * 57.29578f;
}

/// An arm points to its side of a character that faces +Z.
static lmb_result check_arm(const writer *w, const lmb_mat4 *model, lmb_human_bone from,
                            lmb_human_bone to, float side, lmb_error *error)
{
    const lmb_vec3 along = lmb_vec3_sub(lmb_mat4_translation(model[w->map.bones[to].joint]),
                                        lmb_mat4_translation(model[w->map.bones[from].joint]));
    const float off = degrees_between(along, (lmb_vec3){side, 0, 0});
    return off <= MOST_OFF_DEG
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a T-pose at rest", "%s %.0f degrees off",
                           lmb_human_bone_name(from), (double)off);
}

static lmb_result check_pose(writer *w, lmb_error *error)
{
    const lmb_skeleton *skeleton = w->character->skeleton;
    const lmb_vec3 facing = lmb_joint_map_facing(&w->map, skeleton);
    const float off = degrees_between(facing, (lmb_vec3){0, 0, 1});
    if (!(off <= MOST_OFF_DEG)) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a character that faces +Z",
                         "%.0f degrees off", (double)off);
    }
    lmb_mat4 *model = lmbi_arena_array(&w->arena, skeleton->joint_count, sizeof *model);
    if (model == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    const lmb_result result =
        check_arm(w, model, LMB_HUMAN_LEFT_UPPER_ARM, LMB_HUMAN_LEFT_LOWER_ARM, 1, error);
    return result == LMB_OK ? check_arm(w, model, LMB_HUMAN_RIGHT_UPPER_ARM,
                                        LMB_HUMAN_RIGHT_LOWER_ARM, -1, error)
                            : result;
}

// ------------------------------------------------------------------------------------- the extension

static void put_permits(writer *w)
{
    const uint32_t p = w->meta->permits;
    lmbi_json_out *json = &w->json;
    lmbi_json_put_string(json, "avatarPermission",
                         p & LMB_VRM_EVERYONE   ? "everyone"
                         : p & LMB_VRM_LICENSED ? "onlySeparatelyLicensedPerson"
                                                : "onlyAuthor");
    lmbi_json_put_string(json, "commercialUsage",
                         p & LMB_VRM_CORPORATION ? "corporation"
                         : p & LMB_VRM_PROFIT    ? "personalProfit"
                                                 : "personalNonProfit");
    lmbi_json_put_string(json, "modification",
                         p & LMB_VRM_REDISTRIBUTE_MODIFIED ? "allowModificationRedistribution"
                         : p & LMB_VRM_MODIFY              ? "allowModification"
                                                           : "prohibited");
    lmbi_json_put_string(json, "creditNotation",
                         p & LMB_VRM_WITHOUT_CREDIT ? "unnecessary" : "required");
    lmbi_json_put_bool(json, "allowRedistribution", (p & LMB_VRM_REDISTRIBUTE) != 0);
    lmbi_json_put_bool(json, "allowExcessivelyViolentUsage", (p & LMB_VRM_VIOLENCE) != 0);
    lmbi_json_put_bool(json, "allowExcessivelySexualUsage", (p & LMB_VRM_SEXUAL) != 0);
    lmbi_json_put_bool(json, "allowPoliticalOrReligiousUsage", (p & LMB_VRM_POLITICAL) != 0);
    lmbi_json_put_bool(json, "allowAntisocialOrHateUsage", (p & LMB_VRM_ANTISOCIAL) != 0);
}

static void put_meta(writer *w)
{
    const lmb_vrm_meta *meta = w->meta;
    lmbi_json_open(&w->json, "meta", '{');
    lmbi_json_put_string(&w->json, "name", meta->name);
    lmbi_json_open(&w->json, "authors", '[');
    lmbi_json_put_string(&w->json, NULL, meta->author);
    lmbi_json_close(&w->json, ']');
    if (meta->copyright != NULL) {
        lmbi_json_put_string(&w->json, "copyrightInformation", meta->copyright);
    }
    lmbi_json_put_string(&w->json, "licenseUrl", licence_url);
    if (meta->other_licence != NULL) {
        lmbi_json_put_string(&w->json, "otherLicenseUrl", meta->other_licence);
    }
    put_permits(w);
    lmbi_json_close(&w->json, '}');
}

static bool has_bone(const writer *w, lmb_human_bone bone)
{
    return w->map.bones[bone].joint != LMB_NONE;
}

/// An upper chest without a chest is none that the format knows.
static bool is_written(const writer *w, lmb_human_bone bone)
{
    return has_bone(w, bone) && (bone != LMB_HUMAN_UPPER_CHEST || has_bone(w, LMB_HUMAN_CHEST));
}

static void put_humanoid(writer *w)
{
    lmbi_json_open(&w->json, "humanoid", '{');
    lmbi_json_open(&w->json, "humanBones", '{');
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        if (is_written(w, (lmb_human_bone)b)) {
            lmbi_json_open(&w->json, lmb_human_bone_name((lmb_human_bone)b), '{');
            lmbi_json_put_int(&w->json, "node", w->node_of_joint[w->map.bones[b].joint]);
            lmbi_json_close(&w->json, '}');
        }
    }
    lmbi_json_close(&w->json, '}');
    lmbi_json_close(&w->json, '}');
}

/// What the file had beside its characters stays, unless it names nodes by numbers of the past.
static bool is_kept(const writer *w, const lmbi_json *member)
{
    return w->same_nodes ||
           !(lmbi_json_key_is(member, "scene") || lmbi_json_key_is(member, "scenes") ||
             lmbi_vrm_names_nodes(member->key, member->key_size));
}

static void put_carried(writer *w, const lmbi_json *carried)
{
    const lmbi_json *extensions = lmbi_json_find(carried, "extensions");
    lmbi_json_open(&w->json, NULL, '{');
    for (const lmbi_json *m = carried ? carried->child : NULL; m != NULL; m = m->next) {
        if (m != extensions && is_kept(w, m)) {
            lmbi_json_put_member(&w->json, m);
        }
    }
    lmbi_json_open(&w->json, "extensions", '{');
    for (const lmbi_json *m = extensions ? extensions->child : NULL; m != NULL; m = m->next) {
        if (is_kept(w, m)) {
            lmbi_json_put_member(&w->json, m);
        }
    }
    lmbi_json_open(&w->json, extension_name, '{');
    lmbi_json_put_string(&w->json, "specVersion", "1.0");
    put_meta(w);
    put_humanoid(w);
    lmbi_json_close(&w->json, '}');
    lmbi_json_close(&w->json, '}');
    lmbi_json_close(&w->json, '}');
}

static void put_used(writer *w, const lmbi_json *used)
{
    lmbi_json_open(&w->json, NULL, '[');
    for (const lmbi_json *m = used ? used->child : NULL; m != NULL; m = m->next) {
        if (m->type == LMBI_JSON_STRING &&
            (w->same_nodes || !lmbi_vrm_names_nodes(m->at + 1, m->size - 2))) {
            lmbi_json_put_raw(&w->json, NULL, m->at, m->size);
        }
    }
    lmbi_json_put_string(&w->json, NULL, extension_name);
    lmbi_json_close(&w->json, ']');
}

/// Moves what was written to the arena; NULL when out of memory.
static const char *take_text(writer *w, const lmb_allocator *alloc)
{
    const char *out =
        w->text.failed ? NULL : lmbi_arena_string(&w->arena, w->text.data, w->text.size);
    lmbi_text_free(&w->text);
    lmbi_text_init(&w->text, alloc);
    w->json.first = true;
    return out;
}

// ------------------------------------------------------------------------------------------ the file

/// The order of the nodes: the file's where it still holds, else the skeleton's.
static lmb_result plan_nodes(writer *w, lmb_skeleton *skeleton, lmb_error *error)
{
    const uint32_t n = skeleton->joint_count;
    uint32_t *nodes = lmbi_arena_array(&w->arena, n, sizeof *nodes);
    bool *seen = lmbi_arena_array(&w->arena, n, sizeof *seen);
    if (nodes == NULL || seen == NULL) {
        return lmbi_fail_memory(error);
    }
    w->same_nodes = skeleton->source_index != NULL;
    for (uint32_t j = 0; j < n && w->same_nodes; ++j) {
        const uint32_t node = skeleton->source_index[j];
        w->same_nodes = node < n && !seen[node];
        seen[node < n ? node : j] = true;
    }
    for (uint32_t j = 0; j < n; ++j) {
        nodes[j] = w->same_nodes ? skeleton->source_index[j] : j;
    }
    skeleton->source_index = nodes;
    w->node_of_joint = nodes;
    return LMB_OK;
}

static lmb_result read_text(writer *w, const char *text, lmbi_json **out, lmb_error *error)
{
    *out = NULL;
    return text ? lmbi_json_read(&w->arena, text, strlen(text), out, error) : LMB_OK;
}

static lmb_result make_appearance(writer *w, const lmb_allocator *alloc, lmb_appearance *look,
                                  lmb_error *error)
{
    lmbi_json *carried, *used;
    lmb_result result = read_text(w, look->carried, &carried, error);
    if (result == LMB_OK) {
        result = read_text(w, look->extensions_used, &used, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const lmbi_json *extensions = lmbi_json_find(carried, "extensions");
    if (lmbi_json_find(extensions, extension_name) != NULL ||
        lmbi_json_find(extensions, "VRM") != NULL) { // 0.x
        return lmbi_fail(error, LMB_ERROR_INVALID, "a character without a licence of its own",
                         "one of a VRM");
    }
    put_carried(w, carried);
    look->carried = take_text(w, alloc);
    put_used(w, used);
    look->extensions_used = take_text(w, alloc);
    return look->carried && look->extensions_used ? LMB_OK : lmbi_fail_memory(error);
}

static lmb_result write_file(writer *w, const lmb_allocator *alloc, lmb_buffer *out,
                             lmb_error *error)
{
    lmb_skeleton skeleton = *w->character->skeleton;
    lmb_appearance look =
        w->character->appearance ? *w->character->appearance : (lmb_appearance){0};
    lmb_character character = *w->character;
    lmb_result result = plan_nodes(w, &skeleton, error);
    if (result == LMB_OK) {
        result = make_appearance(w, alloc, &look, error);
    }
    if (result == LMB_OK) {
        character.skeleton = &skeleton;
        character.appearance = &look;
        result = lmb_gltf_write(&character, NULL, alloc, out, error);
    }
    return result;
}

lmb_result lmb_vrm_write(const lmb_character *character, const lmb_vrm_meta *meta,
                         const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    writer w = {.character = character, .meta = meta, .json = {.first = true}};
    if (meta->name == NULL || meta->name[0] == 0 || meta->author == NULL || meta->author[0] == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a name and an author", "none");
    }
    lmbi_arena_init(&w.arena, alloc);
    lmbi_text_init(&w.text, alloc);
    w.json.text = &w.text;
    lmb_result result = lmb_joint_map_of_character(character, alloc, &w.map, error);
    if (result == LMB_OK) {
        result = check_bones(&w, error);
    }
    if (result == LMB_OK) {
        result = check_pose(&w, error);
    }
    if (result == LMB_OK) {
        result = write_file(&w, alloc, out, error);
    }
    lmbi_text_free(&w.text);
    lmbi_arena_free(&w.arena);
    return result;
}
