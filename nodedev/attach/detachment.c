/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/detachment.h"
#include "cli/say.h"

/* Removes the vGPU from one definition, if that is meant. Nothing is written yet. */
static int
leave(const struct domain_source *source, enum connection_side side, struct hotplug_leaver *leaver,
      struct error *error)
{
    int rc;

    if (!source->meant[side])
        return 0;
    rc = source_edit_start(source, side, side == CONNECTION_CONFIG, &leaver->edit, error);
    return rc < 0 ? rc
                  : domain_edit_remove(&leaver->edit, leaver->word, &leaver->device, &leaver->alias,
                                       error);
}

/* Makes the change anew if somebody else has changed the definition meanwhile. */
static int
define(const struct domain_source *source, struct hotplug_leaver *leaver, struct error *error)
{
    int rc = -ESTALE;

    for (unsigned tries = 0; tries < DEFINITION_TRIES && rc == -ESTALE; tries++) {
        AUTO(document_clear) struct document written = {0};

        if (tries > 0) {
            hotplug_leaver_clear(leaver);
            rc = leave(source, CONNECTION_CONFIG, leaver, error);
        }
        if (tries == 0 || rc == 0)
            rc = source_edit_define(source, &leaver->edit, &written, error);
    }
    if (rc == -ESTALE)
        error_wrap(error, "the definition of %s", source->domain.name);
    return rc;
}

int
detachment_run(const struct domain_source *source, const char *word, unsigned timeout,
               struct changes *ret, struct error *error)
{
    AUTO(hotplug_leaver_clear) struct hotplug_leaver live = {.word = word};
    AUTO(hotplug_leaver_clear) struct hotplug_leaver config = {.word = word};
    const bool is_live = source->meant[CONNECTION_LIVE];
    const struct hotplug_leaver *told;
    struct change *change;
    int rc = is_live && !ret->is_dry_run ? hotplug_check(source->call->host, error) : 0;

    if (rc == 0)
        rc = leave(source, CONNECTION_LIVE, &live, error);
    if (rc == 0)
        rc = leave(source, CONNECTION_CONFIG, &config, error);
    if (rc < 0)
        return rc;
    /* The vGPU is gone later. */
    told = *live.device.text ? &live : &config;
    change =
        source_edit_tell(source, "removed", &told->device, told->alias ? told->alias : word, ret);
    if (ret->is_dry_run)
        return 0;
    if (is_live)
        rc = hotplug_out(source, &live, timeout, error);
    change->live &= rc == 0;
    if (rc == 0 && source->meant[CONNECTION_CONFIG])
        rc = define(source, &config, error);
    change->config &= rc == 0;
    if (!change->live && !change->config)
        ret->count--;
    return rc;
}

int
detachments_run(const struct domain_source *source, const struct words *words, unsigned timeout,
                struct changes *ret, struct error *error)
{
    for (size_t i = 0; i < words->count; i++) {
        int rc = detachment_run(source, words->items[i], timeout, ret, error);

        if (rc < 0)
            return rc;
        say_line(source->call->out, "%s: %s %s, %s", source->domain.name,
                 ret->is_dry_run ? "would remove" : "removed", words->items[i],
                 domain_source_sides(source));
    }
    return 0;
}
