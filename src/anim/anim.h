/// Timing, curves and blend spaces that the room uses itself.
#ifndef ANIM_ANIM_H
#define ANIM_ANIM_H

#include <stdbool.h>
#include <stdint.h>

#include "limber/anim.h"

/// The tick of a clip at `time_s`: a loop of 100 ticks at 25 Hz is at tick 32.5 at 5.3 s, and at
/// tick 97.5 at -0.1 s.
double lmbi_clip_tick(const lmb_clip *clip, double time_s, lmb_play_mode mode);

/// Advances by dt_s. Returns how many ends were passed: 1 for a loop that wrapped once, and 1 in
/// the step in which a clamped timer reaches its end.
uint32_t lmbi_timer_step(lmb_timer *timer, double dt_s);

/// Validates the words of a .limb file, so that playing cannot fail, and copies them and `exact`
/// (or NULL).
/// Errors: MALFORMED with the byte; MEMORY.
lmb_result lmbi_packed_clip_open(const lmb_skeleton *skeleton, const char *name,
                                 const uint32_t *words, size_t word_count, const lmb_clip *exact,
                                 const lmb_allocator *alloc, lmb_packed_clip **out,
                                 lmb_error *error);

/// Tangents of a key by tension, continuity and bias (Kochanek and Bartels 1984) from the slopes
/// before and after it; intervals may differ in length. All zero: Catmull-Rom.
void lmbi_curve_tcb(float before, float after, float tension, float continuity, float bias,
                    float *in, float *out);

/// Tangent of a curve that does not overshoot its keys (Fritsch and Carlson 1980).
float lmbi_curve_monotone(float before, float after);

/// The edits of lmb_clip_apply.
lmb_result lmbi_clip_resample(const lmb_clip *clip, float rate_hz, const lmb_allocator *alloc,
                              lmb_clip **out, lmb_error *error);
lmb_result lmbi_clip_trim(const lmb_clip *clip, double begin_s, double end_s,
                          const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);
lmb_result lmbi_clip_reverse(const lmb_clip *clip, const lmb_allocator *alloc, lmb_clip **out,
                             lmb_error *error);
lmb_result lmbi_clip_mirror(const lmb_clip *clip, const lmb_skeleton *skeleton,
                            const uint32_t *pairs, float rate_hz, const lmb_allocator *alloc,
                            lmb_clip **out, lmb_error *error);
lmb_result lmbi_clip_close(const lmb_clip *clip, const lmb_skeleton *skeleton, int32_t root,
                           double blend_s, float rate_hz, const lmb_allocator *alloc,
                           lmb_clip **out, lmb_error *error);
lmb_result lmbi_clip_smooth(const lmb_clip *clip, const lmb_smooth_opts *opts,
                            const lmb_allocator *alloc, lmb_clip **out, lmb_error *error);
lmb_result lmbi_clip_reduce(const lmb_skeleton *skeleton, const lmb_clip *clip, float precision_m,
                            const float *reach_m, const lmb_allocator *alloc, lmb_clip **out,
                            lmb_error *error);

/// Difference between the end of a clip and its beginning, without root motion.
typedef struct lmbi_seam {
    float position; ///< root mean square over the joints, in model units
    float velocity; ///< the same per second
    float farthest; ///< of the joint that differs most
} lmbi_seam;

/// `root` as in lmb_root_opts, or LMB_NONE. Errors: INVALID for a joint that is not there; MEMORY.
lmb_result lmbi_clip_seam(const lmb_clip *clip, const lmb_skeleton *skeleton, int32_t root,
                          const lmb_allocator *alloc, lmbi_seam *out, lmb_error *error);

/// Clips at points of a line (speed, say) or a plane (direction): parameters give their weights.
/// Immutable, one block.
typedef struct lmbi_blend_space {
    uint32_t point_count;
    bool is_line;     ///< all points lie on a line: `order` sorts them along it
    lmb_vec2 *points; ///< [point_count]; y is 0 for a space of one dimension
    /// [point_count] sorted along the line; otherwise by x, then y
    uint32_t *order;
    uint32_t triangle_count;
    uint32_t (*triangles)[3]; ///< Delaunay, counter-clockwise
    uint32_t edge_count;
    uint32_t (*edges)[2]; ///< convex hull, counter-clockwise, including points on its edges
    lmb_allocator allocator;
} lmbi_blend_space;

/// Errors: INVALID for no points, more than 256, points that coincide or are not finite; MEMORY.
lmb_result lmbi_blend_space_create(const lmb_vec2 *points, uint32_t count,
                                   const lmb_allocator *alloc, lmbi_blend_space **out,
                                   lmb_error *error);
void lmbi_blend_space_destroy(lmbi_blend_space *space);

/// Weights of the points at a parameter: at most two (line) or three (plane) are not 0, they sum to
/// 1 within rounding, and they are continuous. Outside, the nearest point of the hull counts.
void lmbi_blend_space_weights(const lmbi_blend_space *space, lmb_vec2 at, float *weights);

