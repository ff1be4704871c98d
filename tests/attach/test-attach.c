/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpuctl attach and detach: on files, and on the domains of libvirt's own test driver. The test
 * driver plugs nothing into a running domain, so these tests see the failure undone.
 * tests/vm/scenarios/attach-detach.sh tests that plugging works.
 */

#include "attach/definition.h"
#include "cli/command.h"
#include "fake/typed.h"
#include "xml/domain-edit.h"

#include <dlfcn.h>
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <stdio.h>
#include <string.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"                                     \
    "type nvidia-223 \"GRID T4-2B\" framebuffer 2048 max 8\n"

/* As long as one connection of this process to the test driver is open, all of them see the same
 * domains. */
#define HERE "test:///default"
#define UUID "aaaaaaaa-0000-4000-8000-000000000009"
#define PLAIN                                                                                      \
    "<domain type='test'><name>web09</name><uuid>" UUID "</uuid><memory>65536</memory>"            \
    "<os><type>hvm</type></os></domain>"

#define OTHER                                                                                      \
    "<domain type='test'><name>web09</name><uuid>" UUID "</uuid><title>other</title>"              \
    "<memory>65536</memory><os><type>hvm</type></os></domain>"

/* This domain exists and runs. */
#define RUNS "6695eb01-f6a4-8304-79aa-97f2502e193f"
#define LONG                                                                                       \
    "12345678901234567890123456789012345678901234567890123456789012345678901234567890"             \
    "1234567890123456789012345678901234567890123456"

static struct scene scene;
static struct typed typed;
static struct connection *libvirt;

static void
begin(void)
{
    libvirt = definition_begin(&scene.kernel.host, HERE, PLAIN);
}

static void
end(void)
{
    connection_close(&libvirt);
}

static const struct typed_case here = {
    {.scene = &scene,
     .machine = MACHINE,
     .configuration =
         "classes = { small = { types = [ \"T4-1B\" ]; }; gone = { types = [ \"X\" ]; }; };",
     .begin = begin,
     .end = end},
    &typed};
#define TEST(function) TYPED_TEST(function, here)

UNIT_PROGRAM(scene_go_to_sources, NULL)

static int
run(const char *line)
{
    return typed_run(&scene, HERE, line, &typed);
}

static void
expect(const char *line, int status, const char *words)
{
    typed_expect(&scene, HERE, line, status, words, &typed);
}

static const char *
uuid_of(const char *domain, const char *alias)
{
    static struct name ret;
    struct name uuid;

    assert_int_equal(name_parse_uuid(&uuid, domain), 0);
    domain_edit_uuid(&uuid, alias, &ret);
    return ret.text;
}

/* The hook accepts the written definition at the next start. */
TEST(a_definition)
{
    AUTO_FREE char *plain = definition_read(libvirt, "web09");
    AUTO_FREE char *xml = NULL, *rest = NULL, *none = NULL;

    assert_int_equal(run("vgpuctl attach web09 --type T4-1B"), COMMAND_DONE);
    expect("vgpuctl attach " UUID " --class small --count 2 --config", COMMAND_DONE,
           "web09: added ua-gpu1 (");
    typed_assert_has(typed.printed, "web09: added ua-gpu2 (");
    typed_assert_has(typed.printed, uuid_of(UUID, "ua-gpu2"));
    typed_assert_has(typed.printed, "), for its next start\n");
    assert_string_equal(typed.faults, "");

    xml = definition_read(libvirt, "web09");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(fake_count(&scene.kernel), 3);
    assert_string_equal(fake_type_of(&scene.kernel, uuid_of(UUID, "ua-gpu0")), "nvidia-222");
    assert_string_equal(fake_type_of(&scene.kernel, uuid_of(UUID, "ua-gpu2")), "nvidia-222");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_assert_empty(&scene);

    assert_int_equal(run("vgpuctl detach web09 ua-gpu1"), COMMAND_DONE);
    assert_string_equal(typed.printed, "web09: removed ua-gpu1, for its next start\n");
    rest = definition_read(libvirt, "web09");
    typed_assert_has(rest, "<vgpu:device alias=\"ua-gpu2\" class=\"small\"/>");
    assert_null(strstr(rest, "ua-gpu1"));
    /* The first free alias. */
    expect("vgpuctl attach web09 --class small", COMMAND_DONE, "web09: added ua-gpu1 (");
    assert_int_equal(run("vgpuctl detach web09 --all --print-xml"), COMMAND_USAGE);
    expect("vgpuctl detach web09 --all ua-gpu1", COMMAND_USAGE,
           "--all takes all vGPUs: no ALIAS beside it");
    assert_int_equal(run("vgpuctl detach web09 --all --config"), COMMAND_DONE);
    assert_string_equal(typed.printed, "web09: removed ua-gpu0, for its next start\n"
                                       "web09: removed ua-gpu2, for its next start\n"
                                       "web09: removed ua-gpu1, for its next start\n");
    expect("vgpuctl detach web09 --all --config", COMMAND_FAILED,
           "web09 has no vGPU that its XML asks for");
    none = definition_read(libvirt, "web09");
    assert_string_equal(none, plain);
}

