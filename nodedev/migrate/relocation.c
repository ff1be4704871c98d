/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/relocation.h"
#include "actions/reap.h"
#include "actions/reconcile.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/shell-word.h"
#include "cli/end-signals.h"
#include "cli/reply.h"
#include "lease/log.h"
#include "libvirt/definition.h"
#include "libvirt/long-call.h"
#include "migrate/managed-save.h"
#include "migrate/move.h"

#include <stdio.h>
#include <string.h>

#define REMOVAL 60000 /* ms that the removal of the old vGPUs may take */
#define LONGEST_JOB                                                                                \
    3600000 /* ms that a save may take after the process that asked for it has ended */

const char *const relocation_words[] = {
    [RELOCATION_STAYED] = "stayed",     [RELOCATION_MOVED] = "moved",
    [RELOCATION_RETURNED] = "returned", [RELOCATION_SAVED] = "saved",
    [RELOCATION_OFF] = "off",           [RELOCATION_UNKNOWN] = "unknown",
};

/* --- the plan --------------------------------------------------------------------------------- */

/* MiB of the vGPUs of these leases. */
static unsigned
count_framebuffer(const struct ledger *ledger)
{
    unsigned framebuffer = 0;

    for (size_t i = 0; i < ledger->count; i++)
        framebuffer += ledger->leases[i].framebuffer;
    return framebuffer;
}

static int
check_guest(const struct relocation *relocation, const struct demands *demands,
            const struct ledger *former, struct error *error)
{
    const struct domain_source *source = relocation->source;

    if (relocation->way == RELOCATION_SHUT_DOWN)
        return 0;
    return managed_save_check_guest(relocation->call->host, &source->request, demands,
                                    count_framebuffer(former), &source->text, error);
}

int
relocation_foresee(const struct relocation *relocation, struct snapshot *snapshot,
                   struct error *error)
{
    AUTO(ledger_clear) struct ledger former = {0};
    const size_t count = snapshot->ledger.count;
    int rc = managed_save_check_domain(&relocation->source->domain, error);

    if (rc == 0)
        rc = promise_foresee(snapshot, relocation->call->host, &relocation->source->request,
                             relocation->left, relocation->only, &former, error);
    if (rc == 0)
        rc = check_guest(relocation, &snapshot->demands, &former, error);
    while (rc < 0 && snapshot->ledger.count > count)
        ledger_remove(&snapshot->ledger, &snapshot->ledger.leases[snapshot->ledger.count - 1]);
    return rc;
}

/* --- the calls of libvirt --------------------------------------------------------------------- */

#define DONE "done" /* what the child says after a success */

static int
save(const void *data, struct connection *connection, FILE *out, struct error *error)
{
    const struct relocation *relocation = data;
    int rc = connection_save(connection, &relocation->source->domain.uuid, error);

    if (rc == 0)
        fwrite(DONE, 1, strlen(DONE), out);
    return rc;
}

static int
start(const void *data, struct connection *connection, FILE *out, struct error *error)
{
    const struct relocation *relocation = data;
    int rc = connection_start(connection, &relocation->source->domain.uuid, error);

    if (rc == 0)
        fwrite(DONE, 1, strlen(DONE), out);
    return rc;
}

/* What became of the guest. The connection of before may be broken by now. */
static enum relocation_end
ask(const struct relocation *relocation, struct error *error)
{
    const struct connection_domain *domain = &relocation->source->domain;
    AUTO(connection_close) struct connection *connection = NULL;
    struct connection_domain now;
    int rc = connection_open(relocation->call->host, relocation->call->uri, CONNECTION_READ,
                             &connection, error);

    if (rc == 0)
        rc = connection_find(connection, domain->uuid.text, &now, error);
    if (rc < 0)
        return RELOCATION_UNKNOWN;
    return now.is_running ? RELOCATION_STAYED : now.is_saved ? RELOCATION_SAVED : RELOCATION_OFF;
}

/* If the process that asked for the save was killed, libvirt goes on alone. */
static void
wait_for_job(const struct relocation *relocation, struct connection *connection)
{
    struct deadline deadline = deadline_in(relocation->call->host, LONGEST_JOB);
    struct connection_progress progress;
    unsigned pause = 1;
    struct error ignored;

    while (connection &&
           connection_progress(connection, &relocation->source->domain.uuid, &progress, &ignored) ==
               0 &&
           progress.total && deadline_pause(deadline, &pause))
        continue;
}

