// How right the embedding is on characters that artists rigged:
// embed_bench LIST DATA [--poses] [--write FOLDER] [--pose NAME]
// [--copies [--made COUNT]] [--rig] [--human] [--only TEXT]
// LIST names a character a line: "KIND PATH … family: NAME" (KIND is humanoid, quadruped, biped, bird, hand or creature;
// without a family it is "others"). DATA is the folder that the paths start from. Only the mesh is given to lmb_embed.
// A humanoid is right when it is read as a human, each limb joint lies within 12 % of the height and sides are not
// exchanged; other kinds when kind and facing agree. --poses embeds every humanoid in eight more poses (--pose in one of them).
// --human tells it that humanoids are; --any-up does not tell that +Y is up, as in files whose format does not. --rig asks lmb_rig, as the command does, which searches where a
// file's own skin was bound, instead of lmb_embed where it stands. --write keeps every mesh that is embedded, to look at. --copies embeds copies of every humanoid instead: turned, scaled,
// noisy, with vertices moved together (in cells of 1.2 % of the height), with holes, with 30 % of the triangles (closed
// surfaces alone), and says how far joints move, in percent of the height; with --made of so many made humans. One JSON object a
// character, one a family, one for all: the share that is right, wrong ones that are sure (confidence above 0.5), the
// area under the curve of the confidence, body CD-J2J, limb errors and PCK@5 as medians and means, a hash of the bytes of
// the joints, and seconds.
#include <math.h>
#include <time.h>

#include "base/hash.h"
#include "bodies/bodies.h"
#include "embed/human/human.h"
#include "embed/kinds.h"
#include "embed_subject.h"
#include "geometry/geometry.h"
#include "os/paths.h"
#include "painted.h"

enum { FAMILIES = 48, RESULTS = 2048 };

/// The characters come from glTF and FBX, whose formats say that +Y is up.
static lmb_embed_opts as_read = {.y_up = true};
static bool told_human;

typedef struct outcome {
    const char *family;
    bool human, right, read;
    bool five, fingers; ///< the file's rig has five fingers a hand; ours has
    double confidence, cd, limb, limb_worst, pck, finger, seconds;
} outcome;

static bool with_copies, with_rig;
static const char *write_folder, *only_pose;
static outcome results[RESULTS];
static uint32_t result_count;

static double seconds_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// -------------------------------------------------------------------------------------------------------- judging

/// Names that are no body joint: fingers, faces, controls, ends (as the collection's own oracle leaves them out).
static bool is_extra(const char *name)
{
    static const char *const words[] = {
        "thumb",  "index", "middle", "ring",  "pinky", "little",   "finger",  "leaf", "orient",
        "ik",     "ctrl",  "roll",   "pole",  "slot",  "socket",   "control", "ear",  "jaw",
        "eye",    "chin",  "nose",   "mouth", "tip",   "palm",     "target",  "heel", "twist",
        "breast", "hair",  "skirt",  "wing",  "tail",  "rootjoint"};
    char low[128] = {0};
    for (size_t k = 0; name[k] && k + 1 < sizeof low; ++k) {
        low[k] = name[k] >= 'A' && name[k] <= 'Z' ? (char)(name[k] + 32) : name[k];
    }
    const size_t length = strlen(low);
    bool extra = strcmp(low, "root") == 0 || (length >= 3 && strcmp(low + length - 3, "end") == 0);
    for (size_t w = 0; w < sizeof words / sizeof *words; ++w) {
        extra = extra || strstr(low, words[w]);
    }
    return extra;
}

static double mean_nearest(const lmb_vec3 *from, uint32_t from_count, const lmb_vec3 *to,
                           uint32_t to_count)
{
    double sum = 0;
    for (uint32_t a = 0; a < from_count; ++a) {
        double best = (double)INFINITY;
        for (uint32_t b = 0; b < to_count; ++b) {
            best = fmin(best, (double)lmb_vec3_distance(from[a], to[b]));
        }
        sum += best;
    }
    return from_count > 0 ? sum / from_count : 0;
}

/// Body CD-J2J in percent of the longest side.
static double chamfer(const subject *s, const lmb_embedding *e, double longest)
{
    lmb_vec3 theirs[1024], ours[LMB_EMBEDDING_JOINTS];
    uint32_t their_count = 0, our_count = 0;
    const lmb_skeleton *skeleton = s->character->skeleton;
    for (uint32_t j = 0; j < skeleton->joint_count && their_count < 1024; ++j) {
        if (s->deforms[j] && !is_extra(skeleton->names[j])) {
            theirs[their_count++] = position_of(s, (int32_t)j);
        }
    }
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        if (!is_extra(e->names[j])) {
            ours[our_count++] = e->joints[j];
        }
    }
    return 50 *
           (mean_nearest(ours, our_count, theirs, their_count) +
            mean_nearest(theirs, their_count, ours, our_count)) /
           longest;
}

