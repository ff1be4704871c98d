/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * hostdev-source: which device of the host a <hostdev> element gives the guest.
 */

#pragma once

#include "domain/rewrite.h"
#include "xml/xml-tree.h"

/* Sets the attributes of a <hostdev>, and of the <address> in its <source>, that libvirt needs for
 * this device. What the XML says of a display stays. Returns false without memory, or if there is
 * no such <address>. */
bool hostdev_source_set(xmlNodePtr hostdev, const struct rewrite_source *source) CHECKED NONNULL;
