#include "cli/files/markers.h"

#include <stdlib.h>
#include <string.h>

static const cli_rule never_seen = {"LMB-MARK-001", CLI_WARNING, "markers that are never seen"};
static const cli_rule long_gap = {"LMB-MARK-002", CLI_WARNING,
                                  "gaps of more than 0.2 s, where what is filled in is a guess"};
static const cli_rule short_gap = {"LMB-MARK-003", CLI_NOTE, "gaps of up to 0.2 s"};
static const cli_rule jump = {"LMB-MARK-004", CLI_WARNING,
                              "steps at more than 15 m/s: a spike, or two markers swapped"};
static const cli_rule same_label = {"LMB-MARK-005", CLI_WARNING,
                                    "markers with another marker's label"};
static const cli_rule no_rate = {"LMB-MARK-006", CLI_WARNING,
                                 "file without a frame rate, taken as 30 Hz"};

#define LONG_GAP_S 0.2f
#define FASTEST_M_S 15.0f

typedef struct tallies {
    cli_tally long_gaps, short_gaps, jumps;
    bool seen;
} tallies;

static void end_gap(tallies *t, uint32_t frames, uint32_t frame, float rate)
{
    if (frames > 0) {
        cli_meet((float)frames > LONG_GAP_S * rate ? &t->long_gaps : &t->short_gaps, true,
                 frame - frames);
    }
}

static void walk_marker(const lmb_markers *markers, uint32_t m, float rate, tallies *t)
{
    uint32_t gap = 0;
    const lmb_vec3 *before = NULL;
    for (uint32_t f = 0; f < markers->frame_count; ++f) {
        const size_t k = (size_t)f * markers->marker_count + m;
        if (!markers->seen[k]) {
            ++gap;
            before = NULL;
            continue;
        }
        end_gap(t, gap, f, rate);
        gap = 0;
        const lmb_vec3 *here = &markers->positions[k];
        if (before != NULL) {
            const float step = lmb_vec3_length(lmb_vec3_sub(*here, *before));
            cli_meet(&t->jumps, step * rate > FASTEST_M_S, f);
        }
        before = here;
        t->seen = true;
    }
    end_gap(t, gap, markers->frame_count, rate);
}

static int compare_labels(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static cli_tally count_same_labels(const lmb_markers *markers)
{
    cli_tally same = {0};
    const uint32_t n = markers->marker_count;
    const char **sorted = cli_resize(NULL, n, sizeof(*sorted));
    memcpy(sorted, markers->names, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare_labels);
    for (uint32_t m = 1; m < n; ++m) {
        cli_meet(&same, strcmp(sorted[m - 1], sorted[m]) == 0,
                 (uint32_t)lmb_markers_find(markers, sorted[m]));
    }
    free(sorted);
    return same;
}

void cli_check_markers(const lmb_markers *markers, cli_findings *out)
{
    const float rate = markers->frame_rate > 0 ? markers->frame_rate : 30;
    cli_tally unseen = {0};
    for (uint32_t m = 0; m < markers->marker_count; ++m) {
        char location[96];
        tallies t = {0};
        walk_marker(markers, m, rate, &t);
        cli_meet(&unseen, !t.seen, m);
        if (t.seen) {
            snprintf(location, sizeof(location), "marker %u \"%.60s\"", m, markers->names[m]);
            cli_add_finding(out, &long_gap, location, t.long_gaps);
            cli_add_finding(out, &short_gap, location, t.short_gaps);
            cli_add_finding(out, &jump, location, t.jumps);
        }
    }
    cli_add_finding(out, &never_seen, "markers", unseen);
    cli_add_finding(out, &same_label, "markers", count_same_labels(markers));
    cli_add_finding(out, &no_rate, "markers", (cli_tally){markers->frame_rate <= 0, 0});
}
