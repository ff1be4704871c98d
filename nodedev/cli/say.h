/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * say: prints lines for people.
 *
 * Names come from domains, ledgers, other hosts and recorded machines. Whatever is formatted into a
 * line is made printable (base/printable.h), so that no name moves a terminal's cursor or begins a
 * line of its own. Commands print in no other way, except tables (table.h) and what programs read:
 * XML and Prometheus' format. tests/checks/check-style.sh sees to it.
 */

#pragma once

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdio.h>

/* A line. */
void say_line(FILE *out, const char *format, ...) FORMAT(2, 3) NONNULL;

/* The same after an empty line. */
void say_paragraph(FILE *out, const char *format, ...) FORMAT(2, 3) NONNULL;

/* A line of several parts, and its end. */
void say_part(FILE *out, const char *format, ...) FORMAT(2, 3) NONNULL;
void
say_vpart(FILE *out, const char *format, va_list args) FORMAT(2, 0) __attribute__((nonnull(1, 2)));
void say_end(FILE *out) NONNULL;
