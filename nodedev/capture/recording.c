/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/recording.h"
#include "base/memory.h"
#include "base/words.h"
#include "capture/card-facts.h"
#include "device/nvidia-extract.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

/* The most bytes of a file. A domain's status file may have 8 MiB, and less is read of any other
 * file. A file with more bytes than this is also too large when it is played back. */
#define MOST_BYTES ((8 << 20) + 1)

/* The buffer size for `read`. The kernel refuses to read /proc/sys with a larger buffer. */
#define MOST_READ (1 << 20)

/* The host's operations get a const host. They write to the structure that contains this host. */
static struct recording *
recording_of(const struct host *host)
{
    return (struct recording *)host;
}

static void
note(const struct host *host, enum answer_kind kind, const char *path, const char *bytes,
     ssize_t length)
{
    answers_add(&recording_of(host)->answers, kind, path, bytes, length);
}

/* Whether a file does not exist for those who ask. */
static bool
is_hidden(const struct host *host, const char *path)
{
    return recording_of(host)->is_public && !card_facts_concern(path, host->config);
}

/* Reads the whole file, because another caller may want more of it. */
static ssize_t
record_read(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct recording *recording = recording_of(host);
    ssize_t length;

    if (is_hidden(host, path))
        return -ENOENT;
    length =
        recording->recorded->ops->read(recording->recorded, path, recording->buffer, MOST_READ);
    note(host, ANSWER_READ, path, recording->buffer, length);
    if (length > (ssize_t)size)
        length = (ssize_t)size;
    if (length > 0)
        memcpy(buffer, recording->buffer, (size_t)length);
    return length;
}

static void
record_heard(const struct host *host, const char *path, const char *text, ssize_t length)
{
    note(host, ANSWER_READ, path, text, length);
}

static int
record_list(const struct host *host, const char *path, struct words *ret)
{
    const struct host *recorded = recording_of(host)->recorded;
    AUTO_FREE char *text = NULL;
    size_t length = 0;
    FILE *out;
    int rc;

    if (is_hidden(host, path))
        return -ENOENT;
    rc = recorded->ops->list(recorded, path, ret);
    out = memory_stream(&text, &length);
    for (size_t i = 0; rc == 0 && i < ret->count; i++)
        fprintf(out, "%s%s", i ? "/" : "", ret->items[i]);
    memory_stream_end(out, &text);
    note(host, ANSWER_LIST, path, text, rc < 0 ? rc : (ssize_t)length);
    return rc;
}

static ssize_t
record_link(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct host *recorded = recording_of(host)->recorded;
    char target[PATH_MAX];
    ssize_t length;

    if (is_hidden(host, path))
        return -ENOENT;
    length = recorded->ops->link(recorded, path, target, sizeof(target));
    note(host, ANSWER_LINK, path, target, length);
    if (length >= (ssize_t)size)
        return -ENAMETOOLONG;
    if (length >= 0)
        memcpy(buffer, target, (size_t)length + 1);
    return length;
}

static int
record_status(const struct host *host, const char *path, struct stat *ret)
{
    const struct host *recorded = recording_of(host)->recorded;
    struct answer_status status = {""};
    int rc;

    if (is_hidden(host, path))
        return -ENOENT;
    rc = recorded->ops->status(recorded, path, ret);
    if (rc == 0)
        status = answer_status_of(ret);
    note(host, ANSWER_STATUS, path, status.text, rc < 0 ? rc : (ssize_t)strlen(status.text));
    return rc;
}

static int
record_device(const struct host *host, const char *path, dev_t *ret)
{
    const struct host *recorded = recording_of(host)->recorded;
    int rc = recorded->ops->device(recorded, path, ret);
    char number[32] = "";

    /* What comes next is recorded: a question for the link. */
    if (rc == -EOPNOTSUPP)
        return rc;
    if (rc == 0 && *ret)
        snprintf(number, sizeof(number), "%u:%u", major(*ret), minor(*ret));
    note(host, ANSWER_DEVICE, path, number, rc < 0 ? rc : (ssize_t)strlen(number));
    return rc;
}

/* Reads the status of an open file, a line feed, and the file's contents. Then the descriptor is at
 * its beginning again. Returns the length, or -errno. */
