/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * model: a host and a request in a short form, and a slow placement that is obviously right. It
 * tries all assignments of wishes to places and types.
 *
 * The tests compare the project's placement with it. So it uses nothing of the project except
 * names. A "thing" is a vGPU of the host. A "wish" is a device for which the domain asks.
 */

#pragma once

#include "lease/ledger.h"
#include "placement/demand.h"
#include "fake/unit.h"

#define CARDS    4
#define PLACES   4
#define KINDS    6
#define THINGS   32
#define WISHES   4
#define GROUPS   3
#define LIMITS   2
#define REFUSALS 2

/* Types of real boards. Some have the same size. A type of GPU instances (MIG) needs an instance
 * with this many slices. A type of mtty uses this many of its units. For pools, each function has
 * one type. */
struct kind {
    const char *board, *id, *name, *word;
    unsigned framebuffer, max, units, slices;
    unsigned ceiling; /* the most vGPUs of any kinds that the driver makes on a board; 0: as
                         NVIDIA's driver */
};
#define KIND_COUNT 33
extern const struct kind model_kinds[KIND_COUNT];

/* A GPU, and the administrator's settings for it. */
struct card {
    char name[16];
    char places[PLACES][16]; /* the parents of the GPU: itself, or its functions */
    unsigned place_count;
    bool functions;
    bool vf;     /* functions are vGPUs themselves; only of `lent` ones somebody tells a maximum */
    bool xe;     /* the functions are Intel's: types are numbers that share the memory */
    bool lent;   /* the functions are members of pools */
    bool untold; /* with `xe`: vgpu.conf does not say how much memory the card has */
    size_t kinds[KINDS];
    unsigned kind_count;
    unsigned
        calculated[KINDS];     /* for each kind the maximum that follows from sizes; 0: not known */
    unsigned member[PLACES];   /* with `lent`: the pool of each function, an index into `kinds` */
    bool partitioned;          /* into GPU instances: only types of instances can be made... */
    unsigned instances[KINDS]; /* ...and of each kind as many as there are instances */
    unsigned pool;
    unsigned memory; /* MiB that vGPUs of all sizes share; 0: the card takes one size at a time */
    int node;
    bool listed, enabled, blue;
    unsigned reserve;
    unsigned allowed; /* a bit for each of its kinds; 0: all kinds are allowed */
};

/* A vGPU that exists, or is being made. */
struct thing {
    size_t card, place, kind;
    bool leased, shown, ci; /* ci: the guest is called ci-1, not web-1 */
    bool mine;
    bool lost; /* by the ledger the function belongs to another guest, but it has no type */
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
    int group, kind; /* one of the two is -1; the other says what is wanted */
    int card, place; /* -1: any */
    int blue;        /* 1: only blue cards; -1: no blue card; 0: any card */
    enum choice_numa numa;
    enum choice_order order;
    int thing; /* the thing that has the wish's UUID, or that is on its function; -1: none */
    bool pci;  /* a PCI device; it must have this function, unless it may go elsewhere */
    size_t on_card, on_place;
};

/* A way to meet a wish: a place and a kind. */
struct option {
    size_t card, place, kind;
};

struct model {
    struct card cards[CARDS];
    size_t card_count;
    struct thing things[THINGS];
    size_t thing_count;
    struct option
        refused[REFUSALS]; /* refused by the kernel, in this call; a function refuses all kinds */
    size_t refused_count;
    struct group groups[GROUPS];
    struct quota limits[LIMITS];
    size_t limit_count;
    unsigned configured[KIND_COUNT]; /* max_instances of vgpu.conf; 0: not set */
    struct wish wishes[WISHES];
    size_t wish_count;
    enum demand_freedom freedom; /* of all wishes */
    bool exact; /* only places that a driver offers for sure are tried; a place that several
                   functions offer counts once */
    int node;   /* the NUMA node to which the guest is bound; -1: none */
    bool ci;    /* the guest is called ci-9, not web-9 */
};

/* What the driver says of a type in a place. Only vGPUs that are made count. */
unsigned model_driver_says(const struct model *model, const struct option *option);

/* Has a place a vGPU that is not visible, or not visible yet? */
bool model_is_claimed(const struct model *model, size_t card, size_t place);

/* How many vGPUs the driver of a card makes at most, whatever their kinds are. 0: any number. */
unsigned model_ceiling(const struct card *card);

/* The first function: how many vGPUs of one of its kinds a GPU takes at most, as its driver, the
 * administrator or its sizes tell. 0: nobody tells. The second: does a thing, made or being made,
 * count against this number? */
unsigned model_maximum(const struct model *model, size_t card, unsigned k);
bool model_counts(const struct model *model, const struct thing *thing, size_t card, size_t kind);

/* Does a GPU take `more` vGPUs, `alike` of them of this type, and still keep its reserve? vGPUs
 * that are being made take room as well. */
bool model_has_room(const struct model *model, const struct option *option, unsigned more,
                    unsigned alike);

/* The first function: may the wish have this kind? The second: must the wish have one function, and
 * no other? */
bool model_wants(const struct model *model, const struct wish *wish, size_t kind);
bool model_is_fixed(const struct model *model, const struct wish *wish);

/* Does NVIDIA allow both kinds in one guest? They must have the same board and series. Other
 * vendors allow all. */
bool model_may_combine(size_t kind, size_t other);

bool model_is_near(const struct model *model, size_t card);

/* The first function: may the wish have this option, by the rules for GPUs? The second: may the
 * first `count` wishes have these options together? */
bool model_obeys(const struct model *model, const struct wish *wish, const struct option *option);
bool model_is_legal(const struct model *model, const struct option *options, size_t count);

/* Settles the things on the functions that wishes name. A wish gets its function's thing if the
 * thing belongs to nobody or to the guest itself, or is kept. False: another guest has the thing.
 * So the wish cannot be met. */
bool model_settle(struct model *model);

/* Is there any way to meet all wishes? */
bool model_find(const struct model *model);

/* These make a random model, or add one random part to it. */
void model_make(struct model *model, uint64_t seed);
void model_add_card(struct model *model, uint64_t *seed);
void model_add_maxima(struct model *model, uint64_t *seed);
void model_add_groups(struct model *model, uint64_t *seed);
void model_add_wish(struct model *model, uint64_t *seed);

/* Sets the maxima that follow from sizes, for the host in its present state. */
void model_calculate(struct model *model);

/* Prints the model. It is called when the model and the project disagree. */
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
