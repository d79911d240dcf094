#include "io/mocap/marker_out.h"

#include <math.h>

#include "io/common.h"

lmb_result lmbi_marker_frame_of(const lmb_markers_write_opts *opts, float unit_m, lmb_axis up,
                                lmbi_marker_frame *out, lmb_error *error)
{
    static const struct {
        float metres;
        const char *name;
    } units[] = {{0.001f, "mm"}, {0.01f, "cm"},   {0.1f, "dm"},
                 {1, "m"},       {0.0254f, "in"}, {0.3048f, "ft"}};
    unit_m = opts != NULL && opts->unit_m > 0 ? opts->unit_m : unit_m;
    up = opts != NULL && opts->up != LMB_AXIS_AUTO ? opts->up : up;
    for (size_t k = 0; k < sizeof units / sizeof *units; ++k) {
        if (fabsf(units[k].metres - unit_m) < 1e-6f * unit_m) {
            *out = (lmbi_marker_frame){units[k].metres, units[k].name, up};
            return LMB_OK;
        }
    }
    return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "mm, cm, dm, m, inches or feet",
                     "writing markers in units of %g m", (double)unit_m);
}

lmb_vec3 lmbi_marker_file_position(const lmbi_marker_frame *to, lmb_vec3 position)
{
    const lmb_vec3 rotated = lmbi_axis_from_y(to->up, position);
    return lmb_vec3_make(rotated.x / to->unit_m, rotated.y / to->unit_m, rotated.z / to->unit_m);
}
