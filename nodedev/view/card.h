/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * card: a GPU that can have SR-IOV virtual functions, and those that it has, whether vGPUs can be
 * made on them or not.
 */

#pragma once

#include "base/host.h"

struct card {
    struct name address;
    uint64_t total;   /* functions that it could have */
    uint64_t enabled; /* that it has, as its driver says */
    struct names functions;
};

/* Reads what a PCI device has of that: 0; -ENOENT: it can have none; -errno. The caller clears ret
 * in every case. */
int
card_read(const struct host *host, const struct name *address, struct card *ret) CHECKED NONNULL;
void card_clear(struct card *card) NONNULL;

/* The unit that enables a card's functions at boot, of which its address is an argument; and
 * whether systemd is told to start it then. */
#define CARD_UNIT "libvirt-vgpu-sriov@%s.service"
bool card_is_for_boot(const struct host *host, const struct name *address) CHECKED NONNULL;

/* Whether the card is one of NVIDIA's. */
bool card_is_nvidias(const struct host *host, const struct name *address) CHECKED NONNULL;
