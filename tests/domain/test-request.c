/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* request: what the XML of untrusted people asks for, and the message if their XML is wrong. */

#include "domain/parsed.h"

#include <stdio.h>
#include <string.h>

#define TEST(function) UNIT_TEST_IN(function, parsed_set_up, parsed_tear_down, NULL)

TEST(everything_a_device_may_say)
{
    struct parsed *parsed = *state;
    const struct request *request = &parsed->request;
    const struct request_device *device;

    parsed_assert(parsed,
                  GUEST(ASK("<vgpu:device alias='ua-gpu0' class='small' parent='00000000:1A:00.0' "
                            "placement='spread' numa='require' traits='a !b'>"
                            "<vgpu:param name='frame_rate_limiter' value='0'/>"
                            "<vgpu:param name='disable_vnc' value='1'></vgpu:param></vgpu:device>"
                            "<vgpu:device alias='ua-gpu1' type='GRID T4-1B'/>"),
                        PCI GPU0 GPU1));
    assert_string_equal(request->name, "web01");
    assert_string_equal(request->domain.text, UUID);
    assert_int_equal(request->device_count, 2);
    device = &request->devices[0];
    assert_string_equal(device->alias, "ua-gpu0");
    assert_string_equal(device->attributes.said[ATTRIBUTE_CLASS], "small");
    assert_string_equal(device->attributes.said[ATTRIBUTE_PARENT], "0000:1a:00.0");
    assert_int_equal(device->attributes.chosen[ATTRIBUTE_PLACEMENT], ORDER_SPREAD);
    assert_int_equal(device->attributes.chosen[ATTRIBUTE_NUMA], NUMA_REQUIRE);
    assert_string_equal(device->attributes.said[ATTRIBUTE_TRAITS], "a !b");
    assert_null(device->attributes.said[ATTRIBUTE_TYPE]);
    assert_null(device->uuid);
    assert_int_equal(device->param_count, 2);
    assert_string_equal(device->params[0].name, "frame_rate_limiter");
    assert_string_equal(device->params[1].value, "1");
    assert_string_equal(request->devices[1].attributes.said[ATTRIBUTE_TYPE], "GRID T4-1B");
    assert_int_equal(request->hostdev_count, 3);
    assert_string_equal(request->hostdevs[1].source.text, UUID0);
    assert_string_equal(request->hostdevs[2].alias, "ua-gpu1");
    assert_int_equal(request->hostdevs[0].device, SIZE_MAX);
    assert_int_equal(request->hostdevs[1].device, 0);
    assert_int_equal(request->hostdevs[2].device, 1);
}

/* A request finds its hostdev by alias, by UUID in any spelling, or because it is the only one. The
 * order does not matter. -1: it finds none. */
TEST(a_device_finds_its_hostdev)
{
    static const struct {
        const char *text;
        int devices[2]; /* of the hostdevs in their order */
    } rows[] = {
        {GUEST(ASK("<vgpu:device alias='ua-gpu1' " TYPE "/>"), GPU0 GPU1), {-1, 0}},
        {GUEST(
             ASK("<vgpu:device alias='ua-gpu1' " TYPE "/><vgpu:device alias='ua-gpu0' " TYPE "/>"),
             GPU0 GPU1),
         {1, 0}},
        {GUEST(ASK("<vgpu:device uuid='" UUID1 "' " TYPE "/>"), GPU0 GPU1), {-1, 0}},
        {GUEST(ASK("<vgpu:device uuid='B1F4E27E0D064A5F9C5D3A1F0C6B8E20' " TYPE "/>"), GPU0 GPU1),
         {0, -1}},
        {GUEST(
             ASK("<vgpu:device uuid='" UUID1 "' " TYPE "/><vgpu:device alias='ua-gpu0' " TYPE "/>"),
             GPU0 MDEV(UUID1, "")),
         {1, 0}},
        {GUEST(ASK("<vgpu:device " TYPE "/>"), PCI GPU1), {-1, 0}},
        {GUEST(ASK("<vgpu:device " TYPE "/>"), MDEV(UUID0, "")), {0}},
        /* the annotation may follow the devices */
        {"<domain><devices>" GPU0
         "</devices><metadata>" ASK("<vgpu:device " TYPE "/>") "</metadata>" HEAD "</domain>",
         {0}},
        {GUEST("", GPU0 GPU1), {-1, -1}},
    };
    struct parsed *parsed = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        parsed_assert(parsed, rows[i].text);
        for (size_t k = 0; k < parsed->request.hostdev_count; k++) {
            if (parsed->request.hostdevs[k].device != (size_t)(ssize_t)rows[i].devices[k])
                fail_msg("hostdev %zu has device %zd: %s", k,
                         (ssize_t)parsed->request.hostdevs[k].device, rows[i].text);
        }
    }
}

