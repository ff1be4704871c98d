/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/relocation.h"
#include "actions/reap.h"
#include "actions/reconcile.h"
#include "base/array.h"
#include "base/safe-open.h"
#include "base/shell-word.h"
#include "cli/reply.h"
#include "libvirt/definitions-lock.h"
#include "libvirt/long-call.h"
#include "migrate/departure.h"
#include "migrate/moved-definition.h"
#include "xml/xml-tree.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/statvfs.h>

#define SAVES   "var/lib/libvirt/qemu/save" /* where libvirt's QEMU driver saves (qemu_conf.c) */
#define REMOVAL 60000                       /* ms that the removal of the old vGPUs may take */

/* --- whether it can be saved ------------------------------------------------------------------ */

/* A device of the host that is no vGPU of ours stays with the guest's QEMU, which cannot save it.
 */
static int
check_devices(const struct request *request, const struct demands *demands, struct error *error)
{
    if (request->others.count)
        return error_refuse(error, ERROR_NEVER,
                            "%s cannot be saved: it has the host's device %s, which is no vGPU",
                            request->name, request->others.items[0].text);
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct name *source = &request->hostdevs[i].source;

        if (!demands_name(demands, source))
            return error_refuse(error, ERROR_NEVER,
                                "%s cannot be saved: it has the host's device %s, which is no vGPU "
                                "of ours",
                                request->name, source->text);
    }
    return 0;
}

/* What the drivers tell of their vGPUs. Where they tell nothing, QEMU finds out. */
static int
check_drivers(const struct relocation *relocation, const struct promise *promise,
              struct error *error)
{
    const struct domain domain = {.is_running = true};
    const struct migrating_guest guest = {
        .label = promise->request->name,
        .domain = &domain,
        .request = promise->request,
        .demands = promise->snapshot.demands,
    };
    AUTO(departure_clear) struct departure departure = {0};

    departure_take(&departure, relocation->call->host, &guest);
    for (size_t i = 0; i < departure.count; i++) {
        const struct departing_device *device = &departure.devices[i];
        char text[256];

        if (departing_device_judge_features(device, text, sizeof(text)) == MIGRATE_NO ||
            departing_device_judge_params(device, text, sizeof(text)) == MIGRATE_NO)
            return error_refuse(error, ERROR_NEVER, "%s cannot be saved: %s: %s", guest.label,
                                guest.demands.items[i].label, text);
    }
    return 0;
}

/* The memory of the guest in MiB. libvirt always writes it in KiB. 0: it is not told. */
static uint64_t
find_memory(const struct document *xml)
{
    xmlDocPtr tree = xml_tree_read(xml);
    xmlNodePtr memory =
        tree ? xml_tree_next(xmlDocGetRootElement(tree), NULL, "memory", NULL) : NULL;
    xmlChar *text = memory ? xmlNodeGetContent(memory) : NULL;
    uint64_t kibibytes = text ? strtoull((const char *)text, NULL, 10) : 0;

    xmlFree(text);
    xmlFreeDoc(tree);
    return kibibytes >> 10;
}

/* Whether all that the guest has in memory would fit where libvirt saves. */
static int
check_space(const struct relocation *relocation, const struct promise *promise, struct error *error)
{
    const struct host *host = relocation->call->host;
    AUTO_CLOSE int fd = host_open(host, SAVES, O_PATH | O_DIRECTORY, 0);
    uint64_t need = find_memory(&relocation->source->text), free_mib;
    struct statvfs space;

    if (fd < 0 || fstatvfs(fd, &space) < 0)
        return 0;
    for (size_t i = 0; i < promise->former.count; i++)
        need += promise->former.leases[i].framebuffer;
    free_mib = space.f_bavail * (space.f_frsize >> 10) >> 10;
    if (free_mib >= need)
        return 0;
    return error_refuse(error, ERROR_NO_ROOM,
                        "%s cannot be saved: its memory and its vGPUs have %llu MiB, and /" SAVES
                        " has %llu MiB left",
                        promise->request->name, (unsigned long long)need,
                        (unsigned long long)free_mib);
}

