/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * document: the text of a domain's XML, as bytes.
 *
 * Others write it, so it is read with limits of size and time. An edited copy differs from it only
 * in the spans that the caller names. request-parser.c knows what the text means.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <stdbool.h>

struct document {
    char *text; /* not terminated; NULL: none */
    size_t length;
};

/* Some bytes of a document. Length 0: their place is not known. */
struct document_span {
    size_t offset, length;
};

struct document_edit {
    struct document_span span;
    const char *text; /* what stands there in the copy; borrowed */
};

/*
 * Reads a descriptor to its end. -EINVAL: it is empty; -EFBIG: there are more than 8 MiB;
 * -ETIMEDOUT: it has not ended after 30 seconds; -ENOMEM (see memory.h); or the errno of a failed
 * read. ret has what was read until then, at most 8 MiB. The caller clears ret in every case.
 */
int document_read(const struct host *host, int fd, struct document *ret,
                  struct error *error) CHECKED NONNULL;
void document_clear(struct document *document) NONNULL;

/*
 * Only UTF-8 is read, because for another encoding the XML parser would load a file that the
 * environment names (GCONV_PATH). libvirt writes UTF-8, and declares nothing.
 *
 * -EINVAL: the document is not UTF-8, or it declares another encoding. ret is how many bytes may be
 * parsed all the same: those before the first that is no UTF-8. It is 0 if another encoding is
 * declared.
 */
int document_check_encoding(const struct document *document, size_t *ret,
                            struct error *error) CHECKED NONNULL;

/* Copies a document and makes edits in the copy. The edits are in the order of the text, and their
 * spans do not overlap. The caller clears ret. */
void document_edit(const struct document *document, const struct document_edit *edits, size_t count,
                   struct document *ret) NONNULL;

/* Whether two documents are equal outside of these spans. Each document has `count` spans, in the
 * order of its text. */
bool document_differs_only_at(const struct document *a, const struct document_span *a_spans,
                              const struct document *b, const struct document_span *b_spans,
                              size_t count) CHECKED NONNULL;

/* Writes all of it: 0 or -errno. */
int document_write(const struct document *document, int fd) CHECKED NONNULL;
