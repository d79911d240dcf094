/// Made by tools/fit-ownership; do not edit.
#ifndef RIG_OWNERSHIP_TABLE_H
#define RIG_OWNERSHIP_TABLE_H

static const float lmbi_ownership_table[33] = {-1};

#endif
