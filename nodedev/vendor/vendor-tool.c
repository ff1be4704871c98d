/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "vendor/vendor-tool.h"
#include "base/descriptors.h"
#include "base/memory.h"
#include "base/text.h"
#include "lease/statedir.h"
#include "program/program.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define LOCK    "run/libvirt-vgpu/tools"
#define LONGEST 100000 /* ms that a tool may take; the unit allows two minutes */

/* Bytes: "nvidia-smi -q" of one card prints a few thousand. */
#define MOST_TEXT 65536

/* Exit statuses of nvidia-smi(1), "RETURN VALUE". */
#define UNKNOWN_WORD 2  /* an argument or flag is invalid */
#define UNSUPPORTED  3  /* the operation is not available on the card */
#define UNKNOWN_CALL 13 /* the library does not have the function */

bool
vendor_tool_find(const struct host *host, struct lock_holder *ret)
{
    return lock_holder_find(host, LOCK, ret);
}

/* Root runs the tool, so others must not be able to change it (or we, if we are not root). */
static int
check_owner(const struct host *host, const char *tool, struct error *error)
{
    AUTO_CLOSE int fd = host_open(host, tool + 1, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    struct stat status;

    if (fd < 0 && errno == ENOENT)
        return error_set(error, -ENOENT, "there is no %s: install NVIDIA's vGPU host driver", tool);
    if (fd < 0 || fstat(fd, &status) < 0)
        return error_set(error, -errno, "%s: %m", tool);
    if ((status.st_uid != 0 && status.st_uid != geteuid()) || (status.st_mode & 022))
        return error_set(error, -EPERM,
                         "%s: others than root may write it, so it is not run; 'chown root' and "
                         "'chmod go-w' make it safe",
                         tool);
    return 0;
}

static int
refuse_second(const struct host *host, int rc, struct error *error)
{
    struct lock_holder holder;

    if (vendor_tool_find(host, &holder))
        return error_set(error, rc,
                         "process %s has the lock of NVIDIA's tools, /" LOCK ", and has not ended "
                         "within %u seconds: one tool runs at a time",
                         holder.name, LONGEST / 1000);
    return error_set(error, rc,
                     "another vgpuctl runs a tool of NVIDIA's, and has not ended within %u seconds",
                     LONGEST / 1000);
}

/* Prepares a run: returns the locked file, which the caller closes. The tool gets it, too, so that
 * the lock lasts as long as the tool. */
static int
prepare(const struct host *host, const char *tool, struct error *error)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    AUTO_CLOSE int fd = -1;
    int rc = check_owner(host, tool, error);

    if (rc == 0)
        rc = statedir_open(host, true, &statedir, error);
    if (rc < 0)
        return rc;
    fd = host_open(host, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    if (fd < 0)
        return error_set(error, -errno, "/" LOCK ": %m");
    rc = deadline_lock(deadline_in(host, LONGEST), fd);
    if (rc < 0)
        return refuse_second(host, rc, error);
    descriptors_bequeath(fd);
    return TAKE_FD(fd);
}

/* The words of a command line, for messages. */
static char *
join(const char *const argv[])
{
    char line[256];
    struct text text = text_on(line, sizeof(line));

    for (; *argv; argv++)
        text_join(&text, " ", "%s", *argv);
    return memory_copy(line);
}

/* The tool, or what it has started, may still be there. It has our locks. */
static int
too_long(const struct host *host, const char *line, struct error *error)
{
    struct lock_holder holder;

    error_set(error, -ETIMEDOUT, "%s did not end within %u seconds", line, LONGEST / 1000);
    if (vendor_tool_find(host, &holder))
        error_add(error,
                  "SIGKILL has not ended process %s: until it ends, nobody gets a vGPU on the card "
                  "that it works on, and no other tool of NVIDIA's runs",
                  holder.name);
    error_add(error, "see journalctl -k");
    return -ETIMEDOUT;
}

/* *lacks: the tool, or the card, has no such thing. */
static int
run(const struct host *host, const char *const argv[], bool *lacks, struct error *error)
{
    AUTO_FREE char *line = join(argv);
    AUTO_CLOSE int locked = prepare(host, argv[0], error);
    int rc;

    if (locked < 0)
        return locked;
    rc = host->run ? host->run(host, (char *const *)argv, -1, LONGEST) : -EOPNOTSUPP;
    if (rc == -ETIMEDOUT)
        return too_long(host, line, error);
    if (rc < 0)
        return error_set(error, rc, "%s: %s", argv[0], strerror(-rc));
    if (rc > 0)
        error_set(error, -EIO, "%s failed (exit status %d); see journalctl -k", line, rc);
    *lacks = rc == UNKNOWN_WORD || rc == UNSUPPORTED || rc == UNKNOWN_CALL;
    return rc == 0 ? 0 : -EIO;
}

int
vendor_tool_run(const struct host *host, const char *const argv[], struct error *error)
{
    bool lacks;

    return run(host, argv, &lacks, error);
}

int
vendor_tool_try(const struct host *host, const char *const argv[], struct error *error)
{
    bool lacks = false;
    int rc = run(host, argv, &lacks, error);

    return lacks ? -EOPNOTSUPP : rc;
}

int
vendor_tool_ask(const struct host *host, const char *const argv[], char **text, struct error *error)
{
    AUTO_CLOSE int locked = prepare(host, argv[0], error);
    AUTO_CLOSE int fd = -1;
    size_t length = 0;
    int status = 0;

    *text = memory_zeroed(MOST_TEXT, 1);
    if (locked < 0)
        return locked;
    fd = program_ask(host, (char *const *)argv, &status, error);
    if (fd < 0)
        return fd;
    while (length < MOST_TEXT - 1) {
        ssize_t got = read(fd, *text + length, MOST_TEXT - 1 - length);

        if (got < 0)
            return error_set(error, -errno, "cannot read what %s prints: %m", argv[0]);
        if (got == 0)
            break;
        length += (size_t)got;
    }
    return status;
}