/* A virtual function, whose address is in all spellings that libvirt accepts. */
TEST(a_function_is_named_by_its_alias)
{
    static const struct {
        const char *address, *source; /* "": no source, because the address is not valid */
    } rows[] = {
        {"domain='0x0000' bus='0x3d' slot='0x00' function='0x4'", "0000:3d:00.4"},
        {"bus='61' slot='0' function='4'", "0000:3d:00.4"},
        {"domain='0x10000' bus='0xff' slot='0x1f' function='7'", "10000:ff:1f.7"},
        {"slot='0x1f'", "0000:00:1f.0"},
        {"bus='0x3d' slot='0x20' function='0x0'", ""},
        {"bus='0x100'", ""},
        {"bus='-1'", ""},
        {"bus='3d'", ""},
        {"function='8'", ""},
        {"", "0000:00:00.0"},
        /* the first address counts, even if it is not valid */
        {"bus='0x3d'/><address bus='0x4d'", "0000:3d:00.0"},
        {"bus='0x100'/><address bus='0x3d'", ""},
        {"bus='0x100'/></source><source><address bus='0x3d'", ""},
    };
    struct parsed *parsed = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct request_hostdev *hostdev;
        AUTO_FREE char *text = NULL;

        assert_true(asprintf(&text,
                             GUEST(ASK("<vgpu:device alias='ua-vf0' " TYPE "/>"),
                                   GPU0 "<hostdev mode='subsystem' type='pci'><source><address %s/>"
                                        "</source><alias name='ua-vf0'/></hostdev>"),
                             rows[i].address) > 0);
        assert_int_equal(parsed_read(parsed, text), 0);
        hostdev = &parsed->request.hostdevs[1];
        assert_int_equal(hostdev->kind, REQUEST_PCI);
        assert_string_equal(hostdev->source.text, rows[i].source);
        assert_int_equal(hostdev->device, 0);
        assert_int_equal(parsed->request.hostdevs[0].device, SIZE_MAX);
        assert_int_equal(request_check(&parsed->request, &parsed->error),
                         *rows[i].source ? 0 : -EINVAL);
        assert_false(hostdev->is_managed);
    }
    parsed_assert(parsed, GUEST("", PCI));
    assert_true(parsed->request.hostdevs[0].is_managed);
}

