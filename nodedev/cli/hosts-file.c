/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/hosts-file.h"
#include "base/array.h"
#include "cli/input.h"

#include <string.h>

#define BLANKS " \t\r"

/* Returns the first word of a line and ends it. *rest is the text behind the word. */
static char *
first_word(char *line, char **rest)
{
    char *word = line + strspn(line, BLANKS);
    char *end = word + strcspn(word, BLANKS);

    *rest = end + strspn(end, BLANKS);
    *end = '\0';
    return word;
}

int
hosts_file_read(struct options *options, struct error *error)
{
    const char *path = options->values[OPTION_HOSTS];
    size_t before = options->uri_count;
    unsigned number = 0;
    char *text, *line;
    int rc = path ? input_read(path, &options->hosts, error) : 0;

    if (rc < 0)
        error_wrap(error, "--hosts");
    if (rc < 0 || !path)
        return rc;
    for (text = options->hosts; (line = strsep(&text, "\n"));) {
        char *rest, *word = first_word(line, &rest);

        number++;
        if (!*word || *word == '#')
            continue;
        if (*rest)
            return error_refuse(error, ERROR_USAGE, "%s:%u: one URI in a line; what is \"%s\"?",
                                path, number, rest);
        ARRAY_ADD(options->uris, options->uri_count, word);
    }
    return options->uri_count > before
               ? 0
               : error_refuse(error, ERROR_USAGE,
                              "%s names no host; write the URI of a libvirt in each line", path);
}
