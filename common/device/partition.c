/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/partition.h"
#include "device/pci.h"

#include <stdio.h>
#include <string.h>

#define MOST 64 /* partitions: far more than any card has */

bool
partition_parse(const char *text, struct partition *ret)
{
    const char *line = strchr(text, '\n');

    *ret = (struct partition){0};
    if (!line || sscanf(line, "%*u %7s %u", ret->mode, &ret->count) != 2)
        return false;
    return strchr("SDTQC", *ret->mode) && !strcmp(ret->mode + 1, "PX") && ret->count > 0 &&
           ret->count <= MOST;
}

int
partition_read(const struct host *host, const struct name *card, struct partition *ret)
{
    char text[4096]; /* the most that such a file has */
    ssize_t length =
        host_read(host, text, sizeof(text), PCI_DEVICES "/%s/" PARTITION_FILE, card->text);

    if (length < 0)
        return length == -ENOENT ? -ENODATA : (int)length;
    return partition_parse(text, ret) ? 0 : -ENODATA;
}
