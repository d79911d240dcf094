/// Counts about a mesh that `info` prints and `check` judges.
#ifndef LIMBER_CLI_SURVEY_H
#define LIMBER_CLI_SURVEY_H

#include "cli/cli.h"

typedef struct cli_mesh_survey {
    uint32_t triangle_count, line_count, point_count;
    uint32_t influences_max,
        unweighted_count; ///< most influences of a vertex; vertices without any
    double influences_mean;
    /// Of the triangles, welded by position; valid when has_surface. Vertices of no triangle are
    /// left out.
    bool has_surface;
    uint32_t position_count, component_count, border_edges, crowded_edges, degenerate_count,
        first_degenerate;
} cli_mesh_survey;

/// Returns 1 when memory ends, 0 otherwise.
cli_exit cli_mesh_survey_make(const cli_run *cli, const lmb_mesh *mesh, cli_mesh_survey *out);

/// The number with a space between groups of three digits; `text` needs 32 bytes.
const char *cli_grouped(uint64_t number, char text[32]);

/// The indices of all triangle primitives in one array, 3 * triangle_count of the survey; free.
uint32_t *cli_triangle_indices(const lmb_mesh *mesh, uint32_t triangle_count);

#endif
