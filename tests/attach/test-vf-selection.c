/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpuctl attach and detach if vGPUs are virtual functions: which function attach chooses, and that
 * a start then gets this function. The domains are those of libvirt's own test driver.
 */

#include "attach/definition.h"
#include "cli/command.h"
#include "fake/typed.h"

#include <libvirt/libvirt.h>
#include <stdio.h>
#include <string.h>

#define HERE "test:///default"

/* Two cards with three functions each. The driver makes at most two vGPUs on a card. */
#define CARD(address)                                                                              \
    "gpu " address " vf vfs 3 rule size\n"                                                         \
    "type nvidia-1145 \"NVIDIA L40S-1B\" framebuffer 1024 max 2\n"                                 \
    "type nvidia-1146 \"NVIDIA L40S-2B\" framebuffer 2048 max 2\n"
#define CARDS CARD("0000:3d:00.0") CARD("0000:e7:00.0")
#define T4                                                                                         \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 1\n"

/* This domain exists and runs. */
#define RUNS "6695eb01-f6a4-8304-79aa-97f2502e193f"

static struct scene scene;
static struct typed typed;
static struct connection *libvirt;

static void
start(const char *machine)
{
    struct error error;

    scene_start(&scene, machine);
    assert_int_equal(connection_open(&scene.kernel.host, HERE, CONNECTION_WRITE, &libvirt, &error),
                     0);
}

static void
end(void)
{
    connection_close(&libvirt);
}

static const struct typed_case here = {{.scene = &scene, .end = end}, &typed};
#define TEST(function) TYPED_TEST(function, here)

UNIT_PROGRAM(scene_go_to_sources, NULL)

/* A hostdev of alias ua-gpu0, by its PCI address. */
static const char *
hostdev(const char *address)
{
    static char text[512];
    unsigned domain, bus, slot, function;

    assert_int_equal(sscanf(address, "%x:%x:%x.%x", &domain, &bus, &slot, &function), 4);
    snprintf(text, sizeof(text),
             "<hostdev mode='subsystem' type='pci' managed='no'><source>"
             "<address domain='0x%x' bus='0x%x' slot='0x%x' function='0x%x'/></source>"
             "<alias name='ua-gpu0'/></hostdev>",
             domain, bus, slot, function);
    return text;
}

#define REQUEST(what)                                                                              \
    "<metadata><vgpu:request xmlns:vgpu='urn:libvirt-vgpu:domain:1'>"                              \
    "<vgpu:device alias='ua-gpu0' " what "/></vgpu:request></metadata>"

/* A domain, web01 and so on, with more content. The caller frees it. */
static char *
domain(unsigned number, const char *metadata, const char *devices)
{
    char *xml;

    assert_true(asprintf(&xml,
                         "<domain type='test'><name>web%02u</name>"
                         "<uuid>aaaaaaaa-0000-4000-8000-%012u</uuid>%s<memory>65536</memory>"
                         "<os><type>hvm</type></os><devices>%s</devices></domain>",
                         number, number, metadata, devices) > 0);
    return xml;
}

static void
define(unsigned number, const char *metadata, const char *devices)
{
    AUTO_FREE char *xml = domain(number, metadata, devices);

    definition_write(libvirt, xml);
}

static void
run(const char *line, enum command_status status, const char *words)
{
    if (typed_run(&scene, HERE, line, &typed) != (int)status)
        fail_msg("%s: %d, %s%s", line, typed.status, typed.printed, typed.faults);
    typed_assert_has(status == COMMAND_DONE ? typed.printed : typed.faults, words);
}

static void
hook(const char *name, const char *operation, const char *sub, int status)
{
    AUTO_FREE char *xml = definition_read(libvirt, name);

    if (scene_hook(&scene, xml, operation, sub) != status)
        fail_msg("%s: %s", name, scene.said);
}

/* --- attach ----------------------------------------------------------------------------------- */

