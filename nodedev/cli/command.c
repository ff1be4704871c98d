/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/command.h"

enum command_status
command_ended(int rc, const struct error *error)
{
    return rc == 0                         ? COMMAND_DONE
           : error->class == ERROR_USAGE   ? COMMAND_USAGE
           : error->class == ERROR_NO_ROOM ? COMMAND_NO_CAPACITY
           : rc == -EBUSY                  ? COMMAND_BUSY
                                           : COMMAND_FAILED;
}
