/// Parts of machines and dolls: whom balls, collars and segments follow.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/shapes.h"
#include "limber/rig.h"
#include "rig/rig.h"

enum { TORSO = 0, UPPER, LOWER, HAND, JOINTS };
enum { MOST_PIECES = 16, SEVERAL = 100 };

/// A sphere, or a tube along x, of a character of several pieces.
typedef struct piece {
    lmb_vec3 middle;
    float radius, half_length; ///< half_length 0: a sphere
    uint32_t follows;          ///< the joint that is expected, or SEVERAL
    bool block;                ///< a tube without vertices between its ends
} piece;

static shape shape_of(const piece *p)
{
    shape s = p->half_length > 0
                  ? shape_tube(p->block ? 1 : 24, 12, p->radius, -p->half_length, p->half_length)
                  : shape_sphere(12, 8);
    for (uint32_t i = 0; i < s.point_count; ++i) {
        const float scale = p->half_length > 0 ? 1 : p->radius;
        s.points[i] = lmb_vec3_mad(p->middle, s.points[i], scale);
    }
    return s;
}

static const lmb_vec3 positions[JOINTS] = {{0, 0, 0}, {2, 0, 0}, {6, 0, 0}, {10, 0, 0}};
static const lmbi_bone_segment items[] = {{{0, -2, 0}, {0, 2, 0}, TORSO},
                                          {{0, 0, 0}, {1.5f, 0, 0}, TORSO},
                                          {{2, 0, 0}, {6, 0, 0}, UPPER},
                                          {{6, 0, 0}, {10, 0, 0}, LOWER},
                                          {{10, 0, 0}, {11, 0, 0}, HAND}};
static const int32_t parents[JOINTS] = {LMB_NONE, TORSO, UPPER, LOWER};

/// Bones on the given arrays: `of[count]`, `at[joint_count]`, `above[joint_count]`.
static lmbi_bones bones_on(const lmbi_bone_segment *of, uint32_t count, const lmb_vec3 *at,
                           const int32_t *above, uint32_t joint_count)
{
    return (lmbi_bones){.count = count,
                        .items = (lmbi_bone_segment *)(uintptr_t)of,
                        .joint_count = joint_count,
                        .parents = (int32_t *)(uintptr_t)above,
                        .positions = (lmb_vec3 *)(uintptr_t)at};
}

static lmbi_bones arm(void)
{
    return bones_on(items, sizeof items / sizeof *items, positions, parents, JOINTS);
}

static void assert_follows(const lmb_weights *w, uint32_t vertex, uint32_t joint)
{
    const uint32_t first = w->influences.first[vertex];
    assert_int_equal(w->influences.first[vertex + 1] - first, 1);
    assert_int_equal(w->influences.items[first].joint, joint);
}

static void assert_pieces(const lmbi_bones *bones, const piece *pieces, uint32_t count)
{
    shape shapes[MOST_PIECES];
    lmb_surface_part parts[MOST_PIECES];
    for (uint32_t k = 0; k < count; ++k) {
        shapes[k] = shape_of(&pieces[k]);
        parts[k] = (lmb_surface_part){.positions = shapes[k].points,
                                      .vertex_count = shapes[k].point_count,
                                      .indices = shapes[k].triangles,
                                      .index_count = 3 * shapes[k].triangle_count};
    }
    lmb_surface *s;
    lmb_weights *w;
    assert_int_equal(lmb_surface_create(parts, count, NULL, NULL, &s, NULL), LMB_OK);
    assert_int_equal(lmbi_weights_create(s, bones, NULL, NULL, &w, NULL, NULL), LMB_OK);
    uint32_t at = 0;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t shared = 0;
        for (uint32_t v = 0; v < shapes[k].point_count; ++v, ++at) {
            const uint32_t row = s->vertex_of[at];
            shared += w->influences.first[row + 1] - w->influences.first[row] > 1;
            if (pieces[k].follows != SEVERAL) {
                assert_follows(w, row, pieces[k].follows);
            }
        }
        assert_true((shared > 0) == (pieces[k].follows == SEVERAL));
        shape_free(&shapes[k]);
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
}

