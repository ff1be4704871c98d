/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* run-links: how links are made, replaced, read and listed. Only links in our own directory count.
 */

#include "base/run-links.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STATE "run/libvirt-vgpu"

static struct fake_kernel kernel;
static const struct host *const host = &kernel.host;

static int
set_up(void **state)
{
    fake_start(&kernel, "");
    fake_write(&kernel, STATE "/ledger", "");
    return 0;
}

static int
tear_down(void **state)
{
    fake_stop(&kernel);
    return 0;
}

static void
assert_target(const char *name, const char *wanted)
{
    char target[64];

    assert_int_equal(run_links_read(host, "kind", name, target, sizeof(target)), 0);
    assert_string_equal(target, wanted);
}

static void
assert_count(size_t wanted)
{
    AUTO(words_clear) struct words names = {0};

    run_links_list(host, "kind", &names);
    assert_int_equal(names.count, wanted);
}

#define TEST(test) UNIT_TEST_IN(test, set_up, tear_down, NULL)

TEST(the_first_one_stays)
{
    assert_int_equal(run_links_put(host, "kind", "b", "first"), 0);
    assert_int_equal(run_links_put(host, "kind", "b", "second"), -EEXIST);
    assert_target("b", "first");
    assert_int_equal(run_links_remove(host, "kind", "b"), 0);
    assert_int_equal(run_links_remove(host, "kind", "b"), -ENOENT);
    assert_int_equal(run_links_put(host, "kind", "b", "second"), 0);
    assert_target("b", "second");
}

/* A process was killed while it replaced the link. */
TEST(the_last_one_stays)
{
    assert_int_equal(run_links_replace(host, "kind", "b", "%d.%s", 1, "first"), 0);
    assert_target("b", "1.first");
    assert_int_equal(run_links_put(host, "kind", "b.new", "killed"), 0);
    assert_int_equal(run_links_replace(host, "kind", "b", "second"), 0);
    assert_target("b", "second");
    assert_count(1);
}

TEST(made_without_a_descriptor)
{
    struct rlimit before, none;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(run_links_put(host, "kind", "b", "target"), 0);
    assert_int_equal(run_links_replace(host, "kind", "b", "target"), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_target("b", "target");
}

/* The state directory is made, and /run is not. */
TEST(made_below_run_only)
{
    struct error error;
    int rc;

    assert_int_equal(renameat(host->root, STATE, host->root, "elsewhere"), 0);
    assert_int_equal(run_links_put(host, "kind", "b", "target"), 0);
    assert_int_equal(renameat(host->root, "run", host->root, "elsewhere/run"), 0);
    rc = run_links_put(host, "kind", "b", "target");
    assert_int_equal(run_links_check(rc, "kind", "b", &error), -ENOENT);
    assert_string_equal(error.text,
                        "cannot make the link /" STATE "/kind/b: No such file or directory");
    assert_int_equal(run_links_check(0, "kind", "b", &error), 0);
}

TEST(what_is_read)
{
    uint64_t number;
    char target[301], wanted[301];

    memset(wanted, 'x', 300);
    wanted[300] = '\0';
    assert_int_equal(run_links_put(host, "kind", "long", wanted), 0);
    assert_int_equal(run_links_read(host, "kind", "long", target, 300), -ENAMETOOLONG);
    assert_int_equal(run_links_read(host, "kind", "long", target, sizeof(target)), 0);
    assert_string_equal(target, wanted);
    assert_int_equal(run_links_read_number(host, "kind", "long", &number), -ENAMETOOLONG);

    assert_int_equal(run_links_put(host, "kind", "number", "18446744073709551615"), 0);
    assert_int_equal(run_links_read_number(host, "kind", "number", &number), 0);
    assert_true(number == UINT64_MAX);
    assert_int_equal(run_links_put(host, "kind", "word", "1x"), 0);
    assert_int_equal(run_links_read_number(host, "kind", "word", &number), -EBADMSG);
    assert_int_equal(run_links_read_number(host, "kind", "none", &number), -ENOENT);
    fake_write(&kernel, STATE "/kind/file", "1");
    assert_int_equal(run_links_read_number(host, "kind", "file", &number), -EINVAL);
}

/* Somebody has replaced our directory by a link to a directory with such names. */
TEST(a_link_in_place_of_the_directory_is_refused)
{
    const int root = host->root;

    assert_count(0);
    assert_int_equal(run_links_put(host, "kind", "b", "target"), 0);
    assert_count(1);
    assert_int_equal(renameat(root, STATE "/kind", root, STATE "/elsewhere"), 0);
    assert_int_equal(symlinkat("elsewhere", root, STATE "/kind"), 0);
    assert_count(0);
}

/* A time is recent for as long as was said. A time to come is one of another boot. */
TEST(a_time_is_recent_for_a_while)
{
    static const struct {
        const char *target;
        bool recent;
    } rows[] = {{"5000", true}, {"4001", true}, {"4000", false}, {"5001", false}, {"soon", false}};

    fake_set_uptime(5000);
    assert_false(run_links_is_recent(host, "kind", "none", 1000));
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(run_links_replace(host, "kind", "one", "%s", rows[i].target), 0);
        assert_int_equal(run_links_is_recent(host, "kind", "one", 1000), rows[i].recent);
    }
}
