/// Templates read from text: a line a statement, chains with measurements below them, then joints.
/// docs/rigging.md describes it.
#include "base/error.h"
#include "base/scan.h"
#include "embed/template/template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum section { SECTION_HEAD, SECTION_BODY, SECTION_CHAIN, SECTION_JOINT } section;

/// After the first failure nothing that is read counts.
typedef struct reader {
    lmbi_scan scan;
    lmb_result result;
    lmb_error *error;
    lmb_body_template *t;
    section section;
} reader;

enum { CLAUSES = 5 };
static const char *const clauses[CLAUSES] = {"aside", "pair", "under", "hinge", "sure"};
static const char a_name[] = "a name of up to 26 letters, digits, dots, dashes and underscores",
                  given_chain[] = "a chain that was given above";

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

static bool read_if(reader *r, const char *word)
{
    return read_word_of(r, &word, 1) == 0;
}

static void read_name(reader *r, const char *expected, char out[LMBI_TEMPLATE_NAME])
{
    const lmbi_scan before = r->scan;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    const bool is = lmbi_template_is_name(word.at, word.size);
    check(r, is, &before, expected);
    (void)snprintf(out, LMBI_TEMPLATE_NAME, "%.*s", is ? (int)word.size : 0, word.at);
}

static bool is_line_end(reader *r)
{
    return lmbi_scan_line_end(&r->scan) || *r->scan.at == '#';
}

// ---- chains and the body

/// A measurement: its mean, and the standard spread or its own. False if the next word is none.
static bool read_measure(reader *r, lmbi_measured of, lmbi_spread *out)
{
    const lmbi_measures *m = &lmbi_template_measures[of];
    const int k = read_word_of(r, m->names, m->count);
    if (k < 0) {
        return false;
    }
    const bool ratio = m->ratios >> k & 1;
    const float mean = read_number(r, ratio ? 0 : -LMBI_MOST_NUMBER, LMBI_MOST_NUMBER,
                                   ratio ? "the mean, a ratio from 0 to 1000"
                                         : "the mean, a number from -1000 to 1000");
    out[k].mean = ratio ? lmb_log(fmaxf(mean + m->more, 1e-3f)) : mean;
    out[k].spread = is_line_end(r) ? m->standard[k]
                                   : read_number(r, LMBI_LEAST_SPREAD, LMBI_MOST_NUMBER,
                                                 "the spread, a number from 0.001 to 1000");
    return true;
}

static void read_chain_line(reader *r)
{
    lmbi_template_chain *chain = &r->t->chains[r->t->chain_count - 1];
    check(r,
          read_measure(r, LMBI_OF_CHAIN, chain->tip) ||
              (chain->paired && read_measure(r, LMBI_OF_PAIR, chain->pair)),
          &r->scan, "a measurement of a chain (height, length, …), chain or joint");
}

static int find_chain(const lmb_body_template *t, const char *name)
{
    for (uint32_t c = 0; c < t->chain_count; ++c) {
        if (strcmp(t->chains[c].name, name) == 0) {
            return (int)c;
        }
    }
    return LMB_NONE;
}

/// Words that may stand beside the anchors of a joint.
static bool is_reserved(const char *name)
{
    bool is = strcmp(name, "center") == 0;
    for (int k = 0; k < CLAUSES; ++k) {
        is = is || strcmp(name, clauses[k]) == 0;
    }
    return is;
}

static void begin_chain(reader *r)
{
    static const char *const numbers[2] = {"single", "pair"};
    lmb_body_template *t = r->t;
    const lmbi_scan before = r->scan;
    lmbi_template_chain chain = {.needed = false};
    check(r, t->chain_count < LMBI_TEMPLATE_CHAINS, &before, "at most 8 chains");
    read_name(r, a_name, chain.name);
    check(r, find_chain(t, chain.name) == LMB_NONE && !is_reserved(chain.name), &before,
          "a name that no chain has, and that is no word of a joint's line");
    const int number = read_word_of(r, numbers, 2);
    check(r, number >= 0, &r->scan, "single or pair");
    chain.paired = number == 1;
    chain.needed = read_if(r, "needed");
    chain.end = chain.paired ? 0 : read_if(r, "front") ? 1 : read_if(r, "back") ? -1 : 0;
    chain.through = !chain.paired && read_if(r, "through");
    r->section = SECTION_CHAIN;
    if (r->result == LMB_OK) {
        t->chains[t->chain_count++] = chain;
    }
}

