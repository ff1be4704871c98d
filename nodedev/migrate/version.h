/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * version: the version of a host's libvirt or QEMU, and whether it is new enough.
 *
 * A version is one number, as libvirt tells it: 1000000 * major + 1000 * minor + release. 0 means
 * that it is not told.
 */

#pragma once

#include "migrate/migrate-answer.h"

struct version {
    char text[32]; /* such as "11.3.0"; "?": not told */
};

struct version version_text(unsigned number);

/* Whether a version is at least the other one. */
enum migrate_answer version_judge(unsigned number, unsigned least);
/* Whether the versions of both hosts are. */
enum migrate_answer version_judge_both(unsigned here, unsigned there, unsigned least);