/* All that a <vgpu:device> can say has an option. The hook takes what they write. */
TEST(all_that_a_request_says)
{
#define CHOSEN "eeeeeeee-0000-4000-8000-000000000001"
    AUTO_FREE char *xml = NULL;

    scene_configure(&scene, "params = [ \"frame_rate_limiter\", \"disable_vnc\" ];");
    assert_int_equal(run("vgpuctl attach web09 --type T4-1B --parent 18:00.0 --placement spread "
                         "--numa ignore --traits vendor=10de --param frame_rate_limiter=0 "
                         "--param disable_vnc=1 --uuid " CHOSEN " --alias ua-x"),
                     COMMAND_DONE);
    assert_string_equal(typed.printed, "web09: added ua-x (" CHOSEN "), for its next start\n");
    assert_string_equal(typed.faults, "");
    xml = definition_read(libvirt, "web09");
    typed_assert_has(xml, "<vgpu:device alias=\"ua-x\" type=\"T4-1B\" parent=\"0000:18:00.0\" "
                          "placement=\"spread\" numa=\"ignore\" traits=\"vendor=10de\">");
    typed_assert_has(xml, "<vgpu:param name=\"disable_vnc\" value=\"1\"/>");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_string_equal(fake_type_of(&scene.kernel, CHOSEN), "nvidia-222");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);

    expect("vgpuctl attach web09 --type T4-1B --uuid " CHOSEN, COMMAND_FAILED,
           "web09 has a device with the UUID " CHOSEN " already");
    definition_write(libvirt, "<domain type='test'><name>web08</name><memory>65536</memory>"
                              "<os><type>hvm</type></os></domain>");
    expect("vgpuctl attach web08 --type T4-1B --uuid " CHOSEN, COMMAND_FAILED,
           "web09 has a device with the UUID " CHOSEN " already");
    expect("vgpuctl attach web08 --type T4-1B --traits vendor=8086", COMMAND_FAILED,
           "0000:18:00.0 lacks a trait asked for (vendor=8086)");
    assert_int_equal(run("vgpuctl explain --type T4-1B --traits vendor=8086"), COMMAND_FAILED);
    assert_int_equal(run("vgpuctl explain --type T4-1B --traits vendor=10de"), COMMAND_DONE);
    expect("vgpuctl explain web08 --traits vendor=10de", COMMAND_USAGE,
           "--traits is for --type or --class");
}

/* It says what would be, and why it would not be. */
TEST(a_rehearsal)
{
    AUTO_FREE char *before = definition_read(libvirt, "web09"), *after = NULL;

    expect("vgpuctl attach web09 --type T4-1B --count 2 --dry-run", COMMAND_DONE,
           "web09: would add ua-gpu1 (");
    typed_assert_has(typed.printed, "), for its next start\n");
    typed_facts(&scene, HERE, "vgpuctl attach web09 --class small --dry-run --json", 0,
                "\"alias\": \"ua-gpu0\", \"live\": false, \"config\": true, \"dry-run\": true");
    assert_int_equal(run("vgpuctl attach web09 --type T4-2B --count 9 --dry-run"), COMMAND_FAILED);
    expect("vgpuctl attach test --type T4-2B --dry-run", COMMAND_DONE, "test: would add ua-gpu0 (");
    typed_assert_has(typed.printed, "), as it runs");
    assert_int_equal(fake_count(&scene.kernel), 0);
    /* There is no room now. A definition takes the vGPU, and a guest that runs does not. */
    for (unsigned guest = 1; guest <= 8; guest++)
        assert_int_equal(scene_prepare(&scene, guest, guest, "T4-2B"), 0);
    assert_int_equal(run("vgpuctl attach web09 --type T4-2B --dry-run"), COMMAND_DONE);
    expect("vgpuctl attach test --type T4-2B --dry-run", COMMAND_NO_CAPACITY,
           "vgpuctl: attach: test: ");
    assert_string_equal(typed.printed, "");
    after = definition_read(libvirt, "web09");
    assert_string_equal(after, before);
}

/* What a program reads: what was done, or why not. */
TEST(for_programs)
{
    static const struct {
        const char *line;
        int status;
        const char *facts;
    } rows[] = {
        {"vgpuctl detach web09 ua-gpu7 --json", COMMAND_FAILED,
         "\"vgpus\": [],\n\"word\": \"not-found\",\nit has ua-gpu1 (end)"},
        {"vgpuctl attach web09 --type T4-9X --json", COMMAND_FAILED,
         "\"vgpus\": [],\n\"word\": \"never\","},
        {"vgpuctl attach web09 --class small --start --json", COMMAND_DONE,
         "\"started\": true,\n\"alias\": \"ua-gpu0\", \"live\": true, \"config\": true }"},
        {"vgpuctl attach web10 --type T4-1B --json", COMMAND_FAILED,
         "\"word\": \"no-domain\",\n\"remedy\": \"virsh list --all\","},
        {"vgpuctl attach web09 --renew --json", COMMAND_BUSY, "\"word\": \"in-use\","},
        {"vgpuctl attach web08 --type T4-1B --print-xml --json", COMMAND_USAGE,
         "\"word\": \"bad-usage\",\n\"remedy\": \"vgpuctl attach --help\","},
    };

    typed_golden(&scene, HERE, "attach/count-json",
                 "vgpuctl attach web09 --type T4-1B --count 2 --json");
    typed_golden(&scene, HERE, "detach/json", "vgpuctl detach web09 ua-gpu0 --json");
    for (size_t i = 0; i < COUNT(rows); i++)
        typed_facts(&scene, HERE, rows[i].line, rows[i].status, rows[i].facts);
}

