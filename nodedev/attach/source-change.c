/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/source-change.h"

void
source_change_set(struct change *change, const struct domain_source *source, const char *alias)
{
    snprintf(change->domain, sizeof(change->domain), "%s", source->domain.name);
    snprintf(change->alias, sizeof(change->alias), "%s", alias);
    change->domain_uuid = source->domain.uuid;
    change->has_sides = true;
    change->live = source->meant[CONNECTION_LIVE];
    change->config = source->meant[CONNECTION_CONFIG];
}
