/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The output of vgpuctl for people, if names are malicious. These are names of domains, aliases,
 * classes, types and files. They have a C1 control (U+009B begins an escape sequence), a line feed,
 * and U+202E, which reverses the direction of writing. Names outside of XML also have an escape
 * character, and bytes that are not UTF-8. No command prints any of these, and no name begins a
 * line.
 */

#include "cli/command.h"
#include "fake/typed.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"
#define DOMAIN "aaaaaaaa-0000-4000-8000-000000000001"
#define DEVICE "dddddddd-0000-4000-8000-000000000001"

/* A name in XML. An obedient terminal would clear its screen after it. A line feed would begin a
 * line with SMUGGLED. In an attribute a line feed must be &#10;. */
#define XML_NAME                                                                                   \
    "evil\xc2\x9b"                                                                                 \
    "2J\xe2\x80\xae&#10;SMUGGLED"
#define WORD_NAME                                                                                  \
    "evil\xc2\x9b"                                                                                 \
    "2J\xe2\x80\xae\nSMUGGLED"
#define BYTE_NAME                                                                                  \
    "evil\x1b[2J\xc2\x9b"                                                                          \
    "2J\xe2\x80\xae\x80\nSMUGGLED"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* The test judges the output with its own code, not with the tested code. */
static void
assert_harmless(const char *line, const char *text)
{
    static const char *const refused[] = {"\xc2\x9b", "\xe2\x80\xae", "\x1b", "\x80\n", "\nSMUG"};

    for (const char *c = text; *c; c++) {
        if ((*c > 0 && *c < ' ' && *c != '\n') || *c == 0x7f)
            fail_msg("%s: prints %#x in: %s", line, (unsigned)*c, text);
    }
    for (size_t i = 0; i < COUNT(refused); i++) {
        if (strstr(text, refused[i]))
            fail_msg("%s: prints what %zu refuses: %s", line, i, text);
    }
    assert_true(strncmp(text, "SMUG", 4) != 0);
}

static void
harmless(const char *uri, const char *line)
{
    typed_run(&scene, uri, line, &typed);
    assert_harmless(line, typed.printed);
    assert_harmless(line, typed.faults);
}

/* The output is harmless, and has the name in it. Otherwise the test would prove nothing. */
static void
harmless_and_told(const char *uri, const char *line)
{
    harmless(uri, line);
    if (!strstr(typed.printed, "SMUGGLED") && !strstr(typed.faults, "SMUGGLED"))
        fail_msg("%s: does not print the name: %s%s", line, typed.printed, typed.faults);
}

static char *
domain_xml(const char *head, const char *device)
{
    char *text;

    if (asprintf(&text,
                 "<domain type='%s<name>%s</name>\n<uuid>" DOMAIN "</uuid>\n"
                 "<memory>65536</memory><os><type>hvm</type></os>\n"
                 "<metadata><vgpu:request xmlns:vgpu=\"urn:libvirt-vgpu:domain:1\">%s"
                 "</vgpu:request></metadata>\n<devices>\n"
                 "<hostdev mode='subsystem' type='mdev' model='vfio-pci'>"
                 "<source><address uuid='" DEVICE "'/></source><alias name='ua-gpu" XML_NAME "'/>"
                 "</hostdev>\n</devices>\n</domain>\n",
                 head, XML_NAME, device) < 0)
        fail_msg("no memory");
    return text;
}

/* A file of the fake tree, by its full name. */
static const char *
guest_file(const char *device)
{
    AUTO_FREE char *xml = domain_xml("kvm'>", device);
    static char path[300];

    fake_write(&scene.kernel, "guest.xml", xml);
    snprintf(path, sizeof(path), "%s/guest.xml", scene.kernel.path);
    return path;
}

TEST(domains_of_files)
{
    static const char *const devices[] = {
        "<vgpu:device alias=\"ua-gpu" XML_NAME "\" type=\"" XML_NAME "\"/>",
        "<vgpu:device alias=\"ua-gpu" XML_NAME "\" type=\"T4-1B\" traits=\"" XML_NAME "\"/>",
        "<vgpu:device alias=\"ua-gpu" XML_NAME "\" type=\"T4-1B\" parent=\"" XML_NAME "\"/>",
        "<vgpu:device alias=\"ua-gpu" XML_NAME "\" type=\"T4-1B\" params=\"" XML_NAME "=1\"/>",
        "<vgpu:device alias=\"ua-gpu" XML_NAME "\" class=\"" XML_NAME "\"/>",
        "<vgpu:device alias=\"ua-gpu" XML_NAME "\" tpye=\"" XML_NAME "\"/>",
        "",
    };
    static const char *const lines[] = {
        "vgpuctl explain %s",
        "vgpuctl check %s",
        "vgpuctl detach %s ua-gpu9" WORD_NAME,
        "vgpuctl detach %s ua-gpu9" WORD_NAME " --print-xml",
        "vgpuctl attach %s --renew --type T4-1B",
    };

    for (size_t i = 0; i < COUNT(devices); i++) {
        const char *file = guest_file(devices[i]);

        for (size_t k = 0; k < COUNT(lines); k++) {
            char line[512];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(line, sizeof(line), lines[k], file);
#pragma GCC diagnostic pop
            harmless(NULL, line);
            if (k == 0 && *devices[i])
                harmless_and_told(NULL, line);
        }
    }
}

