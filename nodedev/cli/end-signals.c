/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/end-signals.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void
end_signals_fill(sigset_t *ret)
{
    sigemptyset(ret);
    for (size_t i = 0; i < COUNT(signals); i++)
        sigaddset(ret, signals[i]);
}

void
end_signals_block(sigset_t *before)
{
    sigset_t ends;

    end_signals_fill(&ends);
    sigaddset(&ends, SIGPIPE);
    sigprocmask(SIG_BLOCK, &ends, before);
}

bool
end_signals_are_pending(void)
{
    sigset_t pending;

    if (sigpending(&pending) < 0)
        return false;
    for (size_t i = 0; i < COUNT(signals); i++) {
        if (sigismember(&pending, signals[i]) == 1)
            return true;
    }
    return false;
}
