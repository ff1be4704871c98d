/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* statedir: the lock, when somebody removes its file; and a ledger that is set aside. */

#include "lease/statedir.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scene scene;
static const struct scene_case here = {.scene = &scene,
                                       .machine = "gpu mtty rule pool 10\n"
                                                  "type mtty-2 \"Dual port serial\" uses 2\n"};

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

static void
a_lock_whose_file_is_removed_stores_nothing(void **state)
{
    AUTO(statedir_close) struct statedir first = STATEDIR_CLOSED, second = STATEDIR_CLOSED;
    struct error error = {0};

    (void)state;
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

/* Who waited for a file that has no name any more has locked nothing that counts. */
static void
who_waits_for_a_removed_file_asks_again(void **state)
{
    AUTO(statedir_close) struct statedir first = STATEDIR_CLOSED, second = STATEDIR_CLOSED;
    pid_t pid;
    int status;

    (void)state;
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
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

/* A ledger that is not there, as another call has set it aside: nobody is to be told that it is. */
static void
a_ledger_that_is_not_set_aside_is_told(void **state)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    struct error error = {0};
    struct path path;

    (void)state;
    open_one(&statedir);
    assert_int_equal(statedir_set_aside(&statedir, &path, &error), -ENOENT);
    assert_non_null(strstr(error.text, "cannot set the ledger aside as /run/libvirt-vgpu/ledger."));
    assert_non_null(strstr(error.text, ": No such file or directory"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_lock_whose_file_is_removed_stores_nothing, here),
        SCENE_TEST(who_waits_for_a_removed_file_asks_again, here),
        SCENE_TEST(a_ledger_that_is_not_set_aside_is_told, here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
