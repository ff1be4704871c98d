/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Replays seeds through a fuzz target when there is no libFuzzer. The seeds are the files and
 * directories of the command line. Without any, as in `make check`, fuzz-NAME replays
 * $srcdir/tests/corpus/NAME.
 */

#include "base/cleanup.h"
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static void
fail(const char *path)
{
    perror(path);
    exit(1);
}

static unsigned
replay_file(const char *path, size_t size)
{
    /* of exactly this size, so that sanitizers notice reads beyond the input */
    AUTO_FREE uint8_t *data = malloc(size);
    FILE *file = fopen(path, "r");

    if ((size && !data) || !file || fread(data, 1, size, file) != size)
        fail(path);
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    return 1;
}

/* Replays all files below path. Returns how many there were. */
static unsigned
replay(const char *path)
{
    struct stat status;
    struct dirent **entries = NULL;
    unsigned replayed = 0;
    int count;

    if (stat(path, &status) < 0)
        fail(path);
    if (!S_ISDIR(status.st_mode))
        return replay_file(path, (size_t)status.st_size);
    count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        fail(path);
    for (int i = 0; i < count; i++) {
        AUTO_FREE struct dirent *entry = entries[i];
        AUTO_FREE char *inner = NULL;

        if (*entry->d_name != '.' && asprintf(&inner, "%s/%s", path, entry->d_name) > 0)
            replayed += replay(inner);
    }
    free(entries);
    return replayed;
}

int
main(int argc, char *argv[])
{
    const char *top = getenv("srcdir"), *slash = strrchr(argv[0], '/');
    const char *name = strchr(slash ? slash : argv[0], '-');
    AUTO_FREE char *corpus = NULL;
    unsigned replayed = 0;

    if (asprintf(&corpus, "%s/tests/corpus/%s", top ? top : ".", name ? name + 1 : "") < 0)
        return 1;
    if (argc < 2)
        replayed = replay(corpus);
    for (int i = 1; i < argc; i++)
        replayed += replay(argv[i]);
    printf("%u inputs\n", replayed);
    return replayed == 0;
}
