/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A guest that takes a whole GPU as a PCI hostdev, and the vGPUs of other guests on that GPU. */

#include "base/array.h"
#include "base/memory.h"
#include "fake/listener.h"
#include "fake/typed.h"
#include "lease/statedir.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define STATE "run/libvirt-vgpu"
#define T4    "0000:18:00.0" /* makes mediated devices */
#define T4B   "0000:3b:00.0"
#define L40S  "0000:3d:00.0" /* has functions with types */
#define V620  "0000:c1:00.0" /* has functions in its own slot */
#define AUDIO "0000:18:00.1"
#define NIC   "0000:41:00.0"
#define FREE  "0000:c2:00.0" /* is bound to vfio-pci already */
#define TYPES " rule size\ntype nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 1\n"
#define FUNCTION(number)                                                                           \
    "pci 0000:c1:00." #number " driver vfio-pci physfn " V620 " vendor 1002 device 73ae class "    \
    "0x030000\n"
#define MACHINE                                                                                    \
    "gpu " T4 TYPES "gpu " L40S " vf vfs 4 rule size\n"                                            \
    "type nvidia-1154 \"NVIDIA L40S-16Q\" framebuffer 16384 max 3\n"                               \
    "pci " AUDIO " driver snd_hda_intel class 0x040300\n"                                          \
    "pci " NIC " driver mlx5_core class 0x020000\n"                                                \
    "pci " V620 " driver amdgpu vendor 1002 device 73a1 class 0x030000\n" FUNCTION(1) FUNCTION(2)  \
        FUNCTION(3) FUNCTION(4) "pci " FREE " driver vfio-pci vendor 1002 device 73a1 class "      \
                                "0x030000\n"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE};
static const struct scene_case two_cards = {.scene = &scene,
                                            .machine = "gpu " T4 TYPES "gpu " T4B TYPES};
/* An NVMe card and its functions. */
#define NVME "0000:c5:00.0"
#define NVME_FUNCTION(number)                                                                      \
    "pci 0000:c5:00." #number " driver vfio-pci physfn " NVME " class 0x010802\n"
#define NVME_MACHINE "pci " NVME " driver nvme class 0x010802\n" NVME_FUNCTION(1) NVME_FUNCTION(2)
static const struct scene_case disks = {.scene = &scene, .machine = MACHINE NVME_MACHINE};
static const struct scene_case pool = {
    .scene = &scene,
    .machine = MACHINE,
    .configuration = "pools = { v620 = { functions = [ \"0000:c1:00.*\" ]; }; "
                     "whole = { functions = [ \"" FREE "\" ]; }; };\n"};

/* --- guests that ask us for nothing ----------------------------------------------------------- */

static int
event(unsigned guest, const char *const *sources, const char *operation, const char *sub)
{
    AUTO_FREE char *xml = scene_xml_of(guest, "", sources);

    return scene_hook(&scene, xml, operation, sub);
}

static int
prepare(unsigned guest, const char *card)
{
    return event(guest, (const char *const[]){card, NULL}, "prepare", "begin");
}

static void
takes(unsigned guest, const char *card)
{
    if (prepare(guest, card) != 0)
        fail_msg("%s", scene.said);
}

static int
release(unsigned guest, const char *card)
{
    return event(guest, (const char *const[]){card, NULL}, "release", "end");
}

/* A guest that takes a PCI device by another element than <hostdev>. */
static int
prepare_with(unsigned guest, const char *element, const char *operation)
{
    AUTO_FREE char *plain = scene_xml_of(guest, "", (const char *const[]){NULL});
    AUTO_FREE char *xml = NULL;
    char *end = strstr(plain, "</devices>");

    assert_non_null(end);
    assert_true(asprintf(&xml, "%.*s%s%s", (int)(end - plain), plain, element, end) > 0);
    return scene_hook(&scene, xml, operation, "begin");
}

static size_t
entries(const char *directory)
{
    AUTO(names_clear) struct names names = {0};

    return host_list(&scene.kernel.host, &names, STATE "/%s", directory) == 0 ? names.count : 0;
}

/* libvirt's status file of a running guest with these devices. */
static void
write_status(unsigned guest, const char *const *sources)
{
    AUTO_FREE char *xml = scene_xml_of(guest, "", sources);

    scene_put_status(&scene, guest, getpid(), xml);
}

