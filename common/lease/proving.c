/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/proving.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DIRECTORY "run/libvirt-vgpu/proving"
#define CLAIMS    "run/libvirt-vgpu/claims"

int
proving_begin(const struct host *host, const struct name *gpu, uint64_t claim, struct error *error)
{
    struct path path;
    char number[24];
    int rc = path_format(&path, DIRECTORY "/%s", gpu->text);

    snprintf(number, sizeof(number), "%" PRIu64, claim);
    if (rc == 0 && host_make_directory(host, DIRECTORY) < 0 && errno != EEXIST)
        rc = -errno;
    if (rc == 0 && host_remove(host, path.text) < 0 && errno != ENOENT)
        rc = -errno;
    if (rc == 0 && host_make_link(host, path.text, number) < 0)
        rc = -errno;
    return rc < 0 ? error_set(error, rc, "cannot make the link /" DIRECTORY "/%s: %s", gpu->text,
                              strerror(-rc))
                  : 0;
}

/* The claim of a GPU's link. */
static int
read_claim(const struct host *host, const struct name *gpu, uint64_t *ret)
{
    struct name target;
    int rc = host_link(host, &target, DIRECTORY "/%s", gpu->text);

    return rc < 0 ? rc : host_parse_number(target.text, ret);
}

/* The links there, each with its claim. Anything else stays, and does not count. Nor does what is
 * behind a link in the directory's place: nobody knows who wrote that. */
static void
read_those(const struct host *host, int claims, bool held, struct names *ret)
{
    AUTO(names_clear) struct names gpus = {0};
    struct stat status;

    if (host_status(host, DIRECTORY, &status) < 0 || !S_ISDIR(status.st_mode) ||
        host_list(host, &gpus, DIRECTORY) < 0)
        return;
    for (size_t i = 0; i < gpus.count; i++) {
        uint64_t claim;

        if (read_claim(host, &gpus.items[i], &claim) == 0 &&
            host->ops->is_locked(host, claims, claim) == held)
            names_append(ret, &gpus.items[i]);
    }
}

void
proving_read(const struct host *host, int claims, struct names *ret)
{
    read_those(host, claims, true, ret);
}

void
proving_sweep(const struct host *host, int claims)
{
    AUTO(names_clear) struct names ended = {0};

    read_those(host, claims, false, &ended);
    for (size_t i = 0; i < ended.count; i++) {
        struct path path;

        if (path_format(&path, DIRECTORY "/%s", ended.items[i].text) == 0)
            (void)!host_remove(host, path.text);
    }
}

bool
proving_find(const struct host *host, const struct name *gpu, struct lock_holder *ret)
{
    uint64_t claim;

    return read_claim(host, gpu, &claim) == 0 && lock_holder_find_byte(host, CLAIMS, claim, ret);
}
