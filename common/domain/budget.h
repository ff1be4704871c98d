/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * budget: what the reading of one document may cost. The cost is counted from the content, and
 * never measured in time.
 *
 * libxml2 compares names with names. It compares the attributes of an element with each other, and
 * each prefix with every namespace that is declared there. Before 2.12 it also compares a new name
 * with many of the names that it has met. So a few megabytes, well within every other limit, can
 * take minutes. The parser counts what it meets, and stops at the first count that is too high.
 * Real guests are far below: one with 500 devices, 512 processors and 100 KiB of metadata uses less
 * than a quarter of every limit.
 */

#pragma once

#include "base/error.h"

#define BUDGET_MOST_LEVELS 256 /* nested elements; libxml2's own limit */

enum budget_item {
    BUDGET_LEVELS, /* the deepest nesting; the others count the whole document */
    BUDGET_ELEMENTS,
    BUDGET_ATTRIBUTES,
    BUDGET_NAMESPACES,  /* declarations, valid or not */
    BUDGET_NAMES,       /* different ones: of elements, attributes, prefixes, namespaces */
    BUDGET_COMPARISONS, /* of two names; estimated from the other counts, for a library without hash
                           tables */
    BUDGET_ITEMS,
};

/* Begins as zeroes. */
struct budget {
    size_t used[BUDGET_ITEMS];
    size_t level;
    size_t in_force[BUDGET_MOST_LEVELS + 2]; /* namespace declarations, by level */
};

/* budget_open counts an element that begins, with so many attributes and namespace declarations.
 * budget_close notes that an element ends. */
void budget_open(struct budget *budget, size_t attributes, size_t namespaces) NONNULL;
void budget_close(struct budget *budget) NONNULL;

/* 0, or -E2BIG: error says which count is too high, how high it is up to this line of the document,
 * and its limit. After a failure nothing more may be opened. */
int budget_check(const struct budget *budget, unsigned line, struct error *error) CHECKED NONNULL;