static void
runs(unsigned guest, const char *source)
{
    write_status(guest, (const char *const[]){source, NULL});
    assert_int_equal(event(guest, (const char *const[]){source, NULL}, "started", "begin"), 0);
}

static void
ends(unsigned guest)
{
    char path[64];

    snprintf(path, sizeof(path), "run/libvirt/qemu/guest%u.xml", guest);
    assert_int_equal(unlinkat(scene.kernel.host.root, path, 0), 0);
}

/* As if the daemon that ran the guest had ended. */
static void
daemon_ends(const char *card, unsigned guest)
{
    const int root = scene.kernel.host.root;
    char path[128], target[512], changed[600];
    ssize_t length;

    snprintf(path, sizeof(path), STATE "/whole/%s.aaaaaaaa-0000-4000-8000-%012u", card, guest);
    length = readlinkat(root, path, target, sizeof(target) - 1);
    assert_true(length > 0);
    target[length] = '\0';
    snprintf(changed, sizeof(changed), "1073741823%s", strchr(target, '.'));
    assert_int_equal(unlinkat(root, path, 0), 0);
    assert_int_equal(symlinkat(changed, root, path), 0);
}

/* --- the refusal ------------------------------------------------------------------------------ */

SCENE_TEST(a_card_with_a_vgpu_is_refused, here)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    assert_int_equal(prepare(2, T4), 1);
    scene_assert_said(&scene,
                      "guest2: it takes the whole card " T4 ", and the guest guest1 has dddddddd-");
    assert_int_equal(entries("whole"), 0);
    assert_int_equal(release(2, T4), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    takes(2, T4);
    assert_int_equal(entries("whole"), 1);
    assert_int_equal(release(2, T4), 0);
    assert_int_equal(entries("whole"), 0);
    assert_int_equal(entries("released"), 0);
    scene_assert_empty(&scene);
}

