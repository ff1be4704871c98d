/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A domain's XML with one more vGPU, one less, or other UUIDs: text in, text out. */

#include "attach/clone.h"
#include "domain/request-parser.h"
#include "xml/domain-edit.h"
#include "fake/unit.h"

#include <stdio.h>
#include <string.h>

#define DOMAIN "aaaaaaaa-0000-4000-8000-000000000001"
/* RFC 9562's recipe gives these results for this UUID with "ua-gpu0" and "ua-gpu1" (Python's
 * uuid.uuid5). */
#define GPU0 "e9afd43a-00a5-568d-925f-82c3e3ebf2bd"
#define GPU1 "af858273-2de2-5055-8db8-eaa53cb60e11"

#define HEAD  "<domain type='kvm'>\n  <name>web01</name>\n  <uuid>" DOMAIN "</uuid>\n"
#define TAIL  "  <devices>\n    <emulator>/usr/bin/qemu</emulator>\n  </devices>\n</domain>\n"
#define OPEN  "    <vgpu:request xmlns:vgpu=\"urn:libvirt-vgpu:domain:1\">\n"
#define CLOSE "    </vgpu:request>\n"

static struct document
document_of(const char *text)
{
    return (struct document){(char *)text, strlen(text)};
}

static struct domain_edit
start(const char *text)
{
    struct document document = document_of(text);
    struct domain_edit edit;
    struct error error = {0};

    if (domain_edit_start(&document, &edit, &error) < 0)
        fail_msg("%s", error.text);
    return edit;
}

static void
add(struct domain_edit *edit, const char *alias, const char *type, const char *class)
{
    const struct domain_edit_device device = {
        .alias = alias,
        .attributes.said = {[ATTRIBUTE_TYPE] = (char *)type, [ATTRIBUTE_CLASS] = (char *)class}};
    struct error error = {0};

    if (domain_edit_add(edit, &device, &error) < 0)
        fail_msg("%s", error.text);
}

static int
add_fails(const char *text, const char *alias, const char *words)
{
    AUTO(domain_edit_end) struct domain_edit edit = start(text);
    const struct domain_edit_device device = {.alias = alias,
                                              .attributes.said[ATTRIBUTE_TYPE] = (char *)"T4-1B"};
    struct error error = {0};
    int rc = domain_edit_add(&edit, &device, &error);

    if (!strstr(error.text, words))
        fail_msg("no \"%s\" in: %s", words, error.text);
    return rc;
}

static char *
text_of(const struct domain_edit *edit)
{
    struct document text;
    struct error error = {0};

    assert_int_equal(domain_edit_text(edit, &text, &error), 0);
    assert_int_equal(strlen(text.text), text.length);
    return text.text;
}

static void
assert_text(const struct domain_edit *edit, const char *wanted)
{
    AUTO_FREE char *text = text_of(edit);

    assert_string_equal(text, wanted);
}

/* Both were removed by their alias. This was the UUID of the device. */
static void
take_out(struct domain_edit *edit, const char *word, const char *wanted)
{
    AUTO_FREE char *alias = NULL;
    struct name device;
    struct error error = {0};

    if (domain_edit_remove(edit, word, &device, &alias, &error) < 0)
        fail_msg("%s", error.text);
    assert_string_equal(device.text, wanted);
    assert_int_equal(!*wanted, !alias);
}

UNIT_TEST(uuids_are_those_of_the_rfc)
{
    struct name space, uuid;

    /* RFC 9562, A.4 */
    assert_int_equal(name_parse_uuid(&space, "6ba7b810-9dad-11d1-80b4-00c04fd430c8"), 0);
    domain_edit_uuid(&space, "www.example.com", &uuid);
    assert_string_equal(uuid.text, "2ed6657d-e927-568b-95e1-2665a8aea6a2");
    assert_int_equal(name_parse_uuid(&space, DOMAIN), 0);
    domain_edit_uuid(&space, "ua-gpu0", &uuid);
    assert_string_equal(uuid.text, GPU0);
    domain_edit_uuid(&space, "ua-gpu1", &uuid);
    assert_string_equal(uuid.text, GPU1);
}

