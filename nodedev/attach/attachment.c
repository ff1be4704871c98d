/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/attachment.h"
#include "attach/vf-selection.h"

#include <stdio.h>

void
attachment_clear(struct attachment *attachment)
{
    domain_edit_end(&attachment->edits[CONNECTION_CONFIG]);
    domain_edit_end(&attachment->edits[CONNECTION_LIVE]);
    names_clear(&attachment->named);
    names_clear(&attachment->added);
    names_clear(&attachment->refused);
}

/* Returns the edit of the running definition if that is meant, else the edit of the other
 * definition. */
static struct domain_edit *
main_edit(struct attachment *attachment)
{
    bool live = attachment->meant[CONNECTION_LIVE];

    return &attachment->edits[live ? CONNECTION_LIVE : CONNECTION_CONFIG];
}

/* Refuses a UUID that another domain names: only one of the two could run. */
static int
check_uuid(const struct domains *domains, const struct name *uuid, const struct name *own,
           struct error *error)
{
    const struct domain *user = NULL;

    while (*uuid->text && (user = domains_next_user(domains, uuid, user))) {
        if (!name_equal(&user->uuid, own))
            return error_set(error, -EEXIST, "%s has a device with the UUID %s already", user->name,
                             uuid->text);
    }
    return 0;
}

int
attachment_start(struct attachment *attachment, bool secrets, struct error *error)
{
    AUTO(domains_clear) struct domains domains = {0};
    const struct domain_source *source = attachment->source;
    const struct domain_edit *edit = main_edit(attachment);
    struct error ignored;
    int rc = 0;

    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++) {
        if (attachment->meant[side])
            rc = source_edit_start(source, side, secrets && side == CONNECTION_CONFIG,
                                   &attachment->edits[side], error);
    }
    if (rc < 0)
        return rc;
    /* The other domains help to choose. If libvirt tells none, or not all, the rest still works. */
    (void)!domain_source_all(source, &domains, &ignored);
    vf_selection_add_named(&domains, &edit->request.domain, &attachment->named);
    return check_uuid(&domains, &attachment->wanted.uuid, &edit->request.domain, error);
}

enum demand_freedom
attachment_freedom(const struct domain_edit_device *device)
{
    return *device->uuid.text ? DEMAND_ANY_PLACE : DEMAND_ANY_KIND;
}

static bool
is_taken(const struct attachment *attachment, const char *alias)
{
    bool taken = false;

    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE; side++)
        taken |= attachment->meant[side] && domain_edit_has_alias(&attachment->edits[side], alias);
    return taken;
}

int
attachment_make(struct attachment *attachment, struct error *error)
{
    const char *wanted = attachment->wanted.alias;
    struct domain_edit_device device = attachment->wanted;
    int rc = 0;

    snprintf(attachment->alias, sizeof(attachment->alias), "%s", wanted ? wanted : "ua-gpu0");
    for (unsigned i = 1; !wanted && is_taken(attachment, attachment->alias); i++)
        snprintf(attachment->alias, sizeof(attachment->alias), "ua-gpu%u", i);
    device.alias = wanted ? wanted : attachment->alias;
    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++) {
        if (attachment->meant[side])
            rc = domain_edit_add(&attachment->edits[side], &device, error);
    }
    return rc;
}

/* Finds the functions that must not be chosen: those that the domain has, and those that were just
 * tried. */
static void
find_taken(const struct attachment *attachment, struct names *ret)
{
    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE; side++)
        vf_selection_add_own(&attachment->edits[side].request, ret);
    for (size_t i = 0; i < attachment->refused.count; i++)
        names_append(ret, &attachment->refused.items[i]);
}

/* Chooses the device by this host's configuration and GPUs. */
static int
choose(struct attachment *attachment, struct rewrite_source *ret, struct error *error)
{
    AUTO(names_clear) struct names taken = {0};
    const struct domain_edit *edit = main_edit(attachment);
    const struct request_hostdev *hostdev = domain_edit_find(edit, attachment->alias);
    struct name source = hostdev ? hostdev->source : (struct name){0};
    const struct names sources = {&source, 1};
    const struct vf_selection_search search = {
        .host = attachment->source->call->host,
        .request = &edit->request,
        .sources = &sources,
        .freedom = attachment_freedom(&attachment->wanted),
        .named = &attachment->named,
        .taken = &taken,
        .added = &attachment->added,
        .doubt = &attachment->doubt,
        .others = &attachment->others,
        .single = &attachment->single,
        .libvirt = attachment->source->connection ? domain_source_version(attachment->source) : 0,
        .now = attachment->meant[CONNECTION_LIVE],
    };
    int rc;

    find_taken(attachment, &taken);
    rc = vf_selection_find(&search, ret, error);
    /* A device with a UUID of its own was never a virtual function, and has it already. */
    if (rc == 0 && ret->kind == REQUEST_MDEV && !*attachment->wanted.uuid.text)
        domain_edit_uuid(&edit->request.domain, attachment->alias, &ret->source);
    return rc;
}

int
attachment_place(struct attachment *attachment, struct error *error)
{
    const struct request_hostdev *made = domain_edit_find(main_edit(attachment), attachment->alias);
    int rc = choose(attachment, &attachment->chosen, error);

    /* A refused vGPU stays a mediated device, as it was made. */
    if (rc < 0 && made)
        names_append(&attachment->added, &made->source);
    for (int side = CONNECTION_CONFIG; side <= CONNECTION_LIVE && rc == 0; side++) {
        if (attachment->meant[side])
            rc = domain_edit_set_source(&attachment->edits[side], attachment->alias,
                                        &attachment->chosen, error);
        /* The display is set after the source, because the display must not decide the kind of the
         * device. */
        if (attachment->meant[side] && attachment->display && rc == 0)
            rc = domain_edit_set_display(&attachment->edits[side], attachment->alias, error);
    }
    if (rc == 0)
        names_append(&attachment->added, &attachment->chosen.source);
    return rc;
}

/* A mediated device has no other place, because every place was tried for it. */
bool
attachment_place_again(struct attachment *attachment)
{
    struct error ignored;

    if (attachment->chosen.kind != REQUEST_PCI)
        return false;
    names_append(&attachment->refused, &attachment->chosen.source);
    return attachment_place(attachment, &ignored) == 0;
}