static void judge_limbs(const subject *s, const lmb_embedding *e, double height, outcome *o)
{
    double sum = 0, crossed = 0, worst = 0;
    uint32_t count = 0, near = 0;
    for (int k = 0; k < LIMBS; ++k) {
        const int32_t theirs = s->map.bones[limbs[k]].joint, ours = e->human[limbs[k]];
        const int32_t twin = e->human[lmb_human_bone_mirror(limbs[k])];
        if (theirs == LMB_NONE || ours == LMB_NONE || twin == LMB_NONE) {
            continue;
        }
        const lmb_vec3 at = position_of(s, theirs);
        const double off = (double)lmb_vec3_distance(at, e->joints[ours]) / height;
        sum += off;
        crossed += (double)lmb_vec3_distance(at, e->joints[twin]) / height;
        worst = fmax(worst, off);
        near += off <= 0.05;
        ++count;
    }
    o->limb = count > 0 ? 100 * sum / count : (double)NAN;
    o->limb_worst = 100 * worst;
    o->pck = count > 0 ? 100.0 * near / count : (double)NAN;
    o->right = count >= 6 && worst <= 0.12 && sum <= crossed;
}

/// Whether the file's rig has five fingers a hand, whether ours has, and how far they are off.
static void judge_fingers(const subject *s, const lmb_embedding *e, double height, outcome *o)
{
    const int bones = LMB_HUMAN_BONE_COUNT - LMB_HUMAN_LEFT_THUMB_METACARPAL;
    double sum = 0;
    uint32_t count = 0, fingers = 0;
    for (int k = 0; k < bones; ++k) {
        const int bone = LMB_HUMAN_LEFT_THUMB_METACARPAL + k;
        const int32_t theirs = s->map.bones[bone].joint, ours = e->human[bone];
        fingers += k % 3 == 1 && theirs != LMB_NONE;
        if (theirs != LMB_NONE && ours != LMB_NONE) {
            sum += (double)lmb_vec3_distance(position_of(s, theirs), e->joints[ours]) / height;
            ++count;
        }
    }
    o->five = fingers == 10;
    o->fingers = e->human[LMB_HUMAN_LEFT_THUMB_METACARPAL] != LMB_NONE;
    o->finger = count > 0 ? 100 * sum / count : (double)NAN;
}

static lmb_skeleton_kind kind_named(const char *kind)
{
    for (int k = LMB_SKELETON_HUMAN; k < LMB_SKELETON_KINDS; ++k) {
        if (strcmp(lmb_skeleton_kind_name((lmb_skeleton_kind)k), kind) == 0) {
            return (lmb_skeleton_kind)k;
        }
    }
    return strcmp(kind, "humanoid") == 0 ? LMB_SKELETON_HUMAN : LMB_SKELETON_AUTO;
}

/// Where an animal's own rig faces: from its chains, zero if they do not tell.
static lmb_vec3 rig_front(const subject *s)
{
    lmb_chain_map chains;
    return lmb_chain_map_find(s->character->skeleton, NULL, &chains, NULL) == LMB_OK
               ? chains.front
               : (lmb_vec3){0};
}

// ---------------------------------------------------------------------------------------------------------- results

static void write_mesh(const subject *s, const char *pose_name)
{
    char path[PATH_SIZE + 128];
    snprintf(path, sizeof path, "%s/%s.%s.obj", write_folder, strrchr(s->path, '/') + 1, pose_name);
    FILE *f = fopen(path, "w");
    for (uint32_t v = 0; f && v < s->position_count; ++v) {
        fprintf(f, "v %g %g %g\n", (double)s->positions[v].x, (double)s->positions[v].y,
                (double)s->positions[v].z);
    }
    for (uint32_t t = 0; f && t < s->triangle_count; ++t) {
        const uint32_t *c = &s->triangles[3 * t];
        fprintf(f, "f %u %u %u\n", c[0] + 1, c[1] + 1, c[2] + 1);
    }
    if (f) {
        fclose(f);
    }
}

