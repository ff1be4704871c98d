/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * answers: a table of the answers that a host gave, by question, and the table as text.
 *
 * A question is one operation of struct host and a path. The answer is the bytes that came back, or
 * the errno. The text is the file "manifest" of a capture. It has a line for each answer:
 *
 *     libvirt-vgpu capture 1
 *     # vgpuctl 0.1, libvirt 11.3.0, QEMU 10.0.2
 *     host now = 8123000000000
 *     list sys/class/mdev_bus = 0000:18:00.0/0000:19:00.0
 *     link sys/bus/pci/devices/0000:18:00.0/driver = ../../bus/pci/drivers/nvidia
 *     read sys/bus/pci/devices/0000:18:00.0/vendor = 0x10de\n
 *     open run/libvirt-vgpu/claims ! 13 Permission denied
 *
 * A byte that cannot be seen, or that would end the line, is written with a backslash: \n, \\ and
 * \x1f. Lines that begin with '#' are for people. A manifest is untrusted input. If it has names of
 * guests and users, its first line ends with "with names". Earlier versions did not write that.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <stdio.h>
#include <sys/stat.h>

/* What the bytes of an answer mean. */
enum answer_kind {
    ANSWER_HOST,   /* the path is "now" or "booted": nanoseconds in decimal; "config", "hooks" or
                      "hook": that path of struct host; or "unrecorded", see playback.h */
    ANSWER_READ,   /* contents of the file */
    ANSWER_LIST,   /* names, with '/' between them */
    ANSWER_LINK,   /* target of the link */
    ANSWER_STATUS, /* text of answer_status_of */
    ANSWER_DEVICE, /* the number of a character device, "240:12"; "": the file is none */
    ANSWER_OPEN,   /* text of answer_status_of, a line feed, and the contents of the file */
    ANSWER_LABEL,  /* the SELinux context */
    ANSWER_LOCKED, /* the path is a claim's number; "1" or "0" */
    ANSWER_KINDS,
};

struct answer {
    char *path;
    enum answer_kind kind;
    int error;  /* an errno; 0: none */
    char *text; /* ends with a NUL, and may have other NULs in it */
    size_t length;
};

struct answers {
    void *tree;            /* of tsearch(3) */
    struct answer **items; /* the same answers, in the order in which they came, or sorted */
    size_t count;
};

/* Adds an answer: a length, or -errno. If there is an answer to the question, it stays. */
void answers_add(struct answers *answers, enum answer_kind kind, const char *path,
                 const char *bytes, ssize_t length) __attribute__((nonnull(1, 3)));

/* Returns NULL if that was not asked. */
struct answer *answers_find(const struct answers *answers, enum answer_kind kind,
                            const char *path) CHECKED NONNULL;

/* Sorts the items by path and then by kind. */
void answers_sort(struct answers *answers) NONNULL;

/* Sorts all answers and writes them as text, with a remark for people. */
void answers_write(struct answers *answers, bool has_names, const char *remark, FILE *out) NONNULL;

/* Whether a text is a manifest, of any version. */
bool answers_are(const char *text) CHECKED NONNULL;

/* Reads a text, and changes it. Returns -EBADMSG or -EPROTONOSUPPORT with a line in error. The
 * caller clears ret in every case. */
int answers_parse(char *text, struct answers *ret, struct error *error) CHECKED NONNULL;

void answers_clear(struct answers *answers) NONNULL;

/*
 * The status of a file as text:
 *
 *     100644 root 12 1764000000.000000001 1764000000.000000002 1a:77
 *
 * These are the mode in octal, the owner, the size, the times of modification and of change, the
 * file system, and the file's number there. The owner is "root", "other", or "us" for the user who
 * recorded the capture. On playback, "us" is the user who plays it.
 */
struct answer_status {
    char text[160];
};
struct answer_status answer_status_of(const struct stat *status) NONNULL;

/* Reads such a text. Returns false if it is none. */
bool answer_status_parse(const char *text, struct stat *ret) CHECKED NONNULL;

/* --- changes ---------------------------------------------------------------------------------- */

/* Operations of a host that is recorded or played back, and so must not be changed. Each fails with
 * EROFS. */
int read_only_write(const struct host *host, const char *path, const char *text);
int read_only_probe(const struct host *host, const char *path);
int read_only_lock(const struct host *host, int fd, uint64_t nanoseconds);
