/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * document: the text of a domain's XML, as bytes.
 *
 * It is read with limits of size and time, because others write it. An edited copy differs from it
 * only in the spans that the caller names. What the text means is known to request-parser.c.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <stdbool.h>

struct document {
    char *text; /* not terminated; NULL: none */
    size_t length;
};

/* Some of its bytes. A length of 0: it is not known where they are. */
struct document_span {
    size_t offset, length;
};

struct document_edit {
    struct document_span span;
    const char *text; /* what stands there in the copy; the caller's */
};

/*
 * Reads a descriptor to its end. -EINVAL if it is empty, -EFBIG if there are more than 8 MiB,
 * -ETIMEDOUT after 30 seconds, -ENOMEM (see memory.h), or the errno of a failed read; ret has what
 * was read until then, at most 8 MiB. The caller clears ret in every case.
 */
int document_read(const struct host *host, int fd, struct document *ret,
                  struct error *error) CHECKED NONNULL;
void document_clear(struct document *document) NONNULL;

/* Copies a document and makes edits in the copy. The edits are in the order of the text, and their
 * spans do not overlap. The caller clears ret. */
void document_edit(const struct document *document, const struct document_edit *edits, size_t count,
                   struct document *ret) NONNULL;

/* Whether two documents are equal outside of these spans, of which each document has `count`, in
 * the order of its text. */
bool document_differs_only_at(const struct document *a, const struct document_span *a_spans,
                              const struct document *b, const struct document_span *b_spans,
                              size_t count) CHECKED NONNULL;

/* Writes all of it: 0 or -errno. */
int document_write(const struct document *document, int fd) CHECKED NONNULL;
