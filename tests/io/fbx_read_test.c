#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/fbx_models.h"

// ----------------------------------------------------------------------------------------- meshes

static const char strip_objects[] =
    "\tGeometry: 1, \"Geometry::strip\", \"Mesh\" {\n"
    "\t\tVertices: *18 {\n\t\t\ta: 0,0,0,1,0,0,0,1,0,1,1,0,0,2,0,1,2,0\n\t\t}\n"
    "\t\tPolygonVertexIndex: *8 {\n\t\t\ta: 0,1,3,-3,2,3,5,-5\n\t\t}\n"
    "\t\tLayerElementNormal: 0 {\n\t\t\tMappingInformationType: \"ByPolygon\"\n"
    "\t\t\tReferenceInformationType: \"Direct\"\n\t\t\tNormals: *6 {\n\t\t\t\ta: "
    "0,0,1,0,0.6,0.8\n\t\t\t}\n\t\t}\n"
    "\t\tLayerElementUV: 0 {\n\t\t\tMappingInformationType: \"ByVertice\"\n"
    "\t\t\tReferenceInformationType: \"IndexToDirect\"\n\t\t\tUV: *4 {\n\t\t\t\ta: "
    "0,0,1,0.25\n\t\t\t}\n"
    "\t\t\tUVIndex: *6 {\n\t\t\t\ta: 0,1,0,1,0,1\n\t\t\t}\n\t\t}\n"
    "\t\tLayerElementMaterial: 0 {\n\t\t\tMappingInformationType: \"ByPolygon\"\n"
    "\t\t\tReferenceInformationType: \"IndexToDirect\"\n\t\t\tMaterials: *2 {\n\t\t\t\ta: "
    "1,0\n\t\t\t}\n\t\t}\n\t}\n"
    "\tGeometry: 2, \"Geometry::bulge\", \"Shape\" {\n\t\tIndexes: *1 {\n\t\t\ta: 5\n\t\t}\n"
    "\t\tVertices: *3 {\n\t\t\ta: 0,0,0.5\n\t\t}\n\t}\n"
    "\tDeformer: 3, \"Deformer::\", \"BlendShape\" {\n\t\tVersion: 100\n\t}\n"
    "\tDeformer: 4, \"SubDeformer::bulge\", \"BlendShapeChannel\" {\n\t\tDeformPercent: 25\n"
    "\t\tFullWeights: *1 {\n\t\t\ta: 100\n\t\t}\n\t}\n"
    "\tDeformer: 5, \"Deformer::\", \"Skin\" {\n\t\tSkinningType: \"Linear\"\n\t}\n"
    "\tDeformer: 6, \"SubDeformer::\", \"Cluster\" {\n\t\tIndexes: *2 {\n\t\t\ta: 2,3\n\t\t}\n"
    "\t\tWeights: *2 {\n\t\t\ta: 3,1\n\t\t}\n"
    "\t\tTransform: *16 {\n\t\t\ta: 1,0,0,0,0,1,0,0,0,0,1,0,0,-1,0,1\n\t\t}\n\t}\n"
    "\tDeformer: 7, \"SubDeformer::\", \"Cluster\" {\n\t\tIndexes: *4 {\n\t\t\ta: "
    "2,3,4,5\n\t\t}\n"
    "\t\tWeights: *4 {\n\t\t\ta: 1,1,1,2\n\t\t}\n"
    "\t\tTransform: *16 {\n\t\t\ta: 1,0,0,0,0,1,0,0,0,0,1,0,0,-1.5,0,1\n\t\t}\n\t}\n"
    "\tMaterial: 8, \"Material::red\", \"\" {\n\t\tProperties70:  {\n"
    "\t\t\tP: \"DiffuseColor\", \"Color\", \"\", \"A\",1,0.5,0\n\t\t}\n\t}\n"
    "\tMaterial: 9, \"Material::blue\", \"\" {\n\t}\n";