static ssize_t
read_opened(int fd, char *buffer)
{
    struct answer_status text;
    struct stat status;
    size_t length;

    if (fstat(fd, &status) < 0)
        return -errno;
    text = answer_status_of(&status);
    length = (size_t)snprintf(buffer, sizeof(text), "%s\n", text.text);
    while (S_ISREG(status.st_mode) && length < MOST_BYTES) {
        ssize_t got = read(fd, buffer + length, MOST_BYTES - length);

        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    return S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_SET) < 0 ? -errno : (ssize_t)length;
}

static int
record_open(const struct host *host, const char *path, int flags, mode_t mode)
{
    const struct recording *recording = recording_of(host);
    AUTO_CLOSE int fd = -1;
    ssize_t length;

    if ((flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT)
        return -EROFS;
    if (is_hidden(host, path))
        return -ENOENT;
    /* A capture has the table itself. The extract would be of another file. */
    if (!strcmp(path, NVIDIA_EXTRACT_PATH)) {
        note(host, ANSWER_OPEN, path, "", -ENOENT);
        return -ENOENT;
    }
    fd = recording->recorded->ops->open(recording->recorded, path, flags, mode);
    length = fd < 0 ? fd : read_opened(fd, recording->buffer);
    note(host, ANSWER_OPEN, path, recording->buffer, length);
    return length < 0 ? (int)length : TAKE_FD(fd);
}

static ssize_t
record_label(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct host *recorded = recording_of(host)->recorded;
    ssize_t length;

    if (is_hidden(host, path))
        return -ENOENT;
    length = recorded->ops->label(recorded, path, buffer, size);
    note(host, ANSWER_LABEL, path, buffer, length);
    return length;
}

static bool
record_is_locked(const struct host *host, int fd, uint64_t byte)
{
    const struct host *recorded = recording_of(host)->recorded;
    bool is_locked = recorded->ops->is_locked(recorded, fd, byte);
    char number[32];

    snprintf(number, sizeof(number), "%" PRIu64, byte);
    note(host, ANSWER_LOCKED, number, is_locked ? "1" : "0", 1);
    return is_locked;
}

static uint64_t
record_now(const struct host *host)
{
    const struct host *recorded = recording_of(host)->recorded;

    return recorded->ops->now(recorded);
}

static uint64_t
record_booted(const struct host *host)
{
    const struct host *recorded = recording_of(host)->recorded;

    return recorded->ops->booted(recorded);
}

static int
record_wait(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds)
{
    const struct host *recorded = recording_of(host)->recorded;

    return recorded->ops->wait(recorded, polls, count, nanoseconds);
}

static const struct host_ops recording_ops = {
    .read = record_read,
    .write = read_only_write,
    .list = record_list,
    .link = record_link,
    .status = record_status,
    .device = record_device,
    .open = record_open,
    .label = record_label,
    .probe = read_only_probe,
    .now = record_now,
    .wait = record_wait,
    .booted = record_booted,
    .lock = read_only_lock,
    .is_locked = record_is_locked,
    .heard = record_heard,
};

static void
note_host(const struct host *host, const char *what, const char *text)
{
    note(host, ANSWER_HOST, what, text, (ssize_t)strlen(text));
}

static void
note_clock(const struct host *host, const char *clock, uint64_t nanoseconds)
{
    char number[32];

    snprintf(number, sizeof(number), "%" PRIu64, nanoseconds);
    note_host(host, clock, number);
}

void
recording_start(struct recording *recording, const struct host *host, bool is_public)
{
    *recording = (struct recording){.host = *host,
                                    .recorded = host,
                                    .is_public = is_public,
                                    .buffer = memory_resized(NULL, MOST_BYTES, 1)};
    recording->host.ops = &recording_ops;
    recording->host.log = NULL;
    recording->host.run = NULL;
    note_clock(&recording->host, "now", host->ops->now(host));
    note_clock(&recording->host, "booted", host->ops->booted(host));
    note_host(&recording->host, "config", host->config);
    note_host(&recording->host, "hooks", host->hooks);
    note_host(&recording->host, "hook", host->hook);
}

void
recording_clear(struct recording *recording)
{
    answers_clear(&recording->answers);
    free(recording->buffer);
    recording->buffer = NULL;
}
