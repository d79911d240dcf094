// How right the embedding is on characters that artists rigged:
// embed_bench LIST DATA [--poses] [--stages] [--write FOLDER] [--pose NAME]
// [--copies [--made COUNT]] [--rig] [--human] [--only TEXT]
// LIST names a character a line: "KIND PATH … family: NAME" (KIND is humanoid, quadruped, biped, bird, hand or creature;
// without a family it is "others"). DATA is the folder that the paths start from. Only the mesh is given to lmb_embed.
// A humanoid is right when it is read as a human, each limb joint lies within 12 % of the height and sides are not
// exchanged; other kinds when kind and facing agree. --poses embeds every humanoid in eight more poses (--pose in one of them). --stages says of
// each humanoid where it is lost: whether a candidate has the ends of the limbs (found), whether the joints of one are
// right (placed), and whether that one is taken (chosen). --human tells it that humanoids are. --rig asks lmb_rig, as the command does, which searches where a
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
#include "geometry/geometry.h"
#include "painted.h"

enum { FAMILIES = 48, RESULTS = 2048, LIMBS = 12, PATH_SIZE = 1024 };

/// The characters come from glTF and FBX, whose formats say that +Y is up.
static lmb_embed_opts as_read = {.y_up = true};
static bool told_human;

static const lmb_human_bone limbs[LIMBS] = {
    LMB_HUMAN_LEFT_UPPER_ARM,  LMB_HUMAN_LEFT_LOWER_ARM,  LMB_HUMAN_LEFT_HAND,
    LMB_HUMAN_RIGHT_UPPER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM, LMB_HUMAN_RIGHT_HAND,
    LMB_HUMAN_LEFT_UPPER_LEG,  LMB_HUMAN_LEFT_LOWER_LEG,  LMB_HUMAN_LEFT_FOOT,
    LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG, LMB_HUMAN_RIGHT_FOOT,
};

// Directions of bones in the character's own axes: out to the bone's side, up, to the front. Zero: as at rest.
typedef struct pose {
    const char *name;
    lmb_vec3 upper_arm[2], lower_arm[2], upper_leg[2], lower_leg[2]; ///< left, right
} pose;

#define BOTH(x, y, z) \
    {                 \
        {x, y, z},    \
        {             \
            x, y, z   \
        }             \
    }
static const pose poses[] = {
    {.name = "rest"},
    {.name = "down", .upper_arm = BOTH(0.26f, -0.97f, 0), .lower_arm = BOTH(0.26f, -0.97f, 0.05f)},
    {.name = "raised", .upper_arm = BOTH(0.5f, 0.87f, 0), .lower_arm = BOTH(0.5f, 0.87f, 0)},
    {.name = "bent", .upper_arm = BOTH(0.9f, -0.4f, 0), .lower_arm = BOTH(0.4f, 0.9f, 0.2f)},
    {.name = "wave",
     .upper_arm = {{0.3f, -0.95f, 0}, {0.85f, 0.5f, 0}},
     .lower_arm = {{0.3f, -0.95f, 0}, {0.2f, 0.98f, 0}}},
    {.name = "stride",
     .upper_arm = {{0.3f, -0.85f, 0.42f}, {0.3f, -0.85f, -0.42f}},
     .lower_arm = {{0.25f, -0.7f, 0.66f}, {0.25f, -0.9f, -0.2f}},
     .upper_leg = {{0, -0.9f, -0.42f}, {0, -0.9f, 0.42f}},
     .lower_leg = {{0, -0.8f, -0.6f}, {0, -1, 0}}},
    {.name = "sitting",
     .upper_arm = BOTH(0.5f, -0.85f, 0.1f),
     .lower_arm = BOTH(0.3f, -0.7f, 0.6f),
     .upper_leg = BOTH(0.15f, -0.1f, 0.98f),
     .lower_leg = BOTH(0, -1, 0)},
    {.name = "crossed",
     .upper_arm = BOTH(0.4f, -0.8f, 0.4f),
     .lower_arm = {{-0.85f, 0.1f, 0.5f}, {-0.85f, 0.25f, 0.5f}}},
    {.name = "hips",
     .upper_arm = BOTH(0.65f, -0.7f, -0.25f),
     .lower_arm = BOTH(-0.7f, -0.6f, 0.4f)},
};
enum { POSES = sizeof poses / sizeof *poses };

