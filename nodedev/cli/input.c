/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/input.h"

#include <stdio.h>

int
input_read(const char *path, char **ret, struct error *error)
{
    FILE *file = fopen(path, "re");
    size_t size = 0;
    ssize_t length;
    int rc = 0;

    *ret = NULL;
    length = file ? getdelim(ret, &size, '\0', file) : -1;
    if (length < 0 && (!file || !feof(file)))
        rc = error_set(error, -errno, "%s: %m", path);
    /* For an empty file getdelim(3) writes nothing. */
    else if (length < 0)
        **ret = '\0';
    if (file)
        fclose(file);
    return rc;
}
