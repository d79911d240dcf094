/// Finds arms and legs by joint names, with ambiguous names resolved by position in the chain.
///
/// A limb is a path down the tree and an ordered list of human bones. The assignment is the one in
/// order with the greatest sum of scores; an ambiguous name ("Shoulder", "Leg") scores for several
/// bones.
#include "mapping/mapper.h"

#include <string.h>

#define BONES 4
#define MISSING (-5.0f)
#define NEVER (-100.0f)

typedef struct limb {
    bool arm;
    int first_bone; ///< of four consecutive human bones
} limb;

/// Arms: shoulder, upper arm, lower arm, hand.
static void arm_scores(const lmbi_name *name, bool elbows, float score[BONES])
{
    static const struct {
        lmbi_name_part part;
        float score[BONES];
    } table[] = {
        {PART_NONE, {0, -0.5f, -0.5f, -0.5f}}, {PART_CLAVICLE, {10, -6, -9, -9}},
        {PART_SHOULDER, {6, 6, -9, -9}},       {PART_ARM, {-1, 7, 1, 0}},
        {PART_UPPER_ARM, {-6, 10, -6, -9}},    {PART_FOREARM, {-9, -6, 10, -6}},
        {PART_WRIST, {-9, -9, -4, 7}},         {PART_HAND, {-9, -9, -6, 9}},
    };
    for (int s = 0; s < BONES; ++s) {
        score[s] = -9.0f;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
        if (table[i].part == name->part) {
            memcpy(score, table[i].score, sizeof(table[i].score));
        }
    }
    if (name->part == PART_WRIST && elbows) {
        score[3] = 9.5f;
    }
}

/// Legs: upper leg, lower leg, foot, toes.
static void leg_scores(const lmbi_name *name, float score[BONES])
{
    static const struct {
        lmbi_name_part part;
        float score[BONES];
    } table[] = {
        {PART_NONE, {-0.5f, -0.5f, -0.5f, 0}}, {PART_SIDE_HIP, {6, -9, -9, -9}},
        {PART_THIGH, {10, -6, -9, -9}},        {PART_LEG, {4, 7, 1, 0.5f}},
        {PART_SHIN, {-6, 10, -6, -9}},         {PART_ANKLE, {-9, -9, 10, -6}},
        {PART_FOOT, {-9, -9, 9, 4}},           {PART_TOE, {-9, -9, -4, 10}},
    };
    for (int s = 0; s < BONES; ++s) {
        score[s] = -9.0f;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
        if (table[i].part == name->part) {
            memcpy(score, table[i].score, sizeof(table[i].score));
        }
    }
}

/// Ranks joints that fit one human bone alike: the first one wins, but the last of hips and
/// shoulders; controls come last.
static void break_ties(const lmbi_name *name, int index, float score[BONES])
{
    const bool last = name->part == PART_SIDE_HIP || name->part == PART_SHOULDER;
    for (int s = 0; s < BONES; ++s) {
        score[s] += (last ? 0.001f : -0.001f) * (float)index;
        score[s] -= name->helper ? 0.5f : 0.0f;
        score[s] -= name->twist ? 8.0f : 0.0f;
        score[s] -= name->control ? 6.0f : 0.0f;
    }
}

static float missing_score(const limb *which, int bone)
{
    return (which->arm && bone == 0) || (!which->arm && bone == 3) ? 0.0f : MISSING;
}

/// Best monotone assignment of path[from..] to bones [bone..]; choice[bone] is an index in the path
/// or -1.
static float assign_bones(const limb *which, const lmbi_path *path, float (*scores)[BONES],
                          int bone, int from, int choice[BONES])
{
    if (bone == BONES) {
        return 0.0f;
    }
    int rest[BONES] = {0};
    float best =
        missing_score(which, bone) + assign_bones(which, path, scores, bone + 1, from, rest);
    memcpy(choice, rest, sizeof(rest));
    choice[bone] = -1;
    for (int i = from; i < path->count; ++i) {
        if (scores[i][bone] <= missing_score(which, bone)) {
            continue;
        }
        const float sum =
            scores[i][bone] + assign_bones(which, path, scores, bone + 1, i + 1, rest);
        if (sum > best) {
            best = sum;
            memcpy(choice, rest, sizeof(rest));
            choice[bone] = i;
        }
    }
    return best;
}

