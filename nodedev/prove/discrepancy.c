/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "prove/discrepancy.h"
#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const discrepancy_words[DISCREPANCY_KINDS] = {
    [DISCREPANCY_FEWER] = "fewer",
    [DISCREPANCY_MORE] = "more",
    [DISCREPANCY_APPEARED] = "appeared",
    [DISCREPANCY_LATE] = "late",
    [DISCREPANCY_REFUSED] = "refused",
    [DISCREPANCY_MAXIMUM] = "maximum",
    [DISCREPANCY_MEMORY] = "memory",
    [DISCREPANCY_FUNCTIONS] = "functions",
    [DISCREPANCY_VGPU] = "vgpu",
    [DISCREPANCY_SLOW_MAKE] = "slow-make",
    [DISCREPANCY_SLOW_REMOVE] = "slow-remove",
    [DISCREPANCY_STAYED] = "stayed",
};

/* The discrepancy of the same kind and subject. NULL: there is none. */
static struct discrepancy *
find_same(const struct discrepancies *discrepancies, const struct discrepancy *as)
{
    return ARRAY_FIND(discrepancies->items, discrepancies->count, item,
                      item->kind == as->kind && !strcmp(item->subject, as->subject));
}

const struct discrepancy *
discrepancies_find_new(const struct discrepancies *known, const struct discrepancies *list)
{
    return ARRAY_FIND(list->items, list->count, item, !find_same(known, item));
}

/* Adds a discrepancy. If there is one of the same kind and subject, this counts one more step. */
static void
add(struct discrepancies *discrepancies, const struct discrepancy *added)
{
    struct discrepancy *known = find_same(discrepancies, added);

    if (!known) {
        ARRAY_ADD(discrepancies->items, discrepancies->count, *added);
        return;
    }
    known->times += known->last != added->step;
    known->last = added->step;
}

void
discrepancies_add(struct discrepancies *discrepancies, enum discrepancy_kind kind,
                  const char *subject, const char *predicted, const char *seen, const char *format,
                  ...)
{
    struct discrepancy added = {
        .kind = kind, .step = discrepancies->step, .last = discrepancies->step, .times = 1};
    va_list args;

    snprintf(added.subject, sizeof(added.subject), "%s", subject);
    snprintf(added.predicted, sizeof(added.predicted), "%s", predicted);
    snprintf(added.seen, sizeof(added.seen), "%s", seen);
    va_start(args, format);
    vsnprintf(added.text, sizeof(added.text), format, args);
    va_end(args);
    add(discrepancies, &added);
}

void
discrepancies_merge(struct discrepancies *discrepancies, const struct discrepancies *added)
{
    for (size_t i = 0; i < added->count; i++)
        add(discrepancies, &added->items[i]);
}

void
discrepancies_clear(struct discrepancies *discrepancies)
{
    free(discrepancies->items);
    *discrepancies = (struct discrepancies){0};
}
