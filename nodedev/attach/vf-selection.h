/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vf-selection: what a hostdev that is to be a vGPU had best be on this host: a mediated device, or
 * which virtual function.
 *
 * A mediated device finds its place when its domain starts. A virtual function stands in the XML by
 * its address, so it is chosen before: one that a start could have now, and best one that no other
 * domain names. Nothing is reserved by that: another start may be faster.
 */

#pragma once

#include "actions/dry-run.h"
#include "domain/rewrite.h"
#include "libvirt/domains.h"

struct vf_selection_search {
    const struct host *host;
    const struct request *request; /* the domain's, with these hostdevs in it */
    const struct names *sources;   /* what the hostdevs to be placed have for now */
    enum demand_freedom freedom;   /* how far they can go from that */
    const struct names *named;     /* virtual functions that are chosen only if no others will do */
    const struct names *taken;     /* those that are never chosen */
    const struct names *added; /* what others have that are added with these, and placed already */
    struct error *doubt; /* is given what is not known of whether this host could ever give it */
    struct error
        *others;    /* is given why this host can never give all else that the domain asks for,
                       if it cannot: then what is added is judged by itself; may be NULL */
    bool now;       /* only what can be had now will do; else what this host could ever give */
    bool elsewhere; /* a mediated device will do unless this host makes none: another may */
};

/*
 * Writes what each is to be into ret, in the order of the sources; of what is to be a mediated
 * device the source stays. Otherwise, with a line in error: REFUSED if this host could never give
 * it, or not now if it is to be had now; -EINVAL if the request
 * is wrong; -EOPNOTSUPP if the configuration gives nobody a vGPU.
 */
int vf_selection_find(const struct vf_selection_search *search, struct rewrite_source *ret,
                      struct error *error) CHECKED NONNULL;

/* Adds the virtual functions (any PCI devices) that domains name, but for one domain; and those
 * that one request names. */
void vf_selection_add_named(const struct domains *domains, const struct name *but,
                            struct names *ret) NONNULL;
void vf_selection_add_own(const struct request *request, struct names *ret) NONNULL;
