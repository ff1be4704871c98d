/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* request: the XML of less trusted people, and what is said to those who got it wrong. */

#include "domain/request-parser.h"
#include "domain/request.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include <cmocka.h>

#define UUID  "6fa459ea-ee8a-4ca4-894e-db77e160355e"
#define UUID0 "b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e20"
#define UUID1 "b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e21"

#define HEAD "<name>web01</name><uuid>" UUID "</uuid>"
#define BODY(metadata, devices)                                                                    \
    HEAD "<metadata>" metadata "</metadata><devices>" devices "</devices>"
#define GUEST(metadata, devices) "<domain type='kvm'>" BODY(metadata, devices) "</domain>"
#define OURS                     "<vgpu:request xmlns:vgpu='" REQUEST_NAMESPACE "'>"
#define ASK(devices)             OURS devices "</vgpu:request>"
#define MDEV_OF(model, uuid, more)                                                                 \
    "<hostdev mode='subsystem' type='mdev' model='" model "'><source><address uuid='" uuid         \
    "'/></source>" more "</hostdev>"
#define MDEV(uuid, more) MDEV_OF("vfio-pci", uuid, more)
#define GPU0             MDEV(UUID0, "<alias name='ua-gpu0'/>")
#define GPU1             MDEV(UUID1, "<alias name='ua-gpu1'/>")
#define FUNCTION(alias)                                                                            \
    "<hostdev mode='subsystem' type='pci' managed='no'><source><address domain='0x0000' "          \
    "bus='0x3d' slot='0x00' function='0x4'/></source><alias name='" alias "'/></hostdev>"
#define PCI                                                                                        \
    "<hostdev mode='subsystem' type='pci' managed='yes'><source><address domain='0x0000' "         \
    "bus='0x18' slot='0x00' function='0x0'/></source><alias name='hostdev0'/></hostdev>"
#define TYPE  "type='nvidia-222'"
#define ONE   "<vgpu:device alias='ua-gpu0' " TYPE "/>"
#define ASKED "<metadata>" ASK(ONE) "</metadata><devices>" GPU0 "</devices></domain>"

struct scene {
    struct document document;
    struct request request;
    struct error error;
};

static int
read_all(struct scene *scene, int fd)
{
    int rc =
        (document_clear(&scene->document), document_read(&(const struct host){.ops = &host_kernel},
                                                         fd, &scene->document, &scene->error));

    return rc < 0 ? rc : request_parse(&scene->document, &scene->request, &scene->error);
}

static int
read_bytes(struct scene *scene, const char *bytes, size_t length)
{
    AUTO_CLOSE int fd = memfd_create("test-request", MFD_CLOEXEC);

    request_clear(&scene->request);
    scene->error.text[0] = '\0';
    assert_int_equal(write(fd, bytes, length), length);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return read_all(scene, fd);
}

static int
read_text(struct scene *scene, const char *text)
{
    return read_bytes(scene, text, strlen(text));
}

static void
assert_reads(struct scene *scene, const char *text)
{
    if (read_text(scene, text) < 0 || request_check(&scene->request, &scene->error) < 0)
        fail_msg("%s in: %.2000s", scene->error.text, text);
}

static int
set_up(void **state)
{
    static struct scene scene;

    scene = (struct scene){0};
    *state = &scene;
    return 0;
}

static int
tear_down(void **state)
{
    struct scene *scene = *state;

    request_clear(&scene->request);
    document_clear(&scene->document);
    return 0;
}

