/// Reads a template from its text: a line a statement, chains and joints with their own lines
/// behind them. docs/rigging.md describes it.
#include "base/alloc.h"
#include "base/error.h"
#include "base/scan.h"
#include "embed/template/body_template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum section {
    SECTION_HEAD,
    SECTION_BODY,
    SECTION_CHAIN,
    SECTION_JOINT,
} section;

/// Where the joint under way was begun, and what its lines say.
typedef struct reader {
    lmbi_scan scan;
    lmb_body_template *t;
    section section;
    int chain;
    bool given[LMBI_CHAINS];
    lmbi_scan begun; ///< at the joint under way
    bool has_place;
} reader;

enum { MOST_NAME = 20 };

static lmb_result read_number(reader *r, float low, float high, const char *expected, float *out,
                              lmb_error *error)
{
    const lmbi_scan before = r->scan;
    double value = 0;
    if (!lmbi_scan_number(&r->scan, &value) || !((float)value >= low && (float)value <= high)) {
        return lmbi_scan_fail(&before, error, expected);
    }
    *out = (float)value;
    return LMB_OK;
}

/// Index of a word in a list, or -1; nothing is consumed then.
static int read_word_of(reader *r, const char *const *words, int count)
{
    const lmbi_scan before = r->scan;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    for (int k = 0; k < count; ++k) {
        if (lmbi_word_is_exact(word, words[k]) && words[k][0]) {
            return k;
        }
    }
    r->scan = before;
    return -1;
}

static bool read_if(reader *r, const char *word)
{
    return read_word_of(r, &word, 1) == 0;
}

static bool is_name(lmbi_word word)
{
    bool ok = word.size > 0 && word.size <= MOST_NAME;
    for (size_t k = 0; ok && k < word.size; ++k) {
        const char c = word.at[k];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == '.';
    }
    return ok;
}

static lmb_result read_name(reader *r, const char *expected, char out[LMBI_TEMPLATE_NAME],
                            lmb_error *error)
{
    const lmbi_scan before = r->scan;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    if (!is_name(word)) {
        return lmbi_scan_fail(&before, error, expected);
    }
    memcpy(out, word.at, word.size);
    out[word.size] = 0;
    return LMB_OK;
}

// ---- measurements

static lmb_result read_spread(reader *r, const lmbi_measure_word *word, lmbi_spread *out,
                              lmb_error *error)
{
    lmb_result result = read_number(r, word->ratio ? 0 : -LMBI_MOST_NUMBER, LMBI_MOST_NUMBER,
                                    word->ratio ? "the mean, a ratio from 0 to 1000"
                                                : "the mean, a number from -1000 to 1000",
                                    &out->mean, error);
    if (result == LMB_OK && word->ratio) {
        out->mean = lmb_log(fmaxf(out->mean + word->more, 1e-3f));
    }
    return result == LMB_OK
               ? read_number(r, LMBI_LEAST_SPREAD, LMBI_MOST_NUMBER,
                             "the spread, a number from 0.001 to 1000", &out->spread, error)
               : result;
}

/// A measurement of a list, or nothing if the next word is none of them.
static lmb_result read_measure(reader *r, const lmbi_measure_word *words, int count,
                               const char *prefix, lmbi_spread *out, bool *found, lmb_error *error)
{
    const lmbi_scan before = r->scan;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    for (int k = 0; k < count; ++k) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s%s", prefix, words[k].name);
        if (lmbi_word_is_exact(word, name)) {
            *found = true;
            return read_spread(r, &words[k], &out[k], error);
        }
    }
    r->scan = before;
    return LMB_OK;
}

static lmb_result read_probability(reader *r, float *out, lmb_error *error)
{
    const lmb_result result =
        read_number(r, LMBI_LEAST_PROBABILITY, 1, "a probability from 0.0001 to 1", out, error);
    *out = lmb_log(fmaxf(*out, LMBI_LEAST_PROBABILITY));
    return result;
}

