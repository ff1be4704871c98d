/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Guests that arrive at hosts with virtual functions: which function they get, and which state it
 * has then. */

#include "fake/scene.h"

#include <stdio.h>
#include <string.h>

#define T4     "gpu 0000:18:00.0 rule size numa 0 board \"GRID T4\"\n"
#define CARD1  "0000:3d:00.0"
#define CARD2  "0000:41:00.0"
#define FIRST  "gpu " CARD1 " vf vfs 3 rule size numa 0 board \"NVIDIA L40S\"\n"
#define SECOND "gpu " CARD2 " vf vfs 2 rule size numa 0 board \"NVIDIA L40S\"\n"

/* The types that both kinds of card have, by size. */
#define CLASSES                                                                                    \
    "classes = { big = { types = [ \"T4-16Q\", \"L40S-16Q\" ]; };"                                 \
    "            all = { types = [ \"L40S-48Q\" ]; }; };\n"
#define BIG    "<vgpu:device alias=\"ua-gpu1\" class=\"big\"/>"
#define TWELVE "<vgpu:device alias=\"ua-gpu2\" type=\"L40S-12Q\"/>"
#define BIG2   "<vgpu:device alias=\"ua-gpu2\" class=\"big\"/>"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = NULL};
#define TEST(function) SCENE_TEST(function, here)

static void
begin(const char *machine, const char *config)
{
    AUTO_FREE char *text = NULL;

    scene_start(&scene, machine);
    assert_true(asprintf(&text, CLASSES "release_timeout = \"300ms\";\n%s", config) > 0);
    scene_configure(&scene, text);
}

/* A guest with one vGPU of class big. The caller frees it. */
static char *
guest_at(unsigned guest, const char *source)
{
    return scene_xml_of(guest, BIG, (const char *const[]){source, NULL});
}

/* NULL: the hook prints nothing, so the document stays as it is. */
static void
becomes(const char *xml, const char *operation, const char *expected)
{
    if (scene_hook(&scene, xml, operation, "begin") != 0)
        fail_msg("%s", scene.said);
    assert_string_equal(scene.said, "");
    assert_string_equal(scene.printed, expected ? expected : "");
}

static void
arrives_at(unsigned guest, const char *from, const char *to)
{
    AUTO_FREE char *xml = guest_at(guest, from), *moved = guest_at(guest, to);

    becomes(xml, "migrate", strcmp(from, to) ? moved : NULL);
}