#define DEVICE(alias, what) "      <vgpu:device alias=\"" alias "\" " what "/>\n"
#define HOSTDEV(alias, uuid)                                                                       \
    "    <hostdev mode=\"subsystem\" type=\"mdev\" model=\"vfio-pci\">\n"                          \
    "      <source>\n        <address uuid=\"" uuid "\"/>\n      </source>\n"                      \
    "      <alias name=\"" alias "\"/>\n    </hostdev>\n"
#define NEWHEAD    "<domain type=\"kvm\">\n  <name>web01</name>\n  <uuid>" DOMAIN "</uuid>\n"
#define NEWDEVICES "  <devices>\n    <emulator>/usr/bin/qemu</emulator>\n"
#define NEWTAIL    "  </devices>\n</domain>\n"
#define OPENED     "  <metadata>\n" OPEN
#define CLOSED     CLOSE "  </metadata>\n"

UNIT_TEST(adds_to_a_plain_domain)
{
    AUTO(domain_edit_end) struct domain_edit edit = start(HEAD TAIL);

    add(&edit, "ua-gpu0", "nvidia-222", NULL);
    assert_text(&edit, NEWHEAD OPENED DEVICE("ua-gpu0", "type=\"nvidia-222\"")
                           CLOSED NEWDEVICES HOSTDEV("ua-gpu0", GPU0) NEWTAIL);
    add(&edit, "ua-gpu1", NULL, "small");
    assert_text(&edit,
                NEWHEAD OPENED DEVICE("ua-gpu0", "type=\"nvidia-222\"")
                    DEVICE("ua-gpu1", "class=\"small\"") CLOSED NEWDEVICES HOSTDEV("ua-gpu0", GPU0)
                        HOSTDEV("ua-gpu1", GPU1) NEWTAIL);
    assert_int_equal(edit.request.device_count, 2);
    assert_string_equal(
        edit.request.devices[edit.request.hostdevs[0].device].attributes.said[ATTRIBUTE_TYPE],
        "nvidia-222");
    assert_string_equal(
        edit.request.devices[edit.request.hostdevs[1].device].attributes.said[ATTRIBUTE_CLASS],
        "small");
    assert_string_equal(edit.request.hostdevs[0].source.text, GPU0);
    assert_true(edit.request.hostdevs[0].is_gpu);
}

/* The added text is removed again, and nothing is left of it. */
UNIT_TEST(removes_what_it_added)
{
    AUTO(domain_edit_end) struct domain_edit edit = start(HEAD TAIL);

    add(&edit, "ua-gpu0", "nvidia-222", NULL);
    add(&edit, "ua-gpu1", NULL, "small");
    take_out(&edit, "ua-gpu0", GPU0);
    assert_text(&edit, NEWHEAD OPENED DEVICE("ua-gpu1", "class=\"small\"")
                           CLOSED NEWDEVICES HOSTDEV("ua-gpu1", GPU1) NEWTAIL);
    take_out(&edit, GPU1, GPU1);
    assert_text(&edit, NEWHEAD NEWDEVICES NEWTAIL);
}

/* A text on one line stays on one line. */
UNIT_TEST(adds_no_lines_where_there_are_none)
{
    AUTO(domain_edit_end)
    struct domain_edit edit = start("<domain><name>a</name><uuid>" DOMAIN "</uuid></domain>");

    add(&edit, "ua-gpu0", "T4-1B", NULL);
    assert_text(&edit, "<domain><name>a</name><uuid>" DOMAIN "</uuid><metadata>"
                       "<vgpu:request xmlns:vgpu=\"urn:libvirt-vgpu:domain:1\">"
                       "<vgpu:device alias=\"ua-gpu0\" type=\"T4-1B\"/></vgpu:request></metadata>"
                       "<devices><hostdev mode=\"subsystem\" type=\"mdev\" model=\"vfio-pci\">"
                       "<source><address uuid=\"" GPU0 "\"/></source><alias name=\"ua-gpu0\"/>"
                       "</hostdev></devices></domain>\n");
}

