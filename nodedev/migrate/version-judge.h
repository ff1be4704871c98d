/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * version-judge: whether the versions of hosts (libvirt/version.h) are new enough.
 */

#pragma once

#include "libvirt/version.h"
#include "migrate/migrate-answer.h"

/* Whether a version is at least the other one. */
enum migrate_answer version_judge(unsigned number, unsigned least);
/* Whether the versions of both hosts are. */
enum migrate_answer version_judge_both(unsigned here, unsigned there, unsigned least);
