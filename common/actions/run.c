/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/run.h"
#include "actions/taken-cards.h"
#include "base/array.h"
#include "device/pci.h"
#include "domain/status-files.h"
#include "lease/daemon.h"
#include "lease/marks.h"
#include "lease/statedir.h"
#include "placement/demand.h"
#include "placement/resolution.h"

/* --- it is about to run ----------------------------------------------------------------------- */

/* Whether a vGPU that prepare made is there no more. */
static int
check_lease(const struct host *host, const struct request *request, const struct lease *lease,
            struct error *error)
{
    if (!name_equal(&lease->domain, &request->domain) || lease->state != LEASE_HELD ||
        !status_files_has(request, &lease->vgpu.device) || !vgpu_is_wrong(host, &lease->vgpu))
        return 0;
    return error_set(error, -ENODEV,
                     "the vGPU %s (%s) was made on %s, and is not there any more: something else "
                     "removed it; start the guest again",
                     lease->vgpu.device.text, lease->vgpu.type.text, lease->vgpu.parent.text);
}

/* Whether a device that the domain asks for has neither a lease nor been made by somebody else.
 * Then prepare was not called, or its leases were removed since. */
static int
check_hostdev(const struct host *host, const struct request *request, const struct ledger *ledger,
              const struct request_hostdev *hostdev, struct error *error)
{
    const struct name *device = &hostdev->source;
    struct vgpu found;
    struct name gpu;

    if (!*device->text || !demand_is_explicit(hostdev) ||
        ARRAY_HAS(ledger->leases, ledger->count, lease,
                  name_equal(&lease->domain, &request->domain) &&
                      name_equal(&lease->vgpu.device, device)) ||
        vgpu_find(host, device, &found, &gpu) != -ENOENT ||
        host_exists(host, PCI_DEVICES "/%s", device->text))
        return 0;
    return error_set(error, -ENODEV,
                     "the vGPU %s that it asks for was not made: nobody has it, and no lease names "
                     "it; start the guest again, and see 'vgpuctl doctor' if that does not help",
                     device->text);
}

int
run_verify(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    AUTO(ledger_clear) struct ledger ledger = {0};
    int rc;

    if (!request_concerns_us(request))
        return 0;
    rc = statedir_open(host, false, &statedir, error);
    if (rc == 0)
        rc = statedir_load_leases(&statedir, &ledger, error);
    if (rc < 0 && rc != -ENOENT)
        return resolution_is_asked(request) ? rc : 0;
    rc = 0;
    for (size_t i = 0; rc == 0 && i < ledger.count; i++)
        rc = check_lease(host, request, &ledger.leases[i], error);
    for (size_t i = 0; rc == 0 && i < request->hostdev_count; i++)
        rc = check_hostdev(host, request, &ledger, &request->hostdevs[i], error);
    return rc;
}

/* --- it runs ---------------------------------------------------------------------------------- */

int
run_mark(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    int rc = statedir_look(host, &statedir, error);
    uint64_t number;

    if (rc < 0 || statedir.dir < 0)
        return rc;
    rc = statedir_load_leases(&statedir, &ledger, error);
    number = statedir_number_above(host, &ledger);
    if (taken_cards_may_be(request))
        whole_cards_read(host, &ledger.cards);
    if ((rc < 0 || !ledger_has_domain(&ledger, &request->domain)) &&
        !whole_cards_have_domain(&ledger.cards, &request->domain))
        return rc;
    if (!daemon_may_live(host))
        return rc;
    return marks_leave(host, MARK_RAN, &request->domain, number, error);
}
