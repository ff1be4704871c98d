/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * typed: a line that somebody types: vgpuctl is called with its words, on a scene's machine.
 *
 * Golden files, tests/golden/COMMAND/CASE, hold what a line prints, what it complains of and its
 * exit status. VGPU_GOLDEN=write writes them anew from what is printed now: look at the difference
 * before committing it. VGPU_GOLDEN=list tells which there are to be; check-golden.sh compares.
 */

#pragma once

#include "cli/terminal.h"
#include "fake/scene.h"

struct typed {
    int status;
    char *printed; /* its stdout */
    char *faults;  /* its stderr */
};

/* As struct scene_case, with what was typed last, which is cleared at the end. */
struct typed_case {
    struct scene_case scene; /* first */
    struct typed *typed;
};
int typed_tear_down(void **state);
#define TYPED_TEST(function, typed_case)                                                           \
    cmocka_unit_test_prestate_setup_teardown(function, scene_set_up, typed_tear_down,              \
                                             (void *)&(typed_case))

/* Runs a line of words parted by one blank, the first of which is vgpuctl's. `uri` is the libvirt
 * of the machine. What ret holds is freed first; typed_clear at the end. */
int typed_run(struct scene *scene, const char *uri, const char *line, struct typed *ret);
void typed_clear(struct typed *typed);

/* The same on a terminal; one of 80 columns without colours, on which nobody types. */
int typed_run_on(struct scene *scene, const char *uri, const struct terminal *terminal,
                 const char *line, struct typed *ret);
extern const struct terminal typed_screen;

/* Fails the test if the text has not these words. */
void typed_assert_has(const char *text, const char *words);

/* The URI of a libvirt (its test driver's) that knows these <domain>s, of any guests that
 * typed_domain made; static memory. */
const char *typed_libvirt(const struct scene *scene, const char *domains);

/* A <domain type='test'> for it: scene_xml's guest, with these devices (0 ends the list). `how` is
 * what libvirt is to make of it: "" for running, or <test:runstate>5</test:runstate> for merely
 * defined. The caller frees it. */
#define TYPED_DEFINED "<test:runstate>5</test:runstate>"
char *typed_domain(unsigned guest, const char *how, const unsigned *numbers);

/* The same of a guest with these virtual functions (NULL ends the list), that asks for this type of
 * each, or for nothing (""). The hook reads it as well. The caller frees it. */
char *
typed_functions(unsigned guest, const char *how, const char *type, const char *const *addresses);

/* Prepares that guest, and says what the hook exits with. */
int typed_prepare(struct scene *scene, unsigned guest, const char *type, const char *address);

/* The same as typed_run, compared with a golden file, "COMMAND/CASE". */
void typed_golden(struct scene *scene, const char *uri, const char *name, const char *line);
void typed_golden_on(struct scene *scene, const char *uri, const struct terminal *terminal,
                     const char *name, const char *line);

/* The same for what is of several lines that were typed: its first line is "$ vgpuctl COMMAND". */
void typed_compare_golden(const char *name, const char *got);
