/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * policy: the configuration, parsed and checked. See vgpu.conf(5).
 *
 * vgpu.conf is read first, then conf.d/ *.conf in the order of their names. A missing file is like
 * an empty one. A later scalar replaces an earlier one, lists are joined, groups are merged by key.
 * Loading finds all faults, as "file:line: message", so a policy that was loaded has none.
 *
 * A type is named as people write it: its id, its name, or the last word of its name
 * (type_name_matches).
 */

#pragma once

#include "base/attributes.h"
#include "base/host.h"
#include "base/words.h"
#include "policy/setting-each.h"

enum policy_release { POLICY_REAP, POLICY_KEEP };
enum policy_migrate_uuid { POLICY_KEEP_UUID, POLICY_NEW_UUID };

/* How 'vgpuctl evacuate' may move a running guest; each is a bit in policy.evacuate. */
enum policy_evacuate {
    POLICY_EVACUATE_HERE, /* to another GPU of this host: the guest is saved and restored */
    POLICY_EVACUATE_LIVE, /* to another host */
};
extern const char *const policy_evacuate_words[]; /* by these; NULL ends them */

enum policy_scheduler {
    POLICY_SCHEDULER_UNSAID,
    POLICY_SCHEDULER_BEST_EFFORT,
    POLICY_SCHEDULER_EQUAL_SHARE,
    POLICY_SCHEDULER_FIXED_SHARE,
};
extern const char *const policy_scheduler_words[]; /* by these; the first is "", NULL ends them */

#define POLICY_MOST_INSTANCES SETTING_MOST_EACH /* of one GPU; NVIDIA's have 7 */

enum policy_sizes { POLICY_SIZES_UNSAID, POLICY_SIZES_EQUAL, POLICY_SIZES_MIXED };
extern const char *const policy_sizes_words[]; /* the same */

enum policy_slicing { POLICY_SLICING_UNSAID, POLICY_SLICING_OFF, POLICY_SLICING_ON };

/* How 'vgpuctl setup' makes a card. A part that is not said is left as it is. */
struct policy_setup {
    unsigned functions;     /* virtual functions; SETTING_ALL: all of them; 0: not said */
    struct words instances; /* a profile for each GPU instance (MIG), such as "1g.24gb+gfx" */
    bool has_instances;     /* they are said; no profile means no MIG mode */
    unsigned slicing;       /* enum policy_slicing: whether vGPUs share an instance in time */

    /* Frame buffer sizes of NVIDIA's vGPUs (enum policy_sizes), and the scheduler of their time
     * (enum policy_scheduler): of each instance, in the order of `instances`; without instances, of
     * the whole card. */
    struct setting_each sizes, scheduler;
};

struct policy_gpu {
    struct name address; /* PCI address, or the name of a parent that has none */
    struct words types;  /* that may be made on it; none listed: all */
    struct words traits;
    unsigned reserve; /* number of its places that are kept free */
    unsigned vram;    /* MiB that the functions of an xe card may have together; 0: not told */
    bool enabled;
    struct policy_setup setup;
    char *origin; /* "file:line" */
};

struct policy_class {
    char *name;
    struct words types;   /* in order of preference; none listed: by frame buffer */
    unsigned framebuffer; /* MiB: the smallest type with at least this much */
    struct words traits;
    unsigned order; /* enum choice_order */
    char *origin;
};

/* PCI functions that are handed out as they are, each to one guest. The pool's name is their
 * type. */
struct policy_pool {
    char *name;
    struct words functions; /* fnmatch(3) patterns of their addresses */
    struct name driver;     /* that a function must be bound to; "": any, or none */
    unsigned framebuffer;   /* MiB of each; 0: not told */
    char *origin;
};

/* Numbers for a virtual function of Intel's xe. The profile's name is a type. 0: the number
 * stays. */
struct policy_profile {
    char *name;
    unsigned vram;            /* MiB */
    unsigned exec_quantum;    /* ms */
    unsigned preempt_timeout; /* ms */
    char *origin;
};

struct policy_quota {
    struct words domains; /* fnmatch(3) patterns of names, or UUIDs */
    char *class;
    unsigned max;
    char *origin;
};

/* How many vGPUs of these types a GPU takes, if its driver does not tell (max_instances). */
struct policy_limit {
    struct words types;
    unsigned max; /* 0: no limit is known */
    char *origin;
};

struct policy_domain_device {
    char *alias;
    char *type;
    char *class;
    char *origin;
};