typedef struct outcome {
    const char *family;
    bool human, right, read, found, placed;
    double confidence, cd, limb, limb_worst, pck, seconds;
} outcome;

typedef struct subject {
    char kind[32], path[PATH_SIZE], family[64];
    lmb_character *character;
    lmb_joint_map map;
    lmb_deformer *deformer;
    lmb_transform *local;
    lmb_mat4 *model;
    lmb_vec3 *positions;
    uint32_t *triangles, position_count, triangle_count;
    bool *deforms;
} subject;

static bool with_stages, with_copies, with_rig;
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

// --------------------------------------------------------------------------------------------------------- posing

static lmb_vec3 position_of(const subject *s, int32_t joint)
{
    return lmb_vec3_make(s->model[joint].m[12], s->model[joint].m[13], s->model[joint].m[14]);
}

static void update_model(const subject *s)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = s->character->skeleton, .local = s->local, .model_from_joint = s->model});
}

static lmb_quat model_rotation(const subject *s, int32_t joint)
{
    lmb_quat q = lmb_quat_identity();
    for (; joint != LMB_NONE; joint = s->character->skeleton->parents[joint]) {
        q = lmb_quat_mul(s->local[joint].rotation, q);
    }
    return q;
}

/// Rotates a bone so that its child lies in the direction `wanted` of the scene.
static void aim(subject *s, lmb_human_bone bone, lmb_human_bone child, lmb_vec3 wanted)
{
    const int32_t j = s->map.bones[bone].joint, c = s->map.bones[child].joint;
    if (j == LMB_NONE || c == LMB_NONE || lmb_vec3_length(wanted) == 0) {
        return;
    }
    const lmb_vec3 now =
        lmb_vec3_normalize_or(lmb_vec3_sub(position_of(s, c), position_of(s, j)), wanted);
    const lmb_quat turn = lmb_quat_between(now, lmb_vec3_normalize_or(wanted, now));
    const int32_t parent = s->character->skeleton->parents[j];
    const lmb_quat above = parent == LMB_NONE ? lmb_quat_identity() : model_rotation(s, parent);
    s->local[j].rotation = lmb_quat_mul(
        lmb_quat_mul(lmb_quat_conjugate(above), lmb_quat_mul(turn, above)), s->local[j].rotation);
    update_model(s);
}

static void set_pose(subject *s, const pose *p)
{
    const lmb_vec3 up = {0, 1, 0}, front = lmb_joint_map_facing(&s->map, s->character->skeleton);
    const lmb_vec3 left = lmb_vec3_cross(up, front);
    memcpy(s->local, s->character->skeleton->rest,
           s->character->skeleton->joint_count * sizeof *s->local);
    update_model(s);
    for (int side = 0; side < 2; ++side) {
        const struct {
            lmb_human_bone bone, child;
            lmb_vec3 direction;
        } bones[] = {
            {side ? LMB_HUMAN_RIGHT_UPPER_ARM : LMB_HUMAN_LEFT_UPPER_ARM,
             side ? LMB_HUMAN_RIGHT_LOWER_ARM : LMB_HUMAN_LEFT_LOWER_ARM, p->upper_arm[side]},
            {side ? LMB_HUMAN_RIGHT_LOWER_ARM : LMB_HUMAN_LEFT_LOWER_ARM,
             side ? LMB_HUMAN_RIGHT_HAND : LMB_HUMAN_LEFT_HAND, p->lower_arm[side]},
            {side ? LMB_HUMAN_RIGHT_UPPER_LEG : LMB_HUMAN_LEFT_UPPER_LEG,
             side ? LMB_HUMAN_RIGHT_LOWER_LEG : LMB_HUMAN_LEFT_LOWER_LEG, p->upper_leg[side]},
            {side ? LMB_HUMAN_RIGHT_LOWER_LEG : LMB_HUMAN_LEFT_LOWER_LEG,
             side ? LMB_HUMAN_RIGHT_FOOT : LMB_HUMAN_LEFT_FOOT, p->lower_leg[side]},
        };
        for (size_t b = 0; b < sizeof bones / sizeof *bones; ++b) {
            const lmb_vec3 d = bones[b].direction;
            const lmb_vec3 out = lmb_vec3_scale(left, side ? -d.x : d.x);
            aim(s, bones[b].bone, bones[b].child,
                lmb_vec3_add(out,
                             lmb_vec3_add(lmb_vec3_scale(up, d.y), lmb_vec3_scale(front, d.z))));
        }
    }
}