static lmb_result read_seen(reader *r, lmbi_chain_row *row, lmb_error *error)
{
    lmb_result result = read_probability(r, &row->none, error);
    if (result == LMB_OK && row->paired) {
        result = read_probability(r, &row->one, error);
    }
    return result == LMB_OK ? read_probability(r, &row->all, error) : result;
}

static lmb_result read_chain_line(reader *r, lmb_error *error)
{
    lmbi_chain_row *row = &r->t->plan.chains[r->chain];
    const lmbi_scan before = r->scan;
    bool found = false;
    if (read_if(r, "seen")) {
        return read_seen(r, row, error);
    }
    if (row->paired && read_if(r, "posed")) {
        return read_probability(r, &row->rarer, error);
    }
    lmb_result result =
        read_measure(r, lmbi_tip_words, LMBI_TIP_FEATURES, "", row->tip, &found, error);
    if (!found && row->paired) {
        result = read_measure(r, lmbi_pair_words, LMBI_PAIR_FEATURES, "", row->pair, &found, error);
    }
    if (!found && row->paired) {
        result = read_measure(r, lmbi_pair_words, LMBI_PAIR_FEATURES, "posed-", row->uneven, &found,
                              error);
    }
    return found ? result
                 : lmbi_scan_fail(
                       &before, error,
                       "a measurement of a chain (height, length, …), seen, chain or joint");
}

static lmb_result read_body_line(reader *r, lmb_error *error)
{
    const lmbi_scan before = r->scan;
    bool found = false;
    lmb_result result =
        read_measure(r, lmbi_body_words, LMBI_BODY_FEATURES, "", r->t->plan.body, &found, error);
    if (!found) {
        result = read_measure(r, lmbi_own_words, LMBI_OWN_FEATURES, "", r->t->own, &found, error);
    }
    return found ? result
                 : lmbi_scan_fail(&before, error,
                                  "a measurement of the body (tall, wide, …), chain or joint");
}

// ---- chains

static lmb_result begin_chain(reader *r, lmb_error *error)
{
    static const char *const kinds[2] = {"single", "pair"};
    const lmbi_scan before = r->scan;
    const int chain = read_word_of(r, lmbi_chain_words, LMBI_CHAINS);
    if (chain < 0 || r->given[chain]) {
        return lmbi_scan_fail(
            &before, error,
            "a chain that was not given yet: legs, fore, head, tail, middle, third or "
            "upper");
    }
    const lmbi_scan after = r->scan;
    const int kind = read_word_of(r, kinds, 2);
    const bool on_plane = chain == LMBI_CHAIN_HEAD || chain == LMBI_CHAIN_TAIL;
    if (kind < 0 || (kind == 1 && on_plane)) {
        return lmbi_scan_fail(&after, error, on_plane ? "single" : "single or pair");
    }
    lmbi_chain_row *row = &r->t->plan.chains[chain];
    row->exists = true;
    row->paired = kind == 1;
    row->none = row->one = row->all = lmb_log(1.0f / 3); // nothing is known
    r->given[chain] = true;
    r->chain = chain;
    r->section = SECTION_CHAIN;
    if (read_if(r, "needed")) {
        r->t->needed |= 1u << chain;
    }
    if (row->paired && read_if(r, "both")) {
        r->t->both |= 1u << chain;
    }
    if (chain == LMBI_CHAIN_HEAD && read_if(r, "through")) {
        r->t->lines.through = true;
    }
    if (chain == LMBI_CHAIN_UPPER && !row->paired && read_if(r, "back")) {
        r->t->lines.back_fin = true;
        r->t->needed &= ~(1u << chain);
        row->exists = false; // found when the others are, not by the search
    }
    return LMB_OK;
}

// ---- joints

/// The row of a name: of the same chain first, since numbered legs share names; LMB_NONE if there
/// is none.
static int8_t find_joint(const lmb_body_template *t, const char *name, int chain)
{
    int8_t found = LMB_NONE;
    for (int same = 0; same < 2; ++same) {
        for (uint32_t k = 0; k < t->joint_count; ++k) {
            if (strcmp(t->names[k], name) == 0 && (!same || t->joints[k].chain == chain)) {
                found = (int8_t)k;
            }
        }
    }
    return found;
}

