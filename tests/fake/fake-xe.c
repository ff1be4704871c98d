/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Intel's xe driver: sriov_admin of a card, and the numbers of its functions. They are in shared
 * memory, so that a process which is killed leaves no half of one.
 */

#include "fake/fake-parts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STEP (2u << 20) /* bytes that memory is given out in */

static const char *const files[] = {"vram_quota", "exec_quantum_ms", "preempt_timeout_us"};

/* The n-th function of a card; NULL: it has fewer. */
static const struct fake_pci *
function_of(const struct fake_kernel *fake, const char *card, unsigned number)
{
    for (size_t i = 0; i < fake->machine->pci_count; i++) {
        const struct fake_pci *pci = &fake->machine->pcis[i];

        if (!strcmp(pci->physfn, card) && --number == 0)
            return pci;
    }
    return NULL;
}

static const struct fake_pci *
card_of(const struct fake_kernel *fake, const char *address)
{
    for (size_t i = 0; i < fake->machine->pci_count; i++) {
        if (!strcmp(fake->machine->pcis[i].address, address))
            return &fake->machine->pcis[i];
    }
    return NULL;
}

static uint64_t *
numbers_of(const struct fake_kernel *fake, const struct fake_pci *function)
{
    return fake->usage->profiles[function - fake->machine->pcis];
}

uint64_t *
fake_profile(const struct fake_kernel *fake, const char *address)
{
    const struct fake_pci *function = card_of(fake, address);

    assert(function);
    return numbers_of(fake, function);
}

/* Which number of which function a path means; NULL: none. */
static const struct fake_pci *
find_number(const struct fake_kernel *fake, const char *path, size_t *number)
{
    const char *admin = strstr(path, "/sriov_admin/vf"), *name = strstr(path, "/profile/");
    const struct fake_pci *function;
    char card[16];
    unsigned index;

    if (!admin || !name || admin - path < 12 ||
        sscanf(admin, "/sriov_admin/vf%u/profile/", &index) != 1)
        return NULL;
    snprintf(card, sizeof(card), "%.12s", admin - 12);
    function = function_of(fake, card, index);
    for (*number = 0; function && *number < COUNT(files); ++*number) {
        if (!strcmp(files[*number], name + strlen("/profile/")))
            return faccessat(fake->host.root, path, F_OK, 0) < 0 ? NULL : function;
    }
    return NULL;
}

static bool
read_number(const struct fake_kernel *fake, const char *path, char *buffer, size_t size,
            ssize_t *ret)
{
    size_t number;
    const struct fake_pci *function = find_number(fake, path, &number);
    LOCKED AUTO_CLOSE int lock = -1;

    if (!function)
        return false;
    lock = fake_lock(fake);
    *ret = fake->faults->uneven
               ? -EUCLEAN
               : snprintf(buffer, size, "%" PRIu64 "\n", numbers_of(fake, function)[number]);
    return true;
}

static int
set_vram(const struct fake_kernel *fake, const struct fake_pci *function, uint64_t bytes)
{
    const struct fake_pci *card = card_of(fake, function->physfn);
    uint64_t sum = 0;

    bytes = (bytes + STEP - 1) / STEP * STEP;
    for (size_t i = 0; i < fake->machine->pci_count; i++) {
        const struct fake_pci *other = &fake->machine->pcis[i];

        if (other != function && !strcmp(other->physfn, card->address))
            sum += numbers_of(fake, other)[0];
    }
    if (sum + bytes > (uint64_t)card->vram << 20)
        return -ENOSPC;
    numbers_of(fake, function)[0] = bytes;
    return 0;
}

static bool
write_number(const struct fake_kernel *fake, const char *path, const char *text, int *ret)
{
    size_t number;
    const struct fake_pci *function = find_number(fake, path, &number);
    LOCKED AUTO_CLOSE int lock = -1;
    uint64_t value;

    if (!function)
        return false;
    lock = fake_lock(fake);
    *ret = host_parse_number(text, &value) < 0 ? -EINVAL : 0;
    if (*ret == 0 && number == 0)
        *ret = set_vram(fake, function, value);
    else if (*ret == 0)
        numbers_of(fake, function)[number] = value;
    return true;
}

void
fake_put_xe(const struct fake_kernel *fake, const struct fake_pci *card)
{
    const struct fake_pci *function;
    char target[64];

    for (unsigned i = 1; (function = function_of(fake, card->address, i)); i++) {
        for (size_t k = card->vram ? 0 : 1; k < COUNT(files); k++)
            fake_put(fake->host.root, "", "sys/devices/%s/sriov_admin/vf%u/profile/%s",
                     card->address, i, files[k]);
        snprintf(target, sizeof(target), "../../../%s", function->address);
        fake_put_link(fake->host.root, target, "sys/devices/%s/sriov_admin/vf%u/device",
                      card->address, i);
    }
}

const struct fake_family fake_xe = {.read = read_number, .write = write_number};
