// Transforms of FBX models: pivots, inherited scale, axes and units, at rest and played.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/fbx_models.h"

/// T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1, multiplied out in double, in every rotation
/// order.
static void pivots_make_the_transform(void **state)
{
    (void)state;
    static const char *const orders[] = {"XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX"};
    const double t[3] = {1, 2, -3}, r[3] = {20, -35, 110}, s[3] = {1.5, 0.5, 2};
    const double offset[3] = {0.3, -0.1, 0.2}, pivot[3] = {1, 0.5, -0.25},
                 scale_offset[3] = {-0.4, 0.6, 0.1}, scale_pivot[3] = {0.2, 0.9, -0.7},
                 before[3] = {10, 20, -30}, after[3] = {-5, 15, 45};
    for (int order = 0; order < 6; ++order) {
        fbx_text text = {0};
        begin_file(&text);
        begin_model(&text, 10, "a", "Null");
        add_vec(&text, "Lcl Translation", t);
        add_vec(&text, "Lcl Rotation", r);
        add_vec(&text, "Lcl Scaling", s);
        add_vec(&text, "RotationOffset", offset);
        add_vec(&text, "RotationPivot", pivot);
        add_vec(&text, "ScalingOffset", scale_offset);
        add_vec(&text, "ScalingPivot", scale_pivot);
        add_vec(&text, "PreRotation", before);
        add_vec(&text, "PostRotation", after);
        fbx_add(&text, "\t\t\tP: \"RotationOrder\", \"enum\", \"\", \"\",%d\n", order);
        fbx_add(&text, "\t\t\tP: \"RotationActive\", \"bool\", \"\", \"\",1\n");
        end_model(&text);
        fbx_add(&text, "}\nConnections:  {\n\tC: \"OO\",10,0\n}\n");
        mat want = times(times(moved(t, 1), moved(offset, 1)), moved(pivot, 1));
        want = times(times(want, euler("XYZ", before)), euler(orders[order], r));
        want = times(times(want, transposed(euler("XYZ", after))), moved(pivot, -1));
        want = times(times(want, moved(scale_offset, 1)), moved(scale_pivot, 1));
        want = times(times(want, scaled(s)), moved(scale_pivot, -1));
        lmb_character *c = read_text(&text);
        lmb_mat4 model[1];
        pose(c, -1, model);
        assert_matrix(model[0], want, 2e-6);
        lmb_character_destroy(c);
        free(text.data);
    }
}

/// A parent scaled by 2: the child at 1 is at 2 in every mode; the grandchild at 1 from it is at 4
/// in the product of matrices and axis by axis, at 3 where the parent's scale is left out (segment
/// scale compensation).
static void scale_is_inherited_in_three_modes(void **state)
{
    (void)state;
    static const double top[3] = {3, 4, 4};
    for (int mode = 0; mode < 3; ++mode) {
        fbx_text text = {0};
        begin_file(&text);
        for (int i = 0; i < 3; ++i) {
            begin_model(&text, 10 + i, &"abc"[i], "LimbNode");
            fbx_add(&text,
                    "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,%d,0\n",
                    i > 0);
            if (i == 0) {
                fbx_add(&text, "\t\t\tP: \"Lcl Scaling\", \"Lcl Scaling\", \"\", \"A\",2,2,2\n");
            }
            const int types[3] = {2, 1, 0};
            fbx_add(&text, "\t\t\tP: \"InheritType\", \"enum\", \"\", \"\",%d\n", types[mode]);
            end_model(&text);
        }
        fbx_add(&text,
                "}\nConnections:  {\n\tC: \"OO\",10,0\n\tC: \"OO\",11,10\n\tC: \"OO\",12,11\n}\n");
        lmb_character *c = read_text(&text);
        lmb_mat4 model[3];
        assert_int_equal(c->skeleton->joint_count, 3);
        pose(c, -1, model);
        assert_near(model[1].m[13], 2, 1e-6);
        assert_near(model[2].m[13], top[mode], 1e-6);
        lmb_character_destroy(c);
        free(text.data);
    }
}

/// An uneven scale above a rotated child: by matrices it shears, axis by axis and left out it does
/// not.
static void uneven_scale_does_not_shear(void **state)
{
    (void)state;
    const double s[3] = {1, 2, 4}, own[3] = {1.5, 1, 0.5}, r[3] = {0, 0, 30}, step[3] = {0, 1, 0};
    for (int type = 0; type < 3; ++type) {
        fbx_text text = {0};
        begin_file(&text);
        begin_model(&text, 10, "a", "LimbNode");
        add_vec(&text, "Lcl Scaling", s);
        end_model(&text);
        begin_model(&text, 11, "b", "LimbNode");
        add_vec(&text, "Lcl Translation", step);
        add_vec(&text, "Lcl Rotation", r);
        add_vec(&text, "Lcl Scaling", own);
        fbx_add(&text, "\t\t\tP: \"InheritType\", \"enum\", \"\", \"\",%d\n", type);
        end_model(&text);
        fbx_add(&text, "}\nConnections:  {\n\tC: \"OO\",10,0\n\tC: \"OO\",11,10\n}\n");
        lmb_character *c = read_text(&text);
        lmb_mat4 model[4];
        pose(c, -1, model);
        const double at[3] = {0, 2, 0}, both[3] = {1.5, 2, 2};
        const mat want =
            type == 1 ? times(times(times(scaled(s), moved(step, 1)), euler("XYZ", r)), scaled(own))
                      : times(times(moved(at, 1), euler("XYZ", r)), scaled(type == 0 ? both : own));
        assert_matrix(model[lmb_skeleton_find(c->skeleton, "b")], want, 2e-6);
        lmb_character_destroy(c);
        free(text.data);
    }
}

