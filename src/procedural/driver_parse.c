/// The driver language: statements of `name = expression`, parsed by precedence (Pratt 1973)
/// straight into instructions.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/number.h"
#include "procedural/driver_source.h"

// ---------------------------------------------------------------------------------------- channels

// -------------------------------------------------------------------------------------------- code
// Emits instructions of a driver program, folding constants.

static bool emit(lmbi_parser *p, lmbi_driver_instruction instruction)
{
    lmbi_driver_source *s = p->source;
    void *items = s->code;
    const bool room =
        lmbi_grow(s->alloc, &items, &s->code_room, s->code_count + 1, sizeof *s->code);
    s->code = items;
    if (!room) {
        return lmbi_parser_fail_memory(p);
    }
    p->height = p->height + 1 - instruction.arity;
    if (p->height > LMBI_DRIVER_STACK || s->code_count >= LMBI_DRIVER_CODE) {
        return lmbi_parser_fail(p, p->at, "a shorter program",
                                p->height > LMBI_DRIVER_STACK
                                    ? "more than 64 values that wait for each other"
                                    : "more than 65536 instructions");
    }
    s->code[s->code_count++] = instruction;
    return true;
}

static bool emit_number(lmbi_parser *p, double number)
{
    return emit(p, (lmbi_driver_instruction){.op = OP_NUMBER, .number = number});
}

/// Emits an operation on the values before it; folds it when they are constant.
static bool emit_operation(lmbi_parser *p, lmbi_driver_op op, uint16_t arity)
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

// ----------------------------------------------------------------------------------------- grammar

static const char *const members[LMBI_DRIVER_MEMBERS] = {"tx", "ty", "tz", "rx", "ry",
                                                         "rz", "sx", "sy", "sz"};

static bool parse_member(lmbi_parser *p, const lmbi_driver_joint *joint, uint32_t *slot)
{
    if (!lmbi_parser_accept(p, ".")) {
        return lmbi_parser_fail_here(p, "a channel: .tx .ty .tz .rx .ry .rz .sx .sy .sz");
    }
    const lmbi_word word = lmbi_parser_word_here(p);
    for (uint32_t m = 0; m < LMBI_DRIVER_MEMBERS; ++m) {
        if (lmbi_word_is_exact(word, members[m])) {
            p->at += word.size;
            *slot = joint->first + m;
            return true;
        }
    }
    return lmbi_parser_fail_here(p, "one of tx ty tz rx ry rz sx sy sz");
}

/// Parses ("NAME") after the word joint or morph, and the channel of a joint.
static bool parse_quoted(lmbi_parser *p, bool morph, uint32_t *slot)
{
    lmbi_word name = {0};
    lmbi_driver_joint *joint = NULL;
    lmbi_driver_morph *target = NULL;
    if (!lmbi_parser_accept(p, "(")) {
        return lmbi_parser_fail_here(p, "(\"NAME\")");
    }
    lmbi_parser_skip(p, false);
    const char *at = p->at;
    if (!lmbi_parser_string(p, &name) ||
        !(lmbi_parser_accept(p, ")") || lmbi_parser_fail_here(p, "a closing bracket"))) {
        return false;
    }
    if (morph ? !lmbi_driver_find_morph(p->source, name, &target)
              : !lmbi_driver_find_joint(p->source, name, &joint)) {
        return lmbi_parser_fail_memory(p);
    }
    if (joint == NULL && target == NULL) {
        char found[80];
        snprintf(found, sizeof found, "\"%.*s\"", name.size < 60 ? (int)name.size : 60, name.at);
        return lmbi_parser_fail(
            p, at, morph ? "a morph target of the character" : "a joint of the character", found);
    }
    if (morph) {
        *slot = target->slot;
        return true;
    }
    return parse_member(p, joint, slot);
}

