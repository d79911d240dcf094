/// A file's words about its own nodes end with them: a character read from a VRM and rigged anew is
/// not moved by the joints that the file called its hips and arms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "limber/author.h"
#include "limber/procedural.h"
#include "limber/retarget.h"

static const char *const CARRIED =
    "{\"extensions\":{\"VRMC_vrm\":{\"specVersion\":\"1.0\",\"humanoid\":{\"humanBones\":{"
    "\"hips\":{\"node\":7},\"spine\":{\"node\":3},\"head\":{\"node\":0}}}},"
    "\"VRMC_springBone\":{\"specVersion\":\"1.0\"},\"KHR_other\":{\"a\":[1,2]}},\"cameras\":[]}";
static const char *const USED = "[\"VRMC_vrm\",\"KHR_other\",\"VRMC_springBone\"]";

static lmb_made_body *make(const char *carried, const char *used)
{
    const lmb_made_body_opts opts = {
        .seed = 12, .triangle_count = 3000, .whole = true, .bare = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    lmb_appearance def = {0}, *made = NULL;
    if (body->character->appearance != NULL) {
        def = *body->character->appearance;
    }
    def.carried = carried;
    def.extensions_used = used;
    assert_int_equal(lmb_appearance_create(&def, NULL, &made, NULL), LMB_OK);
    lmb_appearance_destroy(body->character->appearance);
    body->character->appearance = made;
    return body;
}

static void assert_words(const lmb_character *c)
{
    assert_string_equal(c->appearance->carried,
                        "{\"extensions\":{\"KHR_other\":{\"a\":[1,2]}},\"cameras\":[]}");
    assert_string_equal(c->appearance->extensions_used, "[\"KHR_other\"]");
    lmb_joint_map map;
    assert_int_equal(lmb_joint_map_of_character(c, NULL, &map, NULL), LMB_OK);
    assert_string_equal(c->skeleton->names[map.bones[LMB_HUMAN_HIPS].joint], "hips");
    assert_string_equal(c->skeleton->names[map.bones[LMB_HUMAN_HEAD].joint], "head");
}

static void a_new_skeleton_is_not_mapped_by_the_old_one(void **state)
{
    (void)state;
    lmb_made_body *body = make(CARRIED, USED);
    assert_int_equal(lmb_rig(&body->character, NULL, NULL, NULL, NULL), LMB_OK);
    assert_words(body->character);
    lmb_made_body_destroy(body);
}

static void nor_is_one_that_was_given(void **state)
{
    (void)state;
    lmb_made_body *model = make(NULL, NULL), *body = make(CARRIED, USED);
    assert_int_equal(lmb_rig(&model->character, NULL, NULL, NULL, NULL), LMB_OK);
    const lmb_bind_opts opts = {.skeleton = model->character->skeleton};
    assert_int_equal(lmb_bind(&body->character, &opts, NULL, NULL, NULL), LMB_OK);
    assert_words(body->character);
    lmb_made_body_destroy(body);
    lmb_made_body_destroy(model);
}

static void other_words_stay_as_they_are(void **state)
{
    (void)state;
    lmb_made_body *body = make("{\"extensions\": {\"KHR_other\": 1}}", "[\"KHR_other\"]");
    const lmb_appearance *look = body->character->appearance;
    assert_int_equal(lmb_rig(&body->character, NULL, NULL, NULL, NULL), LMB_OK);
    assert_ptr_equal(body->character->appearance, look);
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_skeleton_is_not_mapped_by_the_old_one),
        cmocka_unit_test(nor_is_one_that_was_given),
        cmocka_unit_test(other_words_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
