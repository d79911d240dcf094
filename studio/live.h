/// A character that is open for a person's hands: the pose it is in, and what drags, paints and
/// swings it. Each part is a file of its own; the calls from outside are those of live_exports.h.
#ifndef LIMBER_STUDIO_LIVE_H
#define LIMBER_STUDIO_LIVE_H

#include "cli/ik/ik.h"

#include "limber/limber.h"

/// Goals of a body that is dragged: two of every pin, the hand's own, and the rotation of the root.
enum { LIVE_PINS = 31, LIVE_GOALS = 2 * LIVE_PINS + 2 };

/// What a drag knows of the body, from the first drag on, and of itself while it lasts.
typedef struct live_drag {
    bool knows_body;
    ik_figure figure;     ///< the joints by human bone, and their limits
    lmb_chain_map chains; ///< of bodies that are not human; count 0: none
    uint8_t *pinned;      ///< [joint_count]
    int32_t joint;        ///< the dragged joint, or LMB_NONE
    lmb_transform *start; ///< [joint_count] pose at the start of the drag
    uint32_t pin_count;
    uint32_t pins[LIVE_PINS];
    lmb_vec3 pin_positions[LIVE_PINS]; ///< of the pins at the start of the drag
    lmb_quat pin_rotations[LIVE_PINS];
    lmb_quat root_rotation; ///< of the root at the start of the drag
    void *scratch;
    size_t scratch_size;
} live_drag;

typedef struct live_paint {
    lmb_painter *painter;
    bool open;    ///< during a stroke
    bool changed; ///< the painter's weights are not in the character yet
    lmb_brush_falloff falloff;
    float *row;           ///< joints and weights of one vertex, for display
    uint32_t row_room;    ///< how many pairs fit
    float *shown;         ///< weights of one joint, for display
    uint32_t shown_count; ///< how many fit
} live_paint;

typedef struct live_springs {
    lmb_spring_set *set;
    lmb_springs *springs;
} live_springs;

typedef struct live_character {
    struct live_character *next;
    int handle;
    lmb_character *character;
    bool in_file_order;   ///< nodes are written in the order of skeleton->source_index
    lmb_transform *pose;  ///< [joint_count] as it was set
    lmb_transform *shown; ///< [joint_count] after springs
    lmb_mat4 *model;      ///< [joint_count] of `shown`
    uint32_t *weight_first;
    float *rest_weights, *weights; ///< morph weights, as lmb_character_weights lays them out
    lmb_deformer *deformer;        ///< NULL until the skin is first requested
    lmb_pose_drivers *drivers;     ///< NULL where nothing is driven
    bool knows_drivers;            ///< they are those of the character as it is
    bool skin_due;                 ///< the deformer has not been updated to `shown` yet
    uint32_t prepared;             ///< bits of lmb_skin_method that the deformer is ready for
    live_drag drag;
    live_paint paint;
    live_springs springs;
    struct live_play *play; ///< NULL while it is not steered
    char *keys_text;        ///< that made the newest clip of keys, or NULL
} live_character;

/// NULL, with an error, when nothing of that handle is open.
live_character *live_find(int handle);
/// The same, and NULL when it has no such joint.
live_character *live_find_joint(int handle, uint32_t joint);
/// The same, and NULL when it has no such mesh.
live_character *live_find_mesh(int handle, uint32_t mesh);
/// Remembers why a call fails. Returns 0.
int live_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
int live_fail_call(const char *what, const lmb_error *error);
/// Of an array, at least one byte; NULL, with an error, when memory ends.
void *live_room(size_t count, size_t size);

/// The pose was set: what is shown follows it.
void live_show(live_character *live);
/// The same, and before that what the pose drives: correctives, and helpers, those of `pose`. `clip`, whose keys stay, is
/// what it was sampled from, or NULL.
void live_show_driven(live_character *live, const lmb_clip *clip);
/// Sets the helpers of a pose and the morph weights that it turns on.
void live_drive(live_character *live, lmb_transform *pose, const lmb_clip *clip);
void live_drivers_free(live_character *live);
/// Forgets the deformer, and what is driven: the character is about to change.
void live_forget_skin(live_character *live);
/// Makes the deformer unless there is one. False, with an error, when that fails.
bool live_make_deformer(live_character *live);
/// Ten numbers as limber_pose has them, the rotation made unit. False when they are no transform.
bool live_transform(const float *ten, lmb_transform *out);

void live_drag_end(live_character *live);
void live_drag_free(live_character *live);
/// Gives the character what was painted, which ends a stroke. 0 with an error when it fails.
int live_paint_store(live_character *live);
void live_paint_free(live_character *live);
void live_springs_free(live_character *live);
void live_play_free(live_character *live);
/// Finds out what the joints are, once. False, with an error, when memory ends.
bool live_know_body(live_character *live);
bool live_is_human(const live_character *live);
/// Whether a joint is another one or hangs below it; false for LMB_NONE.
bool live_is_above(const lmb_skeleton *skeleton, int32_t above, int32_t joint);
/// What the lesson began with this character.
void live_lesson_heat_free(int handle);
void live_lesson_motion_free(int handle);
void live_lesson_body_free(int handle);

#endif