/// Parses NAME.rz, for a joint name that is a word. False with p->result LMB_OK where no `.`
/// follows.
static bool parse_bare(lmbi_parser *p, lmbi_word word, uint32_t *slot)
{
    lmbi_driver_joint *joint = NULL;
    if (word.at + word.size >= p->source->end || word.at[word.size] != '.') {
        return false;
    }
    if (!lmbi_driver_find_joint(p->source, word, &joint)) {
        return lmbi_parser_fail_memory(p);
    }
    if (joint == NULL) {
        return lmbi_parser_fail_here(p, "a joint of the character");
    }
    p->at += word.size;
    return parse_member(p, joint, slot);
}

// ------------------------------------------------------------------------------------- expressions

static bool parse_expression(lmbi_parser *p, int least);

static const lmbi_driver_function *find_function(lmbi_word word)
{
    const lmbi_driver_function *f = lmbi_driver_functions;
    while (f->name != NULL && !lmbi_word_is_exact(word, f->name)) {
        ++f;
    }
    return f->name != NULL ? f : NULL;
}

static bool parse_call(lmbi_parser *p, const lmbi_driver_function *f)
{
    char expected[60];
    uint16_t count = 0;
    snprintf(expected, sizeof expected, "%s with %u%s%u arguments", f->name, (unsigned)f->min_arity,
             f->min_arity < f->arity ? " to " : " and not ", (unsigned)f->arity);
    if (f->min_arity == f->arity) {
        snprintf(expected, sizeof expected, "%s with %u argument%s", f->name, (unsigned)f->arity,
                 f->arity == 1 ? "" : "s");
    }
    if (!lmbi_parser_accept(p, "(")) {
        return lmbi_parser_fail_here(p, "an opening bracket");
    }
    do {
        if (count == f->arity) {
            return lmbi_parser_fail_here(p, expected);
        }
        ++count;
        if (!parse_expression(p, 0)) {
            return false;
        }
    } while (lmbi_parser_accept(p, ","));
    if (count < f->min_arity || !lmbi_parser_accept(p, ")")) {
        return lmbi_parser_fail_here(p, count < f->min_arity ? expected
                                                             : "a comma or a closing bracket");
    }
    for (; count < f->arity; ++count) {
        if (!emit_number(p, f->defaults[count - f->min_arity])) {
            return false;
        }
    }
    return emit_operation(p, f->op, f->arity);
}