TEST(a_function)
{
    AUTO_FREE char *plain = NULL, *xml = NULL, *none = NULL;

    start(CARDS);
    define(1, "", "");
    plain = definition_read(libvirt, "web01");
    run("vgpuctl attach web01 --type L40S-1B", COMMAND_DONE,
        "web01: added ua-gpu0 (0000:3d:00.4), for its next start\n");
    assert_string_equal(typed.faults, "");
    xml = definition_read(libvirt, "web01");
    typed_assert_has(xml, "<vgpu:device alias=\"ua-gpu0\" type=\"L40S-1B\"/>");
    typed_assert_has(xml, "<hostdev mode='subsystem' type='pci' managed='no'>\n      <source>\n"
                          "        <address domain='0x0000' bus='0x3d' slot='0x00' "
                          "function='0x4'/>\n      </source>\n      <alias name='ua-gpu0'/>");
    assert_null(strstr(xml, "mdev"));
    hook("web01", "prepare", "begin", 0);
    scene_assert_type(&scene, "0000:3d:00.4", "nvidia-1145");
    hook("web01", "release", "end", 0);
    scene_assert_empty(&scene);
    run("vgpuctl detach web01 0000:3D:00.4", COMMAND_DONE, "web01: removed 0000:3D:00.4, for ");
    none = definition_read(libvirt, "web01");
    assert_string_equal(none, plain);
}

/* The address as lspci prints it, unless it could mean two devices of the domain. */
/* The host need not bind the function to VFIO, because no driver of the host has made its vGPU. */
TEST(one_that_libvirt_may_bind)
{
    AUTO_FREE char *xml = NULL;

    start("gpu 0000:03:00.0 xe vfs 2 memory 16384\n");
    scene_configure(&scene, "profiles = { b60-4g = { vram = \"4G\"; }; };");
    define(1, "", "");
    run("vgpuctl attach web01 --type b60-4g", COMMAND_DONE, "web01: added ua-gpu0 (0000:03:00.4)");
    xml = definition_read(libvirt, "web01");
    typed_assert_has(xml, "<hostdev mode='subsystem' type='pci' managed='yes'>\n");
    hook("web01", "prepare", "begin", 0);
    hook("web01", "release", "end", 0);
}

TEST(a_short_address)
{
    start(CARD("0000:3d:00.0") CARD("0001:3d:00.0"));
    define(1, REQUEST("type='L40S-1B'"), hostdev("0000:3d:00.4"));
    run("vgpuctl attach web01 --type L40S-2B", COMMAND_DONE, "(0001:3d:00.4)");
    run("vgpuctl detach web01 3d:00.4", COMMAND_FAILED,
        "type all of the address, as \"3d:00.4\" may be any of: 0000:3d:00.4; 0001:3d:00.4");
    run("vgpuctl detach web01 3d:00.5", COMMAND_FAILED, "web01 has no vGPU \"3d:00.5\"");
    run("vgpuctl detach web01 0001:3d:00.4", COMMAND_DONE, "web01: removed 0001:3d:00.4, for ");
    run("vgpuctl detach web01 3d:00.4", COMMAND_DONE, "web01: removed 3d:00.4, for ");
}

/* The third vGPU does not fit on the first card, although the card has one more function. */
TEST(all_together)
{
    start(CARDS);
    scene_configure(&scene, "max_instances = ( { types = [ \"L40S-1B\" ]; max = 2; } );");
    define(1, "", "");
    run("vgpuctl attach web01 --type L40S-1B --count 3", COMMAND_DONE, "(0000:3d:00.5)");
    typed_assert_has(typed.printed, "web01: added ua-gpu2 (0000:e7:00.4), for its next start\n");
    hook("web01", "prepare", "begin", 0);
    assert_int_equal(fake_count(&scene.kernel), 3);
    hook("web01", "release", "end", 0);
    run("vgpuctl detach web01 ua-gpu0", COMMAND_DONE, "");
    run("vgpuctl detach web01 ua-gpu1", COMMAND_DONE, "");
    /* A vGPU of another size does not go to the first card's remaining function. */
    run("vgpuctl attach web01 --type L40S-2B", COMMAND_DONE, "added ua-gpu0 (0000:3d:00.4)");
    hook("web01", "prepare", "begin", 0);
    assert_int_equal(fake_count(&scene.kernel), 2);
    hook("web01", "release", "end", 0);
}

/* A function that is in use is chosen only if there is no other, whether or not our hook made its
 * vGPU. */