TEST(whose_guest_it_is)
{
    static const struct {
        const char *text;
        size_t hostdevs;
        bool concerns_us;
    } rows[] = {
        {GUEST("", ""), 0, false},
        {"<domain>" HEAD "</domain>", 0, false},
        {GUEST("", GPU0), 1, true},
        {GUEST("", PCI), 1, false},
        {GUEST("", FUNCTION("ua-nic0")), 1, true},
        {GUEST("", FUNCTION("hostdev0")), 1, false},
        {GUEST("", MDEV_OF("vfio-ccw", UUID0, "") MDEV_OF("vfio-ap", UUID1, "")), 2, false},
        {GUEST("", MDEV_OF("vfio-ap", UUID0, "") GPU1), 2, true},
        {GUEST("", "<interface type='hostdev' mode='subsystem'/><disk type='mdev'/>"), 0, false},
        {GUEST("<app:x xmlns:app='urn:x'>" GPU0 "</app:x>", ""), 0, false},
        {GUEST("<app:request xmlns:app='urn:x'/>", ""), 0, false},
        {GUEST(ASK(""), ""), 0, false},
        {GUEST(ASK("<vgpu:device " TYPE "/>"), GPU0), 1, true},
        {GUEST(ASK("<vgpu:nonsense/>"), ""), 0, true},
    };
    struct parsed *parsed = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (parsed_read(parsed, rows[i].text) < 0)
            fail_msg("%s in: %s", parsed->error.text, rows[i].text);
        assert_int_equal(parsed->request.hostdev_count, rows[i].hostdevs);
        assert_int_equal(request_concerns_us(&parsed->request), rows[i].concerns_us);
    }
}

/* If we do not understand an element, every program that acts on the request stops. The message
 * names the element. The rest of the request is read all the same. */
static void
check_fault(struct parsed *parsed, const char *text, const char *const *words, size_t *wrong)
{
    int rc = parsed_read(parsed, text);

    if (rc < 0)
        fail_msg("unreadable: %s: %s", parsed->error.text, text);
    assert_string_equal(parsed->request.domain.text, UUID);
    assert_true(request_concerns_us(&parsed->request));
    rc = request_check(&parsed->request, &parsed->error);
    for (; *words && rc == -EINVAL && strstr(parsed->error.text, *words); words++)
        continue;
    if (!*words)
        return;
    print_error("%d, no \"%s\" in \"%s\" for: %s\n", rc, *words, rc ? parsed->error.text : "",
                text);
    (*wrong)++;
}

struct fault {
    const char *devices; /* in <vgpu:request> */
    const char *words[5];
};

