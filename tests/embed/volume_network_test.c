/// The network that sees a body as a volume: its numbers beside PyTorch's, joints of made bodies, which way they look, and
/// what the embedding makes of it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "embed/human/human.h"
#include "embed/volume/volume_kernels.h"
#include "failing_allocator.h"
#include "limber/author.h"
#include "mapping/body_joint.h"

static lmb_made_body *make(uint64_t seed, lmb_made_body_pose pose)
{
    const lmb_made_body_opts opts = {
        .seed = seed, .pose = pose, .triangle_count = 6000, .whole = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static lmbi_triangle_soup soup_of(const lmb_made_body *body)
{
    const lmb_mesh *mesh = body->character->meshes[0];
    return (lmbi_triangle_soup){mesh->positions, mesh->vertex_count, mesh->indices,
                                mesh->index_count / 3, false};
}

/// Limbs seen straight, or from beside too.
static lmb_result see_joints(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3], bool beside,
                             const lmb_allocator *alloc, lmbi_seen_joints *out, lmb_error *error)
{
    lmbi_volume_network *network = NULL;
    lmbi_voxel_cache body;
    lmbi_sight *s = NULL;
    lmb_result result = lmbi_voxel_cache_create(soup, alloc, &body, error);
    if (result != LMB_OK) {
        return result;
    }
    result = lmbi_volume_network_create(LMBI_VOLUME_BODY, alloc, &network, error);
    if (result == LMB_OK) {
        result = lmbi_sight_create(network, &body, axes, &s, out, error);
    }
    if (result == LMB_OK && beside) {
        result = lmbi_sight_look_beside(s, out, error);
    }
    lmbi_sight_destroy(s);
    lmbi_volume_network_destroy(network);
    lmbi_voxel_cache_destroy(&body);
    return result;
}

/// Left, up and forward of one that looks along `forward`.
static void axes_of(lmb_vec3 forward, lmb_vec3 out[3])
{
    out[1] = lmb_vec3_make(0, 1, 0);
    out[2] = forward;
    out[0] = lmb_vec3_cross(out[1], out[2]);
}

static lmb_vec3 true_place(const lmb_made_body *body, int body_joint)
{
    const char *name = lmbi_body_joint_name((uint32_t)body_joint);
    uint32_t j = 0;
    while (strcmp(body->names[j], name) != 0) {
        assert_true(++j < body->joint_count);
    }
    return body->positions[j];
}

static lmb_vec3 true_joint(const lmb_made_body *body, int limb_joint)
{
    return true_place(body, lmbi_limb_joints[limb_joint]);
}

static const lmb_made_body_pose known_poses[2] = {LMB_MADE_POSE_HIPS, LMB_MADE_POSE_DOWN};

static void volume_of_known(int k, lmbi_volume *out)
{
    lmb_made_body *body = make(7 + (uint64_t)k, known_poses[k]);
    const lmbi_triangle_soup soup = soup_of(body);
    lmb_vec3 axes[3];
    axes_of(body->facing, axes);
    const lmb_box box = lmbi_soup_bounds_along(&soup, axes);
    assert_int_equal(lmbi_volume_of(&soup, axes, box, NULL, out, NULL), LMB_OK);
    lmb_made_body_destroy(body);
}

/// Writes the volumes for tools/volume-in-double.py where LIMBER_VOLUMES names a file.
static void write_volumes(void)
{
    const char *path = getenv("LIMBER_VOLUMES");
    FILE *file = path ? fopen(path, "wb") : NULL;
    for (int k = 0; file && k < 2; ++k) {
        static lmbi_volume volume;
        volume_of_known(k, &volume);
        assert_int_equal(fwrite(volume.solid, 1, LMBI_VOLUME_VOXELS, file), LMBI_VOLUME_VOXELS);
    }
    if (file) {
        fclose(file);
    }
}

/// Made humans 7 and 8, hands on the hips and arms down: joints in voxels and how sure, in double precision by PyTorch's
/// own layers.
static void as_pytorch_has_it(void **state)
{
    (void)state;
    static const struct {
        lmb_vec3 at[LMBI_SEEN_JOINTS];
        float sure;
    } known[2] = {
#include "embed/volume_known.inl"
    };
    write_volumes();
    for (int k = 0; k < 2; ++k) {
        static lmbi_volume volume;
        lmb_made_body *body = make(7 + (uint64_t)k, known_poses[k]);
        const lmbi_triangle_soup soup = soup_of(body);
        lmb_vec3 axes[3];
        lmbi_seen_joints seen;
        axes_of(body->facing, axes);
        volume_of_known(k, &volume);
        assert_int_equal(see_joints(&soup, axes, false, NULL, &seen, NULL), LMB_OK);
        assert_true(fabsf(seen.sure - known[k].sure) < 2e-4f);
        for (int j = 0; j < LMBI_SEEN_JOINTS; ++j) {
            const lmb_vec3 p = lmb_vec3_scale(
                lmb_vec3_sub(lmbi_along_axes(seen.at[j], axes), volume.low), 1 / volume.cell);
            assert_true(lmb_vec3_distance(p, known[k].at[j]) < 5e-3f);
        }
        lmb_made_body_destroy(body);
    }
}

enum { SIDE = 6, INPUTS = 5, WIDE = SIDE + 2, ALL = 2 * LMBI_CONVOLUTION_GROUP };

/// A volume of random channels but for its border.
static void fill(lmbi_channel_volume *v, uint64_t seed)
{
    lmb_random random = lmb_random_seed(seed);
    for (int k = 0; k < WIDE * WIDE * WIDE * v->pitch; ++k) {
        const int at = k / v->pitch, x = at % WIDE, y = at / WIDE % WIDE, z = at / WIDE / WIDE;
        const int low = x < y ? (x < z ? x : z) : (y < z ? y : z),
                  high = x > y ? (x > z ? x : z) : (y > z ? y : z);
        v->at[k] = low == 0 || high > SIDE ? 0 : lmb_random_range(&random, -1, 1);
    }
}

/// An output in double precision.
static double convolved(const lmbi_convolution *c, int at, int o)
{
    const int side = c->out.side, stride = c->in.side / side;
    const int x = at % side * stride, y = at / side % side * stride, z = at / side / side * stride;
    double sum = (double)c->bias[o];
    for (int k = 0; k < LMBI_CONVOLUTION_TAPS * INPUTS; ++k) {
        const int tap = k / INPUTS, i = k % INPUTS;
        const int from = ((z + tap / 9) * WIDE + y + tap / 3 % 3) * WIDE + x + tap % 3;
        sum += (double)c->weights[k * ALL + o] * (double)c->in.at[from * c->in.pitch + i];
    }
    return sum > 0 ? sum : 0;
}

static float in[WIDE * WIDE * WIDE * (INPUTS + 2)], out[WIDE * WIDE * WIDE * (ALL + 1)],
    weights[LMBI_CONVOLUTION_TAPS * INPUTS * ALL], bias[ALL];

static void random_weights(void)
{
    lmb_random random = lmb_random_seed(5);
    for (size_t k = 0; k < sizeof weights / sizeof *weights; ++k) {
        weights[k] = lmb_random_range(&random, -1, 1);
    }
    for (int k = 0; k < ALL; ++k) {
        bias[k] = lmb_random_range(&random, -1, 1);
    }
}

/// The kernel by every instruction set, of one voxel out of one and out of eight, with more outputs than lanes and fewer:
/// as in double precision, with the same bits, and channels beside the outputs stay as they are.
static void a_convolution(void **state)
{
    (void)state;
    static float first[WIDE * WIDE * WIDE * (ALL + 1)];
    random_weights();
    for (int round = 0; round < 8; ++round) {
        const int outputs = (const int[]){8, 12, 24, 32}[round % 4],
                  side = round < 4 ? SIDE : SIDE / 2;
        lmbi_convolution c = {.in = {INPUTS, SIDE, INPUTS + 2, in},
                              .out = {outputs, side, outputs + 1, out},
                              .padded = ALL,
                              .weights = weights,
                              .bias = bias};
        fill(&c.in, (uint64_t)round);
        for (int set = LMB_SIMD_SCALAR; set < LMB_SIMD_COUNT; ++set) {
            memset(out, 0, sizeof out);
            if (!lmb_simd_runs((lmb_simd)set)) {
                continue;
            }
            lmbi_volume_pick((lmb_simd)set)->convolve(&c);
            for (int k = 0; k < side * side * side * outputs; ++k) {
                const int at = k / outputs, x = at % side + 1, y = at / side % side + 1,
                          z = at / side / side + 1;
                const float *voxel = out + ((z * (side + 2) + y) * (side + 2) + x) * c.out.pitch;
                assert_true(fabs((double)voxel[k % outputs] - convolved(&c, at, k % outputs)) <
                            2e-5);
                assert_true(voxel[outputs] == 0);
            }
            if (set != LMB_SIMD_SCALAR) {
                assert_memory_equal(out, first, sizeof out);
            }
            memcpy(first, out, sizeof out);
        }
    }
}

/// Of rows that are not wanted nothing is written; the last voxels of a line are no whole row.
static void rows_that_are_wanted(void **state)
{
    (void)state;
    enum { OUTPUTS = 8, ROWS = SIDE / LMBI_CONVOLUTION_ROW };
    uint8_t wanted[SIDE * SIDE * ROWS] = {0};
    lmbi_convolution c = {.in = {INPUTS, SIDE, INPUTS, in},
                          .out = {OUTPUTS, SIDE, OUTPUTS, out},
                          .padded = ALL,
                          .weights = weights,
                          .bias = bias,
                          .wanted = wanted};
    for (int k = 0; k < SIDE * SIDE * ROWS; ++k) {
        wanted[k] = k % 3 == 0;
    }
    random_weights();
    fill(&c.in, 3);
    memset(out, 0, sizeof out);
    lmbi_volume_pick(LMB_SIMD_BEST)->convolve(&c);
    for (int k = 0; k < SIDE * SIDE * SIDE * OUTPUTS; ++k) {
        const int at = k / OUTPUTS, x = at % SIDE, y = at / SIDE % SIDE, z = at / SIDE / SIDE;
        const float own = out[(((z + 1) * WIDE + y + 1) * WIDE + x + 1) * OUTPUTS + k % OUTPUTS];
        const bool is_written = x >= ROWS * LMBI_CONVOLUTION_ROW || wanted[(z * SIDE + y) * ROWS];
        assert_true(fabs((double)own - (is_written ? convolved(&c, at, k % OUTPUTS) : 0)) < 2e-5);
    }
}

/// Bodies that it was not fitted on, in three poses: all but one in six right within 12 % of the height, half within 8 %,
/// none off by more than 16 %, and all but one surer from the front.
static void joints_of_made_bodies(void **state)
{
    (void)state;
    static const lmb_made_body_pose poses[] = {LMB_MADE_POSE_DOWN, LMB_MADE_POSE_HIPS,
                                               LMB_MADE_POSE_THIGHS};
    int near = 0, right = 0, front = 0, all = 0;
    for (uint64_t seed = 20; seed < 32; ++seed) {
        lmb_made_body *body = make(seed, poses[seed % 3]);
        const lmbi_triangle_soup soup = soup_of(body);
        lmb_vec3 axes[3], reverse[3];
        lmbi_seen_joints seen, back;
        axes_of(body->facing, axes);
        axes_of(lmb_vec3_neg(body->facing), reverse);
        assert_int_equal(see_joints(&soup, axes, false, NULL, &seen, NULL), LMB_OK);
        assert_int_equal(see_joints(&soup, reverse, false, NULL, &back, NULL), LMB_OK);
        float worst = 0;
        for (int j = 0; j < LMBI_LIMB_JOINTS; ++j) {
            worst = fmaxf(worst, lmb_vec3_distance(seen.at[j], true_joint(body, j)));
        }
        assert_true(worst < 0.16f * body->height);
        right += worst < 0.12f * body->height;
        near += worst < 0.08f * body->height;
        front += seen.sure > back.sure;
        ++all;
        lmb_made_body_destroy(body);
    }
    assert_true(6 * right >= 5 * all && 2 * near >= all);
    assert_true(front >= all - 1);
}

/// How far a point lies along an axis from another, in heights of the body.
static float ahead(const lmb_made_body *body, lmb_vec3 at, lmb_vec3 from, lmb_vec3 axis)
{
    return lmb_vec3_dot(lmb_vec3_sub(at, from), axis) / body->height;
}

/// What is beside the limbs, of the same bodies: hips, neck and head where they are, and ends of hands beyond the forearms,
/// of feet before the ankles and on the ground, and of the head at its top.
static void what_is_beside_limbs(void **state)
{
    (void)state;
    static const int seen_joints[] = {LMBI_SEEN_HIPS, LMBI_SEEN_NECK, LMBI_SEEN_HEAD},
                     joints[] = {LMBI_HIPS, LMBI_NECK, LMBI_HEAD};
    for (uint64_t seed = 20; seed < 32; ++seed) {
        lmb_made_body *body = make(seed, LMB_MADE_POSE_DOWN);
        const lmbi_triangle_soup soup = soup_of(body);
        const lmb_box box = lmbi_soup_bounds(&soup);
        lmb_vec3 axes[3];
        lmbi_seen_joints seen;
        axes_of(body->facing, axes);
        assert_int_equal(see_joints(&soup, axes, false, NULL, &seen, NULL), LMB_OK);
        for (int k = 0; k < 3; ++k) {
            const lmb_vec3 at = true_place(body, joints[k]);
            assert_true(lmb_vec3_distance(seen.at[seen_joints[k]], at) < 0.07f * body->height);
        }
        const float spine = ahead(body, seen.at[LMBI_SEEN_SPINE], seen.at[LMBI_SEEN_HIPS], axes[1]),
                    trunk = ahead(body, seen.at[LMBI_SEEN_NECK], seen.at[LMBI_SEEN_HIPS], axes[1]);
        assert_true(spine > 0.35f * trunk && spine < 0.65f * trunk);
        assert_true(fabsf(seen.at[LMBI_SEEN_CROWN].y - box.high.y) < 0.04f * body->height);
        for (int side = 0; side < 2; ++side) {
            const lmb_vec3 elbow = true_joint(body, 3 * side + 1),
                           wrist = true_joint(body, 3 * side + 2),
                           ankle = true_joint(body, 6 + 3 * side + 2),
                           end = seen.at[LMBI_SEEN_LEFT_HAND_END + side],
                           toe = seen.at[LMBI_SEEN_LEFT_TOE_END + side],
                           along = lmb_vec3_normalize_or(lmb_vec3_sub(wrist, elbow), axes[0]);
            assert_true(ahead(body, end, wrist, along) > 0.05f);
            assert_true(fabsf(ahead(body, end, wrist, axes[0])) < 0.1f);
            assert_true(ahead(body, toe, ankle, axes[2]) > 0.05f);
            assert_true(fabsf(ahead(body, toe, ankle, axes[0])) < 0.05f);
            assert_true(toe.y - box.low.y < 0.05f * body->height);
        }
        lmb_made_body_destroy(body);
    }
}

/// Twins are on the other side, and each other's.
static void twins_of_joints(void **state)
{
    (void)state;
    lmb_made_body *body = make(20, LMB_MADE_POSE_DOWN);
    const lmbi_triangle_soup soup = soup_of(body);
    lmb_vec3 axes[3];
    lmbi_seen_joints seen;
    axes_of(body->facing, axes);
    assert_int_equal(see_joints(&soup, axes, false, NULL, &seen, NULL), LMB_OK);
    const lmb_vec3 middle = true_place(body, LMBI_HIPS);
    for (int k = 0; k < LMBI_SEEN_JOINTS; ++k) {
        const int other = lmbi_other_seen_joint(k);
        const float own = ahead(body, seen.at[k], middle, axes[0]),
                    twin = ahead(body, seen.at[other], middle, axes[0]);
        assert_int_equal(lmbi_other_seen_joint(other), k);
        assert_true(fabsf(own + twin) < 0.03f && (other == k) == (fabsf(own) < 0.02f));
    }
    lmb_made_body_destroy(body);
}

/// What is small beside a pole that is thrice as long is looked at closer, and so seen as well as alone, but for the pole.
static void a_figure_beside_something_long(void **state)
{
    (void)state;
    lmb_made_body *body = make(21, LMB_MADE_POSE_DOWN);
    const lmbi_triangle_soup soup = soup_of(body);
    const uint32_t n = soup.position_count, m = soup.triangle_count;
    lmb_vec3 axes[3], *positions = malloc((n + 3) * sizeof *positions);
    uint32_t *triangles = malloc((m + 1) * 3 * sizeof *triangles);
    assert_true(positions && triangles);
    memcpy(positions, soup.positions, n * sizeof *positions);
    memcpy(triangles, soup.triangles, (size_t)m * 3 * sizeof *triangles);
    axes_of(body->facing, axes);
    const lmb_vec3 wrist = true_joint(body, 2);
    for (uint32_t k = 0; k < 3; ++k) {
        positions[n + k] = lmb_vec3_mad(wrist, axes[k == 2 ? 1 : 2],
                                        (k == 0   ? 2.0f
                                         : k == 1 ? -1.0f
                                                  : 0.02f) *
                                            body->height);
        triangles[3 * m + k] = n + k;
    }
    const lmbi_triangle_soup both = {positions, n + 3, triangles, m + 1, false};
    lmbi_seen_joints seen;
    assert_int_equal(see_joints(&both, axes, false, NULL, &seen, NULL), LMB_OK);
    for (int j = 0; j < LMBI_LIMB_JOINTS; ++j) {
        assert_true(lmb_vec3_distance(seen.at[j], true_joint(body, j)) < 0.12f * body->height);
    }
    free(positions);
    free(triangles);
    lmb_made_body_destroy(body);
}

/// Looks from beside see what the straight one sees: joints that are 1 % of the height from it in the mean, and about as
/// surely; odds that are added up where they do not lie would spread.
static void from_beside(void **state)
{
    (void)state;
    enum { BODIES = 6 };
    float apart = 0, less_sure = 0;
    for (uint64_t seed = 20; seed < 20 + BODIES; ++seed) {
        lmb_made_body *body = make(seed, LMB_MADE_POSE_DOWN);
        const lmbi_triangle_soup soup = soup_of(body);
        lmb_vec3 axes[3];
        lmbi_seen_joints straight, beside;
        axes_of(body->facing, axes);
        assert_int_equal(see_joints(&soup, axes, false, NULL, &straight, NULL), LMB_OK);
        assert_int_equal(see_joints(&soup, axes, true, NULL, &beside, NULL), LMB_OK);
        for (int j = 0; j < LMBI_LIMB_JOINTS; ++j) {
            apart += lmb_vec3_distance(beside.at[j], straight.at[j]) / body->height /
                     (BODIES * LMBI_LIMB_JOINTS);
        }
        less_sure += (straight.sure - beside.sure) / BODIES;
        lmb_made_body_destroy(body);
    }
    assert_true(apart < 0.01f && fabsf(less_sure) < 0.06f);
}

/// Of bodies of other kinds, and of a figure of which up is told wrong, it says that it does not know.
static void others_are_no_humans(void **state)
{
    (void)state;
    static const lmb_made_body_kind kinds[] = {LMB_MADE_QUADRUPED, LMB_MADE_BIRD,
                                               LMB_MADE_FISH,      LMB_MADE_SPIDER,
                                               LMB_MADE_SNAKE,     LMB_MADE_HUMANOID};
    for (size_t k = 0; k < 2 * sizeof kinds / sizeof *kinds; ++k) {
        const lmb_made_body_kind kind = kinds[k / 2];
        const lmb_made_body_opts opts = {.kind = kind, .seed = 40 + k % 2, .triangle_count = 3000};
        lmb_made_body *body = NULL;
        assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
        const lmbi_triangle_soup soup = soup_of(body);
        const bool human = kind == LMB_MADE_HUMANOID;
        const lmb_embed_opts look = {.up = lmb_vec3_make(0, human ? -1 : 1, 0)};
        lmbi_voxel_cache cache;
        lmbi_human_looks looks = {.count = 0};
        lmbi_seen_figure seen = {.chance = -1};
        assert_int_equal(lmbi_voxel_cache_create(&soup, NULL, &cache, NULL), LMB_OK);
        assert_int_equal(lmbi_volume_network_create(LMBI_VOLUME_BODY, NULL, &looks.network, NULL),
                         LMB_OK);
        assert_int_equal(lmbi_see_standing(&looks, &cache, &look, &seen, NULL), LMB_OK);
        lmbi_volume_network_destroy(looks.network);
        lmbi_voxel_cache_destroy(&cache);
        assert_true(seen.chance < 0.05f);
        lmb_made_body_destroy(body);
    }
}

/// What a cache keeps shows the mesh along all its own axes, either way round, nearly as what is made for these: voxels at
/// the edge of the surface may differ.
static void a_mesh_is_the_same_along_its_axes(void **state)
{
    (void)state;
    const lmb_made_body_opts opts = {.kind = LMB_MADE_QUADRUPED, .seed = 3, .triangle_count = 3000};
    lmb_made_body *made = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &made, NULL), LMB_OK);
    const lmbi_triangle_soup soup = soup_of(made);
    lmbi_voxel_cache body;
    assert_int_equal(lmbi_voxel_cache_create(&soup, NULL, &body, NULL), LMB_OK);
    static lmbi_volume kept, anew;
    const lmb_vec3 signed_axes[6] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                     {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    for (int k = 0; k < 36; ++k) {
        const lmb_vec3 up = signed_axes[k / 6], forward = signed_axes[k % 6];
        const lmb_vec3 axes[3] = {lmb_vec3_cross(up, forward), up, forward};
        if (k / 12 == k % 6 / 2) {
            continue; // along each other
        }
        const lmb_box box = lmbi_soup_bounds_along(&soup, axes);
        assert_int_equal(lmbi_volume_of_whole(&body, axes, &kept, NULL), LMB_OK);
        assert_int_equal(lmbi_volume_of(&soup, axes, box, NULL, &anew, NULL), LMB_OK);
        uint32_t all = 0, off = 0;
        for (int v = 0; v < LMBI_VOLUME_VOXELS; ++v) {
            all += anew.solid[v];
            off += (uint32_t)abs(anew.solid[v] - kept.solid[v]);
        }
        assert_true(all > 1000 && off < all / 100);
        assert_true(lmb_vec3_distance(kept.low, anew.low) < 0.01f * kept.cell);
        assert_float_equal(kept.cell, anew.cell, 1e-4f * kept.cell);
    }
    lmbi_voxel_cache_destroy(&body);
    lmb_made_body_destroy(made);
}

