/// Results of a batch: what they say is read as it was written, the last line of an id counts, and
/// it decides what is run again, what is counted and when to stop.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "batch/progress.h"

static const char *const command[] = {"rig", "{input}", "-o", "{output}"};
static const char *const input = "a.obj";

static batch_item make_item(const char *id)
{
    return (batch_item){
        .id = id, .command = {command, 4}, .base = "", .inputs = {&input, 1}, .output = "a.glb"};
}

static void add_outcome(batch_records *records, const char *id, const char *at,
                        const batch_outcome *outcome, bool own)
{
    const batch_item item = make_item(id);
    lmb_buffer line = {0};
    char text[2000];
    assert_int_equal(batch_outcome_line(outcome, &item, "out/", at, &line, NULL), LMB_OK);
    assert_true(line.size + 2 < sizeof text);
    memcpy(text, line.data, line.size);
    text[line.size] = '\n';
    assert_true(batch_records_add(records, text, line.size + 1, own));
    lmb_buffer_free(&line);
}

static void a_line_is_read_as_it_was_written(void **state)
{
    (void)state;
    static const char messages[] = "progress 1/2\nlimber rig: warning: two \"necks\"\n"
                                   "limber rig: a.obj: LMB-SKIN-004 found\nlater\n";
    batch_outcome outcome = {.status = BATCH_FAILED, .exit_code = 3, .wall_s = 1.5};
    batch_records records = {0};
    const batch_item item = make_item("a");
    assert_true(batch_outcome_listen(&outcome, messages, sizeof messages - 1));
    assert_true(batch_outcome_make_key(&outcome, &item));
    assert_int_equal(outcome.warning_count, 1);
    assert_string_equal(outcome.warnings[0], "two \"necks\"");
    outcome.wrote = (batch_written){.there = true, .digest = {1, 2, 255}, .size = 1234567};
    add_outcome(&records, "a", "2026-01-01T00:00:00.000Z", &outcome, true);
    batch_records_keep_last(&records);
    const batch_record *r = batch_records_find(&records, "a");
    assert_non_null(r);
    assert_int_equal(r->status, BATCH_FAILED);
    assert_int_equal(r->exit_code, 3);
    assert_string_equal(r->error, "limber rig: a.obj: LMB-SKIN-004 found");
    assert_int_equal(r->codes.count, 1);
    assert_string_equal(r->codes.at[0], "LMB-SKIN-004");
    assert_memory_equal(r->key, outcome.key, BATCH_DIGEST);
    assert_memory_equal(&r->wrote.digest, &outcome.wrote.digest, BATCH_DIGEST);
    assert_int_equal(r->wrote.size, 1234567);
    assert_null(batch_records_find(&records, "b"));
    batch_records_free(&records);
    batch_outcome_free(&outcome);
}

static void the_last_line_of_an_item_counts(void **state)
{
    (void)state;
    batch_records records = {0};
    static const char torn[] = "not JSON\n{\"id\": \"z\", \"status\"";
    add_outcome(&records, "b", "2026-01-02T", &(batch_outcome){.status = BATCH_DONE}, false);
    add_outcome(&records, "a", "2026-01-01T", &(batch_outcome){.status = BATCH_DONE}, false);
    add_outcome(&records, "b", "2026-01-01T", &(batch_outcome){.status = BATCH_CRASHED}, true);
    assert_true(batch_records_add(&records, torn, sizeof torn - 1, false));
    batch_records_keep_last(&records);
    assert_int_equal(records.count, 2);
    assert_int_equal(records.unreadable, 1);
    assert_int_equal(batch_records_find(&records, "b")->status, BATCH_DONE);
    assert_true(batch_records_find(&records, "b")->own);
    assert_false(batch_records_find(&records, "a")->own);
    batch_records_free(&records);
    assert_true(batch_records_is_file("results.jsonl"));
    assert_true(batch_records_is_file("results-1-of-4.jsonl"));
    assert_false(batch_records_is_file("results.json"));
    assert_false(batch_records_is_file("old-results.jsonl"));
}