/// The embedding that `limber rig` would have of the file.
static lmb_result rig_file(const char *path, lmb_embedding *out, lmb_error *error)
{
    lmb_character *character = read_character(path);
    lmb_rig_report report;
    const lmb_rig_opts opts = {.embed = as_read};
    if (!character) {
        return LMB_ERROR_INVALID;
    }
    const lmb_result result = lmb_rig(&character, &opts, &report, NULL, error);
    *out = report.embedding;
    lmb_character_destroy(character);
    return result;
}

static void judge(const subject *s, const char *pose_name)
{
    const lmb_box box = lmb_box_of(s->positions, s->position_count);
    const lmb_vec3 d = lmb_vec3_sub(box.high, box.low);
    outcome o = {.family = s->family,
                 .human = strcmp(s->kind, "humanoid") == 0,
                 .cd = (double)NAN,
                 .limb = (double)NAN,
                 .finger = (double)NAN,
                 .pck = (double)NAN};
    lmb_embedding e;
    lmb_error error = {0};
    const double begun = seconds_now();
    o.read = (with_rig ? rig_file(s->path, &e, &error)
                       : lmb_embed(s->positions, s->position_count, s->triangles, s->triangle_count,
                                   &as_read, NULL, &e, &error)) == LMB_OK;
    o.seconds = seconds_now() - begun;
    const lmbi_triangle_soup soup = {s->positions, s->position_count, s->triangles,
                                     s->triangle_count, false};
    if (o.read) {
        o.confidence = (double)e.overall;
        o.cd = chamfer(s, &e, fmax((double)d.x, fmax((double)d.y, (double)d.z)));
        if (o.human && e.kind == LMB_SKELETON_HUMAN) {
            judge_limbs(s, &e, (double)d.y, &o);
            judge_fingers(s, &e, (double)d.y, &o);
        } else if (!o.human) {
            o.right =
                e.kind == kind_named(s->kind) && lmb_vec3_dot(e.forward, rig_front(s)) >= -0.5f;
        }
    }
    printf(
        "{\"name\": \"%s\", \"pose\": \"%s\", \"family\": \"%s\", \"kind\": \"%s\", \"read\": "
        "\"%s\", \"right\": %s, "
        "\"confidence\": %.3f, \"uncovered\": %.3f, \"cd_percent\": %.1f, \"limb_percent\": %.1f, "
        "\"limb_worst_percent\": %.1f, \"pck5\": "
        "%.0f, \"five_fingers\": %s, \"fingers_found\": %s, \"finger_percent\": %.1f, \"up\": "
        "[%.1f, %.1f, %.1f], "
        "\"forward\": [%.1f, %.1f, %.1f], "
        "\"joints\": \"%016llx\", \"seconds\": %.2f}\n",
        strrchr(s->path, '/') + 1, pose_name, s->family, s->kind,
        o.read ? lmb_skeleton_kind_name(e.kind) : "refused", o.right ? "true" : "false",
        o.confidence, o.read ? (double)lmbi_uncovered_fraction(&soup, &e) : 0.0, o.cd, o.limb,
        o.limb_worst, o.pck, o.five ? "true" : "false", o.fingers ? "true" : "false", o.finger,
        o.read ? (double)e.up.x : 0.0, o.read ? (double)e.up.y : 0.0, o.read ? (double)e.up.z : 0.0,
        o.read ? (double)e.forward.x : 0.0, o.read ? (double)e.forward.y : 0.0,
        o.read ? (double)e.forward.z : 0.0,
        o.read ? (unsigned long long)lmbi_hash(LMBI_HASH_SEED, e.joints,
                                               e.joint_count * sizeof *e.joints)
               : 0,
        o.seconds);
    fflush(stdout);
    if (result_count < RESULTS) {
        results[result_count++] = o;
    }
}

#include "embed_copies.h"

// -------------------------------------------------------------------------------------------------------- subjects

static void find_deforming(subject *s)
{
    const lmb_character *c = s->character;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        const uint32_t count = is_skinned(c, i) ? mesh->influences.first[mesh->vertex_count] : 0;
        for (uint32_t k = 0; k < count; ++k) {
            s->deforms[c->skins[c->instances[i].skin]->joints[mesh->influences.items[k].joint]] =
                true;
        }
    }
}

