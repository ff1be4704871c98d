/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/archive.h"
#include "base/document.h"
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

/* Reads a whole file. Returns 0 and its text, ended by a NUL, which the caller frees. Returns
 * -errno with a line in error. */
static int
read_all(int fd, const char *what, char **ret, size_t *length, struct error *error)
{
    AUTO_FREE char *text = NULL;
    struct stat status;

    *length = 0;
    if (fstat(fd, &status) < 0)
        return error_set(error, -errno, "%s: %m", what);
    if (!S_ISREG(status.st_mode))
        return error_set(error, -EINVAL, "%s is no regular file", what);
    if (status.st_size > MOST)
        return error_set(error, -EFBIG, "%s is larger than 64 MiB", what);
    text = memory_zeroed((size_t)status.st_size + 1, 1);
    while (*length < (size_t)status.st_size) {
        ssize_t got = read(fd, text + *length, (size_t)status.st_size - *length);

        if (got < 0)
            return error_set(error, -errno, "%s: %m", what);
        if (got == 0)
            break;
        *length += (size_t)got;
    }
    *ret = TAKE(text);
    return 0;
}

/* Runs tar and reads its output, as read_all does. */
static int
run_tar(const struct host *host, const char *const *argv, char **ret, size_t *length,
        struct error *error)
{
    AUTO_CLOSE int printed = program_read(host, (char *const *)argv, error);

    return printed < 0 ? printed
                       : read_all(printed, "what " TAR " has written", ret, length, error);
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
    int rc = run_tar(host, argv, ret, &length, error);

    return rc < 0 ? rc : 1;
}

/* A tree of files may happen to have a file of this name, so the contents are checked. */
static int
read_directory(int directory, char **ret, struct error *error)
{
    AUTO_CLOSE int fd = openat(directory, MANIFEST, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    size_t length;
    int rc;

    if (fd < 0)
        return errno == ENOENT ? 0 : error_set(error, -errno, MANIFEST ": %m");
    rc = read_all(fd, MANIFEST, ret, &length, error);
    if (rc < 0 || answers_are(*ret))
        return rc < 0 ? rc : 1;
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
    const struct document document = {(char *)manifest, length};
    int rc;

    *ret = NULL;
    if (memory < 0)
        return error_set(error, -errno, MANIFEST ": %m");
    rc = document_write(&document, memory);
    if (rc < 0)
        return error_set(error, rc, MANIFEST ": %s", strerror(-rc));
    return run_tar(host, argv, ret, ret_length, error);
}
