/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vf-selection: chooses the best device on this host for a hostdev that is to be a vGPU. The device
 * is a mediated device, or one of the virtual functions.
 *
 * A mediated device gets its place when its domain starts. A virtual function is in the XML by its
 * address, so it is chosen earlier. The best one could be had by a start now, and no other domain
 * names it. The choice reserves nothing: another start may take the function first.
 */

#pragma once

#include "actions/dry-run.h"
#include "domain/rewrite.h"
#include "libvirt/domains.h"

struct vf_selection_search {
    const struct host *host;
    const struct request *request; /* of the domain, with these hostdevs in it */
    const struct names *sources;   /* the current sources of the hostdevs to be placed */
    enum demand_freedom freedom;   /* how far the result may differ from these */
    const struct names *named;     /* virtual functions to be chosen only if no other is possible */
    const struct names *taken;     /* virtual functions never to be chosen */
    const struct names
        *added; /* devices that were added together with these, and are placed already */
    struct error
        *doubt; /* gets the reason why it is not known whether this host could ever give it */
    struct error *others; /* gets why this host can never give the domain's other devices; then the
                             added ones are judged alone */
    struct error *single; /* gets why QEMU may not start with all of the domain's vGPUs, as
                             demands_say_single tells */
    unsigned libvirt;     /* version of the libvirt that is to start the domain (version.h) */
    bool now;             /* choose what can be had now; else what this host could ever give */
};

/*
 * Writes the choices into ret, in the order of the sources. A mediated device keeps its source.
 * Returns REFUSED if this host can never give the devices, or with `now` cannot give them now, or
 * if its libvirt would not give them.
 * Returns -EINVAL if the request is wrong, and -EOPNOTSUPP if the configuration gives nobody a
 * vGPU. error has a line for each of these.
 */
int vf_selection_find(const struct vf_selection_search *search, struct rewrite_source *ret,
                      struct error *error) CHECKED NONNULL;

/* Adds the virtual functions (all PCI devices) that domains other than `but` name; or those that
 * one request names. */
void vf_selection_add_named(const struct domains *domains, const struct name *but,
                            struct names *ret) NONNULL;
void vf_selection_add_own(const struct request *request, struct names *ret) NONNULL;
