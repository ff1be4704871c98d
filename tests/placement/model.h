/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * model: a host and a request in the fewest words, and a placer that is slow and obviously right:
 * it tries all assignments of wishes to places and types.
 *
 * What the project places is compared with it, so it uses nothing of the project but names. A
 * "thing" is a vGPU that is there; a "wish" is a device that the domain asks for.
 */

#pragma once

#include "lease/ledger.h"
#include "placement/demand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define CARDS    4
#define PLACES   4
#define KINDS    6
#define THINGS   32
#define WISHES   4
#define GROUPS   3
#define LIMITS   2
#define REFUSALS 2

/* Types of real boards, some of one size; those of GPU instances (MIG) need one of so many slices;
 * of mtty's units a type uses some; and pools, whose functions are of one type each. */
struct kind {
    const char *board, *id, *name, *word;
    unsigned framebuffer, max, units, slices;
    unsigned ceiling; /* vGPUs of any kinds that the driver makes on a board; 0: as NVIDIA's does */
};
#define KIND_COUNT 33
extern const struct kind model_kinds[KIND_COUNT];

/* A GPU, and what the administrator says of it. */
struct card {
    char name[16];
    char places[PLACES][16]; /* its parents: itself, or functions */
    unsigned place_count;
    bool functions;
    bool vf;     /* they are vGPUs themselves; only of `lent` ones somebody tells a maximum */
    bool xe;     /* they are Intel's: types are numbers that share the memory */
    bool lent;   /* they are members of pools */
    bool untold; /* of `xe`: vgpu.conf does not say how much memory there is */
    size_t kinds[KINDS];
    unsigned kind_count;
    unsigned
        calculated[KINDS];   /* per kind: the maximum, if only sizes tell it; 0: it is not known */
    unsigned member[PLACES]; /* `lent`: of which pool a function is, an index of `kinds` */
    bool partitioned;        /* into GPU instances: then nothing else is made... */
    unsigned instances[KINDS]; /* ...and of each kind as many as there are for it */
    unsigned pool;
    unsigned memory; /* MiB: any sizes go together that have room in it; 0: one size at a time */
    int node;
    bool listed, enabled, blue;
    unsigned reserve;
    unsigned allowed; /* bits of its kinds; 0: all */
};

/* A vGPU that is there, or is being made. */
struct thing {
    size_t card, place, kind;
    bool leased, shown, ci; /* whose guest is called ci-1, not web-1 */
    bool mine;
    bool lost; /* the ledger says that a function is another's, and it has no type */
    enum lease_state state;
};

struct group {
    char name[8];
    size_t kinds[3];
    unsigned kind_count, framebuffer;
};

struct quota {
    size_t group;
    unsigned max;
    const char *pattern;
};

struct wish {
    int group, kind; /* -1: the other one */
    int card, place; /* -1: any */
    int blue;        /* 1: only such, -1: none such */
    enum policy_numa numa;
    enum policy_order order;
    int thing; /* that has its UUID, or is on its function, already; -1: none */
    bool pci;  /* a PCI device: this function, if it is not free to go elsewhere */
    size_t on_card, on_place;
};

/* A way to meet a wish. */
struct option {
    size_t card, place, kind;
};

struct model {
    struct card cards[CARDS];
    size_t card_count;
    struct thing things[THINGS];
    size_t thing_count;
    struct option refused[REFUSALS]; /* by the kernel, in this call; a function refuses all */
    size_t refused_count;
    struct group groups[GROUPS];
    struct quota limits[LIMITS];
    size_t limit_count;
    unsigned configured[KIND_COUNT]; /* max_instances of vgpu.conf; 0: nothing is said */
    struct wish wishes[WISHES];
    size_t wish_count;
    enum demand_freedom freedom; /* of all of them */
    bool exact; /* nothing is tried that no driver offers for sure: what several functions offer
                   counts once */
    int node;   /* that the guest is bound to; -1: none */
    bool ci;    /* it is called ci-9, not web-9 */
};

/* What the driver says of a type in a place, from what is made. */
unsigned model_driver_says(const struct model *model, const struct option *option);

/* Whether there is something in a place that is not to be seen (yet). */
bool model_is_claimed(const struct model *model, size_t card, size_t place);

/* How many vGPUs of any kinds the driver of a card makes on it; 0: any number. */
unsigned model_ceiling(const struct card *card);

/* What a GPU takes of one of its kinds at most, as its driver, the administrator or its sizes tell;
 * 0: nobody does. And whether what is there, or is being made, counts against that. */
unsigned model_maximum(const struct model *model, size_t card, unsigned k);
bool model_counts(const struct model *model, const struct thing *thing, size_t card, size_t kind);

/* Whether a GPU takes `more` of which `alike` are of a type, and then keeps its reserve; what is
 * being made takes some. */
bool model_has_room(const struct model *model, const struct option *option, unsigned more,
                    unsigned alike);

/* Whether a kind is what a wish is for, and whether it is for one function and no other. */
bool model_wants(const struct model *model, const struct wish *wish, size_t kind);
bool model_is_fixed(const struct model *model, const struct wish *wish);

bool model_is_near(const struct model *model, size_t card);

/* Whether a wish may have this by what is said of GPUs, and whether the first `count` wishes may
 * have these together. */
bool model_obeys(const struct model *model, const struct wish *wish, const struct option *option);
bool model_is_legal(const struct model *model, const struct option *options, size_t count);

/* What is on the function that a wish names: nobody's, its own and what is kept are what it gets,
 * others' nobody gets, which is false. */
bool model_settle(struct model *model);

/* Whether there is any way to meet all wishes. */
bool model_find(const struct model *model);

/* Random ones; a part of one at a time. */
void model_make(struct model *model, uint64_t seed);
void model_add_card(struct model *model, uint64_t *seed);
void model_add_maxima(struct model *model, uint64_t *seed);
void model_add_groups(struct model *model, uint64_t *seed);
void model_add_wish(struct model *model, uint64_t *seed);

/* Fills in what follows from sizes, of the host as it is. */
void model_calculate(struct model *model);

/* What is said when they disagree. */
void model_print(const struct model *model);
#define MUST(condition, ...)                                                                       \
    do {                                                                                           \
        if (condition)                                                                             \
            break;                                                                                 \
        model_print(model);                                                                        \
        print_error("SEED=%llu ROUNDS=1: not so: %s; ", (unsigned long long)seed, #condition);     \
        print_error(__VA_ARGS__);                                                                  \
        print_error("\n");                                                                         \
        fail();                                                                                    \
    } while (0)
