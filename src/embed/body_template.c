/// Templates as rows for the search and the placer: of a built-in kind, read from text and written as
/// text, a line a statement, chains and joints with their own lines behind them. docs/rigging.md
/// describes it.
#include "base/alloc.h"
#include "base/error.h"
#include "base/scan.h"
#include "base/text.h"
#include "embed/kinds.h"
#include "math/scalar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lmb_body_template *create(const char *name, lmb_skeleton_kind kind,
                                 const lmb_allocator *alloc)
{
    lmb_body_template *t = lmbi_alloc(alloc, sizeof *t);
    if (t) {
        t->alloc = alloc;
        t->rows = (lmbi_joint_rows){
            .kind = kind, .rows = t->joints, .weights = (const float(*)[3][LMBI_LOOK])t->weights};
        (void)snprintf(t->name, sizeof t->name, "%s", name);
    }
    return t;
}

void lmb_body_template_destroy(lmb_body_template *body_template)
{
    if (body_template) {
        lmbi_free(body_template->alloc, body_template);
    }
}

// ---- built-in kinds

/// Copies the rows of chains that the plan has; others share its rows.
static void copy_joints(const lmbi_joint_rows *rows, lmb_body_template *t)
{
    int8_t copy[LMBI_MOST_ROWS];
    for (uint32_t k = 0; k < rows->count; ++k) {
        const lmbi_joint_row *row = &rows->rows[k];
        const bool back = row->chain == LMBI_CHAIN_UPPER && rows->lines.back_fin;
        const uint32_t j = t->rows.count;
        if (!t->plan.chains[row->chain].exists && !(row->flags & LMBI_JOINT_ALWAYS) && !back) {
            continue;
        }
        copy[k] = (int8_t)t->rows.count++;
        t->joints[j] = *row;
        (void)snprintf(t->names[j], sizeof t->names[j], "%s", row->name);
        t->joints[j].name = t->names[j];
        t->joints[j].parent = row->parent == LMB_NONE ? LMB_NONE : copy[row->parent];
        if (row->weights != LMB_NONE) {
            t->joints[j].weights = (int16_t)j;
            memcpy(t->weights[j], rows->weights[row->weights], sizeof t->weights[j]);
        }
    }
}

lmb_result lmb_body_template_of_kind(lmb_skeleton_kind kind, const lmb_allocator *alloc,
                                     lmb_body_template **out, lmb_error *error)
{
    const lmbi_body_plan plan = lmbi_kind_plan(kind);
    const lmbi_joint_rows *rows = plan < LMBI_PLANS ? lmbi_plan_rows(plan) : NULL;
    if (!rows || rows->count == 0) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                         "a kind that a template describes: quadruped, bird, fish, snake, spider "
                         "or biped",
                         "%s", lmb_skeleton_kind_name(kind));
    }
    lmb_body_template *t = create(lmb_skeleton_kind_name(kind), kind, alloc);
    if (!t) {
        return lmbi_fail_memory(error);
    }
    t->plan = lmbi_fitted_templates.plans[plan];
    memcpy(t->own, lmbi_fitted_templates.own[plan], sizeof t->own);
    t->rows.needed = rows->needed;
    t->rows.both = rows->both;
    t->rows.lines = rows->lines;
    copy_joints(rows, t);
    *out = t;
    return LMB_OK;
}

// ---- the words of the text

/// Ranges of its numbers. A smaller spread would count for more than any measurement can.
static const float LEAST_SPREAD = 1e-3f, LEAST_PROBABILITY = 1e-4f, MOST_NUMBER = 1e3f,
                   MOST_WEIGHT = 100;

static const char *const chain_words[LMBI_CHAINS] = {"legs",   "fore",  "head", "tail",
                                                     "middle", "third", "upper"};
static const char *const anchor_words[LMBI_LOOK] = {
    "tip",       "sixth1", "sixth2",     "sixth3",     "sixth4",    "sixth5",     "root",
    "beyond",    "bend",   "outer-bend", "inner-bend", "narrow",    "below-root", "above-root",
    "centroid",  "center", "hind-low",   "hind-high",  "mid-low",   "mid-high",   "fore-low",
    "fore-high", "back",   "front",      "tail-tip",   "tail-root", "head-tip",   "head-root"};