UNIT_TEST(leaves_everything_else)
{
    AUTO(domain_edit_end)
    struct domain_edit edit = start(
        "<?xml version=\"1.0\"?>\n<!-- ours -->\n<domain type=\"kvm\">\n"
        "  <name>K\xc3\xb6ln &amp; &lt;1&gt;</name>\n  <uuid>" DOMAIN "</uuid>\n"
        "  <metadata>\n    <app:a xmlns:app=\"urn:a\" b=\"\xc3\xa4\"><![CDATA[<b>&]]></app:a>\n"
        "  </metadata>\n  <devices/>\n</domain>\n");
    AUTO_FREE char *text = NULL;

    add(&edit, "ua-gpu0", "GRID T4-1B \"&<", NULL);
    text = text_of(&edit);
    assert_non_null(strstr(text, "<?xml version=\"1.0\""));
    assert_non_null(strstr(text, "<!-- ours -->\n<domain type=\"kvm\">\n  <name>K\xc3\xb6ln &amp; "
                                 "&lt;1&gt;</name>\n"));
    assert_non_null(strstr(
        text, "    <app:a xmlns:app=\"urn:a\" b=\"\xc3\xa4\"><![CDATA[<b>&]]></app:a>\n" OPEN));
    assert_string_equal(edit.request.devices[0].attributes.said[ATTRIBUTE_TYPE], "GRID T4-1B \"&<");
}

#define ASKED                                                                                      \
    HEAD "  <metadata>\n    <v:request xmlns:v='urn:libvirt-vgpu:domain:1'>\n"                     \
         "      <v:device type='T4-2B' parent='0000:18:00.0'>\n"                                   \
         "        <v:param name='frame_rate_limiter' value='0'/>\n      </v:device>\n"             \
         "    </v:request>\n  </metadata>\n  <devices>\n"                                          \
         "    <hostdev mode='subsystem' type='mdev' model='vfio-pci'>\n"                           \
         "      <source><address uuid='BBBBBBBB-0000-4000-8000-000000000001'/></source>\n"         \
         "    </hostdev>\n  </devices>\n</domain>\n"

/* A device meant the only hostdev. Now there are two hostdevs, so the device gets a link. */
UNIT_TEST(links_the_lonely_one)
{
    AUTO(domain_edit_end) struct domain_edit edit = start(ASKED);
    AUTO_FREE char *text = NULL;

    add(&edit, "ua-gpu0", NULL, "small");
    text = text_of(&edit);
    assert_non_null(strstr(text, "<v:device type=\"T4-2B\" parent=\"0000:18:00.0\" "
                                 "uuid=\"bbbbbbbb-0000-4000-8000-000000000001\">\n"));
    assert_non_null(strstr(text, "      <v:device alias=\"ua-gpu0\" class=\"small\"/>\n"
                                 "    </v:request>\n"));
    assert_int_equal(edit.request.hostdevs[0].device, 0);
    assert_int_equal(edit.request.hostdevs[1].device, 1);
    take_out(&edit, "bbbbbbbb-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000001");
    assert_int_equal(edit.request.hostdev_count, 1);
    assert_string_equal(edit.request.hostdevs[0].alias, "ua-gpu0");
}

static void
set_source(struct domain_edit *edit, const char *alias, enum request_kind kind, const char *text)
{
    struct rewrite_source source = {.kind = kind};
    struct error error = {0};

    assert_int_equal(kind == REQUEST_PCI ? name_parse_pci(&source.source, text)
                                         : name_parse_uuid(&source.source, text),
                     0);
    if (domain_edit_set_source(edit, alias, &source, &error) < 0)
        fail_msg("%s", error.text);
}

