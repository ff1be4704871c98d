/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "faults/traced-host.h"
#include "base/array.h"
#include "faults/inject.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#undef NDEBUG
#include <assert.h>

#define FILES      "traced"
#define FILE_THERE FILES "/file"

static const struct host_ops *fake_ops;
static int (*fake_run)(const struct host *host, char *const argv[], int out, unsigned milliseconds);
static pid_t qemu;

/* A file that exists, or does not, like the file for which the product asks. */
static const char *
stand_in(const char *there, bool is_there)
{
    return is_there ? there : FILES "/nothing";
}

static struct host
kernel_of(const struct host *host)
{
    return (struct host){.root = host->root, .ops = &host_kernel};
}

/* Is the answer of the real operation the fault? Then it is also our answer. */
static bool
has_failed(bool had_struck, long rc)
{
    return rc < 0 && !had_struck && inject_has_struck();
}

/* The result must not depend on other processes of the machine, nor on the process that has started
 * the test. */
static bool
is_strange(const char *path)
{
    int pid;

    return sscanf(path, "proc/%d", &pid) == 1 && pid != (int)qemu && pid != (int)getpid() &&
           pid != (int)getppid();
}

static ssize_t
traced_read(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct host kernel = kernel_of(host);
    bool before = inject_has_struck();
    char text[64];
    ssize_t rc, answer;

    inject_pause();
    answer = is_strange(path) ? -ENOENT : fake_ops->read(host, path, buffer, size);
    inject_resume();
    rc = host_kernel.read(&kernel, stand_in(FILE_THERE, answer >= 0), text, sizeof(text));
    return has_failed(before, rc) ? rc : answer;
}

static int
traced_write(const struct host *host, const char *path, const char *text)
{
    const struct host kernel = kernel_of(host);
    bool before = inject_has_struck();
    int rc = host_kernel.write(&kernel, FILE_THERE, text);

    if (has_failed(before, rc))
        return rc;
    inject_pause();
    rc = fake_ops->write(host, path, text);
    inject_resume();
    return rc;
}

/* Only one process of the machine is seen: the one that stands for QEMU. */
static void
keep_qemu(struct words *names)
{
    size_t kept = 0;

    for (size_t i = 0; i < names->count; i++) {
        if (atoi(names->items[i]) == (int)qemu)
            names->items[kept++] = names->items[i];
        else
            free(names->items[i]);
    }
    names->count = kept;
}

static int
traced_list(const struct host *host, const char *path, struct words *ret)
{
    const struct host kernel = kernel_of(host);
    AUTO(words_clear) struct words names = {0};
    bool before = inject_has_struck();
    int rc, answer;

    inject_pause();
    answer = fake_ops->list(host, path, ret);
    if (!strcmp(path, "proc"))
        keep_qemu(ret);
    inject_resume();
    rc = host_kernel.list(&kernel, stand_in(FILES "/directory", answer >= 0), &names);
    if (!has_failed(before, rc))
        return answer;
    words_clear(ret);
    return rc;
}

static ssize_t
traced_link(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct host kernel = kernel_of(host);
    bool before = inject_has_struck();
    char text[64];
    ssize_t rc, answer;

    inject_pause();
    answer = fake_ops->link(host, path, buffer, size);
    inject_resume();
    rc = host_kernel.link(&kernel, stand_in(FILES "/link", answer >= 0), text, sizeof(text));
    return has_failed(before, rc) ? rc : answer;
}

static int
traced_status(const struct host *host, const char *path, struct stat *ret)
{
    const struct host kernel = kernel_of(host);
    bool before = inject_has_struck();
    struct stat ignored;
    int rc, answer;

    inject_pause();
    answer = fake_ops->status(host, path, ret);
    inject_resume();
    rc = host_kernel.status(&kernel, stand_in(FILE_THERE, answer >= 0), &ignored);
    return has_failed(before, rc) ? rc : answer;
}