/// The collar at the shoulder sits on the torso and is its socket; the ball in the elbow rotates with
/// the lower arm; the segments follow their bones.
static void sockets_and_balls_follow_one_joint(void **state)
{
    (void)state;
    const lmbi_bones bones = arm();
    const piece pieces[] = {{{0, 0, 0}, 2, 0, TORSO},
                            {{2.1f, 0, 0}, 0.5f, 0, TORSO},
                            {{4.1f, 0, 0}, 0.3f, 1.3f, UPPER},
                            {{6, 0, 0}, 0.5f, 0, LOWER},
                            {{8.2f, 0, 0}, 0.3f, 1.6f, LOWER}};
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
}

/// What is all that a limb has is no socket: it stays the limb's.
static void a_first_segment_is_no_socket(void **state)
{
    (void)state;
    const lmbi_bones bones = arm();
    const piece pieces[] = {{{0, 0, 0}, 2, 0, TORSO},
                            {{2.4f, 0, 0}, 0.6f, 0, UPPER},
                            {{8.2f, 0, 0}, 0.3f, 1.6f, LOWER}};
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
}

/// An arm in one piece, its elbow in the middle, bends although the rest is rigid.
static void an_arm_in_one_piece_bends(void **state)
{
    (void)state;
    const lmbi_bones bones = arm();
    const piece pieces[] = {{{0, 0, 0}, 2, 0, TORSO}, {{6.2f, 0, 0}, 0.3f, 3.4f, SEVERAL}};
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
}

/// A shin that goes on past its knee under shorts bends there; a cap as wide as it is long does not.
static void a_shin_bends_with_the_knee_under_shorts(void **state)
{
    (void)state;
    const lmbi_bones bones = arm();
    const piece shin[] = {{{2.6f, 0, 0}, 0.8f, 2.8f, SEVERAL}, {{7.5f, 0, 0}, 0.5f, 2.7f, SEVERAL}};
    assert_pieces(&bones, shin, sizeof shin / sizeof *shin);
    const piece cap[] = {{{2.6f, 0, 0}, 0.8f, 2.8f, SEVERAL}, {{6.6f, 0, 0}, 1.2f, 1.1f, LOWER}};
    assert_pieces(&bones, cap, sizeof cap / sizeof *cap);
}

/// A shoe bends with the toes that lie in it, if enough of it is theirs; a cuff that ends at the
/// hand does not.
static void a_shoe_bends_with_its_toes(void **state)
{
    (void)state;
    const lmbi_bones bones = arm();
    const piece shoe[] = {{{3, 0, 0}, 0.6f, 3.2f, SEVERAL}, {{8.6f, 0, 0}, 0.5f, 2.3f, SEVERAL}};
    assert_pieces(&bones, shoe, sizeof shoe / sizeof *shoe);
    const piece cuff[] = {{{3, 0, 0}, 0.6f, 3.2f, SEVERAL}, {{8.35f, 0, 0}, 0.5f, 2.05f, LOWER}};
    assert_pieces(&bones, cuff, sizeof cuff / sizeof *cuff);
}

/// A hand that rests on the torso, far along the skeleton, is not its socket.
static void a_hand_on_the_hip_is_no_socket(void **state)
{
    (void)state;
    static const lmb_vec3 bent[JOINTS] = {{0, 0, 0}, {1, 6, 0}, {6, 6, 0}, {2.4f, 0, 0}};
    static const lmbi_bone_segment arms[] = {{{0, -2, 0}, {0, 2, 0}, TORSO},
                                             {{1, 6, 0}, {6, 6, 0}, UPPER},
                                             {{6, 6, 0}, {3, 1, 0}, LOWER},
                                             {{2.4f, 0, 0}, {2.8f, -1.2f, 0}, HAND}};
    lmbi_bones bones = arm();
    bones.items = (lmbi_bone_segment *)(uintptr_t)arms;
    bones.count = sizeof arms / sizeof *arms;
    bones.positions = (lmb_vec3 *)(uintptr_t)bent;
    const piece pieces[] = {{{0, 0, 0}, 2, 0, TORSO},
                            {{3.5f, 6, 0}, 0.3f, 1.3f, UPPER},
                            {{2.4f, -0.1f, 0}, 0.5f, 0, HAND},
                            {{2.8f, -1.2f, 0}, 0.3f, 0, HAND}};
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
}

