/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * version: how new a host's libvirt or QEMU is, and whether that is new enough.
 *
 * A version is one number, as libvirt tells it: 1000000 * major + 1000 * minor + release; 0: it is
 * not told.
 */

#pragma once

#include "migrate/remote-capacity.h"

struct version {
    char text[32]; /* "11.3.0"; "?" */
};

struct version version_text(unsigned number);

/* Whether it is at least that one. */
enum remote_capacity_answer version_judge(unsigned number, unsigned least);
/* Whether both hosts' are. */
enum remote_capacity_answer version_judge_both(unsigned here, unsigned there, unsigned least);
