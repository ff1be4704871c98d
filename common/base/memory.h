/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * memory: requests for memory that cannot fail, because the process ends if one is refused.
 *
 * So no caller has to say what happens without memory. Nothing is lost with the process, as nothing
 * is lost if it is killed. The process says one line, and ends with the status that memory_end_with
 * has set. A child of ours does the same.
 *
 * The exceptions use the C library's own functions, and ARRAY_TRY_ADD, and return -ENOMEM:
 *
 * - All that a release does until it has left its mark: document_read, request_parse and the
 *   loading of the ledger. libvirt calls a release once. Without its mark, the vGPU of a guest that
 *   never ran stays until libvirt's daemon ends.
 * - All that vgpuctl does between a change of a domain's definition and the change back
 *   (attach/trial.h, attach/hotplug.c), and while it watches a migration (migrate/move.c). That is
 *   request_parse, connection.c and say.h. If vgpuctl ended there, the definition would stay
 *   changed, or the migration would break off.
 *
 * If vgpuctl gives a guest several vGPUs one by one and ends between two, the guest keeps those
 * that it has, as if vgpuctl had been killed.
 *
 * libxml2, libconfig, libsmartcols and libvirt ask for memory themselves. If they get none, that is
 * an error like others.
 */

#pragma once

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdio.h>

/* Memory for `count` items of so many bytes, all 0. count may be 0. */
void *memory_zeroed(size_t count, size_t size) CHECKED __attribute__((returns_nonnull, malloc));

/* As reallocarray(3). */
void *
memory_resized(void *items, size_t count, size_t size) CHECKED __attribute__((returns_nonnull));

/* A copy of a text; of its first `length` bytes, terminated; and a text as printf(3) writes it. */
char *memory_copy(const char *text) CHECKED NONNULL __attribute__((returns_nonnull, malloc));
char *memory_copy_bytes(const char *bytes, size_t length) CHECKED NONNULL
    __attribute__((returns_nonnull, malloc));
char *memory_format(const char *format, ...) FORMAT(1, 2) CHECKED
    __attribute__((returns_nonnull, malloc));
char *memory_vformat(const char *format, va_list args) FORMAT(1, 0) CHECKED
    __attribute__((returns_nonnull, malloc));

/* A stream into a text, as open_memstream(3) makes one, and its end. Then the text is whole, and
 * the caller frees it. */
FILE *memory_stream(char **text, size_t *length) CHECKED NONNULL __attribute__((returns_nonnull));
void memory_stream_end(FILE *stream, char *const *text) NONNULL;

/* Ends the process. For code that asks a library for memory. */
_Noreturn void memory_fail(void);

/* Sets the exit status of a process that ends there; 1 if nobody sets it. */
void memory_end_with(int status);
