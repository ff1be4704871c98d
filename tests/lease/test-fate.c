/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* fate: the fate of a lease for every combination of facts, the words for some fates, and the fate
 * after a removal was tried. */

#include "lease/fate.h"
#include "fake/unit.h"

#include <string.h>

#define ALL_BITS (FACT_UNKNOWN << 1)

/* At most one of these facts is true of the device. */
#define DEVICE (FACT_ABSENT | FACT_TRANSIENT | FACT_RIGHT | FACT_UNSEEN | FACT_UNKNOWN)

/* Rules that hold for all combinations of the other facts. */
static void
check(enum fate_occasion occasion, const struct fate_facts *facts, enum fate fate, const char *why)
{
    bool others = occasion != OCCASION_START && occasion != OCCASION_RELEASE;
    unsigned bits = facts->bits;
    bool touched = fate == FATE_REMOVE || fate == FATE_FORGET || fate == FATE_KEEP;

    if (bits & FACT_CLAIMED && touched)
        fail_msg("what a process is at work on is touched");
    if (occasion != OCCASION_RELEASE && touched && (bits & FACT_UNKNOWN))
        fail_msg("what cannot be told is touched");
    if (touched && (bits & FACT_UNSEEN))
        fail_msg("what nobody has looked at is touched");
    if (others && !(bits & (FACT_OWN | FACT_GUEST_WITHOUT)) && touched && (bits & FACT_UNASKED) &&
        (facts->state == LEASE_HELD || facts->state == LEASE_PENDING))
        fail_msg("what a guest may have is touched");
    if (fate == FATE_REMOVE && !(bits & FACT_MADE))
        fail_msg("what we have not made is removed");
    if (fate == FATE_KEEP &&
        !((bits & FACT_MADE) && (bits & (FACT_RIGHT | FACT_UNKNOWN)) && (bits & FACT_TO_KEEP)))
        fail_msg("a device is kept that is not right, not ours or not to be kept");
    if (fate == FATE_REUSE && (occasion != OCCASION_START || !(bits & FACT_WANTED)))
        fail_msg("a device is reused that nobody wants");
    if (fate == FATE_WAIT && others)
        fail_msg("somebody else's work is waited for");
    if (others && !(bits & FACT_OWN) && fate == FATE_REMOVE && (bits & FACT_ABSENT))
        fail_msg("what is gone is removed");
    if (others && !(bits & FACT_OWN) && touched &&
        (facts->state == LEASE_HELD || facts->state == LEASE_PENDING ||
         facts->state == LEASE_KEPT) &&
        (bits & (FACT_GUEST | FACT_OTHER_GUEST)))
        fail_msg("what a guest has is touched");
    if (others && !(bits & FACT_OWN) && touched && (bits & FACT_DAEMON) && !(bits & FACT_ENDED) &&
        (facts->state == LEASE_PENDING ||
         (facts->state == LEASE_HELD && !(bits & FACT_GUEST_WITHOUT))))
        fail_msg("what a living daemon will give back is touched");
    if (fate == FATE_REMOVED || fate == FATE_RESTORE || fate == FATE_LATER)
        fail_msg("something comes of a removal that nobody has tried");
    assert_non_null(why);
}

/* The table has a row for every combination, and no row breaks a rule. */
UNIT_TEST(every_combination)
{
    for (int occasion = OCCASION_START; occasion <= OCCASION_REAP; occasion++) {
        for (int lease = LEASE_PENDING; lease <= LEASE_RESERVED; lease++) {
            for (unsigned bits = 0; bits < ALL_BITS; bits++) {
                const struct fate_facts facts = {(enum lease_state)lease, bits, "unreadable"};
                const unsigned device = bits & DEVICE;
                const char *why = NULL;
                enum fate fate;

                if (device & (device - 1))
                    continue;
                fate = fate_judge((enum fate_occasion)occasion, &facts, &why);
                check((enum fate_occasion)occasion, &facts, fate, why);
            }
        }
    }
}

