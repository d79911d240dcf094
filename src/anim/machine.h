/// A parsed animation graph, and the run-time state of a machine that plays it.
#ifndef ANIM_MACHINE_H
#define ANIM_MACHINE_H

#include "anim/anim.h"
#include "base/arena.h"
#include "base/json.h"
#include "limber/anim.h"

#define LMBI_MAX_MOTIONS 32    ///< clips of one blend space
#define LMBI_MAX_OPERATIONS 64 ///< in one condition
/// Events per step; further ones are dropped (see lmb_machine_info).
#define LMBI_MAX_FIRED_EVENTS 32
#define LMBI_MAX_MACHINE_DEPTH 8 ///< nesting of state machines

// ------------------------------------------------------------------------------------- conditions

typedef enum lmbi_op {
    LMBI_OP_NUMBER = 0,
    LMBI_OP_PARAMETER,
    LMBI_OP_LESS,
    LMBI_OP_LESS_EQUAL,
    LMBI_OP_GREATER,
    LMBI_OP_GREATER_EQUAL,
    LMBI_OP_EQUAL,
    LMBI_OP_NOT_EQUAL,
    LMBI_OP_NOT,
    LMBI_OP_AND,
    LMBI_OP_OR,
} lmbi_op;

typedef struct lmbi_operation {
    lmbi_op op;
    uint32_t parameter;
    float number;
} lmbi_operation;

/// Operations in postfix order. An empty condition is true.
typedef struct lmbi_condition {
    uint32_t count;
    lmbi_operation *operations;
} lmbi_condition;

bool lmbi_condition_holds(const lmbi_condition *condition, const float *parameters);

// ------------------------------------------------------------------------------------------ graph

typedef enum lmbi_parameter_kind {
    LMBI_PARAMETER_NUMBER = 0,
    LMBI_PARAMETER_BOOL,
    LMBI_PARAMETER_TRIGGER,
} lmbi_parameter_kind;

typedef struct lmbi_parameter {
    const char *name;
    lmbi_parameter_kind kind;
    float start;
    float smooth_s; ///< half-life of the critically damped smoothing; 0: none
} lmbi_parameter;

typedef struct lmbi_graph_clip {
    const char *name;
    uint32_t event_count;
    double *event_times_s; ///< [event_count] ascending
    const char **event_names;
} lmbi_graph_clip;

/// A conditional entry of a sub-machine: the first whose condition holds selects the state.
typedef struct lmbi_entry {
    uint32_t to;
    lmbi_condition when;
} lmbi_entry;

/// A state, or a sub-machine. States of a sub-machine follow it in the layer's list.
typedef struct lmbi_state {
    const char *name;        ///< full path: "air/fall"
    int32_t parent;          ///< the enclosing machine, or LMB_NONE
    bool is_machine;         ///< a sub-machine, which is never played itself
    uint32_t start;          ///< of a machine: entered when no entry's condition holds
    uint32_t entry_count;    ///< of a machine
    lmbi_entry *entries;     ///< [entry_count]
    uint32_t motion_count;   ///< 0: an empty state, which outputs no pose
    uint32_t *clips;         ///< [motion_count] indices into the graph's clips
    lmbi_blend_space *space; ///< NULL for a single clip
    int32_t axes[2];         ///< parameters of the blend space, or LMB_NONE
    bool sync;               ///< clips share one stride phase
    lmb_play_mode mode;
    float speed;
    int32_t speed_parameter; ///< multiplies `speed`, or LMB_NONE
} lmbi_state;

typedef enum lmbi_transition_method {
    LMBI_METHOD_CROSSFADE = 0,
    LMBI_METHOD_SPRING,
    LMBI_METHOD_QUINTIC,
    LMBI_METHOD_DEAD,
    LMBI_METHOD_FROZEN,
} lmbi_transition_method;

typedef enum lmbi_curve {
    LMBI_CURVE_SMOOTH = 0,
    LMBI_CURVE_LINEAR,
    LMBI_CURVE_SMOOTHER
} lmbi_curve;

enum { LMBI_INTERRUPT_SOURCE = 1, LMBI_INTERRUPT_TARGET = 2 };