/// An ear that sits on a head, and on nothing else, follows it, although its lower end is nearer to
/// the neck; beside the neck too it bends.
static void an_ear_follows_its_head(void **state)
{
    (void)state;
    const lmbi_bones bones = arm();
    piece pieces[] = {{{0, 0, 0}, 2, 0, TORSO},
                      {{6.2f, 0, 0}, 0.3f, 3.4f, SEVERAL},
                      {{11, 0, 0}, 1.1f, 0, HAND},
                      {{10.4f, 1.2f, 0}, 0.1f, 1.3f, HAND}};
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
    // A body that is soft by its area, whatever its torso: what bends stays soft.
    pieces[1].radius = 1.8f;
    pieces[3].middle = (lmb_vec3){10, 0.7f, 0};
    pieces[3].follows = SEVERAL;
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
}

/// An arm that is a block cannot bend at the elbow, so that its hand follows the upper arm too. Where
/// several limbs go on, as past a trunk, they keep their joints.
static void a_hand_follows_the_block_it_ends(void **state)
{
    (void)state;
    enum { FORK = JOINTS, WITH_FORK };
    lmbi_bone_segment bones_of[] = {{{0, -2, 0}, {0, 2, 0}, TORSO},
                                    {{2, 0, 0}, {6, 0, 0}, UPPER},
                                    {{6, 0, 0}, {10, 0, 0}, LOWER},
                                    {{10.5f, 0, 0}, {11, 0, 0}, HAND},
                                    {{10, 0.5f, 0}, {10, 2, 0}, FORK}};
    const lmb_vec3 at[WITH_FORK] = {{0, 0, 0}, {2, 0, 0}, {6, 0, 0}, {10, 0, 0}, {10, 0, 0}};
    const int32_t above[WITH_FORK] = {LMB_NONE, TORSO, UPPER, LOWER, LOWER};
    lmbi_bones bones = bones_on(bones_of, 4, at, above, WITH_FORK);
    piece pieces[] = {{{0, 0, 0}, 2, 0, TORSO, false},
                      {{6.1f, 0, 0}, 0.3f, 4, UPPER, true},
                      {{10.8f, -0.2f, 0}, 0.6f, 0, UPPER, false},
                      {{10, 1.5f, 0}, 0.6f, 0, FORK, false}};
    assert_pieces(&bones, pieces, 3);
    bones.count = 5;
    pieces[2].follows = HAND;
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
}

/// A small ear on a head that is heated by the arm below too follows the head alone: no bone meets
/// it, and it touches nothing else.
static void a_small_ear_follows_what_it_sits_on(void **state)
{
    (void)state;
    enum { HEAD = HAND, WITH_HEAD = JOINTS };
    const lmbi_bone_segment bones_of[] = {{{0, -2, 0}, {0, 2, 0}, TORSO},
                                          {{1.5f, 1, 0}, {4, 1, 0}, UPPER},
                                          {{4, 1, 0}, {6, 1, 0}, LOWER},
                                          {{0, 2, 0}, {0, 5, 0}, HEAD}};
    const lmb_vec3 at[WITH_HEAD] = {{0, 0, 0}, {1.5f, 1, 0}, {4, 1, 0}, {0, 2, 0}};
    const int32_t above[WITH_HEAD] = {LMB_NONE, TORSO, UPPER, TORSO};
    const lmbi_bones bones =
        bones_on(bones_of, sizeof bones_of / sizeof *bones_of, at, above, WITH_HEAD);
    const piece pieces[] = {{{0, -0.8f, 0}, 1.6f, 0, TORSO},
                            {{2.75f, 1, 0}, 0.3f, 1.2f, UPPER},
                            {{5, 1, 0}, 0.3f, 0.9f, LOWER},
                            {{0, 4, 0}, 2.2f, 0, HEAD},
                            {{2.5f, 3, 0}, 0.4f, 0, HEAD}};
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
}

