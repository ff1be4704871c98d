/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/attachment.h"
#include "attach/vf-selection.h"

#include <stdio.h>

void
addition_clear(struct addition *addition)
{
    edit_end(&addition->edits[CONNECTION_CONFIG]);
    edit_end(&addition->edits[CONNECTION_LIVE]);
    names_clear(&addition->named);
    names_clear(&addition->refused);
}

/* The one that counts where only one can. */
static struct edit *
main_edit(struct addition *addition)
{
    bool live = addition->meant[CONNECTION_LIVE];

    return &addition->edits[live ? CONNECTION_LIVE : CONNECTION_CONFIG];
}

int
addition_start(struct addition *addition, bool secrets, struct error *error)
{
    const struct target *target = addition->target;
    const struct edit *edit = main_edit(addition);
    struct error ignored;
    int rc = 0;

    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++) {
        if (addition->meant[side])
            rc = target_edit(target, side, secrets && side == CONNECTION_CONFIG,
                             &addition->edits[side], error);
    }
    /* It is better to know them, and no more. */
    if (rc == 0 && target_add_named(addition->call, target, &edit->request.domain, &addition->named,
                                    &ignored) < 0)
        return 0;
    return rc;
}

static bool
is_taken(const struct addition *addition, const char *alias)
{
    bool taken = false;

    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE; side++)
        taken |= addition->meant[side] && edit_has_alias(&addition->edits[side], alias);
    return taken;
}

int
addition_make(struct addition *addition, struct error *error)
{
    const char *wanted = addition->wanted_alias;
    const struct edit_device device = {wanted ? wanted : addition->alias, addition->type,
                                       addition->class};
    int rc = 0;

    snprintf(addition->alias, sizeof(addition->alias), "%s", wanted ? wanted : "ua-gpu0");
    for (unsigned i = 1; !wanted && is_taken(addition, addition->alias); i++)
        snprintf(addition->alias, sizeof(addition->alias), "ua-gpu%u", i);
    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++) {
        if (addition->meant[side])
            rc = edit_add(&addition->edits[side], &device, error);
    }
    return rc;
}

/* What is not to be chosen: what the domain has, and what has just been tried. */
static int
find_taken(const struct addition *addition, struct names *ret)
{
    int rc = 0;

    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++)
        rc = berth_add_own(&addition->edits[side].request, ret);
    for (size_t i = 0; i < addition->refused.count && rc == 0; i++)
        rc = names_add(ret, addition->refused.items[i].text);
    return rc;
}

/* What it is to be, by this host's configuration and GPUs. */
static int
choose(struct addition *addition, struct rewrite_source *ret, struct error *error)
{
    AUTO(names_clear) struct names taken = {0};
    const struct edit *edit = main_edit(addition);
    const struct request_hostdev *hostdev = edit_find(edit, addition->alias);
    struct name source = hostdev ? hostdev->source : (struct name){0};
    const struct names sources = {&source, 1};
    const struct berth_search search = {
        .host = addition->call->host,
        .request = &edit->request,
        .sources = &sources,
        .freedom = DEMAND_ANY_KIND,
        .named = &addition->named,
        .taken = &taken,
        .now = addition->meant[CONNECTION_LIVE],
        .elsewhere = !addition->target->connection,
    };

    int rc = find_taken(addition, &taken);

    if (rc < 0)
        return error_set(error, rc, "no memory for the virtual functions");
    rc = berth_find(&search, ret, error);
    if (rc == 0 && ret->kind == REQUEST_MDEV)
        edit_uuid(&edit->request.domain, addition->alias, &ret->source);
    return rc;
}

int
addition_place(struct addition *addition, struct error *error)
{
    int rc = choose(addition, &addition->source, error);

    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++) {
        if (addition->meant[side])
            rc = edit_set_source(&addition->edits[side], addition->alias, &addition->source, error);
    }
    return rc;
}

/* A mediated device has been tried everywhere. */
int
addition_place_again(struct addition *addition)
{
    struct error ignored;

    if (addition->source.kind != REQUEST_PCI)
        return 0;
    if (names_add(&addition->refused, addition->source.source.text) < 0)
        return -ENOMEM;
    return addition_place(addition, &ignored) == 0;
}