/// Parses a named value. False with p->result LMB_OK for an unknown name.
static bool parse_named(lmbi_parser *p, lmbi_word word)
{
    const lmbi_driver_name *name = lmbi_driver_find_name(p->source, word);
    lmbi_driver_instruction load = {.op = OP_LOAD};
    if (lmbi_word_is_exact(word, "pi") || lmbi_word_is_exact(word, "tau")) {
        p->at += word.size;
        return emit_number(p, word.size == 2 ? 3.14159265358979323846 : 6.28318530717958647693);
    }
    if (lmbi_word_is_exact(word, "pose")) {
        if (p->own_slot < 0) {
            return lmbi_parser_fail_here(p, "`pose` where a channel is driven");
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

static bool parse_word(lmbi_parser *p)
{
    const lmbi_word word = lmbi_parser_word_here(p);
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
           (p->result == LMB_OK &&
            lmbi_parser_fail_here(p, "a function, a name or a joint that there is"));
}

static bool parse_number(lmbi_parser *p)
{
    double number = 0;
    const char *end = lmbi_number_read(p->at, p->source->end, &number);
    if (end == p->at || !isfinite(number)) {
        return lmbi_parser_fail_here(p, "a finite number");
    }
    p->at = end;
    return emit_number(p, number);
}

/// Parses a value, and `deg` after it.
static bool parse_value(lmbi_parser *p)
{
    lmbi_parser_skip_inside(p);
    bool parsed;
    if (lmbi_parser_accept(p, "(")) {
        parsed = parse_expression(p, 0) &&
                 (lmbi_parser_accept(p, ")") || lmbi_parser_fail_here(p, "a closing bracket"));
    } else if (lmbi_parser_is_digit(lmbi_parser_peek(p)) || lmbi_parser_peek(p) == '.') {
        parsed = parse_number(p);
    } else {
        parsed = lmbi_parser_is_letter(lmbi_parser_peek(p)) ? parse_word(p)
                                                            : lmbi_parser_fail_here(p, "a value");
    }
    if (parsed && lmbi_parser_accept_word(p, "deg")) {
        parsed = emit_number(p, 3.14159265358979323846 / 180) && emit_operation(p, OP_MUL, 2);
    }
    return parsed;
}

enum { PRECEDENCE_UNARY = 7, PRECEDENCE_CONDITION = 0 };

typedef struct binary {
    const char *sign;
    lmbi_driver_op op;
    int precedence;
    bool right_associative; ///< a ^ b ^ c is a ^ (b ^ c)
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

static const binary *find_binary(lmbi_parser *p, int least)
{
    for (size_t k = 0; k < sizeof binaries / sizeof binaries[0]; ++k) {
        if (binaries[k].precedence >= least && lmbi_parser_accept(p, binaries[k].sign)) {
            return &binaries[k];
        }
    }
    return NULL;
}

static bool parse_operand(lmbi_parser *p)
{
    if (lmbi_parser_accept(p, "-")) {
        return parse_expression(p, PRECEDENCE_UNARY) && emit_operation(p, OP_NEG, 1);
    }
    if (lmbi_parser_accept(p, "+")) {
        return parse_expression(p, PRECEDENCE_UNARY);
    }
    if (lmbi_parser_accept(p, "!")) {
        return parse_expression(p, PRECEDENCE_UNARY) && emit_operation(p, OP_NOT, 1);
    }
    return parse_value(p);
}

static bool parse_condition(lmbi_parser *p)
{
    return parse_expression(p, 0) &&
           (lmbi_parser_accept(p, ":") || lmbi_parser_fail_here(p, "a colon")) &&
           parse_expression(p, PRECEDENCE_CONDITION) && emit_operation(p, OP_SELECT, 3);
}

/// Parses operators of at least this precedence, and their operands.
static bool parse_expression(lmbi_parser *p, int least)
{
    if (++p->depth > LMBI_DRIVER_DEPTH) {
        return lmbi_parser_fail(p, p->at, "a flatter expression", "more than 100 levels");
    }
    bool parsed = parse_operand(p);
    for (const binary *b; parsed && (b = find_binary(p, least)) != NULL;) {
        parsed = parse_expression(p, b->right_associative ? b->precedence : b->precedence + 1) &&
                 emit_operation(p, b->op, 2);
    }
    if (parsed && least == 0 && lmbi_parser_accept(p, "?")) {
        parsed = parse_condition(p);
    }
    --p->depth;
    return parsed;
}

// -------------------------------------------------------------------------------------- statements

static bool is_free_name(lmbi_parser *p, lmbi_word word)
{
    static const char *const reserved[] = {"t",   "dt",    "pi",    "tau", "pose",
                                           "deg", "joint", "morph", "let", "param"};
    bool free_name = find_function(word) == NULL && lmbi_driver_find_name(p->source, word) == NULL;
    for (size_t k = 0; k < sizeof reserved / sizeof reserved[0]; ++k) {
        free_name = free_name && !lmbi_word_is_exact(word, reserved[k]);
    }
    return free_name;
}

/// Parses the right side of a statement, which must end with the line.
static bool parse_right(lmbi_parser *p, uint32_t slot, const char *at)
{
    lmbi_driver_source *s = p->source;
    p->statement_code = s->code_count;
    p->height = 0;
    p->depth = 0;
    if (!(lmbi_parser_accept(p, "=") || lmbi_parser_fail_here(p, "an equals sign")) ||
        !parse_expression(p, 0)) {
        return false;
    }
    lmbi_parser_skip(p, false);
    if (p->at < s->end && *p->at != '\n' && *p->at != ';') {
        return lmbi_parser_fail_here(p, "an operator or the end of the line");
    }
    if (!emit(p, (lmbi_driver_instruction){.op = OP_STORE, .arity = 1, .slot = slot})) {
        return false;
    }
    const lmbi_driver_statement statement = {
        (uint32_t)p->statement_code, (uint32_t)(s->code_count - p->statement_code), slot, at};
    return lmbi_driver_add_statement(s, statement) || lmbi_parser_fail_memory(p);
}

/// Parses a parameter. Its value is constant, so its code is removed again.
static bool parse_param(lmbi_parser *p, uint32_t slot, const char *at)
{
    lmbi_driver_source *s = p->source;
    if (!parse_right(p, slot, at)) {
        return false;
    }
    const lmbi_driver_statement *statement = &s->statements[--s->statement_count];
    const lmbi_driver_instruction number = s->code[statement->first];
    s->code_count = statement->first;
    if (statement->count != 2 || number.op != OP_NUMBER || !isfinite(number.number)) {
        return lmbi_parser_fail(p, at, "a parameter that begins as a finite constant",
                                "an expression");
    }
    s->slots[slot] = number.number;
    return true;
}

static bool parse_definition(lmbi_parser *p, bool parameter)
{
    uint32_t slot = 0;
    lmbi_parser_skip(p, false);
    const lmbi_word word = lmbi_parser_word_here(p);
    const char *at = p->at;
    if (word.size == 0 || !is_free_name(p, word)) {
        return lmbi_parser_fail_here(p, "a name that is not taken");
    }
    p->at += word.size;
    // A `let` is defined after its statement, so that it cannot refer to itself.
    if (parameter) {
        return lmbi_driver_add_name(p->source, word, true, &slot) ? parse_param(p, slot, at)
                                                                  : lmbi_parser_fail_memory(p);
    }
    lmbi_driver_source *s = p->source;
    p->own_slot = -1;
    if (!parse_right(p, 0, at)) {
        return false;
    }
    if (!lmbi_driver_add_name(s, word, false, &slot)) {
        return lmbi_parser_fail_memory(p);
    }
    s->statements[s->statement_count - 1].slot = slot;
    s->code[s->code_count - 1].slot = slot;
    return true;
}

/// Marks a channel as driven. Driving it twice is an error.
static bool mark_driven(lmbi_parser *p, uint32_t slot, const char *at)
{
    lmbi_driver_source *s = p->source;
    bool driven_before = false;
    for (size_t k = 0; k < s->statement_count; ++k) {
        driven_before = driven_before || s->statements[k].slot == slot;
    }
    if (driven_before) {
        return lmbi_parser_fail(p, at, "every channel driven once",
                                "a channel that is driven above");
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

static bool parse_channel(lmbi_parser *p, lmbi_word word)
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
                  lmbi_parser_fail_here(p, "let, param, joint(\"NAME\").rz or morph(\"NAME\")"));
    }
    p->own_slot = slot;
    return parsed && mark_driven(p, slot, at) && parse_right(p, slot, at);
}

lmb_result lmbi_driver_parse(lmbi_driver_source *source, lmb_error *error)
{
    lmbi_parser p = {.source = source, .error = error, .at = source->text};
    bool parsed = true;
    if (source->end - source->text > LMBI_DRIVER_TEXT) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "a program of at most 1 MiB", "%llu bytes",
                         (unsigned long long)(source->end - source->text));
    }
    while (parsed) {
        p.depth = 0;
        lmbi_parser_skip(&p, true);
        if (lmbi_parser_peek(&p) == ';') {
            ++p.at;
            continue;
        }
        if (p.at >= source->end) {
            break;
        }
        const lmbi_word word = lmbi_parser_word_here(&p);
        if (lmbi_word_is_exact(word, "let") || lmbi_word_is_exact(word, "param")) {
            p.at += word.size;
            parsed = parse_definition(&p, word.at[0] == 'p');
        } else {
            parsed = parse_channel(&p, word);
        }
    }
    return p.result;
}
