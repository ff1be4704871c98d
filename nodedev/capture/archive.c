/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/archive.h"
#include "base/memory.h"
#include "capture/answers.h"
#include "program/program.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define TAR      "/usr/bin/tar"
#define MANIFEST "manifest"
#define MOST     (64 << 20) /* bytes, of a manifest or of an archive */

/* Reads a descriptor from its position to its end. Returns the text, ended by a NUL; or NULL and
 * errno. */
static char *
read_all(int fd, size_t most, size_t *length)
{
    AUTO_FREE char *text = memory_zeroed(most + 1, 1);

    *length = 0;
    while (*length < most) {
        ssize_t got = read(fd, text + *length, most - *length);

        if (got < 0)
            return NULL;
        if (got == 0)
            break;
        *length += (size_t)got;
    }
    return TAKE(text);
}

/* Runs tar and reads its output. Returns the bytes, which the caller frees, or NULL. */
static char *
run_tar(const struct host *host, const char *const *argv, size_t *length, struct error *error)
{
    AUTO_CLOSE int printed = program_read(host, (char *const *)argv, -1, error);
    struct stat status;
    char *text;

    if (printed < 0)
        return NULL;
    if (fstat(printed, &status) < 0 || status.st_size > MOST) {
        error_set(error, -EFBIG, "what " TAR " has written is larger than 64 MiB");
        return NULL;
    }
    text = read_all(printed, (size_t)status.st_size, length);
    if (!text)
        error_set(error, -errno, "what " TAR " has written: %m");
    return text;
}

/* --- reading ---------------------------------------------------------------------------------- */

static int
unpack(const struct host *host, const char *path, char **ret, struct error *error)
{
    AUTO_FREE char *absolute = realpath(path, NULL);
    AUTO_FREE char *file = memory_format("--file=%s", absolute ? absolute : path);
    const char *const argv[] = {TAR,  "--extract",     "--gzip", "--to-stdout", "--occurrence=1",
                                file, "--force-local", "--",     MANIFEST,      NULL};
    size_t length;

    *ret = run_tar(host, argv, &length, error);
    return *ret ? 1 : -EIO;
}

static int
read_manifest(int fd, char **ret, struct error *error)
{
    struct stat status;
    size_t length;

    if (fstat(fd, &status) < 0)
        return error_set(error, -errno, MANIFEST ": %m");
    if (!S_ISREG(status.st_mode))
        return error_set(error, -EINVAL, MANIFEST " is no regular file");
    if (status.st_size > MOST)
        return error_set(error, -EFBIG, MANIFEST " is larger than 64 MiB");
    *ret = read_all(fd, (size_t)status.st_size, &length);
    return *ret ? 1 : error_set(error, -errno, MANIFEST ": %m");
}

/* A tree of files may happen to have a file of this name, so the contents are checked. */
static int
read_directory(int directory, char **ret, struct error *error)
{
    AUTO_CLOSE int fd = openat(directory, MANIFEST, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int rc;

    if (fd < 0)
        return errno == ENOENT ? 0 : error_set(error, -errno, MANIFEST ": %m");
    rc = read_manifest(fd, ret, error);
    if (rc < 0 || answers_are(*ret))
        return rc;
    free(*ret);
    *ret = NULL;
    return 0;
}

/* tar and gzip would say in several lines that they do not know the file. */
static bool
is_gzip(int fd)
{
    unsigned char magic[2];

    return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) && magic[0] == 0x1f &&
           magic[1] == 0x8b;
}

int
archive_read(const struct host *host, const char *path, char **ret, struct error *error)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status;

    *ret = NULL;
    if (fd < 0 || fstat(fd, &status) < 0)
        return error_set(error, -errno, "%m");
    if (S_ISDIR(status.st_mode))
        return read_directory(fd, ret, error);
    if (!S_ISREG(status.st_mode))
        return error_set(error, -ENOTDIR, "it is neither a directory nor an archive");
    if (!is_gzip(fd))
        return error_set(error, -EINVAL,
                         "it is no archive of 'vgpuctl capture': it is not packed by gzip");
    return unpack(host, path, ret, error);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* tar opens the manifest by this process's descriptor, and stores it under its name. The archive
 * does not tell who wrote the manifest, nor when. */
int
archive_pack(const struct host *host, const char *manifest, size_t length, char **ret,
             size_t *ret_length, struct error *error)
{
    AUTO_CLOSE int memory = memfd_create(MANIFEST, MFD_CLOEXEC);
    AUTO_FREE char *member = memory_format("/proc/%d/fd/%d", (int)getpid(), memory);
    const char *const argv[] = {TAR,
                                "--create",
                                "--gzip",
                                "--dereference",
                                "--absolute-names",
                                "--transform=s,.*," MANIFEST ",",
                                "--owner=root:0",
                                "--group=root:0",
                                "--mode=0644",
                                "--file=-",
                                member,
                                NULL};

    *ret = NULL;
    for (size_t done = 0; memory >= 0 && done < length;) {
        ssize_t written = write(memory, manifest + done, length - done);

        if (written < 0)
            return error_set(error, -errno, MANIFEST ": %m");
        done += (size_t)written;
    }
    if (memory < 0)
        return error_set(error, -errno, MANIFEST ": %m");
    *ret = run_tar(host, argv, ret_length, error);
    return *ret ? 0 : -EIO;
}
