/// Usual positions of markers by name. Offsets are initial guesses, which the fit moves by
/// centimetres.
#include "capture/marker_names.h"

#include <string.h>

typedef struct entry {
    const char *name; ///< lower case; without the side's prefix where `sided`
    bool sided;       ///< sided: offset of the left one, mirrored for the right
    uint8_t segment, near;
    float x, y, z;
} entry;

#define HIPS LMB_HUMAN_HIPS
#define SPINE LMB_HUMAN_SPINE
#define CHEST LMB_HUMAN_UPPER_CHEST
#define NECK LMB_HUMAN_NECK
#define HEAD LMB_HUMAN_HEAD
#define CLAVICLE LMB_HUMAN_LEFT_SHOULDER
#define ARM LMB_HUMAN_LEFT_UPPER_ARM
#define FOREARM LMB_HUMAN_LEFT_LOWER_ARM
#define HAND LMB_HUMAN_LEFT_HAND
#define THIGH LMB_HUMAN_LEFT_UPPER_LEG
#define SHIN LMB_HUMAN_LEFT_LOWER_LEG
#define FOOT LMB_HUMAN_LEFT_FOOT
#define TOES LMB_HUMAN_LEFT_TOES

static const entry entries[] = {
    // head and trunk
    {"fhd", true, HEAD, HEAD, 0.07f, 0.14f, 0.09f},
    {"bhd", true, HEAD, HEAD, 0.07f, 0.14f, -0.09f},
    {"fthead", true, HEAD, HEAD, 0.07f, 0.14f, 0.09f},
    {"bkhead", true, HEAD, HEAD, 0.07f, 0.14f, -0.09f},
    {"tophead", false, HEAD, HEAD, 0, 0.20f, 0},
    {"headtop", false, HEAD, HEAD, 0, 0.20f, 0},
    {"fronthead", false, HEAD, HEAD, 0, 0.14f, 0.11f},
    {"headfront", false, HEAD, HEAD, 0, 0.14f, 0.11f},
    {"rearhead", false, HEAD, HEAD, 0, 0.14f, -0.11f},
    {"head", true, HEAD, HEAD, 0.08f, 0.14f, 0},
    {"c7", false, CHEST, NECK, 0, 0, -0.06f},
    {"t1", false, CHEST, NECK, 0, -0.03f, -0.07f},
    {"t8", false, CHEST, NECK, 0, -0.18f, -0.13f},
    {"t10", false, CHEST, NECK, 0, -0.24f, -0.13f},
    {"clav", false, CHEST, NECK, 0, -0.07f, 0.08f},
    {"strn", false, CHEST, NECK, 0, -0.22f, 0.13f},
    {"ster", false, CHEST, NECK, 0, -0.10f, 0.09f},
    {"xiph", false, CHEST, NECK, 0, -0.22f, 0.13f},
    {"rbak", false, CHEST, NECK, -0.08f, -0.14f, -0.12f},
    {"rbac", false, CHEST, NECK, -0.08f, -0.14f, -0.12f},
    {"chest", true, CHEST, NECK, 0.12f, -0.18f, 0.11f},
    {"ctchest", true, CHEST, NECK, 0.05f, -0.10f, 0.10f},
    {"spineoffsethigh", false, CHEST, NECK, -0.05f, -0.14f, -0.12f},
    {"sternum", false, CHEST, NECK, 0, -0.12f, 0.10f},
    {"sme", false, CHEST, NECK, 0, -0.07f, 0.08f},
    {"sjn", false, CHEST, NECK, 0, -0.07f, 0.08f},
    {"sxs", false, CHEST, NECK, 0, -0.22f, 0.13f},
    {"chest", false, CHEST, NECK, 0, -0.14f, 0.12f},
    {"spinetop", false, CHEST, NECK, 0, -0.03f, -0.07f},
    {"cv7", false, CHEST, NECK, 0, 0, -0.06f},
    {"tv2", false, CHEST, NECK, 0, -0.06f, -0.09f},
    {"tv7", false, CHEST, NECK, 0, -0.16f, -0.13f},
    {"tv8", false, CHEST, NECK, 0, -0.18f, -0.13f},
    {"tv10", false, CHEST, NECK, 0, -0.24f, -0.13f},
    {"tv12", false, CHEST, NECK, 0, -0.30f, -0.12f},
    {"t12", false, CHEST, NECK, 0, -0.30f, -0.12f},
    {"roffset", false, CHEST, NECK, -0.08f, -0.14f, -0.12f},
    {"loffset", false, CHEST, NECK, 0.08f, -0.14f, -0.12f},
    {"back", true, CHEST, NECK, 0.08f, -0.14f, -0.12f},
    // pelvis
    {"asi", true, HIPS, THIGH, 0.03f, 0.08f, 0.10f},
    {"psi", true, HIPS, THIGH, -0.05f, 0.09f, -0.10f},
    {"fthip", true, HIPS, THIGH, 0.03f, 0.08f, 0.10f},
    {"bkhip", true, HIPS, THIGH, -0.05f, 0.09f, -0.10f},
    {"fwt", true, HIPS, THIGH, 0.03f, 0.08f, 0.10f},
    {"bwt", true, HIPS, THIGH, -0.05f, 0.09f, -0.10f},
    {"sacr", false, HIPS, HIPS, 0, 0.02f, -0.12f},
    {"sacral", false, HIPS, HIPS, 0, 0.02f, -0.12f},
    {"vsacral", false, HIPS, HIPS, 0, 0.02f, -0.12f},
    {"sacrum", false, HIPS, HIPS, 0, 0.02f, -0.12f},
    {"waistback", false, HIPS, HIPS, 0, 0.02f, -0.12f},
    {"asis", true, HIPS, THIGH, 0.03f, 0.08f, 0.10f},
    {"psis", true, HIPS, THIGH, -0.05f, 0.09f, -0.10f},
    {"ias", true, HIPS, THIGH, 0.03f, 0.08f, 0.10f},
    {"ips", true, HIPS, THIGH, -0.05f, 0.09f, -0.10f},
    {"iliaccrest", true, HIPS, THIGH, 0.06f, 0.13f, 0},
    {"ict", true, HIPS, THIGH, 0.06f, 0.13f, 0},
    {"waistlfront", false, HIPS, THIGH, 0.03f, 0.08f, 0.10f},
    {"waistrfront", false, HIPS, LMB_HUMAN_RIGHT_UPPER_LEG, -0.03f, 0.08f, 0.10f},
    {"waistlback", false, HIPS, THIGH, -0.05f, 0.09f, -0.10f},
    {"waistrback", false, HIPS, LMB_HUMAN_RIGHT_UPPER_LEG, 0.05f, 0.09f, -0.10f},
    {"waist", true, HIPS, THIGH, 0.07f, 0.10f, 0},
    // arms: along X, palms down, thumbs forward
    {"sho", true, CLAVICLE, ARM, 0, 0.06f, 0},
    {"shoulder", true, CLAVICLE, ARM, 0, 0.06f, 0},
    {"shouldertop", true, CLAVICLE, ARM, 0, 0.06f, 0},
    {"shouldertp", true, CLAVICLE, ARM, 0, 0.06f, 0},
    {"shoulderback", true, CLAVICLE, ARM, -0.04f, -0.04f, -0.10f},
    {"acromium", true, CLAVICLE, ARM, 0, 0.06f, 0},
    {"acromion", true, CLAVICLE, ARM, 0, 0.06f, 0},
    {"sae", true, CLAVICLE, ARM, 0, 0.06f, 0},
    {"acr", true, CLAVICLE, ARM, 0, 0.06f, 0},
    {"upa", true, ARM, ARM, 0.15f, 0.02f, -0.04f},
    {"arm", true, ARM, ARM, 0.15f, 0.02f, -0.04f},
    {"bicep", true, ARM, ARM, 0.15f, 0.02f, -0.04f},
    {"elb", true, ARM, FOREARM, 0, 0.03f, -0.03f},
    {"elbow", true, ARM, FOREARM, 0, 0.03f, -0.03f},
    {"melb", true, ARM, FOREARM, 0, -0.03f, 0.03f},
    {"elbowout", true, ARM, FOREARM, 0, 0.03f, -0.03f},
    {"elbowin", true, ARM, FOREARM, 0, -0.03f, 0.03f},
    {"elbowlat", true, ARM, FOREARM, 0, 0.03f, -0.03f},
    {"elbowmed", true, ARM, FOREARM, 0, -0.03f, 0.03f},
    {"hle", true, ARM, FOREARM, 0, 0.03f, -0.03f},
    {"hme", true, ARM, FOREARM, 0, -0.03f, 0.03f},
    {"uoa", true, FOREARM, FOREARM, 0, 0, -0.04f},
    {"frm", true, FOREARM, FOREARM, 0.12f, 0.03f, 0},
    {"forearm", true, FOREARM, FOREARM, 0.12f, 0.03f, 0},
    {"wra", true, FOREARM, HAND, 0, 0.01f, 0.04f},
    {"wrb", true, FOREARM, HAND, 0, 0.01f, -0.04f},
    {"iwr", true, FOREARM, HAND, 0, 0.01f, 0.04f},
    {"owr", true, FOREARM, HAND, 0, 0.01f, -0.04f},
    {"wrist", true, FOREARM, HAND, 0, 0.02f, 0},
    {"wristin", true, FOREARM, HAND, 0, 0.01f, 0.04f},
    {"wristout", true, FOREARM, HAND, 0, 0.01f, -0.04f},
    {"wristmed", true, FOREARM, HAND, 0, 0.01f, -0.04f},
    {"wristlat", true, FOREARM, HAND, 0, 0.01f, 0.04f},
    {"rsp", true, FOREARM, HAND, 0, 0.01f, 0.04f},
    {"usp", true, FOREARM, HAND, 0, 0.01f, -0.04f},
    {"wri", true, FOREARM, HAND, 0, 0.02f, 0},
    {"fin", true, HAND, HAND, 0.09f, 0.02f, 0},
    {"hand", true, HAND, HAND, 0.09f, 0.02f, 0},
    {"handout", true, HAND, HAND, 0.08f, 0.02f, -0.03f},
    {"handin", true, HAND, HAND, 0.08f, 0.02f, 0.03f},
    {"hm2", true, HAND, HAND, 0.09f, 0.02f, 0.02f},
    {"hl5", true, HAND, HAND, 0.08f, 0.02f, -0.04f},
    {"thm", true, HAND, HAND, 0.05f, 0, 0.05f},
    {"thmb", true, HAND, HAND, 0.05f, 0, 0.05f},
    {"middfing", true, HAND, HAND, 0.10f, 0.02f, 0},
    {"pinky", true, HAND, HAND, 0.08f, 0.02f, -0.04f},
    {"thumb", true, HAND, HAND, 0.05f, 0, 0.05f},
    // legs
    {"thi", true, THIGH, SHIN, 0.08f, 0.20f, 0},
    {"thigh", true, THIGH, SHIN, 0.08f, 0.20f, 0},
    {"thl", true, THIGH, SHIN, 0.08f, 0.12f, 0},
    {"thighupper", true, THIGH, SHIN, 0.08f, 0.28f, 0.03f},
    {"thighfront", true, THIGH, SHIN, 0.03f, 0.20f, 0.09f},
    {"thighrear", true, THIGH, SHIN, 0.07f, 0.16f, -0.05f},
    {"ftc", true, THIGH, THIGH, 0.07f, -0.02f, 0},
    {"gt", true, THIGH, THIGH, 0.07f, -0.02f, 0},
    {"kne", true, THIGH, SHIN, 0.06f, 0, 0},
    {"knee", true, THIGH, SHIN, 0.06f, 0, 0},
    {"knm", true, THIGH, SHIN, -0.06f, 0, 0},
    {"mkne", true, THIGH, SHIN, -0.06f, 0, 0},
    {"kneelat", true, THIGH, SHIN, 0.06f, 0, 0},
    {"kneeout", true, THIGH, SHIN, 0.06f, 0, 0},
    {"fle", true, THIGH, SHIN, 0.06f, 0, 0},
    {"kneemed", true, THIGH, SHIN, -0.06f, 0, 0},
    {"kneemedial", true, THIGH, SHIN, -0.06f, 0, 0},
    {"kneein", true, THIGH, SHIN, -0.06f, 0, 0},
    {"fme", true, THIGH, SHIN, -0.06f, 0, 0},
    {"knem", true, THIGH, SHIN, -0.06f, 0, 0},
    {"mkn", true, THIGH, SHIN, -0.06f, 0, 0},
    {"tib", true, SHIN, FOOT, 0.06f, 0.20f, 0},
    {"calf", true, SHIN, FOOT, 0.06f, 0.20f, -0.03f},
    {"shn", true, SHIN, FOOT, 0.04f, 0.20f, 0.04f},
    {"shin", true, SHIN, FOOT, 0.04f, 0.20f, 0.04f},
    {"shank", true, SHIN, FOOT, 0.06f, 0.20f, 0},
    {"shankupper", true, SHIN, FOOT, 0.05f, 0.28f, 0},
    {"shankfront", true, SHIN, FOOT, 0.02f, 0.22f, 0.06f},
    {"shankrear", true, SHIN, FOOT, 0.05f, 0.20f, -0.05f},
    {"ttc", true, SHIN, SHIN, 0, -0.06f, 0.06f},
    {"fax", true, SHIN, SHIN, 0.06f, -0.05f, -0.01f},
    {"ank", true, SHIN, FOOT, 0.05f, 0, 0},
    {"ankle", true, SHIN, FOOT, 0.05f, 0, 0},
    {"mank", true, SHIN, FOOT, -0.05f, 0, 0},
    {"anklelat", true, SHIN, FOOT, 0.05f, 0, 0},
    {"ankleout", true, SHIN, FOOT, 0.05f, 0, 0},
    {"fal", true, SHIN, FOOT, 0.05f, 0, 0},
    {"anklemed", true, SHIN, FOOT, -0.05f, 0, 0},
    {"anklemedial", true, SHIN, FOOT, -0.05f, 0, 0},
    {"anklein", true, SHIN, FOOT, -0.05f, 0, 0},
    {"tam", true, SHIN, FOOT, -0.05f, 0, 0},
    {"med", true, SHIN, FOOT, -0.05f, 0, 0},
    {"mma", true, SHIN, FOOT, -0.05f, 0, 0},
    {"hee", true, FOOT, FOOT, 0, -0.05f, -0.06f},
    {"heel", true, FOOT, FOOT, 0, -0.05f, -0.06f},
    {"heelback", true, FOOT, FOOT, 0, -0.05f, -0.06f},
    {"fcc", true, FOOT, FOOT, 0, -0.05f, -0.06f},
    {"toe", true, FOOT, FOOT, 0, -0.05f, 0.16f},
    {"ball", true, FOOT, FOOT, 0.02f, -0.06f, 0.12f},
    {"mt1", true, FOOT, FOOT, -0.03f, -0.06f, 0.13f},
    {"mt5", true, FOOT, FOOT, 0.05f, -0.07f, 0.10f},
    {"fm1", true, FOOT, FOOT, -0.03f, -0.06f, 0.13f},
    {"fm2", true, FOOT, FOOT, 0, -0.05f, 0.14f},
    {"fm5", true, FOOT, FOOT, 0.05f, -0.07f, 0.10f},
    {"dmt1", true, FOOT, FOOT, -0.03f, -0.06f, 0.13f},
    {"dmt5", true, FOOT, FOOT, 0.05f, -0.07f, 0.10f},
    {"forefootin", true, FOOT, FOOT, -0.03f, -0.06f, 0.13f},
    {"forefootout", true, FOOT, FOOT, 0.05f, -0.07f, 0.10f},
    {"toetip", true, FOOT, FOOT, 0, -0.06f, 0.20f},
    {"toelat", true, FOOT, FOOT, 0.05f, -0.07f, 0.10f},
    {"toemed", true, FOOT, FOOT, -0.03f, -0.06f, 0.13f},
    {"midfootsup", true, FOOT, FOOT, 0, -0.01f, 0.07f},
    {"midfootlat", true, FOOT, FOOT, 0.04f, -0.05f, 0.05f},
};

