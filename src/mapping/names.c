/// Parsing of joint names: split into dictionary words, then interpreted.
#include "mapping/names.h"

#include <string.h>

#define MAX_WORDS 24

typedef enum word_kind {
    WORD_PART,
    WORD_SIDE,
    WORD_UPPER,
    WORD_LOWER,
    WORD_FORE,
    WORD_SEGMENT,
    WORD_TWIST,
    WORD_END,
    WORD_CONTROL,
    WORD_JOINT,
    WORD_BASE,
    WORD_NOISE,
} word_kind;

/// Values of control words that name parts of animals.
enum { ANIMAL_PART = 1, ANIMAL_TAIL };

typedef struct word {
    const char *text;
    uint8_t kind, value;
} word;

/// The longest word that matches is taken.
static const word dictionary[] = {
    // spellings of whole bones
    {"upperarm", WORD_PART, PART_UPPER_ARM},
    {"uparm", WORD_PART, PART_UPPER_ARM},
    {"humerus", WORD_PART, PART_UPPER_ARM},
    {"bicep", WORD_PART, PART_UPPER_ARM},
    {"shldr", WORD_PART, PART_SHOULDER},
    {"forearm", WORD_PART, PART_FOREARM},
    {"lowerarm", WORD_PART, PART_FOREARM},
    {"lowarm", WORD_PART, PART_FOREARM},
    {"loarm", WORD_PART, PART_FOREARM},
    {"radius", WORD_PART, PART_FOREARM},
    {"ulna", WORD_PART, PART_FOREARM},
    {"elbow", WORD_PART, PART_FOREARM},
    {"upperleg", WORD_PART, PART_THIGH},
    {"upleg", WORD_PART, PART_THIGH},
    {"thigh", WORD_PART, PART_THIGH},
    {"femur", WORD_PART, PART_THIGH},
    {"lowerleg", WORD_PART, PART_SHIN},
    {"lowleg", WORD_PART, PART_SHIN},
    {"loleg", WORD_PART, PART_SHIN},
    {"calf", WORD_PART, PART_SHIN},
    {"shin", WORD_PART, PART_SHIN},
    {"tibia", WORD_PART, PART_SHIN},
    {"knee", WORD_PART, PART_SHIN},
    {"metatarsal", WORD_NOISE, 0},
    {"forefoot", WORD_PART, PART_TOE},
    {"lowerback", WORD_PART, PART_SPINE},
    {"upperback", WORD_PART, PART_SPINE},
    {"upperchest", WORD_PART, PART_SPINE},
    {"lowerneck", WORD_PART, PART_NECK},
    {"upperneck", WORD_PART, PART_NECK},
    {"clavicle", WORD_PART, PART_CLAVICLE},
    {"collar", WORD_PART, PART_CLAVICLE},
    {"shoulder", WORD_PART, PART_SHOULDER},
    {"breast", WORD_CONTROL, 0},
    {"boob", WORD_CONTROL, 0},
    // parts
    {"pelvis", WORD_PART, PART_HIPS},
    {"hips", WORD_PART, PART_HIPS},
    {"hip", WORD_PART, PART_HIPS},
    {"spine", WORD_PART, PART_SPINE},
    {"abdomen", WORD_PART, PART_SPINE},
    {"waist", WORD_PART, PART_SPINE},
    {"torso", WORD_PART, PART_SPINE},
    {"chest", WORD_PART, PART_SPINE},
    {"thorax", WORD_PART, PART_SPINE},
    {"ribcage", WORD_PART, PART_SPINE},
    {"ribs", WORD_PART, PART_SPINE},
    {"belly", WORD_PART, PART_SPINE},
    {"stomach", WORD_PART, PART_SPINE},
    {"back", WORD_PART, PART_SPINE},
    {"ab", WORD_PART, PART_SPINE},
    {"neck", WORD_PART, PART_NECK},
    {"headtop", WORD_END, 0},
    {"head", WORD_PART, PART_HEAD},
    {"skull", WORD_PART, PART_HEAD},
    {"eyebrow", WORD_CONTROL, 0},
    {"eyelid", WORD_CONTROL, 0},
    {"eyes", WORD_CONTROL, 0},
    {"eye", WORD_PART, PART_EYE},
    {"jaw", WORD_PART, PART_JAW},
    {"arm", WORD_PART, PART_ARM},
    {"wrist", WORD_PART, PART_WRIST},
    {"handslot", WORD_CONTROL, 0},
    {"hand", WORD_PART, PART_HAND},
    {"palm", WORD_PART, PART_HAND},
    {"fist", WORD_PART, PART_HAND},
    {"leg", WORD_PART, PART_LEG},
    {"ankle", WORD_PART, PART_ANKLE},
    {"foot", WORD_PART, PART_FOOT},
    {"toes", WORD_PART, PART_TOE},
    {"toe", WORD_PART, PART_TOE},
    {"ball", WORD_PART, PART_TOE},
    {"thumb", WORD_PART, PART_THUMB},
    {"index", WORD_PART, PART_INDEX},
    {"pointer", WORD_PART, PART_INDEX},
    {"middle", WORD_PART, PART_MIDDLE},
    {"mid", WORD_PART, PART_MIDDLE},
    {"ring", WORD_PART, PART_RING},
    {"pinky", WORD_PART, PART_LITTLE},
    {"pinkie", WORD_PART, PART_LITTLE},
    {"little", WORD_PART, PART_LITTLE},
    {"fingers", WORD_PART, PART_FINGER},
    {"finger", WORD_PART, PART_FINGER},
    {"fing", WORD_PART, PART_FINGER},
    {"root", WORD_PART, PART_ROOT},
    {"master", WORD_PART, PART_ROOT},
    // sides and degrees
    {"left", WORD_SIDE, 1},
    {"right", WORD_SIDE, 2},
    {"lft", WORD_SIDE, 1},
    {"rgt", WORD_SIDE, 2},
    {"upper", WORD_UPPER, 0},
    {"up", WORD_UPPER, 0},
    {"lower", WORD_LOWER, 0},
    {"low", WORD_LOWER, 0},
    {"lo", WORD_LOWER, 0},
    {"fore", WORD_FORE, 0},
    {"metacarpal", WORD_SEGMENT, SEGMENT_METACARPAL},
    {"carpal", WORD_SEGMENT, SEGMENT_METACARPAL},
    {"meta", WORD_SEGMENT, SEGMENT_METACARPAL},
    {"proximal", WORD_SEGMENT, SEGMENT_PROXIMAL},
    {"intermediate", WORD_SEGMENT, SEGMENT_INTERMEDIATE},
    {"distal", WORD_SEGMENT, SEGMENT_DISTAL},
    {"phalanx", WORD_NOISE, 0},
    {"phalange", WORD_NOISE, 0},
    // helpers
    {"twist", WORD_TWIST, 0},
    {"roll", WORD_TWIST, 0},
    {"end", WORD_END, 0},
    {"tip", WORD_END, 0},
    {"nub", WORD_END, 0},
    {"site", WORD_END, 0},
    {"effector", WORD_END, 0},
    {"ik", WORD_CONTROL, 0},
    {"fk", WORD_CONTROL, 0},
    {"pole", WORD_CONTROL, 0},
    {"target", WORD_CONTROL, 0},
    {"control", WORD_CONTROL, 0},
    {"ctrl", WORD_CONTROL, 0},
    {"ctl", WORD_CONTROL, 0},
    {"socket", WORD_CONTROL, 0},
    {"slot", WORD_CONTROL, 0},
    {"attach", WORD_CONTROL, 0},
    {"weapon", WORD_CONTROL, 0},
    {"sword", WORD_CONTROL, 0},
    {"shield", WORD_CONTROL, 0},
    {"helmet", WORD_CONTROL, 0},
    {"prop", WORD_CONTROL, 0},
    {"hair", WORD_CONTROL, 0},
    {"skirt", WORD_CONTROL, 0},
    {"cape", WORD_CONTROL, 0},
    {"cloth", WORD_CONTROL, 0},
    {"coat", WORD_CONTROL, 0},
    {"sleeve", WORD_CONTROL, 0},
    {"ponytail", WORD_CONTROL, 0},
    {"pigtail", WORD_CONTROL, 0},
    {"tail", WORD_CONTROL, ANIMAL_TAIL},
    {"wing", WORD_CONTROL, ANIMAL_PART},
    {"ear", WORD_CONTROL, ANIMAL_PART},
    {"sec", WORD_CONTROL, 0},
    {"mch", WORD_CONTROL, 0},
    {"buttock", WORD_JOINT, 1},
    {"heel", WORD_CONTROL, 0},
    {"tongue", WORD_CONTROL, 0},
    {"teeth", WORD_CONTROL, 0},
    {"brow", WORD_CONTROL, 0},
    {"cheek", WORD_CONTROL, 0},
    {"lip", WORD_CONTROL, 0},
    {"nose", WORD_CONTROL, ANIMAL_PART},
    {"mouth", WORD_CONTROL, ANIMAL_PART},
    {"muscle", WORD_CONTROL, 0},
    {"helper", WORD_CONTROL, 0},
    {"joint", WORD_JOINT, 0},
    {"base", WORD_BASE, 0},
    // words that mean nothing here
    {"mixamorig", WORD_NOISE, 0},
    {"bip", WORD_NOISE, 0},
    {"def", WORD_NOISE, 0},
    {"org", WORD_NOISE, 0},
    {"armature", WORD_NOISE, 0},
    {"skeleton", WORD_NOISE, 0},
    {"character", WORD_NOISE, 0},
    {"valvebiped", WORD_NOISE, 0},
    {"valve", WORD_NOISE, 0},
    {"biped", WORD_NOISE, 0},
    {"jnt", WORD_NOISE, 0},
    {"bone", WORD_NOISE, 0},
    {"bn", WORD_NOISE, 0},
    {"rig", WORD_NOISE, 0},
    {"sk", WORD_NOISE, 0},
    {"cc", WORD_NOISE, 0},
    {"human", WORD_NOISE, 0},
    {"in", WORD_NOISE, 0},
    {"bind", WORD_NOISE, 0},
    {"skin", WORD_NOISE, 0},
    {"mesh", WORD_NOISE, 0},
    // Japanese, as MikuMikuDance names its bones
    {"\xE5\xB7\xA6", WORD_SIDE, 1},
    {"\xE5\x8F\xB3", WORD_SIDE, 2},
    {"\xE4\xB8\x8B\xE5\x8D\x8A\xE8\xBA\xAB", WORD_PART, PART_HIPS},
    {"\xE4\xB8\x8A\xE5\x8D\x8A\xE8\xBA\xAB", WORD_PART, PART_SPINE},
    {"\xE9\xA6\x96", WORD_PART, PART_NECK},
    {"\xE9\xA0\xAD", WORD_PART, PART_HEAD},
    {"\xE7\x9B\xAE", WORD_PART, PART_EYE},
    {"\xE8\x82\xA9", WORD_PART, PART_CLAVICLE},
    {"\xE8\x85\x95", WORD_PART, PART_UPPER_ARM},
    {"\xE3\x81\xB2\xE3\x81\x98", WORD_PART, PART_FOREARM},
    {"\xE6\x89\x8B\xE9\xA6\x96", WORD_PART, PART_HAND},
    {"\xE8\xB6\xB3\xE9\xA6\x96", WORD_PART, PART_FOOT},
    {"\xE8\xB6\xB3", WORD_PART, PART_THIGH},
    {"\xE3\x81\xB2\xE3\x81\x96", WORD_PART, PART_SHIN},
    {"\xE3\x81\xA4\xE3\x81\xBE\xE5\x85\x88", WORD_PART, PART_TOE},
    {"\xE8\xA6\xAA\xE6\x8C\x87", WORD_PART, PART_THUMB},
    {"\xE4\xBA\xBA\xE6\x8C\x87", WORD_PART, PART_INDEX},
    {"\xE4\xB8\xAD\xE6\x8C\x87", WORD_PART, PART_MIDDLE},
    {"\xE8\x96\xAC\xE6\x8C\x87", WORD_PART, PART_RING},
    {"\xE5\xB0\x8F\xE6\x8C\x87", WORD_PART, PART_LITTLE},
    {"\xEF\xBC\xA9\xEF\xBC\xAB", WORD_CONTROL, 0},
    {"\xE6\x8D\xA9", WORD_TWIST, 0},
    {"\xE6\x8D\xBB", WORD_TWIST, 0},
};

