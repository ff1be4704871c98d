/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * search: one search for a place for each demand. Pure.
 *
 *     search_begin    settles what is there already, and collects the demands that need a place
 *     search_sort     the most constrained first
 *     search_run      tries the candidates of each, depth first
 *
 * All of it happens under the ledger's lock, so the effort is bounded.
 *
 * An example: GPU A has one place, for a T4-1B or a T4-2B. GPU B has one place, for a T4-1B. gpu0
 * of the guest wants a T4-1B: two candidates. gpu1 wants a T4-2B: one candidate. So gpu1 comes
 * first and gets A, and gpu0 gets B. In the other order gpu0 might take A. Then gpu1 would have
 * none, and the search would give A back and try B for gpu0.
 */

#pragma once

#include "placement/candidate.h"

struct search_ban {
    size_t alike; /* the demands that it is for */
    const struct inventory_type *type;
};

struct search {
    const struct placement_problem *problem;
    struct loads loads;
    size_t *order; /* the demands that need a place */
    size_t count;
    size_t *alike; /* per demand in the order: the first demand there with the same terms */
    struct candidate_types *types;    /* per demand that is the first of those alike */
    struct placement_choice *choices; /* per demand; the caller's */
    struct search_ban *bans;
    size_t ban_count;
    size_t effort;  /* if the problem does not count it */
    size_t settled; /* demands that were checked for an existing vGPU */
};

/* 0; or REFUSED with a line in error: the vGPU at the source of the demand `settled` is in its way.
 * The caller clears the search in every case. */
int search_begin(struct search *search, const struct placement_problem *problem,
                 struct placement_choice *choices, struct error *error) CHECKED NONNULL;
void search_clear(struct search *search) NONNULL;

/* All candidates for a demand now, as candidate_list. */
struct candidate *search_list(struct search *search, size_t demand, size_t *count) CHECKED NONNULL;

/* Puts the demands with the fewest candidates first. */
void search_sort(struct search *search) NONNULL;

/* 1: all are placed, and the choices say where; 0: there is no way; -E2BIG: too much effort. */
int search_run(struct search *search) CHECKED NONNULL;

/* Moves the demand at `from` of the order to its place among those before it. counts has a number
 * for each: the lowest comes first, and equal ones stay in their order. */
void search_sort_in(struct search *search, size_t *counts, size_t from) NONNULL;
