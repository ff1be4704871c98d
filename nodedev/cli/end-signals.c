/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/end-signals.h"

void
end_signals_fill(sigset_t *ret)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

    sigemptyset(ret);
    for (size_t i = 0; i < COUNT(signals); i++)
        sigaddset(ret, signals[i]);
}
