/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/profile.h"
#include "base/reader.h"
#include "base/text.h"
#include "device/pci.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define ADMIN PCI_DEVICES "/%s/sriov_admin"
#define MOST  256 /* most virtual functions of a card */

static const char *const files[] = {
    [PROFILE_VRAM] = "vram_quota",
    [PROFILE_EXEC_QUANTUM] = "exec_quantum_ms",
    [PROFILE_PREEMPT_TIMEOUT] = "preempt_timeout_us",
};

bool
profile_is_taken(const struct policy_profile *profile)
{
    return profile->exec_quantum <= PROFILE_LONGEST && profile->preempt_timeout <= PROFILE_LONGEST;
}

int
profile_find(const struct host *host, const struct name *address, struct profile_function *ret)
{
    struct name device;
    int rc = pci_find_card(host, address, &ret->card);

    if (rc < 0)
        return rc;
    for (ret->number = 1; ret->number <= MOST; ret->number++) {
        rc = host_link(host, &device, ADMIN "/vf%u/device", ret->card.text, ret->number);
        if (rc < 0 && rc != -ENOENT)
            return rc;
        if (rc == 0 && name_equal(&device, address))
            return 0;
    }
    return -ENOENT;
}

int
profile_takes(const struct host *host, const struct name *card, enum profile_number number)
{
    struct stat status;
    struct path path;
    int rc = path_format(&path, ADMIN "/vf1/profile/%s", card->text, files[number]);

    if (rc == 0)
        rc = host->ops->status(host, path.text, &status);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    return (status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) != 0;
}

static int
read_number(const struct host *host, const struct profile_function *function,
            enum profile_number number, uint64_t *ret)
{
    return reader_read_number(host, &function->card, ret, ADMIN "/vf%u/profile/%s",
                              function->card.text, function->number, files[number]);
}

int
profile_read_vram(const struct host *host, const struct profile_function *function, unsigned *ret)
{
    uint64_t bytes = 0, mib;
    int rc = read_number(host, function, PROFILE_VRAM, &bytes);

    mib = bytes / 1048576 + (bytes % 1048576 > 0);
    *ret = mib < UINT32_MAX ? (unsigned)mib : UINT32_MAX;
    return rc;
}

int
profile_read(const struct host *host, const struct profile_function *function,
             const struct profile *which, struct profile *ret)
{
    int rc = 0;

    *ret = (struct profile){.set = {false}};
    for (int i = 0; rc == 0 && i < PROFILE_NUMBERS; i++) {
        if (!which->set[i])
            continue;
        rc = read_number(host, function, (enum profile_number)i, &ret->numbers[i]);
        ret->set[i] = rc == 0;
        if (rc == -ENOENT)
            rc = 0;
    }
    return rc;
}

static int
write_number(const struct host *host, const struct profile_function *function,
             enum profile_number number, uint64_t value)
{
    char text[HOST_NUMBER];
    uint64_t now = 0;
    struct path path;
    int rc = path_format(&path, ADMIN "/vf%u/profile/%s", function->card.text, function->number,
                         files[number]);

    if (rc < 0 || (read_number(host, function, number, &now) == 0 && now == value))
        return rc;
    snprintf(text, sizeof(text), "%" PRIu64, value);
    rc = host->ops->write(host, path.text, text);
    /* The kernel's allocator returns this if the card is full (drivers/gpu/drm/ttm). */
    if (rc == -ENOMEM && number == PROFILE_VRAM)
        rc = -ENOSPC;
    return rc == 0 && read_number(host, function, number, &now) == 0 && now < value ? -EIO : rc;
}

int
profile_write(const struct host *host, const struct profile_function *function,
              const struct profile *profile)
{
    int rc = 0;

    for (int i = 0; rc == 0 && i < PROFILE_NUMBERS; i++) {
        if (profile->set[i])
            rc = write_number(host, function, (enum profile_number)i, profile->numbers[i]);
    }
    return rc;
}

static bool
is_less(const struct host *host, const struct profile_function *function,
        enum profile_number number, uint64_t than)
{
    uint64_t now;

    return read_number(host, function, number, &now) == 0 && now < than;
}

int
profile_restore(const struct host *host, const struct profile_function *function,
                const struct profile *former)
{
    for (int i = 0; i < PROFILE_NUMBERS; i++) {
        enum profile_number number = (enum profile_number)i;
        int rc = former->set[i] ? write_number(host, function, number, former->numbers[i]) : 0;

        if (rc < 0 && !is_less(host, function, number, former->numbers[i]))
            return rc;
    }
    return 0;
}

void
profile_print(const struct profile *profile, struct name *ret)
{
    struct text word;

    *ret = (struct name){""};
    word = text_on(ret->text, sizeof(ret->text));
    for (int i = 0; i < PROFILE_NUMBERS; i++) {
        if (profile->set[i])
            text_join(&word, ":", "%" PRIu64, profile->numbers[i]);
        else
            text_join(&word, ":", "-");
    }
}

int
profile_parse(const struct name *word, struct profile *ret)
{
    struct name copy = *word;
    char *rest = copy.text;

    *ret = (struct profile){.set = {false}};
    for (int i = 0; i < PROFILE_NUMBERS; i++) {
        const char *part = strsep(&rest, ":");

        if (!part)
            return -EINVAL;
        ret->set[i] = strcmp(part, "-") != 0;
        if (ret->set[i] && host_parse_number(part, &ret->numbers[i]) < 0)
            return -EINVAL;
    }
    return rest ? -EINVAL : 0;
}