static int
traced_device(const struct host *host, const char *path, dev_t *ret)
{
    const struct host kernel = kernel_of(host);
    bool before = inject_has_struck();
    dev_t ignored;
    int rc, answer;

    inject_pause();
    answer = fake_ops->device(host, path, ret);
    inject_resume();
    rc = host_kernel.device(&kernel, stand_in(FILE_THERE, answer >= 0), &ignored);
    return has_failed(before, rc) ? rc : answer;
}

static int
traced_open(const struct host *host, const char *path, int flags, mode_t mode)
{
    return host_kernel.open(host, path, flags, mode);
}

static ssize_t
traced_label(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct host kernel = kernel_of(host);
    bool before = inject_has_struck();
    ssize_t rc = host_kernel.label(&kernel, FILE_THERE, buffer, size);

    if (has_failed(before, (int)rc))
        return rc;
    inject_pause();
    rc = fake_ops->label(host, path, buffer, size);
    inject_resume();
    return rc;
}

static int
traced_probe(const struct host *host, const char *path)
{
    const struct host kernel = kernel_of(host);
    bool before = inject_has_struck();
    int rc = host_kernel.probe(&kernel, FILE_THERE);

    if (has_failed(before, rc))
        return rc;
    inject_pause();
    close(rc);
    rc = fake_ops->probe(host, path);
    inject_resume();
    return rc;
}

static uint64_t
traced_now(const struct host *host)
{
    uint64_t now;

    inject_pause();
    now = fake_ops->now(host);
    inject_resume();
    return now;
}

static int
traced_wait(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds)
{
    static const struct timespec at_once;
    int rc = ppoll(NULL, 0, &at_once, NULL);

    if (rc < 0)
        return -errno;
    inject_pause();
    rc = fake_ops->wait(host, polls, count, nanoseconds);
    inject_resume();
    return rc;
}

static uint64_t
traced_booted(const struct host *host)
{
    return host_kernel.booted(host);
}

static bool
traced_is_locked(const struct host *host, int fd, uint64_t byte)
{
    return host_kernel.is_locked(host, fd, byte);
}

static int
traced_lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    bool before = inject_has_struck();
    int free, rc;

    inject_pause();
    free = openat(host->root, FILE_THERE, O_RDWR | O_CLOEXEC);
    assert(free >= 0);
    inject_resume();
    rc = host_kernel.lock(host, free, nanoseconds);
    inject_pause();
    close(free);
    if (!has_failed(before, rc))
        rc = fake_ops->lock(host, fd, nanoseconds);
    inject_resume();
    return rc;
}

/* The calls of a program that is run are not ours. */
static int
traced_run(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    int rc = faccessat(host->root, FILE_THERE, F_OK, 0);

    if (rc < 0)
        return -errno;
    inject_pause();
    rc = fake_run(host, argv, out, milliseconds);
    inject_resume();
    return rc;
}

static const struct host_ops traced_ops = {
    .read = traced_read,
    .write = traced_write,
    .list = traced_list,
    .link = traced_link,
    .status = traced_status,
    .device = traced_device,
    .open = traced_open,
    .label = traced_label,
    .probe = traced_probe,
    .now = traced_now,
    .wait = traced_wait,
    .booted = traced_booted,
    .lock = traced_lock,
    .is_locked = traced_is_locked,
};

void
traced_host_start(struct fake_kernel *fake)
{
    fake_write(fake, FILES "/file", "1\n");
    fake_write(fake, FILES "/directory/entry", "");
    assert(symlinkat("file", fake->host.root, FILES "/link") == 0);
}

void
traced_host_take(struct fake_kernel *fake, pid_t the_qemu)
{
    qemu = the_qemu;
    fake_ops = fake->host.ops;
    fake->host.ops = &traced_ops;
    fake_run = fake->host.run;
    if (fake_run)
        fake->host.run = traced_run;
}