/* The domain already asks for more vGPUs than this host can ever give. Even then a vGPU is refused
 * that would not fit alone. */
TEST(in_a_difficulty)
{
    AUTO_FREE char *before = NULL, *after = NULL;

    definition_write(libvirt, "<domain type='test'><name>web09</name><uuid>" UUID "</uuid>"
                              "<memory>65536</memory><metadata>"
                              "<vgpu:request xmlns:vgpu='urn:libvirt-vgpu:domain:1'>"
                              "<vgpu:device alias='ua-lost' type='T4-9Z'/></vgpu:request>"
                              "</metadata><os><type>hvm</type></os><devices>"
                              "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
                              "<address uuid='dddddddd-0000-4000-8000-000000000001'/></source>"
                              "<alias name='ua-lost'/></hostdev></devices></domain>");
    before = definition_read(libvirt, "web09");
    expect("vgpuctl attach web09 --type T4-2B --count 9", COMMAND_FAILED,
           "vgpuctl: attach: web09: ");
    typed_assert_has(typed.faults, "T4-2B");
    assert_string_equal(typed.printed, "");
    after = definition_read(libvirt, "web09");
    assert_string_equal(after, before);
    assert_int_equal(run("vgpuctl attach web09 --type T4-2B --count 8"), COMMAND_DONE);
    typed_assert_has(typed.faults, "vgpuctl: attach: web09: this host can never give what it asked "
                                   "for before: ua-lost wants T4-9Z, which no GPU");
    typed_assert_has(typed.printed, "added ua-gpu7");
}

/* A file may be for another host. So the result is printed, even if this host could never start the
 * guest. */
TEST(a_file_for_another_host)
{
    static const char line[] =
        "vgpuctl attach tests/data/plain.xml --class other --count 2 --print-xml";
    static const char *const texts[] = {"", "enabled = false;", "nonsense"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        scene_configure(&scene, texts[i]);
        expect(line, COMMAND_DONE, "<vgpu:device alias=\"ua-gpu1\" class=\"other\"/>");
        typed_assert_has(typed.faults, "tests/data/plain.xml: this host could not do it: ");
        assert_null(strstr(typed.faults, "before"));
    }
    scene_configure(&scene, "");
    assert_int_equal(run("vgpuctl attach tests/data/plain.xml --type T4-9Z --count 2 --print-xml"),
                     COMMAND_DONE);
    typed_assert_has(typed.faults, "this host could not do it: ua-gpu0 wants T4-9Z");
    assert_ptr_equal(strchr(typed.faults, '\n'), typed.faults + strlen(typed.faults) - 1);
}

TEST(a_clone)
{
    AUTO_FREE char *text = scene_read("tests/data/clone.xml"), *xml = NULL;

    definition_write(libvirt, text);
    expect("vgpuctl attach clone --renew --dry-run", COMMAND_DONE,
           "clone: ua-gpu1 would have the UUID ");
    expect("vgpuctl attach clone --renew", COMMAND_DONE, "clone: ua-gpu1 has the UUID ");
    xml = definition_read(libvirt, "clone");
    assert_null(strstr(xml, "dddddddd-0000"));
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_string_equal(
        fake_type_of(&scene.kernel, uuid_of("aaaaaaaa-0000-4000-8000-000000000008", "ua-gpu1")),
        "nvidia-222");
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    /* The second attach does nothing, says so, and is no failure. */
    expect("vgpuctl attach clone --renew", COMMAND_DONE, "clone: ua-gpu1 keeps the UUID ");
    assert_null(strstr(typed.printed, " has the "));
    assert_string_equal(typed.faults, "");
    free(text);
    text = definition_read(libvirt, "clone");
    assert_string_equal(text, xml);
    /* No other guest can have such UUIDs, so the command does not look at other guests. */
    assert_int_equal(typed_run(&scene, "test:///no/such/host.xml",
                               "vgpuctl attach tests/data/clone.xml --renew --print-xml", &typed),
                     COMMAND_DONE);
    assert_string_equal(typed.faults, "");
    expect("vgpuctl attach test --renew", COMMAND_BUSY,
           "test runs: its vGPUs can have other UUIDs when it is shut down");
}