static const char strip_links[] =
    "}\nConnections:  {\n\tC: \"OO\",10,0\n\tC: \"OO\",11,0\n\tC: \"OO\",12,11\n\tC: "
    "\"OO\",1,10\n"
    "\tC: \"OO\",8,10\n\tC: \"OO\",9,10\n\tC: \"OO\",3,1\n\tC: \"OO\",4,3\n\tC: "
    "\"OO\",2,4\n\tC: \"OO\",5,1\n"
    "\tC: \"OO\",6,5\n\tC: \"OO\",7,5\n\tC: \"OO\",11,6\n\tC: \"OO\",12,7\n\tC: \"OO\",21,20\n"
    "\tC: \"OO\",22,21\n\tC: \"OP\",22,12, \"Lcl Rotation\"\n\tC: \"OP\",23,22, \"d|Z\"\n"
    "\tC: \"OO\",24,21\n\tC: \"OP\",24,4, \"DeformPercent\"\n\tC: \"OP\",25,24, "
    "\"d|DeformPercent\"\n}\n";

/// One clip: joint 12 rotates by 90 degrees, and the blend shape goes from 0 to 100 percent.
static void add_strip_take(fbx_text *text, long long begin, long long end)
{
    fbx_add(
        text,
        "\tAnimationStack: 20, \"AnimStack::move\", \"\" {\n\t\tProperties70:  {\n"
        "\t\t\tP: \"LocalStart\", \"KTime\", \"Time\", \"\",%lld\n"
        "\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", \"\",%lld\n\t\t}\n\t}\n"
        "\tAnimationLayer: 21, \"AnimLayer::base\", \"\" {\n\t}\n"
        "\tAnimationCurveNode: 22, \"AnimCurveNode::R\", \"\" {\n\t\tProperties70:  {\n"
        "\t\t\tP: \"d|X\", \"Number\", \"\", \"A\",0\n\t\t\tP: \"d|Y\", \"Number\", \"\", \"A\",0\n"
        "\t\t\tP: \"d|Z\", \"Number\", \"\", \"A\",0\n\t\t}\n\t}\n"
        "\tAnimationCurve: 23, \"AnimCurve::\", \"\" {\n\t\tKeyTime: *2 {\n\t\t\ta: "
        "%lld,%lld\n\t\t}\n"
        "\t\tKeyValueFloat: *2 {\n\t\t\ta: 0,90\n\t\t}\n\t\tKeyAttrFlags: *1 {\n\t\t\ta: 4\n\t\t}\n"
        "\t\tKeyAttrDataFloat: *4 {\n\t\t\ta: 0,0,218434821,0\n\t\t}\n"
        "\t\tKeyAttrRefCount: *1 {\n\t\t\ta: 2\n\t\t}\n\t}\n"
        "\tAnimationCurveNode: 24, \"AnimCurveNode::DeformPercent\", \"\" {\n\t}\n"
        "\tAnimationCurve: 25, \"AnimCurve::\", \"\" {\n\t\tKeyTime: *2 {\n\t\t\ta: "
        "%lld,%lld\n\t\t}\n"
        "\t\tKeyValueFloat: *2 {\n\t\t\ta: 0,100\n\t\t}\n\t\tKeyAttrFlags: *1 {\n\t\t\ta: "
        "4\n\t\t}\n"
        "\t\tKeyAttrDataFloat: *4 {\n\t\t\ta: 0,0,0,0\n\t\t}\n\t\tKeyAttrRefCount: *1 {\n\t\t\ta: "
        "2\n\t\t}\n\t}\n",
        begin, end, begin, end, begin, end);
}

