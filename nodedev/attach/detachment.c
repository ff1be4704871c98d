/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/detachment.h"

int
detachment_run(const struct domain_source *source, const char *word, unsigned timeout,
               struct error *error)
{
    AUTO(hotplug_leaver_clear) struct hotplug_leaver live = {.word = word};
    AUTO(hotplug_leaver_clear) struct hotplug_leaver config = {.word = word};
    int rc = 0;

    if (source->meant[CONNECTION_LIVE]) {
        rc = hotplug_check(source->call->host, error);
        if (rc == 0)
            rc = source_edit_start(source, CONNECTION_LIVE, false, &live.edit, error);
        if (rc == 0)
            rc = domain_edit_remove(&live.edit, live.word, &live.device, &live.alias, error);
    }
    if (rc == 0 && source->meant[CONNECTION_CONFIG]) {
        rc = source_edit_start(source, CONNECTION_CONFIG, true, &config.edit, error);
        if (rc == 0)
            rc =
                domain_edit_remove(&config.edit, config.word, &config.device, &config.alias, error);
    }
    if (rc == 0 && source->meant[CONNECTION_LIVE])
        rc = hotplug_out(source, &live, timeout, error);
    if (rc == 0 && source->meant[CONNECTION_CONFIG])
        rc = source_edit_define(source, &config.edit, error);
    return rc;
}
