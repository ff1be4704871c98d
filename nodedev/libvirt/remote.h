/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * remote: other hosts, as their libvirts tell of them; nothing of ours is needed there.
 *
 * All are asked at once, each by a child process in a session of its own, because a call of
 * libvirt's may hang for as long as a network does, and libvirt starts programs like ssh for it.
 * At the deadline the child is killed with all that it started. Nobody can be asked for a password.
 *
 * A host that gave no whole answer has its problem set and nothing else.
 */

#pragma once

#include "base/deadline.h"
#include "device/inventory.h"
#include "libvirt/connection.h"

struct remote_host {
    const char *uri;      /* borrowed */
    char *label;          /* what tables call it: the host in the URI, else the URI */
    struct error failure; /* a line that names the URI; "": it answered */

    char *hypervisor;         /* "QEMU", or what else libvirt runs there */
    unsigned libvirt_version; /* 1000000 * major + 1000 * minor + release, like the next */
    unsigned hypervisor_version;
    struct name uuid;           /* of the host; "": not told */
    struct inventory inventory; /* as node-device.h says */
    struct domains domains;     /* none if they were not asked for */
};

struct remote_hosts {
    struct remote_host *items;
    size_t count;
};

/* Who is asked, and for what. */
struct remote_question {
    const char *const *uris;
    size_t count;
    enum connection_scope scope;
    unsigned seconds; /* that an answer may take */
};

/* Asks them all, in this order; that some do not answer is no error. -ENOTCONN with a line in
 * error if libvirt's library cannot be loaded. The caller clears ret in every case. */
int remote_ask(const struct host *here, const struct remote_question *question,
               struct remote_hosts *ret, struct error *error) CHECKED NONNULL;
void remote_clear(struct remote_hosts *hosts) NONNULL;

/* How many have a problem. */
size_t remote_failures(const struct remote_hosts *hosts) CHECKED NONNULL;

/*
 * For remote_ask, and its tests: reads an answer, the words of connection_tell, each ended by a
 * NUL; the last is "end", or "problem" and why. What it cannot be becomes the host's problem.
 */
void remote_read(struct remote_host *host, const char *words, size_t size) NONNULL;
