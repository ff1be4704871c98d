/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "subject.h"

#include <fcntl.h>
#include <string.h>

static bool
is_file(const char *word)
{
    size_t length = strlen(word);

    return !strcmp(word, "-") || strchr(word, '/') ||
           (length > 4 && !strcmp(word + length - 4, ".xml") && access(word, F_OK) == 0);
}

/* Which definitions are meant. */
static int
choose_sides(const struct options *options, struct subject *subject, struct error *error)
{
    const struct connection_domain *domain = &subject->domain;
    bool config = option_given(options, OPTION_CONFIG), live = option_given(options, OPTION_LIVE);

    if (live && !domain->is_running)
        return error_set(error, -ESRCH, "%s does not run: leave --live out", domain->name);
    if (config && !domain->is_persistent)
        return error_set(error, -ENOENT,
                         "%s is transient: it has no definition that a next start would use",
                         domain->name);
    subject->meant[CONNECTION_CONFIG] = config || (!live && !domain->is_running);
    subject->meant[CONNECTION_LIVE] = live || (!config && domain->is_running);
    return 0;
}

int
subject_open(const struct command_call *call, struct subject *ret, struct error *error)
{
    const struct options *options = &call->options;
    int rc;

    *ret = (struct subject){.word = call->arguments[0]};
    if (is_file(ret->word)) {
        ret->meant[CONNECTION_CONFIG] = true;
        if (option_given(options, OPTION_CONFIG) || option_given(options, OPTION_LIVE))
            return error_set(error, -EINVAL, "%s is a file: it takes no --config and no --live",
                             ret->word);
        return 0;
    }
    if (!call->uri)
        return error_set(error, -EINVAL,
                         "%s is no file, and with --root there is no libvirt that knows domains",
                         ret->word);
    rc = connection_open(call->uri, CONNECTION_WRITE, &ret->connection, error);
    if (rc == 0)
        rc = connection_find(ret->connection, ret->word, &ret->domain, error);
    return rc < 0 ? rc : choose_sides(options, ret, error);
}

void
subject_close(struct subject *subject)
{
    connection_close(&subject->connection);
}

static int
read_file(const char *path, struct document *ret, struct error *error)
{
    AUTO_CLOSE int opened = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    int fd = strcmp(path, "-") ? opened : STDIN_FILENO;
    int rc;

    if (fd < 0)
        return error_set(error, -errno, "%s: %m", path);
    rc = document_read(fd, ret, error);
    if (rc < 0)
        error_wrap(error, "%s", path);
    return rc;
}

int
subject_text(const struct subject *subject, enum connection_side side, bool secrets,
             struct document *ret, struct error *error)
{
    *ret = (struct document){0};
    if (!subject->connection)
        return read_file(subject->word, ret, error);
    return connection_xml(subject->connection, &subject->domain.uuid, side, secrets, ret, error);
}

int
subject_edit(const struct subject *subject, enum connection_side side, bool secrets,
             struct edit *ret, struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = subject_text(subject, side, secrets, &text, error);

    *ret = (struct edit){0};
    if (rc < 0)
        return rc;
    rc = edit_start(&text, ret, error);
    if (rc < 0)
        error_wrap(error, "%s", subject->word);
    return rc;
}

int
subject_define(const struct subject *subject, const struct edit *edit, struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = edit_text(edit, &text, error);

    return rc < 0 ? rc : connection_define(subject->connection, &text, error);
}

int
subject_print(const struct command_call *call, const struct edit *edit, struct error *error)
{
    AUTO(document_clear) struct document text = {0};
    int rc = edit_text(edit, &text, error);

    if (rc == 0)
        fwrite(text.text, 1, text.length, call->out);
    return rc;
}

enum connection_side
subject_side_shown(const struct command_call *call, const struct subject *subject)
{
    if (!subject->connection || option_given(&call->options, OPTION_CONFIG))
        return CONNECTION_CONFIG;
    return option_given(&call->options, OPTION_LIVE) || !subject->domain.is_persistent
               ? CONNECTION_LIVE
               : CONNECTION_CONFIG;
}

const char *
subject_sides(const struct subject *subject)
{
    if (!subject->meant[CONNECTION_LIVE])
        return "for its next start";
    return subject->meant[CONNECTION_CONFIG] ? "as it runs and for its next start" : "as it runs";
}
