#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/mocap/asf.h"

typedef struct asf_reader {
    lmbi_asf *asf;
    lmbi_scan scan;
    lmb_error *error;
} asf_reader;

/// Moves to the next line that is neither blank nor a comment. False at the end of the file.
static bool next_content(asf_reader *r)
{
    for (lmbi_scan_space(&r->scan); !lmbi_scan_done(&r->scan) && *r->scan.at == '#';
         lmbi_scan_space(&r->scan)) {
        lmbi_scan_next_line(&r->scan);
    }
    return !lmbi_scan_done(&r->scan);
}

static lmb_result fail_here(asf_reader *r, const char *expected)
{
    return lmbi_scan_fail(&r->scan, r->error, expected);
}

/// Reads `count` finite numbers from this line. On failure the cursor stays at the first that is
/// not one.
static lmb_result read_floats(asf_reader *r, float *out, int count, const char *expected)
{
    for (int i = 0; i < count; ++i) {
        double value = 0;
        lmbi_scan_blanks(&r->scan);
        const lmbi_scan before = r->scan;
        if (!lmbi_scan_number(&r->scan, &value) || !isfinite((float)value)) {
            r->scan = before;
            return fail_here(r, expected);
        }
        out[i] = (float)value;
    }
    return LMB_OK;
}

