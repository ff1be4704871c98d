/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl move, as far as two QEMUs are not needed: which hosts it asks, when it refuses, and its
 * message when a migration fails. libvirt's test driver stands for the hosts, and migrates
 * nothing. tests/vm/scenarios tests the rest. */

#include "attach/definition.h"
#include "cli/command.h"
#include "fake/typed.h"
#include "libvirt/warm-up.h"
#include "migrate/move.h"

#include <string.h>

#define HERE  "test:///proc/self/cwd/tests/data/t4-host.xml"
#define A40   "test:///proc/self/cwd/tests/data/a40-host.xml"
#define GONE  "test:///no/such/host.xml"
#define WEB01 "aaaaaaaa-0000-4000-8000-000000000001"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = ""}, &typed};
#define TEST(name) TYPED_TEST(name, here)

UNIT_PROGRAM(warm_up_connection, NULL)

TEST(shown)
{
    static const struct {
        const char *name, *line;
    } rows[] = {
        {"move/nowhere", "vgpuctl move web01"},
        {"move/two-places", "vgpuctl move web01 " A40 " --best -c " A40},
        {"move/best-of-none", "vgpuctl move web01 --best"},
        {"move/not-best", "vgpuctl move web01 " A40 " -c " A40},
        {"move/timeout", "vgpuctl move web01 " A40 " --timeout soon"},
        {"move/unknown-domain", "vgpuctl move web02 " A40},
        {"move/unknown-domain-json", "vgpuctl move web02 --json " A40},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        typed_golden(&scene, HERE, rows[i].name, rows[i].line);
}

/* There are no golden files here, because the first reason has the version of libvirt. */
TEST(refused)
{
    static const struct {
        const char *line;
        int status;
        const char *words;
    } rows[] = {
        {"vgpuctl move web01 " A40, COMMAND_NO_CAPACITY,
         "a40-host.xml would not take web01: TEST here"},
        {"vgpuctl move web01 " HERE, COMMAND_NO_CAPACITY,
         "would not take web01: " HERE " is this host"},
        {"vgpuctl move web01 --best -c " A40 " -c " HERE, COMMAND_NO_CAPACITY,
         "no host is sure to take web01: 2 would not, 0 may, 0 gave no answer"},
        {"vgpuctl move web01 --best -c " A40 " -c " GONE, COMMAND_FAILED,
         "no host is sure to take web01: 1 would not, 0 may, 1 gave no answer"},
        {"vgpuctl move web01 " GONE, COMMAND_FAILED, "cannot connect to " GONE ": "},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(typed_run(&scene, HERE, rows[i].line, &typed), rows[i].status);
        assert_string_equal(typed.printed, "");
        typed_assert_has(typed.faults, rows[i].words);
    }
}

/* The message has libvirt's own message, and says where the domain is now. */
TEST(failed)
{
    static const struct terminal none;
    static const struct {
        const char *from, *to, *domain, *words;
    } rows[] = {
        {HERE, A40, WEB01, "web01 is not moved: libvirt does not migrate it: "},
        {HERE, GONE, WEB01, "web01 is not moved: cannot connect to " GONE ": "},
        {HERE, A40, "aaaaaaaa-0000-4000-8000-0000000000ff",
         "web01 is not moved: there is no domain \"aaaaaaaa-0000-4000-8000-0000000000ff\""},
        {GONE, A40, WEB01, "web01 is not moved: cannot connect to " GONE ": "},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct name domain;
        struct error error;
        const struct command_call call = {
            .host = &scene.kernel.host, .uri = rows[i].from, .terminal = &none, .out = stdout};
        const struct move move = {
            .call = &call, .to = rows[i].to, .domain = &domain, .name = "web01"};

        assert_int_equal(name_parse_uuid(&domain, rows[i].domain), 0);
        assert_int_equal(move_run(&move, &error), -EIO);
        typed_assert_has(error.text, rows[i].words);
        typed_assert_has(error.text, i < 2 ? "; it still runs here"
                                           : "; and whether it is still here is not known: see "
                                             "'virsh list --all'");
    }
}

#define MDEV(alias, uuid)                                                                          \
    "<hostdev mode='subsystem' type='mdev' managed='no' model='vfio-pci' display='off'><source>"   \
    "<address uuid='" uuid "'/></source><alias name='" alias "'/></hostdev>"
#define FUNCTION(function)                                                                         \
    "<hostdev mode='subsystem' type='pci' managed='no'><source><address domain='0x0000' "          \
    "bus='0x3d' slot='0x00' function='" function "'/></source><alias name='ua-b'/></hostdev>"
#define HERS(devices)                                                                              \
    "<domain type='test'><name>web08</name><uuid>" WEB08 "</uuid><metadata>"                       \
    "<vgpu:request xmlns:vgpu='urn:libvirt-vgpu:domain:1'><vgpu:device alias='ua-a' type='x'/>"    \
    "<vgpu:device alias='ua-b' type='y'/></vgpu:request></metadata><memory>65536</memory><os>"     \
    "<type>hvm</type></os><devices>" devices "</devices></domain>"
#define WEB08 "aaaaaaaa-0000-4000-8000-000000000008"
#define HAD   "dddddddd-0000-4000-8000-000000000001"
#define HAS   "dddddddd-0000-4000-8000-000000000002"

/* The guest's next start uses the vGPU with which it runs here. */
TEST(the_definition_follows)
{
    static const struct name web08 = {WEB08};
    AUTO(connection_close) struct connection *there = NULL;
    AUTO_FREE char *after = NULL, *again = NULL;
    struct error error;

    assert_int_equal(
        connection_open(&scene.kernel.host, "test:///default", CONNECTION_WRITE, &there, &error),
        0);
    definition_write(there, HERS(MDEV("ua-a", HAS) FUNCTION("0x5")));
    assert_int_equal(move_update_definition(there, &web08, &error), 0);
    assert_int_equal(connection_start(there, &web08, &error), 0);
    definition_write(there, HERS(MDEV("ua-a", HAD) FUNCTION("0x4")
                                     MDEV("ua-new", "dddddddd-0000-4000-8000-000000000003")));
    assert_int_equal(move_update_definition(there, &web08, &error), 1);
    after = definition_read(there, "web08");
    typed_assert_has(after, "<address uuid='" HAS "'/>");
    typed_assert_has(after, "function='0x5'/>");
    assert_null(strstr(after, "function='0x4'"));
    assert_null(strstr(after, HAD));
    /* If the guest does not run with a vGPU, that vGPU stays in the definition. */
    typed_assert_has(after, "000000000003'/>");
    assert_int_equal(move_update_definition(there, &web08, &error), 0);
    again = definition_read(there, "web08");
    assert_string_equal(again, after);
}