static void axes_and_unit_are_converted(void **state)
{
    (void)state;
    fbx_text text = {0};
    fbx_add(&text, FBX_HEAD("7400") "GlobalSettings:  {\n\tProperties70:  {\n"
                                    "\t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",2\n"
                                    "\t\tP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n"
                                    "\t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",1\n"
                                    "\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",-1\n"
                                    "\t\tP: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n"
                                    "\t\tP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n"
                                    "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", "
                                    "\"\",2.54\n\t}\n}\nObjects:  {\n");
    begin_model(&text, 10, "a", "Null");
    fbx_add(&text, "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",10,-20,30\n");
    end_model(&text);
    fbx_add(&text, "}\nConnections:  {\n\tC: \"OO\",10,0\n}\n");
    lmb_character *c = read_text(&text);
    const lmb_vec3 at = c->skeleton->rest[0].translation;
    assert_near(at.x, 0.254, 1e-6);
    assert_near(at.y, 0.762, 1e-6); // up was z
    assert_near(at.z, 0.508, 1e-6); // the front was -y
    lmb_character_destroy(c);
    free(text.data);
}

/// A scale that grows from 1 to 3 above a rotated child, played by the joint that holds it apart; the
/// model it belongs to is the second that is animated.
static void an_inherited_scale_is_played(void **state)
{
    (void)state;
    const double r[3] = {0, 0, 30}, step[3] = {0, 1, 0}, own[3] = {1.5, 1, 0.5};
    const double both[3] = {2 * 1.5, 2, 4 * 0.5}, at[3] = {2, 2, 0};
    fbx_text text = {0};
    begin_file(&text);
    begin_model(&text, 9, "top", "LimbNode");
    end_model(&text);
    begin_model(&text, 10, "a", "LimbNode");
    add_vec(&text, "Lcl Scaling", (const double[3]){1, 2, 4});
    end_model(&text);
    begin_model(&text, 11, "b", "LimbNode");
    add_vec(&text, "Lcl Translation", step);
    add_vec(&text, "Lcl Rotation", r);
    add_vec(&text, "Lcl Scaling", own);
    fbx_add(&text, "\t\t\tP: \"InheritType\", \"enum\", \"\", \"\",0\n");
    end_model(&text);
    fbx_add(&text,
            "\tAnimationStack: 20, \"AnimStack::grow\", \"\" {\n\t\tProperties70:  {\n"
            "\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", \"\",%lld\n\t\t}\n\t}\n"
            "\tAnimationLayer: 21, \"AnimLayer::base\", \"\" {\n\t}\n"
            "\tAnimationCurveNode: 22, \"AnimCurveNode::S\", \"\" {\n\t\tProperties70:  {\n"
            "\t\t\tP: \"d|X\", \"Number\", \"\", \"A\",1\n"
            "\t\t\tP: \"d|Y\", \"Number\", \"\", \"A\",2\n"
            "\t\t\tP: \"d|Z\", \"Number\", \"\", \"A\",4\n\t\t}\n\t}\n"
            "\tAnimationCurveNode: 24, \"AnimCurveNode::T\", \"\" {\n\t}\n"
            "\tAnimationCurve: 23, \"AnimCurve::\", \"\" {\n"
            "\t\tKeyTime: *2 {\n\t\t\ta: 0,%lld\n\t\t}\n"
            "\t\tKeyValueFloat: *2 {\n\t\t\ta: 1,3\n\t\t}\n"
            "\t\tKeyAttrFlags: *1 {\n\t\t\ta: 4\n\t\t}\n"
            "\t\tKeyAttrDataFloat: *4 {\n\t\t\ta: 0,0,0,0\n\t\t}\n"
            "\t\tKeyAttrRefCount: *1 {\n\t\t\ta: 2\n\t\t}\n\t}\n",
            10 * FBX_FRAME, 10 * FBX_FRAME);
    fbx_add(&text, "}\nConnections:  {\n\tC: \"OO\",9,0\n\tC: \"OO\",10,9\n\tC: \"OO\",11,10\n"
                   "\tC: \"OO\",21,20\n\tC: \"OO\",24,21\n\tC: \"OP\",24,9, \"Lcl Translation\"\n"
                   "\tC: \"OP\",23,24, \"d|X\"\n"
                   "\tC: \"OO\",22,21\n\tC: \"OP\",22,10, \"Lcl Scaling\"\n"
                   "\tC: \"OP\",23,22, \"d|X\"\n}\n");
    lmb_character *c = read_text(&text);
    lmb_mat4 model[5];
    pose(c, (double)lmb_clip_duration_s(c->clips[0]) / 2, model);
    assert_matrix(model[lmb_skeleton_find(c->skeleton, "b")],
                  times(times(moved(at, 1), euler("XYZ", r)), scaled(both)), 2e-6);
    const double slid[3] = {2, 0, 0}, grown[3] = {2, 2, 4};
    assert_matrix(model[lmb_skeleton_find(c->skeleton, "a scale")],
                  times(moved(slid, 1), scaled(grown)), 2e-6);
    lmb_character_destroy(c);
    free(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pivots_make_the_transform),
        cmocka_unit_test(scale_is_inherited_in_three_modes),
        cmocka_unit_test(uneven_scale_does_not_shear),
        cmocka_unit_test(axes_and_unit_are_converted),
        cmocka_unit_test(an_inherited_scale_is_played),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