UNIT_TEST(in_words)
{
    static const struct {
        enum fate_occasion occasion;
        enum lease_state state;
        unsigned bits;
        enum fate fate;
        const char *why;
    } rows[] = {
        {OCCASION_RECONCILE, LEASE_KEPT, FACT_MADE | FACT_ABSENT, FATE_FORGET,
         "it was kept for its guest's next start, and is gone"},
        {OCCASION_RECONCILE, LEASE_KEPT, FACT_MADE | FACT_RIGHT, FATE_LEAVE,
         "it is kept for its guest's next start"},
        {OCCASION_ROOM, LEASE_KEPT, FACT_MADE | FACT_RIGHT, FATE_REMOVE,
         "it is kept, and its guest does not run"},
        {OCCASION_RELEASE, LEASE_KEPT, FACT_MADE | FACT_RIGHT, FATE_LEAVE,
         "it is kept for its guest's next start"},
        {OCCASION_RELEASE, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_TO_KEEP | FACT_DAEMON,
         FATE_KEEP, "it is kept for its guest's next start"},
        {OCCASION_RELEASE, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_DAEMON, FATE_REMOVE,
         "its guest has ended"},
        {OCCASION_RELEASE, LEASE_PENDING, FACT_MADE | FACT_RIGHT | FACT_TO_KEEP, FATE_REMOVE,
         "its guest has ended"},
        {OCCASION_RELEASE, LEASE_HELD, FACT_RIGHT, FATE_FORGET, "it was not made by us"},
        {OCCASION_RECONCILE, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_DAEMON, FATE_LEAVE,
         "libvirt's daemon runs, and will give it back"},
        {OCCASION_RECONCILE, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_DAEMON | FACT_ENDED,
         FATE_REMOVE, "its guest has ended"},
        {OCCASION_ROOM, LEASE_PENDING, FACT_MADE | FACT_RIGHT | FACT_DAEMON | FACT_ENDED,
         FATE_REMOVE, "its guest has ended"},
        {OCCASION_REAP, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_DAEMON | FACT_ENDED | FACT_GUEST,
         FATE_LEAVE, "its guest runs"},
        {OCCASION_RECONCILE, LEASE_HELD,
         FACT_MADE | FACT_RIGHT | FACT_TO_KEEP | FACT_DAEMON | FACT_ENDED, FATE_KEEP,
         "its guest has ended"},
        {OCCASION_RECONCILE, LEASE_HELD, FACT_MADE | FACT_UNSEEN, FATE_LEAVE,
         "somebody has just changed it"},
        {OCCASION_START, LEASE_KEPT, FACT_MADE | FACT_UNKNOWN | FACT_NAMED, FATE_WAIT,
         "its card's driver does not answer"},
        {OCCASION_RELEASE, LEASE_HELD, FACT_MADE | FACT_TO_KEEP | FACT_UNKNOWN, FATE_KEEP,
         "it is kept for its guest's next start"},
        {OCCASION_START, LEASE_HELD, FACT_MADE | FACT_UNSEEN, FATE_WAIT,
         "somebody has just changed it"},
        {OCCASION_RECONCILE, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_UNASKED, FATE_LEAVE,
         "its daemon has just ended"},
        {OCCASION_RECONCILE, LEASE_HELD, FACT_MADE | FACT_RIGHT, FATE_REMOVE,
         "its guest is gone, and the daemon that ran it"},
        {OCCASION_RECONCILE, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_TO_KEEP, FATE_KEEP,
         "its guest is gone, and the daemon that ran it"},
        {OCCASION_ROOM, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_TO_KEEP, FATE_REMOVE,
         "its guest is gone, and the daemon that ran it"},
        {OCCASION_RECONCILE, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_UNREADABLE, FATE_LEAVE,
         "unreadable"},
        {OCCASION_RECONCILE, LEASE_PENDING, FACT_MADE | FACT_RIGHT | FACT_UNREADABLE, FATE_LEAVE,
         "unreadable"},
        {OCCASION_RECONCILE, LEASE_PENDING, FACT_MADE | FACT_RIGHT, FATE_REMOVE,
         "what made it was broken off"},
        {OCCASION_RECONCILE, LEASE_RESERVED, FACT_MADE | FACT_ABSENT, FATE_LEAVE,
         "it is reserved for a guest that is to come"},
        {OCCASION_RECONCILE, LEASE_RESERVED, FACT_MADE | FACT_ABSENT | FACT_LATE, FATE_FORGET,
         "it was reserved for a guest that has not come"},
        {OCCASION_START, LEASE_HELD, FACT_MADE | FACT_RIGHT | FACT_NAMED | FACT_WANTED, FATE_REUSE,
         "it is as its guest wants it"},
        {OCCASION_START, LEASE_REMOVING, FACT_MADE | FACT_TRANSIENT | FACT_NAMED, FATE_WAIT,
         "the kernel is removing it"},
        {OCCASION_START, LEASE_REMOVING, FACT_MADE | FACT_ABSENT | FACT_LISTED, FATE_WAIT,
         "it is just going"},
        {OCCASION_START, LEASE_RESERVED, FACT_MADE | FACT_ABSENT, FATE_FORGET, "it is gone"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct fate_facts facts = {rows[i].state, rows[i].bits, "unreadable"};
        const char *why;

        assert_int_equal(fate_judge(rows[i].occasion, &facts, &why), rows[i].fate);
        assert_string_equal(why, rows[i].why);
    }
}

#define ON(occasion)   (1u << (occasion))
#define IN(state)      (1u << (state))
#define EVERY          (ON(OCCASION_REAP + 1) - 1)
#define ANY            (IN(LEASE_RESERVED + 1) - 1)
#define WANTS_IT       (ON(OCCASION_ROOM) | ON(OCCASION_REAP))
#define OWED_BY_NOBODY (IN(LEASE_KEPT) | IN(LEASE_LEAVING) | IN(LEASE_REMOVING))
#define IN_USE         (IN(LEASE_HELD) | IN(LEASE_PENDING))

/* The kernel's answers to a removal, for each occasion and each former state. */
UNIT_TEST(after_a_removal)
{
    static const struct {
        const char *answer;
        unsigned bits, occasions, states;
        enum fate fate, otherwise; /* in these occasions and states; otherwise: in all others */
    } rows[] = {
        {"removed", FACT_WRITTEN | FACT_ABSENT, EVERY, ANY, FATE_REMOVED, FATE_REMOVED},
        {"gone before", FACT_ABSENT, EVERY, ANY, FATE_REMOVED, FATE_REMOVED},
        {"in use, refused, or no time", FACT_RIGHT, WANTS_IT, OWED_BY_NOBODY | IN_USE, FATE_RESTORE,
         FATE_LATER},
        {"the same, and its daemon lives", FACT_RIGHT | FACT_DAEMON, WANTS_IT, OWED_BY_NOBODY,
         FATE_RESTORE, FATE_LATER},
        {"written, and still there", FACT_WRITTEN | FACT_RIGHT, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"half removed", FACT_WRITTEN | FACT_TRANSIENT, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"going by another hand", FACT_TRANSIENT, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"of another type", 0, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"its card does not answer", FACT_UNKNOWN, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"a writer is at it", FACT_SILENT | FACT_WRITTEN | FACT_RIGHT, EVERY, ANY, FATE_LEAVE,
         FATE_LEAVE},
        {"a writer is at it, and nothing is there", FACT_SILENT | FACT_ABSENT, EVERY, ANY,
         FATE_LEAVE, FATE_LEAVE},
        {"somebody else's now", FACT_LOST | FACT_RIGHT, EVERY, ANY, FATE_LEAVE, FATE_LEAVE},
        {"somebody else's, and gone", FACT_LOST | FACT_ABSENT, EVERY, ANY, FATE_LEAVE, FATE_LEAVE},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int occasion = OCCASION_START; occasion <= OCCASION_REAP; occasion++) {
            for (int lease = LEASE_PENDING; lease <= LEASE_RESERVED; lease++) {
                bool here = rows[i].occasions & ON(occasion) && rows[i].states & IN(lease);
                const struct fate_facts facts = {(enum lease_state)lease, FACT_TRIED | rows[i].bits,
                                                 ""};
                const char *why;

                if (fate_judge((enum fate_occasion)occasion, &facts, &why) !=
                    (here ? rows[i].fate : rows[i].otherwise))
                    fail_msg("%s: occasion %d, state %d", rows[i].answer, occasion, lease);
                assert_non_null(why);
            }
        }
    }
}