SCENE_TEST(managed_or_with_a_request_it_is_the_same, here)
{
    AUTO_FREE char *plain = scene_xml_of(2, "", (const char *const[]){T4, NULL});
    AUTO_FREE char *managed = scene_managed(plain);
    AUTO_FREE char *asking = scene_xml_of(3, "<vgpu:device alias=\"ua-gpu2\" type=\"L40S-16Q\"/>",
                                          (const char *const[]){T4, scene_function(L40S, 0), NULL});

    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    assert_int_equal(scene_hook(&scene, managed, "prepare", "begin"), 1);
    scene_assert_said(&scene, "guest2: it takes the whole card " T4);
    assert_int_equal(scene_hook(&scene, asking, "prepare", "begin"), 1);
    scene_assert_said(&scene, "guest3: it takes the whole card " T4);
    assert_int_equal(scene_leases(&scene, ""), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_hook(&scene, asking, "prepare", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(entries("whole"), 1);
    assert_int_equal(scene_hook(&scene, asking, "release", "end"), 0);
    assert_int_equal(entries("whole"), 0);
    scene_assert_empty(&scene);
}

SCENE_TEST(a_function_in_a_lease_is_a_use, here)
{
    scene_must_start_at(&scene, 1, scene_function(L40S, 1), "L40S-16Q");
    assert_int_equal(prepare(2, L40S), 1);
    scene_assert_said(&scene,
                      "takes the whole card " L40S ", and the guest guest1 has 0000:3d:00.5");
}

/* Somebody typed the function, or the vGPU, by hand. No lease has it. */
SCENE_TEST(a_running_guest_is_a_use, here)
{
    takes(1, "0000:c1:00.2");
    assert_int_equal(entries("whole"), 0);
    write_status(1, (const char *const[]){"0000:c1:00.2", NULL});
    assert_int_equal(prepare(2, V620), 1);
    scene_assert_said(&scene, "and the running guest guest1 has 0000:c1:00.2 there");
    ends(1);
    takes(2, V620);
    assert_int_equal(fake_make(&scene.kernel, T4, "nvidia-222", scene_device(9)), 0);
    write_status(1, (const char *const[]){scene_device(9), NULL});
    assert_int_equal(prepare(3, T4), 1);
    scene_assert_said(&scene, "and the running guest guest1 has "
                              "dddddddd-");
}

SCENE_TEST(an_open_node_is_a_use, here)
{
    struct fake_guest guest;
    pid_t qemu;

    assert_int_equal(fake_make(&scene.kernel, T4, "nvidia-222", scene_device(9)), 0);
    guest = fake_open(&scene.kernel, scene_device(9));
    qemu = fake_hand_over(&guest);
    assert_int_equal(prepare(2, T4), 1);
    scene_assert_said(&scene, "and the process ");
    fake_end(qemu);
    takes(2, T4);
}

/* Whatever the element is called, libvirt takes the card from its driver. */
SCENE_TEST(every_element_counts, here)
{
    static const char *const elements[] = {
        "<disk type='nvme' device='disk'><source type='pci' managed='yes' namespace='1'>"
        "<address domain='0x0000' bus='0x18' slot='0x00' function='0x0'/></source></disk>",
        "<interface type='hostdev' managed='yes'><source><address type='pci' domain='0x0000' "
        "bus='0x18' slot='0x00' function='0x0'/></source></interface>",
        "<something><source><address bus='24' slot='0'/></source></something>",
    };
    static const char *const others[] = {
        "<disk type='nvme'><source type='pci' namespace='1'><address bus='0x41' slot='0'/>"
        "</source></disk>",
        "<disk type='block'><source dev='/dev/sda'><address type='drive' bus='24' slot='0'/>"
        "</source></disk>",
        "<redirdev bus='usb'><source><address bus='24' port='0'/></source></redirdev>",
        "<disk type='nvme'><address type='pci' bus='0x18' slot='0'/></disk>",
    };

    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    for (size_t i = 0; i < COUNT(elements); i++) {
        assert_int_equal(prepare_with(2, elements[i], "prepare"), 1);
        scene_assert_said(&scene, "guest2: it takes the whole card " T4 ", and the guest guest1");
    }
    for (size_t i = 0; i < COUNT(others); i++)
        assert_int_equal(prepare_with(2, others[i], "prepare"), 0);
    assert_int_equal(entries("whole"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(prepare_with(2, elements[0], "prepare"), 0);
    assert_int_equal(entries("whole"), 1);
    assert_int_equal(prepare_with(2, elements[0], "started"), 0);
}

/* A running guest that has a function by another element uses its card. */
SCENE_TEST(a_running_guest_s_other_elements_are_uses, here)
{
    scene_put_status(&scene, 9, getpid(),
                     "<domain><name>guest9</name><uuid>aaaaaaaa-0000-4000-8000-000000000009</uuid>"
                     "<devices><interface type='hostdev'><source><address type='pci' domain='0' "
                     "bus='0xc1' slot='0' function='2'/></source></interface></devices></domain>");
    assert_int_equal(prepare(2, V620), 1);
    scene_assert_said(&scene, "the running guest guest9 has 0000:c1:00.2 there");
}

/* A card that is no GPU counts if a pool or a lease names one of its functions. */
SCENE_TEST(the_card_of_a_pool_counts, disks)
{
    static const char pools[] = "pools = { disk = { functions = [ \"0000:c5:00.1\" ]; }; };\n";

    takes(2, NVME);
    assert_int_equal(entries("whole"), 0);
    scene_configure(&scene, pools);
    takes(3, NVME);
    assert_int_equal(entries("whole"), 1);
    assert_int_equal(release(3, NVME), 0);
    scene_must_start_at(&scene, 1, "0000:c5:00.1", "disk");
    assert_int_equal(prepare(2, NVME), 1);
    scene_assert_said(&scene, "guest2: it takes the whole card " NVME ", and the guest guest1");
    /* Without vgpu.conf no pool is known, and the lease counts. */
    scene_configure(&scene, "pools = ;");
    assert_int_equal(prepare(2, NVME), 1);
    fake_write(&scene.kernel, STATE "/ledger", "rubbish\n");
    takes(2, NVME);
}

/* A device that is named a hundred times costs as much as one that is named once. */
SCENE_TEST(a_device_is_looked_at_once, disks)
{
    static const char element[] = "<disk type='nvme'><source type='pci' namespace='1'><address "
                                  "bus='0xc5' slot='0'/></source></disk>";
    const unsigned *opens = &scene.kernel.faults->opens;
    AUTO_FREE char *many = memory_zeroed(100, sizeof(element));
    unsigned before = *opens, once;

    assert_int_equal(prepare_with(2, element, "prepare"), 0);
    once = *opens - before;
    for (unsigned i = 0; i < 100; i++)
        strcat(many, element);
    before = *opens;
    assert_int_equal(prepare_with(3, many, "prepare"), 0);
    assert_int_equal(*opens - before, once);
}

/* --- what is never refused -------------------------------------------------------------------- */

SCENE_TEST(others_are_never_refused, here)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    takes(2, AUDIO);
    takes(3, NIC);
    takes(4, "0000:c1:00.1");
    assert_int_equal(entries("whole"), 0);
    takes(5, FREE);
    assert_int_equal(entries("whole"), 1);
    /* A card that is not there is libvirt's to refuse. */
    takes(6, "0000:77:00.0");
    /* Only prepare refuses. */
    assert_int_equal(event(7, (const char *const[]){T4, NULL}, "start", "begin"), 0);
    assert_int_equal(event(7, (const char *const[]){T4, NULL}, "started", "begin"), 0);
    assert_int_equal(event(7, (const char *const[]){T4, NULL}, "reconnect", "begin"), 0);
    assert_int_equal(release(7, T4), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

SCENE_TEST(a_kept_vgpu_is_no_use, here)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    takes(2, T4);
    scene_assert_empty(&scene);
    assert_int_equal(entries("whole"), 1);
}

/* No user of the kept vGPU is known, so the guest starts. The log says what is left on its card. */
SCENE_TEST(a_kept_vgpu_that_stays_is_logged, here)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene.kernel.faults->fail_at = scene.kernel.faults->writes + 1;
    scene.kernel.faults->fail_on = true;
    scene.kernel.faults->fail_with = EIO;
    listener_begin(&scene.kernel);
    takes(2, T4);
    if (!strstr(listener_heard(), "domain=guest2 event=prepare result=failed: "))
        fail_msg("nothing is logged");
    listener_end(&scene.kernel);
    scene_assert_type(&scene, scene_device(1), "nvidia-222");
}

SCENE_TEST(vgpu_conf_is_asked_before_a_refusal, here)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    scene_configure(&scene, "enabled = ;");
    assert_int_equal(prepare(2, T4), 1);
    scene_assert_said(&scene, "takes the whole card");
    scene_configure(&scene, "enabled = false;");
    takes(2, T4);
}

/* Somebody else has the lock all the time. A call waits for lock_timeout, whatever its guest has.
 */
SCENE_TEST(lock_timeout_is_for_all_waits, two_cards)
{
    AUTO_FREE char *xml = scene_xml_of(2, "<vgpu:device alias='ua-gpu1' type='nvidia-222'/>",
                                       (const char *const[]){scene_device(2), T4B, NULL});
    AUTO_CLOSE int lock = -1;
    uint64_t began;

    scene_configure(&scene, "lock_timeout = \"1s\";");
    takes(3, T4);
    lock = openat(scene.kernel.host.root, STATE "/lock", O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(lock, LOCK_EX), 0);
    began = fake_now();
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "another process holds /" STATE "/lock");
    assert_in_range(fake_now() - began, 1000, 1999);
    began = fake_now();
    assert_int_equal(release(3, T4), 0);
    assert_in_range(fake_now() - began, 1000, 1999);
}

/* No number of PCI hostdevs is too large. */
SCENE_TEST(many_hostdevs_are_no_fault, here)
{
    const char *sources[251];
    char addresses[250][16];

    for (unsigned i = 0; i < 250; i++) {
        snprintf(addresses[i], sizeof(addresses[i]), "0000:%02x:00.0", i);
        sources[i] = addresses[i];
    }
    sources[250] = NULL;
    assert_int_equal(event(2, sources, "prepare", "begin"), 0);
    assert_int_equal(entries("whole"), 4);
}

/* What a guest costs that takes no card: nothing, or a look at each address. Without an alias its
 * hostdevs may be no vGPUs, so vgpu.conf is not read. */
SCENE_TEST(others_cost_a_look, here)
{
    AUTO_FREE char *xml = scene_xml_of(2, "", (const char *const[]){NIC, NULL});
    const unsigned *opens = &scene.kernel.faults->opens;
    unsigned before = *opens;

    assert_int_equal(event(1, (const char *const[]){NULL}, "prepare", "begin"), 0);
    assert_int_equal(*opens, before);
    memcpy(strstr(xml, "<alias "), "<other ", strlen("<other "));
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_int_equal(*opens, before + 1);
    assert_false(host_exists(&scene.kernel.host, STATE));
}

/* A broken ledger proves nothing. */
SCENE_TEST(doubt_passes, here)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    fake_write(&scene.kernel, STATE "/ledger", "rubbish\n");
    takes(2, T4);
    assert_int_equal(entries("whole"), 0);
}

