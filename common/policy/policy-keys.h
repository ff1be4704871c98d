/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * policy-keys: which keys a configuration file may have, as tables.
 *
 * To add one: a field in policy.h, a line in a table of policy-keys.c, an entry in vgpu.conf(5).
 */

#pragma once

#include "policy/setting-text.h"

struct policy;

/* Reads one file's settings into a policy, which may have those of other files already. */
void policy_keys_read(struct setting_reader *reader, const config_setting_t *root,
                      struct policy *policy) NONNULL;

/* All settings of a policy, as one file would have them, line by line. */
void policy_keys_text(const struct policy *policy, const struct setting_trace *trace,
                      setting_text_line *take, void *data) __attribute__((nonnull(1, 2, 3)));