static void
everything_a_device_may_say(void **state)
{
    struct scene *scene = *state;
    const struct request *request = &scene->request;
    const struct request_device *device;

    assert_reads(scene,
                 GUEST(ASK("<vgpu:device alias='ua-gpu0' class='small' parent='0000:1A:00.0' "
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
    assert_string_equal(device->class, "small");
    assert_string_equal(device->parent, "0000:1a:00.0");
    assert_string_equal(device->placement, "spread");
    assert_string_equal(device->numa, "require");
    assert_string_equal(device->traits, "a !b");
    assert_null(device->type);
    assert_null(device->uuid);
    assert_int_equal(device->param_count, 2);
    assert_string_equal(device->params[0].name, "frame_rate_limiter");
    assert_string_equal(device->params[1].value, "1");
    assert_string_equal(request->devices[1].type, "GRID T4-1B");
    assert_int_equal(request->hostdev_count, 3);
    assert_string_equal(request->hostdevs[1].source.text, UUID0);
    assert_string_equal(request->hostdevs[2].alias, "ua-gpu1");
    assert_int_equal(request->hostdevs[0].device, SIZE_MAX);
    assert_int_equal(request->hostdevs[1].device, 0);
    assert_int_equal(request->hostdevs[2].device, 1);
}

/* By alias, by UUID in any spelling, by being alone; in any order. -1: nobody's. */
static void
a_device_finds_its_hostdev(void **state)
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
        /* the annotation may stand behind the devices */
        {"<domain><devices>" GPU0
         "</devices><metadata>" ASK("<vgpu:device " TYPE "/>") "</metadata>" HEAD "</domain>",
         {0}},
        {GUEST("", GPU0 GPU1), {-1, -1}},
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_reads(scene, rows[i].text);
        for (size_t k = 0; k < scene->request.hostdev_count; k++) {
            if (scene->request.hostdevs[k].device != (size_t)(ssize_t)rows[i].devices[k])
                fail_msg("hostdev %zu has device %zd: %s", k,
                         (ssize_t)scene->request.hostdevs[k].device, rows[i].text);
        }
    }
}

/* A virtual function, as libvirt lets people write its address. */
static void
a_function_is_named_by_its_alias(void **state)
{
    static const struct {
        const char *address, *source; /* "": it is none */
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
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct request_hostdev *hostdev;
        AUTO_FREE char *text = NULL;

        assert_true(asprintf(&text,
                             GUEST(ASK("<vgpu:device alias='ua-vf0' " TYPE "/>"),
                                   GPU0 "<hostdev mode='subsystem' type='pci'><source><address %s/>"
                                        "</source><alias name='ua-vf0'/></hostdev>"),
                             rows[i].address) > 0);
        assert_int_equal(read_text(scene, text), 0);
        hostdev = &scene->request.hostdevs[1];
        assert_int_equal(hostdev->kind, REQUEST_PCI);
        assert_string_equal(hostdev->source.text, rows[i].source);
        assert_int_equal(hostdev->device, 0);
        assert_int_equal(scene->request.hostdevs[0].device, SIZE_MAX);
        assert_int_equal(request_check(&scene->request, &scene->error),
                         *rows[i].source ? 0 : -EINVAL);
        assert_false(hostdev->is_managed);
    }
    assert_reads(scene, GUEST("", PCI));
    assert_true(scene->request.hostdevs[0].is_managed);
}

static void
whose_guest_it_is(void **state)
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
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (read_text(scene, rows[i].text) < 0)
            fail_msg("%s in: %s", scene->error.text, rows[i].text);
        assert_int_equal(scene->request.hostdev_count, rows[i].hostdevs);
        assert_int_equal(request_concerns_us(&scene->request), rows[i].concerns_us);
    }
}

/* What is not understood stops those who act on it, by name; the rest is read all the same. */
static void
check_fault(struct scene *scene, const char *text, const char *const *words, size_t *wrong)
{
    int rc = read_text(scene, text);

    if (rc < 0)
        fail_msg("unreadable: %s: %s", scene->error.text, text);
    assert_string_equal(scene->request.domain.text, UUID);
    assert_true(request_concerns_us(&scene->request));
    rc = request_check(&scene->request, &scene->error);
    for (; *words && rc == -EINVAL && strstr(scene->error.text, *words); words++)
        continue;
    if (!*words)
        return;
    print_error("%d, no \"%s\" in \"%s\" for: %s\n", rc, *words, rc ? scene->error.text : "", text);
    (*wrong)++;
}

