/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * error: one failure, as the line that a person will read.
 *
 * Functions return -errno. The first one that knows what failed (which file, which GPU) fills in
 * the struct error of its caller. Callers may put in front what they were doing. main prints it.
 *
 * It is always one printable line of UTF-8. Other bytes and characters of a name become '?'
 * (printable.h). A text that is too long ends in "...".
 */

#pragma once

#include "base/cleanup.h"

#include <stdarg.h>
#include <stdbool.h>

/* The kind of a failure, for exit statuses, counters and programs. error_set finds some of them by
 * the code. vgpuctl has a word for each (cli/command.c). */
enum error_class {
    ERROR_FAILED,     /* something went wrong: the code says what */
    ERROR_NO_ROOM,    /* refused: there is no room now, but another day there may be */
    ERROR_NEVER,      /* refused: this host cannot give it, however empty it is */
    ERROR_TAKEN,      /* refused: what it names belongs to somebody else, or is something else */
    ERROR_UNDECIDED,  /* refused: the search takes too long */
    ERROR_USAGE,      /* refused: the command makes no sense */
    ERROR_IN_USE,     /* somebody uses it: -EBUSY */
    ERROR_DENIED,     /* a right is missing, which root might have: -EACCES */
    ERROR_NOT_FOUND,  /* what was named is not there: -ENOENT, -ENODEV */
    ERROR_NO_DOMAIN,  /* libvirt knows no such domain */
    ERROR_NO_LIBVIRT, /* a libvirt cannot be asked, or does not answer: -ENOTCONN */
    ERROR_BAD_CONFIGURATION, /* vgpu.conf has a fault */
    ERROR_FAULTS,            /* what was checked has faults */
    ERROR_NO_HOST,           /* no host that was named would take the guest */
    ERROR_UNKNOWN,           /* nobody knows the answer, or a part of it */
    ERROR_CLASSES,           /* the number of classes */
};

struct error {
    char text[2048];
    enum error_class class;
    unsigned line;   /* line of the domain's XML that is at fault; 0: none */
    unsigned advice; /* where in the text the advice begins; 0: the text has none */
    unsigned command, command_length; /* the command in the advice; 0: the advice has none */
};

/* The code of a refusal. The error's class says of which kind it is. */
#define REFUSED (-ECANCELED)

/* Replaces the text. Returns code, a negative errno, so that a caller can "return error_set(...)".
 */
int error_set(struct error *error, int code, const char *format, ...) FORMAT(3, 4) NONNULL;

/* The same for a refusal of this class. Returns REFUSED. */
int error_refuse(struct error *error, enum error_class class, const char *format, ...)
    FORMAT(3, 4) NONNULL;

/* error_set with a va_list. */
int error_vset(struct error *error, int code, const char *format, va_list args) FORMAT(3, 0)
    __attribute__((nonnull(1, 3)));

/* Puts a text and ": " in front of the error's text. */
void error_wrap(struct error *error, const char *format, ...) FORMAT(2, 3) NONNULL;

/* Appends a text, after "; " if there is a text already. */
void error_add(struct error *error, const char *format, ...) FORMAT(2, 3) NONNULL;

/* The same with what to do about it, in prose. All that is added later belongs to the advice. */
void error_advise(struct error *error, const char *format, ...) FORMAT(2, 3) NONNULL;

/* The same with a command to type. People read "VERB 'COMMAND'", such as "see 'virsh list'". */
void error_advise_command(struct error *error, const char *verb, const char *format, ...)
    FORMAT(3, 4) NONNULL;

/* Returns the advice as people read it; "" if there is none. */
const char *error_advice(const struct error *error) CHECKED NONNULL;
