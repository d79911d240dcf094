/// A compiled driver program: instructions of a stack machine that never jumps, and the numbers it
/// works on.
#ifndef PROCEDURAL_DRIVER_H
#define PROCEDURAL_DRIVER_H

#include "limber/procedural.h"

enum {
    LMBI_DRIVER_STACK = 64,     ///< values that an expression holds at once
    LMBI_DRIVER_CODE = 1 << 16, ///< instructions
    LMBI_DRIVER_TEXT = 1 << 20, ///< bytes
    LMBI_DRIVER_DEPTH = 100,    ///< brackets, signs and conditions in each other
    LMBI_DRIVER_MEMBERS = 9,    ///< tx ty tz rx ry rz sx sy sz
    LMBI_DRIVER_MEMORY = 4,     ///< numbers that a call which remembers has
    LMBI_DRIVER_T = 0,          ///< slot of `t`
    LMBI_DRIVER_DT = 1,         ///< slot of `dt`
    LMBI_DRIVER_FIRST_SLOT = 2,
};

typedef enum lmbi_driver_op {
    OP_NUMBER = 0, ///< pushes `number`
    OP_LOAD,       ///< pushes slot `slot`
    OP_POSE,       ///< pushes slot `slot` as it was before it is stored: what the pose has
    OP_STORE,      ///< pops into slot `slot`
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_POW,
    OP_NEG,
    OP_NOT,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_AND,
    OP_OR,
    OP_SELECT, ///< condition, then, else
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_ATAN2,
    OP_SQRT,
    OP_HYPOT,
    OP_EXP,
    OP_LOG,
    OP_ABS,
    OP_SIGN,
    OP_FLOOR,
    OP_CEIL,
    OP_ROUND,
    OP_FRACT,
    OP_MIN,
    OP_MAX,
    OP_CLAMP,
    OP_MIX,
    OP_STEP,
    OP_SMOOTHSTEP,
    OP_EASE,
    OP_REMAP,
    OP_SAW,
    OP_TRI,
    OP_PULSE,
    OP_NOISE,
    OP_FBM,
    OP_RANDOM,
    OP_BREATH,
    OP_SPRING, ///< from here on they remember: `slot` is where in the memory
    OP_LAG,
    OP_INTEGRATE,
    OP_PHASE,
    OP_COUNT,
} lmbi_driver_op;

typedef struct lmbi_driver_instruction {
    uint16_t op; ///< an lmbi_driver_op
    uint16_t arity;
    uint32_t slot;
    double number;
} lmbi_driver_instruction;

/// A function by name. Arguments that are left out are filled from `filler`.
typedef struct lmbi_driver_function {
    const char *name;
    lmbi_driver_op op;
    uint16_t fewest, arity;
    double filler[3]; ///< of arguments `fewest` and on
} lmbi_driver_function;
extern const lmbi_driver_function lmbi_driver_functions[];

/// An operation without memory on its arguments.
double lmbi_driver_apply(lmbi_driver_op op, const double *a);

/// A joint whose channels are slots first to first + LMBI_DRIVER_MEMBERS - 1.
typedef struct lmbi_driver_joint {
    uint32_t joint, first;
    uint32_t driven; ///< bit a member
} lmbi_driver_joint;

/// A morph target: all weights of that name, in `places` from `first`.
typedef struct lmbi_driver_morph {
    uint32_t slot, first, count;
    bool driven;
} lmbi_driver_morph;

struct lmb_drivers {
    const lmb_character *character;
    uint32_t code_count, slot_count, joint_count, morph_count, place_count, parameter_count,
        memory_count, channel_count;
    lmbi_driver_instruction *code;
    double *slots;
    double *kept; ///< [slot_count] the last finite value stored; NaN: none yet
    double *memory;
    lmbi_driver_joint *joints;
    lmbi_driver_morph *morphs;
    uint32_t *places;     ///< in the weights of the character
    uint32_t *parameters; ///< [parameter_count] slots
    const char **names;   ///< [parameter_count]
    lmb_allocator allocator;
};

#endif
