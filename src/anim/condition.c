#include <math.h>
#include <stdio.h>
#include <string.h>

#include "anim/machine.h"
#include "base/number.h"

// ---------------------------------------------------------------------------------------- holding

static bool evaluate_operator(lmbi_op op, float a, float b)
{
    switch (op) {
    case LMBI_OP_LESS:
        return a < b;
    case LMBI_OP_LESS_EQUAL:
        return a <= b;
    case LMBI_OP_GREATER:
        return a > b;
    case LMBI_OP_GREATER_EQUAL:
        return a >= b;
    case LMBI_OP_EQUAL:
        return a >= b && a <= b;
    case LMBI_OP_NOT_EQUAL:
        return a < b || a > b;
    case LMBI_OP_AND:
        return fabsf(a) > 0 && fabsf(b) > 0;
    default:
        return fabsf(a) > 0 || fabsf(b) > 0;
    }
}

bool lmbi_condition_holds(const lmbi_condition *condition, const float *parameters)
{
    float stack[LMBI_MAX_OPERATIONS] = {1};
    uint32_t top = 0;
    for (uint32_t i = 0; i < condition->count; ++i) {
        const lmbi_operation *o = &condition->operations[i];
        if (o->op == LMBI_OP_NUMBER) {
            stack[top++] = o->number;
        } else if (o->op == LMBI_OP_PARAMETER) {
            stack[top++] = parameters[o->parameter];
        } else if (o->op == LMBI_OP_NOT) {
            stack[top - 1] = fabsf(stack[top - 1]) > 0 ? 0.0f : 1.0f;
        } else {
            stack[top - 2] = evaluate_operator(o->op, stack[top - 2], stack[top - 1]) ? 1.0f : 0.0f;
            --top;
        }
    }
    return fabsf(stack[0]) > 0;
}

// ---------------------------------------------------------------------------------------- parsing

enum { DEPTH = 16 };

typedef struct parser {
    lmb_graph *graph;
    const char *at;
    lmbi_operation code[LMBI_MAX_OPERATIONS];
    uint32_t count, depth;
    const char *found; ///< what is wrong, or NULL
} parser;

static bool set_error(parser *p, const char *found)
{
    p->found = p->found != NULL ? p->found : found;
    return false;
}

static bool emit(parser *p, lmbi_operation operation)
{
    if (p->count == LMBI_MAX_OPERATIONS) {
        return set_error(p, "more than 64 terms");
    }
    p->code[p->count++] = operation;
    return true;
}

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') {
        ++p->at;
    }
}

static bool is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (is_word_character(at[length])) {
        ++length;
    }
    return length;
}

/// Consumes the word or sign if it comes next.
static bool accept(parser *p, const char *token)
{
    skip_blanks(p);
    const size_t length = strlen(token);
    if (strncmp(p->at, token, length) != 0 ||
        (is_word_character(token[0]) && is_word_character(p->at[length]))) {
        return false;
    }
    p->at += length;
    return true;
}

static bool parse_or(parser *p);

static bool parse_value(parser *p)
{
    skip_blanks(p);
    if (accept(p, "true") || accept(p, "false")) {
        return emit(
            p, (lmbi_operation){.op = LMBI_OP_NUMBER, .number = p->at[-2] == 'u' ? 1.0f : 0.0f});
    }
    if ((*p->at >= '0' && *p->at <= '9') || *p->at == '-' || *p->at == '.') {
        double number = 0;
        const char *end = lmbi_number_read(p->at, p->at + strlen(p->at), &number);
        if (end == p->at || !(fabs(number) < 1e30)) {
            return set_error(p, "no number after a sign");
        }
        p->at = end;
        return emit(p, (lmbi_operation){.op = LMBI_OP_NUMBER, .number = (float)number});
    }
    const size_t length = word_length(p->at);
    for (uint32_t k = 0; length > 0 && k < p->graph->parameter_count; ++k) {
        const char *name = p->graph->parameters[k].name;
        if (strlen(name) == length && memcmp(name, p->at, length) == 0) {
            p->at += length;
            return emit(p, (lmbi_operation){.op = LMBI_OP_PARAMETER, .parameter = k});
        }
    }
    return set_error(p, length > 0 ? "a name that is no parameter"
                                   : "no parameter or number where one belongs");
}

static bool parse_comparison(parser *p)
{
    static const struct {
        const char *sign;
        lmbi_op op;
    } signs[] = {{"<=", LMBI_OP_LESS_EQUAL}, {">=", LMBI_OP_GREATER_EQUAL}, {"==", LMBI_OP_EQUAL},
                 {"!=", LMBI_OP_NOT_EQUAL},  {"<", LMBI_OP_LESS},           {">", LMBI_OP_GREATER}};
    if (!parse_value(p)) {
        return false;
    }
    for (size_t k = 0; k < sizeof(signs) / sizeof(signs[0]); ++k) {
        if (accept(p, signs[k].sign)) {
            return parse_value(p) && emit(p, (lmbi_operation){.op = signs[k].op});
        }
    }
    return true;
}

static bool parse_not(parser *p)
{
    bool negated = false;
    while (accept(p, "not")) {
        negated = !negated;
    }
    bool parsed;
    if (accept(p, "(")) {
        // A limit on nesting bounds the recursion for any input.
        parsed = ++p->depth <= DEPTH ? parse_or(p) : set_error(p, "brackets more than 16 deep");
        --p->depth;
        parsed = parsed && (accept(p, ")") || set_error(p, "no closing bracket"));
    } else {
        parsed = parse_comparison(p);
    }
    return parsed && (!negated || emit(p, (lmbi_operation){.op = LMBI_OP_NOT}));
}

static bool parse_and(parser *p)
{
    bool parsed = parse_not(p);
    while (parsed && accept(p, "and")) {
        parsed = parse_not(p) && emit(p, (lmbi_operation){.op = LMBI_OP_AND});
    }
    return parsed;
}

static bool parse_or(parser *p)
{
    bool parsed = parse_and(p);
    while (parsed && accept(p, "or")) {
        parsed = parse_and(p) && emit(p, (lmbi_operation){.op = LMBI_OP_OR});
    }
    return parsed;
}

lmb_result lmbi_condition_read(lmb_graph *graph, const char *text, lmbi_condition *out,
                               char found[160])
{
    parser p = {.graph = graph, .at = text};
    bool parsed = parse_or(&p);
    skip_blanks(&p);
    if (parsed && *p.at != 0) {
        parsed = set_error(&p, "something after the end of the condition");
    }
    if (!parsed) {
        snprintf(found, 160, "%s at \"%.60s\"", p.found, p.at);
        return LMB_ERROR_MALFORMED;
    }
    out->operations = lmbi_arena_array(&graph->arena, p.count, sizeof(lmbi_operation));
    if (out->operations == NULL) {
        return LMB_ERROR_MEMORY;
    }
    memcpy(out->operations, p.code, p.count * sizeof(lmbi_operation));
    out->count = p.count;
    return LMB_OK;
}