static void only_what_changed_is_run_again(void **state)
{
    (void)state;
    const uint8_t key[BATCH_DIGEST] = {7}, other[BATCH_DIGEST] = {8};
    batch_record done = {.status = BATCH_DONE, .key = {7}};
    batch_record failed = {.status = BATCH_TIMEOUT, .key = {7}};
    assert_int_equal(batch_decide(NULL, key, false, false), BATCH_RUN);
    assert_int_equal(batch_decide(&done, key, false, false), BATCH_SKIP_UNCHANGED);
    assert_int_equal(batch_decide(&done, other, false, false), BATCH_RUN);
    assert_int_equal(batch_decide(&done, key, true, false), BATCH_RUN);
    assert_int_equal(batch_decide(&failed, key, false, false), BATCH_KEEP_FAILURE);
    assert_int_equal(batch_decide(&failed, key, false, true), BATCH_RUN);

    batch_outcome a = {.has_input = true, .input = {1}}, b = {.has_input = true, .input = {2}};
    const batch_item item = make_item("a");
    assert_true(batch_outcome_make_key(&a, &item) && batch_outcome_make_key(&b, &item));
    assert_memory_not_equal(a.key, b.key, BATCH_DIGEST);
    memcpy(b.input, a.input, sizeof b.input);
    assert_true(batch_outcome_make_key(&b, &item));
    assert_memory_equal(a.key, b.key, BATCH_DIGEST);

    // A skipped item has a line in its own file only where it has none yet.
    const batch_outcome skipped = {.status = BATCH_SKIPPED};
    assert_true(batch_is_news(&done, &skipped));
    done.own = true;
    assert_false(batch_is_news(&done, &skipped));
    assert_true(batch_is_news(&done, &(batch_outcome){.status = BATCH_FAILED}));
    assert_false(batch_is_news(NULL, &(batch_outcome){.status = BATCH_LEFT}));
}

static void failures_of_this_run_stop_it(void **state)
{
    (void)state;
    batch_progress p = {0};
    batch_outcome before = {.status = BATCH_FAILED, .before = true};
    batch_outcome crashed = {.status = BATCH_CRASHED, .exit_code = -1};
    assert_true(batch_outcome_set_error(&crashed, "ended by ", "a signal"));
    assert_true(batch_progress_add(&p, 5, &crashed, 2));
    assert_true(batch_progress_add(&p, 1, &before, 2));
    assert_true(batch_progress_add(&p, 2, &(batch_outcome){.status = BATCH_SKIPPED}, 2));
    assert_true(batch_progress_add(&p, 3, &(batch_outcome){.status = BATCH_DONE}, 2));
    assert_false(p.stopped);
    assert_int_equal(batch_progress_ran(&p), 2);
    assert_true(batch_progress_add(&p, 0, &crashed, 2));
    assert_true(p.stopped);
    batch_progress_end(&p, 9);
    assert_int_equal(p.counts[BATCH_LEFT], 4);
    assert_int_equal(batch_progress_failures(&p), 3);
    assert_int_equal(p.failure_count, 3);
    assert_int_equal(p.failures[0].item, 0);
    assert_int_equal(p.failures[1].item, 1);
    assert_int_equal(p.failures[2].item, 5);
    assert_string_equal(p.failures[2].error, "ended by a signal");
    assert_null(p.failures[1].error);
    batch_progress_free(&p);
    batch_outcome_free(&crashed);
}

static void failures_alike_but_for_names_are_one_kind(void **state)
{
    (void)state;
    static const char *const errors[] = {"a.obj:3:1: expected a face",
                                         "b/c.obj:14:2: expected a face", "too few triangles: 7",
                                         "too few triangles: 12", "c.obj:9: expected a face"};
    batch_records records = {0};
    for (int k = 0; k < 5; ++k) {
        char id[8];
        batch_outcome outcome = {.status = BATCH_FAILED, .exit_code = 3};
        snprintf(id, sizeof id, "%d", k);
        assert_true(batch_outcome_set_error(&outcome, errors[k], ""));
        add_outcome(&records, id, "2026", &outcome, false);
        batch_outcome_free(&outcome);
    }
    add_outcome(&records, "fine", "2026",
                &(batch_outcome){.status = BATCH_SKIPPED, .wrote = {.there = true, .size = 10}},
                false);
    batch_records_keep_last(&records);
    batch_summary s;
    assert_true(batch_summary_make(&records, NULL, &s));
    assert_int_equal(s.items, 6);
    assert_int_equal(s.counts[BATCH_DONE], 1);
    assert_int_equal(s.counts[BATCH_FAILED], 5);
    assert_int_equal(s.bytes, 10);
    assert_int_equal(s.cluster_count, 2);
    assert_int_equal(s.clusters[0].count, 3);
    assert_string_equal(s.clusters[0].first->id, "0");
    assert_int_equal(s.clusters[1].count, 2);
    batch_summary_free(&s);

    // With a manifest, its items alone count.
    batch_item items[] = {make_item("1"), make_item("fine"), make_item("new")};
    const batch_manifest manifest = {.items = items, .count = 3};
    assert_true(batch_summary_make(&records, &manifest, &s));
    assert_int_equal(s.items, 3);
    assert_int_equal(s.counts[BATCH_LEFT], 1);
    assert_int_equal(s.counts[BATCH_FAILED], 1);
    batch_summary_free(&s);
    batch_records_free(&records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_read_as_it_was_written),
        cmocka_unit_test(the_last_line_of_an_item_counts),
        cmocka_unit_test(only_what_changed_is_run_again),
        cmocka_unit_test(failures_of_this_run_stop_it),
        cmocka_unit_test(failures_alike_but_for_names_are_one_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
