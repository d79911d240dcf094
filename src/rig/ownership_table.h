/// Made by tools/fit-ownership; not edited by hand.
#ifndef RIG_OWNERSHIP_TABLE_H
#define RIG_OWNERSHIP_TABLE_H

static const float lmbi_ownership_table[14] = {
    0.0000f, -0.0750f, 0.0000f, 0.0750f,  0.0000f, 0.0000f,  0.0000f,
    0.7500f, -0.3000f, 0.4875f, -0.3000f, 0.0000f, -0.3000f, -0.4875f,
};

#endif