/// Keeps letters and digits, in lower case. False where they do not fit.
static bool normalize_name(const char *name, char *out, size_t size)
{
    size_t n = 0;
    for (; *name != 0; ++name) {
        const char c = *name;
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            if (n + 1 >= size) {
                return false;
            }
            out[n++] = upper ? (char)(c + 32) : c;
        }
    }
    out[n] = 0;
    return n > 0;
}

/// Strips the side from a word: a prefix or suffix such as "left", "lt", "lf" or "l". `attempt` 0
/// to 15 selects which one; longer ones come first.
static const char *strip_side(char *word, int attempt, int *side)
{
    static const struct {
        const char *text;
        int side;
    } marks[] = {{"left", 1}, {"right", -1}, {"lt", 1}, {"rt", -1},
                 {"lf", 1},   {"rf", -1},    {"l", 1},  {"r", -1}};
    const size_t length = strlen(word), size = strlen(marks[attempt / 2].text);
    *side = marks[attempt / 2].side;
    if (size >= length) {
        return NULL;
    }
    if (attempt % 2 == 0) {
        return strncmp(word, marks[attempt / 2].text, size) == 0 ? word + size : NULL;
    }
    if (strcmp(word + length - size, marks[attempt / 2].text) != 0) {
        return NULL;
    }
    word[length - size] = 0;
    return word;
}

