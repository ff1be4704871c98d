/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpuctl detach, and a guest that runs: what is told if the vGPU stays, or only a part of it.
 * libvirt's own test driver unplugs nothing. So the test stands between libvirt and those who call
 * it.
 */

#include "cli/command.h"
#include "fake/typed.h"

#include <dlfcn.h>
#include <libvirt/libvirt.h>
#include <stdio.h>
#include <string.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"

static struct scene scene;
static struct typed typed;

/* What libvirt does, other than its test driver. */
static enum { UNPLUGS_NOTHING, UNPLUGS, HAS_UNPLUGGED } unplug_is;
static bool refuses_annotations;

/* web10 runs with a vGPU. */
static void
begin(void)
{
    unplug_is = UNPLUGS_NOTHING;
    refuses_annotations = false;
    /* So the linker knows that libvirt's library comes behind this program. */
    assert_int_equal(virInitialize(), 0);
    assert_int_equal(scene_prepare(&scene, 10, 1, "T4-1B"), 0);
}

static const struct typed_case here = {{.scene = &scene, .machine = MACHINE, .begin = begin},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

static const char *
libvirt(void)
{
    static char uri[4200];

    snprintf(uri, sizeof(uri), "test://%s/tests/data/running.xml", scene_sources());
    return uri;
}

/* libvirt does not unplug the device, so nothing is removed. */
TEST(a_device_that_stays)
{
    if (typed_run(&scene, libvirt(), "vgpuctl detach web10 ua-gpu0 --timeout 1", &typed) ==
        COMMAND_DONE)
        skip(); /* a libvirt whose test driver can unplug */
    typed_assert_has(typed.faults, "vgpuctl: detach: libvirt does not unplug ua-gpu0 from web10: "
                                   "this function is not supported");
    assert_int_equal(typed.status, COMMAND_FAILED);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "nvidia-222");
    assert_int_equal(scene_leases(&scene, "held"), 1);
    typed_run(&scene, libvirt(), "vgpuctl detach web10 ua-gpu0 --timeout 1 --json", &typed);
    typed_assert_has(typed.printed, "\"vgpus\": []");
}

int
virDomainDetachDeviceAlias(virDomainPtr domain, const char *alias, unsigned flags)
{
    int (*own)(virDomainPtr, const char *, unsigned) =
        (int (*)(virDomainPtr, const char *, unsigned))dlsym(RTLD_NEXT,
                                                             "virDomainDetachDeviceAlias");

    if (unplug_is != UNPLUGS)
        return own(domain, alias, flags);
    unplug_is = HAS_UNPLUGGED;
    return 0;
}

char *
virDomainGetXMLDesc(virDomainPtr domain, unsigned flags)
{
    char *(*own)(virDomainPtr, unsigned) =
        (char *(*)(virDomainPtr, unsigned))dlsym(RTLD_NEXT, "virDomainGetXMLDesc");
    char *ret = own(domain, flags);
    char *from = unplug_is == HAS_UNPLUGGED ? strstr(ret, "<hostdev ") : NULL;

    if (from) {
        const char *rest = strstr(from, "</hostdev>") + strlen("</hostdev>");

        memmove(from, rest, strlen(rest) + 1);
    }
    return ret;
}

int
virDomainSetMetadata(virDomainPtr domain, int type, const char *metadata, const char *key,
                     const char *uri, unsigned flags)
{
    int (*own)(virDomainPtr, int, const char *, const char *, const char *, unsigned) =
        (int (*)(virDomainPtr, int, const char *, const char *, const char *, unsigned))dlsym(
            RTLD_NEXT, "virDomainSetMetadata");

    /* libvirt refuses an element without a namespace, and says why. */
    return own(domain, type, metadata, key, refuses_annotations ? NULL : uri, flags);
}

/* Detaches the vGPU of a guest that lets go of it. Something fails afterwards. */
static void
expect_half_a_detach(int status, const char *why)
{
    AUTO_FREE char *facts = NULL;

    assert_true(asprintf(&facts,
                         "\"outcome\": \"removed\", \"device\": \"%s\",\n"
                         "\"alias\": \"ua-gpu0\", \"live\": true, \"config\": false }\n"
                         "vgpuctl: detach: web10 has released ua-gpu0, but the rest failed: %s",
                         scene_device(1), why) > 0);
    unplug_is = UNPLUGS;
    typed_facts(&scene, libvirt(), "vgpuctl detach web10 ua-gpu0 --live --config --json", status,
                facts);
    assert_int_equal(unplug_is, HAS_UNPLUGGED);
}

/* The guest has let go of the device. So that is told, although the rest fails. The next call has
 * only the annotation to remove. */
TEST(an_annotation_that_stays)
{
    refuses_annotations = true;
    expect_half_a_detach(COMMAND_FAILED, "cannot write what is asked for into the XML of web10: ");
    scene_assert_empty(&scene);
    typed_facts(&scene, libvirt(), "vgpuctl detach web10 ua-gpu0 --json", COMMAND_FAILED,
                "\"vgpus\": [],\nvgpuctl: detach: cannot write what is asked for into the XML");
    refuses_annotations = false;
    typed_facts(&scene, libvirt(), "vgpuctl detach web10 ua-gpu0 --json", COMMAND_DONE,
                "\"alias\": \"ua-gpu0\", \"live\": true, \"config\": false }");
}

TEST(a_vgpu_that_is_still_open)
{
    struct fake_guest guest = fake_open(&scene.kernel, scene_device(1));

    scene_configure(&scene, "release_timeout = \"50ms\";");
    expect_half_a_detach(COMMAND_BUSY, "the vGPU ");
    fake_close(&guest);
}
