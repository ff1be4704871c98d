/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "subject.h"
#include "connection.h"
#include "guess.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

bool
subject_is_file(const char *word)
{
    struct stat status;

    return !strcmp(word, "-") || strchr(word, '/') ||
           (stat(word, &status) == 0 && !S_ISDIR(status.st_mode));
}

int
subject_read(const char *word, struct document *ret, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    int rc;

    *ret = (struct document){0};
    if (strcmp(word, "-")) {
        fd = open(word, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            return error_set(error, -errno, "%s: %m", word);
    }
    rc = document_read(fd < 0 ? STDIN_FILENO : fd, ret, error);
    if (rc < 0)
        error_wrap(error, "%s", word);
    return rc;
}

static int
find_file(const char *word, struct subject *ret, struct error *error)
{
    AUTO(document_clear) struct document document = {0};
    int rc = subject_read(word, &document, error);

    if (rc < 0)
        return rc;
    rc = request_parse(&document, &ret->file, error);
    if (rc < 0)
        error_wrap(error, "%s", word);
    ret->request = &ret->file;
    return rc;
}

static int
unknown(const char *uri, const char *word, const struct domains *domains, struct error *error)
{
    struct guess guess = GUESS(word);

    for (size_t i = 0; i < domains->count; i++)
        guess_offer(&guess, domains->items[i].name);
    return error_set(error, -ENOENT, "%s has no domain \"%s\"%s%s%s", uri, word,
                     guess.best ? " (did you mean " : "", guess.best ? guess.best : "",
                     guess.best ? "?)" : "");
}

int
subject_find(const char *uri, const char *word, struct subject *ret, struct error *error)
{
    AUTO(connection_close) struct connection *connection = NULL;
    const struct domain *domain;
    int rc;

    *ret = (struct subject){0};
    if (subject_is_file(word))
        return find_file(word, ret, error);
    if (!uri)
        return error_set(error, -ENOENT,
                         "with --root there is no libvirt that could know a domain \"%s\"; name a "
                         "file of its XML, as ./%s.xml",
                         word, word);
    rc = connection_open(uri, CONNECTION_READ, &connection, error);
    if (rc == 0)
        rc = connection_domains(connection, &ret->domains, error);
    if (rc < 0)
        return rc;
    domain = domains_find(&ret->domains, word);
    if (!domain)
        return unknown(uri, word, &ret->domains, error);
    ret->is_running = domain->is_running;
    ret->request = domain->is_running ? &domain->live : &domain->config;
    /* One that went, or could not be read, while we looked at it. */
    return *ret->request->domain.text
               ? 0
               : error_set(error, -EINVAL, "the XML of the domain %s cannot be read", word);
}

void
subject_clear(struct subject *subject)
{
    domains_clear(&subject->domains);
    request_clear(&subject->file);
}
