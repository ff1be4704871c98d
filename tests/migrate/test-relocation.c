/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl move --here, as far as no QEMU is needed: what it refuses, and what it leaves behind
 * then. libvirt's test driver calls no hook, so this program does where a guest goes off and
 * starts. tests/vm/scenarios/move-here.sh tests the rest. */

#include "attach/definition.h"
#include "cli/command.h"
#include "fake/typed.h"
#include "libvirt/warm-up.h"

#include <dlfcn.h>
#include <libvirt/libvirt.h>
#include <stdio.h>
#include <string.h>

#define FIRST "0000:3d:00.4"
#define VFIO  "sys/kernel/debug/vfio/" FIRST "/migration"
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
    fake_write(&scene.kernel, VFIO "/state", "RUNNING\n");
    fake_write(&scene.kernel, VFIO "/features", "p2p\n");
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

/* --- a libvirt that calls the hook ------------------------------------------------------------ */

/* As long as one connection of this process to the test driver is open, all of them see the same
 * domains. A child has a copy of them. */
#define HERE "test:///default"
static struct connection *libvirt_here;

/* The guest starts with what its definition has. */
int
virDomainCreate(virDomainPtr domain)
{
    int (*own)(virDomainPtr) = (int (*)(virDomainPtr))dlsym(RTLD_NEXT, "virDomainCreate");
    AUTO_FREE char *xml = virDomainGetXMLDesc(domain, VIR_DOMAIN_XML_INACTIVE);

    return scene_hook(&scene, xml, "prepare", "begin") == 0 ? own(domain) : -1;
}

int
virDomainShutdown(virDomainPtr domain)
{
    int (*own)(virDomainPtr) = (int (*)(virDomainPtr))dlsym(RTLD_NEXT, "virDomainShutdown");

    return scene_release_at(&scene, 1, FIRST) == 0 ? own(domain) : -1;
}

/* Its disk is full. */
int
virDomainManagedSave(virDomainPtr domain, unsigned flags)
{
    (void)domain;
    (void)flags;
    return -1;
}

static void
begin(void)
{
    static const struct name guest1 = {"aaaaaaaa-0000-4000-8000-000000000001"};
    AUTO_FREE char *xml = typed_functions(1, "", "L40S-8Q", (const char *const[]){FIRST, NULL});
    struct error error;

    /* So the linker knows that libvirt's library comes behind this program. */
    assert_int_equal(virInitialize(), 0);
    libvirt_here = definition_begin(&scene.kernel.host, HERE, xml);
    assert_int_equal(connection_start(libvirt_here, &guest1, &error), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
}

static void
end(void)
{
    connection_close(&libvirt_here);
}

static const struct typed_case with_hook = {
    {.scene = &scene, .machine = MACHINE, .begin = begin, .end = end}, &typed};

/* Before it starts, its definition names the place that waits for it. */
TYPED_TEST(shut_down_and_started_elsewhere, with_hook)
{
    AUTO_FREE char *after = NULL;

    fake_write(&scene.kernel, VFIO "/features", "p2p\n");
    typed_expect(&scene, HERE, "vgpuctl evacuate 3d:00.0 --stop -rn -o DOMAIN,HOW,TO,RESULT",
                 COMMAND_DONE, "guest1 stop 0000:5e:00.0 moved\n", &typed);
    assert_string_equal(typed.faults, "");
    after = definition_read(libvirt_here, "guest1");
    typed_assert_has(after, "bus='0x5e'");
}

/* The reason is libvirt's own, and the guest runs on. */
TYPED_TEST(the_save_fails, with_hook)
{
    refuses(HERE, "vgpuctl move guest1 --here", COMMAND_FAILED,
            "guest1 is not moved, and runs where it was: libvirt does not save it: no error\n");
}
