/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * learning: what is learned of a host's answers before they are redacted: names of domains, classes
 * and pools, which have stand-ins; and names of types and drivers, which are harmless.
 */

#pragma once

#include "capture/stand-ins.h"

/* Learns of the text of an answer. */
typedef void learning(struct stand_ins *stand_ins, const char *text);

learning learning_guests;    /* a list of status files */
learning learning_names;     /* a list of types, or of their parents */
learning learning_name;      /* the name of a type */
learning learning_creatable; /* NVIDIA's list of types */
learning learning_cache;     /* our cache of types */
learning learning_table;     /* NVIDIA's table of types */
learning learning_driver;    /* a link to a driver */
