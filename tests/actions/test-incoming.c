/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Guests that arrive, by migration or from a saved image: what the hook prints. */

#include "domain/request-parser.h"
#include "base/memory.h"
#include "domain/rewrite.h"
#include "fake/listener.h"
#include "fake/scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"                                      \
    "gpu mtty rule pool 4\n"                                                                       \
    "type mtty-2 \"Dual port serial\" uses 2\n"
#define UUID 36

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE};
#define TEST(function) SCENE_TEST(function, here)

/* A guest with devices that all want a type. The caller frees it. */
static char *
guest_xml(unsigned guest, const char *type, const unsigned *numbers)
{
    char devices[1024] = "";

    for (const unsigned *number = numbers; *number; number++) {
        size_t at = strlen(devices);

        snprintf(devices + at, sizeof(devices) - at,
                 "<vgpu:device alias=\"ua-gpu%u\" type=\"%s\"/>", *number, type);
    }
    return scene_xml(guest, devices, numbers);
}

/* The hook's output differs from the input only in this device's UUID. Before the comparison the
 * old UUID is put back. */
static void
assert_renamed(const char *xml, unsigned number, char *printed)
{
    const char *old = scene_device(number);
    const char *place = strstr(xml, old);
    char fresh[UUID + 1];

    assert_non_null(place);
    assert_int_equal(strlen(printed), strlen(xml));
    memcpy(fresh, printed + (place - xml), UUID);
    fresh[UUID] = '\0';
    if (!strcmp(fresh, old))
        fail_msg("still %s", old);
    assert_int_equal(fresh[14], '4');
    memcpy(printed + (place - xml), old, UUID);
}

static void
prints(const char *xml, const char *operation, const char *expected)
{
    if (scene_hook(&scene, xml, operation, "begin") != 0)
        fail_msg("%s", scene.said);
    assert_string_equal(scene.said, "");
    assert_string_equal(scene.printed, expected);
}

TEST(a_free_uuid_is_kept)
{
    AUTO_FREE char *xml = guest_xml(1, "nvidia-222", (const unsigned[]){1, 2, 0});

    prints(xml, "migrate", "");
    prints(xml, "restore", "");
    scene_assert_empty(&scene);
}

TEST(a_taken_uuid_is_replaced)
{
    AUTO_FREE char *xml = guest_xml(1, "nvidia-222", (const unsigned[]){1, 2, 3, 0});

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    assert_renamed(xml, 2, scene.printed);
    assert_string_equal(scene.printed, xml);
    /* A foreign vGPU stays foreign, even if it has the requested type. */
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(3)), 0);
    assert_int_equal(scene_hook(&scene, xml, "restore", "begin"), 0);
    assert_renamed(xml, 2, scene.printed);
    assert_renamed(xml, 3, scene.printed);
    assert_string_equal(scene.printed, xml);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

