/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/tag.h"
#include "base/process.h"
#include "base/run-links.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KIND "functions"
#define TAGS "run/libvirt-vgpu/" KIND

bool
tag_may_be(const struct host *host)
{
    return host_exists(host, TAGS);
}

int
tag_read(const struct host *host, const struct name *tag, struct name *ret)
{
    char text[sizeof(ret->text)];
    int rc = run_links_read(host, KIND, tag->text, text, sizeof(text));

    return rc < 0 ? rc : name_parse(ret, text);
}

int
tag_put(const struct host *host, const struct name *tag, const struct name *says)
{
    return run_links_put(host, KIND, tag->text, says->text);
}

int
tag_change(const struct host *host, const struct name *tag, const struct name *says)
{
    return run_links_replace(host, KIND, tag->text, "%s", says->text);
}

/* Changes in one step a tag whose process has ended: 0; -ESTALE: the tag does not say `said` any
 * more, or somebody else changes a tag just now; or another -errno. Of several processes that do
 * this at once, one gets the tag. */
static int
tag_inherit(const struct host *host, const struct name *tag, const struct name *said,
            const struct name *says)
{
    AUTO_CLOSE int lock = host_open(host, TAGS ".lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    struct name now;
    int rc;

    if (lock < 0)
        return -errno;
    rc = host->ops->lock(host, lock, 0);
    if (rc == -ETIMEDOUT)
        return -ESTALE;
    if (rc == 0)
        rc = tag_read(host, tag, &now);
    if (rc == -ENOENT || (rc == 0 && !name_equal(&now, said)))
        return -ESTALE;
    return rc < 0 ? rc : tag_change(host, tag, says);
}

int
tag_remove(const struct host *host, const struct name *tag)
{
    return run_links_remove(host, KIND, tag->text);
}

/* --- the two tags of a function under the xe driver ------------------------------------------- */

static struct name
tag_of(const struct name *function, const char *what)
{
    struct name tag = {""};

    snprintf(tag.text, sizeof(tag.text), "%.40s.%s", function->text, what);
    return tag;
}

struct name
xe_tag_former(const struct name *function)
{
    return tag_of(function, "former");
}

struct name
xe_tag_type(const struct name *function)
{
    return tag_of(function, "type");
}

/* The former tag while memory is taken back, and before the former numbers are known. It has such a
 * word, and the process with its start, as "settling-4711.90210". */
#define TAKING_BACK "settling-"
#define MAKING      "making-"

static struct name
own_tag(const struct host *host, const char *word)
{
    struct process self = {.pid = (int)getpid()};
    struct name text = {""};

    if (process_find(host, self.pid, &self) < 0)
        self.start = 0;
    snprintf(text.text, sizeof(text.text), "%s%d.%" PRIu64, word, self.pid, self.start);
    return text;
}

bool
xe_tag_is_taking_back(const struct name *former)
{
    return !strncmp(former->text, TAKING_BACK, strlen(TAKING_BACK));
}

/* Whether the process that a tag names is still there. Earlier versions wrote no start: any process
 * with that pid counts. */
static bool
is_taken_back_by_living(const struct host *host, const struct name *former)
{
    struct process process = {0};
    int parts = sscanf(former->text, TAKING_BACK "%d.%" SCNu64, &process.pid, &process.start);

    if (parts == 1)
        return host_exists(host, "proc/%d", process.pid);
    return parts == 2 && process_alive(host, process);
}

int
xe_tag_read(const struct host *host, const struct name *function, struct name *type)
{
    struct name tag = xe_tag_former(function), former;
    int rc = tag_read(host, &tag, &former);

    *type = (struct name){""};
    if (rc < 0)
        return rc;
    if (xe_tag_is_taking_back(&former))
        return -EBUSY;
    tag = xe_tag_type(function);
    rc = tag_read(host, &tag, type);
    return rc == -ENOENT ? 0 : rc;
}

struct name
xe_tag_making(const struct host *host)
{
    return own_tag(host, MAKING);
}

int
xe_tag_take_back(const struct host *host, const struct name *function)
{
    const struct name tag = xe_tag_former(function), own = own_tag(host, TAKING_BACK);
    struct name text;
    int rc = tag_put(host, &tag, &own);

    if (rc != -EEXIST)
        return rc < 0 ? rc : 1;
    rc = tag_read(host, &tag, &text);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    if (!xe_tag_is_taking_back(&text) || is_taken_back_by_living(host, &text))
        return 0;
    rc = tag_inherit(host, &tag, &text, &own);
    return rc == -ESTALE ? 0 : rc < 0 ? rc : 1;
}
