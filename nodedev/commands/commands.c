/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "commands/commands.h"

/* Each command has a line of its own, so that a new command changes one line. */
/* clang-format off */
const struct command *const commands[] = {
    &command_status,
    &command_gpus,
    &command_types,
    &command_list,
    &command_guests,
    &command_explain,
    &command_attach,
    &command_detach,
    &command_check,
    &command_drain,
    &command_undrain,
    &command_setup,
    &command_sriov,
    &command_prove,
    &command_ready,
    &command_metrics,
    &command_where,
    &command_migrate_check,
    &command_move,
    &command_evacuate,
    &command_doctor,
    &command_log,
    &command_orphans,
    &command_reap,
    &command_reconcile,
    &command_capture,
    NULL,
};
/* clang-format on */
