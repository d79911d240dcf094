/// Markers of files: C3D, TRC, tables, NumPy archives.
#ifndef IO_MOCAP_MARKERS_H
#define IO_MOCAP_MARKERS_H

#include "io/common.h"
#include "limber/io.h"

/// Reads a C3D file: number formats of Intel, DEC or MIPS machines, points as integers or floats
/// (the sign of the scale decides), with more than 65535 frames where TRIAL or POINT:LONG_FRAMES
/// say so. Labels are those of POINT:LABELS, LABELS2 and so on; a point without one is "marker N".
///
/// Outputs of a model are not markers and are left out with a note: points that POINT:ANGLES,
/// FORCES, MOMENTS, POWERS, SCALARS, TORQUES, MODELED_MARKERS or another list with its own units
/// (ANGLE_UNITS) name; labels that end like such outputs; the four points of a segment's frame
/// (LFEO, LFEA, LFEL, LFEP). So are unlabelled trajectories ("*12") where there are labelled ones.
/// Analog channels keep their own units ((raw - OFFSET) * SCALE * GEN_SCALE); events come from the
/// EVENT group or the header. A point that no camera saw (a negative residual, or a coordinate that
/// is not finite) is a gap; so is a run of exact zeros of a marker that is elsewhere before or
/// after. The up axis is the one along which common labels lie above each other, else
/// POINT:Y_SCREEN, else +Z. Errors: MALFORMED with the byte; UNSUPPORTED for analog channels
/// without points; MEMORY. `opts`, `alloc` and `error` may be NULL.
lmb_result lmbi_c3d_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                         const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// Reads TRC text, with tabs, commas or semicolons between its cells. An empty cell, or "nan", is a
/// gap. Errors: MALFORMED with line and column; MEMORY.
lmb_result lmbi_trc_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                         const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// Reads a table with a header of "NAME x", "NAME y" and "NAME z" (also "NAME_X", "NAME.x" and the
/// like) for every marker, in any order, and one row a frame; the columns "frame" and "time" are
/// optional, others are skipped. Metres and +Y up unless the numbers suggest otherwise.
lmb_result lmbi_marker_csv_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                                const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// Reads such a file; names come from an array of texts called names, joint_names or labels, else
/// from SMPL's joints where there are 22 or 24 points, else they are "point N". Frame rates as for
/// lmb_body_motion_read. Points that are not finite are gaps. Errors:
/// MALFORMED for an array of a wrong shape.
lmb_result lmbi_marker_npz_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                                const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// Writes a C3D file of Intel floats. Reading it with lmbi_c3d_read gives equal markers but for
/// rounding in the file's unit, and residuals, which are stored in 255 steps. More than 65535
/// frames go into TRIAL. Errors: UNSUPPORTED for more than 65535 markers, 255 analog channels or
/// 255 events, labels longer than 127 bytes in all 255 blocks of parameters, or a unit that has no
/// name; MEMORY.
lmb_result lmbi_c3d_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

/// Writes TRC text with tabs. Residuals are not kept. Errors: those of lmbi_c3d_write but for
/// counts.
lmb_result lmbi_trc_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

/// Writes a table with commas: frame, time, and x, y, z of every marker; empty cells in gaps.
lmb_result lmbi_marker_csv_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                                 const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

// ---- The last steps of every reader of markers: from a marker set in the file's units and
// axes to an asset. And the first of every writer: the unit and axes to write in.

/// What the file itself states about its conventions.
typedef struct lmbi_marker_facts {
    float unit_m;      ///< 0: not stated
    lmb_axis up;       ///< AUTO: not stated
    lmb_axis usual_up; ///< the format's default, used where nothing else decides
} lmbi_marker_facts;

/// Metres of "mm", "cm", "m", "in", "ft" and the like; 0 for anything else.
float lmbi_unit_of(lmbi_word word);

/// Guesses the up axis from the labels: heads are above feet. AUTO when the labels do not decide.
/// False when memory runs out.
bool lmbi_markers_guess_up(const lmb_markers *markers, const lmb_allocator *alloc, lmb_axis *up);

/// Finds gaps written as zeros, guesses what is not stated, converts `draft` in place and makes the
/// asset. `draft->seen` must be set. `info` gets the conventions found, and is copied to opts->info.
/// `opts` may be NULL.
lmb_result lmbi_markers_finish(lmb_markers *draft, const lmbi_marker_facts *facts,
                               const lmb_markers_read_opts *opts, lmb_markers_info *info,
                               const lmb_allocator *alloc, lmb_markers **out, lmb_error *error);

/// The unit and axes that writers of markers write in.
typedef struct lmbi_marker_frame {
    float unit_m;
    const char *unit; ///< its name
    lmb_axis up;
} lmbi_marker_frame;

/// Fails UNSUPPORTED when the unit has no name, since the formats state it by name, and for positions
/// and residuals that a float does not hold in that unit.
lmb_result lmbi_marker_frame_of(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                                float unit_m, lmb_axis up, lmbi_marker_frame *out,
                                lmb_error *error);
/// A position in the file's unit and axes.
lmb_vec3 lmbi_marker_file_position(const lmbi_marker_frame *to, lmb_vec3 position);

// ---- Rows of cells, as in TRC and CSV: one row a frame, one cell a coordinate, an empty cell
// for a missing position.

/// The meaning of a column that is not coordinate (column % 3) of marker (column / 3).
enum { LMBI_COLUMN_TIME = -1, LMBI_COLUMN_FRAME = -2, LMBI_COLUMN_OTHER = -3 };

typedef struct lmbi_marker_rows {
    const lmb_allocator *alloc;
    char delimiter;
    const int32_t *columns; ///< [column_count]
    uint32_t column_count;
    uint32_t marker_count;
    bool allows_more;    ///< positions beyond the columns are left out
    uint32_t more_cells; ///< most of them in a row
    uint32_t frame_count;
    float *values; ///< [frame_count][marker_count][3]
    uint8_t *seen; ///< [frame_count][marker_count]
    size_t value_capacity, seen_capacity;
    double first_frame, first_time, last_time, time;
} lmbi_marker_rows;

/// Tab, comma or semicolon: the one that is most frequent in the line.
char lmbi_cell_delimiter(lmbi_scan scan);
/// "tabs", "commas", "semicolons".
const char *lmbi_delimiter_name(char delimiter);
/// Reads the next cell of the line, trimmed, and the delimiter after it. False at the end of the
/// line. `*start` is where the cell begins, for errors.
bool lmbi_cell_next(lmbi_scan *scan, char delimiter, lmbi_word *cell, lmbi_scan *start);
/// Reads all remaining rows, of which there must be one; blank lines are skipped. Columns and counts
/// must be set.
lmb_result lmbi_marker_rows_read(lmbi_marker_rows *rows, lmbi_scan *scan, lmb_notes *notes,
                                 lmb_error *error);
void lmbi_marker_rows_free(lmbi_marker_rows *rows);
/// A draft that points to the rows. A rate of 0 (not stated) becomes that of the times of the first
/// and last row.
lmb_markers lmbi_marker_rows_draft(const lmbi_marker_rows *rows, const char **names, double rate);

#endif