TEST(not_what_others_name)
{
    start("gpu 0000:3d:00.0 vf vfs 3 rule size\n"
          "type nvidia-1145 \"NVIDIA L40S-1B\" framebuffer 1024 max 4\n"
          "type nvidia-1149 \"NVIDIA L40S-4Q\" framebuffer 4096 max 1\n");
    define(1, "", "");
    define(2, REQUEST("type='L40S-1B'"), hostdev("0000:3d:00.4"));
    define(3, "", hostdev("0000:3d:00.5"));
    run("vgpuctl attach web01 --type L40S-1B", COMMAND_DONE, "ua-gpu0 (0000:3d:00.6)");
    run("vgpuctl attach web01 --type L40S-1B", COMMAND_DONE, "ua-gpu1 (0000:3d:00.4)");
    /* Functions in use are chosen only after all free ones. */
    run("vgpuctl detach web01 ua-gpu1", COMMAND_DONE, "");
    hook("web02", "prepare", "begin", 0);
    run("vgpuctl attach web01 --type L40S-1B", COMMAND_DONE, "ua-gpu1 (0000:3d:00.5)");
    hook("web02", "release", "end", 0);
    /* The guest's own functions are never chosen. */
    run("vgpuctl attach web01 --type L40S-1B", COMMAND_DONE, "ua-gpu2 (0000:3d:00.4)");
    run("vgpuctl attach web01 --type L40S-1B", COMMAND_FAILED,
        "web01: no GPU can take ua-gpu3 (L40S-1B): 0000:3d:00.0 has no virtual function left that "
        "may be named");
}

TEST(the_best_of_two_kinds)
{
    AUTO_FREE char *xml = NULL;

    start(T4 CARD("0000:3d:00.0"));
    scene_configure(&scene, "unlike_vgpus = true;"
                            "classes = { small = { types = [ \"T4-1B\", \"L40S-1B\" ]; };"
                            " other = { types = [ \"L40S-1B\", \"T4-1B\" ]; }; };");
    define(1, "", "");
    define(2, "", "");
    define(3, "", "");
    run("vgpuctl attach web01 --class small", COMMAND_DONE, "-");
    xml = definition_read(libvirt, "web01");
    typed_assert_has(xml, "type='mdev'");
    hook("web01", "prepare", "begin", 0);
    run("vgpuctl attach web02 --class small", COMMAND_DONE, "(0000:3d:00.4)");
    hook("web02", "prepare", "begin", 0);
    hook("web01", "release", "end", 0);
    run("vgpuctl attach web03 --class other", COMMAND_DONE, "(0000:3d:00.5)");
    run("vgpuctl attach web03 --type T4-1B", COMMAND_DONE, "-");
    hook("web03", "prepare", "begin", 0);
    assert_int_equal(fake_count(&scene.kernel), 3);
}

/* A full host may have room another day. So attach accepts this. It refuses only what can never
 * work. */
TEST(no_room)
{
    AUTO_FREE char *before = NULL, *after = NULL;

    start(CARDS);
    scene_configure(&scene, "gpus = ( { address = \"0000:3d:00.0\"; enabled = false; } );");
    define(1, "", "");
    assert_int_equal(fake_make(&scene.kernel, "0000:e7:00.5", "nvidia-1146", ""), 0);
    run("vgpuctl attach web01 --type L40S-1B", COMMAND_DONE, "ua-gpu0 (0000:e7:00.4)");
    before = definition_read(libvirt, "web01");
    run("vgpuctl attach web01 --type L40S-9B", COMMAND_FAILED,
        "ua-gpu1 wants L40S-9B, which no GPU here has (did you mean L40S-1B?)");
    run("vgpuctl attach test --type L40S-1B", COMMAND_NO_CAPACITY,
        "vgpuctl: attach: test: no GPU can take ua-gpu0 (L40S-1B): 0000:3d:00.0 is disabled by "
        "/etc/libvirt-vgpu/vgpu.conf:1, 0000:e7:00.0 holds nvidia-1146 (1 in use)\n");
    scene_configure(&scene, "gpus = ( { address = \"0000:3d:00.0\"; enabled = false; },"
                            " { address = \"0000:e7:00.0\"; enabled = false; } );");
    run("vgpuctl attach web01 --type L40S-1B", COMMAND_FAILED,
        "web01: no GPU can take ua-gpu1 (L40S-1B): 0000:3d:00.0 is disabled");
    after = definition_read(libvirt, "web01");
    assert_string_equal(before, after);
}

