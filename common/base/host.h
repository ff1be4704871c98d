/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * host: the machine we work on, as an argument.
 *
 * Every path below is relative to `root`. That is "/" for the hook, and another directory for
 * `vgpuctl --root` and for the tests. The directory of --root may be another person's, so it is
 * confined. The tests replace the operations by a kernel of their own, which reacts to a write, and
 * refuses when told to.
 *
 * Functions only borrow a struct host. It never changes; its log and its reader do.
 */

#pragma once

#include "base/names.h"
#include "base/words.h"

#include <stdarg.h>
#include <stdint.h>
#include <sys/types.h>

struct host;
struct log;
struct pollfd;
struct reader;
struct stat;
struct vendor;
struct card_vendor;
struct vgpu_interface;

struct host_ops {
    /* Reads a whole attribute or small file: bytes read (at most size) or -errno. */
    ssize_t (*read)(const struct host *host, const char *path, char *buffer, size_t size);
    /* Writes text in one write(2), as sysfs wants it. May block for as long as a guest runs. So
     * only the writer (writer.h) calls it, and 'vgpuctl sriov', once no guest is there. */
    int (*write)(const struct host *host, const char *path, const char *text);
    /* The names in a directory, sorted as strcmp(3) does: 0, or -errno and nothing in ret. */
    int (*list)(const struct host *host, const char *path, struct words *ret);
    /* Reads a symbolic link: its length (less than size; the text is terminated) or -errno. */
    ssize_t (*link)(const struct host *host, const char *path, char *buffer, size_t size);
    /* The status of what has that name (of a link itself, not of its target): 0 or -errno. */
    int (*status)(const struct host *host, const char *path, struct stat *ret);
    /*
     * The number of the character device that a process has open, by its link in /proc/PID/fd: 0,
     * and the number is 0 if the file is anything else; or -errno. -EOPNOTSUPP: there are only the
     * texts of links, as in a directory of --root. No server of a file system is asked. So nobody
     * waits for one, and none can refuse an answer.
     */
    int (*device)(const struct host *host, const char *path, dev_t *ret);
    /* As host_open: a descriptor or -errno. */
    int (*open)(const struct host *host, const char *path, int flags, mode_t mode);
    /* Reads the SELinux context of a file or directory: bytes read (at most size) or -errno. */
    ssize_t (*label)(const struct host *host, const char *path, char *buffer, size_t size);
    /* Opens a VFIO group node: a descriptor or -errno; -EBUSY while somebody else has it open. */
    int (*probe)(const struct host *host, const char *path);
    /* Nanoseconds since the kernel booted, time in suspend included. */
    uint64_t (*now)(const struct host *host);
    /* poll(2) for at most so many nanoseconds: how many descriptors are ready; 0: none; or -errno,
     * -EINTR if a signal comes. Without descriptors it sleeps. */
    int (*wait)(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds);
    /* Nanoseconds from 1970 until the kernel booted. */
    uint64_t (*booted)(const struct host *host);
    /* Locks a file for this process alone, in the order in which processes ask, as file_lock. */
    int (*lock)(const struct host *host, int fd, uint64_t nanoseconds);
    /* Whether somebody else has locked this byte of a file, or it cannot be told. */
    bool (*is_locked)(const struct host *host, int fd, uint64_t byte);
    /* Is told what a child of the process was answered for `read` (reader.h): the length of the
     * text, or -errno. NULL: nobody wants to know. */
    void (*heard)(const struct host *host, const char *path, const char *text, ssize_t length);
};

struct host {
    int root; /* -1: there are no files, only what the operations answer; nothing is changed */
    const struct host_ops *ops;
    bool is_confined;   /* no link below root leads out of it, as if it were "/" */
    const char *config; /* "etc/libvirt-vgpu", below root */
    const char *hooks;  /* "etc/libvirt/hooks", libvirt's; NULL in the hook */
    const char *hook;   /* "usr/sbin/libvirt-vgpu-hook", where it is installed; NULL in the hook */
    const char *module; /* "/usr/lib/libvirt-vgpu/connection.so", which calls libvirt's library;
                           not below root; NULL in the hook */
    struct log *log;    /* where lines for administrators go (lease/log.h); NULL: nowhere */
    struct reader *reader; /* the child that asks drivers (reader.h); NULL: we wait for them */
    int caller;            /* a pipe to our caller, which breaks when the caller ends; -1: none */

    /* How its kernel makes vGPUs: the rows of device/vgpu.h, up to NULL. NULL: all that this
     * program knows. */
    const struct vgpu_interface *const *interfaces;

    /* What its cards are: the rows of device/vendor.h, likewise. */
    const struct vendor *const *vendors;

