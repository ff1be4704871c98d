/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* fate: the fate of a lease for every combination of facts, the words for some fates, and the fate
 * after a removal was tried. */

#include "lease/fate.h"
#include "fake/unit.h"

#include <string.h>

#define ALL_BITS (FATE_UNKNOWN << 1)

/* At most one of these facts is true of the device. */
#define DEVICE (FATE_ABSENT | FATE_TRANSIENT | FATE_RIGHT | FATE_UNSEEN | FATE_UNKNOWN)

/* Rules that hold for all combinations of the other facts. */
static void
check(enum fate_occasion occasion, const struct fate_facts *facts, enum fate fate, const char *why)
{
    bool others = occasion != FATE_START && occasion != FATE_RELEASE;
    unsigned bits = facts->bits;
    bool touched = fate == FATE_REMOVE || fate == FATE_FORGET || fate == FATE_KEEP;

    if (bits & FATE_CLAIMED && touched)
        fail_msg("what a process is at work on is touched");
    if (occasion != FATE_RELEASE && touched && (bits & FATE_UNKNOWN))
        fail_msg("what cannot be told is touched");
    if (touched && (bits & FATE_UNSEEN))
        fail_msg("what nobody has looked at is touched");
    if (others && !(bits & (FATE_OWN | FATE_GUEST_WITHOUT)) && touched && (bits & FATE_UNASKED) &&
        (facts->state == LEASE_HELD || facts->state == LEASE_PENDING))
        fail_msg("what a guest may have is touched");
    if (fate == FATE_REMOVE && !(bits & FATE_MADE))
        fail_msg("what we have not made is removed");
    if (fate == FATE_KEEP &&
        !((bits & FATE_MADE) && (bits & (FATE_RIGHT | FATE_UNKNOWN)) && (bits & FATE_TO_KEEP)))
        fail_msg("a device is kept that is not right, not ours or not to be kept");
    if (fate == FATE_REUSE && (occasion != FATE_START || !(bits & FATE_WANTED)))
        fail_msg("a device is reused that nobody wants");
    if (fate == FATE_WAIT && others)
        fail_msg("somebody else's work is waited for");
    if (others && !(bits & FATE_OWN) && fate == FATE_REMOVE && (bits & FATE_ABSENT))
        fail_msg("what is gone is removed");
    if (others && !(bits & FATE_OWN) && touched &&
        (facts->state == LEASE_HELD || facts->state == LEASE_PENDING) &&
        (bits & (FATE_GUEST | FATE_OTHER_GUEST)))
        fail_msg("what a guest has is touched");
    if (others && !(bits & FATE_OWN) && touched && (bits & FATE_DAEMON) && !(bits & FATE_ENDED) &&
        (facts->state == LEASE_PENDING ||
         (facts->state == LEASE_HELD && !(bits & FATE_GUEST_WITHOUT))))
        fail_msg("what a living daemon will give back is touched");
    if (fate == FATE_REMOVED || fate == FATE_RESTORE || fate == FATE_LATER)
        fail_msg("something comes of a removal that nobody has tried");
    assert_non_null(why);
}