TEST(faults_in_the_request)
{
    static const struct fault rows[] = {
        /* the wish of the device */
        {"<vgpu:device alias='ua-gpu0'/>", {"ua-gpu0", "neither type nor class"}},
        {"<vgpu:device/>", {"neither type nor class"}},
        {"<vgpu:device alias='ua-gpu0' class='small' " TYPE "/>", {"both", "nvidia-222", "small"}},
        /* the hostdev that the device means */
        {"<vgpu:device alias='ua-gpu9' " TYPE "/>", {"alias=\"ua-gpu9\"", "names no <hostdev"}},
        {"<vgpu:device alias='UA-GPU0' " TYPE "/>", {"UA-GPU0", "names no <hostdev"}},
        {"<vgpu:device uuid='" UUID "' " TYPE "/>", {"uuid=\"" UUID "\"", "names no <hostdev"}},
        {"<vgpu:device uuid='b1f4' " TYPE "/>", {"b1f4", "no UUID"}},
        {"<vgpu:device alias='ua-gpu0' uuid='" UUID0 "' " TYPE "/>", {"ua-gpu0", "uuid as well"}},
        {"<vgpu:device " TYPE "/>", {"neither alias nor uuid", "1 <vgpu:device>", "2 <hostdev"}},
        {"<vgpu:device alias='ua-gpu0' " TYPE "/><vgpu:device " TYPE "/>",
         {"neither alias nor uuid", "2 <vgpu:device>", "2 <hostdev"}},
        {"<vgpu:device alias='ua-gpu0' " TYPE "/><vgpu:device alias='ua-gpu0' " TYPE "/>",
         {"two <vgpu:device>", "ua-gpu0"}},
        {"<vgpu:device alias='ua-gpu1' " TYPE "/><vgpu:device uuid='" UUID1 "' " TYPE "/>",
         {"two <vgpu:device>", "ua-gpu1"}},
        /* a placement id is a number, and appears only once */
        {"<vgpu:device alias='ua-gpu0' placement-id='4x' " TYPE "/>",
         {"placement-id=\"4x\"", "that is no number"}},
        {"<vgpu:device alias='ua-gpu0' placement-id='4' " TYPE
         "><vgpu:param name='vgpu-placement-id' value='4'/></vgpu:device>",
         {"vgpu-placement-id", "leave one out"}},
        /* unknown attributes, on each of our elements */
        {"<vgpu:device alias='ua-gpu0' colour='red' " TYPE "/>", {"<vgpu:device>", "\"colour\""}},
        {"<vgpu:device alias='ua-gpu0' Type='nvidia-222'/>", {"<vgpu:device>", "\"Type\""}},
        {"<vgpu:device alias='ua-gpu0' vgpu:" TYPE "/>", {"<vgpu:device>", "\"vgpu:type\""}},
        {"<vgpu:device alias='ua-gpu0' " TYPE " x:numa='ignore' xmlns:x='urn:x'/>", {"numa\""}},
        {"<vgpu:device alias='ua-gpu0' " TYPE " xml:lang='en'/>", {"<vgpu:device>", "lang\""}},
        {"<vgpu:device alias='ua-gpu0' " TYPE
         "><vgpu:param name='a' value='1' unit='s'/></vgpu:device>",
         {"<vgpu:param>", "\"unit\""}},
        {"<vgpu:device alias='ua-gpu0' " TYPE
         "><vgpu:param vgpu:name='a' value='1'/></vgpu:device>",
         {"<vgpu:param>", "\"vgpu:name\""}},
        /* values without a meaning */
        {"<vgpu:device alias='ua-gpu0' type=''/>", {"type=\"\""}},
        {"<vgpu:device alias='' " TYPE "/>", {"alias=\"\""}},
        {"<vgpu:device alias='ua-gpu0' type='GRID/T4'/>", {"GRID/T4", "slash"}},
        {"<vgpu:device alias='ua-gpu0' type='a&#10;b'/>", {"type=", "a?b"}},
        {"<vgpu:device alias='ua-gpu0' placement='loose' " TYPE "/>",
         {"placement=\"loose\"", "pack", "spread"}},
        {"<vgpu:device alias='ua-gpu0' numa='Ignore' " TYPE "/>",
         {"numa=\"Ignore\"", "prefer", "require", "ignore"}},
        {"<vgpu:device alias='ua-gpu0' parent='..' " TYPE "/>", {"parent=\"..\""}},
        {"<vgpu:device alias='ua-gpu0' parent='a/b' " TYPE "/>", {"parent=\"a/b\""}},
        {"<vgpu:device alias='ua-gpu0' parent='0000:18:00.8' " TYPE "/>",
         {"parent=\"0000:18:00.8\""}},
        {"<vgpu:device alias='ua-gpu0' " TYPE "><vgpu:param value='1'/></vgpu:device>",
         {"<vgpu:param>", "name"}},
        {"<vgpu:device alias='ua-gpu0' " TYPE "><vgpu:param name='a'/></vgpu:device>",
         {"<vgpu:param>", "value"}},
        /* elements in a wrong place */
        {"<vgpu:devices/>", {"<vgpu:devices>"}},
        {"<vgpu:Device " TYPE "/>", {"<vgpu:Device>"}},
        {"<vgpu:param name='a' value='1'/>", {"<vgpu:param>"}},
        {ASK(""), {"<vgpu:request>"}},
        {"<vgpu:device " TYPE "><vgpu:device " TYPE "/></vgpu:device>", {"<vgpu:device>"}},
        {"<vgpu:device " TYPE "><vgpu:trait/></vgpu:device>", {"<vgpu:trait>"}},
        {"<vgpu:device " TYPE
         "><vgpu:param name='a' value='1'><vgpu:x/></vgpu:param></vgpu:device>",
         {"<vgpu:x>"}},
        /* elements of no namespace, or of another one */
        {"<device " TYPE "/>", {"<device>", REQUEST_NAMESPACE}},
        {"<x:device xmlns:x='urn:x' " TYPE "/>", {"<device>", REQUEST_NAMESPACE}},
        {"<vgpu:device " TYPE "><param name='a' value='1'/></vgpu:device>", {"<param>"}},
        {"<vgpu:device " TYPE "><vgpu:param name='a' value='1'><x/></vgpu:param></vgpu:device>",
         {"<x>"}},
        {"<n:device xmlns:n='urn:libvirt-vgpu:domain:2' " TYPE "/>",
         {"<vgpu:device>", "urn:libvirt-vgpu:domain:2", REQUEST_NAMESPACE}},
        /* of two faults the first is reported */
        {"<vgpu:first/><vgpu:second/>", {"first"}},
    };
    size_t wrong = 0;

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *text = NULL;

        assert_true(asprintf(&text,
                             "<domain>%s<metadata>%s%s</vgpu:request></metadata><devices>%s"
                             "</devices></domain>",
                             HEAD, OURS, rows[i].devices, GPU0 GPU1) > 0);
        check_fault(*state, text, rows[i].words, &wrong);
    }
    assert_int_equal(wrong, 0);
}

