/// Emits instructions of a driver program, folding constants.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "procedural/driver_parser.h"

bool lmbi_parser_emit(lmbi_parser *p, lmbi_driver_instruction instruction)
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

bool lmbi_parser_emit_number(lmbi_parser *p, double number)
{
    return lmbi_parser_emit(p, (lmbi_driver_instruction){.op = OP_NUMBER, .number = number});
}

bool lmbi_parser_emit_operation(lmbi_parser *p, lmbi_driver_op op, uint16_t arity)
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
        return lmbi_parser_emit_number(p, lmbi_driver_apply(op, a));
    }
    lmbi_driver_instruction i = {.op = (uint16_t)op, .arity = arity};
    if (op >= OP_SPRING) {
        i.slot = s->memory_count++ * LMBI_DRIVER_MEMORY;
    }
    return lmbi_parser_emit(p, i);
}
