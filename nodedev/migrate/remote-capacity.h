/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vacancy: whether another host has room for the vGPUs of one domain, as far as libvirt tells.
 *
 * A GPU without virtual functions says truly how many more of one type it takes. What it takes of
 * several types, or by virtual functions, is not told; and a full one may still make room, as the
 * hook there removes vGPUs of its own that no guest has. So "no" is said only where all of that is
 * out of the question.
 */

#pragma once

#include "libvirt/remote.h"

/* The greater, the worse. */
enum vacancy_answer { VACANCY_YES, VACANCY_UNKNOWN, VACANCY_NO };

struct vacancy_place; /* what is taken of a GPU */

struct vacancy {
    const struct remote_host *host; /* borrowed; it answered */
    struct vacancy_place *places;   /* per GPU */
    bool has_chosen;                /* between types: another choice might have left more room */
};

/* 0 or -ENOMEM. */
int vacancy_start(struct vacancy *vacancy, const struct remote_host *host) CHECKED NONNULL;
void vacancy_end(struct vacancy *vacancy) NONNULL;

/* Takes a place for one vGPU of any type that the filter wants, if there is one for sure. Writes
 * why into text. */
enum vacancy_answer vacancy_take(struct vacancy *vacancy, const struct inventory_filter *filter,
                                 char *text, size_t size) CHECKED NONNULL;