/// Whether a joint's name is taken. Numbered ones of other chains have other names in the end.
static bool is_taken(const lmb_body_template *t, const char *name, int chain, bool numbered)
{
    bool taken = strncmp(name, "left", 4) == 0 || strncmp(name, "right", 5) == 0;
    for (uint32_t k = 0; k < t->joint_count && !taken; ++k) {
        const lmbi_joint_row *row = &t->joints[k];
        taken = strcmp(t->names[k], name) == 0 &&
                (row->chain == chain || !numbered || !(row->flags & LMBI_JOINT_NUMBERED));
    }
    return taken;
}

static lmb_result read_parent(reader *r, lmbi_joint_row *row, lmb_error *error)
{
    const lmb_body_template *t = r->t;
    const lmbi_scan before = r->scan;
    if (t->joint_count == 0) {
        row->flags |= LMBI_JOINT_ALWAYS;
        return row->chain == LMBI_CHAIN_HEAD || row->chain == LMBI_CHAIN_TAIL
                   ? LMB_OK
                   : lmbi_scan_fail(&r->begun, error, "a first joint on head or tail");
    }
    char name[LMBI_TEMPLATE_NAME] = "";
    if (!read_if(r, "under")) {
        return lmbi_scan_fail(&before, error, "under, and the joint that this one hangs on");
    }
    const lmbi_scan at = r->scan;
    lmb_result result = read_name(r, "the name of a joint above", name, error);
    if (result != LMB_OK) {
        return result;
    }
    row->parent = find_joint(t, name, row->chain);
    const lmbi_joint_row *parent = row->parent == LMB_NONE ? NULL : &t->joints[row->parent];
    return parent && (parent->chain == row->chain || (parent->flags & LMBI_JOINT_ALWAYS))
               ? LMB_OK
               : lmbi_scan_fail(&at, error,
                                "the name of a joint above, of this chain or with always");
}

static lmb_result read_flags(reader *r, lmbi_joint_row *row, lmb_error *error)
{
    if ((row->chain == LMBI_CHAIN_HEAD || row->chain == LMBI_CHAIN_TAIL) && read_if(r, "always")) {
        row->flags |= LMBI_JOINT_ALWAYS;
    }
    if (read_if(r, "hinge")) {
        row->flags |= LMBI_JOINT_HINGE;
    }
    if ((row->flags & LMBI_JOINT_PAIRED) && read_if(r, "numbered")) {
        row->flags |= LMBI_JOINT_NUMBERED;
    }
    return read_if(r, "sure")
               ? read_number(r, 0, 1, "a confidence from 0 to 1", &row->confidence, error)
               : LMB_OK;
}

static lmb_result finish_joint(const reader *r, lmb_error *error)
{
    return r->section == SECTION_JOINT && !r->has_place
               ? lmbi_scan_fail(&r->begun, error,
                                "a joint with a line behind it: at, x, y, z or all")
               : LMB_OK;
}

static lmb_result begin_joint(reader *r, lmb_error *error)
{
    lmb_body_template *t = r->t;
    r->begun = r->scan;
    if (t->joint_count == LMBI_MOST_ROWS) {
        return lmbi_scan_fail(&r->begun, error, "at most 48 joints");
    }
    char *name = t->names[t->joint_count];
    lmbi_joint_row row = {.name = name,
                          .parent = LMB_NONE,
                          .weights = LMB_NONE,
                          .confidence = 0.7f,
                          .reason = "at a fraction of the template's chain"};
    lmb_result result = read_name(
        r, "a name of up to 20 letters, digits, dots, dashes and underscores", name, error);
    const lmbi_scan after = r->scan;
    if (result == LMB_OK && !read_if(r, "on")) {
        result = lmbi_scan_fail(&after, error, "on, and a chain");
    }
    const lmbi_scan at = r->scan;
    const int chain = result == LMB_OK ? read_word_of(r, lmbi_chain_words, LMBI_CHAINS) : -1;
    const bool on_plane = chain == LMBI_CHAIN_HEAD || chain == LMBI_CHAIN_TAIL;
    if (result == LMB_OK && (chain < 0 || (!r->given[chain] && !on_plane))) {
        result = lmbi_scan_fail(&at, error, "a chain that was given above, head or tail");
    }
    if (result != LMB_OK) {
        return result;
    }
    row.chain = (int8_t)chain;
    row.flags = t->plan.chains[chain].paired ? LMBI_JOINT_PAIRED : 0;
    result = read_parent(r, &row, error);
    result = result == LMB_OK ? read_flags(r, &row, error) : result;
    if (result == LMB_OK && is_taken(t, name, chain, row.flags & LMBI_JOINT_NUMBERED)) {
        result =
            lmbi_scan_fail(&r->begun, error,
                           "a name that no joint has, and that does not begin with left or right");
    }
    if (result == LMB_OK) {
        t->joints[t->joint_count++] = row;
        r->section = SECTION_JOINT;
        r->has_place = false;
    }
    return result;
}

