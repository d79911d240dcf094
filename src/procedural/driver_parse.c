/// The driver language: statements of `name = expression`, parsed by precedence (Pratt 1973)
/// straight into instructions. What is constant is computed here.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "procedural/driver_source.h"

typedef struct parser {
    lmbi_driver_source *source;
    lmb_error *error;
    const char *at;
    size_t statement_code;  ///< where the code of this statement begins
    uint32_t depth, height; ///< of nested expressions; of the stack
    int64_t own_slot;       ///< of the channel that is driven; -1: a `let`
    lmb_result result;
} parser;

static bool fail(parser *p, const char *at, const char *expected, const char *found)
{
    if (p->result == LMB_OK) {
        p->result = lmbi_driver_fail(p->source, at, p->error, expected, "%s", found);
    }
    return false;
}

static bool fail_memory(parser *p)
{
    p->result = p->result == LMB_OK ? lmbi_fail_memory(p->error) : p->result;
    return false;
}

// ----------------------------------------------------------------------------------------- letters

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char peek(const parser *p)
{
    return p->at < p->source->end ? *p->at : 0;
}

/// Blanks and comments; line ends too where a statement cannot end.
static void skip(parser *p, bool lines)
{
    for (char c; (c = peek(p)) != 0 || p->at < p->source->end;) {
        if (c == '#') {
            while (p->at < p->source->end && *p->at != '\n') {
                ++p->at;
            }
        } else if (c == ' ' || c == '\t' || c == '\r' || (lines && c == '\n')) {
            ++p->at;
        } else {
            break;
        }
    }
}

/// Inside an expression a line goes on within brackets alone.
static void skip_inside(parser *p)
{
    skip(p, p->depth > 1);
}

/// Fails with what stands at the cursor.
static bool fail_here(parser *p, const char *expected)
{
    char found[40];
    skip_inside(p);
    const char *end = p->source->end;
    size_t size = 0;
    if (p->at >= end) {
        return fail(p, p->at, expected, "the end of the text");
    }
    if (*p->at == '\n' || *p->at == '\r') {
        return fail(p, p->at, expected, "the end of the line");
    }
    while (p->at + size < end && size < 24 && (is_letter(p->at[size]) || is_digit(p->at[size]))) {
        ++size;
    }
    if (size == 0 && (*p->at < 0x20 || *p->at > 0x7e)) {
        snprintf(found, sizeof found, "byte 0x%02x", (unsigned)(unsigned char)*p->at);
    } else {
        snprintf(found, sizeof found, "\"%.*s\"", size > 0 ? (int)size : 1, p->at);
    }
    return fail(p, p->at, expected, found);
}

/// Takes a sign where it is next; else the cursor stays.
static bool take(parser *p, const char *sign)
{
    const size_t size = strlen(sign);
    const char *at = p->at;
    skip_inside(p);
    if ((size_t)(p->source->end - p->at) < size || memcmp(p->at, sign, size) != 0) {
        p->at = at;
        return false;
    }
    p->at += size;
    return true;
}

static lmbi_word word_here(const parser *p)
{
    lmbi_word word = {p->at, 0};
    while (p->at + word.size < p->source->end &&
           (is_letter(word.at[word.size]) || (word.size > 0 && is_digit(word.at[word.size])))) {
        ++word.size;
    }
    return word;
}

static bool take_word(parser *p, const char *text)
{
    const char *at = p->at;
    skip_inside(p);
    const lmbi_word word = word_here(p);
    if (!lmbi_word_is_exact(word, text)) {
        p->at = at;
        return false;
    }
    p->at += word.size;
    return true;
}

/// "…" on one line, without escapes.
static bool parse_string(parser *p, lmbi_word *out)
{
    if (!take(p, "\"")) {
        return fail_here(p, "a name in quotes");
    }
    out->at = p->at;
    while (p->at < p->source->end && *p->at != '"' && *p->at != '\n') {
        ++p->at;
    }
    out->size = (size_t)(p->at - out->at);
    return take(p, "\"") || fail_here(p, "a closing quote");
}

// ------------------------------------------------------------------------------------ instructions