    /* What only vgpuctl asks of their vendors: the rows of vendor/card-vendor.h, likewise. */
    const struct card_vendor *const *card_vendors;

    /* Runs another program (program/program.h); NULL: that is none of ours, as in the hook. */
    int (*run)(const struct host *host, char *const argv[], int out, unsigned milliseconds);
};

/* The running kernel. */
extern const struct host_ops host_kernel;

/*
 * A path below root, made from a format and parsed names. Names of names.h always fit; a path that
 * does not is -ENAMETOOLONG.
 */
struct path {
    char text[512];
};
int path_format(struct path *ret, const char *format, ...) FORMAT(2, 3) CHECKED NONNULL;
int path_vformat(struct path *ret, const char *format, va_list args) FORMAT(2, 0)
    __attribute__((nonnull(1, 2))) CHECKED;

/* Makes a path from a function's last two arguments, a format and "...". */
#define PATH_OR_RETURN(path, format)                                                               \
    do {                                                                                           \
        va_list path_args;                                                                         \
        int path_rc;                                                                               \
        va_start(path_args, format);                                                               \
        path_rc = path_vformat(&(path), format, path_args);                                        \
        va_end(path_args);                                                                         \
        if (path_rc < 0)                                                                           \
            return path_rc;                                                                        \
    } while (0)

/*
 * openat(2) below root, with O_CLOEXEC: a descriptor, or -1 and errno. Below a confined root others
 * may have put anything. So only regular files and directories are opened there, without waiting
 * for any; all else is EOPNOTSUPP. Elsewhere it is that one system call.
 */
int host_open(const struct host *host, const char *path, int flags, mode_t mode) CHECKED NONNULL;

/* The status of what has that name, be it a link: 0, or -1 and errno. */
int host_status(const struct host *host, const char *path, struct stat *ret) CHECKED NONNULL;

/* Makes a directory (0755): 0, or -1 and errno. */
int host_make_directory(const struct host *host, const char *path) NONNULL;

/* Removes a file: 0 or -errno. */
int host_remove(const struct host *host, const char *path) CHECKED NONNULL;

/* Makes a symbolic link, which needs no descriptor: 0 or -errno. Not below a confined root. */
int host_make_link(const struct host *host, const char *path, const char *target) CHECKED NONNULL;

/* The same in place of what has that name, at once. Meanwhile the link has that name and ".new". */
int
host_replace_link(const struct host *host, const char *path, const char *target) CHECKED NONNULL;

/* The content of an attribute without its last line feed, always terminated: its length, or -errno;
 * -E2BIG when it does not fit into size. */
ssize_t host_read(const struct host *host, char *buffer, size_t size, const char *format, ...)
    FORMAT(4, 5) CHECKED NONNULL;

/* An attribute that is one decimal number: 0, or -errno; -EBADMSG for anything else in it. */
int host_read_number(const struct host *host, uint64_t *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

/* The steps of those two: the text, from the bytes that were read (or from -errno), and its
 * number. */
#define HOST_NUMBER 32 /* bytes that a number's text may have */
ssize_t host_end_text(char *buffer, size_t size, ssize_t length) CHECKED NONNULL;
int host_parse_number(const char *text, uint64_t *ret) CHECKED NONNULL;

/* The sorted names in a directory that are such; the caller clears them. 0, or -errno and nothing
 * in ret. */
int host_list(const struct host *host, struct names *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

/* All names in a directory, whatever is in them, sorted; the caller clears them. 0, or -errno and
 * nothing in ret. */
int host_list_all(const struct host *host, struct words *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

/* The last component of a symbolic link's target: 0 or -errno. */
int host_link(const struct host *host, struct name *ret, const char *format, ...)
    FORMAT(3, 4) CHECKED NONNULL;

/* Seconds since the kernel booted (CLOCK_BOOTTIME), as in a lease's time. */
uint64_t host_seconds(const struct host *host) CHECKED NONNULL;

/* The same in milliseconds. */
uint64_t host_uptime(const struct host *host) CHECKED NONNULL;

/* The type in the SELinux context of a file or directory, "bin_t", terminated: 0, or -errno;
 * -ENODATA if it has none. */
int host_label(const struct host *host, char *buffer, size_t size, const char *format, ...)
    FORMAT(4, 5) CHECKED NONNULL;

/* host_find: whether something of that name is there: 1, 0, or -errno if that is not known.
 * host_exists answers false then. */
int host_find(const struct host *host, const char *format, ...) FORMAT(2, 3) CHECKED NONNULL;
bool host_exists(const struct host *host, const char *format, ...) FORMAT(2, 3) CHECKED NONNULL;
