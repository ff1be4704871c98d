/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* usage: which calls get an answer, and that others print nothing. */

#include "base/usage.h"
#include "fake/unit.h"

#include <string.h>
#include <sys/mman.h>

static const struct usage usage = {"libvirt-vgpu-hook", "DOMAIN OPERATION", "libvirt"};

UNIT_TEST(who_is_answered)
{
    static const struct {
        int argc;
        const char *words[4];
        const char *answer; /* "": none */
    } rows[] = {
        {2, {"hook", "--version"}, "libvirt-vgpu-hook (libvirt-vgpu) " VGPU_VERSION "\n"},
        {2,
         {"hook", "--help"},
         "Usage: libvirt-vgpu-hook DOMAIN OPERATION\n"
         "libvirt runs this program; see 'man libvirt-vgpu-hook'.\n"},
        {1, {"hook"}, ""},
        {2, {"hook", "--versions"}, ""},
        {2, {"hook", "web01"}, ""},
        /* A domain may have such a name. */
        {3, {"hook", "--version", "prepare"}, ""},
        {4, {"hook", "--help", "prepare", "begin"}, ""},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_CLOSE int out = memfd_create("answer", MFD_CLOEXEC);
        char text[256] = "";

        assert_int_equal(usage_answer(&usage, rows[i].argc, (char **)rows[i].words, out),
                         *rows[i].answer != '\0');
        assert_true(pread(out, text, sizeof(text) - 1, 0) >= 0);
        assert_string_equal(text, rows[i].answer);
    }
}
