/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/remote.h"
#include "base/memory.h"
#include "libvirt/child.h"
#include "libvirt/connection.h"
#include "libvirt/node-device.h"

#include <libxml/uri.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define HOSTS_AT_ONCE   64
#define LONGEST_ANSWERS ((size_t)256 << 20) /* of these hosts together */

/* --- The answer, read --- */

struct remote_reader {
    struct remote_host *host;
    const char *at, *end;
    struct node_devices devices;
    int rc; /* -EPIPE: it broke off; -EBADMSG: it cannot be understood */
};

/* Returns the next word. Without one, it returns "" and sets rc to -EBADMSG. */
static const char *
next_word(struct remote_reader *reader)
{
    const char *word = reader->at;
    const char *end = memchr(word, '\0', (size_t)(reader->end - word));

    if (end) {
        reader->at = end + 1;
        return word;
    }
    reader->at = reader->end;
    reader->rc = -EBADMSG;
    return "";
}

static void
read_host(struct remote_reader *reader)
{
    struct remote_host *host = reader->host;

    free(host->hypervisor);
    host->hypervisor = memory_copy(next_word(reader));
    host->libvirt_version = (unsigned)strtoul(next_word(reader), NULL, 10);
    host->hypervisor_version = (unsigned)strtoul(next_word(reader), NULL, 10);
    if (node_device_host(next_word(reader), &host->uuid) < 0)
        host->uuid = (struct name){0};
}

static void
read_device(struct remote_reader *reader)
{
    if (node_devices_add(&reader->devices, next_word(reader)) < 0)
        reader->rc = -EBADMSG;
}

static void
read_domain(struct remote_reader *reader)
{
    struct domain_text text = {0};

    text.uuid = next_word(reader);
    text.name = next_word(reader);
    text.is_running = *next_word(reader);
    text.is_persistent = *next_word(reader);
    text.live = next_word(reader);
    text.config = next_word(reader);
    if (domains_add(&reader->host->domains, &text) < 0)
        reader->rc = -EBADMSG;
}

static void
read_problem(struct remote_reader *reader)
{
    error_set(&reader->host->failure, -EIO, "%s", next_word(reader));
}

static void
forget(struct remote_host *host)
{
    free(host->hypervisor);
    host->hypervisor = NULL;
    inventory_clear(&host->inventory);
    domains_clear(&host->domains);
}

static void
finish(struct remote_reader *reader, bool is_whole)
{
    struct remote_host *host = reader->host;

    if (reader->rc == 0 && !is_whole)
        reader->rc = -EPIPE;
    if (reader->rc < 0 && !*host->failure.text)
        error_set(&host->failure, reader->rc, "%s: %s", host->uri,
                  reader->rc == -EPIPE ? "the answer broke off"
                                       : "the answer cannot be understood");
    if (*host->failure.text) {
        forget(host);
        return;
    }
    node_devices_survey(&reader->devices, &host->inventory);
    domains_sort(&host->domains);
}

void
remote_read(struct remote_host *host, const char *words, size_t size)
{
    static const struct {
        const char *word;
        void (*read)(struct remote_reader *reader);
    } rows[] = {
        {"host", read_host},
        {"device", read_device},
        {"domain", read_domain},
        {"problem", read_problem},
    };
    struct remote_reader reader = {.host = host, .at = words, .end = words + size};
    bool is_whole = false;

    host->domains.complete = true;
    while (reader.at < reader.end && reader.rc == 0 && !is_whole) {
        const char *word = next_word(&reader);
        size_t row = 0;

        is_whole = !strcmp(word, "end");
        while (row < COUNT(rows) && strcmp(rows[row].word, word))
            row++;
        if (row < COUNT(rows))
            rows[row].read(&reader);
        else if (!is_whole)
            reader.rc = -EPIPE;
    }
    finish(&reader, is_whole);
    node_devices_clear(&reader.devices);
}

/* --- The asking --- */

struct inquiry {
    const struct host *here;
    enum connection_scope scope;
    struct remote_host *host;
    struct child child;
    size_t *room; /* bytes that the hosts of this wave may still answer */
    char *words;
    size_t size;
};

static int
say(void *data, const char *word)
{
    return fwrite(word, strlen(word) + 1, 1, data) == 1 ? 0 : -EPIPE;
}

/* The child's work: asks one host, and writes the answer. */
static void
answer(const void *data, FILE *out)
{
    const struct inquiry *inquiry = data;
    struct connection *connection = NULL;
    struct error error = {0};
    int rc =
        connection_open(inquiry->here, inquiry->host->uri, CONNECTION_READ, &connection, &error);

    if (rc == 0) {
        rc = connection_tell(connection, inquiry->scope, say, out, &error);
        if (rc < 0)
            error_wrap(&error, "%s", inquiry->host->uri);
    }
    /* If even the problem cannot be written, the parent sees that the answer has no end. */
    if (rc == 0)
        (void)say(out, "end");
    else if (say(out, "problem") == 0)
        (void)say(out, error.text);
    /* Ends the answer before closing the connection, because closing may take long. */
    fclose(out);
    connection_close(&connection);
}