// ---- joints

static int find_joint(const lmb_body_template *t, const char *name)
{
    for (uint32_t k = 0; k < t->joint_count; ++k) {
        if (strcmp(t->joints[k].name, name) == 0) {
            return (int)k;
        }
    }
    return LMB_NONE;
}

/// Whether a name is that of another joint of a side: "leftFoot" where "Foot" is one of a pair.
static bool is_name_of_side(const lmb_body_template *t, const char *name, bool paired)
{
    static const char *const sides[2] = {"left", "right"};
    for (uint32_t k = 0; k < t->joint_count; ++k) {
        const lmbi_template_joint *row = &t->joints[k];
        const char *single = paired ? row->name : name, *of_pair = paired ? name : row->name;
        for (int side = 0; side < 2 && row->paired != paired; ++side) {
            const size_t size = strlen(sides[side]);
            if (strncmp(single, sides[side], size) == 0 && strcmp(single + size, of_pair) == 0) {
                return true;
            }
        }
    }
    return false;
}

/// Index of an anchor: center, or a chain.
static int find_anchor(const lmb_body_template *t, lmbi_word word)
{
    int found = lmbi_word_is_exact(word, "center") ? 0 : LMB_NONE;
    for (uint32_t c = 0; c < t->chain_count; ++c) {
        found = lmbi_word_is_exact(word, t->chains[c].name) ? 1 + (int)c : found;
    }
    return found;
}

/// `at FRACTION [bend SPREAD]`.
static void read_fraction(reader *r, lmbi_template_joint *row)
{
    check(r, read_if(r, "at"), &r->scan, "at, and a fraction");
    row->at = read_number(r, 0, 1, "a fraction from 0 (center) to 1 (tip)");
    if (read_if(r, "bend")) {
        row->bend = read_number(r, LMBI_LEAST_SPREAD, 1, "the spread of the fraction, 0.001 to 1");
    }
}

/// `ANCHOR WEIGHT …`, up to a word that is no anchor.
static void read_anchors(reader *r, lmbi_template_joint *row)
{
    static const char expected[] = "center or a chain, and a weight";
    bool any = false;
    while (r->result == LMB_OK && !is_line_end(r)) {
        const lmbi_scan before = r->scan;
        const int anchor = find_anchor(r->t, lmbi_scan_word(&r->scan));
        if (anchor == LMB_NONE) {
            r->scan = before;
            break;
        }
        row->anchors[anchor] = read_number(r, 0.001f, 1000, "a weight from 0.001 to 1000");
        any = true;
    }
    check(r, any, &r->scan, expected);
}

static void read_aside(reader *r, lmbi_template_joint *row)
{
    float out[3];
    for (int k = 0; k < 3; ++k) {
        out[k] = read_number(r, -100, 100, "three numbers from -100 to 100");
    }
    row->aside = lmb_vec3_make(out[0], out[1], out[2]);
}

/// A parent is there whenever what hangs on it is, and on its side.
static void read_parent(reader *r, lmbi_template_joint *row)
{
    const lmb_body_template *t = r->t;
    char name[LMBI_TEMPLATE_NAME];
    const lmbi_scan at = r->scan;
    read_name(r, "the name of a joint above", name);
    row->parent = (int16_t)find_joint(t, name);
    const lmbi_template_joint *parent = row->parent == LMB_NONE ? NULL : &t->joints[row->parent];
    const bool there = parent && (parent->chain == LMB_NONE || parent->chain == row->chain ||
                                  t->chains[parent->chain].end != 0);
    check(
        r, there && (row->paired || !parent->paired), &at,
        "the name of a joint above that is there whenever this one is: of this chain, of one that "
        "is always there, or between chains");
}

