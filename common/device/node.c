/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/node.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

int
node_read(const struct host *host, struct node *ret, const char *format, ...)
{
    struct path directory;
    unsigned major, minor;
    char text[HOST_NUMBER];
    ssize_t length;
    int end = 0;

    *ret = (struct node){0};
    PATH_OR_RETURN(directory, format);
    length = host_read(host, text, sizeof(text), "%s/dev", directory.text);
    if (length < 0)
        return (int)length;
    if (sscanf(text, "%9u:%9u%n", &major, &minor, &end) != 2 || text[end])
        return -EBADMSG;
    ret->number = makedev(major, minor);
    return 0;
}

bool
node_equal(const struct node *a, const struct node *b)
{
    if (a->number || b->number)
        return a->number == b->number;
    return *a->name && !strcmp(a->name, b->name);
}