static const char *const axis_words[4] = {"x", "y", "z", "all"};
static const char *const mark_words[3] = {"none", "bend", "narrow"};
static const struct {
    const char *word;
    uint8_t flag;
} flags[3] = {
    {"always", LMBI_JOINT_ALWAYS}, {"hinge", LMBI_JOINT_HINGE}, {"numbered", LMBI_JOINT_NUMBERED}};

/// What measurements are of: a chain, one in pairs, a pair in different poses, the body.
typedef enum measured { OF_CHAIN, OF_PAIR, OF_POSED, OF_BODY, OF_OWN, MEASURED } measured;

/// Names of the measurements, in the order of their enumeration. Some are written as ratios whose
/// logarithms are compared.
static const struct {
    int count;
    const char *names[LMBI_BODY_FEATURES];
    uint32_t ratios; ///< as bits
    float more;      ///< what the measurement adds to a ratio before the logarithm
} measures[MEASURED] = {
    [OF_CHAIN] = {LMBI_TIP_FEATURES,
                  {"height", "base-height", "length", "side", "forward", "base-forward", "radius",
                   "points-forward"},
                  1u << LMBI_TIP_LENGTH | 1u << LMBI_TIP_RADIUS,
                  0.02f},
    [OF_PAIR] = {LMBI_PAIR_FEATURES, {"unlike", "unequal"}, 0, 0},
    [OF_POSED] = {LMBI_PAIR_FEATURES, {"posed-unlike", "posed-unequal"}, 0, 0},
    [OF_BODY] = {LMBI_BODY_FEATURES,
                 {"tall", "wide", "long", "mass-height", "asymmetry", "skew-forward", "skew-up",
                  "ground-forward", "stance"},
                 1u << LMBI_BODY_TALL | 1u << LMBI_BODY_WIDE | 1u << LMBI_BODY_LONG,
                 0},
    [OF_OWN] = {LMBI_OWN_FEATURES, {"slim", "rise", "thick-forward"}, 1u << LMBI_OWN_SLIM, 0},
};

static bool is_on_plane(int chain)
{
    return chain == LMBI_CHAIN_HEAD || chain == LMBI_CHAIN_TAIL;
}

// ---- reading

typedef enum section { SECTION_HEAD, SECTION_BODY, SECTION_CHAIN, SECTION_JOINT } section;

/// After the first failure nothing that is read counts.
typedef struct reader {
    lmbi_scan scan;
    lmb_result result;
    lmb_error *error;
    lmb_body_template *t;
    section section;
    int chain;
    uint32_t given;  ///< bits of chains
    lmbi_scan begun; ///< at the joint under way
    bool has_place;
} reader;

enum { MOST_NAME = 20 };
static const char a_name[] = "a name of up to 20 letters, digits, dots, dashes and underscores";

/// Fails at a place that was remembered, unless `ok`.
static void check(reader *r, bool ok, const lmbi_scan *at, const char *expected)
{
    if (!ok && r->result == LMB_OK) {
        r->result = lmbi_scan_fail(at, r->error, expected);
    }
}

static float read_number(reader *r, float low, float high, const char *expected)
{
    const lmbi_scan before = r->scan;
    double value = 0;
    const bool is_number = lmbi_scan_number(&r->scan, &value);
    check(r, is_number && (float)value >= low && (float)value <= high, &before, expected);
    return (float)value;
}

/// Index of the next word in a list, or -1; nothing is consumed then.
static int read_word_of(reader *r, const char *const *words, int count)
{
    const lmbi_scan before = r->scan;
    const int found = lmbi_word_choice(lmbi_scan_word(&r->scan), words, count);
    r->scan = found < 0 ? before : r->scan;
    return found;
}

/// The same of a word that has to be there; 0 on failure.
static int read_choice(reader *r, const char *const *words, int count, const char *expected)
{
    const int found = read_word_of(r, words, count);
    check(r, found >= 0, &r->scan, expected);
    return found < 0 ? 0 : found;
}

static bool read_if(reader *r, const char *word)
{
    return read_word_of(r, &word, 1) == 0;
}

static void read_name(reader *r, const char *expected, char out[LMBI_TEMPLATE_NAME])
{
    const lmbi_scan before = r->scan;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    bool ok = word.size > 0 && word.size <= MOST_NAME;
    for (size_t k = 0; ok && k < word.size; ++k) {
        const char c = word.at[k];
        ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == '.';
    }
    check(r, ok, &before, expected);
    (void)snprintf(out, LMBI_TEMPLATE_NAME, "%.*s", ok ? (int)word.size : 0, word.at);
}