TEST(xml_for_others)
{
    static const char *const lines[][2] = {
        {"attach/file-two", "attach tests/data/plain.xml --class small --count 2 --print-xml"},
        {"attach/clone", "attach tests/data/clone.xml --type T4-2B --alias ua-x --print-xml"},
        {"attach/renew-clone", "attach tests/data/clone.xml --renew --print-xml"},
        {"detach/clone", "detach tests/data/clone.xml ua-gpu0 --print-xml"},
    };
    AUTO_FREE char *xml = NULL, *before = definition_read(libvirt, "web09");

    for (size_t i = 0; i < COUNT(lines); i++) {
        char line[256];

        snprintf(line, sizeof(line), "vgpuctl %s", lines[i][1]);
        typed_golden(&scene, HERE, lines[i][0], line);
    }
    typed_facts(&scene, HERE, "vgpuctl attach tests/data/plain.xml --type T4-9X --print-xml", 0,
                "<vgpu:device alias=\"ua-gpu0\" type=\"T4-9X\"/> </vgpu:request>\n"
                "this host could not do it: ua-gpu0 wants T4-9X, which no GPU here has;");
    typed_facts(&scene, HERE,
                "vgpuctl attach tests/data/plain.xml --type T4-1B --display --print-xml", 0,
                "<hostdev mode=\"subsystem\" type=\"mdev\" model=\"vfio-pci\" display=\"on\" "
                "ramfb=\"on\">");
    expect("vgpuctl attach web09 --type T4-1B --print-xml", COMMAND_DONE,
           "<vgpu:device alias=\"ua-gpu0\" type=\"T4-1B\"/>");
    typed_assert_has(typed.printed, "<name>web09</name>");
    xml = definition_read(libvirt, "web09");
    assert_string_equal(xml, before);
    /* For a running guest the change is for its next start, unless an option says otherwise. */
    assert_int_equal(run("vgpuctl attach test --type T4-1B --print-xml"), COMMAND_DONE);
    assert_null(strstr(typed.printed, " id="));
    expect("vgpuctl attach test --type T4-1B --print-xml --live", COMMAND_DONE, " id=");
    expect("vgpuctl detach test ua-gpu0 --print-xml", COMMAND_FAILED,
           "vgpuctl: detach: test has no vGPU \"ua-gpu0\"");
}

/* One vGPU of the guest has a display. The second vGPU has none. A third attach that asks for a
 * display is refused. */
TEST(a_display)
{
    AUTO_FREE char *xml = NULL, *after = NULL;

    definition_write(libvirt, "<domain type='test'><name>web08</name><memory>65536</memory>"
                              "<os><type>hvm</type></os><devices><graphics type='vnc'/></devices>"
                              "</domain>");
    assert_int_equal(run("vgpuctl attach web08 --type T4-1B --display"), COMMAND_DONE);
    assert_int_equal(run("vgpuctl attach web08 --type T4-1B"), COMMAND_DONE);
    xml = definition_read(libvirt, "web08");
    typed_assert_has(xml, " display='on' ramfb='on'>");
    assert_null(strstr(strstr(xml, "ramfb='on'") + 1, "ramfb='on'"));
    expect("vgpuctl attach web08 --type T4-1B --display", COMMAND_FAILED,
           "web08 has a vGPU with a display already, ua-gpu0, and QEMU takes one");
    after = definition_read(libvirt, "web08");
    assert_string_equal(after, xml);
}

/* Nobody has to look up the name of the only one. */
TEST(the_only_one)
{
    AUTO_FREE char *plain = definition_read(libvirt, "web09");
    AUTO_FREE char *both = NULL, *same = NULL, *one = NULL, *none = NULL;

    assert_int_equal(run("vgpuctl attach web09 --class small --count 2"), COMMAND_DONE);
    both = definition_read(libvirt, "web09");
    expect("vgpuctl detach web09", COMMAND_USAGE,
           "web09 has several vGPUs: say which one goes, or --all; it has ua-gpu0, ua-gpu1\n");
    same = definition_read(libvirt, "web09");
    assert_string_equal(same, both);
    assert_int_equal(run("vgpuctl detach web09 --all --dry-run"), COMMAND_DONE);
    assert_string_equal(typed.printed, "web09: would remove ua-gpu0, for its next start\n"
                                       "web09: would remove ua-gpu1, for its next start\n");
    expect("vgpuctl detach web09 ua-gpu7 --dry-run", COMMAND_FAILED, "has no vGPU \"ua-gpu7\"");
    expect("vgpuctl detach web09 ua-gpu1 --dry-run --print-xml", COMMAND_USAGE,
           "it takes no --dry-run");
    free(same);
    same = definition_read(libvirt, "web09");
    assert_string_equal(same, both);
    assert_int_equal(run("vgpuctl detach web09 ua-gpu0"), COMMAND_DONE);
    assert_int_equal(run("vgpuctl detach web09 --print-xml"), COMMAND_DONE);
    assert_null(strstr(typed.printed, "ua-gpu1"));
    one = definition_read(libvirt, "web09");
    typed_feed(one);
    assert_int_equal(run("vgpuctl detach - --print-xml"), COMMAND_DONE);
    assert_null(strstr(typed.printed, "ua-gpu1"));
    assert_int_equal(run("vgpuctl detach web09"), COMMAND_DONE);
    assert_string_equal(typed.printed, "web09: removed ua-gpu1, for its next start\n");
    none = definition_read(libvirt, "web09");
    assert_string_equal(none, plain);
}