/// `at FRACTION [SPREAD bend|narrow]`.
static lmb_result read_fraction(reader *r, lmbi_joint_row *row, lmb_error *error)
{
    lmb_result result =
        read_number(r, 0, 1, "a fraction from 0 (root) to 1 (tip)", &row->at, error);
    if (result == LMB_OK && !lmbi_scan_line_end(&r->scan) && *r->scan.at != '#') {
        result = read_number(r, LMBI_LEAST_SPREAD, 1, "the spread of the fraction, 0.001 to 1",
                             &row->spread, error);
        const lmbi_scan before = r->scan;
        const int mark = result == LMB_OK ? read_word_of(r, lmbi_mark_words, 3) : 0;
        if (result == LMB_OK && mark < 0) {
            result = lmbi_scan_fail(&before, error, "bend or narrow");
        }
        row->mark = (uint8_t)(mark < 0 ? 0 : mark);
    }
    return result;
}

/// `x ANCHOR WEIGHT …`, or y, z, all.
static lmb_result read_weights(reader *r, int axis, lmb_error *error)
{
    const uint32_t joint = r->t->joint_count - 1;
    lmbi_joint_row *row = &r->t->joints[joint];
    row->weights = (int16_t)joint;
    row->reason = "from the anchors of the template";
    do {
        const lmbi_scan before = r->scan;
        const int anchor = read_word_of(r, lmbi_anchor_words, LMBI_LOOK);
        float weight = 0;
        if (anchor < 0) {
            return lmbi_scan_fail(&before, error, "an anchor (root, bend, hind-low, head-tip, …)");
        }
        const lmb_result result = read_number(r, -LMBI_MOST_WEIGHT, LMBI_MOST_WEIGHT,
                                              "a weight from -100 to 100", &weight, error);
        if (result != LMB_OK) {
            return result;
        }
        for (int a = 0; a < 3; ++a) {
            float *sum = &r->t->weights[joint][a][anchor];
            *sum += axis == a || axis == 3 ? weight : 0;
            if (!(fabsf(*sum) <= LMBI_MOST_WEIGHT)) {
                return lmbi_scan_fail(&before, error,
                                      "weights of an anchor from -100 to 100 together");
            }
        }
    } while (!lmbi_scan_line_end(&r->scan) && *r->scan.at != '#');
    return LMB_OK;
}

static lmb_result read_joint_line(reader *r, lmb_error *error)
{
    static const char *const axes[4] = {"x", "y", "z", "all"};
    lmbi_joint_row *row = &r->t->joints[r->t->joint_count - 1];
    const lmbi_scan before = r->scan;
    const int axis = read_word_of(r, axes, 4);
    if (axis >= 0 && (!r->has_place || row->weights != LMB_NONE)) {
        r->has_place = true;
        return read_weights(r, axis, error);
    }
    if (axis < 0 && !r->has_place && read_if(r, "at")) {
        r->has_place = true;
        return read_fraction(r, row, error);
    }
    return lmbi_scan_fail(&before, error,
                          r->has_place
                              ? "joint, or another line of x, y, z or all behind such a line"
                              : "at, x, y, z or all");
}

