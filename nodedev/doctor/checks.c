/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/checks.h"
#include "doctor/sriov-gpus.h"

static void
run_check(struct diagnosis *diagnosis, const struct diagnosis_check *check)
{
    struct domains_walk walk = {0};

    diagnosis->check = check;
    if (check->look)
        check->look(diagnosis);
    for (size_t i = 0; check->look_at_gpu && i < diagnosis->inventory.gpu_count; i++)
        check->look_at_gpu(diagnosis, diagnosis->inventory.gpus[i]);
    if (check->look_at_card)
        sriov_gpus_visit(diagnosis, check);
    while (check->look_at_hostdev && domains_next_hostdev(&diagnosis->references.domains, &walk))
        check->look_at_hostdev(diagnosis, walk.domain, walk.hostdev);
}

int
checks_run(const struct host *host, const char *uri, struct diagnosis *ret, struct error *error)
{
    static const struct diagnosis_check *const tables[] = {
        hook_checks,   security_checks, kernel_checks,   setup_checks, function_checks,
        nvidia_checks, xe_checks,       emulated_checks, state_checks, domain_checks,
    };
    int rc = diagnosis_read(host, uri, ret, error);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < COUNT(tables); i++) {
        for (const struct diagnosis_check *check = tables[i]; check->name; check++)
            run_check(ret, check);
    }
    return 0;
}
