/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"

const struct command_end command_ends[ERROR_CLASSES] = {
    [ERROR_FAILED] = {"failed", COMMAND_FAILED},
    [ERROR_NO_ROOM] = {"no-room", COMMAND_NO_CAPACITY},
    [ERROR_NEVER] = {"never", COMMAND_FAILED},
    [ERROR_TAKEN] = {"taken", COMMAND_FAILED},
    [ERROR_UNDECIDED] = {"undecided", COMMAND_FAILED},
    [ERROR_USAGE] = {"bad-usage", COMMAND_USAGE},
    [ERROR_IN_USE] = {"in-use", COMMAND_BUSY},
    [ERROR_DENIED] = {"no-permission", COMMAND_FAILED},
    [ERROR_NOT_FOUND] = {"not-found", COMMAND_FAILED},
    [ERROR_NO_DOMAIN] = {"no-domain", COMMAND_FAILED},
    [ERROR_NO_LIBVIRT] = {"no-libvirt", COMMAND_FAILED},
    [ERROR_BAD_CONFIGURATION] = {"bad-configuration", COMMAND_FAILED},
    [ERROR_FAULTS] = {"faults", COMMAND_FAILED},
    [ERROR_NO_HOST] = {"no-host", COMMAND_NO_CAPACITY},
    [ERROR_UNKNOWN] = {"not-known", COMMAND_FAILED},
};

enum command_status
command_ended(int rc, const struct error *error)
{
    return rc == 0 ? COMMAND_DONE : command_ends[error->class].status;
}
