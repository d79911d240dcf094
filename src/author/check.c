/// lmb_check: the rules of a character, of markers and of what a reader said, and their findings.
#include "author/check.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

static const lmbi_check_rule reader_note = {"LMB-FILE-001", LMB_SEVERITY_WARNING, NULL, NULL};

static void check_notes(lmbi_check *check, const lmb_notes *notes)
{
    const uint32_t kept = notes->count < LMB_NOTE_MAX ? notes->count : LMB_NOTE_MAX;
    for (uint32_t k = 0; k < kept; ++k) {
        lmbi_check_add(check, &reader_note, notes->items[k].text,
                       (lmbi_check_tally){1, notes->items[k].line});
    }
}

static lmb_result run_rules(lmbi_check *check, const lmb_check_def *def, lmb_error *error)
{
    lmb_result result = LMB_OK;
    if (def->notes != NULL) {
        check_notes(check, def->notes);
    }
    if (def->markers != NULL) {
        lmbi_check_markers(check, def->markers);
    }
    if (def->character != NULL) {
        result = lmbi_check_meshes(check, def->character, error);
        if (result == LMB_OK && !def->meshes_only) {
            lmbi_check_skins(check, def->character);
            lmbi_check_skeleton(check, def->character->skeleton);
            lmbi_check_clips(check, def->character);
        }
    }
    return result == LMB_OK && check->is_out_of_memory ? lmbi_fail_memory(error) : result;
}

lmb_result lmb_check(const lmb_check_def *def, const lmb_allocator *alloc, lmb_findings **out,
                     lmb_error *error)
{
    lmbi_check check = {.alloc = alloc};
    lmbi_arena_init(&check.scratch, alloc);
    lmb_result result = run_rules(&check, def, error);
    lmbi_arena_free(&check.scratch);
    lmb_findings *made = NULL;
    if (result == LMB_OK) {
        const size_t size = check.count * sizeof *check.items;
        made = lmbi_alloc(alloc, sizeof *made + size);
        result = made == NULL ? lmbi_fail_memory(error) : LMB_OK;
    }
    if (result == LMB_OK) {
        made->count = (uint32_t)check.count;
        made->items = (lmb_finding *)(made + 1);
        made->allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
        if (check.count > 0) {
            memcpy(made->items, check.items, check.count * sizeof *check.items);
        }
        for (size_t k = 0; k < check.count; ++k) {
            ++made->severity_counts[made->items[k].severity];
        }
        *out = made;
    }
    lmbi_free(alloc, check.items);
    return result;
}

void lmb_findings_destroy(lmb_findings *findings)
{
    if (findings != NULL) {
        lmbi_free_own(&findings->allocator, findings);
    }
}
