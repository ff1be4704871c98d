/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/connection.h"

#include <dlfcn.h>
#include <string.h>

struct connection {
    const struct connection_calls *calls;
    struct _virConnect *libvirt;
};

/* Loads connection.so, and with it libvirt's library, which stays until the process ends. */
static int
load(const char *path, const struct connection_calls **ret, struct error *error)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!module)
        return error_set(
            error, -ENOTCONN,
            "cannot ask libvirt: %s; install libvirt-vgpu again, and libvirt's library", dlerror());
    *ret = dlsym(module, "connection_calls");
    if (*ret && strcmp((*ret)->version, VGPU_VERSION))
        return error_set(
            error, -ENOTCONN,
            "cannot ask libvirt: %s is of version %s, and this is version " VGPU_VERSION
            "; install libvirt-vgpu again",
            path, (*ret)->version);
    if (!*ret || (*ret)->size != CONNECTION_CALLS_SIZE)
        return error_set(error, -ENOTCONN,
                         "cannot ask libvirt: %s was not built together with this program; install "
                         "libvirt-vgpu again",
                         path);
    return 0;
}

int
connection_load(const struct host *host, struct error *error)
{
    const struct connection_calls *calls;

    return load(host->module, &calls, error);
}

/* Returns an error if there is no memory; base/memory.h would end the program. A program that
 * watches a migration opens a connection, and must not end. */
int
connection_open(const struct host *host, const char *uri, enum connection_mode mode,
                struct connection **ret, struct error *error)
{
    struct connection *connection = calloc(1, sizeof(*connection));
    int rc;

    *ret = connection;
    if (!connection)
        return error_set(error, -ENOMEM, "no memory");
    rc = load(host->module, &connection->calls, error);
    return rc < 0 ? rc : connection->calls->open(uri, mode, &connection->libvirt, error);
}

void
connection_close(struct connection **connection)
{
    if (!*connection)
        return;
    if ((*connection)->libvirt)
        (*connection)->calls->close((*connection)->libvirt);
    free(*connection);
    *connection = NULL;
}

unsigned
connection_version(struct connection *connection)
{
    return connection->calls->version_of(connection->libvirt);
}

static int
add_domain(void *data, const struct domain_text *text)
{
    return domains_add(data, text);
}

int
connection_domains(struct connection *connection, struct domains *ret, struct error *error)
{
    int rc;

    *ret = (struct domains){.complete = true};
    rc = connection_each_domain(connection, add_domain, ret, error);
    domains_sort(ret);
    if (rc == 0 && !ret->complete)
        rc = error_set(error, -EIO, "%s", ret->failure.text);
    return rc;
}

int
connection_ask_domains(const struct host *host, const char *uri, struct domains *ret,
                       unsigned *version, struct error *error)
{
    AUTO(connection_close) struct connection *connection = NULL;
    int rc = connection_open(host, uri, CONNECTION_READ, &connection, error);

    *ret = (struct domains){0};
    if (rc < 0)
        return rc;
    if (version)
        *version = connection_version(connection);
    return connection_domains(connection, ret, error);
}

void
connection_add_domain(struct connection *connection, const struct name *domain, struct domains *ret)
{
    AUTO(document_clear) struct document live = {0};
    AUTO(document_clear) struct document config = {0};
    struct connection_domain found;
    struct domain_text text;
    struct error failure;

    if (connection_find(connection, domain->text, &found, &failure) < 0)
        return;
    text = (struct domain_text){.uuid = found.uuid.text,
                                .name = found.name,
                                .is_running = found.is_running,
                                .is_persistent = found.is_persistent,
                                .failure = failure.text};
    *failure.text = '\0';
    if ((!found.is_running && found.is_persistent) ||
        connection_xml(connection, &found.uuid, CONNECTION_LIVE, false, &live, &failure) == 0)
        text.live = live.text;
    if (found.is_persistent &&
        connection_xml(connection, &found.uuid, CONNECTION_CONFIG, false, &config, &failure) == 0)
        text.config = config.text;
    (void)!domains_add(ret, &text);
}

int
connection_each_domain(struct connection *connection, connection_reader *read, void *data,
                       struct error *error)
{
    return connection->calls->each_domain(connection->libvirt, read, data, error);
}

int
connection_tell(struct connection *connection, enum connection_scope scope,
                connection_listener *listen, void *data, struct error *error)
{
    return connection->calls->tell(connection->libvirt, scope, listen, data, error);
}

int
connection_find(struct connection *connection, const char *word, struct connection_domain *ret,
                struct error *error)
{
    return connection->calls->find(connection->libvirt, word, ret, error);
}

int
connection_xml(struct connection *connection, const struct name *domain, enum connection_side side,
               bool secrets, struct document *ret, struct error *error)
{
    int rc;

    *ret = (struct document){0};
    rc =
        connection->calls->xml(connection->libvirt, domain->text, side, secrets, &ret->text, error);
    if (rc == 0)
        ret->length = strlen(ret->text);
    return rc;
}

/* Returns an error if there is no memory; base/memory.h would end the program. The call may have to
 * undo a change. */
int
connection_define(struct connection *connection, const struct document *xml, struct error *error)
{
    AUTO_FREE char *text = strndup(xml->text, xml->length);

    if (!text)
        return error_set(error, -ENOMEM, "no memory");
    return connection->calls->define(connection->libvirt, text, error);
}

int
connection_start(struct connection *connection, const struct name *domain, struct error *error)
{
    return connection->calls->start(connection->libvirt, domain->text, error);
}

int
connection_shut_down(struct connection *connection, const struct name *domain, struct error *error)
{
    return connection->calls->shut_down(connection->libvirt, domain->text, error);
}

int
connection_attach(struct connection *connection, const struct name *domain, const char *xml,
                  struct error *error)
{
    return connection->calls->attach(connection->libvirt, domain->text, xml, error);
}

int
connection_detach(struct connection *connection, const struct name *domain, const char *alias,
                  struct error *error)
{
    return connection->calls->detach(connection->libvirt, domain->text, alias, error);
}

int
connection_set_annotation(struct connection *connection, const struct name *domain, const char *xml,
                          struct error *error)
{
    return connection->calls->set_annotation(connection->libvirt, domain->text, xml, error);
}

int
connection_migrate(struct connection *connection, const struct name *domain, const char *uri,
                   const char *xml, struct error *error)
{
    return connection->calls->migrate(connection->libvirt, domain->text, uri, xml, error);
}

int
connection_save(struct connection *connection, const struct name *domain, struct error *error)
{
    return connection->calls->save(connection->libvirt, domain->text, error);
}

int
connection_progress(struct connection *connection, const struct name *domain,
                    struct connection_progress *ret, struct error *error)
{
    return connection->calls->progress(connection->libvirt, domain->text, ret, error);
}

int
connection_abort(struct connection *connection, const struct name *domain, struct error *error)
{
    return connection->calls->abort(connection->libvirt, domain->text, error);
}