/* --- placement -------------------------------------------------------------------------------- */

SCENE_TEST(placement_passes_a_taken_card_over, two_cards)
{
    takes(1, T4);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "nvidia-222"), 1);
    scene_assert_said(&scene, T4 " is given to another guest as a whole card, " T4B " is full");
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    takes(4, T4B);
    assert_int_equal(release(4, T4B), 0);
    assert_int_equal(release(1, T4), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "nvidia-222"), 0);
}

SCENE_TEST(a_guest_gets_no_vgpu_on_its_own_card, two_cards)
{
    const char *const device = "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\"/>";
    AUTO_FREE char *one = scene_xml_of(1, device, (const char *const[]){scene_device(1), T4, NULL});
    AUTO_FREE char *both =
        scene_xml_of(1, device, (const char *const[]){scene_device(1), T4, T4B, NULL});

    assert_int_equal(scene_hook(&scene, one, "prepare", "begin"), 0);
    assert_int_equal(scene_hook(&scene, one, "release", "end"), 0);
    assert_int_equal(scene_hook(&scene, both, "prepare", "begin"), 1);
    scene_assert_said(&scene, T4 " is this guest's own: it takes the whole card");
    assert_int_equal(scene_hook(&scene, both, "release", "end"), 0);
    assert_int_equal(entries("whole"), 0);
    scene_assert_empty(&scene);
}