static bool is_line_end(reader *r)
{
    return lmbi_scan_line_end(&r->scan) || *r->scan.at == '#';
}

/// A measurement of one of several things; false if the next word is none of them.
static bool read_measure(reader *r, measured first, measured last)
{
    lmbi_chain_row *row = &r->t->plan.chains[r->chain];
    lmbi_spread *const all[MEASURED] = {row->tip, row->pair, row->uneven, r->t->plan.body,
                                        r->t->own};
    for (measured of = first; of <= last; ++of) {
        const int k = read_word_of(r, measures[of].names, measures[of].count);
        if (k >= 0) {
            const bool ratio = measures[of].ratios >> k & 1;
            const float mean = read_number(r, ratio ? 0 : -MOST_NUMBER, MOST_NUMBER,
                                           ratio ? "the mean, a ratio from 0 to 1000"
                                                 : "the mean, a number from -1000 to 1000");
            all[of][k].mean = ratio ? lmb_log(fmaxf(mean + measures[of].more, 1e-3f)) : mean;
            all[of][k].spread = read_number(r, LEAST_SPREAD, MOST_NUMBER,
                                            "the spread, a number from 0.001 to 1000");
            return true;
        }
    }
    return false;
}

static float read_probability(reader *r)
{
    const float p = read_number(r, LEAST_PROBABILITY, 1, "a probability from 0.0001 to 1");
    return lmb_log(fmaxf(p, LEAST_PROBABILITY));
}

static void read_chain_line(reader *r)
{
    lmbi_chain_row *row = &r->t->plan.chains[r->chain];
    if (read_if(r, "seen")) {
        row->none = read_probability(r);
        row->one = row->paired ? read_probability(r) : row->one;
        row->all = read_probability(r);
    } else if (row->paired && read_if(r, "posed")) {
        row->rarer = read_probability(r);
    } else {
        check(r, read_measure(r, OF_CHAIN, row->paired ? OF_POSED : OF_CHAIN), &r->scan,
              "a measurement of a chain (height, length, …), seen, chain or joint");
    }
}

static void begin_chain(reader *r)
{
    static const char *const kinds[2] = {"single", "pair"};
    static const char not_given[] = "a chain that was not given yet: legs, fore, head, tail, "
                                    "middle, third or upper";
    const lmbi_scan before = r->scan;
    const int chain = read_choice(r, chain_words, LMBI_CHAINS, not_given);
    const uint32_t bit = 1u << chain;
    check(r, !(r->given & bit), &before, not_given);
    const bool on_plane = is_on_plane(chain);
    lmbi_chain_row *row = &r->t->plan.chains[chain];
    row->paired =
        read_choice(r, kinds, on_plane ? 1 : 2, on_plane ? "single" : "single or pair") == 1;
    row->exists = true;
    row->none = row->one = row->all = lmb_log(1.0f / 3); // nothing is known
    r->given |= bit;
    r->chain = chain;
    r->section = SECTION_CHAIN;
    r->t->rows.needed |= read_if(r, "needed") ? bit : 0;
    r->t->rows.both |= row->paired && read_if(r, "both") ? bit : 0;
    r->t->rows.lines.through =
        r->t->rows.lines.through || (chain == LMBI_CHAIN_HEAD && read_if(r, "through"));
    if (chain == LMBI_CHAIN_UPPER && !row->paired && read_if(r, "back")) {
        r->t->rows.lines.back_fin = true;
        r->t->rows.needed &= ~bit;
        row->exists = false; // found when the others are, not by the search
    }
}

/// The row of a name: of the same chain first, since numbered legs share names; LMB_NONE if there
/// is none.
static int8_t find_joint(const lmb_body_template *t, const char *name, int chain)
{
    int8_t own = LMB_NONE, any = LMB_NONE;
    for (uint32_t k = 0; k < t->rows.count; ++k) {
        const bool same = strcmp(t->names[k], name) == 0;
        own = same && t->joints[k].chain == chain ? (int8_t)k : own;
        any = same ? (int8_t)k : any;
    }
    return own == LMB_NONE ? any : own;
}

/// Whether a joint's name is taken. Numbered ones of other chains have other names in the end.
static bool is_taken(const lmb_body_template *t, const lmbi_joint_row *own)
{
    bool taken = strncmp(own->name, "left", 4) == 0 || strncmp(own->name, "right", 5) == 0;
    for (uint32_t k = 0; k < t->rows.count && !taken; ++k) {
        const lmbi_joint_row *row = &t->joints[k];
        taken = strcmp(row->name, own->name) == 0 &&
                (row->chain == own->chain || !(row->flags & own->flags & LMBI_JOINT_NUMBERED));
    }
    return taken;
}

