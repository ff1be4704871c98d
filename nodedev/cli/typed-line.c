/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/typed-line.h"
#include "base/memory.h"
#include "base/shell-word.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#define NOBODY_LOGGED_IN UINT32_MAX

char *
typed_line_make(int argc, char *const argv[])
{
    char *line = NULL;
    size_t size;
    FILE *out = memory_stream(&line, &size);

    fputs("vgpuctl", out);
    for (int i = 1; i < argc; i++)
        fprintf(out, " %s", shell_word(argv[i]).text);
    memory_stream_end(out, &line);
    return line;
}

const char *
typed_line_user(const struct host *host, char *buffer, size_t size)
{
    const struct passwd *known;
    uint64_t user;

    if (host_read_number(host, &user, "proc/self/loginuid") < 0 || user == NOBODY_LOGGED_IN)
        user = getuid();
    known = getpwuid((uid_t)user);
    if (known)
        snprintf(buffer, size, "%s", known->pw_name);
    else
        snprintf(buffer, size, "%llu", (unsigned long long)user);
    return buffer;
}
