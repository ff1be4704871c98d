/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/detachment.h"
#include "attach/source-change.h"

int
detachment_run(const struct domain_source *source, const char *word, unsigned timeout,
               struct changes *ret, struct error *error)
{
    const struct hotplug_leaver *told;
    struct change *change;

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
    if (rc < 0)
        return rc;
    /* The vGPU is gone later. */
    told = *live.device.text ? &live : &config;
    change = changes_add(ret, source->call->host, "removed", &told->device);
    source_change_set(change, source, told->alias ? told->alias : word);
    if (source->meant[CONNECTION_LIVE])
        rc = hotplug_out(source, &live, timeout, error);
    change->live &= rc == 0;
    if (rc == 0 && source->meant[CONNECTION_CONFIG])
        rc = source_edit_define(source, &config.edit, error);
    change->config &= rc == 0;
    if (!change->live && !change->config)
        ret->count--;
    return rc;
}
