/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vfio: which processes have a device open, by the node of its group or by its own node. And how to
 * prove that no process has it open. /dev/zero is the group here, and /dev/full the own node. */

#include "device/vfio.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICE "sys/devices/x"
#define GROUP  "dev/vfio/12"
#define OWN    "dev/vfio/devices/vfio3"
#define OTHERS "/dev/null"
#define ZERO   "/dev/zero"
#define FULL   "/dev/full"

static struct scene scene;
static const struct path device = {DEVICE};
static struct host_ops ops;
static struct host host;
static int probed; /* the result of opening the group's node, if it is no descriptor */

static int
list(const struct host *place, const char *path, struct words *ret)
{
    return !strcmp(path, "proc/666/fd") ? -EACCES : host_kernel.list(place, path, ret);
}

static int
probe(const struct host *place, const char *path)
{
    assert_string_equal(path, GROUP);
    return probed ? probed : open("/dev/null", O_RDWR | O_CLOEXEC);
}

static void
begin(void)
{
    ops = host_kernel;
    ops.list = list;
    ops.probe = probe;
    probed = 0;
    host = (struct host){.root = scene.kernel.host.root, .ops = &ops};
    fake_write(&scene.kernel, DEVICE "/name", "x");
}

static const struct scene_case here = {.scene = &scene, .machine = "", .begin = begin};
#define TEST(function) SCENE_TEST(function, here)

static void
put_link(const char *path, const char *target)
{
    struct path file;

    assert_int_equal(path_format(&file, "%.*s.keep", (int)(strrchr(path, '/') + 1 - path), path),
                     0);
    fake_write(&scene.kernel, file.text, "");
    unlinkat(host.root, file.text, 0);
    unlinkat(host.root, path, 0);
    assert_int_equal(symlinkat(target, host.root, path), 0);
}

static void
has_group(void)
{
    put_link(DEVICE "/iommu_group", "../../kernel/iommu_groups/12");
    fake_write(&scene.kernel, "sys/class/vfio/12/dev", "1:5\n");
}

static void
has_own_node(void)
{
    fake_write(&scene.kernel, DEVICE "/vfio-dev/vfio3/dev", "1:7\n");
}

static int
find_holder(void)
{
    AUTO(open_files_clear) struct open_files files = {0};

    return vfio_holder(&host, &files, &device);
}

/* Process 100 has nothing of interest open. This does not depend on process 200. */
static void
opens(const char *target)
{
    put_link("proc/100/fd/1", OTHERS);
    put_link("proc/200/fd/0", OTHERS);
    put_link("proc/200/fd/1", target);
}

TEST(nodes)
{
    struct path node;

    assert_int_equal(vfio_node(&host, &device, &node), -ENOENT);
    has_group();
    assert_int_equal(vfio_node(&host, &device, &node), 0);
    assert_string_equal(node.text, GROUP);
}

/* One of the two nodes suffices: VFIO has the device, whichever node is opened. A group without
 * VFIO has no node. */
TEST(bound)
{
    assert_false(vfio_has_node(&host, &device));
    put_link(DEVICE "/iommu_group", "../../kernel/iommu_groups/12");
    assert_false(vfio_has_node(&host, &device));
    has_group();
    assert_true(vfio_has_node(&host, &device));
    assert_int_equal(unlinkat(host.root, "sys/class/vfio/12/dev", 0), 0);
    assert_false(vfio_has_node(&host, &device));
    has_own_node();
    assert_true(vfio_has_node(&host, &device));
}

TEST(holders)
{
    opens(ZERO);
    assert_int_equal(find_holder(), 0);
    has_group();
    assert_int_equal(find_holder(), 200);
    opens(FULL);
    assert_int_equal(find_holder(), 0);
    has_own_node();
    assert_int_equal(find_holder(), 200);
    opens(ZERO);
    assert_int_equal(find_holder(), 200);
    opens(OTHERS);
    assert_int_equal(find_holder(), 0);
}

/* A regular file may have a node's name, and a node may have another name. */
TEST(names_prove_nothing)
{
    has_group();
    has_own_node();
    fake_write(&scene.kernel, GROUP, "");
    fake_write(&scene.kernel, OWN, "");
    opens("../../../" GROUP);
    assert_int_equal(find_holder(), 0);
    opens("../../../" OWN);
    assert_int_equal(find_holder(), 0);
}

/* Nothing is known of a process that we may not look at. Users that are found are reported all the
 * same. What has no node needs no look. */
TEST(some_cannot_be_looked_at)
{
    opens(OTHERS);
    fake_write(&scene.kernel, "proc/666/fd/0", "");
    assert_int_equal(find_holder(), 0);
    has_group();
    assert_int_equal(find_holder(), -EACCES);
    opens(ZERO);
    assert_int_equal(find_holder(), 200);
    has_own_node();
    opens(FULL);
    assert_int_equal(find_holder(), 200);
    opens(OTHERS);
    assert_int_equal(find_holder(), -EACCES);
}

static void
check_proof(int opened, int rc, bool has_proof)
{
    int proof = -2;

    probed = opened;
    assert_int_equal(vfio_prove(&host, &device, &proof), rc);
    assert_int_equal(proof >= 0, has_proof);
    if (proof >= 0)
        close(proof);
    else
        assert_int_equal(proof, -1);
}

TEST(proofs)
{
    opens(OTHERS);
    check_proof(0, -EBUSY, false);
    has_group();
    check_proof(0, 0, true);
    check_proof(-EBUSY, -EBUSY, false);
    check_proof(-ENODEV, -ENODEV, false);
    check_proof(-EACCES, -EBUSY, false);
    /* a kernel without groups: only a look at all processes proves it, and the node must exist */
    check_proof(-ENOENT, -EBUSY, false);
    has_own_node();
    check_proof(-ENOENT, 0, false);
    check_proof(0, 0, true);
    opens(FULL);
    check_proof(0, -EBUSY, false);
    check_proof(-ENOENT, -EBUSY, false);
    opens(OTHERS);
    check_proof(0, 0, true);
}

/* A process that we cannot look at may have the device's own node open. The group is free all the
 * same. If the device has no own node, the group suffices as proof. */
TEST(no_proof_without_a_whole_look)
{
    has_group();
    opens(OTHERS);
    fake_write(&scene.kernel, "proc/666/fd/0", "");
    check_proof(0, 0, true);
    has_own_node();
    check_proof(0, -EBUSY, false);
    check_proof(-ENOENT, -EBUSY, false);
}
