/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "xml/hostdev-source.h"

#include <stdio.h>

static void
forget_attributes(xmlNodePtr element)
{
    while (element->properties)
        xmlRemoveProp(element->properties);
}

/* Removes the attributes of the source, but keeps those of a display. */
static bool
forget_source(xmlNodePtr hostdev)
{
    bool display = tree_attribute_is(hostdev, "display", "on");
    bool ramfb = tree_attribute_is(hostdev, "ramfb", "on");

    forget_attributes(hostdev);
    return (!display || xml_tree_set(hostdev, "display", "on")) &&
           (!ramfb || xml_tree_set(hostdev, "ramfb", "on"));
}

static bool
set_function(xmlNodePtr hostdev, xmlNodePtr address, const struct rewrite_source *source)
{
    static const int widths[NAME_PCI_PARTS] = {4, 2, 2, 1};
    unsigned parts[NAME_PCI_PARTS];
    bool good = xml_tree_set(hostdev, "type", "pci") &&
                xml_tree_set(hostdev, "managed", source->is_managed ? "yes" : "no") &&
                name_split_pci(&source->source, parts) == 0;

    for (size_t i = 0; i < NAME_PCI_PARTS && good; i++) {
        char text[16];

        snprintf(text, sizeof(text), "0x%0*x", widths[i], parts[i]);
        good = xml_tree_set(address, name_pci_parts[i], text);
    }
    return good;
}

bool
hostdev_source_set(xmlNodePtr hostdev, const struct rewrite_source *source)
{
    xmlNodePtr part = xml_tree_next(hostdev, NULL, "source", NULL);
    xmlNodePtr address = part ? xml_tree_next(part, NULL, "address", NULL) : NULL;

    if (!address)
        return false;
    forget_attributes(address);
    if (!forget_source(hostdev) || !xml_tree_set(hostdev, "mode", "subsystem"))
        return false;
    if (source->kind == REQUEST_PCI)
        return set_function(hostdev, address, source);
    return xml_tree_set(hostdev, "type", "mdev") && xml_tree_set(hostdev, "model", "vfio-pci") &&
           xml_tree_set(address, "uuid", source->source.text);
}
