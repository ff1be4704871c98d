/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * What the shares tell of a card's memory. The fake driver has three rules, which the
 * figures of real cards prove (real-hosts.md 18 and 19, more-cards.md 8). Whatever the rule is, the
 * card's memory is between the two bounds.
 */

#include "base/array.h"
#include "device/share.h"
#include "fake/fake-parts.h"
#include "fake/unit.h"

#include <string.h>

#define MOST 32 /* functions */

enum rule { FIRST, SECOND, THIRD, THIRD_ADMIN, RULES };

/* The MiB of each of some functions, by the fake driver. */
static unsigned
share_of(enum rule rule, unsigned total, unsigned count)
{
    const struct fake_gpu gpu = {
        .memory = total, .shares = rule < THIRD ? rule + 1 : 3, .admin = rule == THIRD_ADMIN};

    return (unsigned)(fake_xe_share(&gpu, count) >> 20);
}

static struct share_sum
sum_of(unsigned share, unsigned count)
{
    uint64_t shares[MOST];

    for (unsigned i = 0; i < count; i++)
        shares[i] = share;
    return share_sum(shares, count);
}

UNIT_TEST(figures_of_the_driver)
{
    static const struct {
        enum rule rule;
        unsigned total, count, share;
    } rows[] = {
        {FIRST, 14096, 1, 8192},       {FIRST, 14096, 2, 4096},
        {SECOND, 14096, 1, 14096},     {SECOND, 14096, 2, 7048},
        {SECOND, 32504, 4, 8126},      {THIRD, 14096, 1, 4096},
        {THIRD, 14096, 2, 4096},       {THIRD, 14096, 3, 2048},
        {THIRD, 14096, 4, 2048},       {THIRD, 31744, 1, 8192},
        {THIRD, 31744, 2, 8192},       {THIRD, 31744, 3, 4096},
        {THIRD, 31744, 4, 4096},       {THIRD_ADMIN, 14096, 1, 13312},
        {THIRD_ADMIN, 14096, 2, 6656}, {THIRD_ADMIN, 14096, 3, 4436},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(share_of(rows[i].rule, rows[i].total, rows[i].count), rows[i].share);
}

UNIT_TEST(the_memory_is_between_the_bounds)
{
    unsigned told = 0;

    for (unsigned total = 4096; total <= 65536; total += 254) {
        for (unsigned count = 1; count <= MOST; count++) {
            for (enum rule rule = FIRST; rule < RULES; rule++) {
                struct share_sum sum = sum_of(share_of(rule, total, count), count);

                told += sum.most > 0;
                if (sum.most && (sum.least > total || sum.most < total))
                    fail_msg("%u MiB, %u functions, rule %d: %u..%u", total, count, (int)rule,
                             sum.least, sum.most);
            }
        }
    }
    assert_true(told > 1000);
}

/* An equal part tells the memory to some MiB, unless it may be a part of the whole GiB. */
UNIT_TEST(how_much_is_told)
{
    static const struct {
        unsigned share, count, least, most;
    } rows[] = {
        {7048, 2, 14096, 14099},  {4698, 3, 14094, 14099},
        {13312, 1, 13312, 14335}, {6656, 2, 13312, 14335},
        {4436, 3, 13308, 14335},  {8126, 4, 32504, 32511},
        {4096, 2, 0, 0},          {0, 2, 0, 0},
        {7048, 0, 0, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct share_sum sum = sum_of(rows[i].share, rows[i].count);

        assert_int_equal(sum.least, rows[i].least);
        assert_int_equal(sum.most, rows[i].most);
    }
    assert_int_equal(share_sum((uint64_t[]){7048, 7046}, 2).most, 0);
    assert_int_equal(share_sum((uint64_t[]){UINT64_MAX - 1, UINT64_MAX - 1}, 2).most, UINT32_MAX);
}

/* What Intel's own tool gives the functions of a card, which is never the size of its BAR. */
UNIT_TEST(known_cards)
{
    static const struct {
        const char *vendor, *device;
        unsigned plain, ecc;
    } rows[] = {
        {"8086", "e211", 24192, 20504}, {"8086", "e216", 24192, 20504},
        {"8086", "e212", 16128, 14084}, {"8086", "e222", 31744, 26982},
        {"8086", "e223", 28392, 20504}, {"8086", "e20b", 0, 0},
        {"10de", "e212", 0, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct inventory_gpu gpu = {.numa = -1};
        const struct share_known *known;

        snprintf(gpu.vendor, sizeof(gpu.vendor), "%s", rows[i].vendor);
        snprintf(gpu.device, sizeof(gpu.device), "%s", rows[i].device);
        known = share_known(&gpu);
        assert_int_equal(known != NULL, rows[i].plain > 0);
        if (!known)
            continue;
        assert_int_equal(known->plain, rows[i].plain);
        assert_int_equal(known->ecc, rows[i].ecc);
    }
}
