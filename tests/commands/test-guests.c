/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl guests: what domains ask for and what they have. */

#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

#define HERE       "test:///default"
#define EVERYTHING "domain,domain-uuid,running,alias,wanted,device,name,gpu,state,live,config"

#define MANY 300000 /* more elements than are read */

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* Guest 1 runs with a vGPU. Guest 2 is defined, and asks for one. Guest 3 is defined, and names a
 * mediated device without a request, so the default class is for it. Guest 4 has none. */
static void
begin(char **domains)
{
    AUTO_FREE char *first = typed_domain(1, "", (const unsigned[]){1, 0});
    AUTO_FREE char *second =
        typed_functions(2, TYPED_DEFINED, "T4-1B", (const char *const[]){"0000:3d:00.4", NULL});
    AUTO_FREE char *third = typed_domain(3, TYPED_DEFINED, (const unsigned[]){3, 0});
    AUTO_FREE char *fourth = typed_domain(4, TYPED_DEFINED, (const unsigned[]){0});

    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0 board \"GRID T4\"\n");
    scene_configure(&scene, "default_class = \"small\";"
                            "classes = { small = { types = [ \"T4-2Q\" ]; }; };");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-2Q"), 0);
    assert_true(asprintf(domains, "%s%s%s%s", first, second, third, fourth) > 0);
}

TEST(all_domains)
{
    AUTO_FREE char *domains = NULL;
    const char *libvirt;

    begin(&domains);
    libvirt = typed_libvirt(&scene, domains);
    typed_golden(&scene, libvirt, "guests/four", "vgpuctl guests");
    typed_golden_on(&scene, libvirt, &typed_page, "guests/page", "vgpuctl guests");
    typed_golden(&scene, libvirt, "guests/four-all", "vgpuctl guests --all -o " EVERYTHING);
    typed_golden(&scene, libvirt, "guests/four-of-gpu", "vgpuctl guests 18:00.0");
    typed_golden(&scene, libvirt, "guests/four-one", "vgpuctl guests guest3");
    typed_golden(&scene, libvirt, "guests/four-idle", "vgpuctl guests --all guest4");
    typed_golden(&scene, libvirt, "guests/four-nobody", "vgpuctl guests web09");
    typed_agree(&scene, libvirt, "vgpuctl guests --all");
    typed_facts(
        &scene, libvirt, "vgpuctl guests guest4 --all --json -o " EVERYTHING, 0,
        "\"running\": false, \"alias\": \"\", \"wanted\": \"\", \"device\": \"\", \"name\": \"\", "
        "\"gpu\": \"\", \"state\": \"\" }");
}

/* Another host's libvirt tells what its domains ask for. */
TEST(of_another_host)
{
    AUTO_FREE char *domains = NULL, *line = NULL;

    begin(&domains);
    assert_true(asprintf(&line, "vgpuctl guests -o domain,wanted,device,state --connect %s",
                         typed_libvirt(&scene, domains)) > 0);
    assert_int_equal(typed_run(&scene, HERE, line, &typed), 0);
    typed_assert_has(typed.printed, "T4-1B");
}

/* Each line tells of its own vGPU. */
TEST(two_of_one_guest)
{
    static const unsigned both[] = {1, 2, 0};
    AUTO_FREE char *xml = scene_xml(1,
                                    "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\"/>"
                                    "<vgpu:device alias=\"ua-gpu2\" type=\"mtty-2\"/>",
                                    both);
    AUTO_FREE char *domain = typed_domain(1, "", both);

    scene_start(&scene, SCENE_T4_AND_MTTY);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
    typed_facts(&scene, typed_libvirt(&scene, domain), "vgpuctl guests -n -o ALIAS,GPU", 0,
                "ua-gpu1 0000:18:00.0\nua-gpu2 mtty");
}

TEST(nobody)
{
    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0 board \"GRID T4\"\n");
    typed_golden(&scene, HERE, "guests/none", "vgpuctl guests");
}

/* Nobody knows the guests then, so there is no list: an empty one would say that there is none. */
TEST(libvirt_does_not_answer)
{
    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0 board \"GRID T4\"\n");
    assert_int_equal(typed_run(&scene, "test:///nowhere", "vgpuctl guests --all --json", &typed),
                     1);
    typed_assert_has(typed.printed,
                     "{\n   \"format\": 2,\n   \"memory-unit\": \"MiB\",\n   \"errors\": [\n");
    typed_assert_has(typed.printed, "\"word\": \"no-libvirt\"");
    typed_assert_has(typed.faults, "vgpuctl: guests: ");
    assert_null(strstr(typed.faults, "orphans"));
}

/* Guest 2 has more host devices than are read, and of another guest nothing is read. The others are
 * shown all the same. Nobody says that the unread guest has no vGPU. */
TEST(one_cannot_be_read)
{
    static unsigned many[300];
    AUTO_FREE char *first = typed_domain(1, TYPED_DEFINED, (const unsigned[]){1, 0});
    AUTO_FREE char *second = NULL, *domains = NULL;
    size_t size;
    FILE *out;

    for (unsigned i = 0; i < COUNT(many) - 1; i++)
        many[i] = i + 2;
    second = typed_domain(2, TYPED_DEFINED, many);
    out = open_memstream(&domains, &size);
    fprintf(out, "%s%s<domain type='test'><name>unread</name><metadata><m:a xmlns:m='urn:m'>",
            first, second);
    for (int i = 0; i < MANY; i++)
        fputs("<m:b/>", out);
    fputs("</m:a></metadata><memory>65536</memory><os><type>hvm</type></os></domain>", out);
    fclose(out);
    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0 board \"GRID T4\"\n");
    assert_int_equal(
        typed_run(&scene, typed_libvirt(&scene, domains), "vgpuctl guests --all", &typed), 0);
    typed_assert_has(typed.printed, "guest1 no      ua-gpu1");
    assert_null(strstr(typed.printed, "unread"));
    typed_assert_has(typed.faults,
                     "vgpuctl: guests: the domain guest2: cannot read the domain XML: ");
    assert_null(strstr(typed.faults, "orphans"));
}
