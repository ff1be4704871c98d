/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "callout/callout.h"
#include "actions/pass.h"
#include "base/array.h"
#include "base/deadline.h"
#include "base/memory.h"
#include "base/reader.h"
#include "device/nvidia.h"
#include "device/scan.h"
#include "domain/status-files.h"
#include "lease/drained.h"
#include "lease/log.h"
#include "lease/statedir.h"
#include "placement/constraints.h"
#include "placement/fit.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_LOCK  2000 /* ms */
#define LONGEST_INPUT 1000 /* ms */

/* The device that is to be made or was removed. */
struct callout {
    const struct host *host;
    struct name type;
    struct name device;
    struct name parent;
};

/* The facts by which the device is judged. */
struct callout_facts {
    const struct callout *callout;
    struct ledger ledger;
    struct inventory inventory;
    const struct inventory_parent *parent; /* NULL: there is no parent of that name */
};

static void
callout_facts_clear(struct callout_facts *facts)
{
    ledger_clear(&facts->ledger);
    inventory_clear(&facts->inventory);
}

static bool
is_its_type(const struct inventory_type *type, const void *data)
{
    return name_equal(&type->id, &((const struct callout *)data)->type);
}

/* The hook forgets places that were reserved for too long. So they bind nobody here. */
static void
forget_late(const struct host *host, struct ledger *ledger)
{
    for (size_t i = ledger->count; i-- > 0;) {
        if (lease_is_late(&ledger->leases[i], host_seconds(host)))
            ledger_remove(ledger, &ledger->leases[i]);
    }
}

/* What cannot be read is logged, and stops nobody here. The hook's prepare refuses a start for it,
 * and reports it. */
static void
gather_facts(struct callout_facts *facts)
{
    const struct callout *callout = facts->callout;
    const struct inventory_filter filter = {.wants = is_its_type, .data = callout};
    struct inventory *inventory = &facts->inventory;
    struct error failure;

    if (statedir_peek(callout->host, &facts->ledger, &failure) < 0)
        log_failure(callout->host, "mdevctl", "-", &failure);
    forget_late(callout->host, &facts->ledger);
    if (drained_check(facts->ledger.drained_rc, &failure) < 0)
        log_failure(callout->host, "mdevctl", "-", &failure);
    reader_begin(callout->host->reader, READER_PATIENCE);
    if (scan_host(callout->host, NULL, &filter, inventory, &failure) < 0)
        log_failure(callout->host, "mdevctl", "-", &failure);
    facts->parent = inventory_find_parent(inventory, &callout->parent);
}

/* Refuses the UUID of a vGPU that has a lease. A vGPU that the hook has found is allowed, because
 * others make its device. */
static int
check_uuid(const struct callout_facts *facts, struct error *error)
{
    const struct lease *lease = ledger_find(&facts->ledger, &facts->callout->device);

    if (!lease || lease->origin == LEASE_FOUND)
        return 0;
    return error_set(error, -EEXIST,
                     "the UUID %s is that of a vGPU of the guest %s (%s); take another",
                     lease->vgpu.device.text, lease->domain_name, lease_state_name(lease->state));
}

/* Checks that the GPU takes new vGPUs now. */
static int
check_open(const struct callout_facts *facts, struct error *error)
{
    const struct name *gpu = &facts->parent->gpu->name, nobody = {0};

    switch (constraints_closed(&facts->ledger, gpu, NULL, false)) {
    case REASON_DRAINED:
        return error_set(error, -EPERM, "the GPU %s is drained; 'vgpuctl undrain %s' ends that",
                         gpu->text, gpu->text);
    case REASON_PROVED:
        return error_set(error, -EBUSY,
                         "the GPU %s is being proved or set up by vgpuctl; try again when that has "
                         "ended",
                         gpu->text);
    case REASON_WHOLE:
        return error_set(
            error, -EBUSY,
            "the guest %s takes the card %s itself; try again when the guest has ended",
            ledger_find_card(&facts->ledger, gpu, &nobody)->domain_name, gpu->text);
    default:
        return 0;
    }
}

/* Returns a vGPU that is promised to a guest and is not in the kernel's figures yet. */
static const struct lease *
find_promise(const struct callout_facts *facts, const struct name *gpu)
{
    return ARRAY_FIND(facts->ledger.leases, facts->ledger.count, lease,
                      (lease->state == LEASE_PENDING || lease->state == LEASE_RESERVED) &&
                          name_equal(&lease->gpu, gpu) &&
                          !inventory_find_vgpu(&facts->inventory, &lease->vgpu.device));
}

/* Judges the parent without the rules of the configuration. Returns REASON_NONE if that is not
 * possible. */
static enum reason
judge_parent(const struct callout_facts *facts, const struct inventory_type *type)
{
    const struct policy policy = {.enabled = true, .order = ORDER_PACK};
    const struct request request = {0};
    const struct demands demands = {0};
    AUTO_FREE char *name = memory_copy(facts->parent->name.text);
    const struct demand_terms terms = {
        .attributes.said[ATTRIBUTE_PARENT] = name,
        .kinds = DEMAND_ANY_DEVICE,
    };
    const struct placement_problem problem = {
        .request = &request,
        .demands = &demands,
        .policy = &policy,
        .inventory = &facts->inventory,
        .ledger = &facts->ledger,
    };
    AUTO(loads_clear) struct loads loads = {0};
    struct fit ignored;

    loads_init(&loads, &problem);
    return fit_judge(&loads, &terms, type, &ignored);
}