/// A strip of two quads, skinned to two bones, the first quad's free corners to none; one shape;
/// two materials.
static fbx_text skinned_strip(void)
{
    fbx_text text = {0};
    begin_file(&text);
    fbx_add(&text, "%s", strip_objects);
    begin_model(&text, 10, "strip", "Mesh");
    fbx_add(&text, "\t\t\tP: \"GeometricTranslation\", \"Vector3D\", \"Vector\", \"\",0,0,7\n");
    end_model(&text);
    begin_model(&text, 11, "low", "LimbNode");
    fbx_add(&text, "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,1,0\n");
    end_model(&text);
    begin_model(&text, 12, "high", "LimbNode");
    fbx_add(&text, "\t\t\tP: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",0,0.5,0\n");
    end_model(&text);
    add_strip_take(&text, 10 * FBX_FRAME, 20 * FBX_FRAME);
    fbx_add(&text, "%s", strip_links);
    return text;
}

/// One geometry under two models: they share a mesh where they list the same materials.
static void models_with_other_materials_get_a_mesh(void **state)
{
    (void)state;
    static const struct {
        int materials;
        uint32_t meshes;
    } cases[] = {{2, 1}, {1, 2}, {0, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        fbx_text text = {0};
        begin_file(&text);
        fbx_add(&text, "\tGeometry: 1, \"Geometry::t\", \"Mesh\" {\n"
                       "\t\tVertices: *9 {\n\t\t\ta: 0,0,0,1,0,0,0,1,0\n\t\t}\n"
                       "\t\tPolygonVertexIndex: *3 {\n\t\t\ta: 0,1,-3\n\t\t}\n\t}\n"
                       "\tMaterial: 8, \"Material::red\", \"\" {\n\t}\n"
                       "\tMaterial: 9, \"Material::blue\", \"\" {\n\t}\n");
        for (int id = 10; id < 12; ++id) {
            begin_model(&text, id, id == 10 ? "a" : "b", "Mesh");
            end_model(&text);
        }
        fbx_add(&text, "}\nConnections:  {\n\tC: \"OO\",10,0\n\tC: \"OO\",11,0\n"
                       "\tC: \"OO\",1,10\n\tC: \"OO\",1,11\n"
                       "\tC: \"OO\",8,10\n\tC: \"OO\",9,10\n");
        for (int m = 0; m < cases[k].materials; ++m) {
            fbx_add(&text, "\tC: \"OO\",%d,11\n", 8 + m);
        }
        fbx_add(&text, "}\n");
        lmb_character *c = read_text(&text);
        assert_int_equal(c->instance_count, 2);
        assert_int_equal(c->mesh_count, cases[k].meshes);
        lmb_character_destroy(c);
        free(text.data);
    }
}

static void reads_a_skinned_mesh(void **state)
{
    (void)state;
    fbx_text text = skinned_strip();
    lmb_character *c = read_text(&text);
    const lmb_mesh *mesh = c->meshes[0];
    assert_int_equal(c->mesh_count, 1);
    assert_int_equal(mesh->vertex_count, 8); // the points of the middle edge have two normals
    assert_int_equal(mesh->polygon_count, 2);
    assert_int_equal(mesh->primitive_count, 2);
    assert_string_equal(c->appearance->materials[mesh->primitives[0].material].name, "red");
    assert_int_equal(mesh->indices[mesh->primitives[0].first_index], 6); // red has the second quad
    assert_near(mesh->positions[5].z, 7, 0);
    assert_near(mesh->normals[4].y, 0.6, 1e-6);
    assert_near(mesh->uvs[0][1].y, 0.75, 1e-6); // upside down in the file
    // Rows: 3:1, 1:1, the bone above alone, and the mesh's own model where no cluster is.
    assert_int_equal(c->skins[0]->joint_count, 3);
    const lmb_influence *rows = mesh->influences.items;
    const uint32_t *first = mesh->influences.first;
    assert_int_equal(rows[first[0]].joint, 2);
    assert_int_equal(first[3] - first[2], 2);
    assert_near(rows[first[2]].weight, 0.75, 1e-6);
    assert_near(rows[first[5]].weight, 1, 0);
    assert_int_equal(mesh->target_count, 1);
    assert_near(mesh->targets[0].positions[5].z, 0.5, 0);
    assert_near(mesh->target_weights[0], 0.25, 0);
    lmb_character_destroy(c);
    free(text.data);
}

/// Point 5 at (1, 2, 7), bound to a bone at (0, 1.5, 0) that rotates about z; its shape is half in at
/// half time.
static void plays_skin_and_shape(void **state)
{
    (void)state;
    fbx_text text = skinned_strip();
    lmb_character *c = read_text(&text);
    lmb_deformer *deformer = NULL;
    assert_int_equal(lmb_deformer_create(c, NULL, &deformer, NULL), LMB_OK);
    assert_near(lmb_clip_duration_s(c->clips[0]), 0.4, 1e-6);
    for (int k = 0; k <= 4; ++k) {
        const double time_s = 0.1 * k, angle = 22.5 * k * 0.017453292519943295;
        test_deform_at(c, c->clips[0], time_s, deformer);
        const lmb_vec3 at = lmb_deformer_instance(deformer, 0).positions[5];
        // Between frames the angle goes by slerp, which is straight here.
        assert_near((double)at.x, cos(angle) - 0.5 * sin(angle), 2e-5);
        assert_near((double)at.y, 1.5 + sin(angle) + 0.5 * cos(angle), 2e-5);
        assert_near((double)at.z, 7 + 0.125 * k, 2e-5);
        assert_near(lmb_deformer_instance(deformer, 0).positions[0].y, 0, 0);
    }
    lmb_deformer_destroy(deformer);
    lmb_character_destroy(c);
    free(text.data);
}

/// Shapes of one channel that come in at 7, 45 and 100 percent are targets of their own, those in
/// between named by their percentage.
static void shapes_in_between_are_targets(void **state)
{
    (void)state;
    static const char *const names[] = {"bulge 7", "bulge 45", "bulge"};
    fbx_text text = {0};
    begin_file(&text);
    fbx_add(&text, "\tGeometry: 1, \"Geometry::t\", \"Mesh\" {\n"
                   "\t\tVertices: *9 {\n\t\t\ta: 0,0,0,1,0,0,0,1,0\n\t\t}\n"
                   "\t\tPolygonVertexIndex: *3 {\n\t\t\ta: 0,1,-3\n\t\t}\n\t}\n");
    for (int k = 0; k < 3; ++k) {
        fbx_add(&text,
                "\tGeometry: %d, \"Geometry::s\", \"Shape\" {\n\t\tIndexes: *1 {\n\t\t\ta: 2\n"
                "\t\t}\n\t\tVertices: *3 {\n\t\t\ta: 0,0,%d\n\t\t}\n\t}\n",
                30 + k, k + 1);
    }
    fbx_add(&text, "\tDeformer: 3, \"Deformer::\", \"BlendShape\" {\n\t\tVersion: 100\n\t}\n"
                   "\tDeformer: 4, \"SubDeformer::bulge\", \"BlendShapeChannel\" {\n"
                   "\t\tFullWeights: *3 {\n\t\t\ta: 7,45,100\n\t\t}\n\t}\n");
    begin_model(&text, 10, "t", "Mesh");
    end_model(&text);
    fbx_add(&text, "}\nConnections:  {\n\tC: \"OO\",10,0\n\tC: \"OO\",1,10\n\tC: \"OO\",3,1\n"
                   "\tC: \"OO\",4,3\n\tC: \"OO\",30,4\n\tC: \"OO\",31,4\n\tC: \"OO\",32,4\n}\n");
    lmb_character *c = read_text(&text);
    assert_int_equal(c->meshes[0]->target_count, 3);
    for (uint32_t k = 0; k < 3; ++k) {
        assert_string_equal(c->meshes[0]->targets[k].name, names[k]);
        assert_near(c->meshes[0]->targets[k].positions[2].z, k + 1.0, 0);
    }
    lmb_character_destroy(c);
    free(text.data);
}

static void assert_same(const lmb_character *a, const lmb_character *b)
{
    assert_int_equal(a->skeleton->joint_count, b->skeleton->joint_count);
    assert_memory_equal(a->skeleton->rest, b->skeleton->rest,
                        a->skeleton->joint_count * sizeof *a->skeleton->rest);
    assert_null(test_mesh_difference(a->meshes[0], b->meshes[0]));
    assert_int_equal(a->clips[0]->channel_count, b->clips[0]->channel_count);
    for (uint32_t i = 0; i < a->clips[0]->channel_count; ++i) {
        const lmb_channel *p = &a->clips[0]->channels[i], *q = &b->clips[0]->channels[i];
        assert_int_equal(p->key_count, q->key_count);
        assert_memory_equal(p->values, q->values, p->key_count * p->width * sizeof(float));
        assert_memory_equal(p->ticks, q->ticks, p->key_count * sizeof(float));
    }
}

static void binary_is_the_same_as_text(void **state)
{
    (void)state;
    fbx_text text = skinned_strip();
    lmb_character *a = read_text(&text);
    static const uint32_t versions[] = {7100, 7400, 7500, 7700};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; ++i) {
        fbx_bytes bytes = fbx_binary_of(&text, versions[i]);
        lmb_character *b = read_bytes(bytes.data, bytes.size);
        assert_same(a, b);
        lmb_character_destroy(b);
        free(bytes.data);
    }
    lmb_character_destroy(a);
    free(text.data);
}

// ----------------------------------------------------------------------------------- old versions

/// What 6100 and 5000 put differently: names instead of numbers, the mesh in its model, keys in
/// Takes.
static const char version_6100[] = FBX_HEAD(
    "6100") "Objects:  {\n"
            "\tModel: \"Model::skin\", \"Mesh\" {\n\t\tProperties60:  {\n"
            "\t\t\tProperty: \"Lcl Translation\", \"Lcl Translation\", \"A+\",0,0,0\n\t\t}\n"
            "\t\tVertices: 0,0,0,100,0,0\n        ,0,100,0\n\t\tPolygonVertexIndex: 0,1,-3\n"
            "\t\tShape: \"up\" {\n\t\t\tIndexes: 2\n\t\t\tVertices: 0,50,0\n\t\t}\n\t}\n"
            "\tModel: \"Model::bone\", \"Limb\" {\n\t\tProperties60:  {\n"
            "\t\t\tProperty: \"Lcl Translation\", \"Lcl Translation\", \"A+\",100,0,0\n"
            "\t\t\tProperty: \"InheritType\", \"enum\", \"\",1\n\t\t}\n\t}\n"
            "\tDeformer: \"Deformer::Skin skin\", \"Skin\" {\n\t}\n"
            "\tDeformer: \"SubDeformer::Cluster bone\", \"Cluster\" {\n\t\tIndexes: "
            "0,1,2\n\t\tWeights: 1,1,1\n"
            "\t\tTransform: 1,0,0,0,0,1,0,0,0,0,1,0,-100,0,0,1\n\t}\n"
            "\tGlobalSettings:  {\n\t\tProperties60:  {\n\t\t\tProperty: \"UnitScaleFactor\", "
            "\"double\", \"\",1\n"
            "\t\t\tProperty: \"TimeMode\", \"enum\", \"\",10\n\t\t}\n\t}\n}\n"
            "Connections:  {\n\tConnect: \"OO\", \"Model::skin\", \"Model::Scene\"\n\tConnect: "
            "\"OO\", \"Model::bone\", \"Model::Scene\"\n"
            "\tConnect: \"OO\", \"Deformer::Skin skin\", \"Model::skin\"\n"
            "\tConnect: \"OO\", \"SubDeformer::Cluster bone\", \"Deformer::Skin skin\"\n"
            "\tConnect: \"OO\", \"Model::bone\", \"SubDeformer::Cluster bone\"\n}\n"
            "Takes:  {\n\tCurrent: \"t\"\n\tTake: \"t\" {\n\t\tLocalTime: 0,18474463200\n"
            "\t\tModel: \"Model::bone\" {\n\t\t\tChannel: \"Transform\" {\n\t\t\t\tChannel: \"R\" "
            "{\n"
            "\t\t\t\t\tChannel: \"X\" {\n\t\t\t\t\t\tDefault: 0\n\t\t\t\t\t}\n"
            "\t\t\t\t\tChannel: \"Z\" {\n\t\t\t\t\t\tDefault: 0\n\t\t\t\t\t\tKeyVer: "
            "4005\n\t\t\t\t\t\tKeyCount: 3\n\t\t\t\t\t\tKey: \n"
            "\t\t\t\t\t\t\t0,0,L,\n\t\t\t\t\t\t\t9237231600,90,U,s,0,0,n,18474463200,180,C,"
            "n\n\t\t\t\t\t}\n\t\t\t\t}\n\t\t\t}\n\t\t}\n"
            "\t\tModel: \"Model::skin\" {\n\t\t\tChannel: \"up\" {\n\t\t\t\tDefault: "
            "0\n\t\t\t\tKeyVer: 4005\n\t\t\t\tKeyCount: 2\n"
            "\t\t\t\tKey: 0,0,L,18474463200,100,L\n\t\t\t}\n\t\t}\n\t}\n}\n";

static void reads_version_6100(void **state)
{
    (void)state;
    const fbx_text text = {(char *)(uintptr_t)version_6100, sizeof version_6100 - 1};
    lmb_character *c = read_text(&text);
    assert_int_equal(c->skeleton->joint_count, 2);
    assert_near(c->meshes[0]->positions[1].x, 1, 0); // centimetres
    assert_int_equal(c->meshes[0]->target_count, 1);
    assert_int_equal(c->skins[0]->joint_count, 1);
    assert_string_equal(c->clips[0]->name, "t");
    lmb_mat4 model[2];
    const int32_t bone = lmb_skeleton_find(c->skeleton, "bone");
    pose(c, 0.1, model);
    assert_near((double)model[bone].m[0], cos(45 * 0.017453292519943295), 1e-5);
    pose(c, 0.4, model);
    assert_near(model[bone].m[0], -1, 1e-5);
    // Flat slopes at both ends: three quarters of the way in time is half way up.
    pose(c, 0.3, model);
    assert_near((double)model[bone].m[0], cos(135 * 0.017453292519943295), 0.02);
    lmb_character_destroy(c);
}

static const char version_5000[] =
    "; FBX 5.0.0 project file\nModel: \"Model::skin\" {\n\tType: \"Mesh\"\n"
    "\tVertices: 0,0,0,100,0,0,0,100,0\n\tPolygonVertexIndex: 0,1,-3\n"
    "\tMaterialAssignation: \"AllSame\"\n\tMaterials: 0\n"
    "\tMaterial: \"Material::grey\" {\n\t\tDiffuse: 0.5,0.5,0.5\n\t}\n"
    "\tLink: \"Model::bone\" {\n\t\tIndexes: 0,1,2\n\t\tWeights: 1,1,1\n"
    "\t\tTransform: 1,0,0,0,0,1,0,0,0,0,1,0,-100,0,0,1\n\t\tTransformLink: "
    "1,0,0,0,0,1,0,0,0,0,1,0,100,0,0,1\n\t}\n}\n"
    "Model: \"Model::root\" {\n\tChildren: \"Model::bone\", \"Model::skin\"\n}\n"
    "Model: \"Model::bone\" {\n\tType: \"Limb\"\n\tChannel: \"Transform\" {\n\t\tChannel: \"T\" {\n"
    "\t\t\tChannel: \"X\" {\n\t\t\t\tDefault: 100\n\t\t\t\tKeyVer: 4001\n\t\t\t\tKeyCount: 2\n"
    "\t\t\t\tKey: 0,100,L,46186158000,300,C\n\t\t\t}\n\t\t}\n\t}\n}\n";

static void reads_version_5000(void **state)
{
    (void)state;
    const fbx_text text = {(char *)(uintptr_t)version_5000, sizeof version_5000 - 1};
    lmb_character *c = read_text(&text);
    assert_int_equal(c->skeleton->joint_count, 3);
    const int32_t bone = lmb_skeleton_find(c->skeleton, "bone");
    assert_string_equal(c->skeleton->names[c->skeleton->parents[bone]], "root");
    assert_near(c->skeleton->rest[bone].translation.x, 1, 0);
    assert_int_equal(c->skins[0]->joint_count, 1);
    assert_near(c->appearance->materials[0].base_color.x, 0.5, 0);
    lmb_mat4 model[3];
    pose(c, 0.5, model);
    assert_near(model[bone].m[12], 2, 1e-5);
    lmb_character_destroy(c);
}

// ----------------------------------------------------------------------------------------- errors

static lmb_result error_of(const char *objects, lmb_error *error)
{
    fbx_text text = {0};
    lmb_character *c = NULL;
    fbx_add(&text, FBX_HEAD("7500") "%s", objects);
    memset(error, 0, sizeof *error);
    const lmb_result result = lmbi_fbx_read(text.data, text.size, NULL, NULL, &c, error);
    assert_null(c);
    free(text.data);
    return result;
}

static void names_the_position_of_a_fault(void **state)
{
    (void)state;
    lmb_error error;
    assert_int_equal(error_of("Objects:  {\n\tModel: 1, \"Model::a, \"Null\" {\n\t}\n}\n", &error),
                     LMB_ERROR_MALFORMED);
    assert_int_equal(error.line, 6);
    assert_int_equal(error_of("Objects:  {\n}\n", &error), LMB_ERROR_MALFORMED);
    assert_string_equal(error.expected, "at least one model");
    assert_int_equal(error_of("Objects:  {\n\tModel: 1, \"Model::a\", \"Null\" {\n\t}\n\tModel: 2, "
                              "\"Model::b\", \"Null\" {\n\t}\n}\n"
                              "Connections:  {\n\tC: \"OO\",1,2\n\tC: \"OO\",2,1\n}\n",
                              &error),
                     LMB_ERROR_MALFORMED);
    assert_string_equal(error.found, "a cycle");
    assert_int_equal(error_of("Objects:  {\n\tGeometry: 1, \"Geometry::a\", \"Mesh\" "
                              "{\n\t\tVertices: *3 {\n\t\t\ta: 0,0,0\n\t\t}\n"
                              "\t\tPolygonVertexIndex: *3 {\n\t\t\ta: 0,1,-3\n\t\t}\n\t}\n\tModel: "
                              "2, \"Model::a\", \"Mesh\" {\n\t}\n}\n"
                              "Connections:  {\n\tC: \"OO\",1,2\n}\n",
                              &error),
                     LMB_ERROR_MALFORMED);
    assert_int_equal(error.line, 6);
    const char future[] = "Kaydara FBX Binary  \0\x1a\0\x0f\x27\0\0";
    assert_int_equal(
        lmbi_fbx_read(future, sizeof future - 1, NULL, NULL, &(lmb_character *){NULL}, &error),
        LMB_ERROR_UNSUPPORTED);
    assert_int_equal(error.offset, 23);
}

static void survives(const void *data, size_t size)
{
    lmb_character *c = NULL;
    void *exact = malloc(size ? size : 1); // so that a sanitizer sees a read past the end
    memcpy(exact, data, size);
    if (lmbi_fbx_read(exact, size, NULL, NULL, &c, NULL) == LMB_OK) {
        lmb_character_destroy(c);
    } else {
        assert_null(c);
    }
    free(exact);
}

static void survives_truncation_and_flips(void **state)
{
    (void)state;
    fbx_text text = skinned_strip();
    fbx_bytes bytes = fbx_binary_of(&text, 7400);
    lmb_random random = lmb_random_seed(3);
    for (int i = 0; i < 400; ++i) {
        survives(bytes.data, lmb_random_u32(&random) % bytes.size);
        survives(text.data, lmb_random_u32(&random) % text.size);
        uint8_t *copy = malloc(bytes.size);
        memcpy(copy, bytes.data, bytes.size);
        for (int k = 0; k < 4; ++k) {
            copy[27 + lmb_random_u32(&random) % (bytes.size - 27)] ^=
                (uint8_t)(1u << (lmb_random_u32(&random) % 8));
        }
        survives(copy, bytes.size);
        memcpy(copy, text.data, text.size < bytes.size ? text.size : bytes.size);
        copy[lmb_random_u32(&random) % bytes.size] =
            (uint8_t) "{}:,\"*-9a "[lmb_random_u32(&random) % 10];
        survives(copy, text.size < bytes.size ? text.size : bytes.size);
        free(copy);
    }
    free(bytes.data);
    free(text.data);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    fbx_text text = skinned_strip();
    fbx_bytes bytes = fbx_binary_of(&text, 7400);
    for (failing_run f = {.least = 20}; failing_next(&f);) {
        lmb_character *c = NULL;
        f.result = lmbi_fbx_read(bytes.data, bytes.size, NULL, &f.alloc, &c, NULL);
        lmb_character_destroy(c);
    }
    free(bytes.data);
    free(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_with_other_materials_get_a_mesh),
        cmocka_unit_test(reads_a_skinned_mesh),
        cmocka_unit_test(plays_skin_and_shape),
        cmocka_unit_test(shapes_in_between_are_targets),
        cmocka_unit_test(binary_is_the_same_as_text),
        cmocka_unit_test(reads_version_6100),
        cmocka_unit_test(reads_version_5000),
        cmocka_unit_test(names_the_position_of_a_fault),
        cmocka_unit_test(survives_truncation_and_flips),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