static int
check_domain(const struct connection_domain *domain, struct error *error)
{
    if (!domain->is_running)
        return error_refuse(error, ERROR_USAGE,
                            "%s does not run: its next start finds a place by itself",
                            domain->name);
    if (!domain->is_persistent)
        return error_refuse(
            error, ERROR_NEVER,
            "%s cannot be saved: libvirt keeps no saved state of a transient domain", domain->name);
    if (!domain->is_saved)
        return 0;
    error_refuse(error, ERROR_TAKEN, "%s has an older saved state, which the new one would replace",
                 domain->name);
    error_advise_command(error, "drop it with", "virsh managedsave-remove %s",
                         shell_word(domain->name).text);
    return REFUSED;
}

static int
check(const struct relocation *relocation, const struct promise *promise, struct error *error)
{
    int rc = check_devices(promise->request, &promise->snapshot.demands, error);

    if (rc == 0)
        rc = check_drivers(relocation, promise, error);
    return rc < 0 ? rc : check_space(relocation, promise, error);
}

/* --- the calls of libvirt --------------------------------------------------------------------- */

static int
save(const void *data, struct connection *connection, FILE *out, struct error *error)
{
    const struct relocation *relocation = data;

    (void)out;
    return connection_save(connection, &relocation->source->domain.uuid, error);
}

static int
start(const void *data, struct connection *connection, FILE *out, struct error *error)
{
    const struct relocation *relocation = data;

    (void)out;
    return connection_start(connection, &relocation->source->domain.uuid, error);
}

/* Makes one of these calls. Whatever the child says, libvirt is asked what became of the guest.
 * Returns 0 if the guest runs, or does not, as `runs` wants it. */
static int
call(const struct relocation *relocation, bool runs, struct error *error)
{
    const struct connection_domain *domain = &relocation->source->domain;
    const struct long_call long_call = {
        .call = relocation->call,
        .domain = &domain->uuid,
        .name = domain->name,
        .doing = runs ? "restored" : "saved",
        .can_stop = !runs,
        .work = runs ? start : save,
        .data = relocation,
    };
    AUTO(long_call_clear) struct long_call_end end;
    struct connection_domain now;
    int rc = long_call_make(&long_call, &end, error);

    if (rc < 0)
        return rc;
    rc = connection_find(relocation->source->connection, domain->uuid.text, &now, error);
    if (rc < 0)
        return rc;
    if (now.is_running == runs)
        return 0;
    return error_set(error, -EIO, "%s",
                     *end.said ? end.said
                               : "the process that asked libvirt for it has ended without a word");
}

/* --- the old vGPUs ---------------------------------------------------------------------------- */

/* A vGPU that is kept for the guest's next start goes, because that start finds it elsewhere. */
static int
reap_kept(const struct host *host, const struct ledger *ledger, const struct lease *lease,
          struct error *error)
{
    AUTO(findings_clear) struct findings findings = {0};
    AUTO(names_clear) struct names named = {0};
    const struct reap_order order = {.before = ledger, .named = &named};

    names_append(&named, &lease->vgpu.device);
    return reap_devices(host, &order, &findings, error);
}

static const struct lease *
find_left(const struct ledger *ledger, const struct name *domain)
{
    return ARRAY_FIND(ledger->leases, ledger->count, lease,
                      name_equal(&lease->domain, domain) && !lease_is_promise(lease));
}

/* Waits until nothing is left of what the guest had. libvirt has run release; what release could
 * not do is done here. */