/// A small ring of the lower arm, hidden from its bone by the rod of the upper one that sticks in it,
/// is soft tissue of that bone, and not carried by the rod.
static void a_sunk_segment_is_not_carried(void **state)
{
    (void)state;
    const lmbi_bones bones = arm();
    const piece pieces[] = {{{0, 0, 0}, 2, 0, TORSO},
                            {{4.85f, 0, 0}, 0.25f, 2.55f, UPPER},
                            {{6.6f, 0, 0}, 0.3f, 0, LOWER},
                            {{8.6f, 0, 0}, 0.2f, 1.1f, LOWER}};
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
}

/// Screws on a machine, more vertices than all else, leave it a machine: nothing hangs between two
/// parts.
static void what_is_carried_makes_no_body(void **state)
{
    (void)state;
    const lmbi_bones bones = arm();
    piece pieces[MOST_PIECES] = {{{0, 0, 0}, 2, 0, TORSO},
                                 {{4.3f, 0, 0}, 0.3f, 1.65f, UPPER},
                                 {{7.9f, 0, 0}, 0.3f, 1.85f, LOWER},
                                 {{5.98f, 0.35f, 0}, 0.1f, 0, UPPER}};
    for (int k = 4; k < MOST_PIECES; ++k) {
        const float angle = 0.5f * (float)k;
        pieces[k] = (piece){{-0.4f, 1.96f * cosf(angle), 1.96f * sinf(angle)}, 0.05f, 0, TORSO};
    }
    assert_pieces(&bones, pieces, MOST_PIECES);
}

/// The raised forearm and hand are nearer to the brim than the head is, but beside it: the hat
/// follows the head alone.
static void a_hat_follows_the_head_beside_a_raised_hand(void **state)
{
    (void)state;
    enum { HEAD = HAND + 1, WITH_HEAD };
    const lmbi_bone_segment bones_of[] = {{{0, -2, 0}, {0, 2, 0}, TORSO},
                                          {{2, 0, 0}, {6, -1, 0}, UPPER},
                                          {{6, -1, 0}, {6, 3, 0}, LOWER},
                                          {{6, 3, 0}, {6, 4, 0}, HAND},
                                          {{0, 2, 0}, {0, 6, 0}, HEAD}};
    const lmb_vec3 at[WITH_HEAD] = {{0, 0, 0}, {2, 0, 0}, {6, -1, 0}, {6, 3, 0}, {0, 2, 0}};
    const int32_t above[WITH_HEAD] = {LMB_NONE, TORSO, UPPER, LOWER, TORSO};
    const lmbi_bones bones =
        bones_on(bones_of, sizeof bones_of / sizeof *bones_of, at, above, WITH_HEAD);
    const piece pieces[] = {{{3, -0.4f, 0}, 1, 5, SEVERAL},
                            {{0, 3.4f, 0}, 1.2f, 0, HEAD},
                            {{0.6f, 5.2f, 0}, 0.6f, 4.6f, HEAD}};
    assert_pieces(&bones, pieces, sizeof pieces / sizeof *pieces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sockets_and_balls_follow_one_joint),
        cmocka_unit_test(a_first_segment_is_no_socket),
        cmocka_unit_test(an_arm_in_one_piece_bends),
        cmocka_unit_test(a_shin_bends_with_the_knee_under_shorts),
        cmocka_unit_test(a_shoe_bends_with_its_toes),
        cmocka_unit_test(a_hand_on_the_hip_is_no_socket),
        cmocka_unit_test(an_ear_follows_its_head),
        cmocka_unit_test(a_hand_follows_the_block_it_ends),
        cmocka_unit_test(a_small_ear_follows_what_it_sits_on),
        cmocka_unit_test(a_sunk_segment_is_not_carried),
        cmocka_unit_test(what_is_carried_makes_no_body),
        cmocka_unit_test(a_hat_follows_the_head_beside_a_raised_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
