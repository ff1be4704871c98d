/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * array: a pointer and a count that grow together.
 *
 *     struct lease *items; size_t count;
 *     rc = ARRAY_ADD(ledger->items, ledger->count, lease);      // 0 or -ENOMEM
 *
 * The capacity is the next power of two, so it needs no field of its own.
 */

#pragma once

#include "base/cleanup.h"

/* Makes room for one more of size bytes; the array or NULL. */
static inline void *
array_grow(void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    return reallocarray(items, count ? 2 * count : 1, size);
}

#define ARRAY_ADD(items, count, item)                                                              \
    ({                                                                                             \
        void *array_room = array_grow((items), (count), sizeof(*(items)));                         \
        int array_rc = -ENOMEM;                                                                    \
        if (array_room) {                                                                          \
            (items) = array_room;                                                                  \
            (items)[(count)++] = (item);                                                           \
            array_rc = 0;                                                                          \
        }                                                                                          \
        array_rc;                                                                                  \
    })

/*
 * The first item for which a condition holds, which may use the name given to it; NULL: there is
 * none. ARRAY_HAS: whether there is one.
 *
 *     return ARRAY_FIND(ledger->leases, ledger->count, lease, lease->claim == claim);
 */
#define ARRAY_FIND(items, count, item, condition)                                                  \
    ({                                                                                             \
        __typeof__((items)[0]) *item = (items), *array_found_##item = NULL;                        \
        for (size_t array_left = (count); array_left && !array_found_##item; array_left--, item++) \
            array_found_##item = (condition) ? item : NULL;                                        \
        array_found_##item;                                                                        \
    })
#define ARRAY_HAS(items, count, item, condition) (ARRAY_FIND(items, count, item, condition) != NULL)

/* Takes one out; the rest keeps its order. */
#define ARRAY_REMOVE(items, count, index)                                                          \
    (memmove((items) + (index), (items) + (index) + 1, ((count) - (index)-1) * sizeof(*(items))),  \
     (count)--)
