/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A rewritten domain can be parsed, has the new sources, and differs from the old one in nothing
 * else. Both are compared as trees, element by element. So the comparison does not use the code
 * that found the sources.
 */

#include "domain/request-parser.h"
#include "domain/rewrite.h"
#include "fuzz/fuzz.h"

#include <libxml/parser.h>
#include <string.h>

/* A number between 0 and 2^32 that depends on all bytes, so that the input chooses the sources. */
static unsigned
draw(const uint8_t *data, size_t size, size_t salt)
{
    uint32_t drawn = 2166136261u ^ (uint32_t)salt;

    for (size_t i = 0; i < size; i++)
        drawn = (drawn ^ data[i]) * 16777619u;
    return drawn >> 8;
}

/* Half of our hostdevs get another source. Half of these get a source of the other kind. No two
 * hostdevs get the same source. */
static void
choose(struct rewrite_source *source, size_t index, unsigned drawn)
{
    char text[40];

    if (drawn & 1)
        return;
    if (drawn & 2)
        source->kind = source->kind == REQUEST_MDEV ? REQUEST_PCI : REQUEST_MDEV;
    if (source->kind == REQUEST_MDEV) {
        snprintf(text, sizeof(text), "cccccccc-%04zu-4000-8000-%012u", index % 10000, drawn % 1000);
        MUST(name_parse_uuid(&source->source, text) == 0);
    } else {
        snprintf(text, sizeof(text), "%04zx:%02x:%02x.%x", (index + 0xc000) & 0xffff,
                 drawn >> 2 & 0xff, drawn >> 10 & 0x1f, drawn >> 15 & 7);
        MUST(name_parse_pci(&source->source, text) == 0);
    }
}

/* --- the comparison --------------------------------------------------------------------------- */

struct comparison {
    const struct request *request;
    const struct rewrite_source *sources;
    size_t hostdevs;        /* hostdevs of <devices> so far */
    const xmlNode *hostdev; /* the last of these hostdevs */
    bool is_changed;        /* this hostdev gets another source */
    bool is_sourced;        /* its <address> was found already; only the first one counts */
};

static bool
is_called(const xmlNode *node, const char *name)
{
    return node && node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

/* Counts the hostdevs, and records which one this is. */
static void
meet_hostdev(struct comparison *comparison)
{
    comparison->is_changed = comparison->is_sourced = false;
    for (size_t i = 0; i < comparison->request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &comparison->request->hostdevs[i];

        if (hostdev->ordinal == comparison->hostdevs)
            comparison->is_changed = hostdev->kind != comparison->sources[i].kind ||
                                     !name_equal(&hostdev->source, &comparison->sources[i].source);
    }
    comparison->hostdevs++;
}

/* May the attributes of this element differ? */
static bool
may_differ(struct comparison *comparison, const xmlNode *node)
{
    const xmlNode *parent = node->parent;

    if (is_called(node, "device") && node->ns &&
        !strcmp((const char *)node->ns->href, REQUEST_NAMESPACE))
        return xmlHasProp((xmlNode *)node, BAD_CAST "uuid");
    if (is_called(node, "hostdev") && is_called(parent, "devices") &&
        is_called(parent->parent, "domain") && parent->parent->parent->type == XML_DOCUMENT_NODE) {
        comparison->hostdev = node;
        meet_hostdev(comparison);
        return comparison->is_changed;
    }
    if (!is_called(node, "address") || !is_called(parent, "source") ||
        parent->parent != comparison->hostdev || comparison->is_sourced)
        return false;
    comparison->is_sourced = true;
    return comparison->is_changed;
}

static void
must_be_same_text(const xmlChar *a, const xmlChar *b)
{
    MUST(!a == !b && (!a || xmlStrEqual(a, b)));
}

static void
must_have_same_attributes(const xmlNode *a, const xmlNode *b)
{
    const xmlAttr *left = a->properties, *right = b->properties;

    for (; left && right; left = left->next, right = right->next) {
        must_be_same_text(left->name, right->name);
        must_be_same_text(left->children ? left->children->content : NULL,
                          right->children ? right->children->content : NULL);
    }
    MUST(!left && !right);
}

/* Compares these nodes, all nodes after them, and their content. */
static void
must_be_same(struct comparison *comparison, const xmlNode *a, const xmlNode *b)
{
    for (; a && b; a = a->next, b = b->next) {
        MUST(a->type == b->type);
        must_be_same_text(a->name, b->name);
        if (a->type != XML_ELEMENT_NODE) {
            must_be_same_text(a->content, b->content);
            continue;
        }
        must_be_same_text(a->ns ? a->ns->href : NULL, b->ns ? b->ns->href : NULL);
        if (!may_differ(comparison, a))
            must_have_same_attributes(a, b);
        must_be_same(comparison, a->children, b->children);
    }
    MUST(!a && !b);
}

static void
must_differ_only_there(const struct document *old, const struct document *new,
                       struct comparison *comparison)
{
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    xmlDoc *a = xmlReadMemory(old->text, (int)old->length, NULL, NULL, options);
    xmlDoc *b = xmlReadMemory(new->text, (int)new->length, NULL, NULL, options);

    MUST(a && b);
    must_be_same(comparison, a->children, b->children);
    xmlFreeDoc(a);
    xmlFreeDoc(b);
}

/* --- one document ----------------------------------------------------------------------------- */

static void
must_have(const struct document *document, const struct request *old,
          const struct rewrite_source *sources)
{
    AUTO(request_clear) struct request request = {0};
    struct error error;

    MUST(request_parse(document, &request, &error) == 0);
    MUST(request_check(&request, &error) == 0 && request.hostdev_count == old->hostdev_count);
    for (size_t i = 0; i < request.hostdev_count; i++) {
        MUST(request.hostdevs[i].kind == sources[i].kind);
        MUST(name_equal(&request.hostdevs[i].source, &sources[i].source));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct document old = {(char *)data, size};
    AUTO(request_clear) struct request request = {0};
    AUTO(document_clear) struct document new = {0};
    AUTO_FREE struct rewrite_source *sources = NULL;
    struct comparison comparison = {.request = &request};
    struct error error;
    int rc;

    if (size == 0 || request_parse(&old, &request, &error) < 0 ||
        request_check(&request, &error) < 0)
        return 0;
    sources = rewrite_own(&request);
    for (size_t i = 0; i < request.hostdev_count; i++) {
        if (request.hostdevs[i].device != SIZE_MAX)
            choose(&sources[i], i, draw(data, size, i));
    }
    rc = rewrite_sources(&old, &request, sources, &new, &error);
    MUST(rc == 0 || rc == -EINVAL);
    MUST(rc == 0 || !new.text);
    if (!new.text)
        return 0;
    comparison.sources = sources;
    must_have(&new, &request, sources);
    must_differ_only_there(&old, &new, &comparison);
    return 0;
}
