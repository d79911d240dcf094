/// A compiled driver program: instructions of a stack machine without jumps, and its data.
#ifndef PROCEDURAL_DRIVER_H
#define PROCEDURAL_DRIVER_H

#include "limber/procedural.h"

enum {
    LMBI_DRIVER_STACK = 64,     ///< depth of the value stack
    LMBI_DRIVER_CODE = 1 << 16, ///< instructions
    LMBI_DRIVER_TEXT = 1 << 20, ///< bytes
    LMBI_DRIVER_DEPTH = 100,    ///< nesting of brackets, signs and conditions
    LMBI_DRIVER_MEMBERS = 9,    ///< tx ty tz rx ry rz sx sy sz
    LMBI_DRIVER_MEMORY = 4,     ///< state numbers of a call with memory
    LMBI_DRIVER_T = 0,          ///< slot of `t`
    LMBI_DRIVER_DT = 1,         ///< slot of `dt`
    LMBI_DRIVER_FIRST_SLOT = 2,
};

typedef enum lmbi_driver_op {
    OP_NUMBER = 0, ///< pushes `number`
    OP_LOAD,       ///< pushes slot `slot`
    OP_POSE,       ///< pushes slot `slot` before its store: the value of the pose
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
    OP_SPRING, ///< from here on operations have state: `slot` is its index in the memory
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

/// A function by name. Missing arguments are filled from `defaults`.
typedef struct lmbi_driver_function {
    const char *name;
    lmbi_driver_op op;
    uint16_t min_arity, arity;
    double defaults[3]; ///< of arguments min_arity and later
} lmbi_driver_function;
extern const lmbi_driver_function lmbi_driver_functions[];

/// Evaluates an operation without state.
double lmbi_driver_apply(lmbi_driver_op op, const double *a);

/// A joint whose channels are slots first to first + LMBI_DRIVER_MEMBERS - 1.
typedef struct lmbi_driver_joint {
    uint32_t joint, first;
    uint32_t driven; ///< one bit per channel
} lmbi_driver_joint;

/// A morph target: all weights of that name, at `count` indices from `first` of `weight_indices`.
typedef struct lmbi_driver_morph {
    uint32_t slot, first, count;
    bool driven;
} lmbi_driver_morph;

struct lmb_drivers {
    const lmb_character *character;
    uint32_t code_count, slot_count, joint_count, morph_count, weight_index_count, parameter_count,
        memory_count, channel_count;
    lmbi_driver_instruction *code;
    double *slots;
    double *last_finite; ///< [slot_count] the last finite value stored; NaN: none yet
    double *memory;
    lmbi_driver_joint *joints;
    lmbi_driver_morph *morphs;
    uint32_t *weight_indices; ///< indices into the character's weights
    uint32_t *parameters;     ///< [parameter_count] slots
    const char **names;       ///< [parameter_count]
    lmb_allocator allocator;
};

/// Clears the state of operations. Parameters stay.
void lmbi_drivers_restart(lmb_drivers *drivers);

#endif
