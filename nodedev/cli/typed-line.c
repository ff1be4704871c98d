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

/* The password of a URI in a word, between the user's ':' and the last '@' before the path
 * (RFC 3986, 3.2.1). Returns its length, and where it begins; 0: there is none. */
static size_t
find_password(const char *word, const char **begin)
{
    const char *user = strstr(word, "://"), *end, *colon, *at;

    if (!user)
        return 0;
    user += strlen("://");
    end = user + strcspn(user, "/?#");
    at = memrchr(user, '@', (size_t)(end - user));
    colon = at ? memchr(user, ':', (size_t)(at - user)) : NULL;
    if (!colon)
        return 0;
    *begin = colon + 1;
    return (size_t)(at - colon - 1);
}

static void
add_word(FILE *out, const char *word)
{
    const char *password;
    size_t length = find_password(word, &password);
    AUTO_FREE char *shown = NULL;

    if (length > 0)
        shown = memory_format("%.*s***%s", (int)(password - word), word, password + length);
    say_part(out, " %s", shell_word(shown ? shown : word).text);
}

char *
typed_line_make(int argc, char *const argv[])
{
    char *line = NULL;
    size_t size;
    FILE *out = memory_stream(&line, &size);

    say_part(out, "vgpuctl");
    for (int i = 1; i < argc; i++)
        add_word(out, argv[i]);
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