/* The guest kept a vGPU on the card that it takes now. The vGPU is made anew elsewhere. */
SCENE_TEST(its_own_kept_vgpu_moves, two_cards)
{
    const char *const device = "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\"/>";
    AUTO_FREE char *xml = scene_xml_of(1, device, (const char *const[]){scene_device(1), T4, NULL});

    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
    assert_true(host_exists(&scene.kernel.host, "sys/class/mdev_bus/" T4 "/%s", scene_device(1)));
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    assert_true(host_exists(&scene.kernel.host, "sys/class/mdev_bus/" T4B "/%s", scene_device(1)));
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(entries("whole"), 1);
}

/* --- until when a link counts ----------------------------------------------------------------- */

SCENE_TEST(a_start_that_never_ran_waits_for_its_release, here)
{
    fake_write(&scene.kernel, "run/libvirt/qemu/other.xml", "<domstatus/>");
    takes(1, T4);
    scene_reconcile(&scene);
    assert_int_equal(entries("whole"), 1);
    daemon_ends(T4, 1);
    scene_reconcile(&scene);
    assert_int_equal(entries("whole"), 0);
}

SCENE_TEST(a_dead_daemon_s_guest_keeps_its_card, here)
{
    takes(1, T4);
    runs(1, T4);
    assert_int_equal(entries("ran"), 1);
    daemon_ends(T4, 1);
    scene_reconcile(&scene);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 1);
    assert_int_equal(entries("whole"), 1);
    ends(1);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 0);
    assert_int_equal(entries("whole"), 0);
    assert_int_equal(entries("ran"), 0);
}

/* The release was killed before its mark, or never came. */
SCENE_TEST(a_release_that_never_came_is_made_up_for, here)
{
    takes(1, T4);
    runs(1, T4);
    scene_reconcile(&scene);
    assert_int_equal(entries("whole"), 1);
    ends(1);
    fake_write(&scene.kernel, "run/libvirt/qemu/other.xml", "<domstatus/>");
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 0);
    assert_int_equal(entries("whole"), 0);
}

SCENE_TEST(a_card_that_was_detached_is_free, here)
{
    takes(1, T4);
    runs(1, T4);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 1);
    write_status(1, (const char *const[]){NIC, NULL});
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 0);
    assert_int_equal(entries("whole"), 0);
}

