/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How release, reconnect and start answer if the state directory is missing or unusable. libvirt
 * calls a release only once. So if the release does not report its failure, nobody ever gives the
 * vGPU back. */

#include "actions/adopt.h"
#include "actions/release.h"
#include "actions/run.h"
#include "domain/request-parser.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MACHINE                                                                                    \
    "gpu mtty rule pool 4\n"                                                                       \
    "type mtty-2 \"Dual port serial\" uses 2\n"
#define DOMAIN   "aaaaaaaa-0000-4000-8000-000000000001"
#define STATE    "run/libvirt-vgpu"
#define COUNTERS STATE "/counters/"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE};
#define TEST(function) SCENE_TEST(function, here)

static struct name
name_of(const char *uuid)
{
    struct name name;

    assert_int_equal(name_parse_uuid(&name, uuid), 0);
    return name;
}

static int
run_release(struct error *error)
{
    char name[] = "guest1";
    const struct request request = {.domain = name_of(DOMAIN), .name = name};

    return release_domain(&scene.kernel.host, &request, "-", error);
}

static int
run_release_device(struct error *error)
{
    struct name domain = name_of(DOMAIN), device = name_of(scene_device(1));

    return release_device(&scene.kernel.host, &domain, &device, error);
}

/* The guest asks for no vGPU. So no directory is made. */
static int
run_adopt(struct error *error)
{
    char name[] = "guest1";
    struct request request = {.domain = name_of(DOMAIN), .name = name};

    return adopt_domain(&scene.kernel.host, &request, error);
}

/* The guest asks for a vGPU. Only for such guests the hook looks for the directory. */
static int
verify(struct error *error)
{
    AUTO(request_clear) struct request request = {0};
    AUTO_FREE char *xml = scene_xml_at(1, scene_device(1), "type=\"mtty-2\"");
    const struct document document = {.text = xml, .length = strlen(xml)};

    assert_int_equal(request_parse(&document, &request, error), 0);
    return run_verify(&scene.kernel.host, &request, error);
}

/* All three must answer the same. */
static void
assert_answer(int wanted, const char *words)
{
    static int (*const uses[])(struct error * error) = {run_release, run_release_device, run_adopt,
                                                        verify};

    for (size_t i = 0; i < COUNT(uses); i++) {
        struct error error = {0};

        assert_int_equal(uses[i](&error), wanted);
        if (*words)
            assert_non_null(strstr(error.text, words));
        else
            assert_string_equal(error.text, "");
    }
}

/* There is nothing to give back. So this is no failure. */
TEST(no_state_directory_is_nothing_to_do)
{
    /* Without a lease the device must be there: somebody else has made it. */
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_answer(0, "");
    assert_int_equal(faccessat(scene.kernel.host.root, STATE, F_OK, 0), -1);
}

TEST(no_ledger_is_nothing_to_do)
{
    assert_int_equal(mkdirat(scene.kernel.host.root, STATE, 0755), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_answer(0, "");
}

TEST(a_file_in_its_place_is_told)
{
    fake_write(&scene.kernel, STATE, "");
    assert_answer(-ENOTDIR, "cannot open /" STATE ": ");
}

static size_t
counted(const char *name)
{
    struct stat status;
    struct path path;

    assert_int_equal(path_format(&path, COUNTERS "%s", name), 0);
    return fstatat(scene.kernel.host.root, path.text, &status, 0) < 0 ? 0 : (size_t)status.st_size;
}

/* The guest's lease stays, nothing is removed, and the failure is counted. When the directory can
 * be read again, the same release does its work. */
TEST(unusable_claims_are_told)
{
    int root = scene.kernel.host.root;

    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(renameat(root, STATE "/claims", root, STATE "/claims.old"), 0);
    assert_int_equal(mkdirat(root, STATE "/claims", 0755), 0);
    assert_answer(-EISDIR, "cannot open /" STATE "/claims: ");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(counted("release.ok"), 0);
    assert_int_equal(counted("release.other"), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    scene_assert_type(&scene, scene_device(1), "mtty-2");
    assert_int_equal(unlinkat(root, STATE "/claims", AT_REMOVEDIR), 0);
    assert_int_equal(renameat(root, STATE "/claims.old", root, STATE "/claims"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(counted("release.ok"), 1);
    scene_assert_empty(&scene);
}

/* A ledger that cannot be read is reported as well. */
TEST(a_broken_ledger_is_told)
{
    fake_write(&scene.kernel, STATE "/ledger", "rubbish\n");
    assert_answer(-EBADMSG, "/" STATE "/ledger: line 1: ");
}

/* A start is refused with the reason, and makes nothing. */
TEST(what_a_start_cannot_use)
{
    static const struct {
        const char *file, *words;
    } rows[] = {
        {STATE, "cannot make /" STATE "/released: Not a directory"},
        {STATE "/claims/x", "cannot open /" STATE "/claims: Is a directory"},
        {STATE "/lock/x", "cannot open /" STATE "/lock: Is a directory"},
        {STATE "/ledger/x", "/" STATE "/ledger: it is no regular file; "},
        {STATE "/ledger.new/x", "cannot write /" STATE "/ledger.new: Is a directory"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        fake_write(&scene.kernel, rows[i].file, "");
        assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
        scene_assert_said(&scene, rows[i].words);
        assert_int_equal(fake_count(&scene.kernel), 0);
        scene_stop(&scene);
        scene_start(&scene, MACHINE);
    }
    assert_int_equal(unlinkat(scene.kernel.host.root, "proc/sys/kernel/random/boot_id", 0), 0);
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "cannot read the kernel's boot id: No such file or directory");
}
