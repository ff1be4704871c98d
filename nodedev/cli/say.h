/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * say: prints lines for people.
 *
 * Names come from domains, ledgers, other hosts and recorded machines. So whatever is formatted
 * into a line is made printable (base/printable.h): no name can move a terminal's cursor or begin a
 * line. Only tables (table.h) and output for programs (XML, Prometheus' format) are printed in
 * another way. tests/checks/check-style.sh checks this.
 */

#pragma once

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdio.h>

/* Prints a line. */
void say_line(FILE *out, const char *format, ...) FORMAT(2, 3) NONNULL;

/* Prints an empty line and a line. */
void say_paragraph(FILE *out, const char *format, ...) FORMAT(2, 3) NONNULL;

/* Prints a text beside a head of `columns` columns, in lines that are not longer than `width`. */
void
say_beside(FILE *out, const char *head, unsigned columns, const char *text, unsigned width) NONNULL;

/* Print a part of a line; and its end. */
void say_part(FILE *out, const char *format, ...) FORMAT(2, 3) NONNULL;
void
say_vpart(FILE *out, const char *format, va_list args) FORMAT(2, 0) __attribute__((nonnull(1, 2)));
void say_end(FILE *out) NONNULL;