/* The guest's start goes on, and its status file may be of its last run. */
SCENE_TEST(a_card_is_not_free_before_the_guest_ran, here)
{
    takes(1, T4);
    write_status(1, (const char *const[]){NIC, NULL});
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 1);
    assert_int_equal(entries("whole"), 1);
}

/* If there are no such files, nothing is concluded from that. */
SCENE_TEST(without_status_files_nothing_ends, here)
{
    takes(1, T4);
    assert_int_equal(event(1, (const char *const[]){T4, NULL}, "started", "begin"), 0);
    assert_int_equal(entries("ran"), 1);
    scene_reconcile(&scene);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 1);
    assert_int_equal(entries("whole"), 1);
    assert_int_equal(release(1, T4), 0);
    assert_int_equal(entries("ran"), 0);
}

/* `release` has left its mark, and was killed. The next run has a higher number. */
SCENE_TEST(a_mark_covers_the_link_and_not_the_next_one, here)
{
    const int root = scene.kernel.host.root;
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error = {0};
    char path[128];

    takes(1, T4);
    assert_int_equal(statedir_peek(&scene.kernel.host, &ledger, &error), 0);
    assert_int_equal(ledger.cards.count, 1);
    assert_string_equal(ledger.cards.items[0].domain_name, "guest1");
    snprintf(path, sizeof(path), STATE "/released/%s.%llu", ledger.cards.items[0].domain.text,
             (unsigned long long)ledger.cards.items[0].number + 1);
    assert_int_equal(symlinkat("none", root, path), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 0);
    assert_int_equal(entries("whole"), 0);
    assert_int_equal(entries("released"), 0);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    assert_int_equal(symlinkat("none", root, path), 0);
    takes(1, T4);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 1);
    assert_int_equal(entries("whole"), 1);
}

/* Other names and targets in the directory are neither believed nor removed. */
SCENE_TEST(rubbish_does_not_count, here)
{
    static const char *const names[] = {"file", T4, T4 ".aaaaaaaa", "..x",
                                        T4 ".AAAAAAAA-0000-4000-"
                                           "8000-000000000001"};
    const int root = scene.kernel.host.root;

    takes(1, V620);
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[128];

        snprintf(path, sizeof(path), STATE "/whole/%s", names[i]);
        assert_int_equal(symlinkat("1.2.3.web", root, path), 0);
    }
    assert_int_equal(
        symlinkat("1.2.", root, STATE "/whole/" T4 ".aaaaaaaa-0000-4000-8000-000000000002"), 0);
    scene_reconcile(&scene);
    assert_int_equal(entries("whole"), 7);
    assert_int_equal(scene_prepare(&scene, 2, 2, "nvidia-222"), 0);
}

/* --- pools ------------------------------------------------------------------------------------ */

/* The functions of an AMD V620 are in the card's own slot, so a glob over the slot has the card,
 * too (real-hosts 22). */
SCENE_TEST(a_glob_over_a_slot_gives_no_card_away, pool)
{
    scene_must_refuse_at(&scene, 1, V620, "v620",
                         "which is in the pool v620 and has virtual functions");
    scene_must_start_at(&scene, 1, "0000:c1:00.1", "v620");
    assert_int_equal(entries("whole"), 0);
    assert_int_equal(prepare(2, V620), 1);
    scene_assert_said(&scene,
                      "takes the whole card " V620 ", and the guest guest1 has 0000:c1:00.1 there");
    assert_int_equal(scene_release_at(&scene, 1, "0000:c1:00.1"), 0);
    takes(2, V620);
    scene_must_refuse_at(&scene, 1, "0000:c1:00.1", "v620", "as a whole card");
    assert_int_equal(release(2, V620), 0);
    scene_must_start_at(&scene, 1, "0000:c1:00.1", "v620");
}