/// A layer's transitions are sorted by priority: those of an outer machine before those of the
/// machines inside it, those from any state before those from one state.
typedef struct lmbi_graph_transition {
    int32_t scope; ///< the machine that declares it, or LMB_NONE
    int32_t from;  ///< LMB_NONE: any state of `scope` except the target
    uint32_t to;
    bool exits_machine; ///< leaves `scope` and follows its exit instead of going to `to`
    bool on_exit;       ///< taken when the machine `from` exits
    lmbi_condition when;
    float exit_at; ///< fraction of the heaviest clip that must have played; < 0: none
    float duration_s;
    lmbi_transition_method method;
    lmbi_curve curve;
    bool sync;          ///< the target starts at the source's phase; both stay in phase
    uint32_t interrupt; ///< LMBI_INTERRUPT_… bits: whose transitions may interrupt it
} lmbi_graph_transition;

typedef struct lmbi_mask_entry {
    const char *joint;
    float weight;
} lmbi_mask_entry;

typedef struct lmbi_graph_layer {
    const char *name;
    uint32_t state_count, start, transition_count, mask_count, feather;
    lmbi_state *states;
    lmbi_graph_transition *transitions;
    lmbi_mask_entry *mask; ///< in file order; none: every joint
    bool additive, model_space;
    /// clip whose first frame is the base of an additive layer; LMB_NONE: the rest pose
    int32_t reference;
    float weight;
    int32_t weight_parameter; ///< multiplies `weight`, or LMB_NONE
} lmbi_graph_layer;

struct lmb_graph {
    lmbi_arena arena;
    lmb_allocator allocator;
    uint32_t parameter_count, clip_count, layer_count;
    lmbi_parameter *parameters;
    lmbi_graph_clip *clips;
    lmbi_graph_layer layers[LMB_MACHINE_LAYERS];
};

/// Parses a condition such as "speed > 0.2 and not (armed or jump)". `found` receives the
/// error.
lmb_result lmbi_condition_read(lmb_graph *graph, const char *text, lmbi_condition *out,
                               char found[160]);

// ----------------------------------------------------------------------------------------- player

/// A local pose and its morph weights (NULL when the machine has none).
typedef struct lmbi_full_pose {
    lmb_transform *joints;
    float *weights;
} lmbi_full_pose;

/// A clip as a machine plays it: keyed or compressed.
typedef struct lmbi_clip_source {
    const lmb_clip *clip;
    const lmb_packed_clip *packed;
    lmb_root_track *track;                          ///< NULL without a root joint
    lmbi_stride *stride;                            ///< never NULL
    lmbi_clip_contacts *contacts[LMB_MACHINE_FEET]; ///< one per foot
    float tip_floors[LMB_MACHINE_FEET];
    uint32_t *cursors;
    double duration_s;
} lmbi_clip_source;

/// A state that is playing.
typedef struct lmbi_player {
    const lmbi_state *state;
    double times_s[LMBI_MAX_MOTIONS]; ///< wrapped into the clip
    double phase;                     ///< stride phase of clips in sync
    float weights[LMBI_MAX_MOTIONS];
    uint32_t heaviest;
    double progress;        ///< plays of the heaviest clip since the start, loops included
    double progress_before; ///< at the previous step
} lmbi_player;

typedef struct lmbi_layer {
    lmbi_player current, next;
    bool is_crossfading; ///< from current to next
    bool synced;         ///< current and next share one phase
    const lmbi_graph_transition *taken;
    float time_s; ///< since the transition was taken
    lmb_transition *transition;
    bool in_transition; ///< `transition` is active
    /// root velocity before the transition minus the target's, per second
    lmb_root_placement root_velocity_offset;
    float offset_time_s, offset_duration_s;
    float pose_weight;        ///< 0 in an empty state, 1 in others; interpolated by a crossfade
    lmbi_full_pose recent[2]; ///< the last two output poses, newest first
    uint32_t recent_count;
    float recent_dt_s;                ///< time between the two
    lmb_root_placement root_velocity; ///< per second, of the last step
    lmbi_foot_state feet;             ///< of the playing states
    lmbi_foot_state feet_before;      ///< when `transition` started
    /// [weight_count] offsets of the morph weights from the target after a transition, and their
    /// rates
    float *weight_offsets, *weight_velocities;
    float weight_half_life_s;
    bool weights_in_transition;
    float *mask;
    lmbi_full_pose reference;
} lmbi_layer;

