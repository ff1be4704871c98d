/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * discrepancy: a prediction about a GPU that failed, and the figure that was seen instead. Pure.
 *
 * The prediction is a load (placement/gpu-load.h). It is the GPU as it was seen earlier, with the
 * vGPUs that were made since, and without those that were removed. gpu-room.h says how many more
 * vGPUs of each type fit on it, with two bounds. The driver's new figure must lie within these
 * bounds, for each type on each parent. If the driver tells a limit (memory), the rest of it must
 * be the predicted rest. Types must keep their sizes and maxima, and the parents must be the same.
 *
 * The program believes that a GPU takes one size at a time, until two sizes were seen beside each
 * other. If a GPU turns out to take several sizes, more room than predicted is no discrepancy.
 *
 * The same prediction may fail at many steps. It is kept once, with its first step and the number
 * of steps.
 */

#pragma once

#include "placement/gpu-room.h"

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

/* Compares a prediction with an inventory that was read later, and adds what differs. The sentences
 * need situation, which says what is on the GPU: "with 3 T4-1B on it". */
void discrepancies_find(const struct gpu_load *predicted, const struct inventory *seen,
                        const char *situation, struct discrepancies *ret) NONNULL;

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

/* Bounds as text: "7", "at least 1", "at most 7", "1 to 7", "any number". */
struct discrepancy_text {
    char text[64];
};
struct discrepancy_text discrepancy_bounds(const struct bounds *bounds) NONNULL;
