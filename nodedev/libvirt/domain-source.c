/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/domain-source.h"
#include "domain/request-parser.h"
#include "libvirt/connection.h"

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
subject_read(const struct host *host, const char *word, struct document *ret, struct error *error)
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

static int
parse(const struct document *document, const char *word, struct subject *ret, struct error *error)
{
    int rc = request_parse(document, &ret->request, error);

    if (rc < 0)
        error_wrap(error, "%s", word);
    return rc;
}

static int
ask_libvirt(const char *uri, const char *word, struct subject *ret, struct document *document,
            struct error *error)
{
    AUTO(connection_close) struct connection *connection = NULL;
    struct connection_domain domain;
    int rc = connection_open(uri, CONNECTION_READ, &connection, error);

    if (rc == 0)
        rc = connection_find(connection, word, &domain, error);
    if (rc < 0)
        return rc;
    ret->is_running = domain.is_running;
    return connection_xml(connection, &domain.uuid,
                          domain.is_running ? CONNECTION_LIVE : CONNECTION_CONFIG, false, document,
                          error);
}

int
subject_find(const struct host *host, const char *uri, const char *word, struct subject *ret,
             struct error *error)
{
    AUTO(document_clear) struct document document = {0};
    int rc;

    *ret = (struct subject){0};
    if (subject_is_file(word))
        rc = subject_read(host, word, &document, error);
    else if (uri)
        rc = ask_libvirt(uri, word, ret, &document, error);
    else
        rc = error_set(error, -ENOENT,
                       "with --root there is no libvirt that could know a domain \"%s\"; name a "
                       "file of its XML, as ./%s.xml",
                       word, word);
    return rc < 0 ? rc : parse(&document, word, ret, error);
}

void
subject_clear(struct subject *subject)
{
    request_clear(&subject->request);
}