/* A start removes a kept vGPU to make room. So attach chooses its place. */
TEST(a_kept_one_is_in_the_way)
{
    start("gpu 0000:3d:00.0 vf vfs 3 rule size\n"
          "type nvidia-1145 \"NVIDIA L40S-1B\" framebuffer 1024 max 1\n");
    scene_configure(&scene, "release = \"keep\";");
    define(1, "", "");
    define(2, REQUEST("type='L40S-1B'"), hostdev("0000:3d:00.5"));
    hook("web02", "prepare", "begin", 0);
    hook("web02", "release", "end", 0);
    scene_assert_type(&scene, "0000:3d:00.5", "nvidia-1145");
    run("vgpuctl attach web01 --type L40S-1B", COMMAND_DONE, "ua-gpu0 (0000:3d:00.5)");
    hook("web01", "prepare", "begin", 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

/* --- a running domain ------------------------------------------------------------------------- */

/* libvirt refuses, and both the definition and the function are as before. */
TEST(a_running_domain)
{
    AUTO_FREE char *before = NULL, *after = NULL;

    start(CARDS);
    before = definition_read(libvirt, "test");
    if (typed_run(&scene, HERE, "vgpuctl attach test --type L40S-1B --config --live", &typed) ==
        COMMAND_DONE)
        skip(); /* a libvirt whose test driver can plug */
    assert_int_equal(typed.status, COMMAND_FAILED);
    typed_assert_has(typed.faults, "vgpuctl: attach: test: ua-gpu0: libvirt does not plug it in: ");
    scene_assert_empty(&scene);
    after = definition_read(libvirt, "test");
    assert_string_equal(after, before);
    assert_int_equal(scene.kernel.faults->writes, 2);
}

/* The driver refuses vGPUs, although it lists their types. Then attach chooses another function or
 * card. It gives up after some tries. */
TEST(a_place_that_is_lost)
{
    AUTO_FREE char *before = NULL, *after = NULL;

    start(CARDS);
    before = definition_read(libvirt, "test");
    scene.kernel.faults->refuse = 1000;
    run("vgpuctl attach test --type L40S-1B --config --live", COMMAND_NO_CAPACITY,
        "0000:3d:00.6: its GPU 0000:3d:00.0 refused it (Input/output error)");
    scene_assert_empty(&scene);
    assert_int_equal(scene.kernel.faults->writes, 12);
    scene.kernel.faults->writes = 0;
    scene.kernel.faults->refuse = 4;
    if (typed_run(&scene, HERE, "vgpuctl attach test --type L40S-1B --config --live", &typed) ==
        COMMAND_DONE)
        skip(); /* a libvirt whose test driver can plug */
    typed_assert_has(typed.faults, "libvirt does not plug it in: ");
    scene_assert_empty(&scene);
    assert_int_equal(scene.kernel.faults->writes, 6);
    after = definition_read(libvirt, "test");
    assert_string_equal(after, before);
}

/* The guest has released the function. So the function loses its type. */
TEST(what_a_detach_left)
{
    AUTO_FREE char *xml = NULL;
    struct error error = {0};
    struct name uuid;

    start(CARDS);
    assert_true(asprintf(&xml,
                         "<domain><name>test</name><uuid>" RUNS
                         "</uuid>%s<devices>%s</devices></domain>",
                         REQUEST("type='L40S-1B'"), hostdev("0000:e7:00.5")) > 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    scene_assert_type(&scene, "0000:e7:00.5", "nvidia-1145");
    assert_int_equal(name_parse_uuid(&uuid, RUNS), 0);
    assert_int_equal(
        connection_set_annotation(
            libvirt, &uuid, "<request><device alias='ua-gpu0' type='L40S-1B'/></request>", &error),
        0);
    run("vgpuctl detach test ua-gpu0", COMMAND_DONE, "test: removed ua-gpu0, as it runs\n");
    scene_assert_empty(&scene);
}

/* --- other hosts, and functions of others ----------------------------------------------------- */

TEST(files)
{
    static const char line[] =
        "vgpuctl attach tests/data/plain.xml --type L40S-1B --count 2 --print-xml";

    start(CARDS);
    define(2, "", hostdev("0000:3d:00.4"));
    typed_facts(&scene, HERE, line, 0,
                "<vgpu:device alias=\"ua-gpu1\" type=\"L40S-1B\"/>\n"
                "<hostdev mode=\"subsystem\" type=\"pci\" managed=\"no\"> <source> <address "
                "domain=\"0x0000\" bus=\"0x3d\" slot=\"0x00\" function=\"0x5\"/> </source> <alias "
                "name=\"ua-gpu0\"/>\nfunction=\"0x6\"/> </source> <alias name=\"ua-gpu1\"/>");
    run("vgpuctl attach tests/data/plain.xml --type T4-1B --print-xml", COMMAND_DONE,
        "type=\"mdev\"");
    typed_assert_has(typed.faults, "this host could not do it: ua-gpu0 wants T4-1B, which no GPU");
    /* A host of both kinds gives a type the kind that it has. */
    scene_stop(&scene);
    scene_start(&scene, T4 CARDS);
    run(line, COMMAND_DONE, "type=\"pci\"");
    assert_null(strstr(typed.printed, "type=\"mdev\""));
    assert_string_equal(typed.faults, "");
}

/* A libvirt before 11.3 drops the element without a message. */
TEST(a_display)
{
    AUTO_FREE char *before = NULL, *after = NULL;

    start(CARDS);
    define(1, "", "<graphics type='vnc'/>");
    before = definition_read(libvirt, "web01");
    if (LIBVIR_VERSION_NUMBER >= 11003000) {
        run("vgpuctl attach web01 --type L40S-1B --display", COMMAND_DONE, "web01: added ua-gpu0");
        return;
    }
    run("vgpuctl attach web01 --type L40S-1B --display", COMMAND_FAILED,
        "this libvirt drops the display of a virtual function");
    after = definition_read(libvirt, "web01");
    assert_string_equal(after, before);
}

/* There is no room for the vGPU today. But it is not impossible on this host. */
TEST(shown_while_full)
{
    start(T4 CARDS);
    assert_int_equal(scene_prepare(&scene, 9, 1, "T4-1B"), 0);
    run("vgpuctl attach tests/data/plain.xml --type T4-1B --print-xml", COMMAND_DONE,
        "type=\"mdev\"");
    assert_string_equal(typed.faults, "");
    define(1, "", "");
    run("vgpuctl attach web01 --type T4-1B --print-xml", COMMAND_DONE, "alias=\"ua-gpu0\"");
    assert_string_equal(typed.faults, "");
}

TEST(a_clone)
{
    AUTO_FREE char *before = NULL, *after = NULL;

    start(CARD("0000:3d:00.0"));
    define(1, REQUEST("type='L40S-1B'"), hostdev("0000:3d:00.4"));
    define(2, "", hostdev("0000:3d:00.5"));
    before = definition_read(libvirt, "web01");
    /* The attach reports no fault, because the domain is already as the script wants it. */
    run("vgpuctl attach web01 --renew", COMMAND_DONE,
        "web01: ua-gpu0 keeps the virtual function 0000:3d:00.4\n");
    assert_string_equal(typed.faults, "");
    after = definition_read(libvirt, "web01");
    assert_string_equal(after, before);
    define(3, REQUEST("type='L40S-1B'"), hostdev("0000:3d:00.4"));
    run("vgpuctl attach web03 --renew", COMMAND_DONE,
        "web03: ua-gpu0 has the virtual function 0000:3d:00.6\n");
    free(after);
    after = definition_read(libvirt, "web03");
    typed_assert_has(after, "function='0x6'");
    typed_assert_has(after, "type='pci' managed='no'");
    hook("web01", "prepare", "begin", 0);
    hook("web03", "prepare", "begin", 0);
    define(4, REQUEST("type='L40S-1B'"), hostdev("0000:3d:00.4"));
    run("vgpuctl attach web04 --renew", COMMAND_FAILED,
        "vgpuctl: attach: another domain has the virtual function 0000:3d:00.4 as well, and there "
        "is no other for this one: no GPU can take ua-gpu0 (L40S-1B): 0000:3d:00.0 has no virtual "
        "function left that may be named\n");
}

/* A clone keeps a function that is its own already, and starts. The same holds for a second run of
 * the command. */
TEST(a_clone_that_is_started)
{
    start(CARD("0000:3d:00.0"));
    define(1, REQUEST("type='L40S-1B'"), hostdev("0000:3d:00.4"));
    run("vgpuctl attach web01 --renew --start", COMMAND_DONE,
        "web01: ua-gpu0 keeps the virtual function 0000:3d:00.4\nweb01: started\n");
}

TEST(a_clone_in_a_file)
{
    AUTO_FREE char *xml = NULL;

    start(CARD("0000:3d:00.0"));
    xml = domain(3, REQUEST("type='L40S-1B'"), hostdev("0000:3d:00.4"));
    fake_write(&scene.kernel, "web03.xml", xml);
    define(1, "", hostdev("0000:3d:00.4"));
    assert_int_equal(chdir(scene.kernel.path), 0);
    run("vgpuctl attach ./web03.xml --renew --print-xml", COMMAND_DONE, "function='0x5'");
    assert_string_equal(typed.faults, "");
    run("vgpuctl --root . attach ./web03.xml --renew --print-xml", COMMAND_DONE, "function='0x4'");
    typed_assert_has(typed.faults, "vgpuctl: attach: it is not known whether other domains have "
                                   "the virtual functions of web03 as well: ");
    assert_int_equal(chdir("/"), 0);
}
