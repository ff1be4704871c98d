/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * question: placements as tables. A row has a machine, a configuration, a request and the answer.
 *
 * The machine is in the words of fake/fake-kernel.h, with vGPUs and notes. In a request ';'
 * separates devices, and each word is an attribute of its device. Some words are for the whole
 * request: `nodes=0-1`, `name=ci-1`, or `effort=spent` if searches before this one took too long.
 * `on=v.1` is a PCI device. `free=place` or `free=kind` says how all devices may change. The answer
 * is "PARENT TYPE" for each device. Otherwise it is the error, and the words that its message must
 * have, separated by '|'. The message must not have the words after a '!'.
 */

#pragma once

#include "placement/problem.h"
#include "fake/unit.h"

#define QUESTION_TEXT 2200

struct question {
    const char *machine, *policy, *request, *wanted;
};

/* Rows about the vGPU that would be given up. */
struct question_victim {
    const char *machine, *policy, *request;
    size_t wanted; /* the number of the vGPU; 0: none */
};

void question_check(const struct question *rows, size_t count);

/* Compares whether the request could ever be met: "YES", "UNKNOWN" or "NO". Unless the answer is
 * no, the places follow ("-" for an unknown place). Then comes the reason why not. `wanted` has
 * words of the reason in their order, separated by '|'. */
void question_check_ever(const struct question *rows, size_t count, bool waiting);

void question_check_victims(const struct question_victim *rows, size_t count);

/* One answer as text: "a X-1, take a X-1", or "NO_ROOM gpu0 ...". The buffer has QUESTION_TEXT
 * bytes. */
void question_answer(const struct question *question, char *text);

/* All tests use these two functions to place. The first returns 0, or -errno with a line in error.
 * The second says which vGPU would then be given up. */
int question_find(const struct placement_problem *problem, struct placement_choice *choices,
                  struct error *error);
size_t question_pick_victim(const struct placement_problem *problem, const bool *may_reap);

/* The setup and the teardown of the group of tests. */
int question_set_up(void **state);
int question_tear_down(void **state);

/* Machines and configurations for many rows. */
#define X     " X-1:1024:4 X-2:2048:2 X-4:4096:1\n"
#define THREE "gpu a" X "gpu b" X "gpu c" X
#define V     "gpu v vf vfs 4" X
#define W     "gpu w vf vfs 2" X
#define QUOTA(patterns, max)                                                                       \
    "classes = { c = { types = [ \"X-1\", \"X-2\" ]; }; big = { framebuffer = \"2G\"; }; };"       \
    "quotas = ( { domains = [ " patterns " ]; class = \"c\"; max = " #max "; } );"
