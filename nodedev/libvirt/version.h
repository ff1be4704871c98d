/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * version: the version of a host's libvirt or QEMU, and what a libvirt can do since which version.
 *
 * A version is one number, as libvirt tells it: 1000000 * major + 1000 * minor + release. 0 means
 * that it is not told.
 */

#pragma once

#include "placement/demand.h"

/* The first libvirt that gives a guest a virtual function that keeps its driver. */
#define VERSION_GIVES_FUNCTIONS 9007000

struct version {
    char text[32]; /* such as "11.3.0"; "?": not told */
};

struct version version_text(unsigned number);

/* Whether no guest of this libvirt gets a virtual function that keeps its driver; and whether the
 * devices of an interface are such functions, too. */
bool version_lacks_functions(unsigned libvirt) CHECKED;
bool version_lacks(unsigned libvirt, const struct vgpu_interface *interface) CHECKED NONNULL;

/* For people, of such a libvirt: what it does not do, and what to do about it. */
struct version_lack {
    char what[120], remedy[60];
};
struct version_lack version_lack(unsigned libvirt);

/* The same as a refusal of one device for a demand. Returns REFUSED. */
int version_refuse(unsigned libvirt, const struct demand *demand, const struct name *device,
                   struct error *error) NONNULL;
