/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * remote-table: gpus, types and list, of other hosts: what --connect makes of these commands.
 *
 * The columns are those of this host, and HOST in front of them. What libvirt does not tell is left
 * unset, not guessed. Hosts that do not answer are told on the call's faults, a line each, and the
 * others are shown all the same; then the command has failed.
 */

#pragma once

#include "cli/command.h"

enum command_status remote_gpus(const struct command_call *call, struct error *error) NONNULL;
enum command_status remote_types(const struct command_call *call, struct error *error) NONNULL;
enum command_status remote_list(const struct command_call *call, struct error *error) NONNULL;
