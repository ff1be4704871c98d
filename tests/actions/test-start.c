/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The next step of a start, as a table: facts, and the step. */

#include "actions/start.h"
#include "fake/unit.h"

#include <stdio.h>

#define ASKED (START_ASKED_PLACES | START_SAW_OTHERS | START_ASKED_OTHERS)

UNIT_TEST(the_next_step)
{
    static const struct {
        unsigned facts;
        enum start_step step;
    } rows[] = {
        /* reasons in the domain itself come first, before all other facts */
        {0, START_ASK_PLACES},
        {START_OWN_BUSY, START_PAUSE},
        {START_OWN_BUSY | START_OWN_SILENT, START_PAUSE},
        {START_OWN_BUSY | START_HASTY, START_PAUSE},
        {START_OWN_BUSY | START_OWN_SILENT | START_HASTY, START_LOOK_PATIENTLY},
        {START_OWN_GOES, START_REMOVE_OWN},
        {START_OWN_GOES | START_OWN_BUSY, START_PAUSE},
        /* there is a place for each device */
        {START_ASKED_PLACES | START_PLACED, START_MAKE},
        {START_ASKED_PLACES | START_UNDECIDED | START_BOOTING, START_REFUSE},
        {START_ASKED_PLACES | START_NEVER, START_REFUSE},
        {START_ASKED_PLACES | START_NEVER | START_BOOTING, START_WAIT_FOR_BOOT},
        /* no room: the start looks at other guests' vGPUs, then asks which of them may go, and then
         * removes these */
        {START_ASKED_PLACES, START_LOOK_AT_OTHERS},
        {START_ASKED_PLACES | START_OUTDATED | START_HASTY, START_LOOK_AT_OTHERS},
        {START_ASKED_PLACES | START_SAW_OTHERS, START_ASK_OTHERS},
        {START_ASKED_PLACES | START_SAW_OTHERS | START_TAKEN, START_ASK_OTHERS},
        {ASKED | START_OTHERS_GO, START_REMOVE_OTHERS},
        {ASKED | START_OTHERS_GO | START_OUTDATED, START_REMOVE_OTHERS},
        /* removing vGPUs of others does not help: the refusal may be wrong, or another start may
         * succeed */
        {ASKED | START_OUTDATED | START_HASTY, START_LOOK},
        {ASKED | START_HASTY | START_BOOTING, START_LOOK_PATIENTLY},
        {ASKED | START_BOOTING, START_WAIT_FOR_BOOT},
        {ASKED | START_BOOTING | START_TAKEN, START_REFUSE},
        {ASKED | START_HASTY | START_JUST_REMOVED, START_LOOK_PATIENTLY},
        {ASKED | START_JUST_REMOVED | START_BOOTING, START_PAUSE},
        {ASKED | START_JUST_REMOVED | START_TAKEN, START_REFUSE},
        {ASKED | START_OTHERS_GO | START_JUST_REMOVED, START_REMOVE_OTHERS},
        {ASKED, START_REFUSE},
        /* all vGPUs are made */
        {START_MADE, START_HOLD},
        {START_MADE | START_RUNNING, START_HAND_OVER},
        {START_MADE | START_RUNNING | START_HANDED_OVER, START_HOLD},
        {START_MADE | START_HELD, START_DONE},
        {START_MADE | START_RUNNING | START_HANDED_OVER | START_HELD, START_DONE},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (start_next(rows[i].facts) != rows[i].step)
            fail_msg("row %zu: step %d", i, (int)start_next(rows[i].facts));
        /* a failure ends the start, for all other facts */
        assert_int_equal(start_next(rows[i].facts | START_FAILED), START_REFUSE);
    }
}

/* For all combinations of facts: each start ends, and no step comes twice. */
UNIT_TEST(it_always_ends)
{
    for (unsigned facts = 0; facts < START_JUST_REMOVED << 1; facts++) {
        enum start_step step = start_next(facts);

        assert_in_range(step, START_ASK_PLACES, START_DONE);
        assert_true(step != START_ASK_PLACES || !(facts & START_ASKED_PLACES));
        assert_true(step != START_ASK_OTHERS || !(facts & START_ASKED_OTHERS));
        /* nothing is made or removed once all vGPUs are made */
        assert_true(!(facts & START_MADE) || !start_is_recorded(step));
        /* a refusal undoes nothing once the guest has its vGPUs */
        assert_true(!(facts & START_HANDED_OVER) || (facts & START_FAILED) || step == START_HOLD ||
                    step == START_DONE);
    }
}
