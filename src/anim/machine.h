/// What a graph is once it is read, and what a machine remembers.
#ifndef ANIM_MACHINE_H
#define ANIM_MACHINE_H

#include "base/arena.h"
#include "base/json.h"
#include "limber/anim.h"

#define LMBI_MAX_LAYERS 8
#define LMBI_MAX_MOTIONS 32    ///< of one blend space
#define LMBI_MAX_OPERATIONS 64 ///< operations of one condition
#define LMBI_MAX_FIRED_EVENTS 32
#define LMBI_MAX_MACHINE_DEPTH 8 ///< of machines in machines

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

/// In postfix order. No operations: always true.
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
    float smooth_s; ///< half-life of a critically damped approach; 0: at once
} lmbi_parameter;

typedef struct lmbi_event {
    const char *name;
    double time_s;
} lmbi_event;

typedef struct lmbi_graph_clip {
    const char *name;
    uint32_t event_count; ///< rising
    lmbi_event *events;
} lmbi_graph_clip;

/// Where a sub-machine is entered when its condition holds.
typedef struct lmbi_entry {
    uint32_t to;
    lmbi_condition when;
} lmbi_entry;

/// A state, or a machine of states: those inside it come after it in the layer's list.
typedef struct lmbi_state {
    const char *name;       ///< with the machines it is in: "air/fall"
    int32_t parent;         ///< the machine it is in; LMB_NONE at the top
    bool is_machine;        ///< never played itself
    uint32_t start;         ///< of a machine: the state that it begins with
    uint32_t entry_count;   ///< of a machine: the first that holds comes before `start`
    lmbi_entry *entries;    ///< [entry_count]
    uint32_t motion_count;  ///< 0: an empty state, nothing is laid over
    uint32_t *clips;        ///< [motion_count] in the graph
    lmb_blend_space *space; ///< NULL for a single clip
    int32_t axes[2];        ///< parameters; LMB_NONE
    bool sync;              ///< clips keep step
    lmb_play_mode mode;
    float speed;
    int32_t speed_parameter; ///< multiplies; LMB_NONE
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

/// Those of one layer lie in the order in which they are tried: an outer machine's before those of
/// the machines in it, from any state before those from one.
typedef struct lmbi_graph_transition {
    int32_t scope; ///< the machine that it stands in; LMB_NONE at the top
    int32_t from;  ///< LMB_NONE: any state of `scope` but the target
    uint32_t to;
    bool exits_machine; ///< instead of going to a state: goes on with what `scope`'s exit leads to
    bool on_exit;       ///< taken when the machine `from` is left
    lmbi_condition when;
    float exit_at; ///< share of the heaviest clip that must have passed; below 0: none
    float duration_s;
    lmbi_transition_method method;
    lmbi_curve curve;
    bool sync;          ///< the target begins at the source's phase, and both keep step
    uint32_t interrupt; ///< LMBI_INTERRUPT_… bits: whose transitions may break in
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
    lmbi_mask_entry *mask; ///< in the order of the file; none: every joint
    bool additive, model_space;
    /// clip whose first frame an additive layer is measured from; LMB_NONE: the rest pose
    int32_t reference;
    float weight;
    int32_t weight_parameter; ///< multiplies; LMB_NONE
} lmbi_graph_layer;

struct lmb_graph {
    lmbi_arena arena;
    lmb_allocator allocator;
    uint32_t parameter_count, clip_count, layer_count;
    lmbi_parameter *parameters;
    lmbi_graph_clip *clips;
    lmbi_graph_layer layers[LMBI_MAX_LAYERS];
};

/// Parses a condition such as "speed > 0.2 and not (armed or jump)". `text` is what the JSON string
/// `value` says.
lmb_result lmbi_condition_read(lmb_graph *graph, const char *text, lmbi_condition *out,
                               char found[160]);

// ----------------------------------------------------------------------------------------- player

/// A pose and its morph weights, NULL when the machine has none.
typedef struct lmbi_full_pose {
    lmb_transform *joints;
    float *weights;
} lmbi_full_pose;

/// How feet are said to stand: how much of the motion stands on each, and the lowest that its ball
/// and its tip come.
typedef struct lmbi_foot_state {
    float planted[LMB_MACHINE_FEET];
    float floors[LMB_MACHINE_FEET][2];
} lmbi_foot_state;

/// A clip as a machine plays it: of keys, or compressed.
typedef struct lmbi_clip_source {
    const lmb_clip *clip;
    const lmb_packed_clip *packed;
    lmb_root_track *track;                    ///< NULL when the machine has no root
    lmb_stride *stride;                       ///< never NULL
    lmb_contacts *contacts[LMB_MACHINE_FEET]; ///< of the feet
    float tip_floors[LMB_MACHINE_FEET];
    uint32_t *cursors;
    double duration_s;
} lmbi_clip_source;

/// One state being played.
typedef struct lmbi_player {
    const lmbi_state *state;
    double times_s[LMBI_MAX_MOTIONS]; ///< folded
    double phase;                     ///< of clips that keep step
    float weights[LMBI_MAX_MOTIONS];
    uint32_t heaviest;
    double
        progress; ///< share of the heaviest clip played since the beginning, counting on over loops
    double progress_before; ///< a step ago
} lmbi_player;

typedef struct lmbi_layer {
    lmbi_player current, next;
    bool is_crossfading; ///< from current to next
    bool synced;         ///< both at one phase
    const lmbi_graph_transition *taken;
    float time_s; ///< since it was taken
    lmb_transition *transition;
    bool in_transition; ///< `transition` is under way
    lmb_place
        root_velocity_offset; ///< a second: what the root went by when it was taken, less the target
    float offset_time_s, offset_duration_s;
    float pose_weight;        ///< 0 in an empty state, 1 in others, between during a crossfade
    lmbi_full_pose recent[2]; ///< the last two poses
    uint32_t recent_count;
    float recent_dt_s;           ///< between them
    lmb_place root_velocity;     ///< a second, of the last step
    lmbi_foot_state feet;        ///< of what plays
    lmbi_foot_state feet_before; ///< of what played when `transition` began
    /// what morph weights are off by after a transition, and how fast, [weight_count] each
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
    lmbi_clip_source *sources; ///< one a clip of the graph
    float *parameters, *targets, *velocities;
    double phase_period;
    lmbi_layer layers[LMBI_MAX_LAYERS];
    uint32_t weight_count;        ///< morph weights of the character
    const uint32_t *weight_first; ///< as lmb_character_weights has it
    const float *rest_weights;
    float *weights;          ///< of the last step
    lmbi_full_pose poses[4]; ///< scratch
    lmbi_full_pose samples[3];
    lmb_quat *rotations;
    uint32_t event_count;
    lmb_machine_event events[LMBI_MAX_FIRED_EVENTS];
};

/// Begins a state. `phase` is where its clips take up step; below 0: at the beginning of the
/// heaviest.
void lmbi_player_start(lmb_machine *m, lmbi_player *player, const lmbi_state *state, double phase);
/// The weights that the parameters give now.
void lmbi_player_update_weights(const lmb_machine *m, lmbi_player *player);
/// Adds up what one phase lasts for the player's clips that keep step, times their weights, and the
/// weights times speed.
void lmbi_player_sum_intervals(const lmb_machine *m, const lmbi_player *player, float blend_weight,
                               double *seconds, double *weighted_speed);
/// Goes on, clips that keep step by so many phases. Says what the root went by; fires events when
/// asked.
lmb_place lmbi_player_advance(lmb_machine *m, lmbi_player *player, double dt_s, double phases,
                              bool fires_events);
/// The pose where the player is; uses samples. False for an empty state, which leaves `out` alone.
bool lmbi_player_pose(lmb_machine *m, const lmbi_player *player, lmbi_full_pose out);
bool lmbi_player_is_synced(const lmb_machine *m, const lmbi_player *player);
/// Where the clips that it plays have the root, mixed.
lmb_place lmbi_player_place(const lmb_machine *m, const lmbi_player *player);
/// How feet stand in what it plays.
lmbi_foot_state lmbi_player_feet(const lmb_machine *m, const lmbi_player *player);

// ----------------------------------------------------------------------------------------- motions

/// Finds the clip that the graph calls so and learns its way, its strides and its contacts.
lmb_result lmbi_source_create(lmb_machine *m, const lmb_machine_def *def, uint32_t index,
                              lmb_error *error);
void lmbi_source_release(lmbi_clip_source *source);
/// The whole pose at a time, its root where the clip has it.
void lmbi_source_pose(const lmb_machine *m, const lmbi_clip_source *source, double time_s,
                      lmb_play_mode mode, lmbi_full_pose out);

// ------------------------------------------------------------------------------------- transitions

/// A transition that is to be taken, after the exits of machines that led to it.
typedef struct lmbi_transition_path {
    uint32_t count;
    const lmbi_graph_transition *steps[LMBI_MAX_MACHINE_DEPTH + 1];
} lmbi_transition_path;

/// Whether a state is a machine, or in it; in LMB_NONE everything is.
bool lmbi_state_inside(const lmbi_graph_layer *layer, int32_t state, int32_t machine);
/// The transition that a layer takes now. False: none.
bool lmbi_transition_choose(const lmb_machine *m, const lmbi_graph_layer *graph,
                            const lmbi_layer *layer, lmbi_transition_path *out);
/// The state that is played when `to` is gone to: through the entries of machines. Consumes the
/// triggers that conditions on the way asked for.
const lmbi_state *lmbi_transition_enter(lmb_machine *m, const lmbi_graph_layer *graph,
                                        const lmbi_transition_path *path, uint32_t to);

#endif