TEST(faults_around_the_request)
{
    static const struct fault rows[] = {
        {ASK("") ASK(""), {"second <vgpu:request>"}},
        {ASK("") "<r:request xmlns:r='" REQUEST_NAMESPACE "'/>", {"second <vgpu:request>"}},
        {"<vgpu:request version='1' xmlns:vgpu='" REQUEST_NAMESPACE "'/>",
         {"<vgpu:request>", "\"version\""}},
        {"<vgpu:device xmlns:vgpu='" REQUEST_NAMESPACE "' " TYPE "/>", {"<vgpu:device>"}},
        {"<vgpu:Request xmlns:vgpu='" REQUEST_NAMESPACE "'/>", {"<vgpu:Request>"}},
        {"<vgpu:request xmlns:vgpu='urn:libvirt-vgpu:domain:2'/>",
         {"urn:libvirt-vgpu:domain:2", "knows only " REQUEST_NAMESPACE ": upgrade libvirt-vgpu"}},
        {"<x:what xmlns:x='urn:libvirt-vgpu:domain:10'/>", {"urn:libvirt-vgpu:domain:10"}},
        {"<x:what xmlns:x='urn:libvirt-vgpu:'/>", {"urn:libvirt-vgpu:"}},
    };
    size_t wrong = 0;

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *text = NULL;

        assert_true(asprintf(&text, "<domain>%s<metadata>%s</metadata></domain>", HEAD,
                             rows[i].devices) > 0);
        check_fault(*state, text, rows[i].words, &wrong);
    }
    assert_int_equal(wrong, 0);
}

#define NEWER "xmlns:n='urn:libvirt-vgpu:domain:2'"

/* The request has an unknown version, so we do not know what its elements mean. Such an element is
 * not libvirt's element of the same name, and it is not ignored, wherever we read elements. */
