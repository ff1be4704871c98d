/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* marks: which names cover a lease, and which are swept. */

#include "lease/marks.h"
#include "fake/scene.h"
#include "lease/statedir.h"

#include <stdio.h>
#include <unistd.h>

#define STATE  "run/libvirt-vgpu"
#define DOMAIN "aaaaaaaa-0000-4000-8000-000000000001"
#define MARK   DOMAIN ".9"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = ""};

/* A lease that any mark may cover, because libvirt has no status file of its guest. */
static struct lease
held(void)
{
    struct lease lease = {.state = LEASE_HELD, .claim = 8, .domain_name = "guest1"};

    assert_int_equal(name_parse_uuid(&lease.domain, DOMAIN), 0);
    return lease;
}

static bool
say_ended(const struct lease *lease)
{
    AUTO(ledger_clear) struct ledger ledger = {0};

    marks_read(&scene.kernel.host, &ledger);
    return marks_say_ended(&ledger, &scene.kernel.host, lease);
}

/* A process that has the lock sweeps the marks that it has listed. Libvirt has the status file of
 * another guest only, so a lease whose guest ran has ended. */
SCENE_TEST(each_mark_counts_until_it_is_swept, here)
{
    static const char *const paths[] = {STATE "/released/" MARK, STATE "/ran/" MARK};
    const struct host *host = &scene.kernel.host;
    const struct lease lease = held();

    fake_write(&scene.kernel, "run/libvirt/qemu/guest2.xml", "");
    for (size_t i = 0; i < COUNT(paths); i++) {
        AUTO(ledger_clear) struct ledger none = {.next_claim = 1};

        fake_write(&scene.kernel, paths[i], "");
        assert_true(say_ended(&lease));
        marks_read(host, &none);
        marks_sweep(host, &none);
        assert_false(host_exists(host, "%s", paths[i]));
        assert_false(say_ended(&lease));
    }
}

/* Which names cover lease 8: only a higher number of the same domain. */
SCENE_TEST(what_a_name_covers, here)
{
    static const struct {
        const char *name;
        bool covers;
    } rows[] = {
        {DOMAIN ".9", true},
        {DOMAIN ".18446744073709551615", true},
        {DOMAIN ".18446744073709551616", false},
        {DOMAIN ".8", false},
        {DOMAIN ".", false},
        {DOMAIN "9", false},
        {DOMAIN "-9", false},
        {DOMAIN ".9x", false},
        {"aaaaaaaa-0000-4000-8000-000000000002.9", false},
    };
    const struct lease lease = held();

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
        struct error error = {0};
        struct path path;

        assert_int_equal(statedir_open(&scene.kernel.host, true, &statedir, &error), 0);
        assert_int_equal(path_format(&path, STATE "/released/%s", rows[i].name), 0);
        fake_write(&scene.kernel, path.text, "");
        if (say_ended(&lease) != rows[i].covers)
            fail_msg("%s", rows[i].name);
        assert_int_equal(unlinkat(scene.kernel.host.root, path.text, 0), 0);
    }
}