/// x(t) that starts at x0 with velocity v0 and is at rest at 0 from `end_s` on (Bollo 2018):
/// x = A t^5 + B t^4 + C t^3 + a0 t^2 / 2 + v0 t + x0. It does not overshoot.
typedef struct lmbi_quintic {
    double a, b, c, a0, v0, x0;
    double end_s; ///< the requested time, or earlier where v0 would make x overshoot
} lmbi_quintic;

/// A velocity away from 0 counts as 0.
lmbi_quintic lmbi_quintic_make(double x0, double v0, double end_s);
double lmbi_quintic_at(const lmbi_quintic *quintic, double time_s);
uint32_t lmbi_graph_parameter_count(const lmb_graph *graph);

// ---- The spring of transitions and feet.

/// Steps a critically damped spring towards 0 exactly: with y = 2 ln 2 / half_life and j = v + x y,
/// x = e^(-y dt) (x + j dt), v = e^(-y dt) (v - j y dt) (Holden 2020). After one
/// half-life from rest 0.5966 of x is left.
void lmbi_spring_step(double *x, double *v, double half_life_s, double dt_s);

// ---- Finds the events between two times.

/// Event times to search, rising, and a list of limited capacity of those found; events that do not
/// fit are dropped.
typedef struct lmbi_event_search {
    const double *times_s;
    uint32_t time_count;
    uint32_t *events;
    uint32_t count, capacity;
} lmbi_event_search;

/// Events of one monotonic interval, without its start unless `with_start`, with its end.
void lmbi_events_between(lmbi_event_search *search, double from_s, double to_s, bool with_start);
/// Events of a loop, from one wrapped time to another, `wraps` times past the end, forwards or
/// backwards.
void lmbi_events_looped(lmbi_event_search *search, double duration_s, double from_s, double to_s,
                        uint32_t wraps, bool backwards, bool with_start);

lmb_root_placement lmbi_root_placement_inverse(lmb_root_placement a);

// ---- steps of a clip

#define LMBI_STRIDE_MARKS 64

/// Times at which the feet of a cycle are farthest apart, alternately left and right in front:
/// about their touchdowns (Zeni 2008). Clips with matched marks stay in step.
typedef struct lmbi_stride {
    uint32_t mark_count; ///< even; 0 when the feet do not step
    double duration_s;
    /// starting with a left one; those past the clip's end are wrapped
    double marks_s[LMBI_STRIDE_MARKS];
    lmb_allocator allocator;
} lmbi_stride;

/// `track` gives the heading and may be NULL. Errors: INVALID for joints that are not there;
/// MEMORY.
lmb_result lmbi_stride_create(const lmb_clip *clip, const lmb_skeleton *skeleton,
                              const lmb_root_track *track, uint32_t left_foot, uint32_t right_foot,
                              const lmb_allocator *alloc, lmbi_stride **out, lmb_error *error);
void lmbi_stride_destroy(lmbi_stride *stride);
/// A phase counts marks: 0 at the first, 1 at the second, mark_count one loop later.
/// The time of a phase, not wrapped; the phase of a time, in [0, mark_count]; the seconds between
/// the marks around a phase.
double lmbi_stride_time(const lmbi_stride *stride, double phase);
double lmbi_stride_interval(const lmbi_stride *stride, double phase);
/// The phase of a time, in [0, mark_count].
double lmbi_stride_phase(const lmbi_stride *stride, double time_s);

/// When a foot of a clip is planted, in frames of step_s.
typedef struct lmbi_clip_contacts {
    uint32_t frame_count; ///< from 0 to the end
    float step_s, duration_s;
    float floor;    ///< lowest height of the point, in model space
    float *planted; ///< [frame_count] 1 where planted, else 0
    lmb_allocator allocator;
} lmbi_clip_contacts;

/// `point` of `joint`, in its frame, is planted where it is slow and close to its lowest height in
/// the clip. With `loops` the state at the end continues at the beginning. Errors: INVALID for a
/// joint that is not there; MEMORY.
lmb_result lmbi_clip_contacts_create(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                     uint32_t joint, lmb_vec3 point, bool loops,
                                     const lmb_allocator *alloc, lmbi_clip_contacts **out,
                                     lmb_error *error);
void lmbi_clip_contacts_destroy(lmbi_clip_contacts *contacts);
/// 0 to 1 at a time of the clip, clamped to its ends.
float lmbi_clip_contacts_at(const lmbi_clip_contacts *contacts, double time_s);

/// Ground contact of the feet: the weight of the motion that has each foot planted, and the lowest
/// model-space heights of its ball and its toe tip.
typedef struct lmbi_foot_state {
    float planted[LMB_MACHINE_FEET];
    float floors[LMB_MACHINE_FEET][2];
} lmbi_foot_state;

/// A track's placement at a time of the clip.
lmb_root_placement lmbi_root_track_at(const lmb_root_track *track, double time_s);

/// Removes the root motion from a pose, so that the body stays above the origin.
void lmbi_pose_extract_root(const lmb_skeleton *skeleton, uint32_t joint, lmb_root_placement root,
                            lmb_transform *pose);

#endif
