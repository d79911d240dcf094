/// Manners of walking by name: presets of options that a caller can also set one by one.
#include <string.h>

#include "limber/procedural.h"

#define DEG (LMB_PI / 180)

typedef struct manner {
    const char *name;
    lmb_gait_opts opts;
} manner;

/// `lean_rad` affects only two legs, `nod_rad` heads on any number.
static const manner manners[] = {
    {"sneak",
     {.bounce = 0.5f,
      .arm_swing = 0.45f,
      .lift = 1.5f,
      .hips = 0.6f,
      .crouch = 0.12f,
      .lean_rad = 13 * DEG,
      .nod_rad = 3 * DEG}},
    {"march",
     {.bounce = 0.8f,
      .arm_swing = 1.7f,
      .lift = 2.2f,
      .hips = 0.5f,
      .width = 0.9f,
      .lean_rad = -3 * DEG,
      .nod_rad = -4 * DEG}},
    {"tired",
     {.bounce = 0.55f,
      .arm_swing = 0.45f,
      .lift = 0.6f,
      .hips = 1.3f,
      .width = 1.2f,
      .crouch = 0.03f,
      .lean_rad = 11 * DEG,
      .nod_rad = 22 * DEG}},
    {"proud",
     {.bounce = 1.5f,
      .arm_swing = 1.25f,
      .lift = 1.5f,
      .hips = 1.5f,
      .lean_rad = -5 * DEG,
      .nod_rad = -9 * DEG}},
    {"stroll",
     {.bounce = 0.9f,
      .arm_swing = 0.7f,
      .hips = 1.25f,
      .width = 1.15f,
      .lean_rad = -1 * DEG,
      .nod_rad = 4 * DEG}},
};

bool lmb_gait_manner(const char *name, lmb_gait_opts *opts)
{
    for (size_t k = 0; k < sizeof manners / sizeof manners[0]; ++k) {
        const lmb_gait_opts *m = &manners[k].opts;
        if (strcmp(manners[k].name, name) == 0) {
            opts->bounce = m->bounce;
            opts->arm_swing = m->arm_swing;
            opts->lift = m->lift;
            opts->hips = m->hips;
            opts->width = m->width;
            opts->crouch = m->crouch;
            opts->lean_rad = m->lean_rad;
            opts->nod_rad = m->nod_rad;
            return true;
        }
    }
    return false;
}