/// A mesh without an extent is refused, a flat one is not.
static void nothing_to_see(void **state)
{
    (void)state;
    static const lmb_vec3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    lmb_vec3 axes[3];
    axes_of(lmb_vec3_make(0, 0, 1), axes);
    lmbi_seen_joints seen;
    const lmbi_triangle_soup sheet = {square, 4, triangles, 2, false};
    assert_int_equal(see_joints(&sheet, axes, false, NULL, &seen, NULL), LMB_OK);
    assert_true(seen.sure > 0 && seen.sure < 1);
    static const lmb_vec3 one_place[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    const lmbi_triangle_soup point = {one_place, 3, triangles, 1, false};
    assert_int_equal(see_joints(&point, axes, false, NULL, &seen, NULL), LMB_ERROR_INVALID);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    lmb_made_body *body = make(7, LMB_MADE_POSE_HIPS);
    const lmbi_triangle_soup soup = soup_of(body);
    lmb_vec3 axes[3];
    axes_of(body->facing, axes);
    for (failing_run f = {.least = 3}; failing_next(&f);) {
        lmbi_seen_joints seen;
        f.result = see_joints(&soup, axes, true, &f.alloc, &seen, NULL);
    }
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_pytorch_has_it),
        cmocka_unit_test(rows_that_are_wanted),
        cmocka_unit_test(a_convolution),
        cmocka_unit_test(joints_of_made_bodies),
        cmocka_unit_test(what_is_beside_limbs),
        cmocka_unit_test(twins_of_joints),
        cmocka_unit_test(a_figure_beside_something_long),
        cmocka_unit_test(from_beside),
        cmocka_unit_test(a_mesh_is_the_same_along_its_axes),
        cmocka_unit_test(others_are_no_humans),
        cmocka_unit_test(nothing_to_see),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