/* Runs a line, which must leave the definition as it is. */
static void
leaves_alone(const char *line, int status, const char *words)
{
    AUTO_FREE char *before = definition_read(libvirt, "web09"), *after = NULL;

    if (run(line) != status)
        fail_msg("%s: %d: %s", line, typed.status, typed.faults);
    typed_assert_has(status == COMMAND_DONE ? typed.printed : typed.faults, words);
    after = definition_read(libvirt, "web09");
    assert_string_equal(after, before);
}

/* The second call changes nothing. What is missing comes, and what is too much goes. */
TEST(exactly_these)
{
    AUTO_FREE char *plain = definition_read(libvirt, "web09"), *none = NULL;

    assert_int_equal(run("vgpuctl attach web09 --type T4-1B --count 2 --exactly"), COMMAND_DONE);
    typed_assert_has(typed.printed, "web09: added ua-gpu0 (");
    typed_assert_has(typed.printed, "web09: added ua-gpu1 (");
    assert_null(strstr(typed.printed, "already"));
    leaves_alone("vgpuctl attach web09 --type T4-1B --count 2 --exactly", COMMAND_DONE,
                 "web09: has exactly these vGPUs already, for its next start\n");
    leaves_alone("vgpuctl attach web09 --type T4-1B --exactly --dry-run", COMMAND_DONE,
                 "web09: would remove ua-gpu1, for its next start\n");
    assert_null(strstr(typed.printed, "would add"));
    leaves_alone("vgpuctl attach web09 --type T4-1B --count 3 --exactly --dry-run", COMMAND_DONE,
                 "web09: would add ua-gpu2 (");
    assert_null(strstr(typed.printed, "would remove"));
    leaves_alone("vgpuctl attach web09 --type T4-1X --exactly", COMMAND_FAILED, "wants T4-1X");
    leaves_alone("vgpuctl attach web09 --type T4-1B --exactly --uuid " CHOSEN, COMMAND_USAGE,
                 "--exactly takes no");
    leaves_alone("vgpuctl attach web09 --type T4-1B --exactly --live --config", COMMAND_USAGE,
                 "--exactly is for one definition");
    /* Each word of the request counts. */
    leaves_alone("vgpuctl attach web09 --type T4-1B --numa ignore --exactly --dry-run",
                 COMMAND_DONE, "would remove ua-gpu0");
    leaves_alone("vgpuctl attach web09 --type T4-1B --param frame_rate_limiter=0 --exactly "
                 "--dry-run",
                 COMMAND_DONE, "would remove ua-gpu0");
    assert_int_equal(run("vgpuctl attach web09 --class small --exactly"), COMMAND_DONE);
    typed_assert_has(typed.printed, "web09: added ua-gpu2 (");
    typed_assert_has(typed.printed, "web09: removed ua-gpu0, for its next start\n"
                                    "web09: removed ua-gpu1, for its next start\n");
    leaves_alone("vgpuctl attach web09 --class small --exactly", COMMAND_DONE, "already");
    assert_int_equal(run("vgpuctl detach web09"), COMMAND_DONE);
    none = definition_read(libvirt, "web09");
    assert_string_equal(none, plain);
}

/* A definition keeps its passwords, but the command prints none of them. */
TEST(passwords)
{
    AUTO_FREE char *xml = NULL, *rest = NULL;

    definition_write(libvirt, "<domain type='test'><name>web08</name><memory>65536</memory>"
                              "<os><type>hvm</type></os><devices><graphics type='vnc' port='5901' "
                              "passwd='opensesame'/></devices></domain>");
    expect("vgpuctl attach web08 --type T4-1B --print-xml", COMMAND_DONE, "<graphics type=");
    assert_null(strstr(typed.printed, "opensesame"));
    assert_int_equal(run("vgpuctl attach web08 --type T4-1B"), COMMAND_DONE);
    xml = definition_read(libvirt, "web08");
    typed_assert_has(xml, "opensesame");
    expect("vgpuctl detach web08 ua-gpu0 --print-xml", COMMAND_DONE, "<graphics type=");
    assert_null(strstr(typed.printed, "opensesame"));
    assert_int_equal(run("vgpuctl detach web08 ua-gpu0"), COMMAND_DONE);
    rest = definition_read(libvirt, "web08");
    typed_assert_has(rest, "opensesame");
}

