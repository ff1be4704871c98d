/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Names in commands for a person to type. A real shell reads the names back. */

#include "base/shell-word.h"
#include "fake/unit.h"

#include <stdio.h>
#include <string.h>

UNIT_TEST(as_it_is)
{
    static const char *const names[] = {"web01", "ua-gpu0", "0000:3b:00.0", "a_b.c+d@e%f,g/h",
                                        "K\xc3\xb6ln"};

    for (size_t i = 0; i < COUNT(names); i++)
        assert_string_equal(shell_word(names[i]).text, names[i]);
}

UNIT_TEST(read_back)
{
    static const char *const names[] = {"",     "x;reboot", "web one", "it's",  "''",    "$(id)",
                                        "`id`", "a\\b",     "*",       "~root", "{a,b}", "a\nb",
                                        "!x",   "a>b<c|d",  "#x",      "a=b",   "\"",    "[a]"};

    for (size_t i = 0; i < COUNT(names); i++) {
        char command[2048], got[256];
        FILE *shell;
        size_t length;

        snprintf(command, sizeof(command), "cd / && printf %%s %s", shell_word(names[i]).text);
        shell = popen(command, "re");
        assert_non_null(shell);
        length = fread(got, 1, sizeof(got) - 1, shell);
        got[length] = '\0';
        assert_int_equal(pclose(shell), 0);
        assert_string_equal(got, names[i]);
    }
}

UNIT_TEST(too_long)
{
    char name[2000];

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    assert_string_equal(shell_word(name).text, "NAME");
    name[1023] = '\0';
    assert_string_equal(shell_word(name).text, name);
    memset(name, '\'', 1023);
    assert_string_equal(shell_word(name).text, "NAME");
    name[200] = '\0';
    assert_int_equal(strlen(shell_word(name).text), 802);
}
