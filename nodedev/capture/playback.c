/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/playback.h"
#include "base/array.h"
#include "base/document.h"
#include "base/memory.h"
#include "capture/archive.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#define NOT_RECORDED ENOMEDIUM

/* See recording_of in recording.c. */
static struct playback *
playback_of(const struct host *host)
{
    return (struct playback *)host;
}

/* --- what is not there, and what was not asked ------------------------------------------------ */

/* Whether an answer says that this path does not exist. */
static bool
is_absent(const struct answers *answers, const char *path)
{
    for (enum answer_kind kind = 0; kind < ANSWER_KINDS; kind++) {
        const struct answer *answer = answers_find(answers, kind, path);

        if (answer && answer->error == ENOENT)
            return true;
    }
    return false;
}

/* Whether the list of the directory was recorded, and does not have this path. */
static bool
is_unlisted(const struct playback *playback, const char *directory, const char *path)
{
    const struct answer *list = answers_find(&playback->answers, ANSWER_LIST, directory);

    return list && !list->error && !answers_find(&playback->listed, ANSWER_LIST, path);
}

/* Whether a question that was not recorded counts as one for a missing file. A capture that has the
 * texts of links was not asked for numbers of devices, nor for threads. */
static bool
is_optional(const struct playback *playback, const char *path)
{
    const char *name = strrchr(path, '/');

    return answers_find(&playback->answers, ANSWER_HOST, "unrecorded") ||
           (playback->has_texts && name && (!strcmp(name, "/dev") || !strcmp(name, "/task")));
}

/* Returns -ENOENT, or -NOT_RECORDED. */
static int
judge_missing(const struct playback *playback, const char *path)
{
    AUTO_FREE char *here = memory_copy(path), *above = memory_copy(path);
    char *slash;

    while (!is_absent(&playback->answers, here)) {
        slash = strrchr(above, '/');
        if (!slash)
            return is_optional(playback, path) ? -ENOENT : -NOT_RECORDED;
        *slash = '\0';
        if (is_unlisted(playback, above, here))
            return -ENOENT;
        here[strlen(above)] = '\0';
    }
    return -ENOENT;
}

/* Remembers each name of a list, because a host is asked for thousands of them. */
static void
index_list(struct playback *playback, const struct answer *list)
{
    AUTO_FREE char *names = memory_copy(list->text);
    char *rest = names, *name;

    while (list->kind == ANSWER_LIST && !list->error && (name = strsep(&rest, "/"))) {
        AUTO_FREE char *path = memory_format("%s/%s", list->path, name);

        answers_add(&playback->listed, ANSWER_LIST, path, "", 0);
    }
}

static void
note_miss(struct playback *playback, const char *path)
{
    answers_add(&playback->misses, ANSWER_READ, path, "", 0);
}

/* Returns the answer. Returns NULL and an errno in *rc if the answer is an errno, or if there is
 * none. */
static const struct answer *
find(const struct host *host, enum answer_kind kind, const char *path, int *rc)
{
    struct playback *playback = playback_of(host);
    const struct answer *answer = answers_find(&playback->answers, kind, path);

    *rc = answer ? -answer->error : judge_missing(playback, path);
    if (*rc == -NOT_RECORDED)
        note_miss(playback, path);
    return *rc < 0 ? NULL : answer;
}

/* --- the operations --------------------------------------------------------------------------- */

static ssize_t
copy_answer(const struct host *host, enum answer_kind kind, const char *path, char *buffer,
            size_t size)
{
    int rc;
    const struct answer *answer = find(host, kind, path, &rc);
    size_t length = answer && answer->length < size ? answer->length : size;

    if (!answer)
        return rc;
    memcpy(buffer, answer->text, length);
    return (ssize_t)length;
}

static ssize_t
play_read(const struct host *host, const char *path, char *buffer, size_t size)
{
    return copy_answer(host, ANSWER_READ, path, buffer, size);
}

/* Notes the misses of the reader's child. The child is another process, and cannot note them
 * here. */
static void
play_heard(const struct host *host, const char *path, const char *text, ssize_t length)
{
    (void)text;
    if (length == -NOT_RECORDED)
        note_miss(playback_of(host), path);
}

static int
play_list(const struct host *host, const char *path, struct words *ret)
{
    int rc;
    const struct answer *answer = find(host, ANSWER_LIST, path, &rc);
    AUTO_FREE char *names = memory_copy(answer ? answer->text : "");
    char *rest = names, *name;

    while (answer && (name = strsep(&rest, "/"))) {
        if (*name)
            words_add(ret, name);
    }
    return rc;
}

static ssize_t
play_link(const struct host *host, const char *path, char *buffer, size_t size)
{
    ssize_t length = copy_answer(host, ANSWER_LINK, path, buffer, size);

    if (length >= (ssize_t)size)
        return -ENAMETOOLONG;
    if (length >= 0)
        buffer[length] = '\0';
    return length;
}

static int
play_status(const struct host *host, const char *path, struct stat *ret)
{
    int rc;
    const struct answer *answer = find(host, ANSWER_STATUS, path, &rc);

    if (answer && !answer_status_parse(answer->text, ret))
        return -EBADMSG;
    return rc;
}