/* A device becomes a virtual function, then another one, and then a mediated device again. */
UNIT_TEST(makes_functions)
{
    static const char devices[] =
        DEVICE("ua-gpu0", "type=\"L40S-1B\"") DEVICE("ua-gpu1", "type=\"L40S-1B\"");
    static const char hostdevs[] = HOSTDEV(
        "ua-gpu0",
        GPU0) "    <hostdev mode=\"subsystem\" type=\"pci\" managed=\"no\">\n"
              "      <source>\n"
              "        <address domain=\"0x10000\" bus=\"0x3d\" slot=\"0x1f\" function=\"0x7\"/>\n"
              "      </source>\n      <alias name=\"ua-gpu1\"/>\n    </hostdev>\n";
    AUTO(domain_edit_end) struct domain_edit edit = start(HEAD TAIL);
    AUTO_FREE char *mediated = NULL, *again = NULL, *hostdev = NULL, *function = NULL;
    struct error error = {0};

    add(&edit, "ua-gpu0", "L40S-1B", NULL);
    add(&edit, "ua-gpu1", "L40S-1B", NULL);
    mediated = text_of(&edit);
    set_source(&edit, "ua-gpu1", REQUEST_PCI, "0000:e7:00.4");
    set_source(&edit, "ua-gpu1", REQUEST_PCI, "10000:3d:1f.7");
    assert_true(asprintf(&function, NEWHEAD OPENED "%s" CLOSED NEWDEVICES "%s" NEWTAIL, devices,
                         hostdevs) > 0);
    assert_text(&edit, function);
    assert_int_equal(edit.request.hostdevs[1].kind, REQUEST_PCI);
    assert_int_equal(edit.request.hostdevs[1].device, 1);
    assert_ptr_equal(domain_edit_find(&edit, "10000:3D:1f.7"), &edit.request.hostdevs[1]);
    assert_null(domain_edit_find(&edit, "0000:e7:00.4"));
    assert_int_equal(domain_edit_hostdev(&edit, "ua-gpu1", &hostdev, &error), 0);
    assert_non_null(strstr(hostdev, "slot=\"0x1f\""));
    set_source(&edit, "ua-gpu1", REQUEST_MDEV, GPU1);
    again = text_of(&edit);
    assert_string_equal(again, mediated);
    set_source(&edit, "ua-gpu1", REQUEST_PCI, "0000:e7:00.4");
    take_out(&edit, "0000:E7:00.4", "0000:e7:00.4");
    take_out(&edit, GPU0, GPU0);
    assert_text(&edit, NEWHEAD NEWDEVICES NEWTAIL);
}

/* A class becomes a type, and nothing else changes. */
UNIT_TEST(says_the_type_in_place_of_the_class)
{
    AUTO(domain_edit_end) struct domain_edit edit = start(HEAD TAIL);
    AUTO_FREE char *wanted = NULL;
    struct error error = {0};

    add(&edit, "ua-gpu0", NULL, "small");
    add(&edit, "ua-gpu1", "L40S-1B", NULL);
    assert_int_equal(domain_edit_set_type(&edit, GPU0, "NVIDIA L40S-2Q", &error), 0);
    assert_true(asprintf(&wanted, NEWHEAD OPENED "%s" CLOSED NEWDEVICES "%s" NEWTAIL,
                         DEVICE("ua-gpu0", "type=\"NVIDIA L40S-2Q\"")
                             DEVICE("ua-gpu1", "type=\"L40S-1B\""),
                         HOSTDEV("ua-gpu0", GPU0) HOSTDEV("ua-gpu1", GPU1)) > 0);
    assert_text(&edit, wanted);
    assert_int_equal(domain_edit_set_type(&edit, "ua-gpu7", "L40S-2Q", &error), -ENOENT);
}

/* A virtual function can be named only by its alias. So a device that is linked by a UUID stays a
 * mediated device. */
UNIT_TEST(keeps_what_a_uuid_names)
{
    AUTO(domain_edit_end) struct domain_edit edit = start(ASKED);
    struct rewrite_source source = {.kind = REQUEST_PCI};
    struct error error = {0};

    add(&edit, "ua-gpu0", NULL, "small");
    assert_int_equal(name_parse_pci(&source.source, "0000:e7:00.4"), 0);
    assert_int_equal(
        domain_edit_set_source(&edit, "bbbbbbbb-0000-4000-8000-000000000001", &source, &error),
        -EINVAL);
    assert_non_null(strstr(error.text, "names no <hostdev> of type mdev"));
}

/* A request without a link means the only mediated device, in any place of the document. */
UNIT_TEST(links_the_lonely_one_beside_others)
{
    static const char before[] =
        HEAD "<metadata><v:request xmlns:v='urn:libvirt-vgpu:domain:1'><v:device type='T4-2B'/>"
             "</v:request></metadata><devices>"
             "<hostdev mode='subsystem' type='pci' managed='yes'><source>"
             "<address domain='0x0000' bus='0x01' slot='0x00' function='0x0'/></source></hostdev>"
             "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
             "<address uuid='bbbbbbbb-0000-4000-8000-000000000001'/></source></hostdev>"
             "</devices></domain>";
    AUTO(domain_edit_end) struct domain_edit edit = start(before);

    add(&edit, "ua-gpu0", NULL, "small");
    assert_string_equal(edit.request.devices[0].uuid, "bbbbbbbb-0000-4000-8000-000000000001");
    assert_int_equal(edit.request.hostdevs[1].device, 0);
    assert_int_equal(edit.request.hostdevs[0].device, SIZE_MAX);
}