static void read_parent(reader *r, lmbi_joint_row *row)
{
    char name[LMBI_TEMPLATE_NAME];
    const lmb_body_template *t = r->t;
    if (t->rows.count == 0) {
        row->flags |= LMBI_JOINT_ALWAYS;
        check(r, is_on_plane(row->chain), &r->begun, "a first joint on head or tail");
        return;
    }
    check(r, read_if(r, "under"), &r->scan, "under, and the joint that this one hangs on");
    const lmbi_scan at = r->scan;
    read_name(r, "the name of a joint above", name);
    row->parent = find_joint(t, name, row->chain);
    const lmbi_joint_row *parent = row->parent == LMB_NONE ? NULL : &t->joints[row->parent];
    check(r, parent && (parent->chain == row->chain || (parent->flags & LMBI_JOINT_ALWAYS)), &at,
          "the name of a joint above, of this chain or with always");
}

static void read_flags(reader *r, lmbi_joint_row *row)
{
    const bool allowed[3] = {is_on_plane(row->chain), true, row->flags & LMBI_JOINT_PAIRED};
    for (int k = 0; k < 3; ++k) {
        row->flags |= allowed[k] && read_if(r, flags[k].word) ? flags[k].flag : 0;
    }
    if (read_if(r, "sure")) {
        row->confidence = read_number(r, 0, 1, "a confidence from 0 to 1");
    }
}

static void begin_joint(reader *r)
{
    lmb_body_template *t = r->t;
    r->begun = r->scan;
    if (t->rows.count == LMBI_MOST_ROWS) {
        check(r, false, &r->begun, "at most 48 joints");
        return;
    }
    lmbi_joint_row row = {.name = t->names[t->rows.count],
                          .parent = LMB_NONE,
                          .weights = LMB_NONE,
                          .confidence = 0.7f,
                          .reason = "at a fraction of the template's chain"};
    read_name(r, a_name, t->names[t->rows.count]);
    check(r, read_if(r, "on"), &r->scan, "on, and a chain");
    static const char given[] = "a chain that was given above, head or tail";
    const lmbi_scan at = r->scan;
    const int chain = read_choice(r, chain_words, LMBI_CHAINS, given);
    check(r, r->given >> chain & 1 || is_on_plane(chain), &at, given);
    row.chain = (int8_t)chain;
    row.flags = t->plan.chains[chain].paired ? LMBI_JOINT_PAIRED : 0;
    read_parent(r, &row);
    read_flags(r, &row);
    check(r, !is_taken(t, &row), &r->begun,
          "a name that no joint has, and that does not begin with left or right");
    t->joints[t->rows.count++] = row;
    r->section = SECTION_JOINT;
    r->has_place = false;
}

/// `at FRACTION [SPREAD bend|narrow]`.
static void read_fraction(reader *r, lmbi_joint_row *row)
{
    row->at = read_number(r, 0, 1, "a fraction from 0 (root) to 1 (tip)");
    if (!is_line_end(r)) {
        row->spread = read_number(r, LEAST_SPREAD, 1, "the spread of the fraction, 0.001 to 1");
        row->mark = (uint8_t)(1 + read_choice(r, mark_words + 1, 2, "bend or narrow"));
    }
}

/// `x ANCHOR WEIGHT …`, or y, z, all.
static void read_weights(reader *r, int axis)
{
    const uint32_t joint = r->t->rows.count - 1;
    r->t->joints[joint].weights = (int16_t)joint;
    r->t->joints[joint].reason = "from the anchors of the template";
    do {
        const lmbi_scan before = r->scan;
        const int anchor = read_choice(r, anchor_words, LMBI_LOOK,
                                       "an anchor (root, bend, hind-low, head-tip, …)");
        const float weight = read_number(r, -MOST_WEIGHT, MOST_WEIGHT, "a weight from -100 to 100");
        for (int a = 0; a < 3; ++a) {
            float *sum = &r->t->weights[joint][a][anchor];
            *sum += axis == a || axis == 3 ? weight : 0;
            check(r, fabsf(*sum) <= MOST_WEIGHT, &before,
                  "weights of an anchor from -100 to 100 together");
        }
    } while (r->result == LMB_OK && !is_line_end(r));
}

