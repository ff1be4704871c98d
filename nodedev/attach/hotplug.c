/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/hotplug.h"
#include "actions/assign.h"
#include "actions/release.h"
#include "cli/say.h"
#include "domain/request-parser.h"

#include <fcntl.h>
#include <string.h>

/* Milliseconds between two questions to libvirt. A guest takes longer to release a device. */
#define LOOK_PAUSE 200

int
hotplug_check(const struct host *host, struct error *error)
{
    int rc = faccessat(host->root, "run/libvirt-vgpu", W_OK, AT_EACCESS);

    if (rc < 0 && errno == ENOENT)
        rc = faccessat(host->root, "run", W_OK, AT_EACCESS);
    if (rc == 0 || errno != EACCES)
        return 0;
    return error_set(error, -EACCES,
                     "a running guest's vGPU is made and removed by ourselves, not by libvirt's "
                     "hook");
}

int
hotplug_has_device(const struct domain_source *source, const struct name *device, bool *ret,
                   struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    AUTO(request_clear) struct request request = {0};
    int rc = domain_source_text(source, CONNECTION_LIVE, false, &text, error);

    if (rc == 0)
        rc = request_parse(&text, &request, error);
    *ret = request_find_hostdev(&request, device);
    return rc;
}

/* Asks the guest to release a device, and waits. Returns -EBUSY with an empty error if the guest
 * keeps the device. */
static int
take_out(const struct domain_source *source, const struct name *device, const char *alias,
         unsigned timeout, struct error *error)
{
    struct deadline deadline = deadline_in(source->call->host, timeout);
    int rc = connection_detach(source->connection, &source->domain.uuid, alias, error);
    unsigned pause = LOOK_PAUSE;

    while (rc == 0) {
        bool has;

        rc = hotplug_has_device(source, device, &has, error);
        if (rc < 0 || !has)
            return rc;
        if (!deadline_pause(deadline, &pause))
            return -EBUSY;
    }
    return rc;
}

/* --- in --------------------------------------------------------------------------------------- */

struct newcomer {
    const struct domain_source *source;
    const char *alias;
    struct name device;
    unsigned timeout;
    char *hostdev, *annotation;                  /* as libvirt expects them */
    const struct hotplug_definition *definition; /* NULL: it does not change */
};

static void
newcomer_clear(struct newcomer *newcomer)
{
    free(newcomer->hostdev);
    free(newcomer->annotation);
}

static int
plug(const struct newcomer *newcomer, struct error *error)
{
    const struct domain_source *source = newcomer->source;
    struct error failure;
    int rc = connection_attach(source->connection, &source->domain.uuid, newcomer->hostdev, error);

    if (rc < 0) {
        error_wrap(error, "%s", newcomer->alias);
        return rc;
    }
    rc = connection_set_annotation(source->connection, &source->domain.uuid, newcomer->annotation,
                                   error);
    if (rc < 0 &&
        take_out(source, &newcomer->device, newcomer->alias, newcomer->timeout, &failure) < 0)
        error_add(error, "and the guest keeps %s, whose lease is given back when it ends",
                  newcomer->alias);
    return rc;
}

/* Called when the device has been made. The definition is changed first, because that change can
 * be undone, unless somebody else changes the definition meanwhile. */
static int
hand_over(void *data, struct error *error)
{
    const struct newcomer *newcomer = data;
    const struct hotplug_definition *definition = newcomer->definition;
    struct connection *connection = newcomer->source->connection;
    const struct name *domain = &newcomer->source->domain.uuid;
    AUTO(document_clear) struct document written = {0};
    AUTO(document_clear) struct document again = {0};
    struct error failure;
    int rc = definition ? definition_replace(connection, domain, definition->before,
                                             definition->after, &written, error)
                        : 0;

    if (rc < 0) {
        error_wrap(error, "its definition");
        return rc;
    }

    rc = plug(newcomer, error);
    if (rc < 0 && definition &&
        definition_replace(connection, domain, &written, definition->before, &again, &failure) < 0)
        error_add(error, "and its definition has %s now: %s", newcomer->alias, failure.text);
    return rc;
}

