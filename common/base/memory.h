/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * memory: requests for memory that cannot fail, because the process ends where one is refused.
 *
 * Whoever asks for memory need not say what becomes of it without any: nothing is lost with the
 * process, as nothing is lost if it is killed. The process says one line, and ends with the status
 * that memory_end_with has set. A child of ours does the same.
 *
 * The exceptions use the C library's own functions, and ARRAY_TRY_ADD, and return -ENOMEM:
 *
 * - All that a release does until it has left its mark: document_read, request_parse and the
 *   loading of the ledger. libvirt calls a release once. If it forgets its mark, the vGPU of a
 *   guest that never ran stays until libvirt's daemon ends.
 * - What vgpuctl does between a change of a domain's definition and its way back (attach/trial.h,
 *   attach/hotplug.c), and while it watches a migration (migrate/move.c). If it ended there, the
 *   definition would stay changed, or the migration would break off. Besides request_parse that is
 *   connection.c, and say.h.
 *
 * A guest that is given several vGPUs one by one keeps those that it has got, as if vgpuctl had
 * been killed.
 *
 * libxml2, libconfig, libsmartcols and libvirt have memory of their own: what they refuse is an
 * error like others.
 */

#pragma once

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdio.h>

/* Of `count` items of so many bytes, all 0. There may be none. */
void *memory_zeroed(size_t count, size_t size) CHECKED __attribute__((returns_nonnull, malloc));

/* As reallocarray(3). */
void *
memory_resized(void *items, size_t count, size_t size) CHECKED __attribute__((returns_nonnull));

/* A copy of a text; of the first `length` bytes of one, terminated; and a text as printf(3) writes
 * it. */
char *memory_copy(const char *text) CHECKED NONNULL __attribute__((returns_nonnull, malloc));
char *memory_copy_bytes(const char *bytes, size_t length) CHECKED NONNULL
    __attribute__((returns_nonnull, malloc));
char *memory_format(const char *format, ...) FORMAT(1, 2) CHECKED
    __attribute__((returns_nonnull, malloc));
char *memory_vformat(const char *format, va_list args) FORMAT(1, 0) CHECKED
    __attribute__((returns_nonnull, malloc));

/* A stream into a text as open_memstream(3) makes one, and its end: the text is whole then, and the
 * caller's to free. */
FILE *memory_stream(char **text, size_t *length) CHECKED NONNULL __attribute__((returns_nonnull));
void memory_stream_end(FILE *stream, char *const *text) NONNULL;

/* Ends the process. For those who ask a library for memory. */
_Noreturn void memory_fail(void);

/* The exit status of a process that ends there: 1, if nobody sets another. */
void memory_end_with(int status);
