/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* marks: names in a directory of ours count, and names in any other do not. */

#include "lease/marks.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define STATE  "run/libvirt-vgpu"
#define DOMAIN "aaaaaaaa-0000-4000-8000-000000000001"
#define MARK   DOMAIN ".9"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = ""};

/* One that either mark covers, as libvirt has no status file of its guest. */
static struct lease
held(void)
{
    struct lease lease = {.state = LEASE_HELD, .claim = 8, .domain_name = "guest1"};

    assert_int_equal(name_parse_uuid(&lease.domain, DOMAIN), 0);
    return lease;
}

/* Somebody has put a link where our directory was, to one with names like ours. They are not
 * believed, and they stay. */
static void
a_link_in_place_of_the_directory_is_refused(void **state)
{
    static const char *const directories[] = {"released", "ran"};
    const struct lease lease = held();
    const struct ledger none = {.next_claim = 1};

    (void)state;
    fake_write(&scene.kernel, "run/libvirt/qemu/guest2.xml", "");
    for (size_t i = 0; i < COUNT(directories); i++) {
        AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
        struct error error = {0};
        struct path path;

        assert_int_equal(statedir_open(&scene.kernel.host, true, &statedir, &error), 0);
        assert_int_equal(path_format(&path, STATE "/%s/" MARK, directories[i]), 0);
        fake_write(&scene.kernel, path.text, "");
        assert_true(marks_say_ended(&statedir, &lease));

        assert_int_equal(renameat(statedir.dir, directories[i], statedir.dir, "elsewhere"), 0);
        assert_int_equal(symlinkat("elsewhere", statedir.dir, directories[i]), 0);
        assert_false(marks_say_ended(&statedir, &lease));
        marks_sweep(&statedir, &none);
        assert_int_equal(faccessat(statedir.dir, "elsewhere/" MARK, F_OK, 0), 0);

        assert_int_equal(unlinkat(statedir.dir, directories[i], 0), 0);
        assert_int_equal(renameat(statedir.dir, "elsewhere", statedir.dir, directories[i]), 0);
        marks_sweep(&statedir, &none);
        assert_int_equal(faccessat(statedir.dir, "elsewhere/" MARK, F_OK, 0), -1);
        assert_false(marks_say_ended(&statedir, &lease));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_link_in_place_of_the_directory_is_refused, here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
