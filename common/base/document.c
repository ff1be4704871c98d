/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/document.h"
#include "base/deadline.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <poll.h>
#include <string.h>

#define MOST_BYTES  (8 << 20)
#define USUAL_BYTES (96 << 10) /* fits nearly every domain's XML; malloc still uses its heap */
#define MOST_TIME   30000      /* ms that libvirt has to send all of it */

/* Returns -ENOMEM, an exception of base/memory.h: a release has to read which domain it is for. */
static int
grow(struct document *document, size_t *room)
{
    char *text;

    if (document->length < *room)
        return 0;
    *room = *room ? 2 * *room : USUAL_BYTES;
    text = realloc(document->text, *room);
    if (!text)
        return -ENOMEM;
    document->text = text;
    return 0;
}

/* 1: more was read; 0: that was the end. */
static int
read_some(int fd, struct document *document, size_t room, struct deadline deadline,
          struct error *error)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    int rc = deadline_wait(deadline, &input, 1);
    ssize_t length;

    if (rc == 0)
        return error_set(error, -ETIMEDOUT, "it has not ended after %d s", MOST_TIME / 1000);
    if (rc < 0)
        return error_set(error, rc, "%s", strerror(-rc));
    length = read(fd, document->text + document->length, room - document->length);
    if (length < 0 && errno == EINTR)
        return 1;
    if (length < 0)
        return error_set(error, -errno, "%m");
    document->length += (size_t)length;
    if (document->length <= MOST_BYTES)
        return length > 0;
    document->length = MOST_BYTES;
    return error_set(error, -EFBIG, "it is larger than 8 MiB: make its <metadata> smaller");
}

int
document_read(const struct host *host, int fd, struct document *ret, struct error *error)
{
    struct deadline deadline = deadline_in(host, MOST_TIME);
    size_t room = 0;
    int rc;

    *ret = (struct document){0};
    do {
        rc = grow(ret, &room);
        if (rc < 0)
            error_set(error, rc, "no memory");
        else
            rc = read_some(fd, ret, room, deadline, error);
    } while (rc > 0);
    if (rc == 0 && ret->length == 0)
        rc = error_set(error, -EINVAL, "it is empty");
    if (rc < 0)
        error_wrap(error, "cannot read the domain XML");
    return rc;
}

void
document_clear(struct document *document)
{
    free(document->text);
    *document = (struct document){0};
}

/* The text behind a word in [at, end); NULL: the word is not there. */
static const char *
skip_past(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    const char *found = at < end ? memmem(at, (size_t)(end - at), word, length) : NULL;

    return found ? found + length : NULL;
}

/* What the <?xml ...?> in front says of the encoding: the length of the name at ret; -1: nothing.
 * libxml2 is told to ignore what is said there (stream.h), so this need not be exact. */
static int
find_declared(const struct document *document, const char **ret)
{
    static const char mark[] = "\xef\xbb\xbf", start[] = "<?xml";
    const char *at = document->text, *end = at + document->length, *stop, *name;

    if (document->length >= strlen(mark) && !memcmp(at, mark, strlen(mark)))
        at += strlen(mark);
    if ((size_t)(end - at) < strlen(start) || memcmp(at, start, strlen(start)))
        return -1;
    stop = skip_past(at, end, "?>");
    end = stop ? stop : end;
    name = skip_past(at, end, "encoding");
    while (name && name < end && strchr("= \t\r\n", *name))
        name++;
    if (!name || name == end)
        return -1;
    *ret = name + 1;
    for (stop = *ret; stop < end && *stop != *name;)
        stop++;
    return (int)(stop - *ret);
}

int
document_check_encoding(const struct document *document, size_t *ret, struct error *error)
{
    const char *name = NULL;
    int length = find_declared(document, &name);
    unsigned line = 1;

    *ret = 0;
    if (length >= 0 && (length != 5 || strncasecmp(name, "UTF-8", 5)))
        return error_set(error, -EINVAL,
                         "line 1: it declares encoding '%.*s', and only UTF-8 is read: convert it "
                         "with iconv(1)",
                         length < 40 ? length : 40, name);
    while (*ret < document->length) {
        uint32_t character = 0;
        size_t size = utf8_read(document->text + *ret, document->length - *ret, &character);

        if (size == 0 || character == 0)
            return error_set(error, -EINVAL,
                             "line %u: the byte 0x%02x is not UTF-8, and nothing else is read: "
                             "convert it with iconv(1)",
                             line, document->text[*ret] & 0xff);
        line += character == '\n';
        *ret += size;
    }
    return 0;
}

static char *
append(char *at, const char *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

void
document_edit(const struct document *document, const struct document_edit *edits, size_t count,
              struct document *ret)
{
    size_t from = 0;
    char *at;

    *ret = (struct document){.length = document->length};
    for (size_t i = 0; i < count; i++)
        ret->length += strlen(edits[i].text) - edits[i].span.length;
    at = ret->text = memory_zeroed(ret->length + 1, 1);
    for (size_t i = 0; i < count; i++) {
        at = append(at, document->text + from, edits[i].span.offset - from);
        at = append(at, edits[i].text, strlen(edits[i].text));
        from = edits[i].span.offset + edits[i].span.length;
    }
    append(at, document->text + from, document->length - from);
}

/* The bytes between span i and the one before it, or after the last span. */
static struct document_span
gap(const struct document *document, const struct document_span *spans, size_t count, size_t i)
{
    size_t start = i ? spans[i - 1].offset + spans[i - 1].length : 0;
    size_t end = i < count ? spans[i].offset : document->length;

    return (struct document_span){start, end - start};
}

bool
document_differs_only_at(const struct document *a, const struct document_span *a_spans,
                         const struct document *b, const struct document_span *b_spans,
                         size_t count)
{
    for (size_t i = 0; i <= count; i++) {
        struct document_span left = gap(a, a_spans, count, i), right = gap(b, b_spans, count, i);

        if (left.length != right.length ||
            memcmp(a->text + left.offset, b->text + right.offset, left.length))
            return false;
    }
    return true;
}

int
document_write(const struct document *document, int fd)
{
    size_t done = 0;

    while (done < document->length) {
        ssize_t length = write(fd, document->text + done, document->length - done);

        if (length < 0 && errno != EINTR)
            return -errno;
        done += length > 0 ? (size_t)length : 0;
    }
    return 0;
}
