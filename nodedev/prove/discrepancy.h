/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * discrepancy: a prediction about a GPU that failed, with what was seen instead.
 *
 * The same prediction may fail at many steps. It is kept once, with the step at which it failed
 * first, and the number of steps.
 */

#pragma once

#include "base/names.h"

enum discrepancy_kind {
    DISCREPANCY_FEWER,     /* the driver offers fewer vGPUs of a type than are sure to fit */
    DISCREPANCY_MORE,      /* it offers more than can fit */
    DISCREPANCY_APPEARED,  /* it lists a type that it did not list on the empty GPU */
    DISCREPANCY_LATE,      /* its figures were wrong at first, and right later */
    DISCREPANCY_REFUSED,   /* it refuses a vGPU that is sure to fit */
    DISCREPANCY_MAXIMUM,   /* a type's maximum, or its size, is not what the driver has said */
    DISCREPANCY_MEMORY,    /* what is left of one of the GPU's limits */
    DISCREPANCY_FUNCTIONS, /* a virtual function, or what makes one usable, is gone or new */
    DISCREPANCY_VGPU,      /* a vGPU is not where it was made, or not of its type */
    DISCREPANCY_SLOW_MAKE, /* a vGPU takes longer than a start would wait */
    DISCREPANCY_SLOW_REMOVE,
    DISCREPANCY_STAYED, /* a removed vGPU is not gone */
    DISCREPANCY_KINDS,
};

/* "fewer" and so on, for programs. */
extern const char *const discrepancy_words[DISCREPANCY_KINDS];

struct discrepancy {
    enum discrepancy_kind kind;
    char subject[80];   /* a type's name, a function or a limit */
    char predicted[64]; /* a figure with its bounds, "at least 1", or a word */
    char seen[64];
    char text[512]; /* a sentence for people, with both */
    unsigned step;  /* the first step at which the prediction failed, from 1 on */
    unsigned last;  /* the last step */
    unsigned times; /* number of steps */
};

struct discrepancies {
    struct discrepancy *items;
    size_t count;
    unsigned step; /* the present one; the caller counts */
};

/* Adds one at the present step. predicted and seen are the figures; the rest is the sentence. If
 * there is one of that kind and subject, its steps are counted instead. */
void discrepancies_add(struct discrepancies *discrepancies, enum discrepancy_kind kind,
                       const char *subject, const char *predicted, const char *seen,
                       const char *format, ...) FORMAT(6, 7) NONNULL;
/* Adds all of another list, which belong to the present step. */
void
discrepancies_merge(struct discrepancies *discrepancies, const struct discrepancies *added) NONNULL;

/* The first of a list whose kind and subject are not known; NULL: all are. */
const struct discrepancy *
discrepancies_find_new(const struct discrepancies *known, const struct discrepancies *list) NONNULL;
void discrepancies_clear(struct discrepancies *discrepancies) NONNULL;
