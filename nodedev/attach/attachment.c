/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/attachment.h"
#include "attach/hotplug.h"
#include "attach/vf-selection.h"
#include "cli/reply.h"
#include "cli/say.h"

#include <stdio.h>

#define MOST_TRIES 3 /* to get a virtual function before another start takes it */

/* --- one vGPU --------------------------------------------------------------------------------- */

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

/* Changes the vGPU to the best device for it on this host (vf-selection.h). For a running domain
 * this is the best that can be had now. Then sets the display if one is wanted. Returns the errors
 * of vf_selection_find, with the XML unchanged; or those of domain_edit_set_display. */
static int
place(struct attachment *attachment, struct error *error)
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

/* For the case that another start took the virtual function. Returns whether the vGPU is another
 * virtual function now. A mediated device has no other place, because every place was tried for
 * it. */
static bool
place_again(struct attachment *attachment)
{
    struct error ignored;

    if (attachment->chosen.kind != REQUEST_PCI)
        return false;
    names_append(&attachment->refused, &attachment->chosen.source);
    return place(attachment, &ignored) == 0;
}

/* --- several ---------------------------------------------------------------------------------- */

static void
remember(struct changes *additions, const struct attachment *attachment)
{
    source_edit_tell(attachment->source, "added", &attachment->chosen.source, attachment->alias,
                     additions);
}

static struct attachment
attachment_for(const struct domain_source *source, const struct wish *wish)
{
    return (struct attachment){
        .source = source,
        .wanted = wish->device,
        .display = wish->display,
        .meant = {source->meant[0], source->meant[1]},
    };
}

static const char *
label_of(const struct domain_source *source)
{
    return source->connection ? source->domain.name : source->word;
}

static void
warn(const struct domain_source *source, const char *what, const struct error *why)
{
    if (*why->text)
        reply_warn(source->call, why->class, "%s: %s: %s", label_of(source), what, why->text);
}

/* Adds all vGPUs to the XML first. So vGPUs that this host can never give together are refused. A
 * file may be for another host, so this is only a warning for a file. */
static int
plan(struct attachment *all, bool secrets, unsigned count, struct changes *additions,
     struct error *error)
{
    const struct domain_source *source = all->source;
    struct error fault = {0};
    int rc = attachment_start(all, secrets, error);

    for (unsigned i = 0; i < count && rc == 0; i++) {
        bool is_made;

        rc = attachment_make(all, error);
        is_made = rc == 0;
        if (is_made)
            rc = place(all, error);
        if (rc == 0)
            remember(additions, all);
        else if (is_made && !source->connection) {
            fault = *fault.text ? fault : *error;
            rc = 0;
        }
    }
    if (rc < 0) {
        error_wrap(error, "%s", label_of(source));
        return rc;
    }
    warn(source, "this host could not do it", &fault);
    warn(source, "this host can never give what it asked for before", &all->others);
    warn(source, "whether this host can give it all is not known", &all->doubt);
    warn(source, "all its vGPUs together", &all->single);
    return 0;
}

/* --- into a guest that runs ------------------------------------------------------------------- */

/* Changes the definition if it is meant, and plugs the vGPU in. */
static int
try(const struct attachment *attachment, unsigned timeout, struct error *error)
{
    const struct domain_edit *edit = &attachment->edits[CONNECTION_CONFIG];
    AUTO(document_clear) struct document new = {0};
    struct hotplug_definition definition = {.before = &edit->before, .after = &new};
    bool is_defined = attachment->meant[CONNECTION_CONFIG];
    int rc = is_defined ? domain_edit_text(edit, &new, error) : 0;

    if (rc < 0)
        return rc;
    return hotplug_in(attachment->source, &attachment->edits[CONNECTION_LIVE], attachment->alias,
                      timeout, is_defined ? &definition : NULL, error);
}

static int
change(struct attachment *attachment, unsigned timeout, struct error *error)
{
    bool again = true;
    int rc = 0;

    for (unsigned tries = 0; tries < MOST_TRIES && again; tries++) {
        rc = try(attachment, timeout, error);
        again = rc == REFUSED && (error->class == ERROR_NO_ROOM || error->class == ERROR_TAKEN) &&
                place_again(attachment);
    }
    return rc;
}

static int
plug_one(const struct domain_source *source, const struct wish *wish, struct changes *additions,
         struct error *error)
{
    AUTO(attachment_clear) struct attachment attachment = attachment_for(source, wish);
    int rc = attachment_start(&attachment, true, error);

    if (rc == 0)
        rc = attachment_make(&attachment, error);
    if (rc < 0)
        return rc;
    rc = place(&attachment, error);
    if (rc < 0) {
        error_wrap(error, "%s", source->domain.name);
        return rc;
    }
    rc = change(&attachment, wish->timeout, error);
    if (rc == 0)
        remember(additions, &attachment);
    return rc;
}