/// The mesh at the pose: all instances in one list of triangles.
static void deform(subject *s)
{
    lmb_deform(&(lmb_deform_job){
        .deformer = s->deformer, .model_from_joint = s->model, .positions_only = true});
    uint32_t first = 0, corner = 0;
    for (uint32_t i = 0; i < s->character->instance_count; ++i) {
        const lmb_mesh *mesh = s->character->meshes[s->character->instances[i].mesh];
        const lmb_deformed d = lmb_deformer_instance(s->deformer, i);
        memcpy(s->positions + first, d.positions, mesh->vertex_count * sizeof *s->positions);
        for (uint32_t k = 0; k < mesh->index_count; ++k) {
            s->triangles[corner++] = first + mesh->indices[k];
        }
        first += mesh->vertex_count;
    }
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

// ---------------------------------------------------------------------------------------------------------- stages

static const int placed_joints[LIMBS] = {
    LMBI_LEFT_UPPER_ARM,  LMBI_LEFT_LOWER_ARM,  LMBI_LEFT_HAND,       LMBI_RIGHT_UPPER_ARM,
    LMBI_RIGHT_LOWER_ARM, LMBI_RIGHT_HAND,      LMBI_LEFT_UPPER_LEG,  LMBI_LEFT_LOWER_LEG,
    LMBI_LEFT_FOOT,       LMBI_RIGHT_UPPER_LEG, LMBI_RIGHT_LOWER_LEG, LMBI_RIGHT_FOOT,
};

/// Whether the limbs of a candidate end near the hands and feet of the rig: at most as far as fingers and toes reach.
static bool ends_agree(const subject *s, const lmbi_human_candidate *c, double height)
{
    const double reach = 0.15;
    const lmbi_figure *f = &c->figure;
    bool agree = !f->guess[0].made && !f->guess[1].made;
    for (int side = 0; side < 2 && agree; ++side) {
        const int32_t hand = s->map.bones[limbs[3 * side + 2]].joint,
                      foot = s->map.bones[limbs[3 * side + 8]].joint;
        const lmb_vec3 a = lmbi_frame_from(&f->frame, f->tips[f->pose.hand[side]].position),
                       b = lmbi_frame_from(&f->frame, f->tips[f->pose.foot[side]].position);
        agree = hand != LMB_NONE && foot != LMB_NONE &&
                (double)lmb_vec3_distance(a, position_of(s, hand)) < reach * height &&
                (double)lmb_vec3_distance(b, position_of(s, foot)) < reach * height;
    }
    return agree;
}

static double worst_of(const subject *s, const lmbi_human_candidate *c, double height, int *limb)
{
    double worst = 0;
    *limb = 0;
    for (int k = 0; k < LIMBS; ++k) {
        const int32_t joint = s->map.bones[limbs[k]].joint;
        if (joint != LMB_NONE) {
            const lmb_vec3 at = lmbi_frame_from(&c->figure.frame, c->placed.at[placed_joints[k]]);
            const double off = (double)lmb_vec3_distance(at, position_of(s, joint)) / height;
            *limb = off > worst ? k : *limb;
            worst = fmax(worst, off);
        }
    }
    return worst;
}

/// Places every candidate, and prints each: the voxels, the chance, the worst joint, whether the ends agree.
static void judge_stages(const subject *s, double height, outcome *o)
{
    static lmbi_human_candidate list[LMBI_HUMAN_CANDIDATES];
    static lmbi_readings readings;
    lmbi_triangle_soup soup = {s->positions, s->position_count, s->triangles, s->triangle_count,
                               false};
    lmbi_embed_input input;
    uint32_t count = 0;
    if (lmbi_embed_input_create(&soup, NULL, &input, NULL) != LMB_OK ||
        lmbi_readings_find(&input.whole, &as_read, &readings, NULL) != LMB_OK ||
        lmbi_human_candidates(&input.whole, &as_read, NULL, &readings, LMBI_EFFORT_ALL, list,
                              &count, NULL) != LMB_OK) {
        return;
    }
    printf("{\"candidates\": [");
    for (uint32_t c = 0; c < count; ++c) {
        const bool ends = ends_agree(s, &list[c], height);
        int limb;
        const double worst = worst_of(s, &list[c], height, &limb);
        o->found = o->found || ends;
        o->placed = o->placed || worst <= 0.12;
        const lmb_vec3 front = list[c].figure.frame.axes[2], up = list[c].figure.frame.axes[1];
        printf("%s{\"voxels\": %d, \"chance\": %.2f, \"worst_percent\": %.1f, \"joint\": \"%s\", "
               "\"ends\": %s, \"up\": [%.1f, %.1f, %.1f], \"forward\": [%.1f, %.1f, %.1f], "
               "\"clues\": [",
               c ? ", " : "", (int)list[c].variant, (double)list[c].chance, 100 * worst,
               lmb_human_bone_name(limbs[limb]), ends ? "true" : "false", (double)up.x,
               (double)up.y, (double)up.z, (double)front.x, (double)front.y, (double)front.z);
        for (int q = 0; q < LMBI_CLUES; ++q) {
            printf("%s%.4f", q ? ", " : "", (double)list[c].clues[q]);
        }
        printf("]}");
    }
    printf("]}\n");
    lmbi_embed_input_destroy(&input);
}

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
                 .pck = (double)NAN};
    lmb_embedding e;
    lmb_error error = {0};
    const double begun = seconds_now();
    o.read = (with_rig ? rig_file(s->path, &e, &error)
                       : lmb_embed(s->positions, s->position_count, s->triangles, s->triangle_count,
                                   &as_read, NULL, &e, &error)) == LMB_OK;
    o.seconds = seconds_now() - begun;
    if (o.read) {
        o.confidence = (double)e.overall;
        o.cd = chamfer(s, &e, fmax((double)d.x, fmax((double)d.y, (double)d.z)));
        if (o.human && e.kind == LMB_SKELETON_HUMAN) {
            judge_limbs(s, &e, (double)d.y, &o);
        } else if (!o.human) {
            o.right =
                e.kind == kind_named(s->kind) && lmb_vec3_dot(e.forward, rig_front(s)) >= -0.5f;
        }
    }
    printf("{\"name\": \"%s\", \"pose\": \"%s\", \"family\": \"%s\", \"kind\": \"%s\", \"read\": "
           "\"%s\", \"right\": %s, "
           "\"confidence\": %.2f, \"cd_percent\": %.1f, \"limb_percent\": %.1f, "
           "\"limb_worst_percent\": %.1f, \"pck5\": "
           "%.0f, \"up\": [%.1f, %.1f, %.1f], \"forward\": [%.1f, %.1f, %.1f], "
           "\"joints\": \"%016llx\", \"seconds\": %.2f}\n",
           strrchr(s->path, '/') + 1, pose_name, s->family, s->kind,
           o.read ? lmb_skeleton_kind_name(e.kind) : "refused", o.right ? "true" : "false",
           o.confidence, o.cd, o.limb, o.limb_worst, o.pck, o.read ? (double)e.up.x : 0.0,
           o.read ? (double)e.up.y : 0.0, o.read ? (double)e.up.z : 0.0,
           o.read ? (double)e.forward.x : 0.0, o.read ? (double)e.forward.y : 0.0,
           o.read ? (double)e.forward.z : 0.0,
           o.read ? (unsigned long long)lmbi_hash(LMBI_HASH_SEED, e.joints,
                                                  e.joint_count * sizeof *e.joints)
                  : 0,
           o.seconds);
    if (with_stages && o.human) {
        judge_stages(s, (double)d.y, &o);
    }
    fflush(stdout);
    if (result_count < RESULTS) {
        results[result_count++] = o;
    }
}

