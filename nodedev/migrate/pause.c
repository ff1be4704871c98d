/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/pause.h"
#include "base/durable.h"
#include "xml/xml-tree.h"

#include <inttypes.h>
#include <stdio.h>

#define DIRECTORY "var/lib/libvirt-vgpu"
#define NAME      "last-pause"
#define MOST      (UINT64_C(1) << 40) /* of both figures, so that their product can be computed */

uint64_t
pause_memory(const struct document *xml)
{
    xmlDocPtr tree = xml_tree_read(xml);
    xmlNodePtr memory =
        tree ? xml_tree_next(xmlDocGetRootElement(tree), NULL, "memory", NULL) : NULL;
    xmlChar *text = memory ? xmlNodeGetContent(memory) : NULL;
    uint64_t kibibytes = text ? strtoull((const char *)text, NULL, 10) : 0;

    xmlFree(text);
    xmlFreeDoc(tree);
    return kibibytes >> 10;
}

/* Without the figure only an estimate is missing, so a failure is not told. */
void
pause_note(const struct host *host, uint64_t mebibytes, uint64_t milliseconds)
{
    char text[64];

    snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 "\n", mebibytes, milliseconds);
    (void)!durable_write(host, DIRECTORY, NAME, text);
}

unsigned
pause_estimate(const struct host *host, uint64_t mebibytes)
{
    uint64_t size, time;
    char text[64];

    if (host_read(host, text, sizeof(text), "%s", DIRECTORY "/" NAME) < 0 ||
        sscanf(text, "%" SCNu64 " %" SCNu64, &size, &time) != 2 || size == 0 || size > MOST ||
        time > MOST || mebibytes > MOST)
        return 0;
    return (unsigned)((double)mebibytes * (double)time / (double)size / 1000) + 1;
}
