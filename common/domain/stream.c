/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/stream.h"
#include "domain/request.h"

#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <stdio.h>
#include <string.h>

#define PIECE       (64 << 10)
#define LONGEST_TAG (256 << 10) /* twice the kernel's limit for one argument of a program */

void
stream_fail(struct stream *stream, const char *why)
{
    if (!stream->failed)
        error_set(stream->error, -EINVAL, "%s", why);
    stream->failed = true;
    xmlStopParser(stream->xml);
}

void
stream_fail_here(struct stream *stream, const char *format, ...)
{
    char why[512];
    size_t at = (size_t)sprintf(why, "line %d: ", xmlSAX2GetLineNumber(stream->xml));
    va_list args;

    va_start(args, format);
    vsnprintf(why + at, sizeof(why) - at, format, args);
    va_end(args);
    stream_fail(stream, why);
}

/* --- the budget ------------------------------------------------------------------------------- */

static const struct {
    const char *has, *what, *are;
    size_t most;
} limits[BUDGET_ITEMS] = {
    [BUDGET_LEVELS] = {"has", "elements in each other", "read", STREAM_MOST_LEVELS},
    [BUDGET_ELEMENTS] = {"has", "elements", "read", 250000},
    [BUDGET_ATTRIBUTES] = {"has", "attributes", "read", 500000},
    [BUDGET_NAMESPACES] = {"has", "namespace declarations", "read", 20000},
    [BUDGET_NAMES] = {"has", "different names", "read", 50000},
    [BUDGET_COMPARISONS] = {"needs", "comparisons of names", "made", 100000000},
};

static size_t
pairs(size_t count)
{
    return count ? count * (count - 1) / 2 : 0;
}

static void
spend(struct budget *budget, size_t attributes, size_t namespaces)
{
    size_t in_force = budget->in_force[budget->level] + namespaces;

    budget->in_force[++budget->level] = in_force;
    if (budget->level > budget->used[BUDGET_LEVELS])
        budget->used[BUDGET_LEVELS] = budget->level;
    budget->used[BUDGET_ELEMENTS]++;
    budget->used[BUDGET_ATTRIBUTES] += attributes;
    budget->used[BUDGET_NAMESPACES] += namespaces;
    budget->used[BUDGET_COMPARISONS] +=
        (1 + attributes) * in_force + pairs(attributes) + pairs(namespaces);
}

/* 0, or -E2BIG: error says which count is too high, how high it is up to this line of the document,
 * and its limit. After a failure nothing more may be opened. */
static int
check_budget(const struct budget *budget, unsigned line, struct error *error)
{
    for (size_t i = 0; i < BUDGET_ITEMS; i++) {
        if (budget->used[i] > limits[i].most)
            return error_set(error, -E2BIG,
                             "up to line %u it %s %zu %s, and at most %zu are %s: make its "
                             "<metadata> smaller",
                             line, limits[i].has, budget->used[i], limits[i].what, limits[i].most,
                             limits[i].are);
    }
    return 0;
}

/* Stops the parser if a count is over its budget. True: it has stopped, now or earlier. */
static bool
is_too_much(struct stream *stream)
{
    if (!stream->failed && check_budget(&stream->budget, stream->line, stream->error) < 0) {
        stream->failed = true;
        xmlStopParser(stream->xml);
    }
    return stream->failed;
}

bool
stream_open_element(struct stream *stream, size_t attributes, size_t namespaces)
{
    spend(&stream->budget, attributes, namespaces);
    return !is_too_much(stream);
}

void
stream_close_element(struct stream *stream)
{
    stream->budget.level--;
}

/* --- the document ----------------------------------------------------------------------------- */

void
stream_on_document_type(void *data, const xmlChar *name, const xmlChar *external,
                        const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    stream_fail_here(data,
                     "a document type declaration has no place in domain XML: take the <!DOCTYPE> "
                     "out");
}

/* Without memory for a namespace's name, libxml2 says that its declaration is empty. Our elements
 * would then pass for somebody else's, and the guest for one without a vGPU. */
static bool
may_hide_request(const struct stream *stream, int code)
{
    return code == XML_NS_ERR_XML_NAMESPACE &&
           memmem(stream->document->text, stream->document->length, REQUEST_NAMESPACE,
                  strlen(REQUEST_NAMESPACE));
}

void
stream_on_fault(void *data, stream_fault *fault)
{
    struct stream *stream = data;
    const char *message = fault->code == XML_ERR_DOCUMENT_EMPTY
                              ? "this is no XML: it does not begin with <"
                          : fault->message ? fault->message
                                           : "no memory";
    size_t length = strcspn(message, "\n");

    if (stream->failed || fault->level < XML_ERR_ERROR)
        return;
    if (fault->domain == XML_FROM_NAMESPACE && !may_hide_request(stream, fault->code)) {
        stream->budget.used[BUDGET_NAMESPACES]++;
        return;
    }
    error_set(stream->error, -EINVAL, "line %d: %.*s", fault->line, (int)length, message);
    stream->failed = true;
}

/* libxml2 calls these fields deprecated, and offers nothing else. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Whether the parser waits for the rest of a tag, and not of a comment or the like. */
static bool
is_in_tag(const struct stream *stream)
{
    return stream->xml->instate == XML_PARSER_START_TAG;
}

/* How many different names the parser has met. */
static size_t
count_names(const struct stream *stream)
{
    int count = xmlDictSize(stream->xml->dict);

    return count > 0 ? (size_t)count : 0;
}

#pragma GCC diagnostic pop

static void
feed(struct stream *stream, size_t end, bool is_whole)
{
    const struct document *document = stream->document;
    size_t done = 0, since = 0;
    long stop = 0;

    do {
        size_t left = end - done, length = left < PIECE ? left : PIECE;
        long taken;

        xmlParseChunk(stream->xml, document->text + done, (int)length, is_whole && length == left);
        done += length;
        taken = xmlByteConsumed(stream->xml);
        since = taken == stop ? since : done;
        stop = taken;
        if (!stream->failed && done - since >= LONGEST_TAG && is_in_tag(stream))
            stream_fail(stream, "an element's tag is longer than 256 KiB: shorten it");
        stream->budget.used[BUDGET_NAMES] = count_names(stream);
    } while (!is_too_much(stream) && done < end);
}

void
stream_feed(struct stream *stream)
{
    struct error why;
    size_t end;
    int rc = document_check_encoding(stream->document, &end, &why);

    if (rc == 0 || end > 0)
        feed(stream, end, rc == 0);
    if (rc < 0)
        stream_fail(stream, why.text);
}

static void
say_nothing(void *data, const char *format, ...)
{
    (void)data, (void)format;
}

void
stream_silence(void)
{
    xmlSetGenericErrorFunc(NULL, say_nothing);
}