static lmb_result add_bone(asf_reader *r)
{
    lmbi_asf *asf = r->asf;
    void *bones = asf->bones;
    if (asf->bone_count >= INT32_MAX || !lmbi_grow(asf->alloc, &bones, &asf->bone_capacity,
                                                   asf->bone_count + 1, sizeof *asf->bones)) {
        return lmbi_fail_memory(r->error);
    }
    asf->bones = bones;
    lmbi_asf_bone *bone = &asf->bones[asf->bone_count++];
    memset(bone, 0, sizeof *bone);
    memcpy(bone->axis_order, "xyz", 4);
    bone->parent = LMB_NONE;
    return LMB_OK;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/// Reads an order such as "XYZ": three different letters.
static lmb_result read_axis_order(asf_reader *r, char order[4])
{
    if (lmbi_scan_line_end(&r->scan)) {
        return LMB_OK; // the default
    }
    const lmbi_scan before = r->scan;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    char found[4] = {0};
    for (size_t i = 0; i < 3 && word.size == 3; ++i) {
        const char c = lower(word.at[i]);
        if (c >= 'x' && c <= 'z' && strchr(found, c) == NULL) {
            found[strlen(found)] = c;
        }
    }
    if (strlen(found) != 3) {
        r->scan = before;
        return fail_here(r, "an order of axes such as XYZ");
    }
    memcpy(order, found, 4);
    return LMB_OK;
}

/// tx ty tz rx ry rz l, to the end of the line.
static lmb_result read_dofs(asf_reader *r, lmbi_asf_bone *bone)
{
    memset(bone->dofs, 0, sizeof bone->dofs);
    while (!lmbi_scan_line_end(&r->scan)) {
        const lmbi_scan before = r->scan;
        const lmbi_word word = lmbi_scan_word(&r->scan);
        char letter = 0;
        if (word.size == 1 && lower(word.at[0]) == 'l') {
            letter = 'l';
        } else if (word.size == 2 && lower(word.at[1]) >= 'x' && lower(word.at[1]) <= 'z') {
            const char axis = lower(word.at[1]), kind = lower(word.at[0]);
            letter = kind == 'r' ? axis : kind == 't' ? (char)(axis - 32) : (char)0;
        }
        if (letter == 0 || strchr(bone->dofs, letter)) {
            r->scan = before;
            return fail_here(r, "degrees of freedom, each once: tx ty tz rx ry rz l");
        }
        bone->dofs[strlen(bone->dofs)] = letter;
    }
    return LMB_OK;
}

/// Reads limits (low high), one pair a degree of freedom, on this line or on lines of their own;
/// inf means no limit.
static lmb_result read_limit(asf_reader *r, lmbi_asf_bone *bone)
{
    while (!lmbi_scan_line_end(&r->scan)) {
        float pair[2];
        if (*r->scan.at != '(') {
            return fail_here(r, "limits in brackets: (low high)");
        }
        ++r->scan.at;
        for (int i = 0; i < 2; ++i) {
            double value = 0;
            if (!lmbi_scan_number(&r->scan, &value) || isnan(value)) {
                return fail_here(r, "a limit");
            }
            pair[i] = (float)value;
        }
        lmbi_scan_blanks(&r->scan);
        if (lmbi_scan_done(&r->scan) || *r->scan.at != ')') {
            return fail_here(r, ")");
        }
        ++r->scan.at;
        if (bone->limit_count < LMBI_ASF_DOFS) {
            memcpy(bone->limits[bone->limit_count++], pair, sizeof pair);
        }
    }
    return LMB_OK;
}

static lmb_result read_bone_name(asf_reader *r)
{
    lmbi_scan_blanks(&r->scan);
    const lmbi_scan before = r->scan;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    if (word.size == 0 || lmbi_names_find(&r->asf->names, word) >= 0) {
        r->scan = before;
        return fail_here(r, "a name that no other bone has");
    }
    return lmbi_names_add(&r->asf->names, word) < 0 ? lmbi_fail_memory(r->error) : LMB_OK;
}

static lmb_result read_bone_line(asf_reader *r, lmbi_word word)
{
    lmbi_asf_bone *bone = &r->asf->bones[r->asf->bone_count - 1];
    lmb_result result = LMB_OK;
    if (lmbi_word_is(word, "name")) {
        return read_bone_name(r);
    }
    if (lmbi_word_is(word, "direction")) {
        float d[3];
        result = read_floats(r, d, 3, "three finite numbers of a direction");
        bone->direction =
            lmb_vec3_normalize_or(lmb_vec3_make(d[0], d[1], d[2]), lmb_vec3_make(0, 0, 0));
        return result;
    }
    if (lmbi_word_is(word, "length")) {
        return read_floats(r, &bone->length, 1, "a length");
    }
    if (lmbi_word_is(word, "axis")) {
        result = read_floats(r, bone->axis, 3, "three angles of an axis");
        return result == LMB_OK ? read_axis_order(r, bone->axis_order) : result;
    }
    if (lmbi_word_is(word, "dof")) {
        return read_dofs(r, bone);
    }
    if (lmbi_word_is(word, "limits")) {
        return read_limit(r, bone);
    }
    return LMB_OK; // id, bodymass, cofmass and keys of other tools are ignored
}

/// begin … end, with exactly one name.
static lmb_result read_bone(asf_reader *r)
{
    const size_t names = r->asf->names.count;
    lmb_result result = add_bone(r);
    while (result == LMB_OK) {
        if (!next_content(r)) {
            return fail_here(r, "end of a bone");
        }
        const lmbi_scan before = r->scan;
        if (*r->scan.at == '(') {
            result = read_limit(r, &r->asf->bones[r->asf->bone_count - 1]);
            continue;
        }
        const lmbi_word word = lmbi_scan_word(&r->scan);
        if (lmbi_word_is(word, "end") || *word.at == ':') {
            if (*word.at == ':' || r->asf->names.count != names + 1) {
                r->scan = before;
                return fail_here(r, *word.at == ':' ? "end of a bone" : "one name in every bone");
            }
            return LMB_OK;
        }
        result = read_bone_line(r, word);
        lmbi_scan_next_line(&r->scan);
    }
    return result;
}

static lmb_result read_bonedata(asf_reader *r)
{
    lmb_result result = LMB_OK;
    while (result == LMB_OK && next_content(r) && *r->scan.at != ':') {
        const lmbi_scan before = r->scan;
        if (!lmbi_word_is(lmbi_scan_word(&r->scan), "begin")) {
            r->scan = before;
            return fail_here(r, "begin of a bone");
        }
        result = read_bone(r);
    }
    return result;
}

/// Reads a parent and its children, all known bones, no child with a parent already.
static lmb_result read_hierarchy_line(asf_reader *r)
{
    int32_t parent = LMB_NONE;
    while (!lmbi_scan_line_end(&r->scan)) {
        const lmbi_scan before = r->scan;
        const int32_t bone = lmbi_names_find(&r->asf->names, lmbi_scan_word(&r->scan));
        const bool has_parent = parent != LMB_NONE &&
                                (bone == 0 || (bone > 0 && r->asf->bones[bone].parent != LMB_NONE));
        if (bone < 0 || has_parent) {
            r->scan = before;
            return fail_here(r, has_parent ? "a bone that has no parent yet"
                                           : "a bone of the skeleton");
        }
        if (parent == LMB_NONE) {
            parent = bone;
        } else {
            r->asf->bones[bone].parent = parent;
        }
    }
    return LMB_OK;
}

static lmb_result read_hierarchy(asf_reader *r)
{
    lmb_result result = LMB_OK;
    bool begun = false;
    while (result == LMB_OK) {
        if (!next_content(r) || *r->scan.at == ':') {
            return begun ? fail_here(r, "end of the hierarchy")
                         : fail_here(r, "begin of the hierarchy");
        }
        const lmbi_scan before = r->scan;
        const lmbi_word word = lmbi_scan_word(&r->scan);
        if (lmbi_word_is(word, "begin") && !begun) {
            begun = true;
        } else if (lmbi_word_is(word, "end") && begun) {
            return LMB_OK;
        } else {
            r->scan = before;
            result = begun ? read_hierarchy_line(r) : fail_here(r, "begin of the hierarchy");
        }
    }
    return result;
}

static lmb_result read_root(asf_reader *r)
{
    lmbi_asf_bone *root = &r->asf->bones[0];
    lmb_result result = LMB_OK;
    while (result == LMB_OK && next_content(r) && *r->scan.at != ':') {
        const lmbi_word word = lmbi_scan_word(&r->scan);
        if (lmbi_word_is(word, "order")) {
            result = read_dofs(r, root);
        } else if (lmbi_word_is(word, "axis")) {
            result = read_axis_order(r, root->axis_order);
        } else if (lmbi_word_is(word, "position")) {
            result = read_floats(r, &r->asf->root_position.x, 3, "three numbers of a position");
        } else if (lmbi_word_is(word, "orientation")) {
            result = read_floats(r, root->axis, 3, "three angles of an orientation");
        }
        lmbi_scan_next_line(&r->scan);
    }
    return result;
}

static lmb_result read_units(asf_reader *r)
{
    lmb_result result = LMB_OK;
    while (result == LMB_OK && next_content(r) && *r->scan.at != ':') {
        const lmbi_word word = lmbi_scan_word(&r->scan);
        if (lmbi_word_is(word, "length")) {
            result = read_floats(r, &r->asf->length_unit, 1, "a unit of length");
        } else if (lmbi_word_is(word, "angle")) {
            const lmbi_word angle = lmbi_scan_word(&r->scan);
            r->asf->radians = angle.size >= 3 && lmbi_word_is((lmbi_word){angle.at, 3}, "rad");
        }
        lmbi_scan_next_line(&r->scan);
    }
    return result;
}

static lmb_result read_sections(asf_reader *r)
{
    bool hierarchy = false, any = false;
    while (next_content(r)) {
        const lmbi_scan before = r->scan;
        const lmbi_word word = lmbi_scan_word(&r->scan);
        lmb_result result = LMB_OK;
        if (*word.at != ':' && !any) {
            r->scan = before;
            return fail_here(r, "a section: :version, :units, :root, :bonedata or :hierarchy");
        }
        any = true;
        lmbi_scan_next_line(&r->scan);
        if (lmbi_word_is(word, ":units")) {
            result = read_units(r);
        } else if (lmbi_word_is(word, ":root")) {
            result = read_root(r);
        } else if (lmbi_word_is(word, ":bonedata")) {
            result = read_bonedata(r);
        } else if (lmbi_word_is(word, ":hierarchy")) {
            result = read_hierarchy(r);
            hierarchy = true;
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    return hierarchy ? LMB_OK : fail_here(r, ":hierarchy");
}

/// Attaches bones that the hierarchy does not mention to the root. A bone below itself is an error,
/// found later.
static void attach_orphans(lmbi_asf *asf)
{
    for (size_t b = 1; b < asf->bone_count; ++b) {
        if (asf->bones[b].parent == LMB_NONE) {
            lmbi_note(asf->notes, 0,
                      "the bone %.60s is not in the hierarchy and was put below the root",
                      asf->names.items[b]);
            asf->bones[b].parent = 0;
        }
    }
    asf->value_count = 0;
    for (size_t b = 0; b < asf->bone_count; ++b) {
        asf->bones[b].first_value = asf->value_count;
        asf->value_count += (uint32_t)strlen(asf->bones[b].dofs);
    }
}

lmb_result lmbi_asf_parse(lmbi_asf *asf, const void *bytes, size_t size, lmb_error *error)
{
    asf_reader r = {.asf = asf, .error = error};
    lmbi_names_init(&asf->names, asf->alloc);
    asf->length_unit = 1;
    lmb_result result = lmbi_text_check(bytes, size, error);
    if (result == LMB_OK) {
        result = add_bone(&r);
    }
    if (result == LMB_OK && lmbi_names_add(&asf->names, (lmbi_word){"root", 4}) < 0) {
        result = lmbi_fail_memory(error);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmbi_scan_init(&r.scan, bytes, size);
    memcpy(asf->bones[0].dofs, "XYZxyz", 7);
    result = read_sections(&r);
    if (result == LMB_OK) {
        attach_orphans(asf);
    }
    return result;
}

void lmbi_asf_free(lmbi_asf *asf)
{
    lmbi_names_free(&asf->names);
    lmbi_free(asf->alloc, asf->bones);
    lmbi_free(asf->alloc, asf->values);
}
