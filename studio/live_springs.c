/// What swings: hair, tails, cloth.
#include "live.h"
#include "live_exports.h"

#include <math.h>

void live_springs_free(live_character *live)
{
    lmb_springs_destroy(live->springs.springs);
    lmb_spring_set_destroy(live->springs.set);
    live->springs = (live_springs){0};
}

/// Swings by another set, from rest. Takes the set over.
static int32_t start(live_character *live, lmb_spring_set *set)
{
    lmb_springs *springs = NULL;
    lmb_error error = {0};
    if (lmb_springs_create(set, live->character->skeleton, NULL, &springs, &error) != LMB_OK) {
        lmb_spring_set_destroy(set);
        (void)live_fail_call("the springs", &error);
        return -1;
    }
    live_springs_free(live);
    live->springs = (live_springs){set, springs};
    return (int32_t)set->joint_count;
}

EXPORT(limber_springs_begin) int32_t limber_springs_begin(int handle)
{
    live_character *live = live_find(handle);
    lmb_spring_set *set = NULL;
    lmb_error error = {0};
    if (live == NULL) {
        return -1;
    }
    if (live->springs.set != NULL) {
        return (int32_t)live->springs.set->joint_count;
    }
    if (lmb_spring_set_read(live->character, NULL, &set, &error) != LMB_OK) {
        (void)live_fail_call("the springs", &error);
        return -1;
    }
    return start(live, set);
}

EXPORT(limber_springs_add) int32_t limber_springs_add(int handle, uint32_t joint)
{
    live_character *live = live_find_joint(handle, joint);
    lmb_spring_set *set = NULL;
    lmb_error error = {0};
    if (live == NULL || limber_springs_begin(handle) < 0) {
        return -1;
    }
    const lmb_spring_joint soft = lmb_spring_soft();
    if (lmb_spring_set_add_chain(live->springs.set, live->character->skeleton, joint, &soft, NULL,
                                 &set, &error) != LMB_OK) {
        (void)live_fail_call("the springs", &error);
        return -1;
    }
    return start(live, set);
}

EXPORT(limber_springs_step) const float *limber_springs_step(int handle, float seconds)
{
    live_character *live = live_find(handle);
    if (live == NULL) {
        return NULL;
    }
    if (live->springs.springs == NULL) {
        (void)live_fail("nothing swings");
        return NULL;
    }
    if (!(seconds >= 0 && isfinite(seconds))) {
        (void)live_fail("expected seconds that are not negative");
        return NULL;
    }
    live_show(live);
    lmb_springs_step(&(lmb_springs_step_job){.springs = live->springs.springs,
                                             .local = live->shown,
                                             .model_from_joint = live->model,
                                             .dt_s = seconds});
    return (const float *)live->shown;
}

EXPORT(limber_springs_end) int limber_springs_end(int handle)
{
    live_character *live = live_find(handle);
    if (live == NULL) {
        return 0;
    }
    live_springs_free(live);
    live_show(live);
    return 1;
}
