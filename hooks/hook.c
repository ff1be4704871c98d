/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hook.h"
#include "actions/adopt.h"
#include "actions/assign.h"
#include "actions/incoming.h"
#include "actions/release.h"
#include "actions/run.h"
#include "base/memory.h"
#include "base/usage.h"
#include "domain/request-parser.h"
#include "lease/counters.h"
#include "lease/log.h"
#include "placement/resolution.h"

#include <stdio.h>
#include <string.h>

/* The events of libvirt that we handle. hook_run exits with 0 for every other one. */
static const struct hook_event {
    const char *operation, *sub;
    int (*run)(const struct host *host, const struct request *request, struct error *error);
    /* For the end of a guest, whose reason libvirt says. */
    int (*end)(const struct host *host, const struct request *request, const char *reason,
               struct error *error);
    /* For events where libvirt takes the domain's XML back. An empty ret leaves the XML as it
     * is. */
    int (*rewrite)(const struct host *host, const struct document *document,
                   const struct request *request, struct document *ret, struct error *error);
    bool must_read; /* an unreadable document is a failure */
    bool may_fail;  /* a failure, of memory too, makes the hook exit with 1; if false, only the log
                       tells of it */
    enum counters_operation counter; /* COUNTERS_OPERATIONS: not counted */
} events[] = {
    {"prepare", "begin", assign_domain, NULL, NULL, true, true, COUNTERS_PREPARE},
    {"start", "begin", run_verify, NULL, NULL, false, true, COUNTERS_START},
    {"started", "begin", run_mark, NULL, NULL, false, false, COUNTERS_OPERATIONS},
    {"reconnect", "begin", adopt_domain, NULL, NULL, false, false, COUNTERS_RECONNECT},
    {"release", "end", NULL, release_domain, NULL, false, false, COUNTERS_RELEASE},
    {"migrate", "begin", NULL, NULL, incoming_migrate, true, true, COUNTERS_MIGRATE},
    {"restore", "begin", NULL, NULL, incoming_restore, true, true, COUNTERS_RESTORE},
};

/* sub may be NULL: any sub-operation. */
static const struct hook_event *
find_event(const char *operation, const char *sub)
{
    for (size_t i = 0; i < COUNT(events); i++) {
        if (!strcmp(events[i].operation, operation) && (!sub || !strcmp(events[i].sub, sub)))
            return &events[i];
    }
    return NULL;
}

/* A per-user daemon runs the hook as its user. That user can make no vGPU. */
static int
refuse_unprivileged(const struct hook_event *event, const struct request *request,
                    struct error *error)
{
    int rc = event->must_read ? request_check(request, error) : 0;

    if (rc == 0 && event->must_read && resolution_is_asked(request))
        return error_set(error, -EPERM,
                         "it asks for a vGPU, and only qemu:///system can give it one");
    return rc;
}

static void
tell_people(int faults, const char *domain, struct error *error)
{
    error_wrap(error, "%s", domain);
    dprintf(faults, "vgpu: %s\n", error->text);
}

#define ARGUMENTS "NAME OPERATION SUB-OPERATION EXTRA"

static const struct usage usage = {"libvirt-vgpu-hook", ARGUMENTS " <XML", "libvirt"};

/* Too few arguments: a person, or a program that is not libvirt, runs the hook. */
static int
answer_person(int argc, char *const argv[], int output, int faults)
{
    const struct hook_event *event = argc > 2 ? find_event(argv[2], NULL) : NULL;

    if (usage_answer(&usage, argc, argv, output))
        return 0;
    dprintf(faults, "vgpu: usage: " ARGUMENTS ", with the domain's XML on stdin; libvirt calls "
                    "this, see libvirt-vgpu-hook(8)\n");
    return argc <= 2 || (event && event->must_read);
}

/* Prints the changed XML only once all of it is there. */
static int
rewrite(const struct hook_event *event, const struct host *host, const struct document *document,
        const struct request *request, int output, struct error *error)
{
    AUTO(document_clear) struct document changed = {0};
    int rc = event->rewrite(host, document, request, &changed, error);

    if (rc < 0 || !changed.text)
        return rc;
    rc = document_write(&changed, output);
    return rc < 0 ? error_set(error, rc, "handing the XML back to libvirt: %s", strerror(-rc)) : 0;
}

/* Whether the guest has a vGPU. A PCI device with a user alias alone is no proof of one. */
static bool
has_vgpu(const struct request *request)
{
    bool found = resolution_is_asked(request);

    for (size_t i = 0; i < request->hostdev_count; i++)
        found |= request->hostdevs[i].kind == REQUEST_MDEV && request->hostdevs[i].is_gpu;
    return found;
}

/* A guest without a vGPU is to cost nothing, so its events are not counted. */
static int
handle(const struct hook_event *event, const struct host *host, const struct document *document,
       const struct request *request, const char *extra, int output, struct error *error)
{
    int rc = event->rewrite ? rewrite(event, host, document, request, output, error)
             : event->end   ? event->end(host, request, extra, error)
                            : event->run(host, request, error);

    if (event->counter < COUNTERS_OPERATIONS && has_vgpu(request))
        counters_add(host, event->counter, rc, error);
    return rc;
}

/* The input may be truncated. Release needs only the UUID, so parse as far as possible. */
static int
read_request(const struct host *host, int input, struct document *document, struct request *request,
             struct error *error)
{
    struct error ignored;
    int rc = document_read(host, input, document, error), parsed = -EINVAL;

    if (document->length)
        parsed = request_parse(document, request, rc < 0 ? &ignored : error);
    return rc < 0 ? rc : parsed;
}

int
hook_run(const struct host *host, bool privileged, int argc, char *const argv[], int input,
         int output, int faults)
{
    AUTO(document_clear) struct document document = {0};
    AUTO(request_clear) struct request request = {0};
    const struct hook_event *event;
    struct error error = {0};
    bool tell;
    int rc;

    if (argc < 4)
        return answer_person(argc, argv, output, faults);
    event = find_event(argv[2], argv[3]);
    if (!event)
        return 0;
    memory_end_with(event->may_fail);
    rc = read_request(host, input, &document, &request, &error);
    tell = rc < 0 ? event->must_read : event->may_fail;
    /* libvirt runs such an event once. The ledger knows the guest's devices, so its UUID is
     * enough. */
    if (rc < 0 && !event->may_fail && *request.domain.text) {
        log_failure(host, event->operation, argv[1], &error);
        rc = 0;
    }
    if (rc == 0 && !privileged)
        rc = refuse_unprivileged(event, &request, &error);
    else if (rc == 0)
        rc = handle(event, host, &document, &request, argc > 4 ? argv[4] : "-", output, &error);
    if (rc < 0 && tell)
        tell_people(faults, request.name ? request.name : argv[1], &error);
    else if (rc < 0)
        log_failure(host, event->operation, argv[1], &error);
    return rc < 0 && tell;
}
