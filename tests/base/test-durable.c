/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* durable: several processes write the same file at once. Each succeeds, and whoever reads the file
 * finds one whole text. */

#include "base/durable.h"
#include "base/memory.h"
#include "fake/scene.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITERS 3
#define ROUNDS  200
#define LENGTH  60000

/* A text of one letter. */
static char *
text_of(unsigned writer)
{
    char *text = memory_zeroed(LENGTH + 1, 1);

    memset(text, (int)('a' + writer), LENGTH);
    return text;
}

static int
write_often(const struct host *host, unsigned writer)
{
    AUTO_FREE char *text = text_of(writer);
    int rc = 0;

    for (int i = 0; rc == 0 && i < ROUNDS; i++)
        rc = durable_write(host, "etc/both", "file", text);
    return -rc;
}

static void
check_file(const struct host *host)
{
    AUTO_FREE char *text = memory_zeroed(LENGTH + 2, 1);

    if (host_read(host, text, LENGTH + 2, "etc/both/file") == -ENOENT)
        return;
    assert_int_equal(strlen(text), LENGTH);
    assert_int_equal(strspn(text, (char[]){text[0], '\0'}), LENGTH);
}

UNIT_TEST(written_at_once)
{
    struct fake_kernel kernel;
    pid_t writers[WRITERS];

    fake_start(&kernel, "");
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = fork();
        assert_true(writers[i] >= 0);
        if (writers[i] == 0)
            _exit(write_often(&kernel.host, i));
    }
    for (unsigned i = 0; i < WRITERS; i++) {
        int status;
        pid_t ended;

        while ((ended = waitpid(writers[i], &status, WNOHANG)) == 0)
            check_file(&kernel.host);
        assert_int_equal(ended, writers[i]);
        assert_int_equal(status, 0);
    }
    assert_true(host_exists(&kernel.host, "etc/both/file"));
    check_file(&kernel.host);
    fake_stop(&kernel);
}