/* Removes the last vGPU first. So those that stay are the ones that a smaller --count gives. */
static void
undo(const struct domain_source *source, struct changes *additions, unsigned timeout,
     struct error *error)
{
    AUTO(changes_clear) struct changes removed = {0};
    struct error failure;
    size_t count = additions->count, kept = 0;

    for (size_t i = count; i-- > 0;) {
        const char *alias = additions->items[i].alias;

        if (detachment_run(source, alias, timeout, &removed, &failure) == 0) {
            additions->items[i].outcome = NULL;
            continue;
        }
        error_add(error, "and %s, added before it, stays: %s", alias, failure.text);
    }
    for (size_t i = 0; i < count; i++) {
        if (additions->items[i].outcome)
            additions->items[kept++] = additions->items[i];
    }
    additions->count = kept;
    if (count && !kept)
        error_add(error, "the %zu added before it %s taken out again", count,
                  count == 1 ? "was" : "were");
}

static int
plug_all(const struct domain_source *source, const struct wish *wish, struct changes *additions,
         struct error *error)
{
    int rc = 0;

    for (unsigned i = 0; i < wish->count && rc == 0; i++)
        rc = plug_one(source, wish, additions, error);
    if (rc < 0)
        undo(source, additions, wish->timeout, error);
    return rc;
}

int
attachments_foresee(const struct domain_source *source, const struct wish *wish,
                    struct changes *ret, struct error *error)
{
    AUTO(attachment_clear) struct attachment all = attachment_for(source, wish);

    return plan(&all, false, wish->count, ret, error);
}

int
attachments_print(const struct domain_source *source, const struct wish *wish, struct error *error)
{
    enum connection_side side = domain_source_side_shown(source);
    AUTO(attachment_clear) struct attachment all = attachment_for(source, wish);
    AUTO(changes_clear) struct changes planned = {0};
    int rc;

    all.meant[CONNECTION_CONFIG] = side == CONNECTION_CONFIG;
    all.meant[CONNECTION_LIVE] = side == CONNECTION_LIVE;
    rc = plan(&all, false, wish->count, &planned, error);
    return rc < 0 ? rc : source_edit_print(source, &all.edits[side], error);
}

/* --- into a definition ------------------------------------------------------------------------ */

static int
define(const struct attachment *attachment, struct document *written, struct error *error)
{
    const struct domain_source *source = attachment->source;
    const struct domain_edit *edit = &attachment->edits[CONNECTION_CONFIG];
    int rc = source_edit_define(source, edit, written, error);

    return rc == 0 && attachment->display
               ? source_edit_check_display(source, &edit->before, written, error)
               : rc;
}

/* Makes the change anew if somebody else has changed the definition meanwhile. */
static int
define_all(const struct domain_source *source, const struct wish *wish, struct changes *ret,
           struct definition_change *made, struct error *error)
{
    int rc = -ESTALE;

    for (unsigned tries = 0; tries < DEFINITION_TRIES && rc == -ESTALE; tries++) {
        AUTO(attachment_clear) struct attachment all = attachment_for(source, wish);
        AUTO(changes_clear) struct changes planned = {0};
        AUTO(document_clear) struct document written = {0};
        struct document *before = &all.edits[CONNECTION_CONFIG].before;

        rc = plan(&all, true, wish->count, &planned, error);
        if (rc == 0)
            rc = define(&all, &written, error);
        if (rc == 0) {
            *ret = planned;
            *made = (struct definition_change){*before, written};
            planned = (struct changes){0};
            *before = written = (struct document){0};
        }
    }
    if (rc == -ESTALE)
        error_wrap(error, "the definition of %s", source->domain.name);
    return rc;
}

/* Sees first whether all can be had. */
static int
plug_planned(const struct domain_source *source, const struct wish *wish, struct changes *ret,
             struct error *error)
{
    AUTO(attachment_clear) struct attachment all = attachment_for(source, wish);
    AUTO(changes_clear) struct changes planned = {0};
    int rc = hotplug_check(source->call->host, error);

    if (rc == 0)
        rc = plan(&all, true, wish->count, &planned, error);
    return rc < 0 ? rc : plug_all(source, wish, ret, error);
}

int
attachments_run(const struct domain_source *source, const struct wish *wish, struct changes *ret,
                struct definition_change *made, struct error *error)
{
    int rc = source->meant[CONNECTION_LIVE] ? plug_planned(source, wish, ret, error)
                                            : define_all(source, wish, ret, made, error);

    for (size_t i = 0; rc == 0 && i < ret->count; i++)
        say_line(source->call->out, "%s: added %s (%s), %s", source->domain.name,
                 ret->items[i].alias, ret->items[i].device.text, domain_source_sides(source));
    return rc;
}