int
hotplug_in(const struct domain_source *source, const struct domain_edit *edit, const char *alias,
           unsigned timeout, const struct hotplug_definition *definition, struct error *error)
{
    AUTO(newcomer_clear)
    struct newcomer newcomer = {
        .source = source, .alias = alias, .timeout = timeout, .definition = definition};
    const struct assign_handover handover = {hand_over, &newcomer};
    const struct request_hostdev *hostdev;
    int rc = domain_edit_hostdev(edit, alias, &newcomer.hostdev, error);

    if (rc == 0)
        rc = domain_edit_annotation(edit, &newcomer.annotation, error);
    if (rc < 0)
        return rc;
    hostdev = domain_edit_find(edit, alias);
    newcomer.device = hostdev ? hostdev->source : newcomer.device;
    rc = assign_device(source->call->host, &edit->request, &newcomer.device, &handover, error);
    if (rc < 0)
        error_wrap(error, "%s", source->domain.name);
    return rc;
}

/* --- out -------------------------------------------------------------------------------------- */

void
hotplug_leaver_clear(struct hotplug_leaver *leaver)
{
    domain_edit_end(&leaver->edit);
    free(leaver->alias);
    leaver->alias = NULL;
}

/* Finds the device by its lease. If a guest released the device late, only the annotation and the
 * lease are left. */
static int
find_lease(const struct domain_source *source, const char *alias, struct name *ret,
           struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    int rc = statedir_peek(source->call->host, &ledger, error);

    for (size_t i = 0; i < ledger.count; i++) {
        const struct lease *lease = &ledger.leases[i];

        if (name_equal(&lease->domain, &source->domain.uuid) && !strcmp(lease->alias, alias))
            *ret = lease->vgpu.device;
    }
    return rc;
}

/* Gives the device back, even if the annotation could not be changed. */
static int
give_back(const struct domain_source *source, const char *word, struct name *device, int rc,
          struct error *error)
{
    struct error failure;
    int released = *device->text ? 0 : find_lease(source, word, device, &failure);

    if (released == 0 && *device->text)
        released = release_device(source->call->host, &source->domain.uuid, device, &failure);
    if (released == 0)
        return rc;
    if (rc == 0)
        *error = failure;
    else
        error_add(error, "%s", failure.text);
    return released;
}

/*
 * Asks the guest to release the vGPU, and waits for it. Then removes the vGPU from the annotation
 * and gives it back. If the guest keeps the vGPU for longer than the timeout (milliseconds),
 * returns -EBUSY with a line in error and removes nothing. If a later step fails, `reconcile` does
 * the rest, and error says that the guest has released the vGPU. *is_out: the guest has it no more.
 */
static int
hotplug_out(const struct domain_source *source, const struct hotplug_leaver *leaver,
            unsigned timeout, bool *is_out, struct error *error)
{
    AUTO_FREE char *annotation = NULL;
    struct name device = leaver->device;
    const char *name = source->domain.name;
    int rc = domain_edit_annotation(&leaver->edit, &annotation, error);

    *is_out = false;
    if (rc == 0 && leaver->alias)
        rc = take_out(source, &device, leaver->alias, timeout, error);
    if (rc == -EBUSY)
        return error_set(error, rc,
                         "%s has not released %s in %u s: only the guest's system can do that; "
                         "nothing was removed; try again later",
                         name, leaver->alias, timeout / 1000);
    if (rc < 0)
        return rc;
    rc = connection_set_annotation(source->connection, &source->domain.uuid, annotation, error);
    rc = give_back(source, leaver->word, &device, rc, error);
    *is_out = rc == 0 || leaver->alias;
    if (rc < 0 && *is_out)
        error_wrap(error, "%s has released %s, but the rest failed", name, leaver->alias);
    return rc;
}

/* --- out of all definitions ------------------------------------------------------------------- */

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
        rc = hotplug_out(source, &live, timeout, &change->live, error);
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
