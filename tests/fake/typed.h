/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * typed: calls vgpuctl with the words of a command line, on a scene's machine.
 *
 * Golden files, tests/golden/COMMAND/CASE, hold the line's output, its complaints and its exit
 * status. VGPU_GOLDEN=write writes them anew from the present output; look at the difference before
 * you commit it. The log of each test names the golden files that it used; check-golden.sh compares
 * these names with the tree.
 */

#pragma once

#include "cli/terminal.h"
#include "fake/scene.h"

struct typed {
    int status;
    char *printed; /* its stdout */
    char *faults;  /* its stderr */
};

/* Like struct scene_case, with the result of the last line. The teardown clears it. */
struct typed_case {
    struct scene_case scene; /* first: the teardown finds the rest by it */
    struct typed *typed;
};
int typed_tear_down(void **state);
#define TYPED_TEST(function, typed_case)                                                           \
    UNIT_TEST_IN(function, scene_set_up, typed_tear_down, (void *)&(typed_case))

/* Runs a line. One blank separates its words, and the first word is vgpuctl. `uri` is the machine's
 * libvirt. This first frees the content of ret. Call typed_clear at the end. */
int typed_run(struct scene *scene, const char *uri, const char *line, struct typed *ret);
void typed_clear(struct typed *typed);

/* Puts a text on the standard input of the next line. It can be read only once, as from a pipe. */
void typed_feed(const char *text);

/* Runs a line on a terminal with 80 columns and without colours. Nobody presses a key there. */
int typed_run_on(struct scene *scene, const char *uri, const struct terminal *terminal,
                 const char *line, struct typed *ret);
extern const struct terminal typed_screen;

/* A terminal with as many columns as a manual page has for an example. The rest of 80 columns is
 * the page's margin. Golden files that a page shows are written on it. */
extern const struct terminal typed_page;

/* The columns of types that a public capture answers. It has no classes. */
#define TYPED_FIGURES                                                                              \
    "gpu,type,name,framebuffer,heads,resolution,max,available,available-at-most,slices,max-from"

/* Fails the test if the text does not have these words. */
void typed_assert_has(const char *text, const char *words);

/* Runs a line. Fails the test if it ends with another status, or lacks these words: in stdout if it
 * succeeds, else in stderr. */
void typed_expect(struct scene *scene, const char *uri, const char *line, int status,
                  const char *words, struct typed *ret);

/* Runs a line. Fails the test if it ends with another status, or lacks one of these facts in what
 * it prints or complains. A fact is a line here: whole words, with one blank between two of them.
 * So the widths of columns do not count, and a fact may be several cells or several lines. The word
 * "(end)" stands after all that was said. */
void
typed_facts(struct scene *scene, const char *uri, const char *line, int status, const char *facts);

/* Runs a line that prints a table, with all columns, and once more with --json. Fails the test if a
 * cell and the member of the document differ. */
void typed_agree(struct scene *scene, const char *uri, const char *line);

/* The URI of libvirt's test driver with these <domain>s, which typed_domain made. Static memory. */
const char *typed_libvirt(const struct scene *scene, const char *domains);

/* A <domain type='test'> for that libvirt: the guest of scene_xml, with these devices (0 ends the
 * list). `how` is a state for libvirt's test driver: "" for running, or
 * <test:runstate>5</test:runstate> for merely defined. The caller frees the domain. */
#define TYPED_DEFINED "<test:runstate>5</test:runstate>"
char *typed_domain(unsigned guest, const char *how, const unsigned *numbers);

/* A <domain type='test'> for a guest with these virtual functions (NULL ends the list). The guest
 * asks for this type on each of them, or for nothing (""). The hook reads this domain as well. The
 * caller frees it. */
char *
typed_functions(unsigned guest, const char *how, const char *type, const char *const *addresses);

/* Prepares that guest. Returns the hook's exit status. */
int typed_prepare(struct scene *scene, unsigned guest, const char *type, const char *address);

/* Runs a line as typed_run does, and compares the result with a golden file, "COMMAND/CASE". */
void typed_golden(struct scene *scene, const char *uri, const char *name, const char *line);
void typed_golden_on(struct scene *scene, const char *uri, const struct terminal *terminal,
                     const char *name, const char *line);

/* The same for a golden file with several lines. The first line here is "$ vgpuctl COMMAND". */
void typed_compare_golden(const char *name, const char *got);
