/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * budget: what the reading of one document may cost, counted in what is in it and never in time.
 *
 * The XML library compares names with names: the attributes of an element with each other, each
 * prefix with every namespace that is declared where it stands, and, in a library before 2.12, a
 * new name with a good part of all that it has met. So a few megabytes, well within every other
 * limit, can take minutes. The parser tells what it meets, and stops at the first that is too much.
 * What guests really have is far below: one with 500 devices, 512 processors and 100 KiB of
 * metadata uses less than a quarter of anything here.
 */

#pragma once

#include "base/error.h"

#define BUDGET_MOST_LEVELS 256 /* of elements in elements; libxml2's own limit */

enum budget_item {
    BUDGET_LEVELS, /* the most at any place; the others are of the whole document */
    BUDGET_ELEMENTS,
    BUDGET_ATTRIBUTES,
    BUDGET_NAMESPACES,  /* declarations, good or bad */
    BUDGET_NAMES,       /* different ones: of elements, attributes, prefixes, namespaces */
    BUDGET_COMPARISONS, /* of a name with another, estimated from the others, as a library does that
                           has no hash tables */
    BUDGET_ITEMS,
};

/* All zeroes to begin with. */
struct budget {
    size_t used[BUDGET_ITEMS];
    size_t level;
    size_t in_force[BUDGET_MOST_LEVELS + 2]; /* namespace declarations, by level */
};

/* An element begins, with so many attributes and namespace declarations; and ends. */
void budget_open(struct budget *budget, size_t attributes, size_t namespaces) NONNULL;
void budget_close(struct budget *budget) NONNULL;

/* 0; or -E2BIG with a line that says what, how many there are up to this line of the document, and
 * how many there may be. Once it has failed nothing more may be opened. */
int budget_check(const struct budget *budget, unsigned line, struct error *error) CHECKED NONNULL;