// ---------------------------------------------------------------------------------------------------------- copies

enum { TURNED, SCALED, NOISY, CLUSTERED, HOLED, DECIMATED, COPIES };
static const char *const copy_names[COPIES] = {"turned",    "scaled", "noisy",
                                               "clustered", "holed",  "decimated"};
static const float TURN_RAD = 0.6f, SCALE = 3.7f;
static double copy_mean[COPIES][RESULTS], copy_worst[COPIES][RESULTS];
static uint32_t copy_count[COPIES], copies_refused[COPIES];

static lmb_vec3 turned(lmb_vec3 p, float rad)
{
    return lmb_quat_rotate(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), rad), p);
}

/// The mesh of `s` with 30 % of its triangles; false where it is not closed.
static bool decimate(const subject *s, lmb_vec3 *positions, uint32_t *position_count,
                     uint32_t *triangles, uint32_t *triangle_count)
{
    const lmb_surface_part part = {.positions = s->positions,
                                   .vertex_count = s->position_count,
                                   .indices = s->triangles,
                                   .index_count = 3 * s->triangle_count};
    lmb_surface *whole = NULL, *few = NULL;
    const lmbi_decimate_opts opts = {.triangle_count = 3 * s->triangle_count / 10};
    const bool made = lmb_surface_create(&part, 1, NULL, NULL, &whole, NULL) == LMB_OK &&
                      lmbi_surface_decimate(whole, &opts, NULL, &few, NULL, NULL) == LMB_OK;
    if (made) {
        memcpy(positions, few->positions, few->vertex_count * sizeof *positions);
        memcpy(triangles, few->triangles, 3 * (size_t)few->triangle_count * sizeof *triangles);
        *position_count = few->vertex_count;
        *triangle_count = few->triangle_count;
    }
    lmb_surface_destroy(whole);
    lmb_surface_destroy(few);
    return made;
}