/* Reads what a child has written so far. */
static void
hear(struct inquiry *inquiry)
{
    size_t piece = *inquiry->room < 65536 ? *inquiry->room : 65536;

    if (piece == 0) {
        error_set(&inquiry->host->failure, -EFBIG,
                  "%s: the answers of the hosts are longer than %zu MB: ask fewer hosts at once",
                  inquiry->host->uri, LONGEST_ANSWERS >> 20);
        child_close(&inquiry->child);
        return;
    }
    inquiry->words = memory_resized(inquiry->words, inquiry->size + piece, 1);
    piece = child_hear(&inquiry->child, inquiry->words + inquiry->size, piece);
    inquiry->size += piece;
    *inquiry->room -= piece;
}

/* Reads until all children have ended their answers, or until the deadline. */
static void
hear_all(struct inquiry *inquiries, size_t count, struct pollfd *polls, struct deadline deadline)
{
    for (;;) {
        bool waits = false;

        for (size_t i = 0; i < count; i++) {
            polls[i] = (struct pollfd){.fd = inquiries[i].child.pipe, .events = POLLIN};
            waits |= inquiries[i].child.pipe >= 0;
        }
        if (!waits || deadline_left(deadline) == 0 || deadline_wait(deadline, polls, count) <= 0)
            return;
        for (size_t i = 0; i < count; i++) {
            if (polls[i].fd >= 0 && polls[i].revents)
                hear(&inquiries[i]);
        }
    }
}

/* Returns the name of a host for tables. */
static char *
make_label(const char *uri)
{
    xmlURI *parsed = xmlParseURI(uri);
    char *label = memory_copy(parsed && parsed->server && *parsed->server ? parsed->server : uri);

    xmlFreeURI(parsed);
    return label;
}

static void
conclude(struct inquiry *inquiry, unsigned seconds, struct deadline deadline)
{
    struct remote_host *host = inquiry->host;

    if (inquiry->child.pipe >= 0)
        error_set(&host->failure, -ETIMEDOUT, "%s: no answer within %u s", host->uri, seconds);
    else if (!*host->failure.text)
        remote_read(host, inquiry->words ? inquiry->words : "", inquiry->size);
    child_end(&inquiry->child, deadline);
    free(inquiry->words);
    if (*host->failure.text)
        host->failure.class = ERROR_NO_LIBVIRT;
}

/* Asks these hosts, HOSTS_AT_ONCE at most. */
static void
ask_wave(const struct host *here, const struct remote_question *question, struct remote_host *hosts,
         size_t count)
{
    struct deadline deadline = deadline_in(here, question->seconds * 1000);
    struct inquiry inquiries[HOSTS_AT_ONCE] = {0};
    struct pollfd polls[HOSTS_AT_ONCE];
    size_t room = LONGEST_ANSWERS;

    for (size_t i = 0; i < count; i++) {
        struct inquiry *inquiry = &inquiries[i];
        int rc;

        *inquiry = (struct inquiry){
            .here = here, .scope = question->scope, .host = &hosts[i], .room = &room};
        rc = child_start(&inquiry->child, answer, inquiry);
        if (rc < 0)
            error_set(&hosts[i].failure, rc, "%s: cannot be asked: %s", hosts[i].uri,
                      strerror(-rc));
    }
    hear_all(inquiries, count, polls, deadline);
    for (size_t i = 0; i < count; i++)
        conclude(&inquiries[i], question->seconds, deadline);
}

static void
ask_all(const struct host *here, const struct remote_question *question, struct remote_hosts *ret)
{
    ret->items = memory_zeroed(question->count, sizeof(*ret->items));
    ret->count = question->count;
    for (size_t i = 0; i < ret->count; i++) {
        ret->items[i].uri = question->uris[i];
        ret->items[i].label = make_label(question->uris[i]);
    }
    for (size_t i = 0; i < ret->count; i += HOSTS_AT_ONCE)
        ask_wave(here, question, &ret->items[i],
                 ret->count - i < HOSTS_AT_ONCE ? ret->count - i : HOSTS_AT_ONCE);
}

/* Loads the library here, so that each child does not load it. */
int
remote_ask(const struct host *here, const struct remote_question *question,
           struct remote_hosts *ret, struct error *error)
{
    int rc = connection_load(here, error);

    *ret = (struct remote_hosts){0};
    if (rc == 0)
        ask_all(here, question, ret);
    return rc;
}

void
remote_clear(struct remote_hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++) {
        forget(&hosts->items[i]);
        free(hosts->items[i].label);
    }
    free(hosts->items);
    *hosts = (struct remote_hosts){0};
}
