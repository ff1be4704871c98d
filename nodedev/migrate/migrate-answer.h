/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * migrate-answer: what is known of a question about another host. In order: a greater answer is
 * worse.
 */

#pragma once

enum migrate_answer { MIGRATE_YES, MIGRATE_UNKNOWN, MIGRATE_NO };
