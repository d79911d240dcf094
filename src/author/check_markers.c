/// The rules of marker sets.
#include "author/check.h"

static const lmbi_check_rule never_seen = {"LMB-MARK-001", LMB_SEVERITY_WARNING,
                                           "markers that are never seen"};
static const lmbi_check_rule long_gap = {
    "LMB-MARK-002", LMB_SEVERITY_WARNING,
    "gaps of more than 0.2 s, where what is filled in is a guess"};
static const lmbi_check_rule short_gap = {"LMB-MARK-003", LMB_SEVERITY_NOTE, "gaps of up to 0.2 s"};
static const lmbi_check_rule jump = {"LMB-MARK-004", LMB_SEVERITY_WARNING,
                                     "steps at more than 15 m/s: a spike, or two markers swapped"};
static const lmbi_check_rule same_label = {"LMB-MARK-005", LMB_SEVERITY_WARNING,
                                           "markers with another marker's label"};
static const lmbi_check_rule no_rate = {"LMB-MARK-006", LMB_SEVERITY_WARNING,
                                        "file without a frame rate, taken as 30 Hz"};

#define LONG_GAP_S 0.2f
#define FASTEST_M_S 15.0f

typedef struct tallies {
    lmbi_check_tally long_gaps, short_gaps, jumps;
    bool seen;
} tallies;

static void end_gap(tallies *t, uint32_t frames, uint32_t frame, float rate)
{
    if (frames > 0) {
        lmbi_check_count((float)frames > LONG_GAP_S * rate ? &t->long_gaps : &t->short_gaps, true,
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
            lmbi_check_count(&t->jumps, step * rate > FASTEST_M_S, f);
        }
        before = here;
        t->seen = true;
    }
    end_gap(t, gap, markers->frame_count, rate);
}

void lmbi_check_markers(lmbi_check *check, const lmb_markers *markers)
{
    const float rate = markers->frame_rate > 0 ? markers->frame_rate : 30;
    lmbi_check_tally unseen = {0};
    for (uint32_t m = 0; m < markers->marker_count; ++m) {
        char location[96];
        tallies t = {0};
        walk_marker(markers, m, rate, &t);
        lmbi_check_count(&unseen, !t.seen, m);
        if (t.seen) {
            lmbi_check_locate(location, "marker", m, markers->names[m]);
            lmbi_check_add(check, &long_gap, location, t.long_gaps);
            lmbi_check_add(check, &short_gap, location, t.short_gaps);
            lmbi_check_add(check, &jump, location, t.jumps);
        }
    }
    lmbi_check_add(check, &never_seen, "markers", unseen);
    lmbi_check_add(
        check, &same_label, "markers",
        lmbi_check_repeated(check, (const char *const *)markers->names, markers->marker_count));
    lmbi_check_add(check, &no_rate, "markers", (lmbi_check_tally){markers->frame_rate <= 0, 0});
}