/// Writes a copy of the mesh of `s`; the arrays have room for as much.
static void make_copy(const subject *s, int kind, float height, lmb_vec3 *positions,
                      uint32_t *triangles, uint32_t *triangle_count)
{
    lmb_random random = lmb_random_seed(7);
    const float cell = 0.012f * height;
    *triangle_count = 0;
    for (uint32_t v = 0; v < s->position_count; ++v) {
        const lmb_vec3 p = s->positions[v];
        positions[v] = kind == TURNED   ? turned(p, TURN_RAD)
                       : kind == SCALED ? lmb_vec3_scale(p, SCALE)
                                        : p;
        if (kind == CLUSTERED) {
            positions[v] =
                lmb_vec3_make(cell * floorf(p.x / cell + 0.5f), cell * floorf(p.y / cell + 0.5f),
                              cell * floorf(p.z / cell + 0.5f));
        }
        if (kind == NOISY) {
            // The same noise at equal positions, so that seams stay closed.
            lmb_random own = lmb_random_seed(
                (uint64_t)(lmb_vec3_dot(p, lmb_vec3_make(7919, 104729, 1299709)) / height));
            const float by = 0.003f * height;
            positions[v] = lmb_vec3_add(p, lmb_vec3_make(lmb_random_range(&own, -by, by),
                                                         lmb_random_range(&own, -by, by),
                                                         lmb_random_range(&own, -by, by)));
        }
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        if (kind != HOLED || lmb_random_unit(&random) > 0.03f) {
            memcpy(triangles + 3 * (*triangle_count)++, s->triangles + 3 * t,
                   3 * sizeof *triangles);
        }
    }
}

/// How far the body joints of a copy, brought back, lie from those of the original.
static void compare_copy(const lmb_embedding *a, const lmb_embedding *b, int kind, float height,
                         double *mean, double *worst)
{
    double sum = 0;
    *worst = 0;
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        const lmb_vec3 at = kind == TURNED   ? turned(b->joints[j], -TURN_RAD)
                            : kind == SCALED ? lmb_vec3_scale(b->joints[j], 1 / SCALE)
                                             : b->joints[j];
        const double off = 100 * (double)(lmb_vec3_distance(a->joints[j], at) / height);
        sum += off;
        *worst = fmax(*worst, off);
    }
    *mean = sum / LMBI_BODY_JOINTS;
}

