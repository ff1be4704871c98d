/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* statedir: the lock, if somebody removes its file; a ledger that is set aside; a file that is not
 * a ledger. */

#include "lease/statedir.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scene scene;
static const struct scene_case here = {.scene = &scene,
                                       .machine = "gpu mtty rule pool 10\n"
                                                  "type mtty-2 \"Dual port serial\" uses 2\n"};
#define TEST(function) SCENE_TEST(function, here)

static void
open_one(struct statedir *statedir)
{
    struct error error = {0};

    assert_int_equal(statedir_open(&scene.kernel.host, true, statedir, &error), 0);
}

static int
lock_one(struct statedir *statedir)
{
    struct error error = {0};

    return statedir_lock(statedir, deadline_in(&scene.kernel.host, 50), &error);
}

static int
store_nothing(const struct statedir *statedir, struct error *error)
{
    const struct ledger ledger = {.next_claim = 7};

    return statedir_store(statedir, &ledger, error);
}

TEST(a_lock_whose_file_is_removed_stores_nothing)
{
    AUTO(statedir_close) struct statedir first = STATEDIR_CLOSED, second = STATEDIR_CLOSED;
    struct error error = {0};

    open_one(&first);
    open_one(&second);
    assert_int_equal(lock_one(&first), 0);
    assert_int_equal(lock_one(&second), -ETIMEDOUT);
    assert_int_equal(unlinkat(first.dir, "lock", 0), 0);
    assert_int_equal(lock_one(&second), 0);
    assert_int_equal(store_nothing(&first, &error), -ESTALE);
    assert_non_null(strstr(error.text, "somebody has removed /run/libvirt-vgpu/lock"));
    assert_int_equal(faccessat(first.dir, "ledger", F_OK, 0), -1);
    assert_int_equal(store_nothing(&second, &error), 0);
    statedir_unlock(&first);
    statedir_unlock(&second);
    assert_int_equal(lock_one(&first), 0);
    assert_int_equal(store_nothing(&first, &error), 0);
}

/* A process may have waited for a lock file that has no name any more. Then its lock does not
 * count. */
TEST(who_waits_for_a_removed_file_asks_again)
{
    AUTO(statedir_close) struct statedir first = STATEDIR_CLOSED, second = STATEDIR_CLOSED;
    pid_t pid;
    int status;

    open_one(&first);
    open_one(&second);
    assert_int_equal(lock_one(&first), 0);
    pid = fork();
    if (pid == 0) {
        struct error error = {0};
        AUTO(statedir_close) struct statedir third = STATEDIR_CLOSED;

        statedir_unlock(&first);

        open_one(&third);
        _exit(statedir_lock(&third, deadline_in(&scene.kernel.host, 60000), &error) < 0 ||
              store_nothing(&third, &error) < 0);
    }
    fake_sleep(10);
    assert_int_equal(unlinkat(first.dir, "lock", 0), 0);
    assert_int_equal(lock_one(&second), 0);
    statedir_unlock(&first);
    fake_sleep(10);
    assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
    statedir_unlock(&second);
    scene_assert_ends_well(pid);
}

/* The file is gone, as if another process had set it aside. */
TEST(a_ledger_that_is_not_set_aside_is_told)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    struct error error = {0};
    struct path path;

    open_one(&statedir);
    assert_int_equal(statedir_set_aside(&statedir, &path, &error), -ENOENT);
    assert_non_null(strstr(error.text, "cannot set the ledger aside as /run/libvirt-vgpu/ledger."));
    assert_non_null(strstr(error.text, ": No such file or directory"));
}

/* Everybody may read the ledger, whatever the umask of the caller. */
TEST(everybody_may_read_a_ledger)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    struct error error = {0};
    struct stat status;
    mode_t before = umask(0077);

    open_one(&statedir);
    assert_int_equal(lock_one(&statedir), 0);
    assert_int_equal(store_nothing(&statedir, &error), 0);
    umask(before);
    assert_int_equal(fstatat(statedir.dir, "ledger", &status, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(status.st_mode & 0777, 0644);
}

/* A file that is larger than any host's ledger is not read. A file of the largest size is read.
 * Here its content is no text. */
TEST(a_ledger_that_is_too_large_is_not_read)
{
    static const struct {
        off_t size;
        const char *words;
    } rows[] = {
        {(4 << 20) + 1, ": File too large; 'vgpuctl reconcile --rebuild'"},
        {4 << 20, ": Invalid or incomplete multibyte or wide character; 'vgpuctl"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
        AUTO(ledger_clear) struct ledger ledger = {0};
        AUTO_CLOSE int fd = -1;
        struct error error = {0};

        open_one(&statedir);
        fd = openat(statedir.dir, "ledger", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        assert_int_equal(ftruncate(fd, rows[i].size), 0);
        assert_int_equal(statedir_load(&statedir, &ledger, &error), -EBADMSG);
        assert_non_null(strstr(error.text, rows[i].words));
    }
}

/* Then nobody knows which processes are at work. So a lease's state tells. */
TEST(a_link_in_place_of_claims_is_refused)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED, look = STATEDIR_CLOSED;
    const struct lease pending = {.state = LEASE_PENDING, .claim = 7};
    const struct lease held = {.state = LEASE_HELD, .claim = 7};

    open_one(&statedir);
    assert_int_equal(renameat(statedir.dir, "claims", statedir.dir, "elsewhere"), 0);
    assert_int_equal(symlinkat("elsewhere", statedir.dir, "claims"), 0);
    statedir_open_to_look(&scene.kernel.host, &look);
    assert_true(look.dir >= 0);
    assert_int_equal(look.claims, -1);
    assert_true(statedir_is_claimed(&look, &pending));
    assert_false(statedir_is_claimed(&look, &held));
}

/* If there is no directory, there are no leases. If a directory cannot be opened, there may be
 * leases. */
TEST(a_directory_that_cannot_be_opened_is_told)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error = {0};

    assert_int_equal(statedir_peek(&scene.kernel.host, &ledger, &error), 0);
    fake_write(&scene.kernel, "run/libvirt-vgpu", "");
    assert_int_equal(statedir_peek(&scene.kernel.host, &ledger, &error), -ENOTDIR);
    assert_non_null(strstr(error.text, "cannot open /run/libvirt-vgpu: Not a directory"));
}