static bool open_subject(subject *s)
{
    s->character = strstr(s->path, "md5") ? NULL : read_character(s->path);
    if (!s->character || s->character->instance_count == 0 ||
        lmb_joint_map_of_character(s->character, NULL, &s->map, NULL) != LMB_OK ||
        lmb_deformer_create(s->character, NULL, &s->deformer, NULL) != LMB_OK) {
        return false;
    }
    uint32_t indices = 0;
    for (uint32_t i = 0; i < s->character->instance_count; ++i) {
        const lmb_mesh *mesh = s->character->meshes[s->character->instances[i].mesh];
        s->position_count += mesh->vertex_count;
        indices += mesh->index_count;
    }
    s->triangle_count = indices / 3;
    const uint32_t joints = s->character->skeleton->joint_count;
    s->local = calloc(joints, sizeof *s->local);
    s->model = calloc(joints, sizeof *s->model);
    s->deforms = calloc(joints, sizeof *s->deforms);
    s->positions = calloc(s->position_count, sizeof *s->positions);
    s->triangles = calloc(indices, sizeof *s->triangles);
    find_deforming(s);
    return true;
}

static void close_subject(subject *s)
{
    lmb_deformer_destroy(s->deformer);
    lmb_character_destroy(s->character);
    free(s->local);
    free(s->model);
    free(s->deforms);
    free(s->positions);
    free(s->triangles);
}

static void run_made(uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        lmb_made_body *body = NULL;
        const lmb_made_body_opts opts = {.seed = 100 + k, .whole = true};
        if (lmb_made_body_create(&opts, NULL, &body, NULL) != LMB_OK) {
            continue;
        }
        const lmb_mesh *mesh = body->character->meshes[0];
        subject s = {.position_count = mesh->vertex_count,
                     .triangle_count = mesh->index_count / 3,
                     .positions = (lmb_vec3 *)(uintptr_t)mesh->positions,
                     .triangles = (uint32_t *)(uintptr_t)mesh->indices};
        snprintf(s.path, sizeof s.path, "/made human %u", 100 + k);
        judge_copies(&s);
        lmb_made_body_destroy(body);
    }
}

static const char *keep_name(const char *name)
{
    static char names[FAMILIES][64];
    static uint32_t count;
    for (uint32_t k = 0; k < count; ++k) {
        if (strcmp(names[k], name) == 0) {
            return names[k];
        }
    }
    snprintf(names[count], sizeof names[0], "%s", name);
    return names[count + 1 < FAMILIES ? count++ : count];
}

static void run_line(const char *line, const char *data, bool with_poses, const char *only)
{
    subject s = {0};
    char path[512];
    const char *family = strstr(line, "family: ");
    if (line[0] == '#' || sscanf(line, "%31s %511s", s.kind, path) != 2 ||
        (only && !strstr(line, only))) {
        return;
    }
    snprintf(s.family, sizeof s.family, "%.*s", family ? (int)strcspn(family + 8, "\r\n") : 6,
             family ? family + 8 : "others");
    snprintf(s.path, sizeof s.path, "%s/%s", data, path);
    if (!open_subject(&s)) {
        fprintf(stderr, "%s: not read\n", s.path);
        return;
    }
    for (int p = 0; p < (with_poses && !with_rig && strcmp(s.kind, "humanoid") == 0 ? POSES : 1);
         ++p) {
        if (only_pose && strcmp(poses[p].name, only_pose) != 0) {
            continue;
        }
        as_read.kind =
            told_human && strcmp(s.kind, "humanoid") == 0 ? LMB_SKELETON_HUMAN : LMB_SKELETON_AUTO;
        set_pose(&s, &poses[p]);
        deform(&s);
        // Poses are families of their own: what stands at rest is reported apart.
        if (p > 0) {
            snprintf(s.family, sizeof s.family, "%s", poses[p].name);
        }
        if (write_folder) {
            write_mesh(&s, poses[p].name);
        }
        if (with_copies) {
            if (strcmp(s.kind, "humanoid") == 0) {
                judge_copies(&s);
            }
            continue;
        }
        subject judged = s;
        judge(&judged, poses[p].name);
        results[result_count - 1].family = keep_name(p > 0 ? poses[p].name : s.family);
    }
    close_subject(&s);
}

// --------------------------------------------------------------------------------------------------------- summary

/// The share of pairs of a right and a wrong one in which the right one is surer.
static double area_under_curve(const char *family)
{
    double won = 0, pairs = 0;
    for (uint32_t a = 0; a < result_count; ++a) {
        for (uint32_t b = 0; b < result_count; ++b) {
            if (results[a].right && !results[b].right &&
                (!family || (results[a].family == family && results[b].family == family))) {
                const double x = results[a].confidence, y = results[b].confidence;
                won += x > y ? 1 : x == y ? 0.5 : 0;
                ++pairs;
            }
        }
    }
    return pairs > 0 ? won / pairs : (double)NAN;
}