/* Makes one of these calls. If the call fails, error says why, and libvirt is asked what became of
 * the guest. After a success libvirt is not asked, because somebody else may have saved or started
 * the guest since. */
static enum relocation_end
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
    enum relocation_end became;
    struct error failure;
    int rc = long_call_make(&long_call, &end, error);

    *relocation->is_signalled |= end.is_signalled;
    if (!strcmp(end.said, DONE))
        return runs ? RELOCATION_STAYED : RELOCATION_SAVED;
    if (rc == 0)
        error_set(error, -EIO, "%s",
                  *end.said ? end.said
                            : "the process that asked libvirt for it has ended without a word");
    if (!*end.said && !runs)
        wait_for_job(relocation, end.connection);
    became = ask(relocation, &failure);
    if (became == RELOCATION_UNKNOWN)
        error_add(error, "%s", failure.text);
    return became;
}

/* --- off -------------------------------------------------------------------------------------- */

/* The state in which the guest can be started at its new place. */
static enum relocation_end
off(const struct relocation *relocation)
{
    return relocation->way == RELOCATION_SAVE ? RELOCATION_SAVED : RELOCATION_OFF;
}

/* Asks the guest to shut down, and waits for that. A signal does not end the waiting, because the
 * guest goes off all the same, and nobody would start it then. */
static enum relocation_end
shut_down(const struct relocation *relocation, struct error *error)
{
    const struct connection_domain *domain = &relocation->source->domain;
    struct deadline deadline =
        deadline_in(relocation->call->host, (uint64_t)relocation->patience * 1000);
    enum relocation_end end = RELOCATION_STAYED;
    unsigned pause = 1;
    struct error ignored;

    /* It may have gone off by itself just now. */
    if (connection_shut_down(relocation->source->connection, &domain->uuid, error) < 0)
        return ask(relocation, &ignored);
    /* libvirtd may restart meanwhile. */
    while ((end == RELOCATION_STAYED || end == RELOCATION_UNKNOWN) &&
           deadline_pause(deadline, &pause))
        end = ask(relocation, error);
    if (end == RELOCATION_STAYED) {
        error_set(error, -EBUSY, "it was asked to shut down, and has not done so within %u s",
                  relocation->patience);
        error_advise_command(error, "if it goes off now, start it with", "virsh start %s",
                             shell_word(domain->name).text);
    }
    return end;
}

/* --- the old vGPUs ---------------------------------------------------------------------------- */

/* Waits until nothing is left of what the guest had. libvirt has run release; what release could
 * not do is done here. A vGPU that is kept for the guest's next start goes, because that start
 * finds another one. Others do it as well, so a failure is no reason to give up. */
