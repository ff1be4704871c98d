/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * answers: what a host has answered, by the question: a table, and its text.
 *
 * A question is one of struct host's operations and a path. The answer is the bytes that came back,
 * or the errno. The text is the file "manifest" of a capture, a line for each answer:
 *
 *     libvirt-vgpu capture 1
 *     # vgpuctl 0.1, libvirt 11.3.0, QEMU 10.0.2
 *     host now = 8123000000000
 *     list sys/class/mdev_bus = 0000:18:00.0/0000:19:00.0
 *     link sys/bus/pci/devices/0000:18:00.0/driver = ../../bus/pci/drivers/nvidia
 *     read sys/bus/pci/devices/0000:18:00.0/vendor = 0x10de\n
 *     open run/libvirt-vgpu/claims ! 13 Permission denied
 *
 * A backslash stands for a byte that would not be seen, or would end the line: \n, \\ and \x1f.
 * Lines that begin with '#' are for people. A manifest may come from anybody.
 */

#pragma once

#include "base/error.h"

#include <stdio.h>
#include <sys/types.h>

/* What the bytes of an answer are. */
enum answer_kind {
    ANSWER_HOST,   /* "now" and "booted" instead of a path: nanoseconds in decimal; "config",
                      "hooks" and "hook": those paths of struct host */
    ANSWER_READ,   /* the file */
    ANSWER_LIST,   /* the names, with a '/' between two */
    ANSWER_LINK,   /* where it leads */
    ANSWER_STATUS, /* see status-text.h */
    ANSWER_OPEN,   /* the same, a line feed, and the file */
    ANSWER_LABEL,  /* the SELinux context */
    ANSWER_LOCKED, /* a claim's number instead of a path: "1" or "0" */
    ANSWER_KINDS,
};

struct answer {
    char *path;
    enum answer_kind kind;
    int error;  /* an errno; 0: none */
    char *text; /* terminated, and may have other bytes 0 in it */
    size_t length;
};

struct answers {
    void *tree; /* of tsearch(3) */
};

/* Adds an answer: its length, or -errno. The first one to a question stays. */
void answers_add(struct answers *answers, enum answer_kind kind, const char *path,
                 const char *bytes, ssize_t length) __attribute__((nonnull(1, 3)));

/* NULL: that was not asked. */
struct answer *answers_find(const struct answers *answers, enum answer_kind kind,
                            const char *path) CHECKED NONNULL;

/* Each of them, by path and then by kind. The visitor may change its text, and not its path. */
void answers_visit(const struct answers *answers, void (*visit)(struct answer *answer, void *data),
                   void *data) __attribute__((nonnull(1, 2)));

/* The text of all of them, with a line for people. */
void answers_write(const struct answers *answers, const char *remark, FILE *out) NONNULL;

/* Whether a text is a manifest, of any version. */
bool answers_are(const char *text) CHECKED NONNULL;

/* Reads a text, and changes it. -EBADMSG or -EPROTONOSUPPORT with a line in error. The caller
 * clears ret in every case. */
int answers_parse(char *text, struct answers *ret, struct error *error) CHECKED NONNULL;

void answers_clear(struct answers *answers) NONNULL;