/// Whether a joint is a leaf with its parent's name, numbered or not: the node of a mesh, which
/// exporters hang from the joint that moves it.
static bool is_namesake(const lmbi_mapper *m, int32_t joint)
{
    const int32_t parent = m->skeleton->parents[joint];
    if (parent == LMB_NONE || m->child_count[joint] > 0) {
        return false;
    }
    const char *name = m->skeleton->names[joint], *above = m->skeleton->names[parent];
    const size_t length = strlen(above);
    if (strncmp(name, above, length) != 0) {
        return false;
    }
    name += length;
    return *name == '\0' || (*name == '_' && strspn(name + 1, "0123456789") == strlen(name + 1));
}

static void map_path(lmbi_mapper *m, const limb *which, const lmbi_path *path)
{
    float scores[PATH_MAX][BONES];
    bool elbows = false;
    lmbi_path short_path = {.count = 0};
    for (int i = path->count > 12 ? path->count - 12 : 0; i < path->count; ++i) {
        short_path.joints[short_path.count++] = path->joints[i];
        elbows = elbows || m->names[path->joints[i]].elbow;
    }
    for (int i = 0; i < short_path.count; ++i) {
        const lmbi_name *name = &m->names[short_path.joints[i]];
        if (which->arm) {
            arm_scores(name, elbows, scores[i]);
        } else {
            leg_scores(name, scores[i]);
            scores[i][3] = is_namesake(m, short_path.joints[i]) ? -9.0f : scores[i][3];
        }
        break_ties(name, i, scores[i]);
    }
    int choice[BONES] = {-1, -1, -1, -1};
    assign_bones(which, &short_path, scores, 0, 0, choice);
    for (int s = 0; s < BONES; ++s) {
        if (choice[s] >= 0) {
            const float score = scores[choice[s]][s];
            const bool named = m->names[short_path.joints[choice[s]]].part != PART_NONE;
            lmbi_map_set(m, which->first_bone + s, short_path.joints[choice[s]],
                         score > 8.0f ? LMB_MAP_NAME : (named ? LMB_MAP_PLACE : LMB_MAP_TOPOLOGY),
                         score > 8.0f ? 1.0f : (named ? 0.9f : 0.5f));
        }
    }
}

/// Order of a part along the limb, 0 if it belongs to another limb.
static int part_order(bool arm, const lmbi_name *name)
{
    if (arm) {
        switch (name->part) {
        case PART_HAND:
            return 4;
        case PART_WRIST:
            return 4;
        case PART_FOREARM:
            return 3;
        case PART_ARM:
            return 2;
        case PART_UPPER_ARM:
            return 2;
        default:
            return 0;
        }
    }
    switch (name->part) {
    case PART_TOE:
        return 4;
    case PART_FOOT:
        return 3;
    case PART_ANKLE:
        return 3;
    case PART_SHIN:
        return 2;
    case PART_LEG:
        return 2;
    case PART_THIGH:
        return 1;
    default:
        return 0;
    }
}

/// The middle one of a foot's toes: the foot points along it.
static int32_t middle_toe(const lmbi_mapper *m, int32_t toe)
{
    lmb_vec3 sum = {0, 0, 0};
    float count = 0.0f;
    const int32_t foot = m->skeleton->parents[toe];
    for (uint32_t j = 0; j < m->count; ++j) {
        if (m->skeleton->parents[j] == foot && m->names[j].part == PART_TOE && lmbi_usable(m, j)) {
            sum = lmb_vec3_add(sum, m->positions[j]);
            count += 1.0f;
        }
    }
    const lmb_vec3 mean = lmb_vec3_scale(sum, count > 0.0f ? 1.0f / count : 0.0f);
    int32_t best = toe;
    for (uint32_t j = 0; j < m->count; ++j) {
        if (m->skeleton->parents[j] == foot && m->names[j].part == PART_TOE && lmbi_usable(m, j) &&
            lmb_vec3_distance(m->positions[j], mean) <
                lmb_vec3_distance(m->positions[best], mean)) {
            best = (int32_t)j;
        }
    }
    return best;
}

/// The joint that ends the limb: the last by part, then by depth. Of toes, the topmost.
static int32_t find_end(const lmbi_mapper *m, bool arm, int side)
{
    int32_t best = LMB_NONE;
    int best_order = 0;
    for (uint32_t j = 0; j < m->count; ++j) {
        const lmbi_name *name = &m->names[j];
        const int order =
            name->side == side && lmbi_usable(m, j) && !name->twist ? part_order(arm, name) : 0;
        if (order == 0) {
            continue;
        }
        const bool deeper = best >= 0 && (name->part == PART_TOE ? m->depth[j] < m->depth[best]
                                                                 : m->depth[j] > m->depth[best]);
        if (order > best_order || (order == best_order && deeper)) {
            best = (int32_t)j;
            best_order = order;
        }
    }
    return best >= 0 && m->names[best].part == PART_TOE ? middle_toe(m, best) : best;
}

