/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/guest-text.h"
#include "base/memory.h"
#include "capture/path-text.h"
#include "domain/hostdev.h"
#include "domain/request-parser.h"

#include <stdio.h>
#include <string.h>

#define MOST (8 << 20) /* bytes of a document: more are not read (document.h) */

static void
put_escaped(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("&<>'\"", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    }
}

static void
put_hostdev(struct stand_ins *stand_ins, const struct request_hostdev *hostdev, FILE *out)
{
    AUTO_FREE char *source = path_text_device(stand_ins, hostdev->source.text);
    struct hostdev_text text;
    struct name name = {""};

    snprintf(name.text, sizeof(name.text), "%s", source);
    hostdev_format(hostdev->kind, &name, hostdev->is_managed, &text);
    fprintf(out, "<hostdev%s><source><address%s/></source>", text.hostdev, text.address);
    if (hostdev->alias) {
        AUTO_FREE char *alias = path_text_alias(stand_ins, hostdev->alias);

        fputs("<alias name='", out);
        put_escaped(alias, out);
        fputs("'/>", out);
    }
    fputs("</hostdev>\n", out);
}

/* Whatever the element is called, it takes this device. */
static void
put_other(struct stand_ins *stand_ins, const struct name *device, FILE *out)
{
    AUTO_FREE char *source = path_text_device(stand_ins, device->text);
    struct hostdev_text text;
    struct name name = {""};

    snprintf(name.text, sizeof(name.text), "%s", source);
    hostdev_format(REQUEST_PCI, &name, false, &text);
    fprintf(out, "<other><source><address%s/></source></other>\n", text.address);
}

/* A domain without a name is called by its UUID. */
static bool
has_name(const struct request *guest)
{
    return guest->name && strcmp(guest->name, guest->domain.text) != 0;
}

/* Puts what was read of a guest. */
static void
put_guest(struct stand_ins *stand_ins, const struct request *guest, FILE *out)
{
    fprintf(out, "<domstatus state='running' pid='%d'>\n<domain type='kvm'>\n", guest->pid);
    if (has_name(guest)) {
        AUTO_FREE char *name = stand_ins_use(stand_ins, STAND_IN_DOMAIN, guest->name);

        fputs("<name>", out);
        put_escaped(name, out);
        fputs("</name>\n", out);
    }
    if (*guest->domain.text) {
        AUTO_FREE char *uuid = path_text_uuid(stand_ins, guest->domain.text);

        fprintf(out, "<uuid>%s</uuid>\n", uuid);
    }
    fputs("<devices>\n", out);
    for (size_t i = 0; i < guest->hostdev_count; i++) {
        if (*guest->hostdevs[i].source.text)
            put_hostdev(stand_ins, &guest->hostdevs[i], out);
    }
    for (size_t i = 0; i < guest->others.count; i++)
        put_other(stand_ins, &guest->others.items[i], out);
}

/* Returns 0 or -errno. The caller clears ret, which has what was read until then. */
static int
parse(const char *text, struct request *ret)
{
    const struct document document = {(char *)text, strlen(text)};
    struct error ignored;

    return *text ? request_parse_status(&document, ret, &ignored) : -EINVAL;
}

char *
guest_text_copy(struct stand_ins *stand_ins, const char *text)
{
    AUTO(request_clear) struct request guest = {0};
    const int rc = parse(text, &guest);
    char *ret = NULL;
    size_t length;
    FILE *out;

    if (!*text)
        return memory_copy("");
    out = memory_stream(&ret, &length);
    put_guest(stand_ins, &guest, out);
    if (rc == 0 && strlen(text) <= MOST)
        fputs("</devices>\n</domain>\n</domstatus>\n", out);
    memory_stream_end(out, &ret);
    return ret;
}

void
guest_text_learn(struct stand_ins *stand_ins, const char *text)
{
    AUTO(request_clear) struct request guest = {0};

    if (parse(text, &guest) == 0 && has_name(&guest))
        stand_ins_learn(stand_ins, STAND_IN_DOMAIN, guest.name);
}