static int
wait_for_removal(const struct relocation *relocation, struct error *error)
{
    const struct host *host = relocation->call->host;
    const struct connection_domain *domain = &relocation->source->domain;
    struct deadline deadline = deadline_in(host, REMOVAL);
    unsigned pause = 1;

    for (;;) {
        AUTO(ledger_clear) struct ledger ledger = {0};
        AUTO(findings_clear) struct findings findings = {0};
        const struct lease *lease;
        int rc = statedir_peek(host, &ledger, error);

        lease = rc < 0 ? NULL : find_left(&ledger, &domain->uuid);
        if (!lease)
            return rc;
        rc = lease->state == LEASE_KEPT ? reap_kept(host, &ledger, lease, error)
                                        : reconcile_host(host, &findings, error);
        if (rc < 0)
            return rc;
        if (!deadline_pause(deadline, &pause))
            return error_set(error, -EBUSY, "its vGPU %s is not gone after %u s (%s)",
                             lease->vgpu.device.text, REMOVAL / 1000,
                             lease_state_name(lease->state));
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

/* The guest is off. Starts it where a promise says. */
static int
start_at(const struct relocation *relocation, struct promise *promise, struct error *error)
{
    int rc = wait_for_removal(relocation, error);

    if (rc == 0)
        rc = promise_give(promise, error);
    return rc < 0 ? rc : call(relocation, true, error);
}

/* The new place does not do. The former one may be free still; else any place is better than none.
 * error: why not, and what became of the guest. */
static enum relocation_end
go_back(const struct relocation *relocation, struct promise *promise, struct error *error)
{
    const struct connection_domain *domain = &relocation->source->domain;
    struct promise back = PROMISE_NONE;
    struct error failure;
    int rc = wait_for_removal(relocation, &failure);

    if (rc == 0)
        rc = promise_hold_former(promise, &back, &failure);
    promise_close(promise);
    if (rc == 0)
        rc = promise_give(&back, &failure);
    if (rc == 0)
        rc = call(relocation, true, &failure);
    promise_close(&back);
    if (rc == 0) {
        error_add(error, "it runs where it was");
        return RELOCATION_RETURNED;
    }
    error_add(error, "nor does it start where it was: %s; it is off and saved", failure.text);
    error_advise_command(error, "restore it with", "virsh start %s", shell_word(domain->name).text);
    return RELOCATION_SAVED;
}

/* The definition names the virtual functions that the guest had. */
static void
update_definition(const struct relocation *relocation)
{
    AUTO(definitions_lock_end) struct definitions_lock lock = DEFINITIONS_UNLOCKED;
    const struct connection_domain *domain = &relocation->source->domain;
    struct error failure;
    int rc = definitions_lock_take(relocation->call->host, &lock, &failure);

    if (rc == 0)
        rc = moved_definition_update(relocation->source->connection, &domain->uuid, &failure);
    if (rc < 0)
        reply_warn(relocation->call, ERROR_FAILED,
                   "%s: its definition may name what it had before: %s", domain->name,
                   failure.text);
}

static int
move(const struct relocation *relocation, struct promise *promise, enum relocation_end *ret,
     struct error *error)
{
    int rc = call(relocation, false, error);

    if (rc < 0) {
        error_wrap(error, "%s is not moved, and runs where it was",
                   relocation->source->domain.name);
        return rc;
    }
    rc = start_at(relocation, promise, error);
    if (rc < 0) {
        error_wrap(error, "%s does not start at its new place", relocation->source->domain.name);
        *ret = go_back(relocation, promise, error);
        return rc;
    }
    *ret = RELOCATION_MOVED;
    update_definition(relocation);
    return 0;
}

/* From the save on, a signal may not end this process before the guest runs. */
static void
block_signals(sigset_t *before)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    sigset_t blocked;

    sigemptyset(&blocked);
    for (size_t i = 0; i < COUNT(ends); i++)
        sigaddset(&blocked, ends[i]);
    sigprocmask(SIG_BLOCK, &blocked, before);
}

int
relocation_run(const struct relocation *relocation, enum relocation_end *ret, struct error *error)
{
    struct promise promise = PROMISE_NONE;
    sigset_t before;
    int rc = check_domain(&relocation->source->domain, error);

    *ret = RELOCATION_STAYED;
    if (rc == 0)
        rc = promise_hold(relocation->call->host, &relocation->source->request, relocation->left,
                          relocation->only, &promise, error);
    if (rc == 0)
        rc = check(relocation, &promise, error);
    if (rc == 0) {
        block_signals(&before);
        rc = move(relocation, &promise, ret, error);
        promise_close(&promise);
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    promise_close(&promise);
    return rc;
}