static double quantile(double *values, uint32_t count, double fraction)
{
    qsort(values, count, sizeof *values, by_value);
    return count > 0 ? values[(uint32_t)(fraction * (count - 1) + 0.5)] : (double)NAN;
}

static void summarize(const char *family)
{
    static double cd[RESULTS], limb[RESULTS], finger[RESULTS], seconds[RESULTS];
    uint32_t count = 0, right = 0, sure_wrong = 0, cds = 0, limb_count = 0, five = 0, fingered = 0;
    double pck = 0;
    for (uint32_t k = 0; k < result_count; ++k) {
        const outcome *o = &results[k];
        if (family && o->family != family) {
            continue;
        }
        right += o->right;
        sure_wrong += !o->right && o->confidence > 0.5;
        seconds[count++] = o->seconds;
        if (o->right) {
            cd[cds++] = o->cd;
        }
        if (o->right && o->human) {
            pck += o->pck;
            limb[limb_count++] = o->limb;
        }
        five += o->five;
        if (o->five && !isnan(o->finger)) {
            finger[fingered++] = o->finger;
        }
    }
    printf("{\"family\": \"%s\", \"bodies\": %u, \"right_percent\": %.1f, \"sure_wrong\": %u, "
           "\"auc\": %.3f, "
           "\"cd_median\": %.2f, \"limb_median\": %.2f, \"pck5_mean\": %.1f, \"seconds_median\": "
           "%.2f, \"seconds_worst\": "
           "%.2f, \"five_fingers\": %u, \"fingers_found\": %u, \"finger_median\": %.2f",
           family ? family : "all", count, 100.0 * right / fmax(count, 1), sure_wrong,
           area_under_curve(family), quantile(cd, cds, 0.5), quantile(limb, limb_count, 0.5),
           limb_count > 0 ? pck / limb_count : (double)NAN, quantile(seconds, count, 0.5),
           quantile(seconds, count, 1), five, fingered, quantile(finger, fingered, 0.5));
    printf("}\n");
}

int main(int argc, char **argv)
{
    lmbi_memory_keep_freed();
    const char *only = NULL;
    bool with_poses = false;
    uint32_t made = 0;
    for (int k = 3; k < argc; ++k) {
        with_poses = with_poses || strcmp(argv[k], "--poses") == 0;
        with_copies = with_copies || strcmp(argv[k], "--copies") == 0;
        with_rig = with_rig || strcmp(argv[k], "--rig") == 0;
        told_human = told_human || strcmp(argv[k], "--human") == 0;
        as_read.y_up = as_read.y_up && strcmp(argv[k], "--any-up") != 0;
        only_pose = strcmp(argv[k], "--pose") == 0 && k + 1 < argc ? argv[k + 1] : only_pose;
        write_folder = strcmp(argv[k], "--write") == 0 && k + 1 < argc ? argv[k + 1] : write_folder;
        made = strcmp(argv[k], "--made") == 0 && k + 1 < argc ? (uint32_t)atoi(argv[k + 1]) : made;
        only = strcmp(argv[k], "--only") == 0 && k + 1 < argc ? argv[k + 1] : only;
    }
    FILE *list = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (!list) {
        fprintf(stderr, "embed_bench LIST DATA [--poses] [--only TEXT]: LIST cannot be read\n");
        return 2;
    }
    char line[1024];
    if (made > 0) {
        with_copies = true;
        run_made(made);
    }
    while (made == 0 && fgets(line, sizeof line, list)) {
        run_line(line, argv[2], with_poses, only);
    }
    fclose(list);
    for (int kind = 0; kind < COPIES && with_copies; ++kind) {
        const uint32_t n = copy_count[kind];
        double sum = 0;
        for (uint32_t k = 0; k < n; ++k) {
            sum += copy_mean[kind][k];
        }
        printf("{\"copies\": \"%s\", \"bodies\": %u, \"other_kind\": %u, \"mean_percent\": %.2f, "
               "\"mean_median\": %.2f, \"worst_median\": %.2f, \"worst_95\": %.2f}\n",
               copy_names[kind], n, copies_refused[kind], sum / fmax(n, 1),
               quantile(copy_mean[kind], n, 0.5), quantile(copy_worst[kind], n, 0.5),
               quantile(copy_worst[kind], n, 0.95));
    }
    if (with_copies) {
        return 0;
    }
    for (uint32_t k = 0; k < result_count; ++k) {
        bool first = true;
        for (uint32_t b = 0; b < k; ++b) {
            first = first && results[b].family != results[k].family;
        }
        if (first) {
            summarize(results[k].family);
        }
    }
    summarize(NULL);
    return 0;
}
