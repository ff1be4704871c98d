/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/domain-source.h"
#include "base/memory.h"
#include "domain/request-parser.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define DRAFT "new-guest"
#define DRAFT_UUID                                                                                 \
    "6e65772d-6775-4573-b400-000000000000" /* so the devices have the same UUID each time */

bool
domain_source_is_file(const char *word)
{
    struct stat status;

    return !strcmp(word, "-") || strchr(word, '/') ||
           (stat(word, &status) == 0 && !S_ISDIR(status.st_mode));
}

/* Refuses what cannot be done to a file. */
static int
check_file(const struct domain_source *source, struct error *error)
{
    const struct options *options = &source->call->options;

    if (option_given(options, OPTION_CONFIG) || option_given(options, OPTION_LIVE))
        return error_refuse(error, ERROR_USAGE, "%s is a file: it takes no --config and no --live",
                            source->word);
    if (option_given(options, OPTION_START))
        return error_refuse(error, ERROR_USAGE,
                            "a file is not started: name a domain of libvirt's");
    if (!option_given(options, OPTION_PRINT_XML))
        return error_refuse(error, ERROR_USAGE, "a file is not written: say --print-xml");
    return 0;
}

static int
choose_sides(struct domain_source *source, struct error *error)
{
    const struct connection_domain *domain = &source->domain;
    const struct options *options = &source->call->options;
    bool config = option_given(options, OPTION_CONFIG), live = option_given(options, OPTION_LIVE);

    if (!source->connection)
        return check_file(source, error);
    if (live && !domain->is_running)
        return error_set(error, -ESRCH, "%s does not run: leave --live out", domain->name);
    if (config && !domain->is_persistent)
        return error_set(error, -ENOENT,
                         "%s is transient: it has no definition that a next start would use",
                         domain->name);
    source->meant[CONNECTION_CONFIG] = config || (!live && !domain->is_running);
    source->meant[CONNECTION_LIVE] = live || (!config && domain->is_running);
    return 0;
}

int
domain_source_open(const struct command_call *call, enum connection_mode mode,
                   struct domain_source *ret, struct error *error)
{
    const char *word = call->arguments[0];
    bool is_file = domain_source_is_file(word);
    int rc = 0;

    *ret =
        (struct domain_source){.call = call, .word = word, .meant = {[CONNECTION_CONFIG] = true}};
    if (!is_file && !call->uri)
        return error_refuse(
            error, ERROR_USAGE,
            "with --root there is no libvirt that could know a domain \"%s\"; name a "
            "file of its XML, as ./%s.xml",
            word, word);
    if (!is_file)
        rc = connection_open(call->host, call->uri, mode, &ret->connection, error);
    if (rc == 0 && !is_file)
        rc = connection_find(ret->connection, word, &ret->domain, error);
    if (rc == 0 && mode == CONNECTION_WRITE)
        rc = choose_sides(ret, error);
    if (rc == 0 && is_file)
        rc = domain_source_read(call->host, word, &ret->text, error);
    return rc;
}

int
domain_source_find(const struct command_call *call, struct connection *connection, const char *word,
                   struct domain_source *ret, struct error *error)
{
    *ret = (struct domain_source){
        .call = call, .word = word, .connection = connection, .is_borrowed = true};
    return connection_find(connection, word, &ret->domain, error);
}

void
domain_source_draft(const struct command_call *call, struct domain_source *ret)
{
    const char *text =
        "<domain type='kvm'><name>" DRAFT "</name><uuid>" DRAFT_UUID "</uuid></domain>";

    *ret = (struct domain_source){
        .call = call,
        .word = DRAFT,
        .text = {memory_copy(text), strlen(text)},
        .meant = {[CONNECTION_CONFIG] = true},
    };
}

void
domain_source_close(struct domain_source *source)
{
    if (!source->is_borrowed)
        connection_close(&source->connection);
    request_clear(&source->request);
    document_clear(&source->text);
}

int
domain_source_read(const struct host *host, const char *word, struct document *ret,
                   struct error *error)
{
    AUTO_CLOSE int fd = -1;
    int rc;

    *ret = (struct document){0};
    if (strcmp(word, "-")) {
        fd = open(word, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return error_set(error, -errno, "%s: %m", word);
    }
    rc = document_read(host, fd < 0 ? STDIN_FILENO : fd, ret, error);
    if (rc < 0)
        error_wrap(error, "%s", word);
    return rc;
}

int
domain_source_text(const struct domain_source *source, enum connection_side side, bool secrets,
                   struct document *ret, struct error *error)
{
    *ret = (struct document){0};
    if (!source->connection) {
        *ret = (struct document){memory_copy_bytes(source->text.text, source->text.length),
                                 source->text.length};
        return 0;
    }
    return connection_xml(source->connection, &source->domain.uuid, side, secrets, ret, error);
}

int
domain_source_request(struct domain_source *source, struct error *error)
{
    enum connection_side side = source->domain.is_running ? CONNECTION_LIVE : CONNECTION_CONFIG;
    int rc = 0;

    if (source->connection)
        rc = domain_source_text(source, side, false, &source->text, error);
    if (rc < 0)
        return rc;
    rc = request_parse_draft(&source->text, &source->request, error);
    if (rc < 0)
        error_wrap(error, "%s", source->word);
    return rc;
}

int
domain_source_all(const struct domain_source *source, struct domains *ret, struct error *error)
{
    *ret = (struct domains){0};
    if (source->connection)
        return connection_domains(source->connection, ret, error);
    if (!source->call->uri)
        return error_set(error, -ENOTCONN, "with --root there is no libvirt that knows domains");
    return connection_ask_domains(source->call->host, source->call->uri, ret, NULL, error);
}

unsigned
domain_source_version(const struct domain_source *source)
{
    AUTO(connection_close) struct connection *connection = NULL;
    const struct command_call *call = source->call;
    struct error ignored;

    if (source->connection)
        return connection_version(source->connection);
    if (!call->uri ||
        connection_open(call->host, call->uri, CONNECTION_READ, &connection, &ignored) < 0)
        return 0;
    return connection_version(connection);
}

enum connection_side
domain_source_side_shown(const struct domain_source *source)
{
    const struct options *options = &source->call->options;

    if (!source->connection || option_given(options, OPTION_CONFIG))
        return CONNECTION_CONFIG;
    return option_given(options, OPTION_LIVE) || !source->domain.is_persistent ? CONNECTION_LIVE
                                                                               : CONNECTION_CONFIG;
}

const char *
domain_source_sides(const struct domain_source *source)
{
    if (!source->meant[CONNECTION_LIVE])
        return "for its next start";
    return source->meant[CONNECTION_CONFIG] ? "as it runs and for its next start" : "as it runs";
}
