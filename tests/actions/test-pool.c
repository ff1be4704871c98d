/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of pools have no types. Each function goes to one guest at a time, and the hook writes
 * nothing to it. */

#include "base/array.h"
#include "fake/chance.h"
#include "fake/fake-parts.h"
#include "fake/scene.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CARD  "0000:c1:00.0"
#define FIRST "0000:c1:02.0"
#define OTHER "0000:c1:02.1"
#define THIRD "0000:c1:02.2"
#define LONE  "0000:c2:00.0"
#define L40S  "0000:3d:00.0"

#define FUNCTION(address)                                                                          \
    "pci " address " driver vfio-pci physfn " CARD " vendor 1002 device 74b5\n"
#define MACHINE                                                                                    \
    "pci " CARD " driver gim vendor 1002 device 74a1 numa 1\n" FUNCTION(FIRST) FUNCTION(OTHER)     \
        FUNCTION(THIRD) "pci " LONE " driver vfio-pci vendor 1002 device 74a1\n"                   \
                        "gpu " L40S " vf vfs 4 rule size\n"                                        \
                        "type nvidia-1154 \"NVIDIA L40S-16Q\" framebuffer 16384 max 3\n"
#define POOL                                                                                       \
    "pools = { mi300 = { functions = [ \"0000:c1:02.*\" ]; framebuffer = \"24G\"; }; "             \
    "whole = { functions = [ \"" LONE "\" ]; driver = \"vfio-pci\"; }; };\n"

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = MACHINE, .configuration = POOL};

/* Two pools of one card. Guest 4 wants one function of each. */
#define TWO_POOLS                                                                                  \
    "pools = { dev = { functions = [ \"0000:c1:02.[01]\" ]; framebuffer = \"8G\"; }; "             \
    "prod = { functions = [ \"0000:c1:02.[23]\" ]; framebuffer = \"16G\"; }; };\n"
#define FOURTH "0000:c1:02.3"
#define BOTH                                                                                       \
    "<vgpu:device alias=\"ua-gpu1\" type=\"dev\"/><vgpu:device alias=\"ua-gpu2\" type=\"prod\"/>"

static const struct scene_case two_pools = {
    .scene = &scene, .machine = MACHINE FUNCTION(FOURTH), .configuration = TWO_POOLS};

/* The guest that the tag of a function names. "": the function has no tag. */
static void
assert_tag(const char *function, const char *pool)
{
    struct name tag = {""};

    if (host_link(&scene.kernel.host, &tag, "run/libvirt-vgpu/functions/%s", function) < 0)
        tag = (struct name){""};
    assert_string_equal(tag.text, pool);
}

static void
starts(unsigned guest, const char *function, const char *type)
{
    scene_must_start_at(&scene, guest, function, type);
}

static void
refuses(unsigned guest, const char *function, const char *type, const char *words)
{
    scene_must_refuse_at(&scene, guest, function, type, words);
}

