/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * discrepancy: a prediction about a GPU that failed, and the figure that was seen instead.
 *
 * The same prediction may fail at many steps. It is kept once, with its first step and the number
 * of steps.
 */

#pragma once

#include "base/names.h"

enum discrepancy_kind {
    DISCREPANCY_FEWER,     /* the driver offers fewer vGPUs of a type than must fit */
    DISCREPANCY_MORE,      /* it offers more than can fit */
    DISCREPANCY_APPEARED,  /* it lists a type that it did not list on the empty GPU */
    DISCREPANCY_LATE,      /* its figures were wrong at first, and right later */
    DISCREPANCY_REFUSED,   /* it refuses a vGPU that must fit */
    DISCREPANCY_MAXIMUM,   /* a type's maximum, or its size, differs from the driver's figure */
    DISCREPANCY_MEMORY,    /* another amount is left of one of the GPU's limits */
    DISCREPANCY_FUNCTIONS, /* a virtual function is gone or new, or a fact about one has changed */
    DISCREPANCY_VGPU,      /* a vGPU is not where it was made, or not of its type */
    DISCREPANCY_SLOW_MAKE, /* a vGPU takes longer than a start would wait */
    DISCREPANCY_SLOW_REMOVE,
    DISCREPANCY_STAYED, /* a removed vGPU is not gone */
    DISCREPANCY_KINDS,
};

/* The names of the kinds for programs: "fewer" and so on. */
extern const char *const discrepancy_words[DISCREPANCY_KINDS];

struct discrepancy {
    enum discrepancy_kind kind;
    char subject[80];   /* a type's name, a function or a limit */
    char predicted[64]; /* a figure, bounds such as "at least 1", or a word */
    char seen[64];
    char text[512]; /* a sentence for people, with both figures */
    unsigned step;  /* the first step at which the prediction failed, from 1 on */
    unsigned last;  /* the last step */
    unsigned times; /* the number of steps at which the prediction failed */
};

struct discrepancies {
    struct discrepancy *items;
    size_t count;
    unsigned step; /* the present step, which the caller counts */
};

/* Adds a discrepancy at the present step. predicted and seen are the figures. The rest is the
 * sentence. If there is one of the same kind and subject, this counts one more step of it. */
void discrepancies_add(struct discrepancies *discrepancies, enum discrepancy_kind kind,
                       const char *subject, const char *predicted, const char *seen,
                       const char *format, ...) FORMAT(6, 7) NONNULL;
/* Adds all discrepancies of another list. They belong to the present step. */
void
discrepancies_merge(struct discrepancies *discrepancies, const struct discrepancies *added) NONNULL;

/* The first discrepancy of a list whose kind and subject are not in the known list. NULL: all are
 * known. */
const struct discrepancy *
discrepancies_find_new(const struct discrepancies *known, const struct discrepancies *list) NONNULL;
void discrepancies_clear(struct discrepancies *discrepancies) NONNULL;