TEST(rejections)
{
    static const struct {
        const char *line;
        enum command_status status;
        const char *words;
    } rows[] = {
        {"attach web09", COMMAND_USAGE, "either --type or --class, please"},
        {"attach web09 --type a --class b", COMMAND_USAGE, "either --type or --class, please"},
        {"attach web09 --type a --count 0", COMMAND_USAGE, "--count 0: not a number from 1 to 64"},
        {"attach web09 --type a --count 2 --alias ua-a", COMMAND_USAGE, "it takes no --count"},
        {"attach web09 --type a --count 2 --uuid " UUID, COMMAND_USAGE, "it takes no --count"},
        {"attach web09 --type a --uuid 1", COMMAND_USAGE, "--uuid 1: that is no UUID; uuidgen"},
        {"attach web09 --type a --placement wide", COMMAND_USAGE,
         "--placement wide is none of pack, spread"},
        {"attach web09 --type a --numa no", COMMAND_USAGE,
         "--numa no is none of prefer, require, ignore"},
        {"attach web09 --type a --param a", COMMAND_USAGE, "--param a: write NAME=VALUE"},
        {"attach web09 --type a --param =1", COMMAND_USAGE, "--param =1: write NAME=VALUE"},
        {"attach web09 --type a --parent 19:00.0", COMMAND_FAILED, "there is no GPU \"19:00.0\""},
        {"attach web09 --type T4-1B --parent 0000:19:00.0", COMMAND_FAILED,
         "asks for the parent 0000:19"},
        {"attach web09 --parent 18:00.0", COMMAND_USAGE, "--parent is for --type or --class"},
        {"attach web09 --renew --type a", COMMAND_USAGE, "--renew is for the vGPUs that a domain"},
        {"attach web09 --renew --display", COMMAND_USAGE, "--renew is for the vGPUs that"},
        {"attach web09 --exactly --renew", COMMAND_USAGE, "--exactly takes no --start, --renew"},
        {"attach web09 --type a --exactly --alias ua-a", COMMAND_USAGE,
         "--exactly takes no --start"},
        {"attach web09 --type a --dry-run --start", COMMAND_USAGE,
         "no --print-xml and no --dry-run"},
        {"attach web09 --type a --dry-run --print-xml", COMMAND_USAGE, "it takes no --dry-run"},
        {"attach web09 --type a --display --count 2", COMMAND_USAGE, "--display takes no --count"},
        {"attach test --type T4-1B --display", COMMAND_USAGE, "runs: say --config"},
        {"attach ./none.xml --type a", COMMAND_USAGE, "a file is not written: say --print-xml"},
        {"attach ./none.xml --type a --print-xml", COMMAND_FAILED, "./none.xml: No such file"},
        {"attach ./none.xml --type a --live", COMMAND_USAGE, "takes no --config and no --live"},
        {"attach --root / web09 --type a", COMMAND_USAGE, "with --root there is no libvirt"},
        {"attach web08 --type T4-1B", COMMAND_FAILED,
         "there is no domain \"web08\" (did you mean web09?)"},
        {"attach web09 --type T4-1X", COMMAND_FAILED,
         "web09: ua-gpu0 wants T4-1X, which no GPU here has (did you mean T4-1B?); there are: "},
        {"attach web09 --class smal", COMMAND_FAILED,
         "asks for the class \"smal\", and vgpu.conf has none of that name (did you mean small?)"},
        {"attach web09 --class gone", COMMAND_FAILED, "ua-gpu0 wants gone, which no GPU here has"},
        {"attach web09 --type T4-1B --alias gpu0", COMMAND_FAILED, "none that libvirt takes"},
        {"attach web09 --type T4-1B --alias ua-" LONG, COMMAND_FAILED, "none that libvirt takes"},
        {"attach web09 --type T4-1B --live", COMMAND_FAILED,
         "web09 does not run: leave --live out"},
        {"attach web09 --type T4-1B --print-xml --class x", COMMAND_USAGE, "either --type"},
        {"attach web09 --type T4-1B --start --live", COMMAND_USAGE, "it takes no --live, no "},
        {"attach web09 --type T4-1B --start --print-xml", COMMAND_USAGE, "it takes no --live, no"},
        {"attach ./none.xml --type T4-1B --start", COMMAND_USAGE, "a file is not started"},
        {"attach web09 --type T4-1X --start", COMMAND_FAILED, "ua-gpu0 wants T4-1X, which no GPU"},
        {"attach test --type T4-1B --start", COMMAND_BUSY, "test runs already: leave --start out"},
        {"attach test --renew --start", COMMAND_BUSY, "test runs already: leave --start out"},
        {"detach web09 ua-gpu0", COMMAND_FAILED, "web09 has no vGPU \"ua-gpu0\""},
        {"detach web09", COMMAND_FAILED, "web09 has no vGPU that its XML asks for\n"},
        {"detach", COMMAND_USAGE, "usage: vgpuctl detach DOMAIN|FILE [ALIAS]"},
        {"detach tests/data/clone.xml ua-gpu0", COMMAND_USAGE, "a file is not written"},
    };
    AUTO_FREE char *before = definition_read(libvirt, "web09");

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *after = NULL;
        char line[256];

        snprintf(line, sizeof(line), "vgpuctl %s", rows[i].line);
        if (run(line) != (int)rows[i].status)
            fail_msg("%s: %d, %s", line, typed.status, typed.faults);
        typed_assert_has(typed.faults, rows[i].words);
        assert_ptr_equal(strchr(typed.faults, '\n'), typed.faults + strlen(typed.faults) - 1);
        assert_string_equal(typed.printed, "");
        after = definition_read(libvirt, "web09");
        assert_string_equal(after, before);
    }
    scene_configure(&scene, "enabled = false;");
    expect("vgpuctl attach web09 --type T4-1B", COMMAND_FAILED, "vgpu.conf says enabled = false");
}

