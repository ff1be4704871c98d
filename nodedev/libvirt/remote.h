/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * remote: other hosts, as their libvirts describe them. Nothing of libvirt-vgpu is needed on those
 * hosts.
 *
 * 64 hosts are asked at once, each by a child process (child.h). At the deadline a child is killed,
 * with all that it started. The next 64 hosts follow. The answers of hosts that are asked at once
 * have 256 MB at most.
 *
 * A host that gave no complete answer has only `failure` set.
 */

#pragma once

#include "base/deadline.h"
#include "device/inventory.h"
#include "libvirt/connection.h"

struct remote_host {
    const char *uri;      /* borrowed */
    char *label;          /* the name for tables: the host in the URI, else the URI */
    struct error failure; /* a line that names the URI; "": the host answered */

    char *hypervisor;         /* "QEMU", or another hypervisor that libvirt runs there */
    unsigned libvirt_version; /* 1000000 * major + 1000 * minor + release; likewise the next */
    unsigned hypervisor_version;
    struct name uuid;           /* UUID of the host; "": not told */
    struct inventory inventory; /* as node-device.h describes it */
    struct domains domains;     /* empty if they were not asked for */
};

struct remote_hosts {
    struct remote_host *items;
    size_t count;
};

/* The hosts that are asked, and the scope of the question. */
struct remote_question {
    const char *const *uris;
    size_t count;
    enum connection_scope scope;
    unsigned seconds; /* the longest time for an answer of those that are asked at once */
};

/* Asks all hosts; ret has them in the same order. A host that does not answer is no error. Returns
 * -ENOTCONN with a line in error if libvirt's library cannot be loaded. The caller clears ret in
 * every case. */
int remote_ask(const struct host *here, const struct remote_question *question,
               struct remote_hosts *ret, struct error *error) CHECKED NONNULL;
void remote_clear(struct remote_hosts *hosts) NONNULL;

/*
 * For remote_ask and its tests: reads an answer. It has the words of connection_tell, each ended by
 * a NUL. The last word is "end", or "problem" followed by the reason. A malformed answer becomes
 * the host's failure.
 */
void remote_read(struct remote_host *host, const char *words, size_t size) NONNULL;