/* The table has a row for every combination, and no row breaks a rule. */
static void
every_combination(void **state)
{
    for (int occasion = FATE_START; occasion <= FATE_REAP; occasion++) {
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

static void
in_words(void **state)
{
    static const struct {
        enum fate_occasion occasion;
        enum lease_state state;
        unsigned bits;
        enum fate fate;
        const char *why;
    } rows[] = {
        {FATE_RECONCILE, LEASE_KEPT, FATE_MADE | FATE_ABSENT, FATE_FORGET,
         "it was kept for its guest's next start, and is gone"},
        {FATE_RECONCILE, LEASE_KEPT, FATE_MADE | FATE_RIGHT, FATE_LEAVE,
         "it is kept for its guest's next start"},
        {FATE_ROOM, LEASE_KEPT, FATE_MADE | FATE_RIGHT, FATE_REMOVE,
         "it is kept, and its guest does not run"},
        {FATE_RELEASE, LEASE_KEPT, FATE_MADE | FATE_RIGHT, FATE_LEAVE,
         "it is kept for its guest's next start"},
        {FATE_RELEASE, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_TO_KEEP | FATE_DAEMON, FATE_KEEP,
         "it is kept for its guest's next start"},
        {FATE_RELEASE, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_DAEMON, FATE_REMOVE,
         "its guest has ended"},
        {FATE_RELEASE, LEASE_PENDING, FATE_MADE | FATE_RIGHT | FATE_TO_KEEP, FATE_REMOVE,
         "its guest has ended"},
        {FATE_RELEASE, LEASE_HELD, FATE_RIGHT, FATE_FORGET, "it was not made by us"},
        {FATE_RECONCILE, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_DAEMON, FATE_LEAVE,
         "libvirt's daemon runs, and will give it back"},
        {FATE_RECONCILE, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_DAEMON | FATE_ENDED, FATE_REMOVE,
         "its guest has ended"},
        {FATE_ROOM, LEASE_PENDING, FATE_MADE | FATE_RIGHT | FATE_DAEMON | FATE_ENDED, FATE_REMOVE,
         "its guest has ended"},
        {FATE_REAP, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_DAEMON | FATE_ENDED | FATE_GUEST,
         FATE_LEAVE, "its guest runs"},
        {FATE_RECONCILE, LEASE_HELD,
         FATE_MADE | FATE_RIGHT | FATE_TO_KEEP | FATE_DAEMON | FATE_ENDED, FATE_KEEP,
         "its guest has ended"},
        {FATE_RECONCILE, LEASE_HELD, FATE_MADE | FATE_UNSEEN, FATE_LEAVE,
         "somebody has just changed it"},
        {FATE_START, LEASE_KEPT, FATE_MADE | FATE_UNKNOWN | FATE_NAMED, FATE_WAIT,
         "its card's driver does not answer"},
        {FATE_RELEASE, LEASE_HELD, FATE_MADE | FATE_TO_KEEP | FATE_UNKNOWN, FATE_KEEP,
         "it is kept for its guest's next start"},
        {FATE_START, LEASE_HELD, FATE_MADE | FATE_UNSEEN, FATE_WAIT,
         "somebody has just changed it"},
        {FATE_RECONCILE, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_UNASKED, FATE_LEAVE,
         "its daemon has just ended"},
        {FATE_RECONCILE, LEASE_HELD, FATE_MADE | FATE_RIGHT, FATE_REMOVE,
         "its guest is gone, and the daemon that ran it"},
        {FATE_RECONCILE, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_TO_KEEP, FATE_KEEP,
         "its guest is gone, and the daemon that ran it"},
        {FATE_ROOM, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_TO_KEEP, FATE_REMOVE,
         "its guest is gone, and the daemon that ran it"},
        {FATE_RECONCILE, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_UNREADABLE, FATE_LEAVE,
         "unreadable"},
        {FATE_RECONCILE, LEASE_PENDING, FATE_MADE | FATE_RIGHT | FATE_UNREADABLE, FATE_LEAVE,
         "unreadable"},
        {FATE_RECONCILE, LEASE_PENDING, FATE_MADE | FATE_RIGHT, FATE_REMOVE,
         "what made it was broken off"},
        {FATE_RECONCILE, LEASE_RESERVED, FATE_MADE | FATE_ABSENT, FATE_LEAVE,
         "it is promised to a guest that arrives"},
        {FATE_RECONCILE, LEASE_RESERVED, FATE_MADE | FATE_ABSENT | FATE_LATE, FATE_FORGET,
         "it was promised to a guest that has not arrived"},
        {FATE_START, LEASE_HELD, FATE_MADE | FATE_RIGHT | FATE_NAMED | FATE_WANTED, FATE_REUSE,
         "it is as its guest wants it"},
        {FATE_START, LEASE_REMOVING, FATE_MADE | FATE_TRANSIENT | FATE_NAMED, FATE_WAIT,
         "the kernel is removing it"},
        {FATE_START, LEASE_REMOVING, FATE_MADE | FATE_ABSENT | FATE_LISTED, FATE_WAIT,
         "it is just going"},
        {FATE_START, LEASE_RESERVED, FATE_MADE | FATE_ABSENT, FATE_FORGET, "it is gone"},
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
#define EVERY          (ON(FATE_REAP + 1) - 1)
#define ANY            (IN(LEASE_RESERVED + 1) - 1)
#define WANTS_IT       (ON(FATE_ROOM) | ON(FATE_REAP))
#define OWED_BY_NOBODY (IN(LEASE_KEPT) | IN(LEASE_LEAVING) | IN(LEASE_REMOVING))
#define IN_USE         (IN(LEASE_HELD) | IN(LEASE_PENDING))

/* The kernel's answers to a removal, for each occasion and each former state. */
static void
after_a_removal(void **state)
{
    static const struct {
        const char *answer;
        unsigned bits, occasions, states;
        enum fate fate, otherwise; /* in these occasions and states; otherwise: in all others */
    } rows[] = {
        {"removed", FATE_WRITTEN | FATE_ABSENT, EVERY, ANY, FATE_REMOVED, FATE_REMOVED},
        {"gone before", FATE_ABSENT, EVERY, ANY, FATE_REMOVED, FATE_REMOVED},
        {"in use, refused, or no time", FATE_RIGHT, WANTS_IT, OWED_BY_NOBODY | IN_USE, FATE_RESTORE,
         FATE_LATER},
        {"the same, and its daemon lives", FATE_RIGHT | FATE_DAEMON, WANTS_IT, OWED_BY_NOBODY,
         FATE_RESTORE, FATE_LATER},
        {"written, and still there", FATE_WRITTEN | FATE_RIGHT, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"half removed", FATE_WRITTEN | FATE_TRANSIENT, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"going by another hand", FATE_TRANSIENT, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"of another type", 0, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"its card does not answer", FATE_UNKNOWN, EVERY, ANY, FATE_LATER, FATE_LATER},
        {"a writer is at it", FATE_SILENT | FATE_WRITTEN | FATE_RIGHT, EVERY, ANY, FATE_LEAVE,
         FATE_LEAVE},
        {"a writer is at it, and nothing is there", FATE_SILENT | FATE_ABSENT, EVERY, ANY,
         FATE_LEAVE, FATE_LEAVE},
        {"somebody else's now", FATE_LOST | FATE_RIGHT, EVERY, ANY, FATE_LEAVE, FATE_LEAVE},
        {"somebody else's, and gone", FATE_LOST | FATE_ABSENT, EVERY, ANY, FATE_LEAVE, FATE_LEAVE},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int occasion = FATE_START; occasion <= FATE_REAP; occasion++) {
            for (int lease = LEASE_PENDING; lease <= LEASE_RESERVED; lease++) {
                bool here = rows[i].occasions & ON(occasion) && rows[i].states & IN(lease);
                const struct fate_facts facts = {(enum lease_state)lease, FATE_TRIED | rows[i].bits,
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

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination),
        cmocka_unit_test(in_words),
        cmocka_unit_test(after_a_removal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
