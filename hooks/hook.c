/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "hook.h"
#include "adopt.h"
#include "assign.h"
#include "demand.h"
#include "log.h"
#include "release.h"

#include <stdio.h>
#include <string.h>

static int
on_release(const struct host *host, const struct request *request, struct error *error)
{
    return release_domain(host, &request->domain, error);
}

/* It has nothing to do yet but to say so when the document is unreadable. */
static int
on_incoming(const struct host *host, const struct request *request, struct error *error)
{
    (void)host, (void)request, (void)error;
    return 0;
}

/* Operations that are not here, known to us or not, are none of our business: exit 0. */
static const struct event {
    const char *operation, *sub;
    int (*run)(const struct host *host, const struct request *request, struct error *error);
    bool must_read; /* an unreadable document is a failure */
    bool may_fail;  /* a failure may be told to libvirt, else only to the log */
} events[] = {
    {"prepare", "begin", assign_domain, true, true},
    {"start", "begin", assign_verify, false, true},
    {"reconnect", "begin", adopt_domain, false, false},
    {"release", "end", on_release, false, false},
    {"migrate", "begin", on_incoming, true, true},
    {"restore", "begin", on_incoming, true, true},
};

/* NULL for sub: any. */
static const struct event *
find_event(const char *operation, const char *sub)
{
    for (size_t i = 0; i < COUNT(events); i++) {
        if (!strcmp(events[i].operation, operation) && (!sub || !strcmp(events[i].sub, sub)))
            return &events[i];
    }
    return NULL;
}

/* A per-user daemon runs us as its user, who can make no vGPU. */
static int
refuse_unprivileged(const struct event *event, const struct request *request, struct error *error)
{
    int rc = event->must_read ? request_check(request, error) : 0;

    for (size_t i = 0; rc == 0 && event->must_read && i < request->hostdev_count; i++) {
        if (demand_is_explicit(&request->hostdevs[i]))
            rc = error_set(error, -EPERM,
                           "it asks for a vGPU, and only qemu:///system can give it one");
    }
    return rc;
}

static void
tell_people(int faults, const char *domain, struct error *error)
{
    error_wrap(error, "%s", domain);
    dprintf(faults, "vgpu: %s\n", error->text);
}

/* A person, or a program that is not libvirt. */
static int
refuse_usage(int argc, char *const argv[], int faults)
{
    const struct event *event = argc > 2 ? find_event(argv[2], NULL) : NULL;

    dprintf(faults, "vgpu: usage: NAME OPERATION SUB-OPERATION EXTRA, with the domain's XML on "
                    "stdin; libvirt calls this, see libvirt-vgpu-hook(8)\n");
    return argc <= 2 || (event && event->must_read);
}

int
hook_run(const struct host *host, bool privileged, int argc, char *const argv[], int input,
         int faults)
{
    AUTO(request_clear) struct request request = {0};
    const struct event *event;
    struct error error = {0};
    bool tell;
    int rc;

    if (argc < 4)
        return refuse_usage(argc, argv, faults);
    event = find_event(argv[2], argv[3]);
    if (!event)
        return 0;
    rc = request_read(input, &request, &error);
    if (rc < 0) {
        tell = event->must_read;
    } else {
        rc = privileged ? event->run(host, &request, &error)
                        : refuse_unprivileged(event, &request, &error);
        tell = event->may_fail;
    }
    if (rc < 0 && tell)
        tell_people(faults, request.name ? request.name : argv[1], &error);
    else if (rc < 0)
        log_problem(event->operation, argv[1], &error);
    return rc < 0 && tell;
}
