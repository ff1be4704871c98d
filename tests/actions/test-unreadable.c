/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A guest's XML, a configuration or a ledger cannot be read. Then starts are refused, but a guest
 * can still give its vGPUs back. */

#include "domain/request.h"
#include "fake/scene.h"

#include <string.h>

static struct scene scene;
static const struct scene_case here = {.scene = &scene, .machine = SCENE_T4_AND_MTTY};
#define TEST(name) SCENE_TEST(name, here)

TEST(broken_ledger_stops_prepare_only)
{
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "libvirt-vgpu-ledger 99 x 1\n");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    scene_assert_said(&scene, "/run/libvirt-vgpu/ledger: line 1: version 99");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(fake_count(&scene.kernel), 0);
}

/* A guest's XML. Its metadata begins with copies of this text. The UUID comes before them. */
static char *
swollen_xml(unsigned guest, unsigned number, const char *item, size_t count)
{
    AUTO_FREE char *xml =
        scene_xml(guest, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){number, 0});
    char *place = strstr(xml, "<metadata>") + strlen("<metadata>");
    char *large = malloc(strlen(xml) + count * strlen(item) + 1), *at = large;

    assert_non_null(large);
    at = mempcpy(at, xml, (size_t)(place - xml));
    while (count--)
        at = stpcpy(at, item);
    strcpy(at, place);
    return large;
}

/* The release works, whatever text the owner wrote into the XML of a running guest. libvirt will
 * not call the release again. */
TEST(unreadable_release_gives_back)
{
    AUTO_FREE char *xml = swollen_xml(1, 1, " ", 9 << 20);
    static const char cut[] = "<domain><name>guest2</name>"
                              "<uuid>aaaaaaaa-0000-4000-8000-000000000002</uuid><metadata><a>";

    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "larger than 8 MiB");
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_hook(&scene, cut, "reconnect", "begin"), 0);
    assert_int_equal(scene_hook(&scene, cut, "release", "end"), 0);
    scene_assert_empty(&scene);
    assert_int_equal(scene_hook(&scene, "<domain><uuid>no", "release", "end"), 0);
}

/* The same with a small text that would take the parser too long. */
TEST(what_costs_too_much_is_given_back)
{
    static const char *const refusing[] = {"prepare", "migrate", "restore"};
    AUTO_FREE char *xml = swollen_xml(1, 1, "<a xmlns='urn:x'/>", 20001);

    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    for (size_t i = 0; i < COUNT(refusing); i++) {
        assert_int_equal(scene_hook(&scene, xml, refusing[i], "begin"), 1);
        scene_assert_said(&scene, "guest1: cannot read the domain XML: up to line ");
        scene_assert_said(&scene, " it has 20001 namespace declarations, and at most 20000 are "
                                  "read: make its <metadata> smaller");
        assert_string_equal(scene.printed, "");
    }
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_assert_empty(&scene);
}

/* The guest may also run on hosts with a newer version of our program. A request that this version
 * understands only in part makes and changes nothing. The guest's present vGPUs are given back. */
TEST(a_request_of_another_version)
{
    static const char *const refusing[] = {"prepare", "migrate", "restore"};
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){1, 0});
    char *version = strstr(xml, REQUEST_NAMESPACE) + strlen(REQUEST_NAMESPACE) - 1;

    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    *version = '2';
    for (size_t i = 0; i < COUNT(refusing); i++) {
        assert_int_equal(scene_hook(&scene, xml, refusing[i], "begin"), 1);
        scene_assert_said(&scene, "guest1: <vgpu:request> is of the namespace "
                                  "urn:libvirt-vgpu:domain:2, and this program knows only "
                                  "urn:libvirt-vgpu:domain:1: upgrade libvirt-vgpu");
        assert_string_equal(scene.printed, "");
        assert_int_equal(scene_leases(&scene, "held"), 1);
    }
    assert_int_equal(scene_hook(&scene, xml, "start", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 1);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    scene_assert_empty(&scene);
}

TEST(lost_ledger_is_made_anew_by_reconnect)
{
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){1, 0});
    AUTO_FREE char *other =
        scene_xml(2, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){2, 0});

    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(2)), 0);
    fake_write(&scene.kernel, "etc/mdevctl.d/mtty/dddddddd-0000-4000-8000-000000000002", "{}");
    assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
    assert_int_equal(scene_hook(&scene, other, "reconnect", "begin"), 0);
    assert_int_equal(scene_leases(&scene, "held"), 2);
    assert_int_equal(scene_leases(&scene, "found"), 1);
    assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
    assert_int_equal(scene_hook(&scene, other, "release", "end"), 0);
    assert_int_equal(scene_leases(&scene, ""), 0);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(1)), "");
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(2)), "mtty-2");
}

/* While the hook is switched off, somebody else has made the guest's vGPUs. */
TEST(switched_off_we_have_made_nothing)
{
    static const struct {
        const char *configuration;
        size_t found;
    } rows[] = {{"enabled = false;", 1}, {"enabled = true;", 0}, {"this is { none", 0}};
    AUTO_FREE char *xml = scene_xml(1, "<vgpu:device type=\"mtty-2\"/>", (const unsigned[]){1, 0});

    for (size_t i = 0; i < COUNT(rows); i++) {
        scene_configure(&scene, rows[i].configuration);
        assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
        assert_int_equal(scene_hook(&scene, xml, "reconnect", "begin"), 0);
        assert_int_equal(scene_leases(&scene, "held"), 1);
        assert_int_equal(scene_leases(&scene, "found"), rows[i].found);
        assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
        assert_int_equal(fake_count(&scene.kernel), rows[i].found);
        if (rows[i].found)
            assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    }
}

TEST(plain_guest_touches_nothing)
{
    AUTO_FREE char *xml = scene_xml(1, "", (const unsigned[]){0});
    static const char *const events[][2] = {
        {"prepare", "begin"}, {"start", "begin"},     {"started", "begin"}, {"stopped", "end"},
        {"release", "end"},   {"reconnect", "begin"}, {"migrate", "begin"}, {"restore", "begin"},
        {"attach", "begin"},  {"invented", "later"},
    };

    scene_configure(&scene, "this is { no configuration");
    for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
        scene.kernel.faults->opens = 0;
        assert_int_equal(scene_hook(&scene, xml, events[i][0], events[i][1]), 0);
        assert_string_equal(scene.said, "");
        assert_int_equal(scene.kernel.faults->opens, 0);
    }
}

TEST(broken_configuration_stops_vgpu_guests_only)
{
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    scene_configure(&scene, "\n\nenabled = 1;\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 1);
    scene_assert_said(&scene,
                      "guest2: /etc/libvirt-vgpu/vgpu.conf:3: enabled must be true or false");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    scene_assert_empty(&scene);
    scene_configure(&scene, "enabled = false;");
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    scene_assert_empty(&scene);
}