static const entry *find_entry(const char *word, bool sided)
{
    for (size_t k = 0; k < sizeof entries / sizeof *entries; ++k) {
        if (entries[k].sided == sided && strcmp(entries[k].name, word) == 0) {
            return &entries[k];
        }
    }
    return NULL;
}

static bool set_guess(const entry *e, int side, lmbi_marker_guess *out)
{
    out->segment = side < 0 ? (int)lmb_human_bone_mirror((lmb_human_bone)e->segment) : e->segment;
    out->near = side < 0 ? (int)lmb_human_bone_mirror((lmb_human_bone)e->near) : e->near;
    out->offset = lmb_vec3_make(side < 0 ? -e->x : e->x, e->y, e->z);
    return true;
}

bool lmbi_marker_name_read(const char *name, lmbi_marker_guess *out)
{
    char word[32], copy[32];
    if (!normalize_name(name, word, sizeof word)) {
        return false;
    }
    const entry *middle = find_entry(word, false);
    if (middle != NULL) {
        return set_guess(middle, 0, out);
    }
    for (int attempt = 0; attempt < 16; ++attempt) {
        int side;
        memcpy(copy, word, sizeof copy);
        const char *rest = strip_side(copy, attempt, &side);
        const entry *e = rest != NULL ? find_entry(rest, true) : NULL;
        if (e != NULL) {
            return set_guess(e, side, out);
        }
    }
    return false;
}