static void read_joint_line(reader *r)
{
    lmbi_joint_row *row = &r->t->joints[r->t->rows.count - 1];
    const bool first = !r->has_place;
    const int axis = first || row->weights != LMB_NONE ? read_word_of(r, axis_words, 4) : -1;
    r->has_place = true;
    if (axis >= 0) {
        read_weights(r, axis);
    } else if (first && read_if(r, "at")) {
        read_fraction(r, row);
    } else {
        check(r, false, &r->scan,
              first ? "at, x, y, z or all"
                    : "joint, or another line of x, y, z or all behind such a line");
    }
}

static void read_kind(reader *r)
{
    int kind = LMB_SKELETON_QUADRUPED;
    while (kind < LMB_SKELETON_KINDS &&
           (kind == LMB_SKELETON_HAND ||
            !read_if(r, lmb_skeleton_kind_name((lmb_skeleton_kind)kind)))) {
        ++kind;
    }
    check(r, kind < LMB_SKELETON_KINDS, &r->scan,
          "quadruped, bird, fish, snake, spider, biped or generic");
    r->t->rows.kind = (lmb_skeleton_kind)kind;
}

static void read_head_line(reader *r)
{
    if (read_if(r, "name")) {
        read_name(r, a_name, r->t->name);
    } else if (read_if(r, "kind")) {
        read_kind(r);
    } else if (read_if(r, "common")) {
        r->t->plan.prior = read_probability(r);
    } else {
        check(r, false, &r->scan, "name, kind, common, body, chain or joint");
    }
}

static void finish_joint(reader *r)
{
    check(r, r->section != SECTION_JOINT || r->has_place, &r->begun,
          "a joint with a line behind it: at, x, y, z or all");
}

static void read_statement(reader *r)
{
    static const char *const words[3] = {"joint", "chain", "body"};
    const lmbi_scan before = r->scan;
    const int word = read_word_of(r, words, 3);
    if (word >= 0) {
        finish_joint(r);
    }
    if (word == 0) {
        begin_joint(r);
    } else if (word == 1) {
        check(r, r->section != SECTION_JOINT, &before, "joint; chains come before all joints");
        begin_chain(r);
    } else if (word == 2) {
        r->section = SECTION_BODY;
    } else if (r->section == SECTION_BODY) {
        check(r, read_measure(r, OF_BODY, OF_OWN), &before,
              "a measurement of the body (tall, wide, …), chain or joint");
    } else if (r->section == SECTION_CHAIN) {
        read_chain_line(r);
    } else if (r->section == SECTION_JOINT) {
        read_joint_line(r);
    } else {
        read_head_line(r);
    }
}

static void read_lines(reader *r)
{
    const lmbi_scan first = r->scan;
    check(r, read_if(r, "limber-template") && read_if(r, "1"), &first, "limber-template 1");
    while (r->result == LMB_OK && !lmbi_scan_done(&r->scan)) {
        const lmbi_scan before = r->scan;
        check(r, is_line_end(r), &before, "the end of the line");
        lmbi_scan_next_line(&r->scan);
        lmbi_scan_space(&r->scan);
        if (!lmbi_scan_done(&r->scan) && *r->scan.at != '#') {
            read_statement(r);
        }
    }
    finish_joint(r);
    check(r, r->given, &r->scan, "a chain");
    check(r, r->t->rows.count > 0, &r->scan, "a joint");
}

lmb_result lmb_body_template_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                  lmb_body_template **out, lmb_error *error)
{
    reader r = {.t = create("given", LMB_SKELETON_GENERIC, alloc), .error = error};
    if (!r.t) {
        return lmbi_fail_memory(error);
    }
    lmbi_scan_init(&r.scan, bytes, size);
    read_lines(&r);
    if (r.result != LMB_OK) {
        lmb_body_template_destroy(r.t);
        return r.result;
    }
    *out = r.t;
    return LMB_OK;
}

// ---- writing

static void write_number(lmbi_text *text, const char *before, float value)
{
    lmbi_text_add(text, before);
    lmbi_text_float(text, value);
}

/// Clamped, since rounding may carry a number out of the range that the reader takes.
static void write_probability(lmbi_text *text, const char *before, float logarithm)
{
    write_number(text, before, lmbi_clampf(lmb_exp(logarithm), LEAST_PROBABILITY, 1));
}