static bool emit(parser *p, lmbi_driver_instruction instruction)
{
    lmbi_driver_source *s = p->source;
    void *items = s->code;
    const bool room =
        lmbi_grow(s->alloc, &items, &s->code_room, s->code_count + 1, sizeof *s->code);
    s->code = items;
    if (!room) {
        return fail_memory(p);
    }
    p->height = p->height + 1 - instruction.arity;
    if (p->height > LMBI_DRIVER_STACK || s->code_count >= LMBI_DRIVER_CODE) {
        return fail(p, p->at, "a shorter program",
                    p->height > LMBI_DRIVER_STACK ? "more than 64 values that wait for each other"
                                                  : "more than 65536 instructions");
    }
    s->code[s->code_count++] = instruction;
    return true;
}

static bool emit_number(parser *p, double number)
{
    return emit(p, (lmbi_driver_instruction){.op = OP_NUMBER, .number = number});
}

/// An operation on the values before it; computed now when they are constant.
static bool emit_operation(parser *p, lmbi_driver_op op, uint16_t arity)
{
    lmbi_driver_source *s = p->source;
    double a[LMBI_DRIVER_MEMBERS];
    bool constant = op < OP_SPRING && s->code_count - p->statement_code >= arity;
    for (uint16_t k = 0; constant && k < arity; ++k) {
        const lmbi_driver_instruction *i = &s->code[s->code_count - arity + k];
        constant = i->op == OP_NUMBER;
        a[k] = i->number;
    }
    if (constant) {
        s->code_count -= arity;
        p->height -= arity;
        return emit_number(p, lmbi_driver_apply(op, a));
    }
    lmbi_driver_instruction i = {.op = (uint16_t)op, .arity = arity};
    if (op >= OP_SPRING) {
        i.slot = s->memory_count++ * LMBI_DRIVER_MEMORY;
    }
    return emit(p, i);
}

// ---------------------------------------------------------------------------------------- channels

static const char *const members[LMBI_DRIVER_MEMBERS] = {"tx", "ty", "tz", "rx", "ry",
                                                         "rz", "sx", "sy", "sz"};

static bool parse_member(parser *p, const lmbi_driver_joint *joint, uint32_t *slot)
{
    if (!take(p, ".")) {
        return fail_here(p, "a channel: .tx .ty .tz .rx .ry .rz .sx .sy .sz");
    }
    const lmbi_word word = word_here(p);
    for (uint32_t m = 0; m < LMBI_DRIVER_MEMBERS; ++m) {
        if (lmbi_word_is_exact(word, members[m])) {
            p->at += word.size;
            *slot = joint->first + m;
            return true;
        }
    }
    return fail_here(p, "one of tx ty tz rx ry rz sx sy sz");
}

/// ("NAME") after the word joint or morph, and the channel of a joint.
static bool parse_quoted(parser *p, bool morph, uint32_t *slot)
{
    lmbi_word name = {0};
    lmbi_driver_joint *joint = NULL;
    lmbi_driver_morph *target = NULL;
    if (!take(p, "(")) {
        return fail_here(p, "(\"NAME\")");
    }
    skip(p, false);
    const char *at = p->at;
    if (!parse_string(p, &name) || !(take(p, ")") || fail_here(p, "a closing bracket"))) {
        return false;
    }
    if (morph ? !lmbi_driver_find_morph(p->source, name, &target)
              : !lmbi_driver_find_joint(p->source, name, &joint)) {
        return fail_memory(p);
    }
    if (joint == NULL && target == NULL) {
        char found[80];
        snprintf(found, sizeof found, "\"%.*s\"", name.size < 60 ? (int)name.size : 60, name.at);
        return fail(p, at, morph ? "a morph target of the character" : "a joint of the character",
                    found);
    }
    if (morph) {
        *slot = target->slot;
        return true;
    }
    return parse_member(p, joint, slot);
}

/// NAME.rz: a joint whose name is a word. False with p->result LMB_OK: the word is no joint.
static bool parse_bare(parser *p, lmbi_word word, uint32_t *slot)
{
    lmbi_driver_joint *joint = NULL;
    if (word.at + word.size >= p->source->end || word.at[word.size] != '.') {
        return false;
    }
    if (!lmbi_driver_find_joint(p->source, word, &joint)) {
        return fail_memory(p);
    }
    if (joint == NULL) {
        return fail_here(p, "a joint of the character");
    }
    p->at += word.size;
    return parse_member(p, joint, slot);
}