TEST(its_own_is_kept_when_it_is_free)
{
    const char *own = scene_function(CARD1, 1);

    begin(FIRST SECOND, "");
    arrives_at(1, own, own);
    assert_int_equal(scene_leases(&scene, "reserved"), 1);
    assert_int_equal(fake_count(&scene.kernel), 0);
    assert_int_equal(scene_prepare_at(&scene, 1, own, "L40S-16Q"), 0);
    scene_assert_type(&scene, own, "nvidia-1154");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* The guest's own function has another guest's vGPU, of the requested type. The card has no room
 * for one more vGPU. */
TEST(one_of_another_card_instead)
{
    const char *own = scene_function(CARD1, 1), *other = scene_function(CARD2, 0);

    begin(FIRST SECOND, "");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fake_make(&scene.kernel, scene_function(CARD1, i), "nvidia-1154", NULL),
                         0);
    arrives_at(1, own, other);
    assert_int_equal(scene_prepare_at(&scene, 1, other, "L40S-16Q"), 0);
    scene_assert_type(&scene, other, "nvidia-1154");
    assert_int_equal(scene_release_at(&scene, 1, other), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    assert_int_equal(fake_count(&scene.kernel), 3);
}

/* A document with a text inserted before some words of it. The caller frees it. */
static char *
put_before(const char *xml, const char *words, const char *text)
{
    const char *place = strstr(xml, words);
    char *ret;

    assert_non_null(place);
    assert_true(asprintf(&ret, "%.*s%s%s", (int)(place - xml), xml, text, place) > 0);
    return ret;
}

/* The document as libvirt 12.1 and 12.2 and later write it. The caller frees it. */
static char *
guest_with_iommufd(unsigned guest, const char *source)
{
    AUTO_FREE char *plain = guest_at(guest, source);
    AUTO_FREE char *driver =
        put_before(plain, "</hostdev>", "<driver name=\"vfio\" iommufd='yes'/>\n");

    return put_before(driver, "<devices>", "<iommufd enabled='yes' fdgroup=\"gpu 1\"/>\n");
}

/* The hook does not touch the part that says how QEMU gets the device. This part stays the same,
 * byte for byte. */
TEST(iommufd_stays)
{
    const char *own = scene_function(CARD1, 1), *other = scene_function(CARD2, 0);
    AUTO_FREE char *xml = guest_with_iommufd(1, own), *moved = guest_with_iommufd(1, other);

    begin(FIRST SECOND, "");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fake_make(&scene.kernel, scene_function(CARD1, i), "nvidia-1154", NULL),
                         0);
    becomes(xml, "migrate", moved);
    becomes(xml, "restore", moved);
    assert_int_equal(scene_hook(&scene, moved, "prepare", "begin"), 0);
    scene_assert_type(&scene, other, "nvidia-1154");
    assert_int_equal(scene_hook(&scene, moved, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* Somebody else made a vGPU of the requested type on the function. A guest that comes from another
 * host does not get this vGPU. */
TEST(a_foreign_one_is_not_taken)
{
    const char *own = scene_function(CARD1, 1);

    begin(FIRST SECOND, "");
    assert_int_equal(fake_make(&scene.kernel, own, "nvidia-1154", NULL), 0);
    arrives_at(1, own, scene_function(CARD1, 0));
    assert_int_equal(scene_leases(&scene, "reserved"), 1);
}

/* The guest's own device on the other host is no function of a GPU here, or does not exist. */
TEST(an_address_that_means_something_else_here)
{
    begin("pci 0000:00:1f.2 driver ahci\n" FIRST, "");
    arrives_at(1, "0000:00:1f.2", scene_function(CARD1, 0));
    arrives_at(2, "0000:e7:00.4", scene_function(CARD1, 1));
    arrives_at(3, CARD1, scene_function(CARD1, 2));
}

TEST(another_guest_meanwhile_gets_another)
{
    const char *own = scene_function(CARD1, 0), *next = scene_function(CARD1, 1);

    begin(FIRST SECOND, "");
    arrives_at(1, own, own);
    arrives_at(2, own, next);
    assert_int_equal(scene_leases(&scene, "reserved"), 2);
    assert_int_equal(scene_prepare_at(&scene, 3, own, "L40S-16Q"), 1);
    scene_assert_said(&scene, "0000:3d:00.4 belongs to the guest guest1 (reserved)");
    scene_assert_said(&scene, "could be on 0000:3d:00.6, 0000:41:00.4, 0000:41:00.5\n");
    assert_int_equal(scene_prepare_at(&scene, 2, next, "L40S-16Q"), 0);
    assert_int_equal(scene_prepare_at(&scene, 1, own, "L40S-16Q"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_leases(&scene, ""), 2);
}

static int
drain_and_lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/drained/" CARD1, "");
    return fake_clock_lock(host, fd, nanoseconds);
}

/* An administrator drains the card after the arrival's look, and before its decision. */
TEST(a_card_that_was_just_drained_is_passed_over)
{
    struct host_ops ops;

    begin(FIRST SECOND, "");
    ops = *scene.kernel.host.ops;
    ops.lock = drain_and_lock;
    scene.kernel.host.ops = &ops;
    arrives_at(1, scene_function(CARD1, 0), scene_function(CARD2, 0));
}

/* The hook promises neither another size nor one vGPU too many. */
TEST(what_is_promised_is_room_taken)
{
    AUTO_FREE char *all = scene_xml_at(2, scene_function(CARD1, 1), "class=\"all\"");
    AUTO_FREE char *moved = scene_xml_at(2, scene_function(CARD2, 0), "class=\"all\"");

    begin(FIRST SECOND, "");
    arrives_at(1, scene_function(CARD1, 0), scene_function(CARD1, 0));
    becomes(all, "migrate", moved);
    arrives_at(3, scene_function(CARD2, 1), scene_function(CARD1, 1));
}

TEST(the_next_try_replaces_the_first)
{
    const char *own = scene_function(CARD1, 0), *next = scene_function(CARD1, 1);

    begin(FIRST SECOND, "");
    for (unsigned i = 0; i < 3; i++) {
        arrives_at(1, own, own);
        assert_int_equal(scene_leases(&scene, ""), 1);
    }
    assert_int_equal(fake_make(&scene.kernel, own, "nvidia-1154", NULL), 0);
    arrives_at(1, own, next);
    assert_int_equal(scene_leases(&scene, ""), 1);
    /* The start of the guest keeps only the vGPU that its XML names. */
    assert_int_equal(scene_prepare_at(&scene, 1, scene_function(CARD2, 0), "L40S-16Q"), 0);
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

/* The start failed, or the guest never came. Then only a line of the ledger is left. */
TEST(a_promise_is_given_back)
{
    const char *own = scene_function(CARD1, 0);

    begin(FIRST, "");
    arrives_at(1, own, own);
    assert_int_equal(scene_release_at(&scene, 1, own), 0);
    scene_assert_empty(&scene);
}

/* Makes all leases as old as the host. */
static void
age_leases(void)
{
    char text[4096], aged[4096];
    size_t at = 0;
    char *rest = text, *line;
    ssize_t length = host_read(&scene.kernel.host, text, sizeof(text), "run/libvirt-vgpu/ledger");

    assert_true(length > 0);
    while ((line = strsep(&rest, "\n")) && *line) {
        char *time = strrchr(line, ' ');

        if (at)
            *time = '\0';
        at += (size_t)snprintf(aged + at, sizeof(aged) - at, at ? "%s 0\n" : "%s\n", line);
    }
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", aged);
}

/* After a minute the promised place is free for everybody: for a start and for an arrival, even if
 * it is the last place. */
TEST(a_promise_ends)
{
    const char *last = scene_function(CARD2, 1);

    begin(SECOND, "");
    assert_int_equal(scene_prepare_at(&scene, 1, scene_function(CARD2, 0), "L40S-16Q"), 0);
    arrives_at(2, last, last);
    assert_int_equal(scene_prepare_at(&scene, 3, last, "L40S-16Q"), 1);
    scene_assert_said(&scene, "belongs to the guest guest2 (reserved)");
    scene_assert_said(&scene, "no other virtual function");
    age_leases();
    arrives_at(3, "0000:e7:00.4", last);
    assert_int_equal(scene_leases(&scene, "reserved"), 1);
    age_leases();
    assert_int_equal(scene_prepare_at(&scene, 4, last, "L40S-16Q"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_leases(&scene, ""), 2);
}

TEST(each_device_gets_its_own)
{
    const char *one = scene_function(CARD1, 0), *two = scene_function(CARD1, 1);
    AUTO_FREE char *xml = scene_xml_of(1, BIG BIG2, (const char *const[]){two, one, NULL});
    AUTO_FREE char *shifted =
        scene_xml_of(2, BIG BIG2, (const char *const[]){two, "0000:e7:00.4", NULL});
    AUTO_FREE char *moved = scene_xml_of(
        2, BIG BIG2,
        (const char *const[]){scene_function(CARD1, 2), scene_function(CARD2, 0), NULL});

    begin(FIRST SECOND, "");
    becomes(xml, "migrate", NULL);
    becomes(shifted, "restore", moved);
    assert_int_equal(scene_leases(&scene, "reserved"), 4);
    assert_int_equal(scene_hook(&scene, moved, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 4);
    assert_int_equal(fake_count(&scene.kernel), 4);
}

/* Two devices need two sizes, which one card cannot have at once. Each device could stay alone, but
 * not both. */
TEST(two_that_cannot_both_stay)
{
    const char *one = scene_function(CARD1, 0), *two = scene_function(CARD1, 1);
    AUTO_FREE char *xml = scene_xml_of(1, BIG TWELVE, (const char *const[]){one, two, NULL});
    AUTO_FREE char *moved =
        scene_xml_of(1, BIG TWELVE, (const char *const[]){one, scene_function(CARD2, 0), NULL});

    begin(FIRST SECOND, "");
    becomes(xml, "migrate", moved);
    assert_int_equal(scene_hook(&scene, moved, "prepare", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
}

/* The card is full today. Only prepare refuses for this reason, and says where else the guest could
 * be. */
TEST(full_is_not_refused_here)
{
    const char *own = scene_function(CARD1, 0);

    begin(FIRST, "");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(scene_prepare_at(&scene, 11 + i, scene_function(CARD1, i), "L40S-16Q"), 0);
    arrives_at(1, own, own);
    assert_int_equal(scene_leases(&scene, "reserved"), 0);
    assert_int_equal(scene_prepare_at(&scene, 1, own, "L40S-16Q"), 1);
    scene_assert_said(&scene, "the vGPU 0000:3d:00.4 belongs to the guest guest11 (held)");
    /* The guest's own devices are not on a GPU of this host. Each of them gets a different
     * function, where it could be another day. */
    arrives_at(1, "0000:e7:00.4", own);
    assert_int_equal(scene_leases(&scene, ""), 3);
}

/* On a full card some functions have no vGPU. The guest gets one of these, and not a function with
 * another guest's vGPU of the same type. */
TEST(what_others_made_is_not_arrived_at)
{
    begin("gpu " CARD1 " vf vfs 4 rule size numa 0 board \"NVIDIA L40S\"\n"
          "gpu 0000:e7:00.0 vf vfs 4 rule size numa 0 board \"NVIDIA L40S\"\n",
          "gpus = ( { address = \"0000:e7:00.0\"; enabled = false; } );");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(fake_make(&scene.kernel, scene_function(CARD1, i), "nvidia-1154", NULL),
                         0);
    arrives_at(1, "0000:99:00.4", scene_function(CARD1, 3));
    assert_int_equal(scene_prepare_at(&scene, 1, scene_function(CARD1, 3), "L40S-16Q"), 1);
    scene_assert_said(&scene, "is full (3 of 3)");
}

TEST(never_is_refused)
{
    static const char no[] = "managed='no'";
    AUTO_FREE char *xml = guest_at(1, scene_function(CARD1, 0));
    AUTO_FREE char *managed = NULL;
    const char *word;

    begin(FIRST, "gpus = ({ address = \"" CARD1 "\"; enabled = false; });");
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 1);
    scene_assert_said(&scene, CARD1);
    scene_assert_said(&scene, "is disabled by /etc/libvirt-vgpu/vgpu.conf:3");
    scene_configure(&scene, CLASSES);
    fake_write(&scene.kernel, "var/lib/libvirt-vgpu/drained/" CARD1, "");
    /* A drain is for today, and prepare's to judge. */
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "is drained (see vgpuctl undrain)");
    unlinkat(scene.kernel.host.root, "var/lib/libvirt-vgpu/drained/" CARD1, 0);
    word = strstr(xml, no);
    assert_true(
        asprintf(&managed, "%.*smanaged='yes'%s", (int)(word - xml), xml, word + strlen(no)) > 0);
    assert_int_equal(scene_hook(&scene, managed, "migrate", "begin"), 1);
    scene_assert_said(&scene, "says managed='yes': libvirt would take it from its GPU's driver");
    assert_string_equal(scene.printed, "");
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* release = "keep": the guest's own device waits for the guest, and is used again unchanged. */
TEST(a_kept_one_is_kept)
{
    const char *own = scene_function(CARD1, 1);
    unsigned writes;

    begin(FIRST SECOND, "release = \"keep\";");
    assert_int_equal(scene_prepare_at(&scene, 1, own, "L40S-16Q"), 0);
    assert_int_equal(scene_release_at(&scene, 1, own), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    writes = scene.kernel.faults->writes;
    arrives_at(1, own, own);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_int_equal(scene_prepare_at(&scene, 1, own, "L40S-16Q"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene.kernel.faults->writes, writes);
    scene_assert_type(&scene, own, "nvidia-1154");
}

/* The guest's own function is still there, as it was in use when the guest ended. */
TEST(a_leaving_one_is_taken_back)
{
    const char *own = scene_function(CARD1, 1);
    struct fake_guest stray;
    unsigned writes;

    begin(FIRST SECOND, "");
    assert_int_equal(scene_prepare_at(&scene, 1, own, "L40S-16Q"), 0);
    stray = fake_open(&scene.kernel, own);
    assert_int_equal(scene_release_at(&scene, 1, own), 0);
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    arrives_at(1, own, scene_function(CARD1, 0));
    fake_close(&stray);
    writes = scene.kernel.faults->writes;
    arrives_at(1, own, own);
    assert_int_equal(scene_prepare_at(&scene, 1, own, "L40S-16Q"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene.kernel.faults->writes, writes);
    scene_assert_type(&scene, own, "nvidia-1154");
}

/* A start may take the room of other guests' kept vGPUs. So an arrival is sent to one of these
 * functions, and not to a function whose vGPU is held. */
TEST(kept_ones_of_others_are_room)
{
    const char *held = scene_function(CARD2, 0), *kept = scene_function(CARD2, 1);

    begin(SECOND, "release = \"keep\";");
    assert_int_equal(scene_prepare_at(&scene, 2, held, "L40S-16Q"), 0);
    assert_int_equal(scene_prepare_at(&scene, 3, kept, "L40S-16Q"), 0);
    assert_int_equal(scene_release_at(&scene, 3, kept), 0);
    arrives_at(1, held, kept);
    if (scene_prepare_at(&scene, 1, kept, "L40S-16Q") != 0)
        fail_msg("%s", scene.said);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_leases(&scene, ""), 2);
}

/* By the ledger the function belongs to another guest, even if its type has changed. So nobody else
 * may have it. */
TEST(one_that_lost_its_type_is_not_given_away)
{
    const char *own = scene_function(CARD1, 0);

    begin(FIRST, "");
    assert_int_equal(scene_prepare_at(&scene, 2, own, "L40S-16Q"), 0);
    assert_int_equal(fake_remove(&scene.kernel, own), 0);
    arrives_at(1, own, scene_function(CARD1, 1));
    assert_int_equal(scene_prepare_at(&scene, 3, own, "L40S-16Q"), 1);
    scene_assert_said(&scene, "belongs to the guest guest2 (held)");
    scene_assert_said(&scene, "could be on 0000:3d:00.6\n");
}

/* --- from one kind of host to the other ------------------------------------------------------- */

#define HEAD                                                                                       \
    "<domain type='kvm'><name>guest1</name><uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>"      \
    "<metadata><vgpu:request xmlns:vgpu='urn:libvirt-vgpu:domain:1'>"
#define LINKED HEAD "<vgpu:device alias='ua-gpu1' class='big'/></vgpu:request></metadata><devices>"
#define ALONE  HEAD "<vgpu:device class='big'/></vgpu:request></metadata><devices>"
#define BY_UUID                                                                                    \
    HEAD "<vgpu:device uuid='" DEVICE "' class='big'/></vgpu:request></metadata><devices>"
#define DEVICE "dddddddd-0000-4000-8000-000000000001"
#define TAIL                                                                                       \
    "<alias name='ua-gpu1'/><address type='pci' domain='0x0000' bus='0x07' slot='0x02' "           \
    "function='0x1'/></hostdev></devices></domain>"
#define MDEV(more) "<hostdev mode='subsystem' type='mdev' managed='no' model='vfio-pci'" more ">"
#define PCI        "<hostdev mode='subsystem' type='pci' managed='no'>"
#define AT_UUID    "<source><address uuid='" DEVICE "'/></source>"
#define AT(bus, slot, function)                                                                    \
    "<source><address domain='0x0000' bus='" bus "' slot='" slot "' function='" function           \
    "'/></source>"

TEST(a_mediated_device_becomes_a_function)
{
    static const char moved[] = LINKED PCI AT("0x3d", "0x00", "0x4") TAIL;

    begin(FIRST, "");
    becomes(LINKED MDEV("") AT_UUID TAIL, "migrate", moved);
    assert_int_equal(scene_leases(&scene, "reserved"), 1);
    becomes(LINKED MDEV(" display='off' ramfb='off'") AT_UUID TAIL, "restore", moved);
    assert_int_equal(scene_hook(&scene, moved, "prepare", "begin"), 0);
    scene_assert_type(&scene, "0000:3d:00.4", "nvidia-1154");
    assert_int_equal(scene_hook(&scene, moved, "release", "end"), 0);
    scene_assert_empty(&scene);
}

TEST(a_function_becomes_a_mediated_device)
{
    static const char xml[] = LINKED PCI AT("0x3d", "0x00", "0x4") TAIL;
    AUTO_FREE char *printed = NULL;
    char *uuid;

    begin(T4, "");
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    printed = strdup(scene.printed);
    uuid = strstr(printed, " uuid='");
    assert_non_null(uuid);
    assert_int_equal(scene_hook(&scene, printed, "prepare", "begin"), 0);
    assert_int_equal(fake_count(&scene.kernel), 1);
    assert_int_equal(scene_hook(&scene, printed, "release", "end"), 0);
    scene_assert_empty(&scene);
    memcpy(uuid + strlen(" uuid='"), DEVICE, strlen(DEVICE));
    assert_string_equal(printed, LINKED MDEV("") AT_UUID TAIL);
}

/* If a host has both kinds, the device keeps its kind as long as that kind has room. */
TEST(its_kind_is_kept_where_it_has_room)
{
    static const char xml[] = LINKED MDEV("") AT_UUID TAIL;
    static const char function[] = LINKED PCI AT("0x3d", "0x00", "0x5") TAIL;

    begin(T4 FIRST, "");
    becomes(xml, "migrate", NULL);
    becomes(function, "migrate", NULL);
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-234", scene_device(9)), 0);
    becomes(xml, "migrate", LINKED PCI AT("0x3d", "0x00", "0x4") TAIL);
    assert_int_equal(scene_leases(&scene, ""), 1);
}

/* The same where the device cannot stay, though the card of the other kind suits better: the device
 * would fill it. */
TEST(another_place_of_its_kind_comes_first)
{
    static const char elsewhere[] = LINKED PCI AT("0xe7", "0x00", "0x4") TAIL;
    const char *one = scene_function(CARD1, 0), *two = scene_function(CARD1, 1);
    AUTO_FREE char *xml = scene_xml_of(1, BIG TWELVE, (const char *const[]){one, two, NULL});
    AUTO_FREE char *moved =
        scene_xml_of(1, BIG TWELVE, (const char *const[]){one, scene_function(CARD2, 0), NULL});

    begin(T4 FIRST SECOND, "");
    becomes(elsewhere, "migrate", LINKED PCI AT("0x3d", "0x00", "0x4") TAIL);
    scene_stop(&scene);
    begin(T4 FIRST SECOND, "");
    becomes(xml, "migrate", moved);
}

/* The other device changes its kind, as its own has no room. */
TEST(one_that_can_stay_stays_beside_one_that_changes)
{
    const char *first = scene_function(CARD1, 0), *second = scene_function(CARD1, 1);
    AUTO_FREE char *xml =
        scene_xml_of(1, BIG BIG2, (const char *const[]){second, scene_device(1), NULL});
    AUTO_FREE char *moved = scene_xml_of(1, BIG BIG2, (const char *const[]){second, first, NULL});

    begin(T4 FIRST, "");
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-234", scene_device(9)), 0);
    becomes(xml, "migrate", moved);
}

/* The one that could stay leaves its card, because the other needs that card for another size. */
TEST(none_stays_if_else_one_has_no_room)
{
    const char *own = scene_function(CARD1, 0), *other = scene_function(CARD2, 1);
    AUTO_FREE char *xml =
        scene_xml_of(1, BIG TWELVE, (const char *const[]){own, scene_device(1), NULL});
    AUTO_FREE char *moved = scene_xml_of(1, BIG TWELVE, (const char *const[]){other, own, NULL});

    begin(FIRST SECOND, "");
    assert_int_equal(scene_prepare_at(&scene, 11, scene_function(CARD2, 0), "L40S-16Q"), 0);
    becomes(xml, "migrate", moved);
    assert_int_equal(scene_leases(&scene, "reserved"), 2);
}

/* A device with a display cannot become a PCI device. Nor can a device that a link names by its
 * UUID, or without a name because it is the only device. Such a link would lead nowhere. */
TEST(some_never_change_their_kind)
{
    static const char *const rows[] = {
        LINKED MDEV(" display='on'") AT_UUID TAIL,
        LINKED MDEV(" display='on' ramfb='on'") AT_UUID TAIL,
        BY_UUID MDEV("") AT_UUID TAIL,
        ALONE MDEV("") AT_UUID TAIL,
    };

    begin(FIRST, "");
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(scene_hook(&scene, rows[i], "migrate", "begin"), 1);
        scene_assert_said(&scene, CARD1 " makes vGPUs for <hostdev type='pci'>");
        assert_string_equal(scene.printed, "");
        assert_int_equal(scene_leases(&scene, ""), 0);
    }
}

/* The guest goes there, back, and there again. Each time nothing is left on the host that the guest
 * left. */
TEST(there_and_back)
{
    AUTO_FREE char *xml = strdup(LINKED MDEV("") AT_UUID TAIL);

    for (unsigned i = 0; i < 4; i++) {
        begin(i % 2 ? T4 : FIRST, "");
        assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
        free(xml);
        xml = strdup(scene.printed);
        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
        assert_int_equal(fake_count(&scene.kernel), 1);
        assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
        scene_assert_empty(&scene);
        if (i < 3)
            scene_stop(&scene);
    }
}