struct fault {
    const char *devices; /* in <vgpu:request> */
    const char *words[5];
};

static void
faults_in_the_request(void **state)
{
    static const struct fault rows[] = {
        /* what it wants */
        {"<vgpu:device alias='ua-gpu0'/>", {"ua-gpu0", "neither type nor class"}},
        {"<vgpu:device/>", {"neither type nor class"}},
        {"<vgpu:device alias='ua-gpu0' class='small' " TYPE "/>", {"both", "nvidia-222", "small"}},
        /* which it means */
        {"<vgpu:device alias='ua-gpu9' " TYPE "/>", {"alias=\"ua-gpu9\"", "names no <hostdev"}},
        {"<vgpu:device alias='UA-GPU0' " TYPE "/>", {"UA-GPU0", "names no <hostdev"}},
        {"<vgpu:device uuid='" UUID "' " TYPE "/>", {"uuid=\"" UUID "\"", "names no <hostdev"}},
        {"<vgpu:device uuid='b1f4' " TYPE "/>", {"b1f4", "no UUID"}},
        {"<vgpu:device alias='ua-gpu0' uuid='" UUID0 "' " TYPE "/>", {"ua-gpu0", "uuid as well"}},
        {"<vgpu:device " TYPE "/>", {"neither alias nor uuid", "1 <vgpu:device>", "2 <hostdev"}},
        {"<vgpu:device alias='ua-gpu0' " TYPE "/><vgpu:device " TYPE "/>",
         {"neither alias nor uuid", "2 <vgpu:device>", "2 <hostdev"}},
        {"<vgpu:device alias='ua-gpu0' " TYPE "/><vgpu:device alias='ua-gpu0' " TYPE "/>",
         {"two <vgpu:device>", UUID0}},
        {"<vgpu:device alias='ua-gpu1' " TYPE "/><vgpu:device uuid='" UUID1 "' " TYPE "/>",
         {"two <vgpu:device>", UUID1}},
        /* unknown attributes, of every element of ours */
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
        /* values that cannot be meant */
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
        /* elements that do not belong where they stand */
        {"<vgpu:devices/>", {"<vgpu:devices>"}},
        {"<vgpu:Device " TYPE "/>", {"<vgpu:Device>"}},
        {"<vgpu:param name='a' value='1'/>", {"<vgpu:param>"}},
        {ASK(""), {"<vgpu:request>"}},
        {"<vgpu:device " TYPE "><vgpu:device " TYPE "/></vgpu:device>", {"<vgpu:device>"}},
        {"<vgpu:device " TYPE "><vgpu:trait/></vgpu:device>", {"<vgpu:trait>"}},
        {"<vgpu:device " TYPE
         "><vgpu:param name='a' value='1'><vgpu:x/></vgpu:param></vgpu:device>",
         {"<vgpu:x>"}},
        /* of no namespace, or of somebody else's */
        {"<device " TYPE "/>", {"<device>", REQUEST_NAMESPACE}},
        {"<x:device xmlns:x='urn:x' " TYPE "/>", {"<device>", REQUEST_NAMESPACE}},
        {"<vgpu:device " TYPE "><param name='a' value='1'/></vgpu:device>", {"<param>"}},
        {"<vgpu:device " TYPE "><vgpu:param name='a' value='1'><x/></vgpu:param></vgpu:device>",
         {"<x>"}},
        {"<n:device xmlns:n='urn:libvirt-vgpu:domain:2' " TYPE "/>",
         {"<vgpu:device>", "urn:libvirt-vgpu:domain:2", REQUEST_NAMESPACE}},
        /* the first of two is told */
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

static void
faults_around_the_request(void **state)
{
    static const struct fault rows[] = {
        {ASK("") ASK(""), {"second <vgpu:request>"}},
        {ASK("") "<r:request xmlns:r='" REQUEST_NAMESPACE "'/>", {"second <vgpu:request>"}},
        {"<vgpu:request version='1' xmlns:vgpu='" REQUEST_NAMESPACE "'/>",
         {"<vgpu:request>", "\"version\""}},
        {"<vgpu:device xmlns:vgpu='" REQUEST_NAMESPACE "' " TYPE "/>", {"<vgpu:device>"}},
        {"<vgpu:Request xmlns:vgpu='" REQUEST_NAMESPACE "'/>", {"<vgpu:Request>"}},
        {"<vgpu:request xmlns:vgpu='urn:libvirt-vgpu:domain:2'/>",
         {"urn:libvirt-vgpu:domain:2", "knows only " REQUEST_NAMESPACE}},
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

/* A prefix that nobody declared is no error of form, but it makes no plain attribute either. */
static void
an_attribute_of_an_undeclared_prefix(void **state)
{
    static const char *const words[] = {"<vgpu:device>", "type\"", NULL};
    size_t wrong = 0;

    check_fault(*state, GUEST(ASK("<vgpu:device alias='ua-gpu0' nobody:" TYPE "/>"), GPU0), words,
                &wrong);
    assert_int_equal(wrong, 0);
}

/* The same document in other clothes. */
static void
any_spelling_of_the_same(void **state)
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
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_reads(scene, texts[i]);
        assert_string_equal(scene->request.name, "web01");
        assert_string_equal(scene->request.domain.text, UUID);
        assert_int_equal(scene->request.device_count, 1);
        assert_string_equal(scene->request.devices[0].type, "nvidia-222");
        assert_int_equal(scene->request.hostdev_count, 1);
        assert_int_equal(scene->request.hostdevs[0].device, 0);
    }
}

static void
the_name_is_text(void **state)
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
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *text = NULL;

        assert_true(asprintf(&text, "<domain>%s<uuid>" UUID "</uuid></domain>", rows[i].xml) > 0);
        assert_reads(scene, text);
        assert_string_equal(scene->request.name, rows[i].wanted);
    }
    assert_reads(scene, "<?xml version='1.0' encoding='ISO-8859-1'?><domain><name>g\xe4st</name>"
                        "<uuid>" UUID "</uuid></domain>");
    assert_string_equal(scene->request.name, "g\xc3\xa4st");
}