struct policy_domain {
    char *name; /* fnmatch(3) pattern of a name, or a UUID */
    struct policy_domain_device *devices;
    size_t device_count;
    unsigned evacuate; /* bits of enum policy_evacuate */
    bool has_evacuate; /* false: policy.evacuate counts */
    char *origin;
};

struct policy {
    bool enabled;
    bool unlike_vgpus;    /* one guest may have vGPUs that its vendor forbids together (vendor.h) */
    char *enabled_origin; /* "file:line"; NULL: not set */
    char *default_class;  /* "": none */
    char *default_origin; /* "file:line"; NULL: not set */
    unsigned order;       /* enum choice_order; never unsaid */
    unsigned numa;        /* enum choice_numa; never unsaid */
    unsigned release;     /* enum policy_release */
    unsigned migrate_uuid; /* enum policy_migrate_uuid */
    unsigned allow;        /* which attributes a request may say, a bit for each */
    unsigned evacuate;     /* bits of enum policy_evacuate; see policy_evacuation */
    struct words accepted; /* findings of doctor's that the administrator knows */
    struct words params;
    bool has_params;          /* false: the built-in list counts */
    unsigned prepare_timeout; /* milliseconds, like all times here */
    unsigned release_timeout;
    unsigned lock_timeout;
    unsigned boot_wait; /* counted from the kernel's boot, not from our call */
    struct policy_gpu *gpus;
    size_t gpu_count;
    struct policy_class *classes;
    size_t class_count;
    struct policy_pool *pools;
    size_t pool_count;
    struct policy_profile *profiles;
    size_t profile_count;
    struct policy_quota *quotas;
    size_t quota_count;
    struct policy_domain *domains;
    size_t domain_count;
    struct policy_limit *limits; /* max_instances */
    size_t limit_count;
};

/* The driver parameters that may be set as long as has_params is false. */
#define POLICY_BUILT_IN_PARAMS 3
extern const char *const policy_built_in_params[POLICY_BUILT_IN_PARAMS];

void policy_clear(struct policy *policy) NONNULL;

/* NULL: the configuration has none of that name. */
const struct policy_gpu *
policy_find_gpu(const struct policy *policy, const struct name *address) NONNULL;
const struct policy_class *policy_find_class(const struct policy *policy, const char *name) NONNULL;
const struct policy_pool *policy_find_pool(const struct policy *policy, const char *name) NONNULL;

const struct policy_profile *
policy_find_profile(const struct policy *policy, const char *name) NONNULL;

/* Whether there is any pool or profile. libvirt may bind their functions to VFIO. */
bool policy_lends_any(const struct policy *policy) CHECKED NONNULL;

/* Words for messages about a wrong one. Of classes: " (did you mean small?); there are: small,
 * large". Of parameters, and of attributes that a request may use: "type, class". */
struct policy_hint {
    char text[512];
};
struct policy_hint policy_hint_class(const struct policy *policy, const char *said) CHECKED NONNULL;
struct policy_hint policy_hint_params(const struct policy *policy) CHECKED NONNULL;
struct policy_hint policy_hint_allow(const struct policy *policy) CHECKED NONNULL;

/* The first pool that has a function, whichever driver the function is bound to; NULL: none. */
const struct policy_pool *
policy_pool_of(const struct policy *policy, const struct name *function) NONNULL;

/* Whether any part of a card's setup is said. */
bool policy_has_setup(const struct policy_gpu *gpu) CHECKED NONNULL;

/* Whether a word has the form of NVIDIA's names of GPU instance profiles: "1g.5gb", "1g.10gb+me",
 * "4g.96gb+gfx" (MIG user guide, "Supported MIG Profiles"). */
bool policy_is_profile_of_instances(const char *word) CHECKED NONNULL;

/* Whether a request may say an attribute, and whether a driver parameter may be set. */
bool policy_allows(const struct policy *policy, enum attribute attribute) CHECKED NONNULL;
bool policy_allows_param(const struct policy *policy, const char *name) CHECKED NONNULL;

/* Whether a pattern of `quotas` or `domains` matches a domain. */
bool
policy_is_domain(const char *pattern, const char *name, const struct name *uuid) CHECKED NONNULL;

/* How a domain may be moved: bits of enum policy_evacuate. The first item of `domains` counts that
 * matches the domain and says so. */
unsigned policy_evacuation(const struct policy *policy, const char *name,
                           const struct name *uuid) CHECKED NONNULL;
