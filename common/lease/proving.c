/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/proving.h"
#include "base/run-links.h"

#include <inttypes.h>

#define KIND   "proving"
#define CLAIMS "run/libvirt-vgpu/claims"

int
proving_begin(const struct host *host, const struct name *gpu, uint64_t claim, struct error *error)
{
    int rc = run_links_replace(host, KIND, gpu->text, "%" PRIu64, claim);

    return run_links_check(rc, KIND, gpu->text, error);
}

/* The GPUs of the links whose claim is held, or is not. Anything else stays, and does not count. */
static void
read_those(const struct host *host, int claims, bool held, struct names *ret)
{
    AUTO(words_clear) struct words gpus = {0};

    run_links_list(host, KIND, &gpus);
    for (size_t i = 0; i < gpus.count; i++) {
        uint64_t claim;

        if (run_links_read_number(host, KIND, gpus.items[i], &claim) == 0 &&
            host->ops->is_locked(host, claims, claim) == held)
            (void)!names_add(ret, gpus.items[i]);
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
    for (size_t i = 0; i < ended.count; i++)
        run_links_remove(host, KIND, ended.items[i].text);
}

bool
proving_find(const struct host *host, const struct name *gpu, struct lock_holder *ret)
{
    uint64_t claim;

    return run_links_read_number(host, KIND, gpu->text, &claim) == 0 &&
           lock_holder_find_byte(host, CLAIMS, claim, ret);
}