/* A hostdev without an alias belongs to somebody else. It does not count as ours. */
UNIT_TEST(tells_ours_from_others)
{
    AUTO(domain_edit_end)
    struct domain_edit edit = start(
        HEAD "  <devices>\n    <hostdev mode='subsystem' type='pci'/>\n"
             "    <hostdev mode='subsystem' type='mdev' model='vfio-pci'>\n"
             "      <source><address uuid='bbbbbbbb-0000-4000-8000-000000000001'/></source>\n"
             "      <alias name='ua-theirs'/>\n    </hostdev>\n"
             "    <hostdev mode='subsystem' type='mdev' model='vfio-pci'>\n"
             "      <source><address uuid='bbbbbbbb-0000-4000-8000-000000000002'/></source>\n"
             "      <alias name='ua-vgpu-small'/>\n    </hostdev>\n  </devices>\n</domain>\n");
    AUTO_FREE char *alias = NULL, *text = NULL;
    struct name device;
    struct error error = {0};

    assert_true(domain_edit_has_alias(&edit, "ua-theirs"));
    assert_false(domain_edit_has_alias(&edit, "ua-gpu0"));
    assert_int_equal(domain_edit_remove(&edit, "ua-theirs", &device, &alias, &error), -ENOENT);
    assert_string_equal(error.text, "web01 has no vGPU \"ua-theirs\"; it has ua-vgpu-small");
    take_out(&edit, "ua-vgpu-small", "bbbbbbbb-0000-4000-8000-000000000002");
    text = text_of(&edit);
    assert_non_null(strstr(text, "ua-theirs"));
    assert_null(strstr(text, "ua-vgpu-small"));
}

/* The guest released the device late. The annotation still names this device, which does not
 * exist. */
UNIT_TEST(removes_what_dangles)
{
    AUTO(domain_edit_end)
    struct domain_edit edit = start(HEAD OPENED DEVICE("ua-gpu0", "type=\"T4-1B\"") CLOSED TAIL);

    assert_true(*edit.request.fault.text);
    take_out(&edit, "ua-gpu0", "");
    assert_text(&edit, NEWHEAD NEWDEVICES NEWTAIL);
}

/* The metadata of other programs stays, and so does the element around them. */
UNIT_TEST(leaves_others_metadata)
{
    AUTO(domain_edit_end)
    struct domain_edit edit = start(HEAD "  <metadata>\n    <a:b xmlns:a=\"urn:a\"/>\n" OPEN DEVICE(
        "ua-gpu0", "type=\"T4-1B\"") CLOSED TAIL);

    take_out(&edit, "ua-gpu0", "");
    assert_text(&edit, NEWHEAD
                "  <metadata>\n    <a:b xmlns:a=\"urn:a\"/>\n  </metadata>\n" NEWDEVICES NEWTAIL);
}

UNIT_TEST(refuses)
{
    assert_int_equal(add_fails(HEAD TAIL, "gpu0", "the alias \"gpu0\" is none"), -EINVAL);
    assert_int_equal(add_fails(HEAD TAIL, "ua-", "the alias \"ua-\" is none"), -EINVAL);
    assert_int_equal(add_fails(HEAD TAIL, "ua-<", "the alias \"ua-<\" is none"), -EINVAL);
    assert_int_equal(add_fails(HEAD "<devices><disk><alias name='ua-x'/></disk></devices></domain>",
                               "ua-x", "web01 has a device with the alias ua-x already"),
                     -EEXIST);
    assert_int_equal(add_fails(HEAD OPENED DEVICE("ua-gpu1", "type=\"T4-1B\"") CLOSED TAIL,
                               "ua-gpu0", "a fault, which must be mended first: <vgpu:device "),
                     -EINVAL);
}

UNIT_TEST(refuses_what_is_no_domain)
{
    static const char *const texts[] = {
        "",
        "<domain>",
        "<network/>",
        "<!DOCTYPE domain [<!ENTITY a 'b'>]><domain><uuid>" DOMAIN "</uuid></domain>",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct document document = document_of(texts[i]);
        AUTO(domain_edit_end) struct domain_edit edit;
        struct error error = {0};

        assert_int_equal(domain_edit_start(&document, &edit, &error), -EINVAL);
        assert_true(*error.text);
    }
}