TEST(what_is_printed_can_be_prepared)
{
    AUTO_FREE char *xml = guest_xml(1, "nvidia-222", (const unsigned[]){1, 0});
    AUTO_FREE char *printed = NULL;

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    printed = strdup(scene.printed);
    assert_int_equal(scene_hook(&scene, printed, "prepare", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(fake_count(&scene.kernel), 2);
    assert_int_equal(scene_hook(&scene, printed, "release", "end"), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
}

TEST(a_removal_under_way_is_not_free)
{
    AUTO_FREE char *xml = guest_xml(1, "nvidia-222", (const unsigned[]){1, 0});
    pid_t remover;

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    scene.kernel.faults->remove_delay = 1000;
    remover = fork();
    if (remover == 0)
        _exit(fake_remove(&scene.kernel, scene_device(1)) != 0);
    while (host_exists(&scene.kernel.host, "sys/bus/mdev/devices/%s", scene_device(1)))
        fake_sleep(1);
    assert_int_equal(scene_hook(&scene, xml, "restore", "begin"), 0);
    assert_renamed(xml, 1, scene.printed);
    assert_int_equal(waitpid(remover, NULL, 0), remover);
    prints(xml, "restore", "");
}

TEST(kept_devices)
{
    AUTO_FREE char *own = guest_xml(1, "nvidia-222", (const unsigned[]){1, 0});
    AUTO_FREE char *others = guest_xml(2, "nvidia-222", (const unsigned[]){1, 0});
    AUTO_FREE char *resized = guest_xml(1, "mtty-2", (const unsigned[]){1, 0});

    scene_configure(&scene, "release = \"keep\";\n");
    assert_int_equal(scene_hook(&scene, own, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, own, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    prints(own, "restore", "");
    assert_int_equal(scene_hook(&scene, resized, "restore", "begin"), 0);
    assert_renamed(resized, 1, scene.printed);
    assert_int_equal(scene_hook(&scene, others, "restore", "begin"), 0);
    assert_renamed(others, 1, scene.printed);
    /* The UUID counts as taken even if its device is gone, because a definition still names it. */
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    assert_int_equal(scene_hook(&scene, others, "restore", "begin"), 0);
    assert_renamed(others, 1, scene.printed);
    prints(own, "restore", "");
}

/* A leftover of an earlier run, which a start would take back. While somebody has it open, it is of
 * no use. */
TEST(leaving_devices)
{
    AUTO_FREE char *own = guest_xml(1, "nvidia-222", (const unsigned[]){1, 0});
    AUTO_FREE char *others = guest_xml(2, "nvidia-222", (const unsigned[]){1, 0});
    AUTO_FREE char *resized = guest_xml(1, "mtty-2", (const unsigned[]){1, 0});
    struct fake_guest stray;
    unsigned writes;

    scene_configure(&scene, "release_timeout = \"200ms\";\n");
    assert_int_equal(scene_hook(&scene, own, "prepare", "begin"), 0);
    stray = fake_open(&scene.kernel, scene_device(1));
    assert_int_equal(scene_hook(&scene, own, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    assert_int_equal(scene_hook(&scene, own, "migrate", "begin"), 0);
    assert_renamed(own, 1, scene.printed);
    fake_close(&stray);
    assert_int_equal(scene_hook(&scene, others, "migrate", "begin"), 0);
    assert_renamed(others, 1, scene.printed);
    assert_int_equal(scene_hook(&scene, resized, "migrate", "begin"), 0);
    assert_renamed(resized, 1, scene.printed);
    writes = scene.kernel.faults->writes;
    prints(own, "migrate", "");
    assert_int_equal(scene_hook(&scene, own, "prepare", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene.kernel.faults->writes, writes);
    assert_int_equal(fake_count(&scene.kernel), 1);
}

TEST(always_new)
{
    AUTO_FREE char *xml = guest_xml(1, "nvidia-222", (const unsigned[]){1, 2, 0});

    scene_configure(&scene, "migrate_uuid = \"new\";\n");
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    assert_renamed(xml, 1, scene.printed);
    assert_renamed(xml, 2, scene.printed);
    assert_string_equal(scene.printed, xml);
    scene_configure(&scene, "migrate_uuid = \"new\"; enabled = false;\n");
    prints(xml, "migrate", "");
}

/* The log tells of each UUID that is replaced, and of no other. */
TEST(the_log_names_both_uuids)
{
    AUTO_FREE char *xml = guest_xml(1, "nvidia-222", (const unsigned[]){1, 2, 0});
    const char *place = strstr(xml, scene_device(2));
    AUTO_FREE char *told = NULL, *printed = NULL;

    listener_begin(&scene.kernel);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    assert_true(asprintf(&told, " event=incoming device=%s result=renamed to %.*s\n",
                         scene_device(2), UUID, scene.printed + (place - xml)) > 0);
    if (!strstr(listener_heard(), told))
        fail_msg("not logged: %s", told);
    printed = strdup(scene.printed);
    prints(printed, "migrate", "");
    assert_string_equal(listener_heard(), "");
    listener_end(&scene.kernel);
}

TEST(others_hostdevs_stay)
{
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device alias=\"ua-gpu2\" type=\"nvidia-222\"/>",
                                    (const unsigned[]){1, 2, 0});

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    prints(xml, "migrate", "");
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    assert_renamed(xml, 2, scene.printed);
    assert_string_equal(scene.printed, xml);
}

TEST(never_is_refused_and_full_is_not)
{
    AUTO_FREE char *unknown = guest_xml(1, "nvidia-999", (const unsigned[]){1, 0});
    AUTO_FREE char *known = guest_xml(1, "nvidia-222", (const unsigned[]){1, 0});

    assert_int_equal(scene_hook(&scene, unknown, "migrate", "begin"), 1);
    scene_assert_said(&scene, "wants nvidia-999, which no GPU here has");
    assert_string_equal(scene.printed, "");
    for (unsigned i = 11; i <= 13; i++)
        assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(i)),
                         0);
    prints(known, "migrate", "");
    assert_int_equal(scene_hook(&scene, known, "prepare", "begin"), 1);
    scene_assert_said(&scene, "is full (3 of 3)");
    scene_configure(&scene, "gpus = ({ address = \"0000:18:00.0\"; enabled = false; });");
    assert_int_equal(scene_hook(&scene, known, "restore", "begin"), 1);
    scene_assert_said(&scene, "0000:18:00.0 is disabled by /etc/libvirt-vgpu/vgpu.conf:");
    assert_string_equal(scene.printed, "");
    scene_configure(&scene, "");
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/drained/0000:18:00.0", "");
    /* A drain is for today, and prepare's to judge. */
    prints(known, "migrate", "");
    assert_int_equal(scene_hook(&scene, known, "prepare", "begin"), 1);
    scene_assert_said(&scene, "0000:18:00.0 is drained (see vgpuctl undrain)");
    unlinkat(scene.kernel.host.root, "var/lib/libvirt-vgpu/drained/0000:18:00.0", 0);
    scene_configure(&scene, "classes = { small = { types = [ \"nvidia-222\" ]; }; };\n"
                            "quotas = ({ domains = [ \"*\" ]; class = \"small\"; max = 0; });\n");
    assert_int_equal(scene_hook(&scene, known, "migrate", "begin"), 1);
    scene_assert_said(&scene, "0000:18:00.0 has it, but the quota of 0");
}

/* A saved guest starts together with the host, before the GPU's driver is there. */
TEST(a_gpu_that_comes_up_late)
{
    AUTO_FREE char *xml = guest_xml(1, "mtty-2", (const unsigned[]){1, 0});

    scene_configure(&scene, "boot_wait = \"100s\"; gpus = ({ address = \"mtty\"; });");
    fake_set_uptime(20000);
    fake_vanish(&scene.kernel, "mtty");
    prints(xml, "restore", "");
    fake_set_uptime(100010);
    assert_int_equal(scene_hook(&scene, xml, "restore", "begin"), 1);
    assert_string_equal(scene.printed, "");
}

#define HEAD                                                                                       \
    "<domain type='kvm'><name>guest1</name><uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>"
#define ANNOTATION(device)                                                                         \
    "<metadata><vgpu:request xmlns:vgpu='urn:libvirt-vgpu:domain:1'>" device                       \
    "</vgpu:request></metadata>"
#define HOSTDEV(address)                                                                           \
    "<devices><hostdev mode='subsystem' type='mdev' model='vfio-pci'><source><address " address    \
    "/></source></hostdev></devices></domain>"
#define ALONE     "<vgpu:device type='nvidia-222'/>"
#define DEVICE1   "dddddddd-0000-4000-8000-000000000001"
#define BY_UUID   "<vgpu:device type='nvidia-222' uuid='" DEVICE1 "'/>"
#define BYTE_MARK "\xef\xbb\xbf"

/* The text around the UUID does not matter: the hook prints the same bytes, except for the UUID. */
TEST(only_the_uuid_changes)
{
    static const char *const rows[] = {
        HEAD ANNOTATION(ALONE) HOSTDEV("uuid='" DEVICE1 "'"),
        HEAD ANNOTATION(ALONE) HOSTDEV("uuid=\"" DEVICE1 "\""),
        HEAD ANNOTATION(ALONE) HOSTDEV("x='a>b' uuid = '" DEVICE1 "'\n\t y='&lt;&#65;&amp;'"),
        BYTE_MARK HEAD ANNOTATION(ALONE) HOSTDEV("uuid='" DEVICE1 "'"),
        "<?xml version='1.0' encoding='UTF-8'?>\n<!-- " DEVICE1 " -->\r\n" HEAD
        "<title><![CDATA[</domain> " DEVICE1 "]]></title>" ANNOTATION(
            ALONE) "<?pi " DEVICE1 "?><description>&amp;&#x20ac;\xe2\x82\xac&gt;</description>"
                   "<qemu:commandline xmlns:qemu='urn:q'><qemu:arg value='" DEVICE1 "'/>"
                   "</qemu:commandline>" HOSTDEV("uuid='" DEVICE1 "'") "\n<!-- the end -->\n",
    };

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", DEVICE1), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *place = strstr(strstr(rows[i], "<hostdev"), DEVICE1);

        if (scene_hook(&scene, rows[i], "migrate", "begin") != 0)
            fail_msg("%s, for: %s", scene.said, rows[i]);
        assert_int_equal(strlen(scene.printed), strlen(rows[i]));
        assert_memory_not_equal(scene.printed + (place - rows[i]), DEVICE1, UUID);
        memcpy(scene.printed + (place - rows[i]), DEVICE1, UUID);
        assert_string_equal(scene.printed, rows[i]);
    }
}

/* The link in the annotation gets the same new UUID. If the old UUID had an unusual spelling, the
 * new one has the usual spelling. */
TEST(links_follow)
{
    static const char xml[] =
        HEAD ANNOTATION(BY_UUID) HOSTDEV("uuid=' DDDDDDDD00004000 8000000000000001'");
    const char *link, *device;

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", DEVICE1), 0);
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    link = strstr(scene.printed, "uuid='") + 6;
    device = strstr(scene.printed, "<address uuid='") + 15;
    assert_memory_not_equal(link, DEVICE1, UUID);
    assert_memory_equal(link, device, UUID);
    assert_int_equal(device[UUID], '\'');
    assert_int_equal(strlen(scene.printed),
                     strlen(xml) + UUID - strlen(" DDDDDDDD00004000 8000000000000001"));
}

/* The hook cannot replace a UUID in such a document. It refuses an arrival only if it would have to
 * replace the UUID. */
TEST(other_spellings_are_refused)
{
    static const char reference[] =
        HEAD ANNOTATION(ALONE) HOSTDEV("uuid='&#100;ddddddd-0000-4000-8000-000000000001'");
    static const char link[] = HEAD ANNOTATION("<vgpu:device type='nvidia-222' uuid='"
                                               "&#100;ddddddd-0000-4000-8000-000000000001'/>")
        HOSTDEV("uuid='" DEVICE1 "'");
    static const char *const rows[] = {reference, link};

    for (size_t i = 0; i < COUNT(rows); i++)
        prints(rows[i], "migrate", "");
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", DEVICE1), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(scene_hook(&scene, rows[i], "migrate", "begin"), 1);
        scene_assert_said(&scene, "cannot be replaced where it stands");
        assert_string_equal(scene.printed, "");
    }
}

/* The input is half of a document, or no document. */
TEST(truncated)
{
    AUTO_FREE char *xml = guest_xml(1, "nvidia-222", (const unsigned[]){1, 0});

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    for (size_t length = strlen(xml) - 2; length > 0; length = length * 7 / 8) {
        xml[length] = '\0';
        assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 1);
        assert_string_equal(scene.printed, "");
        scene_assert_said(&scene, "cannot read the domain XML");
    }
}

/* Random documents: if the old UUIDs are put back, the output is the input. */

static char *
random_uuid(char *at)
{
    struct name uuid;

    assert_int_equal(name_new_uuid(&uuid), 0);
    return stpcpy(at, uuid.text);
}

static char *
random_filling(char *at)
{
    static const char *const fillings[] = {
        "",
        "\n  ",
        "\r\n\t",
        "<!-- <hostdev> & ' \" -->",
        "<title>&amp;&lt;&#65;\xc3\xa4\xe2\x82\xac</title>",
        "<description><![CDATA[ uuid='x' </domain> ]]></description>",
        "<?target <address uuid='x'/> ?>",
        "<x:y xmlns:x='urn:x' uuid='" DEVICE1 "' x:uuid=\"&quot;&gt;\"><address uuid='1'/></x:y>",
        "<hostdev mode='subsystem' type='pci'><source><address uuid='2'/></source></hostdev>",
        "<disk><source><address uuid='" DEVICE1 "'/></source></disk>",
    };

    return stpcpy(at, fillings[(size_t)random() % COUNT(fillings)]);
}

static char *
random_document(unsigned devices, size_t padding)
{
    char *text = malloc(65536 + padding), *at = text;

    at = stpcpy(at, HEAD);
    for (; padding > 100; padding -= 100)
        at += sprintf(at, "<!-- %90d -->", 1);
    at = stpcpy(random_filling(at), "<metadata><v:request xmlns:v='urn:libvirt-vgpu:domain:1'>");
    for (unsigned i = 0; i < devices; i++)
        at += sprintf(at, "<v:device alias='ua-gpu%u' type='nvidia-222'/>", i);
    at = random_filling(stpcpy(at, "</v:request></metadata>"));
    at = random_filling(stpcpy(at, "<devices>"));
    for (unsigned i = 0; i < devices; i++) {
        const char *quote = random() % 2 ? "'" : "\"";

        if (random() % 3) {
            at = stpcpy(at, "<hostdev mode='subsystem' type='mdev' model='vfio-pci'>");
            at = stpcpy(random_filling(at), "<source><address ");
            at = random_uuid(stpcpy(stpcpy(at, random() % 2 ? "uuid=" : "a='>'\n uuid = "), quote));
            at = stpcpy(at, quote);
        } else {
            at = stpcpy(at, "<hostdev  type='pci' managed='no'\n mode=\"subsystem\"\t>");
            at = stpcpy(random_filling(at), "<source ><address ");
            at += sprintf(at, "slot=%s0x%02lx%s bus='%ld'", quote, random() % 32, quote,
                          random() % 256);
        }
        at = stpcpy(at, random() % 2 ? "/>" : " b='&amp;'></address >");
        at = random_filling(stpcpy(at, "</source>"));
        at += sprintf(at, "<alias name='ua-gpu%u'/></hostdev>", i);
        at = random_filling(at);
    }
    stpcpy(at, "</devices></domain>");
    return text;
}

/* Some bytes of one document, which replace a part of another document. */
static struct document_edit
bytes_of(const struct document *from, struct document_span span, struct document_span to)
{
    return (struct document_edit){to, memory_copy_bytes(from->text + span.offset, span.length)};
}

/* Puts the old document's bytes back, at the places where the new document may differ. */
static void
put_back(const struct document *old, const struct document *changed, struct document *ret)
{
    AUTO(request_clear) struct request before = {0}, after = {0};
    struct document_edit edits[128];
    struct error error;
    size_t count = 0;

    assert_int_equal(request_parse(old, &before, &error), 0);
    assert_int_equal(request_parse(changed, &after, &error), 0);
    assert_int_equal(after.hostdev_count, before.hostdev_count);
    for (size_t i = 0; i < after.hostdev_count; i++) {
        const struct request_hostdev *was = &before.hostdevs[i], *is = &after.hostdevs[i];

        edits[count++] = bytes_of(old, was->tag_span, is->tag_span);
        edits[count++] = bytes_of(old, was->address_span, is->address_span);
    }
    document_edit(changed, edits, count, ret);
    while (count > 0)
        free((char *)edits[--count].text);
}

/* Gives the device another UUID or address, or a source of the other kind. */
static void
change(struct rewrite_source *source)
{
    char address[32];

    if (random() % 3 == 0)
        source->kind = source->kind == REQUEST_MDEV ? REQUEST_PCI : REQUEST_MDEV;
    snprintf(address, sizeof(address), "0000:%02lx:%02lx.%lx", random() % 256, random() % 32,
             random() % 8);
    assert_int_equal(source->kind == REQUEST_MDEV ? name_new_uuid(&source->source)
                                                  : name_parse_pci(&source->source, address),
                     0);
}

TEST(random_documents)
{
    srandom(20261121);
    for (int round = 0; round < 500; round++) {
        unsigned devices = 1 + (unsigned)random() % 6;
        AUTO_FREE char *text = random_document(devices, round % 10 ? 0 : (size_t)random() % 300000);
        const struct document old = {text, strlen(text)};
        AUTO(document_clear) struct document changed = {0}, back = {0};
        AUTO(request_clear) struct request request = {0};
        AUTO_FREE struct rewrite_source *sources = NULL;
        struct error error;

        if (request_parse(&old, &request, &error) < 0 || request_check(&request, &error) < 0)
            fail_msg("%s: %s", error.text, text);
        sources = rewrite_own(&request);
        for (unsigned i = 0; i < request.hostdev_count; i++) {
            if (request.hostdevs[i].device != SIZE_MAX && random() % 2)
                change(&sources[i]);
        }
        if (rewrite_sources(&old, &request, sources, &changed, &error) < 0)
            fail_msg("%s: %s", error.text, text);
        if (!changed.text)
            continue;
        put_back(&old, &changed, &back);
        assert_int_equal(back.length, old.length);
        assert_memory_equal(back.text, old.text, old.length);
    }
}

TEST(large)
{
    AUTO_FREE char *text = NULL;
    AUTO_FREE unsigned *numbers = calloc(201, sizeof(*numbers));

    scene_stop(&scene);
    scene_start(&scene, "gpu mtty rule pool 400\ntype mtty-2 \"Dual port serial\" uses 2\n");
    scene_configure(&scene, "migrate_uuid = \"new\"; default_class = \"small\";\n"
                            "classes = { small = { types = [ \"mtty-2\" ]; }; };\n");
    for (unsigned i = 0; i < 200; i++)
        numbers[i] = i + 1;
    text = scene_xml(1, "", numbers);
    assert_int_equal(scene_hook(&scene, text, "migrate", "begin"), 0);
    assert_int_equal(strlen(scene.printed), strlen(text));
    for (unsigned i = 1; i <= 200; i++)
        assert_renamed(text, i, scene.printed);
    assert_string_equal(scene.printed, text);
}