/// A dictionary word or a number.
typedef struct token {
    const word *word; ///< NULL: a number
    int number;
} token;

typedef struct token_list {
    token items[MAX_WORDS];
    int count;
} token_list;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_letter(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static char lower(char c)
{
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static void push(token_list *list, const word *w, int number)
{
    if (list->count < MAX_WORDS) {
        list->items[list->count].word = w;
        list->items[list->count].number = number;
        ++list->count;
    }
}

static bool begins(const char *text, size_t size, const char *with)
{
    const size_t n = strlen(with);
    return n <= size && memcmp(text, with, n) == 0;
}

/// Splits a run of lower-case letters into dictionary words. False, with nothing pushed, if some
/// part is no word.
static bool split_words(token_list *list, const char *text, size_t size)
{
    const int before = list->count;
    size_t at = 0;
    while (at < size) {
        const word *found = NULL;
        for (size_t i = 0; i < sizeof(dictionary) / sizeof(dictionary[0]); ++i) {
            if (begins(text + at, size - at, dictionary[i].text) &&
                (found == NULL || strlen(dictionary[i].text) > strlen(found->text))) {
                found = &dictionary[i];
            }
        }
        if (found == NULL) {
            list->count = before;
            return false;
        }
        push(list, found, 0);
        at += strlen(found->text);
    }
    return true;
}

static void read_letters(token_list *list, const char *text, size_t size)
{
    static const word left = {"l", WORD_SIDE, 1}, right = {"r", WORD_SIDE, 2};
    if (size == 1 && (text[0] == 'l' || text[0] == 'r')) {
        push(list, text[0] == 'l' ? &left : &right, 0);
    } else if (!split_words(list, text, size) && size > 2 && (text[0] == 'l' || text[0] == 'r')) {
        const int before = list->count;
        push(list, text[0] == 'l' ? &left : &right, 0);
        if (!split_words(list, text + 1, size - 1)) {
            list->count = before;
        }
    }
}

/// Splits a name into camel-case words, separators and numbers.
static void read_words(token_list *list, const char *name, size_t size)
{
    char buffer[64];
    size_t at = 0;
    while (at < size) {
        if (is_digit(name[at])) {
            int number = 0;
            while (at < size && is_digit(name[at])) {
                number = number < 100000 ? number * 10 + (name[at] - '0') : number;
                ++at;
            }
            push(list, NULL, number);
        } else if (is_letter(name[at])) {
            const size_t begin = at;
            size_t length = 0;
            do {
                buffer[length++] = lower(name[at]);
                ++at;
                if (at < size && is_upper(name[at])) {
                    // "LHip" is L and Hip; "upLeg" is up and Leg; "DEF" is one word.
                    const bool after_lower = !is_upper(name[at - 1]);
                    const bool before_lower = at + 1 < size && is_letter(name[at + 1]) &&
                                              !is_upper(name[at + 1]) && at > begin;
                    if (after_lower || before_lower) {
                        break;
                    }
                }
            } while (at < size && is_letter(name[at]) && length < sizeof(buffer));
            read_letters(list, buffer, length);
        } else {
            ++at;
        }
    }
}

/// Decodes FBX's escapes of forbidden characters ("FBXASC046" for a full stop) and drops
/// namespaces.
static size_t plain_name(const char *name, char *out, size_t capacity)
{
    const char *begin = name;
    for (const char *at = name; *at != 0; ++at) {
        if ((*at == ':' || *at == '|') && at[1] != 0) {
            begin = at + 1;
        }
    }
    size_t size = 0;
    for (const char *at = begin; *at != 0 && size < capacity; ++at) {
        if (strncmp(at, "FBXASC", 6) == 0 && is_digit(at[6]) && is_digit(at[7]) &&
            is_digit(at[8])) {
            out[size++] = (char)((at[6] - '0') * 100 + (at[7] - '0') * 10 + (at[8] - '0'));
            at += 8;
        } else {
            out[size++] = *at;
        }
    }
    return size;
}

static lmbi_name_part refine_part(lmbi_name_part part, bool upper, bool low, bool fore)
{
    switch (part) {
    case PART_ARM:
        return upper ? PART_UPPER_ARM : ((low || fore) ? PART_FOREARM : PART_ARM);
    case PART_LEG:
        return upper ? PART_THIGH : (low ? PART_SHIN : PART_LEG);
    case PART_FOOT:
        return fore ? PART_TOE : PART_FOOT;
    default:
        return part;
    }
}

/// Specificity of a part: a finger's name outranks "hand", which outranks "hips".
static int specificity(lmbi_name_part part)
{
    if (part >= PART_THUMB) {
        return part == PART_FINGER ? 8 : 9;
    }
    return part == PART_ROOT || part == PART_NONE
               ? 0
               : (part == PART_HIPS || part == PART_SPINE ? 1 : 2);
}

typedef struct modifiers {
    bool upper, low, fore, joint, base, buttock;
    int after; ///< index of the token that gave the part
} modifiers;

static void read_token(lmbi_name *name, modifiers *r, const word *w, int index)
{
    switch ((word_kind)w->kind) {
    case WORD_PART:
        if (specificity((lmbi_name_part)w->value) >= specificity(name->part)) {
            name->part = (lmbi_name_part)w->value;
            name->elbow = strcmp(w->text, "elbow") == 0 || strcmp(w->text, "knee") == 0;
            r->after = index;
        }
        break;
    case WORD_SIDE:
        name->both_sides = name->both_sides || name->side == (w->value == 1 ? -1 : 1);
        name->side = w->value == 1 ? 1 : -1;
        break;
    case WORD_UPPER:
        r->upper = true;
        break;
    case WORD_LOWER:
        r->low = true;
        break;
    case WORD_FORE:
        r->fore = true;
        break;
    case WORD_SEGMENT:
        name->segment = (lmbi_segment)w->value;
        break;
    case WORD_TWIST:
        name->twist = true;
        break;
    case WORD_END:
        name->end = true;
        break;
    case WORD_CONTROL:
        name->control = true;
        name->handle = name->handle || w->value == 0;
        name->tail = name->tail || w->value == ANIMAL_TAIL;
        break;
    case WORD_JOINT:
        r->joint = true;
        r->buttock = r->buttock || w->value == 1;
        break;
    case WORD_BASE:
        r->base = true;
        break;
    case WORD_NOISE:
        break;
    }
}

lmbi_name lmbi_name_read(const char *text)
{
    char plain[128];
    token_list list = {.count = 0};
    read_words(&list, plain, plain_name(text, plain, sizeof(plain)));
    lmbi_name name = {.numbers = {-1, -1}};
    modifiers r = {.after = -1};
    for (int i = 0; i < list.count; ++i) {
        if (list.items[i].word != NULL) {
            read_token(&name, &r, list.items[i].word, i);
        }
    }
    for (int i = r.after + 1; i < list.count && r.after >= 0; ++i) {
        if (list.items[i].word == NULL) {
            if (name.numbers[0] < 0) {
                name.numbers[0] = list.items[i].number;
            } else {
                name.numbers[1] = list.items[i].number;
            }
        }
    }
    name.part = refine_part(name.part, r.upper, r.low, r.fore);
    if (name.part == PART_HIPS && name.side != 0) {
        name.part = PART_SIDE_HIP;
    }
    // Names with two leading underscores are copies that only carry an offset (MakeHuman).
    name.helper = strncmp(text, "__", 2) == 0 || (r.joint && name.part == PART_SIDE_HIP) ||
                  (r.base && name.part == PART_FINGER) || r.buttock;
    return name;
}

lmbi_name lmbi_name_read_below(const char *text, const lmbi_name *parent)
{
    lmbi_name name = lmbi_name_read(text);
    if (name.both_sides && parent != NULL && parent->side != 0) {
        name.side = parent->side;
    }
    return name;
}