UNIT_TEST(gives_libvirt_its_parts)
{
    AUTO(domain_edit_end) struct domain_edit edit = start(ASKED);
    AUTO_FREE char *before = NULL, *annotation = NULL, *hostdev = NULL;
    struct error error = {0};

    assert_int_equal(domain_edit_annotation(&edit, &before, &error), 0);
    assert_string_equal(before, "<request>\n      <device type=\"T4-2B\" parent=\"0000:18:00.0\">\n"
                                "        <param name=\"frame_rate_limiter\" value=\"0\"/>\n"
                                "      </device>\n    </request>");
    add(&edit, "ua-gpu0", NULL, "small");
    assert_int_equal(domain_edit_annotation(&edit, &annotation, &error), 0);
    assert_non_null(strstr(annotation, "<device alias=\"ua-gpu0\" class=\"small\"/>"));
    assert_int_equal(domain_edit_hostdev(&edit, "ua-gpu0", &hostdev, &error), 0);
    assert_non_null(strstr(hostdev, "<address uuid=\"" GPU0 "\"/>"));
    free(annotation);
    take_out(&edit, "ua-gpu0", GPU0);
    take_out(&edit, "bbbbbbbb-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000001");
    assert_int_equal(domain_edit_annotation(&edit, &annotation, &error), 0);
    assert_null(annotation);
}

/* A clone has the UUIDs of its original. Everything else stays, to the byte. */
UNIT_TEST(renews_a_clone)
{
    static const char before[] =
        HEAD "  <metadata><v:request xmlns:v='urn:libvirt-vgpu:domain:1'>"
             "<v:device alias='ua-gpu0' type='a'/>"
             "<v:device uuid='bbbbbbbb-0000-4000-8000-000000000002' type='a'/>"
             "</v:request></metadata><devices>\n"
             "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
             "<address uuid='bbbbbbbb-0000-4000-8000-000000000001'/></source>"
             "<alias name='ua-gpu0'/></hostdev>\n"
             "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
             "<address uuid='bbbbbbbb-0000-4000-8000-000000000002'/></source></hostdev>\n"
             "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
             "<address uuid='bbbbbbbb-0000-4000-8000-000000000003'/></source></hostdev>\n"
             "</devices></domain>";
    const struct host nowhere = {0};
    const struct names none = {0};
    struct document document = document_of(before);
    AUTO(document_clear) struct document after = {0};
    AUTO(document_clear) struct document again = {0};
    AUTO(request_clear) struct request request = {0};
    struct error error = {0};
    struct name uuid;

    assert_int_equal(clone_renew(&nowhere, &document, &none, &after, &error), 0);
    assert_int_equal(after.length, document.length);
    assert_int_equal(request_parse(&after, &request, &error), 0);
    assert_int_equal(request_check(&request, &error), 0);
    assert_string_equal(request.hostdevs[0].source.text, GPU0);
    domain_edit_uuid(&request.domain, "hostdev1", &uuid);
    assert_string_equal(request.hostdevs[1].source.text, uuid.text);
    assert_string_equal(request.devices[1].uuid, uuid.text);
    assert_string_equal(request.hostdevs[2].source.text, "bbbbbbbb-0000-4000-8000-000000000003");
    /* A second renewal changes nothing. */
    assert_int_equal(clone_renew(&nowhere, &after, &none, &again, &error), 0);
    assert_null(again.text);
}

/* The fault is reported, and nothing is renewed. */
UNIT_TEST(refuses_a_faulty_clone)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {HEAD "<metadata><v:request xmlns:v='urn:libvirt-vgpu:domain:1'><v:device type='a'/>"
              "</v:request></metadata></domain>",
         "device"},
        {HEAD "<devices>", ""},
    };
    const struct host nowhere = {0};
    const struct names none = {0};

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct document document = document_of(rows[i].text);
        struct document after = {0};
        struct error error = {0};

        assert_int_equal(clone_renew(&nowhere, &document, &none, &after, &error), -EINVAL);
        assert_null(after.text);
        assert_true(*error.text && strstr(error.text, rows[i].words));
    }
}
