/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/guest-text.h"
#include "base/memory.h"
#include "domain/hostdev.h"

#include <string.h>

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
put_hostdev(const struct request_hostdev *hostdev, FILE *out)
{
    struct hostdev_text text;

    hostdev_format(hostdev->kind, &hostdev->source, hostdev->is_managed, &text);
    fprintf(out, "<hostdev%s><source><address%s/></source>", text.hostdev, text.address);
    if (hostdev->alias) {
        fputs("<alias name='", out);
        put_escaped(hostdev->alias, out);
        fputs("'/>", out);
    }
    fputs("</hostdev>\n", out);
}

char *
guest_text(const struct request *guest, const char *name)
{
    char *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    fprintf(out, "<domstatus state='running' pid='%d'>\n<domain type='kvm'>\n<name>", guest->pid);
    put_escaped(name, out);
    fprintf(out, "</name>\n<uuid>%s</uuid>\n<devices>\n", guest->domain.text);
    for (size_t i = 0; i < guest->hostdev_count; i++) {
        if (*guest->hostdevs[i].source.text)
            put_hostdev(&guest->hostdevs[i], out);
    }
    fputs("</devices>\n</domain>\n</domstatus>\n", out);
    memory_stream_end(out, &ret);
    return ret;
}