TEST(an_element_of_another_version)
{
    static const char *const texts[] = {
        GUEST(ASK(ONE), GPU0 "<n:hostdev " NEWER " mode='subsystem' type='mdev' model='vfio-pci'>"
                             "<source><address uuid='" UUID1 "'/></source></n:hostdev>"),
        GUEST(ASK(ONE), GPU0 "<n:hostdev " NEWER " mode='subsystem' type='pci'/>"),
        GUEST(ASK(ONE), MDEV(UUID0, "<n:alias " NEWER " name='ua-gpu1'/>"
                                    "<alias name='ua-gpu0'/>")),
        GUEST(ASK(ONE), "<hostdev mode='subsystem' type='mdev' model='vfio-pci'>"
                        "<n:source " NEWER "><address uuid='" UUID1 "'/></n:source>"
                        "<source><n:address " NEWER " uuid='" UUID1 "'/><address uuid='" UUID0
                        "'/></source><alias name='ua-gpu0'/></hostdev>"),
        GUEST("<n:request " NEWER "/>" ASK(ONE), GPU0),
        GUEST(ASK(ONE) "<n:request " NEWER "/>", GPU0),
        "<domain><n:name " NEWER ">web02</n:name><n:uuid " NEWER ">" UUID1
        "</n:uuid>" BODY(ASK(ONE), GPU0) "</domain>",
        "<domain>" BODY(ASK(ONE), GPU0) "<n:devices " NEWER ">" GPU1 "</n:devices></domain>",
        "<domain>" BODY(ASK(ONE), GPU0) "<n:metadata " NEWER ">" ASK(ONE) "</n:metadata></domain>",
    };
    static const char *const words[] = {"urn:libvirt-vgpu:domain:2", "upgrade libvirt-vgpu", NULL};
    struct parsed *parsed = *state;
    const struct request *request = &parsed->request;
    size_t wrong = 0;

    for (size_t i = 0; i < COUNT(texts); i++) {
        check_fault(parsed, texts[i], words, &wrong);
        assert_string_equal(request->name, "web01");
        assert_string_equal(request->domain.text, UUID);
        assert_int_equal(request->device_count, 1);
        assert_int_equal(request->hostdev_count, 1);
        assert_string_equal(request->hostdevs[0].source.text, UUID0);
        assert_string_equal(request->hostdevs[0].alias, "ua-gpu0");
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(parsed_read(parsed, "<n:domain " NEWER ">" HEAD "</n:domain>"), -EINVAL);
    /* Elements inside another namespace's element belong to that namespace. */
    parsed_assert(parsed, GUEST("<x:backup xmlns:x='urn:x'><n:request " NEWER "/></x:backup>", ""));
}

/* An undeclared prefix is no error of form. But its attribute is not an attribute without a prefix
 * either. */
TEST(an_attribute_of_an_undeclared_prefix)
{
    static const char *const words[] = {"<vgpu:device>", "type\"", NULL};
    size_t wrong = 0;

    check_fault(*state, GUEST(ASK("<vgpu:device alias='ua-gpu0' nobody:" TYPE "/>"), GPU0), words,
                &wrong);
    assert_int_equal(wrong, 0);
}

/* The same document in other forms. */
TEST(any_spelling_of_the_same)
{
    static const char *const texts[] = {
        GUEST(ASK(ONE), GPU0),
        "<?xml version='1.0' encoding='UTF-8'?>\n<!-- <uuid>x</uuid> -->\n" GUEST(
            ASK("\n  <!-- one --><?pi x?><vgpu:device\n\talias=\"ua-gpu0\" " TYPE
                ">\n </vgpu:device>\n"),
            "<!-- " GPU1 " -->" GPU0) "\n<!-- end -->\n",
        "\xef\xbb\xbf" GUEST(ASK(ONE), GPU0),
        /* other prefixes, none, declared elsewhere, declared twice */
        GUEST("<a:request xmlns:a='" REQUEST_NAMESPACE "'><b:device xmlns:b='" REQUEST_NAMESPACE
              "' alias='ua-gpu0' " TYPE "/></a:request>",
              GPU0),
        GUEST("<request xmlns='" REQUEST_NAMESPACE "'><device alias='ua-gpu0' " TYPE "/></request>",
              GPU0),
        "<domain xmlns:vgpu='" REQUEST_NAMESPACE
        "'>" BODY("<vgpu:request><vgpu:device alias='ua-gpu0' " TYPE "/></vgpu:request>",
                  GPU0) "</domain>",
        "<domain xmlns:vgpu='urn:x'>" BODY(ASK(ONE), GPU0) "</domain>",
        GUEST("<x:x xmlns:x='urn:x'><x:vgpu/></x:x>" ASK(ONE), GPU0),
        /* characters by number */
        GUEST(ASK("<vgpu:device alias='ua&#45;gp&#x75;0' type='&#x6e;vidia-222'/>"), GPU0),
        "<domain><name>web<![CDATA[01]]></name><uuid><![CDATA[" UUID "]]></uuid>" ASKED,
        "<domain><name>w<!-- x -->eb&#48;<?pi?>1<b>no</b></name><uuid>6fa459ea<!-- x -->-ee8a-4ca4-"
        "894e-db77e160355&#x65;</uuid>" ASKED,
    };
    struct parsed *parsed = *state;

    for (size_t i = 0; i < COUNT(texts); i++) {
        parsed_assert(parsed, texts[i]);
        assert_string_equal(parsed->request.name, "web01");
        assert_string_equal(parsed->request.domain.text, UUID);
        assert_int_equal(parsed->request.device_count, 1);
        assert_string_equal(parsed->request.devices[0].attributes.said[ATTRIBUTE_TYPE],
                            "nvidia-222");
        assert_int_equal(parsed->request.hostdev_count, 1);
        assert_int_equal(parsed->request.hostdevs[0].device, 0);
    }
}

TEST(the_name_is_text)
{
    static const struct {
        const char *xml, *wanted;
    } rows[] = {
        {"<name>a&amp;b&lt;c&gt;&quot;&apos;&#65;&#x42;</name>", "a&b<c>\"'AB"},
        {"<name><![CDATA[<a>&amp;]]>]]&gt;</name>", "<a>&amp;]]>"},
        {"<name>g\xc3\xa4st \xe6\x97\xa5</name>", "g\xc3\xa4st \xe6\x97\xa5"},
        {"<name>-x</name><title><name>b</name></title>", "-x"},
        {"<name>a</name><name>b</name>", "a"},
        {"", UUID},
    };
    struct parsed *parsed = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *text = NULL;

        assert_true(asprintf(&text, "<domain>%s<uuid>" UUID "</uuid></domain>", rows[i].xml) > 0);
        parsed_assert(parsed, text);
        assert_string_equal(parsed->request.name, rows[i].wanted);
    }
}