SCENE_TEST(one_guest_has_each, here)
{
    starts(1, FIRST, "mi300");
    assert_tag(FIRST, "mi300");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    refuses(2, FIRST, "mi300", "the vGPU " FIRST " belongs to the guest guest1 (held)");
    starts(3, OTHER, "mi300");
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_tag(FIRST, "");
    assert_tag(OTHER, "mi300");
    starts(2, FIRST, "mi300");
    assert_int_equal(scene_release_at(&scene, 2, FIRST), 0);
    assert_int_equal(scene_release_at(&scene, 3, OTHER), 0);
    assert_tag(OTHER, "");
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* The function must be of the pool that the guest asks for. */
SCENE_TEST(other_types, here)
{
    refuses(1, FIRST, "L40S-16Q", "ua-gpu1 (L40S-16Q) cannot be on " FIRST);
    refuses(1, scene_function(L40S, 0), "mi300", "ua-gpu1 (mi300) cannot be on 0000:3d:00.4");
    refuses(1, LONE, "mi300", "ua-gpu1 (mi300) cannot be on " LONE);
    refuses(1, FIRST, "mi30", "(did you mean mi300?)");
    starts(1, LONE, "whole");
    assert_int_equal(scene_release_at(&scene, 1, LONE), 0);
}

/* A card with virtual functions loses them if a guest gets the card itself. */
SCENE_TEST(the_card_is_not_lent, here)
{
    AUTO_FREE char *xml = scene_xml_at(1, CARD, "type=\"mi300\"");
    AUTO_FREE char *managed = scene_managed(xml);

    scene_configure(&scene, "pools = { mi300 = { functions = [ \"0000:c1:*\" ]; }; };");
    assert_int_equal(scene_hook(&scene, managed, "prepare", "begin"), 1);
    scene_assert_said(&scene, "ua-gpu1 (mi300) cannot be on " CARD
                              ", which is in the pool mi300 and has virtual functions");
    starts(1, FIRST, "mi300");
}

SCENE_TEST(a_class_has_both, here)
{
    scene_configure(&scene, POOL "classes = { big = { framebuffer = \"20G\"; }; "
                                 "any = { types = [ \"L40S-16Q\", \"mi300\" ]; }; };");
    for (unsigned i = 0; i < 2; i++) {
        AUTO_FREE char *xml = scene_xml_of(1,
                                           i ? "<vgpu:device alias=\"ua-gpu1\" class=\"any\"/>"
                                             : "<vgpu:device alias=\"ua-gpu1\" class=\"big\"/>",
                                           (const char *const[]){FIRST, NULL});

        assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
        assert_tag(FIRST, "mi300");
        assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
        assert_tag(FIRST, "");
    }
}

/* Without VFIO a function has no device node. */
static void
unbind_from_vfio(const char *function, const char *driver)
{
    AUTO(names_clear) struct names nodes = {0};
    int root = scene.kernel.host.root;

    assert_int_equal(host_list(&scene.kernel.host, &nodes, "sys/devices/%s/vfio-dev", function), 0);
    assert_int_equal(nodes.count, 1);
    fake_drop(root, 0, "sys/devices/%s/vfio-dev/%s/dev", function, nodes.items[0].text);
    fake_drop(root, AT_REMOVEDIR, "sys/devices/%s/vfio-dev/%s", function, nodes.items[0].text);
    fake_drop(root, AT_REMOVEDIR, "sys/devices/%s/vfio-dev", function);
    fake_drop_group(&scene.kernel, function);
    fake_put_driver(&scene.kernel, function, driver);
}

/* libvirt binds the function before the guest has it, and gives it back to its driver
 * afterwards. */
SCENE_TEST(managed, here)
{
    AUTO_FREE char *xml = scene_xml_at(1, FIRST, "type=\"mi300\"");
    AUTO_FREE char *managed = scene_managed(xml);

    unbind_from_vfio(FIRST, "amdgpu");
    assert_int_equal(scene_hook(&scene, managed, "prepare", "begin"), 0);
    assert_tag(FIRST, "mi300");
    assert_int_equal(scene_hook(&scene, managed, "release", "end"), 0);
    assert_tag(FIRST, "");
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* On the other host the device was a mediated device. The hook writes the XML so that libvirt binds
 * the function, as attach does. */
SCENE_TEST(managed_after_arrival, here)
{
    AUTO_FREE char *xml = scene_xml_at(1, scene_device(1), "type=\"mi300\"");

    unbind_from_vfio(FIRST, "amdgpu");
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    assert_non_null(strstr(scene.printed, "type='pci' managed='yes'"));
    assert_int_equal(scene_hook(&scene, scene.printed, "prepare", "begin"), 0);
}

/* A class that is given by size may include the functions of a pool. */
SCENE_TEST(managed_by_size, here)
{
    AUTO_FREE char *xml = scene_xml_at(1, FIRST, "class=\"large\"");
    AUTO_FREE char *managed = scene_managed(xml);

    scene_configure(&scene, POOL "classes = { large = { framebuffer = \"20G\"; }; };");
    if (scene_hook(&scene, managed, "prepare", "begin") != 0)
        fail_msg("%s", scene.said);
    assert_tag(FIRST, "mi300");
    assert_int_equal(scene_hook(&scene, managed, "release", "end"), 0);
    assert_tag(FIRST, "");
}

SCENE_TEST(bound_to_another_driver, here)
{
    fake_put_driver(&scene.kernel, LONE, "amdgpu");
    refuses(1, LONE, "whole",
            "cannot be on " LONE
            ", which is in the pool whole and bound to amdgpu, not to vfio-pci");
    fake_put_driver(&scene.kernel, LONE, "");
    refuses(1, LONE, "whole", "which is in the pool whole and bound to no driver, not to vfio-pci");
    fake_put_driver(&scene.kernel, LONE, "vfio-pci");
    starts(1, LONE, "whole");
    assert_int_equal(scene_release_at(&scene, 1, LONE), 0);
}

/* A guest that does not ask us for a vGPU, or another program, has the function. */
SCENE_TEST(somebody_has_it_without_us, here)
{
    struct fake_guest guest = {.group = -1, .device = fake_open_group(&scene.kernel, FIRST)};
    char words[160];
    pid_t qemu;

    assert_true(guest.device >= 0);
    qemu = fake_hand_over(&guest);
    snprintf(words, sizeof(words),
             "ua-gpu1 (mi300) cannot be on " FIRST ": it is in use by process %d (", qemu);
    refuses(1, FIRST, "mi300", words);
    refuses(1, FIRST, "mi300", "; ua-gpu1 could be on " OTHER ", " THIRD);
    assert_tag(FIRST, "");
    fake_end(qemu);
    starts(1, FIRST, "mi300");
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
}

/* A process that we may not look at may have the function open. Without VFIO no process can. */
SCENE_TEST(somebody_may_have_it_without_us, here)
{
    scene_forbid_list(&scene, "proc/1/fd");
    refuses(1, FIRST, "mi300", "Device or resource busy");
    unbind_from_vfio(FIRST, "amdgpu");
    starts(1, FIRST, "mi300");
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_tag(FIRST, "");
}

/* A release that finds the function open leaves it for later. */
SCENE_TEST(still_open_at_release, here)
{
    int fd;

    scene_configure(&scene, POOL "release_timeout = \"50ms\";");
    starts(1, FIRST, "mi300");
    fd = fake_open_group(&scene.kernel, FIRST);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_tag(FIRST, "mi300");
    assert_int_equal(scene_leases(&scene, "leaving"), 1);
    close(fd);
    scene_reconcile(&scene);
    assert_tag(FIRST, "");
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* The card is reset while a guest runs. The guest's release removes the tag of a function that is
 * gone. */
SCENE_TEST(a_function_that_vanishes, here)
{
    starts(1, FIRST, "mi300");
    assert_int_equal(unlinkat(scene.kernel.host.root, "sys/bus/pci/devices/" FIRST, 0), 0);
    refuses(2, FIRST, "mi300", "the vGPU " FIRST " belongs to the guest guest1 (held)");
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_tag(FIRST, "");
    assert_int_equal(scene_leases(&scene, ""), 0);
    refuses(2, FIRST, "mi300", "which this host does not have");
}

SCENE_TEST(kept_for_its_guest, here)
{
    scene_configure(&scene, POOL "release = \"keep\";");
    starts(1, FIRST, "mi300");
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_tag(FIRST, "mi300");
    starts(1, FIRST, "mi300");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
}

/* A guest arrives with an address of another host, or with the address of a function that a guest
 * has here. */
SCENE_TEST(another_at_arrival, here)
{
    static const char *const froms[] = {FIRST, "0000:99:00.4"};

    starts(1, FIRST, "mi300");
    for (size_t i = 0; i < COUNT(froms); i++) {
        AUTO_FREE char *xml = scene_xml_at(2, froms[i], "type=\"mi300\"");
        AUTO_FREE char *printed = NULL;

        assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
        printed = strdup(scene.printed);
        assert_non_null(strstr(printed, "bus='0xc1' slot='0x02' function='0x1'"));
        assert_int_equal(scene_leases(&scene, "reserved"), 1);
        refuses(3, OTHER, "mi300", "the vGPU " OTHER " belongs to the guest guest2 (reserved)");
        assert_int_equal(scene_hook(&scene, printed, "prepare", "begin"), 0);
        assert_tag(OTHER, "mi300");
        assert_int_equal(scene_hook(&scene, printed, "release", "end"), 0);
        assert_tag(OTHER, "");
    }
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* A drained card gives no function to a start, and a quota counts functions. */
SCENE_TEST(rules_of_the_house, here)
{
    scene_configure(&scene,
                    POOL "classes = { amd = { types = [ \"mi300\" ]; }; };"
                         "quotas = ( { domains = [ \"*\" ]; class = \"amd\"; max = 1; } );");
    starts(1, FIRST, "mi300");
    refuses(2, OTHER, "mi300", "quota");
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    scene_configure(&scene, POOL "gpus = ( { address = \"" CARD "\"; enabled = false; } );");
    refuses(2, OTHER, "mi300", CARD);
}

/* The ledger was lost. The function belongs to a guest that the ledger does not know. A guest that
 * names the function may use it. Afterwards the function keeps its tag. */
SCENE_TEST(a_tag_without_a_lease, here)
{
    starts(1, FIRST, "mi300");
    assert_int_equal(unlinkat(scene.kernel.host.root, "run/libvirt-vgpu/ledger", 0), 0);
    starts(2, FIRST, "mi300");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_release_at(&scene, 2, FIRST), 0);
    assert_tag(FIRST, "mi300");
    assert_int_equal(scene_leases(&scene, ""), 0);
}

/* The hook is killed at any moment. The next start is right, and nothing is left after it. */
SCENE_TEST(killed_anywhere, here)
{
    srandom(20261122);
    for (uint64_t round = chance_rounds(60); round > 0; round--) {
        const struct timespec length = {.tv_nsec = random() % 4000 * 1000};
        pid_t hook = fork();

        if (hook == 0)
            _exit(scene_prepare_at(&scene, 1, FIRST, "mi300"));
        nanosleep(&length, NULL);
        kill(hook, SIGKILL);
        assert_int_equal(waitpid(hook, NULL, 0), hook);
        starts(1, FIRST, "mi300");
        assert_tag(FIRST, "mi300");
        assert_int_equal(scene_leases(&scene, "held"), 1);
        assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
        assert_tag(FIRST, "");
        assert_int_equal(scene_leases(&scene, ""), 0);
    }
}

/* Each pool has its own functions, and their number is its limit. The number of the card's
 * functions is no limit for both pools together. A function of one pool is not promised to a guest
 * that wants the other pool. */
SCENE_TEST(two_on_one_card, two_pools)
{
    AUTO_FREE char *both = scene_xml_of(4, BOTH, (const char *const[]){OTHER, THIRD, NULL});
    AUTO_FREE char *comes = scene_xml_at(5, "0000:99:00.4", "type=\"prod\"");

    starts(1, FIRST, "dev");
    starts(2, THIRD, "prod");
    assert_int_equal(scene_hook(&scene, comes, "migrate", "begin"), 0);
    assert_non_null(strstr(scene.printed, "bus='0xc1' slot='0x02' function='0x3'"));
    assert_int_equal(scene_hook(&scene, scene.printed, "prepare", "begin"), 0);
    refuses(3, FOURTH, "prod", FOURTH);
    /* A guest that cannot start now also gets one of these functions. It may start another day. */
    free(comes);
    comes = scene_xml_at(6, "0000:99:00.4", "type=\"prod\"");
    assert_int_equal(scene_hook(&scene, comes, "migrate", "begin"), 0);
    assert_non_null(strstr(scene.printed, "bus='0xc1' slot='0x02' function='0x2'"));
    refuses(3, OTHER, "prod", "(prod) cannot be on " OTHER ", which is in the pool dev; ");
    assert_int_equal(scene_release_at(&scene, 2, THIRD), 0);
    assert_int_equal(scene_hook(&scene, both, "prepare", "begin"), 0);
    assert_tag(OTHER, "dev");
    assert_tag(THIRD, "prod");
}

/* A vGPU is kept on a function that is now in another pool. A guest of that pool takes its
 * place. */
SCENE_TEST(moved_to_another_pool, here)
{
    static const char dev[] =
        "release = \"keep\"; pools = { dev = { functions = [ \"" FIRST "\" ]; }; };";
    static const char prod[] = "pools = { prod = { functions = [ \"" FIRST "\" ]; }; };";

    scene_configure(&scene, dev);
    starts(1, FIRST, "dev");
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    scene_configure(&scene, prod);
    starts(2, FIRST, "prod");
    assert_tag(FIRST, "prod");
}

/* If a start is refused, no kept vGPU is removed for it. */
SCENE_TEST(kept_beside_what_is_reserved, two_pools)
{
    scene_configure(&scene,
                    "release = \"keep\"; gpus = ( { address = \"" CARD "\"; reserve = 1; } );"
                    "pools = { dev = { functions = [ \"0000:c1:02.[0-2]\" ]; };"
                    "          prod = { functions = [ \"" FOURTH "\" ]; }; };");
    starts(1, FIRST, "dev");
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    assert_int_equal(scene_prepare_at(&scene, 2, FOURTH, "prod"), 1);
    assert_int_equal(scene_leases(&scene, "kept"), 1);
    assert_tag(FIRST, "dev");
}

/* A scan fails if it cannot see whether a card has virtual functions, or who has a function. */
SCENE_TEST(a_look_that_fails, here)
{
    scene_assert_looks_at(&scene, "sys/bus/pci/devices/" LONE "/virtfn0");
    starts(1, FIRST, "mi300");
    scene_configure(&scene, "");
    scene_assert_looks_at(&scene, "run/libvirt-vgpu/functions/" FIRST);
    assert_int_equal(scene_release_at(&scene, 1, FIRST), 0);
    scene_assert_empty(&scene);
}