// ------------------------------------------------------------------------------------- expressions

static bool parse_expression(parser *p, int least);

static const lmbi_driver_function *find_function(lmbi_word word)
{
    const lmbi_driver_function *f = lmbi_driver_functions;
    while (f->name != NULL && !lmbi_word_is_exact(word, f->name)) {
        ++f;
    }
    return f->name != NULL ? f : NULL;
}

static bool parse_call(parser *p, const lmbi_driver_function *f)
{
    char expected[60];
    uint16_t count = 0;
    snprintf(expected, sizeof expected, "%s with %u%s%u arguments", f->name, (unsigned)f->fewest,
             f->fewest < f->arity ? " to " : " and not ", (unsigned)f->arity);
    if (f->fewest == f->arity) {
        snprintf(expected, sizeof expected, "%s with %u argument%s", f->name, (unsigned)f->arity,
                 f->arity == 1 ? "" : "s");
    }
    if (!take(p, "(")) {
        return fail_here(p, "an opening bracket");
    }
    do {
        if (count == f->arity) {
            return fail_here(p, expected);
        }
        ++count;
        if (!parse_expression(p, 0)) {
            return false;
        }
    } while (take(p, ","));
    if (count < f->fewest || !take(p, ")")) {
        return fail_here(p, count < f->fewest ? expected : "a comma or a closing bracket");
    }
    for (; count < f->arity; ++count) {
        if (!emit_number(p, f->filler[count - f->fewest])) {
            return false;
        }
    }
    return emit_operation(p, f->op, f->arity);
}

/// A word that is a value by itself. False with p->result LMB_OK: it is none of those.
static bool parse_named(parser *p, lmbi_word word)
{
    const lmbi_driver_name *name = lmbi_driver_find_name(p->source, word);
    lmbi_driver_instruction load = {.op = OP_LOAD};
    if (lmbi_word_is_exact(word, "pi") || lmbi_word_is_exact(word, "tau")) {
        p->at += word.size;
        return emit_number(p, word.size == 2 ? 3.14159265358979323846 : 6.28318530717958647693);
    }
    if (lmbi_word_is_exact(word, "pose")) {
        if (p->own_slot < 0) {
            return fail_here(p, "`pose` where a channel is driven");
        }
        load.op = OP_POSE;
        load.slot = (uint32_t)p->own_slot;
    } else if (lmbi_word_is_exact(word, "t") || lmbi_word_is_exact(word, "dt")) {
        load.slot = word.size == 1 ? LMBI_DRIVER_T : LMBI_DRIVER_DT;
    } else if (name != NULL) {
        load.slot = name->slot;
    } else {
        return false;
    }
    p->at += word.size;
    return emit(p, load);
}

static bool parse_word(parser *p)
{
    const lmbi_word word = word_here(p);
    uint32_t slot = 0;
    if (lmbi_word_is_exact(word, "joint") || lmbi_word_is_exact(word, "morph")) {
        p->at += word.size;
        return parse_quoted(p, word.at[0] == 'm', &slot) &&
               emit(p, (lmbi_driver_instruction){.op = OP_LOAD, .slot = slot});
    }
    if (parse_bare(p, word, &slot)) {
        return emit(p, (lmbi_driver_instruction){.op = OP_LOAD, .slot = slot});
    }
    const lmbi_driver_function *f = find_function(word);
    if (p->result != LMB_OK) {
        return false;
    }
    if (f != NULL) {
        p->at += word.size;
        return parse_call(p, f);
    }
    return parse_named(p, word) ||
           (p->result == LMB_OK && fail_here(p, "a function, a name or a joint that there is"));
}

static bool parse_number(parser *p)
{
    double number = 0;
    const char *end = lmbi_number_read(p->at, p->source->end, &number);
    if (end == p->at || !isfinite(number)) {
        return fail_here(p, "a finite number");
    }
    p->at = end;
    return emit_number(p, number);
}