static void judge_copies(const subject *s)
{
    const lmb_box box = lmb_box_of(s->positions, s->position_count);
    const float height = box.high.y - box.low.y;
    lmb_vec3 *positions = calloc(s->position_count, sizeof *positions);
    uint32_t *triangles = calloc(3 * (size_t)s->triangle_count, sizeof *triangles), count,
             position_count = s->position_count;
    lmb_embedding whole, copy;
    if (!positions || !triangles ||
        lmb_embed(s->positions, s->position_count, s->triangles, s->triangle_count, &as_read, NULL,
                  &whole, NULL) != LMB_OK ||
        whole.kind != LMB_SKELETON_HUMAN) {
        free(positions);
        free(triangles);
        return;
    }
    for (int kind = 0; kind < COPIES; ++kind) {
        if (kind != DECIMATED) {
            make_copy(s, kind, height, positions, triangles, &count);
        } else if (!decimate(s, positions, &position_count, triangles, &count)) {
            continue;
        }
        if (lmb_embed(positions, position_count, triangles, count, &as_read, NULL, &copy, NULL) !=
                LMB_OK ||
            copy.kind != LMB_SKELETON_HUMAN) {
            ++copies_refused[kind];
            continue;
        }
        const uint32_t n = copy_count[kind]++;
        compare_copy(&whole, &copy, kind, height, &copy_mean[kind][n], &copy_worst[kind][n]);
        printf("{\"name\": \"%s\", \"copy\": \"%s\", \"mean_percent\": %.2f, "
               "\"worst_percent\": %.2f, \"confidence\": [%.2f, %.2f]}\n",
               strrchr(s->path, '/') + 1, copy_names[kind], copy_mean[kind][n], copy_worst[kind][n],
               (double)whole.overall, (double)copy.overall);
    }
    fflush(stdout);
    free(positions);
    free(triangles);
}

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
    static double cd[RESULTS], limb[RESULTS], seconds[RESULTS];
    uint32_t count = 0, right = 0, sure_wrong = 0, cds = 0, limb_count = 0;
    uint32_t found = 0, placed = 0;
    double pck = 0;
    for (uint32_t k = 0; k < result_count; ++k) {
        const outcome *o = &results[k];
        if (family && o->family != family) {
            continue;
        }
        right += o->right;
        found += o->found;
        placed += o->placed;
        sure_wrong += !o->right && o->confidence > 0.5;
        seconds[count++] = o->seconds;
        if (o->right) {
            cd[cds++] = o->cd;
        }
        if (o->right && o->human) {
            pck += o->pck;
            limb[limb_count++] = o->limb;
        }
    }
    printf("{\"family\": \"%s\", \"bodies\": %u, \"right_percent\": %.1f, \"sure_wrong\": %u, "
           "\"auc\": %.3f, "
           "\"cd_median\": %.2f, \"limb_median\": %.2f, \"pck5_mean\": %.1f, \"seconds_median\": "
           "%.2f, \"seconds_worst\": "
           "%.2f",
           family ? family : "all", count, 100.0 * right / fmax(count, 1), sure_wrong,
           area_under_curve(family), quantile(cd, cds, 0.5), quantile(limb, limb_count, 0.5),
           limb_count > 0 ? pck / limb_count : (double)NAN, quantile(seconds, count, 0.5),
           quantile(seconds, count, 1));
    if (with_stages) {
        printf(", \"found\": %u, \"placed\": %u, \"chosen\": %u", found, placed, right);
    }
    printf("}\n");
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    bool with_poses = false;
    uint32_t made = 0;
    for (int k = 3; k < argc; ++k) {
        with_poses = with_poses || strcmp(argv[k], "--poses") == 0;
        with_copies = with_copies || strcmp(argv[k], "--copies") == 0;
        with_rig = with_rig || strcmp(argv[k], "--rig") == 0;
        told_human = told_human || strcmp(argv[k], "--human") == 0;
        with_stages = with_stages || strcmp(argv[k], "--stages") == 0;
        only_pose = strcmp(argv[k], "--pose") == 0 && k + 1 < argc ? argv[k + 1] : only_pose;
        write_folder = strcmp(argv[k], "--write") == 0 && k + 1 < argc ? argv[k + 1] : write_folder;
        made = strcmp(argv[k], "--made") == 0 && k + 1 < argc ? (uint32_t)atoi(argv[k + 1]) : made;
        only = strcmp(argv[k], "--only") == 0 && k + 1 < argc ? argv[k + 1] : only;
    }
    FILE *list = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (!list) {
        fprintf(stderr,
                "embed_bench LIST DATA [--poses] [--stages] [--only TEXT]: LIST cannot be read\n");
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
