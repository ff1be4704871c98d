/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * document: the text of a domain's XML, as bytes.
 *
 * It is read within bounds, and a changed one differs from it in nothing but the spans that were
 * named: what it means is request.c's to know.
 */

#pragma once

#include "base/error.h"
#include "base/host.h"

#include <stdbool.h>

struct document {
    char *text; /* not terminated; NULL: none */
    size_t length;
};

/* Some of its bytes. */
struct document_span {
    size_t offset, length; /* length 0: not known where */
};

struct document_edit {
    struct document_span span;
    const char *text; /* to stand there instead */
};

/*
 * Reads a descriptor to its end: at most 8 MiB, for at most 30 seconds. -EINVAL if there is
 * nothing, -EFBIG, -ETIMEDOUT or the errno of a failed read. The caller clears ret in every case.
 */
int document_read(const struct host *host, int fd, struct document *ret,
                  struct error *error) CHECKED NONNULL;
void document_clear(struct document *document) NONNULL;

/* A copy with the edits made, which are in the order of the text and do not touch; -ENOMEM. The
 * caller clears ret. */
int document_edit(const struct document *document, const struct document_edit *edits, size_t count,
                  struct document *ret) CHECKED NONNULL;

/* Whether two documents are the same bytes but for these spans of each, in the order of the text:
 * as many of one as of the other. */
bool document_differs_only_at(const struct document *a, const struct document_span *a_spans,
                              const struct document *b, const struct document_span *b_spans,
                              size_t count) CHECKED NONNULL;

/* Writes all of it: 0 or -errno. */
int document_write(const struct document *document, int fd) CHECKED NONNULL;