static bool
is_running(const char *name)
{
    struct connection_domain domain;
    struct error error;

    assert_int_equal(connection_find(libvirt, name, &domain, &error), 0);
    return domain.is_running;
}

/* If the XML has no request for a <hostdev>, the <hostdev> is not ours to change. The command says
 * so. */
TEST(nothing_to_renew)
{
    AUTO_FREE char *before = NULL, *after = NULL;

    definition_write(libvirt, "<domain type='test'><name>web09</name><uuid>" UUID "</uuid>"
                              "<memory>65536</memory><os><type>hvm</type></os><devices>"
                              "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
                              "<address uuid='dddddddd-0000-4000-8000-000000000001'/></source>"
                              "<alias name='ua-gpu0'/></hostdev></devices></domain>");
    before = definition_read(libvirt, "web09");
    expect("vgpuctl attach web09 --renew", COMMAND_FAILED,
           "web09 has no <hostdev> that its XML asks a vGPU for");
    after = definition_read(libvirt, "web09");
    assert_string_equal(after, before);
}

TEST(and_a_start)
{
    AUTO_FREE char *xml = NULL;

    expect("vgpuctl attach web09 --type T4-1B --start", COMMAND_DONE,
           "), for its next start\nweb09: started\n");
    assert_string_equal(typed.faults, "");
    assert_true(is_running("web09"));
    xml = definition_read(libvirt, "web09");
    typed_assert_has(xml, "<vgpu:device alias=\"ua-gpu0\" type=\"T4-1B\"/>");
}

/* libvirt's test driver starts every domain. So the test puts this function in place of libvirt's.
 * It may refuse before it calls libvirt's function. Or somebody else has just started the domain,
 * before or after our change of its definition. */
static enum {
    CALLED,
    REFUSED_START,
    REFUSED_AND_CHANGED,
    STARTED_WITHOUT_IT,
    STARTED_WITH_IT
} start_is;

static void
start_for_others(virDomainPtr domain, int (*own)(virDomainPtr))
{
    AUTO_FREE char *text = definition_read(libvirt, "web09");

    if (start_is == STARTED_WITHOUT_IT)
        definition_write(libvirt, PLAIN);
    assert_int_equal(own(domain), 0);
    definition_write(libvirt, text);
}

int
virDomainCreate(virDomainPtr domain)
{
    int (*own)(virDomainPtr) = (int (*)(virDomainPtr))dlsym(RTLD_NEXT, "virDomainCreate");

    assert_non_null(own);
    if (start_is == STARTED_WITHOUT_IT || start_is == STARTED_WITH_IT)
        start_for_others(domain, own);
    else if (start_is == REFUSED_START || start_is == REFUSED_AND_CHANGED)
        own = virDomainSuspend; /* refused if the domain does not run, and libvirt says why */
    if (start_is == REFUSED_AND_CHANGED)
        definition_write(libvirt, OTHER);
    return own(domain);
}

/* libvirt's words for a start that a hook refuses, with the hook's own line at the end. */
static const char *said;

const char *
virGetLastErrorMessage(void)
{
    const char *(*own)(void) = (const char *(*)(void))dlsym(RTLD_NEXT, "virGetLastErrorMessage");

    assert_non_null(own);
    return said ? said : own();
}

/* The domain has a saved state. libvirt would restore this state without the new device. */
TEST(and_no_start_of_what_is_saved)
{
    virConnectPtr connection = virConnectOpen(HERE);
    virDomainPtr domain = virDomainLookupByName(connection, "test");
    AUTO_FREE char *before = NULL, *after = NULL;

    assert_non_null(domain);
    assert_int_equal(virDomainManagedSave(domain, 0), 0);
    before = definition_read(libvirt, "test");
    expect("vgpuctl attach test --type T4-1B --start", COMMAND_BUSY,
           "test has a saved state, which libvirt would restore without");
    after = definition_read(libvirt, "test");
    assert_string_equal(after, before);
    virDomainFree(domain);
    virConnectClose(connection);
}