/// A value with its signs before it and `deg` behind it.
static bool parse_value(parser *p)
{
    skip_inside(p);
    bool parsed;
    if (take(p, "(")) {
        parsed = parse_expression(p, 0) && (take(p, ")") || fail_here(p, "a closing bracket"));
    } else if (is_digit(peek(p)) || peek(p) == '.') {
        parsed = parse_number(p);
    } else {
        parsed = is_letter(peek(p)) ? parse_word(p) : fail_here(p, "a value");
    }
    if (parsed && take_word(p, "deg")) {
        parsed = emit_number(p, 3.14159265358979323846 / 180) && emit_operation(p, OP_MUL, 2);
    }
    return parsed;
}

enum { POWER_OF_SIGNS = 7, POWER_OF_CONDITION = 0 };

typedef struct binary {
    const char *sign;
    lmbi_driver_op op;
    int power;
    bool to_right; ///< a ^ b ^ c is a ^ (b ^ c)
} binary;

static const binary binaries[] = {
    {"||", OP_OR, 1, false},         {"&&", OP_AND, 2, false},
    {"==", OP_EQUAL, 3, false},      {"!=", OP_NOT_EQUAL, 3, false},
    {"<=", OP_LESS_EQUAL, 4, false}, {">=", OP_GREATER_EQUAL, 4, false},
    {"<", OP_LESS, 4, false},        {">", OP_GREATER, 4, false},
    {"+", OP_ADD, 5, false},         {"-", OP_SUB, 5, false},
    {"*", OP_MUL, 6, false},         {"/", OP_DIV, 6, false},
    {"%", OP_MOD, 6, false},         {"^", OP_POW, 8, true},
};

static const binary *find_binary(parser *p, int least)
{
    for (size_t k = 0; k < sizeof binaries / sizeof binaries[0]; ++k) {
        if (binaries[k].power >= least && take(p, binaries[k].sign)) {
            return &binaries[k];
        }
    }
    return NULL;
}

static bool parse_operand(parser *p)
{
    if (take(p, "-")) {
        return parse_expression(p, POWER_OF_SIGNS) && emit_operation(p, OP_NEG, 1);
    }
    if (take(p, "+")) {
        return parse_expression(p, POWER_OF_SIGNS);
    }
    if (take(p, "!")) {
        return parse_expression(p, POWER_OF_SIGNS) && emit_operation(p, OP_NOT, 1);
    }
    return parse_value(p);
}

static bool parse_condition(parser *p)
{
    return parse_expression(p, 0) && (take(p, ":") || fail_here(p, "a colon")) &&
           parse_expression(p, POWER_OF_CONDITION) && emit_operation(p, OP_SELECT, 3);
}

/// Operators of at least this power, and what they bind.
static bool parse_expression(parser *p, int least)
{
    if (++p->depth > LMBI_DRIVER_DEPTH) {
        return fail(p, p->at, "a flatter expression", "more than 100 levels");
    }
    bool parsed = parse_operand(p);
    for (const binary *b; parsed && (b = find_binary(p, least)) != NULL;) {
        parsed = parse_expression(p, b->to_right ? b->power : b->power + 1) &&
                 emit_operation(p, b->op, 2);
    }
    if (parsed && least == 0 && take(p, "?")) {
        parsed = parse_condition(p);
    }
    --p->depth;
    return parsed;
}

// -------------------------------------------------------------------------------------- statements

static bool is_free(parser *p, lmbi_word word)
{
    static const char *const taken[] = {"t",   "dt",    "pi",    "tau", "pose",
                                        "deg", "joint", "morph", "let", "param"};
    bool free_name = find_function(word) == NULL && lmbi_driver_find_name(p->source, word) == NULL;
    for (size_t k = 0; k < sizeof taken / sizeof taken[0]; ++k) {
        free_name = free_name && !lmbi_word_is_exact(word, taken[k]);
    }
    return free_name;
}

/// The expression of a statement, which must end with the line.
static bool parse_right(parser *p, uint32_t slot, const char *at)
{
    lmbi_driver_source *s = p->source;
    p->statement_code = s->code_count;
    p->height = 0;
    p->depth = 0;
    if (!(take(p, "=") || fail_here(p, "an equals sign")) || !parse_expression(p, 0)) {
        return false;
    }
    skip(p, false);
    if (p->at < s->end && *p->at != '\n' && *p->at != ';') {
        return fail_here(p, "an operator or the end of the line");
    }
    if (!emit(p, (lmbi_driver_instruction){.op = OP_STORE, .arity = 1, .slot = slot})) {
        return false;
    }
    const lmbi_driver_statement statement = {
        (uint32_t)p->statement_code, (uint32_t)(s->code_count - p->statement_code), slot, at};
    return lmbi_driver_add_statement(s, statement) || fail_memory(p);
}