/// How well a joint continues a limb: below the bone above it, then with children. The nodes of
/// meshes, which may have the names of joints, hang beside the skeleton without any.
static int continuity(const lmbi_mapper *m, int32_t above, uint32_t joint)
{
    return (above >= 0 && lmbi_is_under(m->skeleton, (int32_t)joint, above) ? 2 : 0) +
           (m->child_count[joint] > 0 ? 1 : 0);
}

/// The joint of a part and a side that continues the limb best, the first of several.
static int32_t find_part(const lmbi_mapper *m, lmbi_name_part part, int side, int32_t above)
{
    int32_t best = LMB_NONE;
    for (uint32_t j = 0; j < m->count; ++j) {
        const lmbi_name *name = &m->names[j];
        if (name->side == side && lmbi_usable(m, j) && !name->twist && name->part == part &&
            (best < 0 || continuity(m, above, j) > continuity(m, above, (uint32_t)best))) {
            best = (int32_t)j;
        }
    }
    return best;
}

/// Fills bones that the path lacks by unmistakable names anywhere: feet of IK rigs are children of
/// the root.
static void fill_by_name(lmbi_mapper *m, const limb *which, int side)
{
    static const lmbi_name_part parts[2][BONES] = {
        {PART_THIGH, PART_SHIN, PART_FOOT, PART_TOE},
        {PART_CLAVICLE, PART_UPPER_ARM, PART_FOREARM, PART_HAND}};
    int32_t above = LMB_NONE;
    for (int s = 0; s < BONES; ++s) {
        const int bone = which->first_bone + s;
        const int32_t found = m->map->bones[bone].joint < 0
                                  ? find_part(m, parts[which->arm][s], side, above)
                                  : LMB_NONE;
        if (found >= 0) {
            lmbi_map_set(m, bone, found, LMB_MAP_NAME, 0.9f);
        }
        above = m->map->bones[bone].joint >= 0 ? m->map->bones[bone].joint : above;
    }
}

/// A leg of one joint, as those of toys of blocks, which is found as a shin: any bone of a leg may be
/// called a leg.
static void raise_single(lmbi_mapper *m, int thigh)
{
    lmb_bone_match *bones = m->map->bones + thigh;
    const int32_t joint = bones[1].joint;
    if (joint >= 0 && bones[0].joint < 0 && bones[2].joint < 0 && bones[3].joint < 0 &&
        m->names[joint].part == PART_LEG && m->child_count[joint] == 0) {
        bones[0] = bones[1];
        lmbi_map_set(m, thigh + 1, LMB_NONE, LMB_MAP_MISSING, 0);
    }
}

void lmbi_map_limbs_by_name(lmbi_mapper *m)
{
    static const struct {
        limb which;
        int side;
    } limbs[4] = {
        {{false, LMB_HUMAN_LEFT_UPPER_LEG}, 1},
        {{false, LMB_HUMAN_RIGHT_UPPER_LEG}, -1},
        {{true, LMB_HUMAN_LEFT_SHOULDER}, 1},
        {{true, LMB_HUMAN_RIGHT_SHOULDER}, -1},
    };
    for (int i = 0; i < 4; i += 2) {
        const bool arm = limbs[i].which.arm;
        const int32_t ends[2] = {find_end(m, arm, 1), find_end(m, arm, -1)};
        const int32_t above = ends[0] >= 0 && ends[1] >= 0
                                  ? lmbi_common_ancestor(m->skeleton, ends[0], ends[1])
                                  : LMB_NONE;
        for (int k = 0; k < 2; ++k) {
            if (ends[k] >= 0) {
                const lmbi_path path = lmbi_path_down(m->skeleton, above, ends[k]);
                map_path(m, &limbs[i + k].which, &path);
                fill_by_name(m, &limbs[i + k].which, limbs[i + k].side);
            }
        }
    }
    raise_single(m, LMB_HUMAN_LEFT_UPPER_LEG);
    raise_single(m, LMB_HUMAN_RIGHT_UPPER_LEG);
}
