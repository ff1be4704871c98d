/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * array: a pointer and a count that grow together.
 *
 *     struct lease *items; size_t count;
 *     ARRAY_ADD(ledger->items, ledger->count, lease);
 *
 * The array has room for the next power of two of its count, so no field keeps the capacity. Only
 * ARRAY_ADD, ARRAY_TRY_ADD and ARRAY_REMOVE may change the count.
 */

#pragma once

#include "base/memory.h"

/* Makes room for one more item of `size` bytes. Returns the array, which may have moved. */
static inline void *
array_grow(void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    return memory_resized(items, count ? 2 * count : 1, size);
}

/* The same, but NULL without memory: then the array is where it was. */
static inline void *
array_try_to_grow(void *items, size_t count, size_t size)
{
    if (count & (count - 1))
        return items;
    return reallocarray(items, count ? 2 * count : 1, size);
}

#define ARRAY_ADD(items, count, item)                                                              \
    do {                                                                                           \
        (items) = array_grow((items), (count), sizeof(*(items)));                                  \
        (items)[(count)++] = (item);                                                               \
    } while (0)

/* For the exceptions that memory.h names: 0 or -ENOMEM. */
#define ARRAY_TRY_ADD(items, count, item)                                                          \
    ({                                                                                             \
        void *array_room = array_try_to_grow((items), (count), sizeof(*(items)));                  \
        int array_rc = -ENOMEM;                                                                    \
        if (array_room) {                                                                          \
            (items) = array_room;                                                                  \
            (items)[(count)++] = (item);                                                           \
            array_rc = 0;                                                                          \
        }                                                                                          \
        array_rc;                                                                                  \
    })

/*
 * The first item for which a condition holds; NULL: there is none. The condition may use the name
 * that is given to the item. ARRAY_HAS: whether there is one.
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

/* Takes one item out. The others keep their order. No memory is given back. */
#define ARRAY_REMOVE(items, count, index)                                                          \
    (memmove((items) + (index), (items) + (index) + 1, ((count) - (index)-1) * sizeof(*(items))),  \
     (count)--)
