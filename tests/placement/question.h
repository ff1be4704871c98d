/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * question: what goes where, as tables: a machine, a configuration, a request and the answer.
 *
 * The machine is in the words of fake/fake-kernel.h, with vGPUs and notes. A request is a device a
 * ';', each word one of its attributes, and may say `nodes=0-1` or `name=ci-1` anywhere; `on=v.1`
 * is a PCI device, `free=place` or `free=kind` what all of them may be instead. An answer is
 * "PARENT TYPE" per device, or the error and the words that its message must have, parted by '|';
 * those after a '!' it must not have.
 */

#pragma once

#include "placement/problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define QUESTION_TEXT 2200

struct question {
    const char *machine, *policy, *request, *wanted;
};

/* The same, of which vGPU would be given up. */
struct question_victim {
    const char *machine, *policy, *request;
    size_t wanted; /* number of the vGPU; 0: none */
};

void question_check(const struct question *rows, size_t count);

/* The same of whether it could ever be: "YES", "UNKNOWN" or "NO", the places ("-" for what is not
 * known) unless it is no, and why not; wanted are words of it in their order, parted by '|'. */
void question_check_ever(const struct question *rows, size_t count, bool waiting);

void question_check_victims(const struct question_victim *rows, size_t count);

/* One answer: "a X-1, take a X-1", or "NO_ROOM gpu0 ...". The size is QUESTION_TEXT. */
void question_answer(const struct question *question, char *text);

/* All tests run placements by these: 0, or -errno and a line; and what would be given up then. */
int question_find(const struct placement_problem *problem, struct placement_choice *choices,
                  struct error *error);
size_t question_pick_victim(const struct placement_problem *problem, const bool *may_reap);

/* Of the group of tests. */
int question_set_up(void **state);
int question_tear_down(void **state);

/* Machines and configurations that many rows have. */
#define X     " X-1:1024:4 X-2:2048:2 X-4:4096:1\n"
#define THREE "gpu a" X "gpu b" X "gpu c" X
#define V     "gpu v vf vfs 4" X
#define W     "gpu w vf vfs 2" X
#define QUOTA(patterns, max)                                                                       \
    "classes = { c = { types = [ \"X-1\", \"X-2\" ]; }; big = { framebuffer = \"2G\"; }; };"       \
    "quotas = ( { domains = [ " patterns " ]; class = \"c\"; max = " #max "; } );"