/* Older captures have the texts of links. */
static int
play_device(const struct host *host, const char *path, dev_t *ret)
{
    const struct answers *answers = &playback_of(host)->answers;
    const struct answer *answer;
    unsigned major, minor;
    int rc;

    *ret = 0;
    if (!answers_find(answers, ANSWER_DEVICE, path) && answers_find(answers, ANSWER_LINK, path))
        return -EOPNOTSUPP;
    answer = find(host, ANSWER_DEVICE, path, &rc);
    if (answer && sscanf(answer->text, "%9u:%9u", &major, &minor) == 2)
        *ret = makedev(major, minor);
    return rc;
}

/* Returns a file in memory with the file's contents. The copy cannot get the file's owner. If the
 * owner is neither root nor this user, the group and others may write the copy, because the owner
 * could allow it. */
static int
open_copy(const struct stat *status, const struct document *contents)
{
    AUTO_CLOSE int fd = memfd_create("capture", MFD_CLOEXEC);
    mode_t mode = status->st_mode & 0777;
    int rc;

    if (status->st_uid != 0 && status->st_uid != geteuid())
        mode |= S_IWGRP | S_IWOTH;
    if (fd < 0 || fchmod(fd, mode) < 0)
        return -errno;
    rc = document_write(contents, fd);
    if (rc < 0)
        return rc;
    return lseek(fd, 0, SEEK_SET) < 0 ? -errno : TAKE_FD(fd);
}

static int
play_open(const struct host *host, const char *path, int flags, mode_t mode)
{
    struct stat status;
    struct document contents;
    const struct answer *answer;
    char *end;
    int rc;

    (void)mode;
    if ((flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT)
        return -EROFS;
    answer = find(host, ANSWER_OPEN, path, &rc);
    if (!answer)
        return rc;
    end = memchr(answer->text, '\n', answer->length);
    if (!end || !answer_status_parse(answer->text, &status))
        return -EBADMSG;
    contents.text = end + 1;
    contents.length = answer->length - (size_t)(contents.text - answer->text);
    return open_copy(&status, &contents);
}

static ssize_t
play_label(const struct host *host, const char *path, char *buffer, size_t size)
{
    return copy_answer(host, ANSWER_LABEL, path, buffer, size);
}

/* What was not asked counts as locked, as in statedir.h. */
static bool
play_is_locked(const struct host *host, int fd, uint64_t byte)
{
    const struct answer *answer;
    char number[32];
    int rc;

    (void)fd;
    snprintf(number, sizeof(number), "%" PRIu64, byte);
    answer = find(host, ANSWER_LOCKED, number, &rc);
    return !answer || strcmp(answer->text, "0") != 0;
}

static const char *
said_of_host(const struct playback *playback, const char *what, const char *otherwise)
{
    const struct answer *answer = answers_find(&playback->answers, ANSWER_HOST, what);

    return answer && !answer->error ? answer->text : otherwise;
}

static uint64_t
clock_of(const struct host *host, const char *clock)
{
    return strtoull(said_of_host(playback_of(host), clock, "0"), NULL, 10);
}

static uint64_t
play_now(const struct host *host)
{
    return clock_of(host, "now") + playback_of(host)->waited;
}

static uint64_t
play_booted(const struct host *host)
{
    return clock_of(host, "booted");
}

/* The function really waits only for the reader's child. */
static int
play_wait(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds)
{
    int rc = count ? host_kernel.wait(host, polls, count, nanoseconds) : 0;

    if (rc == 0)
        playback_of(host)->waited += nanoseconds;
    return rc;
}

static const struct host_ops playback_ops = {
    .read = play_read,
    .write = read_only_write,
    .list = play_list,
    .link = play_link,
    .status = play_status,
    .device = play_device,
    .open = play_open,
    .label = play_label,
    .probe = read_only_probe,
    .now = play_now,
    .wait = play_wait,
    .booted = play_booted,
    .lock = read_only_lock,
    .is_locked = play_is_locked,
    .heard = play_heard,
};

/* --- the capture ------------------------------------------------------------------------------ */

int
playback_start(struct playback *playback, const struct host *host, char *manifest,
               struct error *error)
{
    int rc;

    *playback = (struct playback){.host = *host};
    playback->host.ops = &playback_ops;
    playback->host.root = -1;
    playback->host.is_confined = true;
    playback->host.log = NULL;
    playback->host.run = NULL;
    rc = answers_parse(manifest, &playback->answers, error);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < playback->answers.count; i++) {
        const struct answer *answer = playback->answers.items[i];

        index_list(playback, answer);
        playback->has_texts |=
            answer->kind == ANSWER_LINK && !fnmatch("proc/*/fd/*", answer->path, 0);
    }
    playback->host.config = said_of_host(playback, "config", host->config);
    playback->host.hooks = said_of_host(playback, "hooks", host->hooks);
    playback->host.hook = said_of_host(playback, "hook", host->hook);
    return 0;
}

int
playback_open(struct playback *playback, const struct host *host, const char *path,
              struct error *error)
{
    AUTO_FREE char *manifest = NULL;
    int rc;

    *playback = (struct playback){.host = *host};
    rc = archive_read(host, path, &manifest, error);
    if (rc > 0)
        rc = playback_start(playback, host, manifest, error) < 0 ? -EBADMSG : 1;
    if (rc < 0)
        error_wrap(error, "--root %s", path);
    return rc;
}

void
playback_clear(struct playback *playback)
{
    answers_clear(&playback->answers);
    answers_clear(&playback->listed);
    answers_clear(&playback->misses);
}