static char *
replace(const char *text, const char *what, const char *by)
{
    const char *at = strstr(text, what);
    char *ret;

    assert_non_null(at);
    if (asprintf(&ret, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what)) < 0)
        fail_msg("no memory");
    return ret;
}

/* A ledger of another machine. Its text has all of these bytes percent-encoded. */
static void
name_lease(void)
{
    struct host host = {.root = scene.kernel.host.root, .ops = &host_kernel};
    AUTO_FREE char *named = NULL, *both = NULL;
    char text[8192];

    assert_true(host_read(&host, text, sizeof(text), "run/libvirt-vgpu/ledger") > 0);
    strcat(text, "\n");
    named = replace(text, " guest1 ", " evil%1B[2J%C2%9B2J%E2%80%AE%80%0ASMUGGLED ");
    both = replace(named, " ua-gpu1 ", " ua-%1B[2J%C2%9B2J%E2%80%AE%80%0ASMUGGLED ");
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", both);
}

TEST(leases)
{
    static const char *const looks[] = {"list",           "list --raw", "orphans", "metrics",
                                        "reap --dry-run", "doctor",     "gpus",    "types"};
    struct fake_guest stray;
    char line[512];

    scene_configure(&scene, "release_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    name_lease();
    harmless_and_told(NULL, "vgpuctl list");
    harmless_and_told(NULL, "vgpuctl status");
    snprintf(line, sizeof(line), "vgpuctl explain %s",
             guest_file("<vgpu:device alias=\"ua-gpu" XML_NAME "\" type=\"T4-1B\"/>"));
    harmless_and_told(NULL, line);
    for (size_t i = 0; i < COUNT(looks); i++) {
        snprintf(line, sizeof(line), "vgpuctl %s", looks[i]);
        harmless("test:///default", line);
    }
    stray = fake_open(&scene.kernel, DEVICE);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    harmless_and_told(NULL, "vgpuctl reconcile");
    fake_close(&stray);
    harmless_and_told(NULL, "vgpuctl reconcile");
}

/* The name of a type in a recorded /sys, and the name of a file in its configuration. */
TEST(recorded_names)
{
    static const char *const lines[] = {"types", "types --raw", "status", "list",
                                        "check", "doctor",      "ready"};
    char line[64];

    fake_write(&scene.kernel, "sys/devices/0000:18:00.0/mdev_supported_types/nvidia-222/name",
               BYTE_NAME "\n");
    harmless_and_told(NULL, "vgpuctl types");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/" BYTE_NAME ".conf",
               "gpus = ( { address = \"0000:19:00.0\"; types = [ \"" BYTE_NAME "\" ]; } );");
    harmless_and_told(NULL, "vgpuctl check");
    for (size_t i = 0; i < COUNT(lines); i++) {
        snprintf(line, sizeof(line), "vgpuctl %s", lines[i]);
        harmless(NULL, line);
    }
}

/* libvirt accepts such a name, but only without a line feed. */
TEST(domains_of_libvirt)
{
#define NAME                                                                                       \
    "evil\xc2\x9b"                                                                                 \
    "2J\xe2\x80\xae"                                                                               \
    "SMUGGLED"
    AUTO_FREE char *xml =
        domain_xml("test' xmlns:test='http://libvirt.org/schemas/domain/test/1.0'>" TYPED_DEFINED,
                   "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\"/>");
    AUTO_FREE char *named = replace(xml, XML_NAME, NAME);
    AUTO_FREE char *whole = replace(named, "ua-gpu" XML_NAME, "ua-gpu1");
    const char *uri;

    uri = typed_libvirt(&scene, whole);
    harmless_and_told(uri, "vgpuctl attach " NAME " --type T4-1B --alias ua-" NAME);
    harmless_and_told(uri, "vgpuctl attach " DOMAIN " --type T4-1B");
    harmless_and_told(uri, "vgpuctl attach " DOMAIN " --type " NAME);
    harmless_and_told(uri, "vgpuctl attach " DOMAIN " --renew");
    harmless_and_told(uri, "vgpuctl explain " DOMAIN);
    harmless_and_told(uri, "vgpuctl detach " NAME " ua-gpu1");
    harmless_and_told(uri, "vgpuctl list --connect test://" NAME);
    harmless_and_told(uri, "vgpuctl migrate-check " DOMAIN " test://" NAME);
}

TEST(what_was_typed)
{
    static const char *const lines[] = {
        "vgpuctl " WORD_NAME,
        "vgpuctl --" WORD_NAME,
        "vgpuctl gpus -o " WORD_NAME,
        "vgpuctl --root /" WORD_NAME " gpus",
        "vgpuctl drain " WORD_NAME,
        "vgpuctl undrain " WORD_NAME,
        "vgpuctl types " WORD_NAME,
        "vgpuctl reap " WORD_NAME,
        "vgpuctl explain " WORD_NAME,
        "vgpuctl explain ./" WORD_NAME,
        "vgpuctl ready --timeout " WORD_NAME,
        "vgpuctl metrics --output /no/" WORD_NAME,
    };

    for (size_t i = 0; i < COUNT(lines); i++)
        harmless_and_told("test:///default", lines[i]);
}
