/// What lmb_check finds in characters and markers with faults of known kinds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "failing_allocator.h"
#include "limber/author.h"

static lmb_made_body *make_body(void)
{
    const lmb_made_body_opts opts = {
        .triangle_count = 2000, .whole = true, .bare = true, .rigged = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

/// The finding of a rule, or NULL.
static const lmb_finding *find(const lmb_findings *findings, const char *code)
{
    for (uint32_t k = 0; k < findings->count; ++k) {
        if (strcmp(findings->items[k].code, code) == 0) {
            return &findings->items[k];
        }
    }
    return NULL;
}

static lmb_findings *check(const lmb_check_def *def)
{
    lmb_findings *findings = NULL;
    assert_int_equal(lmb_check(def, NULL, &findings, NULL), LMB_OK);
    return findings;
}

static void a_sound_body_has_no_errors_and_no_warnings(void **state)
{
    (void)state;
    lmb_made_body *body = make_body();
    lmb_findings *findings = check(&(lmb_check_def){.character = body->character});
    assert_int_equal(findings->severity_counts[LMB_SEVERITY_ERROR], 0);
    assert_int_equal(findings->severity_counts[LMB_SEVERITY_WARNING], 0);
    lmb_findings_destroy(findings);
    lmb_made_body_destroy(body);
}

static void faults_are_counted_with_the_first_of_each(void **state)
{
    (void)state;
    lmb_made_body *body = make_body();
    lmb_character *c = body->character;
    lmb_mesh *mesh = c->meshes[0];
    const uint32_t row = mesh->influences.first[7];
    mesh->influences.items[row].weight *= 0.5f;
    mesh->influences.items[mesh->influences.first[9]].weight *= 0.5f;
    mesh->indices[3 * 5 + 1] = mesh->indices[3 * 5];
    c->skeleton->rest[3].scale = lmb_vec3_make(0, 1, 1);
    c->skeleton->names[4] = c->skeleton->names[2];
    lmb_findings *findings = check(&(lmb_check_def){.character = c});
    const lmb_finding *sums = find(findings, "LMB-SKIN-002"),
                      *flat = find(findings, "LMB-MESH-001"),
                      *scale = find(findings, "LMB-SKEL-002"),
                      *names = find(findings, "LMB-SKEL-005");
    assert_true(sums && flat && scale && names);
    assert_int_equal(sums->count, 2);
    assert_int_equal(sums->first, 7);
    assert_int_equal(sums->severity, LMB_SEVERITY_ERROR);
    assert_int_equal(strncmp(sums->location, "mesh 0", 6), 0);
    assert_int_equal(flat->count, 1);
    assert_int_equal(flat->first, 5);
    assert_non_null(flat->repair);
    assert_int_equal(scale->first, 3);
    assert_int_equal(names->count, 1);
    assert_int_equal(names->first, 2);
    assert_int_equal(findings->severity_counts[LMB_SEVERITY_ERROR], 2);
    lmb_findings_destroy(findings);
    // Of meshes alone neither the weights nor the joints are asked about.
    findings = check(&(lmb_check_def){.character = c, .meshes_only = true});
    assert_non_null(find(findings, "LMB-MESH-001"));
    assert_null(find(findings, "LMB-SKIN-002"));
    assert_null(find(findings, "LMB-SKEL-002"));
    lmb_findings_destroy(findings);
    lmb_made_body_destroy(body);
}

static void winding_is_judged_by_the_volume_of_a_closed_piece(void **state)
{
    (void)state;
    lmb_made_body *body = make_body();
    lmb_mesh *mesh = body->character->meshes[0];
    lmb_mesh_survey survey;
    assert_int_equal(lmb_mesh_survey_make(mesh, NULL, &survey, NULL), LMB_OK);
    assert_true(survey.has_surface && survey.border_edges == 0);
    assert_int_equal(survey.component_count, 1);
    assert_int_equal(survey.triangle_count, mesh->index_count / 3);
    for (uint32_t t = 0; t < mesh->index_count / 3; ++t) {
        const uint32_t corner = mesh->indices[3 * t];
        mesh->indices[3 * t] = mesh->indices[3 * t + 1];
        mesh->indices[3 * t + 1] = corner;
    }
    lmb_findings *findings =
        check(&(lmb_check_def){.character = body->character, .meshes_only = true});
    assert_non_null(find(findings, "LMB-MESH-009"));
    assert_null(find(findings, "LMB-MESH-007"));
    lmb_findings_destroy(findings);
    lmb_made_body_destroy(body);
}

static void markers_have_gaps_spikes_and_labels(void **state)
{
    (void)state;
    enum { FRAMES = 100 };
    const char *names[] = {"A", "B", "B"};
    lmb_vec3 positions[3 * FRAMES] = {{0, 0, 0}};
    uint8_t seen[3 * FRAMES];
    memset(seen, 1, sizeof seen);
    for (uint32_t f = 40; f < 70; ++f) { // 0.3 s
        seen[3 * f] = 0;
    }
    positions[3 * 20 + 1].x = 1;
    const lmb_markers def = {.marker_count = 3,
                             .frame_count = FRAMES,
                             .frame_rate = 100,
                             .names = names,
                             .positions = positions,
                             .seen = seen};
    lmb_markers *markers = NULL;
    assert_int_equal(lmb_markers_create(&def, NULL, &markers, NULL), LMB_OK);
    lmb_notes notes = {.count = 1};
    strcpy(notes.items[0].text, "a row is short");
    notes.items[0].line = 12;
    lmb_findings *findings = check(&(lmb_check_def){.markers = markers, .notes = &notes});
    const lmb_finding *gap = find(findings, "LMB-MARK-002"), *jump = find(findings, "LMB-MARK-004"),
                      *label = find(findings, "LMB-MARK-005"),
                      *said = find(findings, "LMB-FILE-001");
    assert_true(gap && jump && label && said);
    assert_int_equal(gap->first, 40);
    assert_string_equal(gap->location, "marker 0 \"A\"");
    assert_int_equal(jump->count, 2); // there and back
    assert_int_equal(jump->first, 20);
    assert_int_equal(label->first, 1);
    assert_string_equal(said->location, "a row is short");
    assert_int_equal(said->first, 12);
    assert_null(said->text);
    assert_null(find(findings, "LMB-MARK-003"));
    lmb_findings_destroy(findings);
    lmb_markers_destroy(markers);
}

static void what_runs_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    lmb_made_body *body = make_body();
    body->character->skeleton->rest[3].scale = lmb_vec3_make(0, 1, 1);
    for (failing_run f = {.least = 10}; failing_next(&f);) {
        lmb_findings *findings = NULL;
        f.result =
            lmb_check(&(lmb_check_def){.character = body->character}, &f.alloc, &findings, NULL);
        assert_true((findings != NULL) == (f.result == LMB_OK));
        lmb_findings_destroy(findings);
    }
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_body_has_no_errors_and_no_warnings),
        cmocka_unit_test(faults_are_counted_with_the_first_of_each),
        cmocka_unit_test(winding_is_judged_by_the_volume_of_a_closed_piece),
        cmocka_unit_test(markers_have_gaps_spikes_and_labels),
        cmocka_unit_test(what_runs_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
