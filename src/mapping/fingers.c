/// Finds the chains of the five fingers below a hand, and their three bending joints.
#include "mapping/mapper.h"

#define FINGERS 5

/// 0 thumb … 4 little, or -1. `zero_based`: numbers start at 0, as in 3ds Max's Biped (Finger0).
static int finger_of(const lmbi_name *name, bool zero_based)
{
    if (name->part >= PART_THUMB && name->part <= PART_LITTLE) {
        return (int)name->part - (int)PART_THUMB;
    }
    if (name->part == PART_FINGER && name->numbers[0] >= 0 && !name->helper) {
        const int number = name->numbers[0] - (zero_based ? 0 : 1);
        return number >= 0 && number < FINGERS ? number : -1;
    }
    return -1;
}

static bool belongs_to_hand(const lmbi_mapper *m, uint32_t joint, int32_t hand, int side)
{
    const lmbi_name *name = &m->names[joint];
    return (int32_t)joint != hand && lmbi_usable(m, joint) && !name->twist && !name->helper &&
           (name->side == side || name->side == 0) &&
           lmbi_is_under(m->skeleton, (int32_t)joint, hand);
}

/// The finger's joints from the hand outward: its topmost joint, then a line of children.
static lmbi_path finger_path(const lmbi_mapper *m, int32_t hand, int side, int finger,
                             bool zero_based)
{
    lmbi_path path = {.count = 0};
    for (uint32_t j = 0; j < m->count && path.count < PATH_MAX; ++j) {
        if (!belongs_to_hand(m, j, hand, side)) {
            continue;
        }
        if (path.count == 0 ? finger_of(&m->names[j], zero_based) == finger
                            : m->skeleton->parents[j] == path.joints[path.count - 1]) {
            path.joints[path.count++] = (int32_t)j;
        }
    }
    return path;
}

/// Counts bones inside the palm, before the three that bend: named metacarpal, or without the
/// number that the next has.
static int palm_bones(const lmbi_mapper *m, const lmbi_path *path, int finger)
{
    int skip = 0;
    while (finger != 0 && skip + 1 < path->count) {
        const lmbi_name *name = &m->names[path->joints[skip]],
                        *next = &m->names[path->joints[skip + 1]];
        const bool unnumbered = name->numbers[0] < 0 && next->numbers[0] >= 0;
        const bool zero =
            name->numbers[0] == 0 && next->numbers[0] == 1 && name->part != PART_FINGER;
        if (name->segment != SEGMENT_METACARPAL && !unnumbered && !zero) {
            break;
        }
        ++skip;
    }
    return skip;
}

static void map_hand(lmbi_mapper *m, int32_t hand, int side, int first_bone)
{
    bool zero_based = false;
    for (uint32_t j = 0; j < m->count; ++j) {
        zero_based = zero_based || (belongs_to_hand(m, j, hand, side) &&
                                    m->names[j].part == PART_FINGER && m->names[j].numbers[0] == 0);
    }
    for (int finger = 0; finger < FINGERS; ++finger) {
        const lmbi_path path = finger_path(m, hand, side, finger, zero_based);
        const int skip = palm_bones(m, &path, finger);
        for (int k = 0; k < 3 && skip + k < path.count; ++k) {
            lmbi_map_set(m, first_bone + 3 * finger + k, path.joints[skip + k], LMB_MAP_NAME, 1.0f);
        }
    }
}

void lmbi_map_fingers(lmbi_mapper *m)
{
    const int32_t left = m->map->bones[LMB_HUMAN_LEFT_HAND].joint,
                  right = m->map->bones[LMB_HUMAN_RIGHT_HAND].joint;
    if (left >= 0) {
        map_hand(m, left, 1, LMB_HUMAN_LEFT_THUMB_METACARPAL);
    }
    if (right >= 0) {
        map_hand(m, right, -1, LMB_HUMAN_RIGHT_THUMB_METACARPAL);
    }
}