/// A parameter's value is known when the program is compiled: its code is taken back.
static bool parse_param(parser *p, uint32_t slot, const char *at)
{
    lmbi_driver_source *s = p->source;
    if (!parse_right(p, slot, at)) {
        return false;
    }
    const lmbi_driver_statement *statement = &s->statements[--s->statement_count];
    const lmbi_driver_instruction number = s->code[statement->first];
    s->code_count = statement->first;
    if (statement->count != 2 || number.op != OP_NUMBER || !isfinite(number.number)) {
        return fail(p, at, "a parameter that begins as a finite constant", "an expression");
    }
    s->slots[slot] = number.number;
    return true;
}

static bool parse_definition(parser *p, bool parameter)
{
    uint32_t slot = 0;
    skip(p, false);
    const lmbi_word word = word_here(p);
    const char *at = p->at;
    if (word.size == 0 || !is_free(p, word)) {
        return fail_here(p, "a name that is not taken");
    }
    p->at += word.size;
    // A `let` is known after its statement, so that it cannot name itself.
    if (parameter) {
        return lmbi_driver_add_name(p->source, word, true, &slot) ? parse_param(p, slot, at)
                                                                  : fail_memory(p);
    }
    lmbi_driver_source *s = p->source;
    p->own_slot = -1;
    if (!parse_right(p, 0, at)) {
        return false;
    }
    if (!lmbi_driver_add_name(s, word, false, &slot)) {
        return fail_memory(p);
    }
    s->statements[s->statement_count - 1].slot = slot;
    s->code[s->code_count - 1].slot = slot;
    return true;
}

/// Marks a channel as driven; a channel is driven once.
static bool mark_driven(parser *p, uint32_t slot, const char *at)
{
    lmbi_driver_source *s = p->source;
    bool again = false;
    for (size_t k = 0; k < s->statement_count; ++k) {
        again = again || s->statements[k].slot == slot;
    }
    if (again) {
        return fail(p, at, "every channel driven once", "a channel that is driven above");
    }
    for (size_t k = 0; k < s->joint_count; ++k) {
        lmbi_driver_joint *joint = &s->joints[k];
        if (slot >= joint->first && slot < joint->first + LMBI_DRIVER_MEMBERS) {
            joint->driven |= 1u << (slot - joint->first);
        }
    }
    for (size_t k = 0; k < s->morph_count; ++k) {
        s->morphs[k].driven = s->morphs[k].driven || s->morphs[k].slot == slot;
    }
    ++s->channel_count;
    return true;
}

static bool parse_channel(parser *p, lmbi_word word)
{
    const char *at = p->at;
    uint32_t slot = 0;
    bool parsed;
    if (lmbi_word_is_exact(word, "joint") || lmbi_word_is_exact(word, "morph")) {
        p->at += word.size;
        parsed = parse_quoted(p, word.at[0] == 'm', &slot);
    } else {
        parsed = parse_bare(p, word, &slot) ||
                 (p->result == LMB_OK &&
                  fail_here(p, "let, param, joint(\"NAME\").rz or morph(\"NAME\")"));
    }
    p->own_slot = slot;
    return parsed && mark_driven(p, slot, at) && parse_right(p, slot, at);
}

lmb_result lmbi_driver_parse(lmbi_driver_source *source, lmb_error *error)
{
    parser p = {.source = source, .error = error, .at = source->text};
    bool parsed = true;
    if (source->end - source->text > LMBI_DRIVER_TEXT) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "a program of at most 1 MiB", "a longer one");
    }
    while (parsed) {
        p.depth = 0;
        skip(&p, true);
        if (peek(&p) == ';') {
            ++p.at;
            continue;
        }
        if (p.at >= source->end) {
            break;
        }
        const lmbi_word word = word_here(&p);
        if (lmbi_word_is_exact(word, "let") || lmbi_word_is_exact(word, "param")) {
            p.at += word.size;
            parsed = parse_definition(&p, word.at[0] == 'p');
        } else {
            parsed = parse_channel(&p, word);
        }
    }
    return p.result;
}
