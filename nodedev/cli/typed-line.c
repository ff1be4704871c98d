/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/typed-line.h"
#include "base/memory.h"
#include "base/shell-word.h"
#include "cli/say.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOBODY_LOGGED_IN UINT32_MAX
#define PASSWD_MOST      (64 << 10) /* bytes of /etc/passwd */

char *
typed_line_make(int argc, char *const argv[])
{
    char *line = NULL;
    size_t size;
    FILE *out = memory_stream(&line, &size);

    say_part(out, "vgpuctl");
    for (int i = 1; i < argc; i++)
        say_part(out, " %s", shell_word(argv[i]).text);
    memory_stream_end(out, &line);
    return line;
}

/* Finds the name of a user: a line is "NAME:x:UID:...". getpwuid(3) may ask a directory service
 * over the network, so it is not used. Users that only such a service knows have their number. */
static void
find_name(const struct host *host, uint64_t user, char *buffer, size_t size)
{
    AUTO_FREE char *text = memory_zeroed(PASSWD_MOST, 1);
    char *rest = text, *line;

    snprintf(buffer, size, "%llu", (unsigned long long)user);
    if (host_read(host, text, PASSWD_MOST, "etc/passwd") < 0)
        return;
    while ((line = strsep(&rest, "\n"))) {
        char *name = strsep(&line, ":");
        unsigned long number;

        if (!line || !strsep(&line, ":") || !line || sscanf(line, "%lu:", &number) != 1 ||
            number != user)
            continue;
        snprintf(buffer, size, "%s", name);
        return;
    }
}

const char *
typed_line_user(const struct host *host, char *buffer, size_t size)
{
    uint64_t user;

    if (host_read_number(host, &user, "proc/self/loginuid") < 0 || user == NOBODY_LOGGED_IN)
        user = getuid();
    find_name(host, user, buffer, size);
    return buffer;
}