static void read_clauses(reader *r, lmbi_template_joint *row)
{
    while (r->result == LMB_OK && !is_line_end(r)) {
        const int word = read_word_of(r, clauses, CLAUSES);
        if (word == 0) {
            read_aside(r, row);
        } else if (word == 1 && row->chain == LMB_NONE) {
            row->paired = true;
        } else if (word == 2) {
            read_parent(r, row);
        } else if (word == 3) {
            row->hinge = true;
        } else if (word == 4) {
            row->confidence = read_number(r, 0, 1, "a confidence from 0 to 1");
        } else {
            check(r, false, &r->scan, "aside, pair, under, hinge, sure or the end of the line");
        }
    }
}

static void read_joint(reader *r)
{
    lmb_body_template *t = r->t;
    const lmbi_scan begun = r->scan;
    lmbi_template_joint row = {.parent = LMB_NONE, .chain = LMB_NONE, .confidence = 0.7f};
    check(r, t->joint_count < LMBI_TEMPLATE_JOINTS, &begun, "at most 128 joints");
    read_name(r, a_name, row.name);
    if (read_if(r, "on")) {
        char chain[LMBI_TEMPLATE_NAME];
        const lmbi_scan at = r->scan;
        read_name(r, given_chain, chain);
        row.chain = (int8_t)find_chain(t, chain);
        check(r, row.chain != LMB_NONE, &at, given_chain);
        row.paired = row.chain != LMB_NONE && t->chains[row.chain].paired;
        read_fraction(r, &row);
    } else {
        check(r, read_if(r, "between"), &r->scan, "on and a chain, or between and anchors");
        read_anchors(r, &row);
    }
    read_clauses(r, &row);
    const bool root = t->joint_count == 0;
    check(r, root || row.parent != LMB_NONE, &r->scan,
          "under, and the joint that this one hangs on");
    check(r, !root || (!row.paired && (row.chain == LMB_NONE || t->chains[row.chain].end != 0)),
          &begun,
          "a first joint that is single, and between chains or on one that is always there");
    check(r, find_joint(t, row.name) == LMB_NONE && !is_name_of_side(t, row.name, row.paired),
          &begun, "a name that no joint has");
    r->section = SECTION_JOINT;
    if (r->result == LMB_OK) {
        t->joints[t->joint_count++] = row;
    }
}

// ---- the whole

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
    r->t->kind = (lmb_skeleton_kind)kind;
}

static void read_head_line(reader *r)
{
    if (read_if(r, "name")) {
        read_name(r, a_name, r->t->name);
    } else if (read_if(r, "kind")) {
        read_kind(r);
    } else {
        check(r, false, &r->scan, "name, kind, body, chain or joint");
    }
}

static void read_statement(reader *r)
{
    static const char *const words[3] = {"joint", "chain", "body"};
    const lmbi_scan before = r->scan;
    const int word = read_word_of(r, words, 3);
    check(r, word == 0 || r->section != SECTION_JOINT, &before,
          "joint; chains come before all joints");
    if (word == 0) {
        read_joint(r);
    } else if (word == 1) {
        begin_chain(r);
    } else if (word == 2) {
        r->section = SECTION_BODY;
    } else if (r->section == SECTION_BODY) {
        check(r, read_measure(r, LMBI_OF_BODY, r->t->body), &before,
              "a measurement of the body (tall, wide, …), chain or joint");
    } else if (r->section == SECTION_CHAIN) {
        read_chain_line(r);
    } else {
        read_head_line(r);
    }
}

static void read_lines(reader *r)
{
    const lmbi_scan first = r->scan;
    check(r, read_if(r, "limber-template"), &first, "limber-template 2");
    check(r, read_if(r, "2"), &r->scan, "2, the version of templates that this reads");
    while (r->result == LMB_OK && !lmbi_scan_done(&r->scan)) {
        const lmbi_scan before = r->scan;
        check(r, is_line_end(r), &before, "the end of the line");
        lmbi_scan_next_line(&r->scan);
        lmbi_scan_space(&r->scan);
        if (!lmbi_scan_done(&r->scan) && *r->scan.at != '#') {
            read_statement(r);
        }
    }
    check(r, r->t->chain_count > 0, &r->scan, "a chain");
    check(r, r->t->joint_count > 0, &r->scan, "a joint");
}

lmb_result lmb_body_template_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                  lmb_body_template **out, lmb_error *error)
{
    reader r = {.t = lmbi_template_create(LMB_SKELETON_GENERIC, alloc), .error = error};
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
