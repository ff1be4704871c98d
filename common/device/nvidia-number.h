/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * nvidia-number: the number of one of NVIDIA's types, and the words for it.
 *
 * The number is the type: it is the same on all hosts, and under both interfaces of the driver. 222
 * in current_vgpu_type is the type of the directory nvidia-222 of mediated devices. This program
 * always calls the type "nvidia-222". See the NVIDIA vGPU software user guide.
 *
 * The kernel calls the directory after the driver that the parent had when it became one
 * (dev_driver_string in drivers/vfio/mdev/mdev_sysfs.c). A function that was bound to vfio-pci has
 * "vfio-pci-222", and its sister "nvidia-222". So only a card's vendor tells whether a directory is
 * one of NVIDIA's types.
 */

#pragma once

#include "base/names.h"

#define NVIDIA_VENDOR "10de" /* the PCI id of its cards */

/* Returns the number of a type such as "nvidia-222", above 0. Returns 0 for any other name. */
unsigned nvidia_number(const struct name *id) CHECKED NONNULL;

/* The name of a type. */
void nvidia_number_id(unsigned number, struct name *ret) NONNULL;

/* Returns the number in the name of a directory on a card of NVIDIA's: the digits after the last
 * dash. 0: the name has none. */
unsigned nvidia_number_of_directory(const char *directory) CHECKED NONNULL;

/* Returns the number if a person's word can only be a type of NVIDIA's: "222", "nvidia-222" and
 * "vfio-pci-222". Else 0. */
unsigned nvidia_number_of_word(const char *word) CHECKED NONNULL;
