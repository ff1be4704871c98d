/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "rewrite.h"
#include "array.h"

#include <string.h>

struct edits {
    struct document_edit *items;
    size_t count;
};

static void
edits_clear(struct edits *edits)
{
    free(edits->items);
    *edits = (struct edits){0};
}

static int
compare(const void *left, const void *right)
{
    const struct document_edit *a = left, *b = right;

    return (a->span.offset > b->span.offset) - (a->span.offset < b->span.offset);
}

static int
add(struct edits *edits, struct document_span span, const struct name *uuid)
{
    if (span.length == 0)
        return -EINVAL;
    return ARRAY_ADD(edits->items, edits->count, ((struct document_edit){span, uuid->text}));
}

/* Where a document says the UUIDs of the hostdevs that are to change, in the order of the text. */
static int
collect(const struct request *request, const struct request *old, const struct name *uuids,
        struct edits *ret, struct error *error)
{
    for (size_t i = 0; i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];
        const struct request_device *device =
            hostdev->device == SIZE_MAX ? NULL : &request->devices[hostdev->device];
        int rc = 0;

        if (name_equal(&old->hostdevs[i].uuid, &uuids[i]))
            continue;
        rc = add(ret, hostdev->uuid_span, &uuids[i]);
        if (rc == 0 && device && device->uuid)
            rc = add(ret, device->uuid_span, &uuids[i]);
        if (rc == -EINVAL)
            return error_set(error, rc,
                             "the UUID %s cannot be replaced where it stands: the XML must be "
                             "UTF-8, and the UUID be written out in it",
                             hostdev->uuid.text);
        if (rc < 0)
            return error_set(error, rc, "no memory for the new XML");
    }
    if (ret->count)
        qsort(ret->items, ret->count, sizeof(*ret->items), compare);
    return 0;
}

static struct document_span *
spans_of(const struct edits *edits)
{
    struct document_span *spans = calloc(edits->count + 1, sizeof(*spans));

    for (size_t i = 0; spans && i < edits->count; i++)
        spans[i] = edits->items[i].span;
    return spans;
}

/* Whether the new document asks for the same, under the new UUIDs. */
static bool
says_the_same(const struct request *old, const struct request *new, const struct name *uuids)
{
    if (new->hostdev_count != old->hostdev_count || new->device_count != old->device_count ||
        *new->fault.text || !name_equal(&new->domain, &old->domain))
        return false;
    for (size_t i = 0; i < new->hostdev_count; i++) {
        if (!name_equal(&new->hostdevs[i].uuid, &uuids[i]) ||
            new->hostdevs[i].device != old->hostdevs[i].device)
            return false;
    }
    return true;
}

/* The places are found anew, by the parser, in what it makes of the new text. */
static int
prove(const struct document *old_document, const struct request *old, const struct edits *edits,
      const struct name *uuids, const struct document *new_document)
{
    AUTO(request_clear) struct request new = {0};
    AUTO(edits_clear) struct edits found = {0};
    AUTO_FREE struct document_span *old_spans = NULL;
    AUTO_FREE struct document_span *new_spans = NULL;
    struct error ignored;

    if (request_parse(new_document, &new, &ignored) < 0 || !says_the_same(old, &new, uuids) ||
        collect(&new, old, uuids, &found, &ignored) < 0)
        return -EILSEQ;
    old_spans = spans_of(edits);
    new_spans = spans_of(&found);
    if (!old_spans || !new_spans)
        return -ENOMEM;
    return found.count == edits->count &&
                   document_differs_only_at(old_document, old_spans, new_document, new_spans,
                                            found.count)
               ? 0
               : -EILSEQ;
}

int
rewrite_uuids(const struct document *document, const struct request *request,
              const struct name *uuids, struct document *ret, struct error *error)
{
    AUTO(edits_clear) struct edits edits = {0};
    int rc = collect(request, request, uuids, &edits, error);

    *ret = (struct document){0};
    if (rc < 0 || edits.count == 0)
        return rc;
    rc = document_edit(document, edits.items, edits.count, ret);
    if (rc == 0)
        rc = prove(document, request, &edits, uuids, ret);
    if (rc < 0)
        document_clear(ret);
    if (rc == -ENOMEM)
        return error_set(error, rc, "no memory for the new XML");
    if (rc < 0)
        return error_set(error, rc,
                         "the XML with new UUIDs is not what it should be, so it is not used; "
                         "this is a fault of libvirt-vgpu, please report it");
    return 0;
}