/* Whether the kernel would make a vGPU now, by its own figures. */
static bool
offers(const struct callout_facts *facts, const struct inventory_type *type)
{
    const struct place place = {facts->parent, type};
    AUTO(gpu_load_clear) struct gpu_load load = {0};

    gpu_load_init(&load, type->gpu, LOAD_NOW);
    return gpu_room_at(&load, &place).most;
}

/* If the kernel has no room, it refuses the vGPU itself. */
static int
check_room(const struct callout_facts *facts, struct error *error)
{
    const struct inventory_gpu *gpu = facts->parent->gpu;
    const struct inventory_type *type = inventory_find_type(gpu, &facts->callout->type);
    const struct lease *promise = find_promise(facts, &gpu->name);
    enum reason reason;

    if (!type || !promise || !offers(facts, type))
        return 0;
    reason = judge_parent(facts, type);
    if (reason != REASON_FULL && reason != REASON_OTHER_SIZE)
        return 0;
    return error_set(error, -ENOSPC, "the room for it on %s is promised to the guest %s (%s)",
                     facts->parent->name.text, promise->domain_name,
                     lease_state_name(promise->state));
}

/* Called before somebody else makes a device. */
static int
on_start(const struct callout *callout, struct error *error)
{
    AUTO(callout_facts_clear) struct callout_facts facts = {.callout = callout};
    int rc;

    gather_facts(&facts);
    rc = check_uuid(&facts, error);
    if (rc == 0 && facts.parent)
        rc = check_open(&facts, error);
    if (rc == 0 && facts.parent)
        rc = check_room(&facts, error);
    return rc;
}

static bool
is_its_lease(const struct pass *pass, const struct lease *lease)
{
    return name_equal(&lease->vgpu.device, pass->scope);
}

/* mdevctl has removed the device. A guest that is just starting keeps its lease, because the lease
 * tells that start what happened. libvirt then gives the lease back. */
static const struct pass_row stop_row = {
    .occasion = OCCASION_RECONCILE,
    .event = "mdevctl",
    .forgotten = "forgotten",
    .guests = PASS_GUESTS_OF_ENDED,
    .only_forgets = true,
    .concerns = is_its_lease,
};

/* Called after somebody else has removed a device. */
static int
on_stop(const struct callout *callout, struct error *error)
{
    AUTO(transaction_close) struct transaction transaction = TRANSACTION_NONE;
    AUTO(ledger_clear) struct ledger before = {0};
    AUTO(pass_clear)
    struct pass pass = {.row = &stop_row,
                        .transaction = &transaction,
                        .scope = &callout->device,
                        .before = &before};
    const struct lease *lease;
    int rc = statedir_peek(callout->host, &before, error);

    /* Nearly always the device has no lease. Then nobody waits for a lock. */
    lease = rc < 0 ? NULL : ledger_find(&before, &callout->device);
    if (!lease)
        return rc;
    rc = transaction_open(callout->host, false, &transaction, error);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    transaction.lock_timeout = LONGEST_LOCK;
    rc = pass_look(&pass, &lease->domain, READER_PATIENCE, error);
    return rc < 0 ? rc : pass_decide(&pass, error);
}

static const struct callout_event {
    const char *event, *action, *state;
    int (*run)(const struct callout *callout, struct error *error);
    bool refuses; /* its failure is the answer; else it is only logged */
} events[] = {
    {"pre", "start", "none", on_start, true},
    {"notify", "stop", "success", on_stop, false},
};

/* Returns NULL if the call does not concern us. Further words of a later mdevctl are skipped. */
static const struct callout_event *
read_words(int argc, char *const argv[], struct callout *ret)
{
    static const char letters[] = "teasup";
    const char *words[sizeof(letters)] = {"", "", "", "", "", ""};

    for (int i = 1; i + 1 < argc; i++) {
        const char *letter = argv[i][0] == '-' && argv[i][1] ? strchr(letters, argv[i][1]) : NULL;

        if (letter && !argv[i][2])
            words[letter - letters] = argv[++i];
    }
    if (name_parse(&ret->type, words[0]) < 0 || name_parse_uuid(&ret->device, words[4]) < 0 ||
        name_parse(&ret->parent, words[5]) < 0)
        return NULL;
    return ARRAY_FIND(events, COUNT(events), each,
                      !strcmp(each->event, words[1]) && !strcmp(each->action, words[2]) &&
                          !strcmp(each->state, words[3]));
}

/* Reads all of the input: mdevctl 1.2 takes no answer from a script that ends before mdevctl has
 * written all of the JSON. */
static void
swallow(const struct host *host, int input)
{
    struct deadline deadline = deadline_in(host, LONGEST_INPUT);
    struct pollfd ready = {.fd = input, .events = POLLIN};
    char buffer[4096];

    while (deadline_left(deadline) > 0 && deadline_wait(deadline, &ready, 1) > 0 &&
           read(input, buffer, sizeof(buffer)) > 0)
        continue;
}

enum callout_status
callout_run(const struct host *host, int argc, char *const argv[], int input, int faults)
{
    struct callout callout = {.host = host};
    const struct callout_event *event = read_words(argc, argv, &callout);
    struct error error = {0};

    if (!event)
        return CALLOUT_NOT_MINE;
    nvidia_give_id(host, &callout.parent, &callout.type);
    if (event->refuses)
        swallow(host, input);
    if (event->run(&callout, &error) == 0)
        return CALLOUT_NOT_MINE;
    if (!event->refuses) {
        log_failure(host, "mdevctl", "-", &error);
        return CALLOUT_NOT_MINE;
    }
    dprintf(faults, "%s\n", error.text);
    return CALLOUT_REFUSED;
}