SCENE_TEST(a_pool_s_own_card_is_a_vgpu, pool)
{
    scene_must_start_at(&scene, 1, FREE, "whole");
    assert_int_equal(entries("whole"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release_at(&scene, 1, FREE), 0);
    takes(2, FREE);
    scene_must_refuse_at(&scene, 1, FREE, "whole", "as a whole card");
}

/* --- attach-device ---------------------------------------------------------------------------- */

/* Starts reconcile as the timer does, and returns the lines that it logs. */
static const char *
logged_by_reconcile(void)
{
    scene_reconcile(&scene);
    return listener_heard();
}

/* libvirt runs no hook then, so the card is only named afterwards. A card that a start has taken is
 * not named. */
SCENE_TEST(a_card_that_a_running_guest_took_is_named, here)
{
    static const char words[] =
        "the running guest guest2 has the whole card " L40S ", and no start of the guest took it";
    struct typed typed = {0};

    listener_begin(&scene.kernel);
    takes(1, T4);
    write_status(1, (const char *const[]){T4, NULL});
    write_status(2, (const char *const[]){NIC, L40S, scene_function(L40S, 1), NULL});
    assert_non_null(strstr(logged_by_reconcile(), words));
    assert_null(strstr(logged_by_reconcile(), T4));
    typed_run(&scene, NULL, "vgpuctl list", &typed);
    typed_assert_has(typed.faults, words);
    assert_null(strstr(typed.faults, T4));
    typed_run(&scene, NULL, "vgpuctl list --json", &typed);
    typed_assert_has(typed.printed, "\"word\": \"taken\"");
    typed_run(&scene, NULL, "vgpuctl doctor", &typed);
    typed_assert_has(typed.printed, "warning: whole-card");
    typed_assert_has(typed.printed, "guest2 has the whole card " L40S);
    typed_clear(&typed);
    ends(2);
    assert_string_equal(logged_by_reconcile(), "");
    listener_end(&scene.kernel);
}

/* `explain` says what a start would say. `check` warns of it: the definition is sound, and only now
 * somebody else is on the card. Neither changes anything. */
SCENE_TEST(a_refusal_is_foreseen, here)
{
    static const struct {
        const char *command;
        int status;
        const char *faults, *taken, *free;
    } rows[] = {
        {"explain", 1, "guest2: it takes the whole card " T4 ", and the guest guest1 has dddddddd-",
         "", ""},
        {"check", 0, "a start now would be refused: it takes the whole card " T4, "warnings: 1",
         "warnings: 0"},
    };
    AUTO_FREE char *xml = scene_xml_of(2, "", (const char *const[]){T4, NULL});
    AUTO(typed_clear) struct typed typed = {0};

    fake_write(&scene.kernel, "guest2.xml", xml);
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *line = NULL;

        assert_true(
            asprintf(&line, "vgpuctl %s %s/guest2.xml", rows[i].command, scene.kernel.path) > 0);
        assert_int_equal(scene_prepare(&scene, 1, 1, "nvidia-222"), 0);
        assert_int_equal(typed_run(&scene, NULL, line, &typed), rows[i].status);
        typed_assert_has(typed.faults, rows[i].faults);
        typed_assert_has(typed.printed, rows[i].taken);
        assert_int_equal(entries("whole"), 0);
        assert_int_equal(scene_release(&scene, 1, 1), 0);
        typed_expect(&scene, NULL, line, 0, rows[i].free, &typed);
    }
}

/* The guest that took the card has ended, and its release never came. */
SCENE_TEST(explain_counts_the_card_as_free, here)
{
    AUTO_FREE char *xml = scene_xml_at(2, scene_device(2), "type=\"T4-1B\"");
    AUTO(typed_clear) struct typed typed = {0};
    AUTO_FREE char *line = NULL;

    fake_write(&scene.kernel, "guest2.xml", xml);
    fake_write(&scene.kernel, "run/libvirt/qemu/other.xml", "<domstatus/>");
    assert_true(asprintf(&line, "vgpuctl explain %s/guest2.xml", scene.kernel.path) > 0);
    takes(1, T4);
    runs(1, T4);
    typed_expect(&scene, NULL, line, 3, "is given to another guest as a whole card", &typed);
    ends(1);
    typed_expect(&scene, NULL, line, 0, "chosen", &typed);
    assert_int_equal(entries("whole"), 1);
}

/* What people see of a card that a guest has taken. */
SCENE_TEST(a_taken_card_is_shown, two_cards)
{
    struct typed typed = {0};

    takes(1, T4);
    typed_run(&scene, NULL, "vgpuctl gpus -rn -o GPU,ENABLED", &typed);
    typed_assert_has(typed.printed, T4 " no");
    typed_run(&scene, NULL, "vgpuctl status " T4, &typed);
    typed_assert_has(typed.printed, "taken by a guest as a whole card");
    typed_clear(&typed);
}
