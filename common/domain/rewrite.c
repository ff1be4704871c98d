/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/rewrite.h"
#include "base/array.h"
#include "domain/hostdev.h"
#include "domain/request-parser.h"

#include <string.h>

struct edits {
    struct document_edit *items;
    size_t count;
    struct hostdev_text *texts; /* per hostdev; the items borrow from them */
};

static void
edits_clear(struct edits *edits)
{
    free(edits->items);
    free(edits->texts);
    *edits = (struct edits){0};
}

struct rewrite_source *
rewrite_own(const struct request *request)
{
    struct rewrite_source *sources = memory_zeroed(request->hostdev_count, sizeof(*sources));

    for (size_t i = 0; i < request->hostdev_count; i++)
        sources[i] = (struct rewrite_source){.kind = request->hostdevs[i].kind,
                                             .source = request->hostdevs[i].source};
    return sources;
}

static int
compare(const void *left, const void *right)
{
    const struct document_edit *a = left, *b = right;

    return (a->span.offset > b->span.offset) - (a->span.offset < b->span.offset);
}

static int
add(struct edits *edits, struct document_span span, const char *text)
{
    if (span.length == 0)
        return -EINVAL;
    ARRAY_ADD(edits->items, edits->count, ((struct document_edit){span, text}));
    return 0;
}

static bool
is_same(const struct request_hostdev *hostdev, const struct rewrite_source *source)
{
    return hostdev->kind == source->kind && name_equal(&hostdev->source, &source->source);
}

/* Adds the edits of a hostdev, which was of the kind `was`. device is the <vgpu:device> that names
 * it; NULL: none does. */
static int
add_hostdev(struct edits *edits, const struct request_hostdev *hostdev, enum request_kind was,
            const struct request_device *device, const struct rewrite_source *to,
            struct hostdev_text *text)
{
    int rc = 0;

    hostdev_format(to->kind, &to->source, to->is_managed, text);
    if (to->kind != was)
        rc = add(edits, hostdev->tag_span, text->hostdev);
    if (rc == 0 && to->kind == REQUEST_MDEV && was == REQUEST_MDEV)
        rc = add(edits, hostdev->uuid_span, to->source.text);
    else if (rc == 0)
        rc = add(edits, hostdev->address_span, text->address);
    if (rc == 0 && device && device->uuid)
        rc = to->kind == REQUEST_MDEV ? add(edits, device->uuid_span, to->source.text) : -EINVAL;
    return rc;
}

/* Collects the edits for all hostdevs that are to change, in the order of the text. */
static int
collect(const struct request *request, const struct request *old,
        const struct rewrite_source *sources, struct edits *ret, struct error *error)
{
    ret->texts = memory_zeroed(request->hostdev_count, sizeof(*ret->texts));
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];
        const struct request_device *device =
            hostdev->device == SIZE_MAX ? NULL : &request->devices[hostdev->device];
        int rc;

        if (is_same(&old->hostdevs[i], &sources[i]))
            continue;
        rc = add_hostdev(ret, hostdev, old->hostdevs[i].kind, device, &sources[i], &ret->texts[i]);
        if (rc < 0)
            return error_set(error, rc,
                             "the source %s cannot be replaced where it stands: the XML must have "
                             "it written out",
                             hostdev->source.text);
    }
    if (ret->count)
        qsort(ret->items, ret->count, sizeof(*ret->items), compare);
    return 0;
}

static struct document_span *
spans_of(const struct edits *edits)
{
    struct document_span *spans = memory_zeroed(edits->count, sizeof(*spans));

    for (size_t i = 0; i < edits->count; i++)
        spans[i] = edits->items[i].span;
    return spans;
}

/* Whether the new document asks for the same as the old one, but with the new sources. */
static bool
says_the_same(const struct request *old, const struct request *new,
              const struct rewrite_source *sources)
{
    if (new->hostdev_count != old->hostdev_count || new->device_count != old->device_count ||
        *new->fault.text || !name_equal(&new->domain, &old->domain))
        return false;
    for (size_t i = 0; i < new->hostdev_count; i++) {
        if (!is_same(&new->hostdevs[i], &sources[i]) ||
            new->hostdevs[i].device != old->hostdevs[i].device)
            return false;
    }
    return true;
}

/* Parses the new text, finds the edited places in it, and compares everything else. */
static int
prove(const struct document *old_document, const struct request *old, const struct edits *edits,
      const struct rewrite_source *sources, const struct document *new_document)
{
    AUTO(request_clear) struct request new = {0};
    AUTO(edits_clear) struct edits found = {0};
    AUTO_FREE struct document_span *old_spans = NULL;
    AUTO_FREE struct document_span *new_spans = NULL;
    struct error ignored;

    if (request_parse(new_document, &new, &ignored) < 0 || !says_the_same(old, &new, sources) ||
        collect(&new, old, sources, &found, &ignored) < 0)
        return -EILSEQ;
    old_spans = spans_of(edits);
    new_spans = spans_of(&found);
    return found.count == edits->count &&
                   document_differs_only_at(old_document, old_spans, new_document, new_spans,
                                            found.count)
               ? 0
               : -EILSEQ;
}

int
rewrite_sources(const struct document *document, const struct request *request,
                const struct rewrite_source *sources, struct document *ret, struct error *error)
{
    AUTO(edits_clear) struct edits edits = {0};
    int rc = collect(request, request, sources, &edits, error);

    *ret = (struct document){0};
    if (rc < 0 || edits.count == 0)
        return rc;
    document_edit(document, edits.items, edits.count, ret);
    rc = prove(document, request, &edits, sources, ret);
    if (rc == 0)
        return 0;
    document_clear(ret);
    return error_set(error, rc,
                     "the XML with new sources is not what it should be, so it is not used; this "
                     "is a fault of libvirt-vgpu, please report it");
}
