/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* counters: how the result of each call is counted, and the time of the last call. */

#include "lease/counters.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define DIRECTORY "run/libvirt-vgpu/counters"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = ""};
#define TEST(function) SCENE_TEST(function, here)

/* The sum of these counters, or of all others. */
static uint64_t
sum(const struct counters *counters, enum counters_operation operation, enum counters_result result)
{
    uint64_t all = 0;

    for (int i = 0; i < COUNTERS_OPERATIONS; i++) {
        for (int k = 0; k < COUNTERS_RESULTS; k++)
            all += counters->counts[i][k];
    }
    assert_int_equal(all, counters->counts[operation][result]);
    return all;
}

TEST(results)
{
    static const struct {
        int rc;
        enum error_class class;
        enum counters_result result;
        const char *file;
    } rows[] = {
        {0, ERROR_FAILED, COUNTERS_OK, "migrate.ok"},
        {-EPERM, ERROR_FAILED, COUNTERS_NOT_ALLOWED, "migrate.not_allowed"},
        {-EACCES, ERROR_FAILED, COUNTERS_NOT_ALLOWED, "migrate.not_allowed"},
        {-EINVAL, ERROR_FAILED, COUNTERS_CONFIG, "migrate.config"},
        {-ENOENT, ERROR_FAILED, COUNTERS_CONFIG, "migrate.config"},
        {-EBADMSG, ERROR_FAILED, COUNTERS_LEDGER, "migrate.ledger"},
        {-EPROTONOSUPPORT, ERROR_FAILED, COUNTERS_LEDGER, "migrate.ledger"},
        {-ESTALE, ERROR_FAILED, COUNTERS_LEDGER, "migrate.ledger"},
        {-EIO, ERROR_FAILED, COUNTERS_KERNEL, "migrate.kernel"},
        {-ENODEV, ERROR_FAILED, COUNTERS_KERNEL, "migrate.kernel"},
        {-ENXIO, ERROR_FAILED, COUNTERS_KERNEL, "migrate.kernel"},
        {-ECHILD, ERROR_FAILED, COUNTERS_KERNEL, "migrate.kernel"},
        {-ENOTRECOVERABLE, ERROR_FAILED, COUNTERS_KERNEL, "migrate.kernel"},
        {-EBUSY, ERROR_FAILED, COUNTERS_BUSY, "migrate.busy"},
        {-ETIMEDOUT, ERROR_FAILED, COUNTERS_BUSY, "migrate.busy"},
        {-EEXIST, ERROR_FAILED, COUNTERS_BUSY, "migrate.busy"},
        {-ENOMEM, ERROR_FAILED, COUNTERS_OTHER, "migrate.other"},
        {REFUSED, ERROR_FAILED, COUNTERS_OTHER, "migrate.other"},
        {REFUSED, ERROR_NO_ROOM, COUNTERS_NO_ROOM, "migrate.no_room"},
        {REFUSED, ERROR_NEVER, COUNTERS_CONFIG, "migrate.config"},
        {REFUSED, ERROR_TAKEN, COUNTERS_BUSY, "migrate.busy"},
        {REFUSED, ERROR_UNDECIDED, COUNTERS_NO_ROOM, "migrate.no_room"},
    };

    assert_int_equal(host_make_directory(&scene.kernel.host, "run/libvirt-vgpu"), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct error error = {.class = rows[i].class};
        struct counters counters;
        struct path path;

        counters_add(&scene.kernel.host, COUNTERS_MIGRATE, rows[i].rc, &error);
        counters_add(&scene.kernel.host, COUNTERS_MIGRATE, rows[i].rc, &error);
        counters_read(&scene.kernel.host, &counters);
        assert_int_equal(sum(&counters, COUNTERS_MIGRATE, rows[i].result), 2);
        assert_int_equal(path_format(&path, DIRECTORY "/%s", rows[i].file), 0);
        assert_int_equal(host_remove(&scene.kernel.host, path.text), 0);
    }
}

TEST(lines_that_were_lost)
{
    struct counters counters;

    counters_add_lost_lines(&scene.kernel.host, 0);
    assert_false(host_exists(&scene.kernel.host, "run/libvirt-vgpu"));
    assert_int_equal(host_make_directory(&scene.kernel.host, "run/libvirt-vgpu"), 0);
    counters_add_lost_lines(&scene.kernel.host, 3);
    counters_add_lost_lines(&scene.kernel.host, 2);
    counters_read(&scene.kernel.host, &counters);
    assert_int_equal(counters.lost_lines, 5);
    assert_int_equal(sum(&counters, COUNTERS_PREPARE, COUNTERS_OK), 0);
    assert_int_equal(counters.last_call.tv_sec, 0);
}

static void
touch(const char *name, time_t seconds, long nanoseconds)
{
    const struct timespec times[] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    struct path path;

    assert_int_equal(path_format(&path, DIRECTORY "/%s", name), 0);
    fake_write(&scene.kernel, path.text, "+");
    assert_int_equal(utimensat(scene.kernel.host.root, path.text, times, 0), 0);
}

/* The last call of the hook. reconcile does not count, because libvirt does not call it. */
TEST(the_last_call)
{
    struct counters counters;

    touch("prepare.ok", 2000, 6);
    touch("release.ok", 2000, 7);
    touch("start.busy", 2000, 5);
    touch("migrate.ok", 1000, 9);
    touch("reconcile.ok", 3000, 1);
    counters_read(&scene.kernel.host, &counters);
    assert_int_equal(counters.last_call.tv_sec, 2000);
    assert_int_equal(counters.last_call.tv_nsec, 7);
    touch("restore.other", 2001, 1);
    counters_read(&scene.kernel.host, &counters);
    assert_int_equal(counters.last_call.tv_sec, 2001);
    assert_int_equal(counters.last_call.tv_nsec, 1);
}