TEST(attributes_are_text_as_well)
{
    struct parsed *parsed = *state;

    parsed_assert(parsed,
                  GUEST(ASK("<vgpu:device alias='a&amp;b' type='&lt;&amp;&#38;&quot;&gt;'/>"),
                        MDEV(UUID0, "<alias name='a&#x26;b'/>")));
    assert_string_equal(parsed->request.devices[0].attributes.said[ATTRIBUTE_TYPE], "<&&\">");
    assert_string_equal(parsed->request.devices[0].alias, "a&b");
    assert_string_equal(parsed->request.hostdevs[0].alias, "a&b");
}

/* virsh restore hands over the XML of its caller. libvirt takes the first address, in any of its
 * forms. */
TEST(the_uuid_is_libvirts)
{
    struct parsed *parsed = *state;

    parsed_assert(parsed, "<domain><uuid>6FA459EAEE8A4CA4894EDB77E160355E</uuid></domain>");
    assert_string_equal(parsed->request.domain.text, UUID);
    parsed_assert(parsed, "<domain>\n<uuid>\n  " UUID "\n</uuid></domain>");
    assert_string_equal(parsed->request.domain.text, UUID);
    if (parsed_read(parsed, "<domain><uuid>" UUID "</uuid><uuid>" UUID0 "</uuid></domain>") == 0)
        assert_string_equal(parsed->request.domain.text, UUID);
}

TEST(aliases_that_libvirt_keeps)
{
    static const struct {
        const char *alias;
        bool kept;
    } rows[] = {
        {"ua-", true},       {"ua-gpu0", true},    {"ua", false},       {"gpu0", false},
        {"hostdev0", true},  {"hostdev12", true},  {"hostdev", true},   {"hostdev1x", false},
        {"hostdevx", false}, {"hostdev-1", false}, {"xua-gpu0", false}, {"", false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (request_keeps_alias(rows[i].alias) != rows[i].kept)
            fail_msg("%s", rows[i].alias);
    }
}