static void
attributes_are_text_as_well(void **state)
{
    struct scene *scene = *state;

    assert_reads(scene, GUEST(ASK("<vgpu:device alias='a&amp;b' type='&lt;&amp;&#38;&quot;&gt;'/>"),
                              MDEV(UUID0, "<alias name='a&#x26;b'/>")));
    assert_string_equal(scene->request.devices[0].type, "<&&\">");
    assert_string_equal(scene->request.devices[0].alias, "a&b");
    assert_string_equal(scene->request.hostdevs[0].alias, "a&b");
}

/* virsh restore hands over what its caller wrote; libvirt takes the first, and any of its forms. */
static void
the_uuid_is_libvirts(void **state)
{
    struct scene *scene = *state;

    assert_reads(scene, "<domain><uuid>6FA459EAEE8A4CA4894EDB77E160355E</uuid></domain>");
    assert_string_equal(scene->request.domain.text, UUID);
    assert_reads(scene, "<domain>\n<uuid>\n  " UUID "\n</uuid></domain>");
    assert_string_equal(scene->request.domain.text, UUID);
    if (read_text(scene, "<domain><uuid>" UUID "</uuid><uuid>" UUID0 "</uuid></domain>") == 0)
        assert_string_equal(scene->request.domain.text, UUID);
}

