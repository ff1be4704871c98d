/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/start.h"

/* The first row that fits decides: all facts of `yes` are there, and none of `no`. */
static const struct {
    unsigned yes, no;
    enum start_step step;
} rows[] = {
    {START_FAILED, 0, START_REFUSE},

    /* All is made. */
    {START_HELD, 0, START_DONE},
    {START_HANDED_OVER, 0, START_HOLD},
    {START_MADE | START_RUNNING, 0, START_HAND_OVER},
    {START_MADE, 0, START_HOLD},

    /* The domain's own leases come first: its next run must not meet what is left of the last
     * one. */
    {START_OWN_BUSY | START_OWN_SILENT | START_HASTY, 0, START_LOOK_PATIENTLY},
    {START_OWN_BUSY, 0, START_PAUSE},
    {START_OWN_GOES, 0, START_REMOVE_OWN},

    {0, START_ASKED_PLACES, START_ASK_PLACES},
    {START_PLACED, 0, START_MAKE},
    {START_UNDECIDED, 0, START_REFUSE},
    {START_NEVER | START_BOOTING, 0, START_WAIT_FOR_BOOT},
    {START_NEVER, 0, START_REFUSE},

    /* There is no room, or something is in the way. */
    {0, START_SAW_OTHERS, START_LOOK_AT_OTHERS},
    {0, START_ASKED_OTHERS, START_ASK_OTHERS},
    {START_OTHERS_GO, 0, START_REMOVE_OTHERS},
    {START_OUTDATED, 0, START_LOOK},
    {START_HASTY, 0, START_LOOK_PATIENTLY},
    {START_JUST_REMOVED, START_TAKEN, START_PAUSE},
    {START_BOOTING, START_TAKEN, START_WAIT_FOR_BOOT},
    {0, 0, START_REFUSE},
};

enum start_step
start_next(unsigned facts)
{
    size_t i = 0;

    while ((facts & rows[i].yes) != rows[i].yes || (facts & rows[i].no))
        i++;
    return rows[i].step;
}

unsigned start_refusal(enum error_class class)
{
    static const unsigned facts[ERROR_CLASSES] = {
        [ERROR_NEVER] = START_NEVER,
        [ERROR_TAKEN] = START_TAKEN,
        [ERROR_UNDECIDED] = START_UNDECIDED,
    };

    return facts[class];
}

bool
start_is_recorded(enum start_step step)
{
    return step == START_REMOVE_OWN || step == START_REMOVE_OTHERS || step == START_MAKE;
}
