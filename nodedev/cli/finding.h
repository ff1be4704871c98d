/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * finding: what a command has found, as all commands tell it: to people in their own ways, to
 * programs in one (config/vgpuctl.schema.json).
 *
 *     findings_at(&found, FINDING_WARNING, "drained", gpu->text, 0, "this GPU is drained: ...");
 *     ...
 *     if (findings_count(&found, 0, FINDING_ERROR) == 0)
 */

#pragma once

#include "base/error.h"
#include "cli/json.h"

/* A greater severity is worse. */
enum finding_severity {
    FINDING_OK,       /* a question has a good answer */
    FINDING_ACCEPTED, /* vgpu.conf says that the administrator knows it (accept) */
    FINDING_NOTE,     /* good to know; no fault */
    FINDING_WARNING,  /* it works, but is probably not meant, or will go wrong one day */
    FINDING_ERROR,    /* it must be corrected */
};
extern const char *const finding_severities[]; /* "ok" and so on */

/* A part of what to do about a finding. Prose before a command ends in ':'. */
struct finding_step {
    bool is_command; /* to be typed as it stands; else it is prose */
    char *text;
};

struct finding {
    const char *word; /* stays the same in all versions, for programs; borrowed */
    enum finding_severity severity;
    char *where;   /* a file, or "FILE:LINE", a domain or a GPU; NULL: the finding has no place */
    unsigned line; /* of this file; 0: none, or `where` has it */
    char *text;    /* a sentence, printable */
    struct finding_step *steps;
    size_t step_count;
};

struct findings {
    FILE *out; /* where each finding is printed at once: "FILE:LINE: text". NULL: none is */
    struct finding *items;
    size_t count;
};

void findings_clear(struct findings *findings) NONNULL;

/* Adds a finding, or one with a place. */
void findings_add(struct findings *findings, enum finding_severity severity, const char *word,
                  const char *format, ...) FORMAT(4, 5) NONNULL;
void findings_at(struct findings *findings, enum finding_severity severity, const char *word,
                 const char *where, unsigned line, const char *format, ...) FORMAT(6, 7) NONNULL;
void findings_vadd(struct findings *findings, enum finding_severity severity, const char *word,
                   const char *where, unsigned line, const char *format, va_list args) FORMAT(6, 0)
    __attribute__((nonnull(1, 3, 6)));

/* Adds a step to the last finding, and takes over its text. */
void findings_step(struct findings *findings, bool is_command, char *text) NONNULL;

/* Adds a finding for each fault of vgpu.conf that an error holds. The text of each fault begins
 * with `stem`. */
void
findings_add_faults(struct findings *findings, const struct error *error, const char *stem) NONNULL;

/* Returns the number of findings, from this one on, that are at least as bad. */
size_t findings_count(const struct findings *findings, size_t from,
                      enum finding_severity least) CHECKED NONNULL;

/* Return what to do in a line: as a command, which a program may run, if all steps are commands;
 * else in prose. The other one is "". */
struct finding_line {
    char text[2048];
};
struct finding_line finding_remedy(const struct finding *finding) CHECKED NONNULL;
struct finding_line finding_advice(const struct finding *finding) CHECKED NONNULL;

/* Puts a list of all findings into a document. */
void findings_put(const struct findings *findings, struct json *json, const char *key,
                  bool with_severity) NONNULL;
