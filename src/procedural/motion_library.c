/// The motions that are part of the library, and the kinds of bodies that they move.
#include "procedural/motion_text.h"

const char *lmb_motion_body_name(lmb_motion_body body)
{
    static const char *const names[LMB_MOTION_BODIES] = {"human", "quadruped", "bird",
                                                         "fish",  "spider",    "snake"};
    return (unsigned)body < LMB_MOTION_BODIES ? names[body] : "";
}

const lmb_motion_file *lmb_motion_files(size_t *count)
{
    *count = lmbi_motion_file_count;
    return lmbi_motion_files;
}
