/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * commands: the table of vgpuctl's commands. Each command is a row in a file of its own, NAME.c.
 */

#pragma once

#include "cli/command.h"

/* In the order of vgpuctl --help. The last item is NULL. */
extern const struct command *const commands[];

extern const struct command command_capture;
extern const struct command command_check;
extern const struct command command_doctor;
extern const struct command command_drain;
extern const struct command command_evacuate;
extern const struct command command_explain;
extern const struct command command_attach;
extern const struct command command_detach;
extern const struct command command_gpus;
extern const struct command command_guests;
extern const struct command command_list;
extern const struct command command_log;
extern const struct command command_orphans;
extern const struct command command_metrics;
extern const struct command command_migrate_check;
extern const struct command command_move;
extern const struct command command_prove;
extern const struct command command_ready;
extern const struct command command_reap;
extern const struct command command_reconcile;
extern const struct command command_setup;
extern const struct command command_sriov;
extern const struct command command_status;
extern const struct command command_types;
extern const struct command command_undrain;
extern const struct command command_where;
