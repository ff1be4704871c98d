/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/setup-record.h"
#include "device/pci.h"
#include "vendor/card-vendor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DIRECTORY "run/libvirt-vgpu/setup"

/* FNV-1a of 64 bits. The NUL at a word's end counts. */
static uint64_t
add_word(uint64_t hash, const char *word)
{
    do {
        hash = (hash ^ (unsigned char)*word) * 1099511628211u;
    } while (*word++);
    return hash;
}

/* Tells the card's first function from all that were there before it; 0: there is none. */
static uint64_t
number_of_functions(const struct host *host, const struct name *card)
{
    struct path path;
    struct stat status;

    return path_format(&path, PCI_DEVICES "/%s/virtfn0", card->text) == 0 &&
                   host->ops->status(host, path.text, &status) == 0
               ? status.st_ino
               : 0;
}

static uint64_t
add_each(uint64_t hash, const struct setting_each *each)
{
    char number[16];

    for (unsigned i = 0; i < each->count; i++) {
        snprintf(number, sizeof(number), "%u", each->items[i]);
        hash = add_word(hash, number);
    }
    return add_word(hash, "");
}

static uint64_t
hash_of(const struct host *host, const struct policy_gpu *said)
{
    uint64_t hash = 14695981039346656037u;
    char numbers[64];

    snprintf(numbers, sizeof(numbers), "%" PRIu64 " %u %d %u",
             number_of_functions(host, &said->address), card_vendor_scheduler(host, &said->address),
             said->setup.has_instances, said->setup.slicing);
    hash = add_each(add_word(hash, numbers), &said->setup.sizes);
    hash = add_each(hash, &said->setup.scheduler);
    for (size_t i = 0; i < said->setup.instances.count; i++)
        hash = add_word(hash, said->setup.instances.items[i]);
    return hash;
}

void
setup_record_forget(const struct host *host, const struct policy_gpu *said)
{
    struct path path;

    if (path_format(&path, DIRECTORY "/%s", said->address.text) == 0)
        (void)!host_remove(host, path.text);
}

void
setup_record_set(const struct host *host, const struct policy_gpu *said)
{
    struct path path;
    char number[48];

    setup_record_forget(host, said);
    snprintf(number, sizeof(number), "%" PRIu64 "-%" PRIu64, hash_of(host, said),
             host_seconds(host));
    if (path_format(&path, DIRECTORY "/%s", said->address.text) < 0)
        return;
    host_make_directory(host, DIRECTORY);
    (void)!host_make_link(host, path.text, number);
}

bool
setup_record_find(const struct host *host, const struct policy_gpu *said, time_t *when)
{
    struct name target;
    uint64_t number, seconds;
    char *dash;

    if (host_link(host, &target, DIRECTORY "/%s", said->address.text) < 0)
        return false;
    dash = strchr(target.text, '-');
    if (!dash)
        return false;
    *dash = '\0';
    if (host_parse_number(target.text, &number) < 0 || host_parse_number(dash + 1, &seconds) < 0)
        return false;
    *when = (time_t)(host->ops->booted(host) / 1000000000 + seconds);
    return number == hash_of(host, said);
}
