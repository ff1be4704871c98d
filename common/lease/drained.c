/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/drained.h"
#include "base/durable.h"
#include "base/safe-open.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DIRECTORY "var/lib/libvirt-vgpu/drained"
#define EVACUATE  "evacuate"

int
drained_read(const struct host *host, struct names *ret)
{
    int rc = host_list(host, ret, "%s", DIRECTORY);

    return rc == -ENOENT ? 0 : rc;
}

int
drained_check(int rc, struct error *error)
{
    return rc < 0 ? error_set(error, rc, "cannot tell which GPUs are drained: /" DIRECTORY ": %s",
                              strerror(-rc))
                  : 0;
}

void
drained_find_note(const struct host *host, const struct name *gpu, struct drained_note *ret)
{
    char text[sizeof(ret->reason) + 16];
    char *reason;

    *ret = (struct drained_note){.by_evacuation = false};
    if (host_read(host, text, sizeof(text), DIRECTORY "/%s", gpu->text) < 0)
        return;
    reason = strchr(text, '\n');
    if (!reason)
        return;
    *reason++ = '\0';
    ret->by_evacuation = !strcmp(text, EVACUATE);
    snprintf(ret->reason, sizeof(ret->reason), "%.*s", (int)strcspn(reason, "\n"), reason);
}

static void
format_note(const struct drained_note *note, char *ret, size_t size)
{
    snprintf(ret, size, "%s\n%s\n", note->by_evacuation ? EVACUATE : "drain", note->reason);
}

/* Who drains a GPU by hand takes it over from an evacuation, whose end would undrain the GPU. */
static int
take_over(const struct host *host, const struct name *gpu, const struct drained_note *note)
{
    char text[sizeof(note->reason) + 16];
    struct drained_note before;

    drained_find_note(host, gpu, &before);
    if (note->by_evacuation || !before.by_evacuation)
        return durable_sync(host, DIRECTORY);
    format_note(note, text, sizeof(text));
    return durable_write(host, DIRECTORY, gpu->text, text);
}

/* A power loss can lose the note, but not that the GPU is drained. */
static int
write_file(const struct host *host, const char *path, const struct drained_note *note)
{
    AUTO_CLOSE int fd =
        host_open(host, path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CREAT | O_EXCL, 0644);
    char text[sizeof(note->reason) + 16];
    int rc;

    if (fd < 0)
        return -errno;
    format_note(note, text, sizeof(text));
    rc = safe_open_write(fd, text);
    if (rc < 0)
        return rc;
    return fsync(fd) < 0 ? -errno : durable_sync(host, DIRECTORY);
}

int
drained_add(const struct host *host, const struct name *gpu, const struct drained_note *note,
            struct error *error)
{
    struct path path;
    int rc = path_format(&path, DIRECTORY "/%s", gpu->text);

    if (rc == 0)
        rc = durable_make_directory(host, DIRECTORY);
    if (rc == 0)
        rc = write_file(host, path.text, note);
    if (rc == -EEXIST)
        rc = take_over(host, gpu, note);
    return rc < 0 ? error_set(error, rc, "cannot write /" DIRECTORY "/%s: %s", gpu->text,
                              strerror(-rc))
                  : 0;
}

int
drained_remove(const struct host *host, const struct name *gpu, struct error *error)
{
    return durable_remove(host, DIRECTORY, gpu->text, error);
}