static void write_measures(lmbi_text *text, measured of, const lmbi_spread *spreads)
{
    for (int k = 0; k < measures[of].count; ++k) {
        const lmbi_spread s = spreads[k];
        if (s.spread > 0) {
            const bool ratio = measures[of].ratios >> k & 1;
            lmbi_text_format(text, "  %s", measures[of].names[k]);
            write_number(text, " ",
                         ratio ? lmbi_clampf(lmb_exp(s.mean) - measures[of].more, 0, MOST_NUMBER)
                               : s.mean);
            write_number(text, " ", s.spread);
            lmbi_text_add(text, "\n");
        }
    }
}

static void write_chain(lmbi_text *text, const lmb_body_template *t, int chain)
{
    const lmbi_chain_row *row = &t->plan.chains[chain];
    const bool back = chain == LMBI_CHAIN_UPPER && t->rows.lines.back_fin;
    if (!row->exists && !back) {
        return;
    }
    lmbi_text_format(
        text, "\nchain %s %s%s%s%s%s\n", chain_words[chain],
        row->paired && !back ? "pair" : "single", t->rows.needed >> chain & 1 ? " needed" : "",
        t->rows.both >> chain & 1 ? " both" : "",
        chain == LMBI_CHAIN_HEAD && t->rows.lines.through ? " through" : "", back ? " back" : "");
    if (back) {
        return;
    }
    write_probability(text, "  seen ", row->none);
    if (row->paired) {
        write_probability(text, " ", row->one);
    }
    write_probability(text, " ", row->all);
    lmbi_text_add(text, "\n");
    write_measures(text, OF_CHAIN, row->tip);
    if (!row->paired) {
        return;
    }
    write_measures(text, OF_PAIR, row->pair);
    if (row->uneven[0].spread > 0) {
        write_probability(text, "  posed ", row->rarer);
        lmbi_text_add(text, "\n");
    }
    write_measures(text, OF_POSED, row->uneven);
}

/// Writes the weights of an axis; false if all are 0.
static bool write_weights(lmbi_text *text, const char *axis, const float w[LMBI_LOOK])
{
    bool any = false;
    for (int k = 0; k < LMBI_LOOK; ++k) {
        if (w[k] > 0 || w[k] < 0) {
            lmbi_text_format(text, "%s%s %s", any ? "" : "  ", any ? "" : axis, anchor_words[k]);
            write_number(text, " ", w[k]);
            any = true;
        }
    }
    lmbi_text_add(text, any ? "\n" : "");
    return any;
}

static void write_joint(lmbi_text *text, const lmb_body_template *t, uint32_t joint)
{
    const lmbi_joint_row *row = &t->joints[joint];
    lmbi_text_format(text, "\njoint %s on %s", row->name, chain_words[row->chain]);
    if (row->parent != LMB_NONE) {
        lmbi_text_format(text, " under %s", t->names[row->parent]);
    }
    for (int k = 0; k < 3; ++k) {
        if (row->flags & flags[k].flag) {
            lmbi_text_format(text, " %s", flags[k].word);
        }
    }
    write_number(text, " sure ", row->confidence);
    lmbi_text_add(text, "\n");
    if (row->weights == LMB_NONE) {
        write_number(text, "  at ", row->at);
        if (row->mark) {
            write_number(text, " ", row->spread);
            lmbi_text_format(text, " %s", mark_words[row->mark]);
        }
        lmbi_text_add(text, "\n");
        return;
    }
    bool any = false;
    for (int axis = 0; axis < 3; ++axis) {
        any = write_weights(text, axis_words[axis], t->weights[row->weights][axis]) || any;
    }
    lmbi_text_add(text, any ? "" : "  all tip 0\n"); // a joint has a line in any case
}

lmb_result lmb_body_template_write(const lmb_body_template *t, const lmb_allocator *alloc,
                                   lmb_buffer *out, lmb_error *error)
{
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    lmbi_text_format(&text, "limber-template 1\nname %s\nkind %s\n", t->name,
                     lmb_skeleton_kind_name(t->rows.kind));
    write_probability(&text, "common ", t->plan.prior);
    lmbi_text_add(&text, "\n\nbody\n");
    write_measures(&text, OF_BODY, t->plan.body);
    write_measures(&text, OF_OWN, t->own);
    for (int c = 0; c < LMBI_CHAINS; ++c) {
        write_chain(&text, t, c);
    }
    for (uint32_t j = 0; j < t->rows.count; ++j) {
        write_joint(&text, t, j);
    }
    return lmbi_buffer_take(&text, out, error);
}