static void
unreadable(void **state)
{
    static const struct {
        const char *text;
        const char *words;
    } rows[] = {
        {"", "none on stdin"},
        {"\n", "line "},
        {"nonsense", "line 1: "},
        {"<domain>" HEAD, "line 1: "},
        {"<domain>\n" HEAD "\n</Domain>", "line 3: "},
        {GUEST("", "") "<domain/>", "line 1: "},
        {GUEST("", "") "x", "line 1: "},
        {"<domain a='1' a='2'>" HEAD "</domain>", "line 1: "},
        {"<domain>" HEAD "\xff</domain>", "line 1: "},
        {"<domain>" HEAD "&#1;</domain>", "line 1: "},
        {"<?xml version='1.0' encoding='no-such'?><domain>" HEAD "</domain>", "line 1: "},
        /* other documents */
        {"<domstatus>" GUEST("", "") "</domstatus>", "no domain XML"},
        {"<x:domain xmlns:x='urn:x'>" HEAD "</x:domain>", "no domain XML"},
        {"<network><name>a</name><uuid>" UUID "</uuid></network>", "no domain XML"},
        /* entities */
        {"<!DOCTYPE domain>" GUEST("", ""), "document type"},
        {"<!DOCTYPE domain SYSTEM 'file:///etc/passwd'>" GUEST("", ""), "document type"},
        {"<!DOCTYPE d [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><domain><name>&a;</name><uuid>" UUID
         "</uuid></domain>",
         "document type"},
        {"<!DOCTYPE d [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
         "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>]><domain><name>&c;</name></domain>",
         "document type"},
        {"<domain><name>&nbsp;</name><uuid>" UUID "</uuid></domain>", "nbsp"},
        /* UUIDs */
        {"<domain><name>a</name></domain>", "no <uuid>"},
        {"<domain><x><uuid>" UUID "</uuid></x></domain>", "no <uuid>"},
        {"<domain><uuid/></domain>", "<uuid> is not one"},
        {"<domain><uuid>web01</uuid></domain>", "<uuid> is not one"},
        {GUEST("", MDEV("x", "")), "no uuid in its <address>"},
        {GUEST("", "<hostdev mode='subsystem' type='mdev'><source><address/></source></hostdev>"),
         "no uuid in its <address>"},
        {GUEST("", "<hostdev mode='subsystem' type='mdev'><source/></hostdev>"),
         "no <source><address uuid"},
        {GUEST("", "<hostdev mode='subsystem' type='mdev'/>"), "no <source><address uuid"},
    };
    struct scene *scene = *state;
    size_t wrong = 0;

    for (size_t i = 0; i < COUNT(rows); i++) {
        int rc = read_text(scene, rows[i].text);

        if (rc == -EINVAL && !strncmp(scene->error.text, "cannot read the domain XML: ", 28) &&
            strstr(scene->error.text, rows[i].words))
            continue;
        print_error("%d, no \"%s\" in \"%s\" for: %s\n", rc, rows[i].words, scene->error.text,
                    rows[i].text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* A pipe that breaks off anywhere. */
static void
every_truncation_is_refused(void **state)
{
    static const char text[] = GUEST(ASK(ONE), GPU0);
    struct scene *scene = *state;

    for (size_t length = 0; length < sizeof(text) - 1; length++)
        assert_int_equal(read_bytes(scene, text, length), -EINVAL);
    assert_int_equal(read_bytes(scene, text, sizeof(text) - 1), 0);
}

/* One byte, or a few, at each read, as a pipe may give them. */
static void
read_in_pieces(struct scene *scene, const char *bytes, size_t length, size_t piece)
{
    size_t sent = 0;
    int ends[2], size = 4 << 20;

    request_clear(&scene->request);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
    for (; sent < length; sent += piece) {
        size_t rest = length - sent < piece ? length - sent : piece;

        if (send(ends[1], bytes + sent, rest, MSG_DONTWAIT) < 0)
            fail_msg("only %zu of %zu bytes fit: %m", sent, length);
    }
    close(ends[1]);
    if (read_all(scene, ends[0]) < 0)
        fail_msg("in pieces of %zu: %s", piece, scene->error.text);
    close(ends[0]);
    assert_string_equal(scene->request.domain.text, UUID);
    assert_string_equal(scene->request.name, "a&b\xc3\xa4");
}

static void
in_pieces_and_in_utf16(void **state)
{
    static const char text[] = "<domain><name>a&amp;b\xc3\xa4</name><uuid>" UUID "</uuid></domain>";
    char wide[2 * sizeof(text)] = "\xff\xfe", swapped[sizeof(wide)];
    size_t length = 2;

    /* The one letter beyond ASCII is of Latin-1. */
    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        if (text[i] == '\xc3')
            continue;
        wide[length++] = text[i] == '\xa4' ? '\xe4' : text[i];
        wide[length++] = '\0';
    }
    for (size_t i = 0; i < length; i++)
        swapped[i] = wide[i ^ 1];
    for (size_t piece = 1; piece < length; piece = piece < 8 ? piece + 1 : 2 * piece) {
        read_in_pieces(*state, text, sizeof(text) - 1, piece);
        read_in_pieces(*state, wide, length, piece);
        read_in_pieces(*state, swapped, length, piece);
    }
}

/* Something count times, between a head and a tail. */
static char *
repeat(const char *head, const char *item, size_t count, const char *tail)
{
    size_t size = strlen(head) + count * strlen(item) + strlen(tail) + 1;
    char *text = malloc(size), *at;

    assert_non_null(text);
    at = stpcpy(text, head);
    while (count--)
        at = stpcpy(at, item);
    stpcpy(at, tail);
    return text;
}

/* The most that is read, and one more. */
static void
limits(void **state)
{
    static const struct {
        const char *head, *item, *tail;
        size_t most;
        const char *fault, *unreadable;
    } rows[] = {
        {"<domain>" HEAD "<devices>", GPU0, "</devices></domain>", 256, NULL, "more than 256"},
        {"<domain>" HEAD "<metadata>" OURS, "<vgpu:device " TYPE "/>",
         "</vgpu:request></metadata></domain>", 64, "more than 64 <vgpu:device>", NULL},
        {"<domain>" HEAD "<metadata>" OURS "<vgpu:device " TYPE ">",
         "<vgpu:param name='a' value='1'/>", "</vgpu:device></vgpu:request></metadata></domain>",
         16, "more than 16 <vgpu:param>", NULL},
        {"<domain>" HEAD "<metadata>" OURS "<vgpu:device type='", "x",
         "'/></vgpu:request></metadata></domain>", 256, "<vgpu:device type=\"xxx", NULL},
        {"<domain><uuid>" UUID "</uuid><name>", "x", "</name></domain>", 1023, NULL, "too long"},
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t more = 0; more < 2; more++) {
            AUTO_FREE char *text =
                repeat(rows[i].head, rows[i].item, rows[i].most + more, rows[i].tail);
            int rc = read_text(scene, text);
            bool told = rows[i].fault && strstr(scene->request.fault.text, rows[i].fault);

            assert_int_equal(rc, more && rows[i].unreadable ? -EINVAL : 0);
            assert_int_equal(told, more && rows[i].fault);
            if (rc < 0)
                assert_non_null(strstr(scene->error.text, rows[i].unreadable));
        }
    }
}

static void
nested_and_large(void **state)
{
    struct scene *scene = *state;
    AUTO_FREE char *deep = repeat("<domain>" HEAD, "<a>", 100000, "");
    AUTO_FREE char *large = repeat("<domain>" HEAD, "          \n     ", (8 << 20) / 16, "");
    size_t length = 8 << 20;

    assert_int_equal(read_text(scene, deep), -EINVAL);
    assert_non_null(strstr(scene->error.text, "nested too deeply"));
    memset(large + strlen("<domain>" HEAD), '\n', length - strlen("<domain>" HEAD));
    memcpy(large + length - 9, "</domain>", 9);
    large[length] = '\n';
    assert_int_equal(read_bytes(scene, large, length), 0);
    assert_int_equal(read_bytes(scene, large, length + 1), -EFBIG);
    assert_non_null(strstr(scene->error.text, "larger than 8 MiB"));
}

static void
ampersands_by_the_thousand(void **state)
{
    struct scene *scene = *state;
    size_t count = (200 << 10) / 5;
    AUTO_FREE char *text = repeat("<domain>" HEAD "<metadata>" OURS "<vgpu:device type='", "&amp;",
                                  count, "'/></vgpu:request></metadata></domain>");

    assert_int_equal(read_text(scene, text), 0);
    assert_int_equal(strlen(scene->request.devices[0].type), count);
    assert_int_equal(strspn(scene->request.devices[0].type, "&"), count);
}

/* Seconds of this process's processor time. */
static double
used_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* libxml2 compares each attribute of an element with each: a megabyte of them took minutes. */
static void
attributes_by_the_megabyte(void **state)
{
    struct scene *scene = *state;
    AUTO_FREE char *value = repeat("<domain>" HEAD "<a b='", "x", 200000, "'/></domain>");
    AUTO_FREE char *text =
        repeat("<domain>" HEAD "<metadata><a ", "b00000='' ", 100000, "/></metadata></domain>");
    AUTO_FREE char *comment = repeat("<domain>" HEAD "<!--", "<a ", 1 << 20, "--></domain>");
    AUTO_FREE char *data =
        repeat("<domain>" HEAD "<title><![CDATA[", "<a ", 1 << 20, "]]></title></domain>");
    char *at = strstr(text, "b00000");
    double start = used_time();

    for (unsigned i = 0; i < 100000; i++, at += strlen("b00000='' "))
        snprintf(at + 1, 6, "%05u", i), at[6] = '=';
    assert_int_equal(read_text(scene, text), -EINVAL);
    assert_non_null(strstr(scene->error.text, "tag is longer than 256 KiB"));
    assert_string_equal(scene->request.domain.text, UUID);
    assert_true(used_time() - start < 5);
    /* Longer than any argument that a program can be given. */
    assert_int_equal(read_text(scene, value), 0);
    /* What costs no more than its length may be as long. */
    assert_int_equal(read_text(scene, comment), 0);
    assert_int_equal(read_text(scene, data), 0);
}

/* What cannot be read at all; and what was learned before the fault is kept. */
static void
descriptors_and_partial_documents(void **state)
{
    struct scene *scene = *state;
    int closed = memfd_create("test-request", MFD_CLOEXEC);
    AUTO_CLOSE int directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    close(closed);
    assert_int_equal(read_all(scene, closed), -EBADF);
    assert_non_null(strstr(scene->error.text, "Bad file descriptor"));
    assert_int_equal(read_all(scene, directory), -EISDIR);
    assert_int_equal(read_text(scene, "<domain>" HEAD "<devices>" GPU0 "<x"), -EINVAL);
    assert_string_equal(scene->request.domain.text, UUID);
    assert_string_equal(scene->request.name, "web01");
}

/* A message is text, although what it quotes is cut. */
static void
a_quoted_value_is_cut_between_characters(void **state)
{
    struct scene *scene = *state;
    AUTO_FREE char *text = repeat("<domain>" HEAD "<metadata>" OURS "<vgpu:device type='x",
                                  "\xc3\xa4", 200, "'/></vgpu:request></metadata></domain>");
    const char *end;

    assert_int_equal(read_text(scene, text), 0);
    end = strrchr(scene->request.fault.text, '"');
    assert_non_null(end);
    assert_int_not_equal(end[-1] & 0xff, 0xc3);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everything_a_device_may_say),
        TEST(a_device_finds_its_hostdev),
        TEST(a_function_is_named_by_its_alias),
        TEST(whose_guest_it_is),
        TEST(faults_in_the_request),
        TEST(faults_around_the_request),
        TEST(an_attribute_of_an_undeclared_prefix),
        TEST(any_spelling_of_the_same),
        TEST(the_name_is_text),
        TEST(attributes_are_text_as_well),
        TEST(the_uuid_is_libvirts),
        TEST(unreadable),
        TEST(every_truncation_is_refused),
        TEST(in_pieces_and_in_utf16),
        TEST(limits),
        TEST(nested_and_large),
        TEST(ampersands_by_the_thousand),
        TEST(attributes_by_the_megabyte),
        TEST(descriptors_and_partial_documents),
        TEST(a_quoted_value_is_cut_between_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