TEST(and_a_start_that_fails)
{
    AUTO_FREE char *before = definition_read(libvirt, "web09");
    AUTO_FREE char *after = NULL, *changed = NULL;

    start_is = REFUSED_START;
    expect("vgpuctl attach web09 --type T4-1B --count 2 --start", COMMAND_FAILED,
           "vgpuctl: attach: web09 does not start: ");
    assert_null(strstr(typed.faults, "no error"));
    typed_assert_has(typed.faults, "; its definition is again as it was\n");
    /* The hook's advice would not help, because the definition has no vGPU any more. */
    said = "internal error: Child process (/etc/libvirt/hooks/qemu web09 prepare begin -) "
           "unexpected exit status 1: vgpu: web09: no GPU can take ua-gpu0 (small): mtty is full; "
           "see 'vgpuctl explain web09'\n";
    expect("vgpuctl attach web09 --class small --count 2 --start", COMMAND_FAILED,
           "mtty is full; see 'vgpuctl explain web09 --class small --count 2'; its definition is "
           "again as it was\n");
    /* explain takes no --alias. */
    expect("vgpuctl attach web09 --class small --alias ua-x --start", COMMAND_FAILED,
           "mtty is full; see 'vgpuctl attach web09 --class small --alias ua-x --print-xml "
           "| vgpuctl explain -'; its definition");
    said = NULL;
    assert_int_equal(run("vgpuctl attach web09 --class small --count 2 --print-xml"), COMMAND_DONE);
    after = definition_read(libvirt, "web09");
    assert_string_equal(after, before);
    start_is = REFUSED_AND_CHANGED;
    expect("vgpuctl attach web09 --type T4-1B --start", COMMAND_FAILED,
           "; its definition is left as it is: somebody else has changed it "
           "meanwhile\n");
    changed = definition_read(libvirt, "web09");
    typed_assert_has(changed, "<title>other</title>");
    start_is = CALLED;
    assert_int_equal(run("vgpuctl attach web09 --type T4-1B --start"), COMMAND_DONE);
}

/* Somebody else starts the domain meanwhile. Its definition keeps the vGPU, and the document says
 * whether the guest runs with it. */
static void
expect_start_of_others(const char *live)
{
    AUTO_FREE char *facts = NULL, *xml = NULL;

    assert_true(asprintf(&facts,
                         "\"alias\": \"ua-gpu0\", \"live\": %s, \"config\": true }\n"
                         "\"word\": \"in-use\",\n"
                         "somebody else has started web09 meanwhile; its definition is left "
                         "as it is; see 'vgpuctl guests web09' (end)",
                         live) > 0);
    typed_facts(&scene, HERE, "vgpuctl attach web09 --type T4-1B --start --json", COMMAND_BUSY,
                facts);
    start_is = CALLED;
    xml = definition_read(libvirt, "web09");
    typed_assert_has(xml, "<vgpu:device alias=\"ua-gpu0\" type=\"T4-1B\"/>");
}

TEST(and_a_start_of_others_before_the_change)
{
    start_is = STARTED_WITHOUT_IT;
    expect_start_of_others("false");
}

TEST(and_a_start_of_others_after_the_change)
{
    start_is = STARTED_WITH_IT;
    expect_start_of_others("true");
}

/* libvirt refuses. The device is removed again, and the definition is as before. */
TEST(a_running_domain)
{
    AUTO_FREE char *before = definition_read(libvirt, "test");
    AUTO_FREE char *after = NULL;

    if (run("vgpuctl attach test --type T4-1B --config --live") == COMMAND_DONE)
        skip(); /* a libvirt whose test driver can plug */
    assert_int_equal(typed.status, COMMAND_FAILED);
    typed_assert_has(typed.faults, "vgpuctl: attach: test: ua-gpu0: libvirt does not plug it in: ");
    scene_assert_empty(&scene);
    after = definition_read(libvirt, "test");
    assert_string_equal(after, before);
    assert_int_equal(scene.kernel.faults->writes, 2);
    scene_configure(&scene, "quotas = ({ domains = [\"*\"]; class = \"small\"; max = 0; });"
                            "classes = { small = { types = [ \"T4-1B\" ]; }; };");
    expect("vgpuctl attach test --type T4-1B", COMMAND_FAILED,
           "the quota of 0 for class small is used up");
}

/* The guest released the device after detach had given up. The annotation and the device are still
 * there. */
TEST(what_a_detach_left)
{
    static const char xml[] =
        "<domain><name>test</name><uuid>" RUNS "</uuid><metadata>"
        "<v:request xmlns:v='" REQUEST_NAMESPACE "'><v:device alias='ua-gpu0' type='T4-1B'/>"
        "</v:request></metadata><devices><hostdev mode='subsystem' type='mdev' model='vfio-pci'>"
        "<source><address uuid='dddddddd-0000-4000-8000-000000000001'/></source>"
        "<alias name='ua-gpu0'/></hostdev></devices></domain>";
    AUTO(document_clear) struct document live = {0};
    struct error error = {0};
    struct name uuid;

    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(name_parse_uuid(&uuid, RUNS), 0);
    assert_int_equal(
        connection_set_annotation(
            libvirt, &uuid, "<request><device alias='ua-gpu0' type='T4-1B'/></request>", &error),
        0);
    expect("vgpuctl attach test --type T4-1B", COMMAND_FAILED,
           "what test asks for already has a fault");
    assert_int_equal(run("vgpuctl detach test ua-gpu0"), COMMAND_DONE);
    assert_string_equal(typed.printed, "test: removed ua-gpu0, as it runs\n");
    scene_assert_empty(&scene);
    assert_int_equal(connection_xml(libvirt, &uuid, CONNECTION_LIVE, false, &live, &error), 0);
    assert_null(memmem(live.text, live.length, "vgpu", 4));
}
