/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl move --here, as far as no QEMU is needed: what it refuses, and what it leaves behind
 * then. libvirt's test driver saves and restores, and calls no hook.
 * tests/vm/scenarios/move-here.sh tests the rest. */

#include "cli/command.h"
#include "fake/typed.h"
#include "libvirt/warm-up.h"

#include <stdio.h>
#include <string.h>

#define FIRST "0000:3d:00.4"
#define MACHINE                                                                                    \
    "gpu 0000:3d:00.0 vf vfs 2 rule size board \"NVIDIA L40S\"\n"                                  \
    "gpu 0000:5e:00.0 vf vfs 2 rule size board \"NVIDIA L40S\"\n"                                  \
    "pci 0000:00:1f.6 driver vfio-pci\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE}, &typed};
#define TEST(name) TYPED_TEST(name, here)

/* libvirt's test driver with guest 1, and what its XML has besides. */
static const char *
libvirt(const char *how, const char *more)
{
    AUTO_FREE char *domain = typed_functions(1, how, "L40S-8Q", (const char *const[]){FIRST, NULL});
    AUTO_FREE char *text = NULL;
    char *devices = strstr(domain, "<devices>") + strlen("<devices>");

    assert_true(asprintf(&text, "%.*s%s%s", (int)(devices - domain), domain, more, devices) > 0);
    return typed_libvirt(&scene, text);
}

/* The same, with a guest that has more memory than any disk. */
static const char *
large(void)
{
    static const char memory[] = "<memory>65536";
    AUTO_FREE char *domain = typed_functions(1, "", "L40S-8Q", (const char *const[]){FIRST, NULL});
    AUTO_FREE char *text = NULL;
    char *at = strstr(domain, memory);

    assert_non_null(at);
    assert_true(asprintf(&text, "%.*s%s0000000000%s", (int)(at - domain), domain, memory,
                         at + strlen(memory)) > 0);
    return typed_libvirt(&scene, text);
}

static void
refuses(const char *uri, const char *line, int status, const char *words)
{
    size_t leases = scene_leases(&scene, "");

    typed_run(&scene, uri, line, &typed);
    if (typed.status != status || !strstr(typed.faults, words))
        fail_msg("%s: %d: %s", line, typed.status, typed.faults);
    assert_int_equal(scene_leases(&scene, ""), leases);
    assert_int_equal(scene_leases(&scene, "pending"), 0);
}

UNIT_PROGRAM(warm_up_connection, NULL)

TEST(words)
{
    const char *uri = libvirt("", "");

    refuses(uri, "vgpuctl move guest1 test:///default --here", COMMAND_USAGE, "name no other");
    refuses(uri, "vgpuctl move guest1 --here --best", COMMAND_USAGE, "name no other");
    refuses(uri, "vgpuctl move guest1 --here -c test:///default", COMMAND_USAGE, "name no other");
    refuses(uri, "vgpuctl move guest1 test:///default --parent 3d:00.0", COMMAND_USAGE,
            "say --here");
    refuses(uri, "vgpuctl move guest2 --here", COMMAND_FAILED, "there is no domain \"guest2\"");
    refuses(uri, "vgpuctl move guest1 --here --parent 99:00.0", COMMAND_FAILED, "99:00.0");
}

/* Nothing is held, and the guest runs on. */
TEST(cannot_be_saved)
{
    static const char nic[] =
        "<interface type='hostdev' managed='yes'><source><address type='pci' domain='0x0000' "
        "bus='0x00' slot='0x1f' function='0x6'/></source></interface>";

    /* The ledger says nothing of the guest. */
    refuses(libvirt("", ""), "vgpuctl move guest1 --here", COMMAND_FAILED,
            "the ledger does not say that guest1 has it (" FIRST ")");
    assert_int_equal(typed_prepare(&scene, 1, "L40S-8Q", FIRST), 0);
    refuses(libvirt(TYPED_DEFINED, ""), "vgpuctl move guest1 --here", COMMAND_FAILED,
            "guest1 does not run: its next start finds a place by itself");
    refuses(libvirt("<test:transient/>", ""), "vgpuctl move guest1 --here", COMMAND_FAILED,
            "guest1 cannot be saved: libvirt keeps no saved state of a transient domain");
    refuses(libvirt("", nic), "vgpuctl move guest1 --here", COMMAND_FAILED,
            "guest1 cannot be saved: it has the host's device 0000:00:1f.6, which is no vGPU");
    fake_write(&scene.kernel, "var/lib/libvirt/qemu/save/guest2.save", "");
    refuses(large(), "vgpuctl move guest1 --here", COMMAND_NO_CAPACITY,
            "guest1 cannot be saved: its memory and its vGPUs have 640000008192 MiB, and "
            "/var/lib/libvirt/qemu/save has ");
    fake_write(&scene.kernel, "sys/kernel/debug/vfio/" FIRST "/migration/state", "RUNNING\n");
    fake_write(&scene.kernel, "sys/kernel/debug/vfio/" FIRST "/migration/features", "p2p\n");
    refuses(libvirt("", ""), "vgpuctl move guest1 --here", COMMAND_FAILED,
            "guest1 cannot be saved: ua-gpu0: ");
}

TEST(no_place)
{
    assert_int_equal(typed_prepare(&scene, 1, "L40S-8Q", FIRST), 0);
    refuses(libvirt("", ""), "vgpuctl move guest1 --here --parent 3d:00.0", COMMAND_FAILED,
            "0000:3d:00.0 is not one that it is to move to");
    typed_expect(&scene, libvirt("", ""), "vgpuctl drain 5e:00.0", COMMAND_DONE, "", &typed);
    refuses(libvirt("", ""), "vgpuctl move guest1 --here", COMMAND_NO_CAPACITY,
            "0000:3d:00.0 is not one that it is to move to, 0000:5e:00.0 is drained");
}