static int
wait_for_removal(const struct relocation *relocation, struct error *error)
{
    const struct host *host = relocation->call->host;
    const struct connection_domain *domain = &relocation->source->domain;
    struct deadline deadline = deadline_in(host, REMOVAL);
    unsigned pause = 1;

    for (;;) {
        AUTO(ledger_clear) struct ledger ledger = {0};
        AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
        AUTO(names_clear) struct names kept = {0};
        const struct lease *lease;
        struct error ignored;
        int rc = statedir_peek(host, &ledger, error);

        lease = rc < 0 ? NULL : ledger_find_of(&ledger, &domain->uuid);
        if (!lease)
            return rc;
        if (lease_is_in_use(lease) && ask(relocation, &ignored) == RELOCATION_STAYED)
            return error_set(error, -EBUSY, "somebody has started it meanwhile");
        if (lease->state == LEASE_KEPT) {
            names_append(&kept, &lease->vgpu.device);
            reap_named(host, &ledger, &kept);
        } else {
            (void)!reconcile_host(host, &outcomes, &ignored);
        }
        if (!deadline_pause(deadline, &pause))
            return error_set(error, -EBUSY, "its vGPU %s is not gone after %u s (%s)",
                             lease->vgpu.device.text, REMOVAL / 1000,
                             lease_state_name(lease->state));
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

/* The definition names the virtual functions that the guest had. A guest that is restored does not
 * need it, but a start does. */
static int
change_definition(const struct relocation *relocation, const struct promise *promise,
                  bool *is_changed, struct error *error)
{
    AUTO(definitions_lock_end) struct definitions_lock lock = DEFINITIONS_UNLOCKED;
    const struct domain_source *source = relocation->source;
    AUTO_FREE struct request_hostdev *hostdevs =
        memory_zeroed(source->request.hostdev_count, sizeof(*hostdevs));
    struct request now = source->request;
    int rc = definitions_lock_take(relocation->call->host, &lock, error);

    for (size_t i = 0; i < now.hostdev_count; i++) {
        hostdevs[i] = now.hostdevs[i];
        for (size_t k = 0; k < promise->count; k++) {
            if (name_equal(&promise->former.leases[k].vgpu.device, &hostdevs[i].source))
                hostdevs[i].source = promise->leases[k].vgpu.device;
        }
    }
    now.hostdevs = hostdevs;
    /* Even a call that fails may have changed it. */
    *is_changed |= rc == 0;
    if (rc == 0)
        rc = move_follow_definition(source->connection, &source->domain.uuid, &now, error);
    return rc < 0 ? rc : 0;
}

/* Whether the places of a promise have other names than what the guest had. */
static bool
has_new_names(const struct promise *promise)
{
    for (size_t i = 0; i < promise->count; i++) {
        if (!name_equal(&promise->former.leases[i].vgpu.device, &promise->leases[i].vgpu.device))
            return true;
    }
    return false;
}

/* The guest is off, and its old vGPUs are gone. Starts it where a promise says. *is_changed: its
 * definition names other places than before the move. */
static enum relocation_end
start_at(const struct relocation *relocation, struct promise *promise, bool *is_changed,
         struct error *error)
{
    struct error ignored;
    int rc = 0;

    if (relocation->way == RELOCATION_SHUT_DOWN && (*is_changed || has_new_names(promise)))
        rc = change_definition(relocation, promise, is_changed, error);
    if (rc == 0)
        rc = promise_give(promise, error);
    return rc < 0 ? ask(relocation, &ignored) : call(relocation, true, error);
}

/* The new place does not do. The former one may be free still. */
static enum relocation_end
go_back(const struct relocation *relocation, struct promise *promise, bool is_changed,
        struct error *error)
{
    struct promise back = PROMISE_NONE;
    enum relocation_end end;
    struct error ignored;
    int rc = wait_for_removal(relocation, error);

    if (rc == 0)
        rc = promise_hold_former(promise, &back, error);
    promise_close(promise);
    end = rc < 0 ? ask(relocation, &ignored) : start_at(relocation, &back, &is_changed, error);
    promise_close(&back);
    return end;
}

/* Whether all that the guest has is where it was to go. */
static bool
is_there(const struct relocation *relocation)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error ignored;

    return statedir_peek(relocation->call->host, &ledger, &ignored) == 0 &&
           !ARRAY_HAS(ledger.leases, ledger.count, lease,
                      name_equal(&lease->domain, &relocation->source->domain.uuid) &&
                          (names_has(relocation->left, &lease->gpu) ||
                           (relocation->only->count && !names_has(relocation->only, &lease->gpu))));
}

void
relocation_update_definition(const struct relocation *relocation)
{
    AUTO(definitions_lock_end) struct definitions_lock lock = DEFINITIONS_UNLOCKED;
    const struct connection_domain *domain = &relocation->source->domain;
    struct error failure;
    int rc = definitions_lock_take(relocation->call->host, &lock, &failure);

    if (rc == 0)
        rc = move_update_definition(relocation->source->connection, &domain->uuid, &failure);
    if (rc < 0)
        reply_warn(relocation->call, ERROR_FAILED,
                   "%s: its definition may name what it had before: %s", domain->name,
                   failure.text);
}

/* The log tells where the guest's vGPUs are now, and where they were. */
static void
log_move(const struct relocation *relocation, const struct ledger *former)
{
    const struct host *host = relocation->call->host;
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error ignored;
    char result[128];

    if (statedir_peek(host, &ledger, &ignored) < 0 || former->count == 0)
        return;
    snprintf(result, sizeof(result), "moved from %s", former->leases[0].gpu.text);
    for (size_t i = 0; i < ledger.count; i++) {
        if (name_equal(&ledger.leases[i].domain, &relocation->source->domain.uuid))
            log_lease(host, "move", &ledger.leases[i], result);
    }
}

/* Says where the guest is in the end. error has why it is not where it was to go. */
static int
tell(const struct relocation *relocation, enum relocation_end end, struct error *error)
{
    const char *name = relocation->source->domain.name;
    struct error why;

    error_set(&why, -EIO, "%s", error->text);
    *error = why;
    switch (end) {
    case RELOCATION_STAYED:
        error_wrap(error, "%s is not moved, and runs where it was", name);
        break;
    case RELOCATION_SAVED:
        error_wrap(error, "%s is off and saved, and does not start", name);
        error_advise_command(error, "restore it with", "virsh start %s", shell_word(name).text);
        break;
    case RELOCATION_OFF:
        error_wrap(error, "%s is off, and has no saved state", name);
        error_advise_command(error, "start it with", "virsh start %s", shell_word(name).text);
        break;
    case RELOCATION_UNKNOWN:
        error_wrap(error, "whether %s runs is not known", name);
        error_advise_command(error, "see", "virsh list --all");
        break;
    default:
        error_wrap(error, "%s runs again, but not where it was to go", name);
        break;
    }
    return -EIO;
}

static int
move(const struct relocation *relocation, struct promise *promise, enum relocation_end *ret,
     struct error *error)
{
    bool is_changed = false;
    struct error failure;

    *ret = relocation->way == RELOCATION_SAVE ? call(relocation, false, error)
                                              : shut_down(relocation, error);
    if (*ret != off(relocation))
        return tell(relocation, *ret, error);
    if (wait_for_removal(relocation, error) < 0) {
        *ret = ask(relocation, &failure);
        return tell(relocation, *ret, error);
    }
    *ret = start_at(relocation, promise, &is_changed, error);
    if (*ret == off(relocation)) {
        *ret = go_back(relocation, promise, is_changed, &failure);
        if (*ret == RELOCATION_STAYED)
            *ret = RELOCATION_RETURNED;
        else
            error_add(error, "nor where it was: %s", failure.text);
    } else if (*ret == RELOCATION_STAYED && is_there(relocation)) {
        *ret = RELOCATION_MOVED;
    } else if (*ret == RELOCATION_STAYED) {
        error_set(error, -EIO, "it was started on another GPU than the one that was held for it");
        *ret = RELOCATION_RETURNED;
    }
    if (*ret != RELOCATION_MOVED)
        return tell(relocation, *ret, error);
    relocation_update_definition(relocation);
    return 0;
}

int
relocation_run(const struct relocation *relocation, enum relocation_end *ret, struct error *error)
{
    const struct host *host = relocation->call->host;
    struct promise promise = PROMISE_NONE;
    uint64_t size, begun;
    sigset_t before;
    int rc = managed_save_check_domain(&relocation->source->domain, error);

    *ret = RELOCATION_STAYED;
    if (rc == 0)
        rc = promise_hold(host, &relocation->source->request, relocation->left, relocation->only,
                          &promise, error);
    if (rc == 0)
        rc = check_guest(relocation, &promise.snapshot.demands, &promise.former, error);
    /* From the save on, a signal may not end this process before the guest runs. */
    end_signals_block(&before);
    size = managed_save_memory(&relocation->source->text) + count_framebuffer(&promise.former);
    begun = host_uptime(host);
    if (rc == 0)
        rc = move(relocation, &promise, ret, error);
    if (rc == 0 && relocation->way == RELOCATION_SAVE)
        managed_save_note_pause(host, size, host_uptime(host) - begun);
    if (rc == 0)
        log_move(relocation, &promise.former);
    promise_close(&promise);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int
relocation_restore(const struct relocation *relocation, enum relocation_end *ret,
                   struct error *error)
{
    sigset_t before;

    end_signals_block(&before);
    *ret = call(relocation, true, error);
    if (*ret == RELOCATION_STAYED) {
        *ret = RELOCATION_MOVED;
        relocation_update_definition(relocation);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return *ret == RELOCATION_MOVED ? 0 : tell(relocation, *ret, error);
}
