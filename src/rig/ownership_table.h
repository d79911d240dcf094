/// Made by tools/fit-ownership; not edited by hand.
#ifndef RIG_OWNERSHIP_TABLE_H
#define RIG_OWNERSHIP_TABLE_H

static const float lmbi_ownership_table[18] = {
    0,
};

#endif