// ---- the whole

static lmb_result read_kind(reader *r, lmb_error *error)
{
    const lmbi_scan before = r->scan;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    for (int k = LMB_SKELETON_QUADRUPED; k < LMB_SKELETON_KINDS; ++k) {
        if (k != LMB_SKELETON_HAND &&
            lmbi_word_is_exact(word, lmb_skeleton_kind_name((lmb_skeleton_kind)k))) {
            r->t->kind = (lmb_skeleton_kind)k;
            return LMB_OK;
        }
    }
    return lmbi_scan_fail(&before, error, "quadruped, bird, fish, snake, spider, biped or generic");
}

static lmb_result read_statement(reader *r, lmb_error *error)
{
    static const char *const words[5] = {"joint", "chain", "body", "name", "kind"};
    const lmbi_scan before = r->scan;
    const int word = read_word_of(r, words, r->section == SECTION_HEAD ? 5 : 3);
    lmb_result result = word >= 0 ? finish_joint(r, error) : LMB_OK;
    if (result != LMB_OK) {
        return result;
    }
    switch (word) {
    case 0:
        return begin_joint(r, error);
    case 1:
        if (r->section == SECTION_JOINT) {
            return lmbi_scan_fail(&before, error, "joint; chains come before all joints");
        }
        return begin_chain(r, error);
    case 2:
        r->section = SECTION_BODY;
        return LMB_OK;
    case 3:
        return read_name(r, "a name of up to 20 letters, digits, dots, dashes and underscores",
                         r->t->name, error);
    case 4:
        return read_kind(r, error);
    default:
        break;
    }
    switch (r->section) {
    case SECTION_BODY:
        return read_body_line(r, error);
    case SECTION_CHAIN:
        return read_chain_line(r, error);
    case SECTION_JOINT:
        return read_joint_line(r, error);
    case SECTION_HEAD:
    default:
        if (read_if(r, "common")) {
            return read_probability(r, &r->t->plan.prior, error);
        }
        return lmbi_scan_fail(&before, error, "name, kind, common, body, chain or joint");
    }
}

static lmb_result read_lines(reader *r, lmb_error *error)
{
    const lmbi_scan first = r->scan;
    lmb_result result = LMB_OK;
    if (!read_if(r, "limber-template") || !read_if(r, "1")) {
        return lmbi_scan_fail(&first, error, "limber-template 1");
    }
    for (;;) {
        const lmbi_scan before = r->scan;
        if (!lmbi_scan_line_end(&r->scan) && *r->scan.at != '#') {
            return lmbi_scan_fail(&before, error, "the end of the line");
        }
        lmbi_scan_next_line(&r->scan);
        lmbi_scan_space(&r->scan);
        if (lmbi_scan_done(&r->scan)) {
            break;
        }
        if (*r->scan.at == '#') {
            continue;
        }
        result = read_statement(r, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    result = finish_joint(r, error);
    bool any = false;
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        any = any || r->t->plan.chains[c].exists;
    }
    if (result == LMB_OK && (!any || r->t->joint_count == 0)) {
        result = lmbi_scan_fail(&r->scan, error, any ? "a joint" : "a chain");
    }
    return result;
}

lmb_result lmb_body_template_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                  lmb_body_template **out, lmb_error *error)
{
    reader r = {.t = lmbi_alloc(alloc, sizeof *r.t)};
    if (!r.t) {
        return lmbi_fail_memory(error);
    }
    memset(r.t, 0, sizeof *r.t);
    r.t->alloc = alloc;
    r.t->kind = LMB_SKELETON_GENERIC;
    (void)snprintf(r.t->name, sizeof r.t->name, "given");
    lmbi_scan_init(&r.scan, bytes, size);
    const lmb_result result = read_lines(&r, error);
    if (result != LMB_OK) {
        lmbi_free(alloc, r.t);
        return result;
    }
    *out = r.t;
    return LMB_OK;
}

void lmb_body_template_destroy(lmb_body_template *body_template)
{
    if (body_template) {
        lmbi_free(body_template->alloc, body_template);
    }
}