struct lmb_machine {
    const lmb_graph *graph;
    const lmb_skeleton *skeleton;
    lmb_allocator allocator;
    lmbi_arena arena;
    int32_t root;
    uint32_t foot_count;
    lmbi_clip_source *sources; ///< one per clip of the graph
    float *parameters, *targets, *velocities;
    double phase_period;
    lmbi_layer layers[LMB_MACHINE_LAYERS];
    uint32_t weight_count;        ///< morph weights of the character
    const uint32_t *weight_first; ///< as in lmb_character_weights
    const float *rest_weights;
    float *weights;          ///< of the last step
    lmbi_full_pose poses[4]; ///< scratch
    lmbi_full_pose samples[3];
    lmb_quat *rotations;
    uint32_t event_count;
    lmb_machine_event events[LMBI_MAX_FIRED_EVENTS];
};

/// Starts a state with its synchronised clips at `phase`; below 0: at the start of the heaviest
/// clip.
void lmbi_player_start(lmb_machine *m, lmbi_player *player, const lmbi_state *state, double phase);
/// Evaluates the blend space at the current parameters.
void lmbi_player_update_weights(const lmb_machine *m, lmbi_player *player);
/// Accumulates, over the synchronised clips, weight times the duration of one phase and weight
/// times playback speed.
void lmbi_player_sum_intervals(const lmb_machine *m, const lmbi_player *player, float blend_weight,
                               double *seconds, double *weighted_speed);
/// Advances by dt_s, synchronised clips by `phases`. Returns the root motion.
lmb_root_placement lmbi_player_advance(lmb_machine *m, lmbi_player *player, double dt_s,
                                       double phases, bool fires_events);
/// Samples and blends the current pose, using m->samples. Returns false and leaves `out` alone in
/// an empty state.
bool lmbi_player_pose(lmb_machine *m, const lmbi_player *player, lmbi_full_pose out);
bool lmbi_player_is_synced(const lmb_machine *m, const lmbi_player *player);
/// The weighted mean of the clips' root positions and headings.
lmb_root_placement lmbi_player_place(const lmb_machine *m, const lmbi_player *player);
/// The weighted ground contact of the clips' feet.
lmbi_foot_state lmbi_player_feet(const lmb_machine *m, const lmbi_player *player);

// ----------------------------------------------------------------------------------------- motions

/// Finds the graph's clip `index` by name and computes its root track, strides and contacts.
lmb_result lmbi_source_create(lmb_machine *m, const lmb_machine_def *def, uint32_t index,
                              lmb_error *error);
void lmbi_source_release(lmbi_clip_source *source);
/// Samples the full pose, root motion included.
void lmbi_source_pose(const lmb_machine *m, const lmbi_clip_source *source, double time_s,
                      lmb_play_mode mode, lmbi_full_pose out);

// ------------------------------------------------------------------------------------- transitions

/// The transition to take, preceded by the machine exits that lead to it.
typedef struct lmbi_transition_path {
    uint32_t count;
    const lmbi_graph_transition *steps[LMBI_MAX_MACHINE_DEPTH + 1];
} lmbi_transition_path;

/// Whether `state` is `machine` or inside it. Every state is inside LMB_NONE.
bool lmbi_state_inside(const lmbi_graph_layer *layer, int32_t state, int32_t machine);
/// Selects the transition that the layer takes now. False: none.
bool lmbi_transition_choose(const lmb_machine *m, const lmbi_graph_layer *graph,
                            const lmbi_layer *layer, lmbi_transition_path *out);
/// Resolves the machine entries from `to` down to a playable state, and consumes the triggers used
/// by the conditions along `path`.
const lmbi_state *lmbi_transition_enter(lmb_machine *m, const lmbi_graph_layer *graph,
                                        const lmbi_transition_path *path, uint32_t to);

#endif
