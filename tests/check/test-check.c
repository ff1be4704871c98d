/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl check: faults and warnings, of configurations and of domains. */

#include "cli/command.h"
#include "fake/typed.h"
#include "lease/ledger.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HERE "test:///default"

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size numa 0\n"                                                          \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"                                     \
    "type nvidia-223 \"GRID T4-2B\" framebuffer 2048 max 8\n"                                      \
    "gpu 0000:e7:00.0 rule size numa 0 vfs 2\n"                                                    \
    "type nvidia-742 \"NVIDIA A2-1B\" framebuffer 1024 max 16\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE, .inside = true},
                                       &typed};

static int
run(const char *line)
{
    return typed_run(&scene, HERE, line, &typed);
}

static void
expect(const char *line, int status, const char *words)
{
    typed_expect(&scene, HERE, line, status, words, &typed);
}

/* --- configurations --------------------------------------------------------------------------- */

static const struct typed_case t4 = {
    {.scene = &scene, .machine = "gpu 0000:18:00.0 rule size board \"GRID T4\"\n", .inside = true},
    &typed};
#define TEST(function) TYPED_TEST(function, here)

TEST(sound_configurations)
{
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
    scene_configure(
        &scene,
        "classes = { small = { types = [ \"T4-1B\", \"A2-1B\" ]; };\n"
        "            big = { framebuffer = \"2G\"; }; };\n"
        "gpus = ( { address = \"0000:18:00.0\"; types = [ \"nvidia-223\", \"T4-1B\" ]; } );\n"
        "quotas = ( { domains = [ \"*\" ]; class = \"small\"; max = 0; } );\n"
        "domains = ( { name = \"web*\"; devices = ( { alias = \"ua-a\"; type = \"A2-1B\"; },\n"
        "  { alias = \"ua-b\"; class = \"big\"; } ); } );\n"
        "default_class = \"small\";\n");
    typed_golden(&scene, HERE, "check/sound", "vgpuctl check");
    /* A vGPU that somebody made changes nothing, because check looks at what the classes ask
     * for. */
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(1)), 0);
    typed_golden(&scene, HERE, "check/sound", "vgpuctl check");
}

TEST(broken_configurations)
{
    scene_configure(&scene, "enabled = 5;\nplacemnt = \"pack\";\n"
                            "gpus = ( { address = \"here; /etc/passwd\"; }, { types = [ ]; } );\n"
                            "default_class = \"none\";\n");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/10-a.conf", "classes = {\n");
    typed_golden(&scene, HERE, "check/broken", "vgpuctl check");
    typed_golden(&scene, HERE, "check/broken-json", "vgpuctl check --json");
}

TEST(to_no_effect)
{
    scene_configure(&scene,
                    "gpus = ( { address = \"0000:19:00.0\"; },\n"
                    "  { address = \"0000:18:00.0\"; types = [ \"T4-1Q\", \"nvidia-742\" ]; },\n"
                    "  { address = \"0000:e7:00.4\"; } );\n"
                    "classes = { gone = { types = [ \"V100-1B\", \"V100-2B\" ]; };\n"
                    "  huge = { framebuffer = \"64G\"; };\n"
                    "  fast = { types = [ \"T4-1B\" ]; traits = [ \"fast\" ]; };\n"
                    "  small = { types = [ \"A2-1B\", \"A40-1B\" ]; };\n"
                    "  shut = { types = [ \"T4-2B\" ]; }; };\n"
                    "quotas = ( { domains = [ \"a*\" ]; class = \"gone\"; max = 1; },\n"
                    "  { domains = [ \"a*\" ]; class = \"small\"; max = 1; } );\n"
                    "domains = ( { name = \"web*\"; devices = (\n"
                    "  { alias = \"ua-a\"; type = \"A2-1V\"; },\n"
                    "  { alias = \"ua-b\"; class = \"huge\"; } ); } );\n"
                    "default_class = \"fast\";\n");
    typed_golden(&scene, HERE, "check/no-effect", "vgpuctl check");
    scene_stop(&scene);
    scene_start(&scene, "");
    scene_configure(&scene, "enabled = false; gpus = ( { address = \"0000:19:00.0\"; } );\n");
    typed_golden(&scene, HERE, "check/no-gpu", "vgpuctl check");
}

/* The message names the faulty file, even if it is a drop-in. It also names files that are not read
 * at all. */
TEST(drop_ins)
{
    scene_configure(&scene, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/10-a.conf",
               "\nclasses = { small = {\n  types = [ \"T4-1X\" ]; }; };\n");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/30.txt", "");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/.20-b.conf", "");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/10-a.conf~", "");
    typed_golden(&scene, HERE, "check/drop-ins", "vgpuctl check");
}

/* Each value has the file and the line where it is set. A value that no file sets is the
 * default. */
TEST(whole_configuration)
{
    typed_golden(&scene, HERE, "check/print-default", "vgpuctl check --print");
    scene_configure(&scene, "default_class = \"small\";\nallow = [ \"class\", \"type\" ];\n"
                            "gpus = ( { address = \"0000:18:00.0\"; types = [ \"T4-1B\",\n"
                            "  \"T4-2B\" ]; reserve = 1;\n"
                            "  setup = { functions = \"all\"; instances = [ \"1g.5gb\" ]; }; } );\n"
                            "classes = { small = { types = [ \"T4-1B\" ];\n"
                            "  placement = \"spread\"; }; big = { framebuffer = \"512M\"; }; };\n"
                            "max_instances = ( { types = [ \"A2-1B\" ]; max = 4; } );\n");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/10-a.conf",
               "placement = \"spread\"; allow = [ \"class\" ]; prepare_timeout = \"1500ms\";\n"
               "classes = { small = { types = [ \"A2-1B\", \"say \\\"x\\\"\" ]; }; };\n");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/20-b.conf",
               "placement = \"pack\"; params = [ ];\n"
               "gpus = ( { address = \"0000:e7:00.0\"; enabled = false;\n"
               "  setup = { functions = 8; sizes = \"mixed\"; }; } );\n"
               "quotas = ( { domains = [ \"ci-*\" ]; class = \"small\"; max = 4; } );\n"
               "domains = ( { name = \"web*\"; devices = ( { alias = \"ua-gpu0\";\n"
               "  class = \"big\"; } ); } );\n");
    typed_golden(&scene, HERE, "check/print", "vgpuctl check --print");
    assert_int_equal(run("vgpuctl check --print web01.xml"), COMMAND_USAGE);
    assert_int_equal(run("vgpuctl check --print --all"), COMMAND_USAGE);
    scene_configure(&scene, "enabled = maybe;");
    expect("vgpuctl check --print", COMMAND_FAILED,
           "vgpuctl: check: /etc/libvirt-vgpu/vgpu.conf:1: syntax error");
    assert_string_equal(typed.printed, "");
}

/* --- domains ---------------------------------------------------------------------------------- */

static const char head[] = "<domain type='kvm' xmlns:vgpu='urn:libvirt-vgpu:domain:1'>\n"
                           "  <name>web01</name>\n"
                           "  <uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>\n"
                           "  <metadata>\n",
                  middle[] = "  </metadata>\n  <devices>\n", tail[] = "  </devices>\n</domain>\n";

/* A hostdev, with more attributes. */
static void
add_hostdev(FILE *out, const char *alias, const char *uuid, const char *attributes)
{
    fprintf(out,
            "    <hostdev mode='subsystem' type='mdev' model='vfio-pci'%s>\n"
            "      <source><address uuid='%s'/></source>\n      <alias name='%s'/>\n"
            "    </hostdev>\n",
            attributes, uuid, alias);
}

static void
write_domain(const char *request, const char *attributes, const char *uuid, const char *others)
{
    FILE *out = fopen("web01.xml", "we");

    assert_non_null(out);
    fprintf(out, "%s%s%s", head, request, middle);
    add_hostdev(out, "ua-gpu0", scene_device(1), attributes);
    add_hostdev(out, "ua-gpu1", uuid, attributes);
    fprintf(out, "%s%s", others, tail);
    fclose(out);
}

#define BOTH                                                                                       \
    "<vgpu:request>\n<vgpu:device alias='ua-gpu0' class='small'/>\n"                               \
    "<vgpu:device alias='ua-gpu1' type='T4-1B'/>\n</vgpu:request>\n"

TEST(sound_domains)
{
    scene_configure(&scene, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    write_domain(BOTH, "", scene_device(2), "");
    typed_golden(&scene, HERE, "check/domain", "vgpuctl check web01.xml");
    write_domain(BOTH, " display='on'", scene_device(2), "<graphics type='egl-headless'/>");
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
    write_domain(BOTH, " display='on'", scene_device(2),
                 "<graphics type='spice'><listen type='none'/><gl enable='yes'/></graphics>");
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
}

/* Of three vGPUs each fits beside each other one on a card that takes several sizes. Its memory is
 * too small for all, whether the types have names or ids. */
TYPED_TEST(more_than_a_card_has, t4)
{
    static const char *const types[][2] = {{"T4-8Q", "T4-1Q"}, {"nvidia-233", "nvidia-230"}};

    for (size_t i = 0; i < COUNT(types); i++) {
        char request[400];

        snprintf(request, sizeof(request),
                 "<vgpu:request>\n<vgpu:device alias='ua-gpu0' type='%s'/>\n"
                 "<vgpu:device alias='ua-gpu1' type='%s'/>\n"
                 "<vgpu:device alias='ua-gpu2' type='%s'/>\n</vgpu:request>\n",
                 types[i][0], types[i][0], types[i][1]);
        write_domain(request, "", scene_device(2),
                     "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source><address "
                     "uuid='dddddddd-0000-4000-8000-000000000003'/></source>"
                     "<alias name='ua-gpu2'/></hostdev>\n");
        expect("vgpuctl check web01.xml", COMMAND_FAILED, "but not for all together");
        assert_int_equal(run("vgpuctl explain ./web01.xml"), COMMAND_FAILED);
        assert_int_equal(run("vgpuctl attach web01.xml --type T4-1Q --print-xml"), COMMAND_DONE);
        typed_assert_has(typed.faults, "this host can never give what it asked for before: ");
    }
}

TEST(faulty_domains)
{
    write_domain("<vgpu:request>\n<vgpu:device alias='ua-gpu0' tpye='small'/>\n"
                 "<vgpu:device alias='ua-gpu1' type='T4-1B'>\n  <vgpu:param name='a'/>\n"
                 "</vgpu:device>\n<device/>\n<vgpu:device uuid='1' type='a'/>\n"
                 "<vgpu:device alias='&#155;31m' type='a' class='b'/>\n</vgpu:request>\n",
                 "", scene_device(2), "");
    typed_golden(&scene, HERE, "check/domain-faults", "vgpuctl check ./web01.xml");
    typed_facts(&scene, HERE, "vgpuctl check ./web01.xml --json", 1,
                "\"severity\": \"error\", \"file\": \"./web01.xml\", \"line\": 12, \"text\":\n"
                "\"line\": 6,\n\"line\": 8,\n\"line\": 10,\n\"line\": 11,");
    write_domain("<vgpu:request colour='red'/>\n", "", scene_device(2), "");
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "web01.xml:5: <vgpu:request> has an unknown attribute \"colour\": it takes none; write "
           "what is wanted into a <vgpu:device>\n");
    write_domain("<n:request xmlns:n='urn:libvirt-vgpu:domain:2'/>\n", "", scene_device(2), "");
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "web01.xml:5: <vgpu:request> is of the namespace urn:libvirt-vgpu:domain:2, "
           "and this program knows only urn:libvirt-vgpu:domain:1: upgrade libvirt-vgpu");
    write_domain("<vgpu:request><vgpu:device alias='ua-gpu7' type='T4-1B'/></vgpu:request>", "",
                 scene_device(2), "");
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "web01.xml:5: <vgpu:device alias=\"ua-gpu7\"> names no ");
    write_domain(BOTH, "", scene_device(2), "");
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "web01.xml:6: ua-gpu0 asks for the class \"small\", and vgpu");
    scene_configure(&scene, "enabled = maybe;\n");
    typed_facts(&scene, HERE, "vgpuctl check web01.xml", 1,
                "/etc/libvirt-vgpu/vgpu.conf:1: syntax error:\nweb01.xml: faults: 1;");
}

/* A domain whose UUID means nobody gets no vGPU. */
TEST(a_domain_that_is_nobody)
{
    FILE *file;

    scene_configure(&scene, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    write_domain(BOTH, "", scene_device(2), "");
    file = fopen("web01.xml", "r+e");
    assert_non_null(file);
    assert_int_equal(fseek(file, strstr(head, "aaaaaaaa") - head, SEEK_SET), 0);
    fprintf(file, "%s", LEASE_NOBODY);
    fclose(file);
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "web01.xml: its <uuid> is " LEASE_NOBODY
           ", which means nobody here: give the domain another");
}

TEST(domains_not_as_meant)
{
    scene_configure(&scene, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    write_domain("<vgpu:request><vgpu:device alias='ua-gpu0' type='T4-1B'/></vgpu:request>\n",
                 " managed='yes' display='on' ramfb='on'", "aaaaaaaa-0000-4000-8000-000000000001",
                 "<graphics type='vnc'/>\n");
    typed_golden(&scene, HERE, "check/domain-warnings", "vgpuctl check web01.xml");
}

/* Parts that libvirt would drop or refuse without a message, and parts that it has dropped
 * already. */
TEST(said_with_the_remedy)
{
    static const struct {
        const char *request, *words;
    } rows[] = {
        {"<vgpu:request><vgpu:device alias='ua-gpu7' type='T4-1B'/></vgpu:request>",
         "names no <hostdev> of type mdev or pci (did you mean ua-gpu0?): give one the "
         "<alias name='ua-gpu7'/>, or take the <vgpu:device> out with 'vgpuctl detach web01 "
         "ua-gpu7'\n"},
        {"<vgpu:request><vgpu:device alias='gpu7' type='T4-1B'/></vgpu:request>",
         "names no <hostdev> of type mdev or pci: libvirt drops aliases that do not begin with "
         "ua-; call it ua-gpu7 in both\n"},
        {"<vgpu:request><vgpu:device uuid='dddddddd-0000-4000-8000-000000000007' type='a'/>"
         "</vgpu:request>",
         "names no <hostdev> of type mdev: add that, or take the <vgpu:device> out\n"},
        {"</metadata>\n<vgpu:request/><metadata>",
         "<vgpu:request> stands outside of <metadata>, where libvirt drops it: put it "
         "into the <metadata> of the <domain>\n"},
        {"<vgpu:request><vgpu:devise alias='ua-gpu0' type='T4-1B'/></vgpu:request>",
         "<vgpu:devise> is unknown (did you mean device?)\n"},
        {"<vgpu:request><vgpu:device alias='ua-gpu0' typ='T4-1B'/></vgpu:request>",
         "<vgpu:device> has an unknown attribute \"typ\" (did you mean type?)\n"},
        {"<vgpu:request><vgpu:request/></vgpu:request>",
         "<vgpu:request> does not belong there: put it into the <metadata> of the <domain>\n"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        write_domain(rows[i].request, "", scene_device(2), "");
        expect("vgpuctl check web01.xml", COMMAND_FAILED, rows[i].words);
        expect("vgpuctl explain ./web01.xml", COMMAND_FAILED, rows[i].words);
    }
    write_domain(BOTH, "", scene_device(2), "");
    scene_configure(&scene,
                    "\nenabled = false; classes = { small = { types = [ \"T4-1B\" ]; }; };");
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_DONE);
    typed_assert_has(
        typed.faults,
        "web01.xml: warning: /etc/libvirt-vgpu/vgpu.conf:2 says enabled = false: until it "
        "says true, no guest is given a vGPU\n");
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    typed_assert_has(typed.faults, "vgpu.conf:2: warning: enabled is false: until it is true, no ");
    expect("vgpuctl explain ./web01.xml", COMMAND_DONE,
           "vgpu.conf:2 says enabled = false: until it says true, no ");
}

/* libvirt drops the alias when the domain is defined. A start could not find the device. */
TEST(an_alias_that_is_dropped)
{
    FILE *out = fopen("web01.xml", "we");

    assert_non_null(out);
    fprintf(out, "%s<vgpu:request><vgpu:device alias='gpu0' type='T4-1B'/></vgpu:request>%s", head,
            middle);
    add_hostdev(out, "gpu0", scene_device(1), "");
    fprintf(out, "%s", tail);
    fclose(out);
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "libvirt drops the alias gpu0 of the <hostdev>, as it does not "
           "begin with ua-");
    expect("vgpuctl explain ./web01.xml", COMMAND_DONE,
           "What 'vgpuctl check' says of its XML:\n  line 7: libvirt drops "
           "the alias gpu0 of the <hostdev>");
}

/* libvirt gives a domain its UUID when it is defined. */
TEST(no_uuid_yet)
{
    char first[64] = "", *at;
    FILE *out = fopen("web01.xml", "we");

    assert_non_null(out);
    fprintf(out,
            "<domain type='kvm' xmlns:vgpu='urn:libvirt-vgpu:domain:1'><name>web01</name>"
            "<metadata><vgpu:request><vgpu:device alias='ua-gpu0' type='T4-1B'/></vgpu:request>"
            "</metadata><devices>");
    add_hostdev(out, "ua-gpu0", scene_device(1), "");
    fprintf(out, "</devices></domain>");
    fclose(out);
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_DONE);
    assert_string_equal(typed.printed, "web01.xml: ok (vGPUs asked for: 1, warnings: 0)\n");
    expect("vgpuctl explain ./web01.xml", COMMAND_DONE,
           "web01 asks for 1 vGPU, and can have all it asks for.");
    /* The next device is still unambiguous. There is no domain UUID from which its UUID could be
     * made. */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run("vgpuctl attach ./web01.xml --type T4-1B --print-xml"), COMMAND_DONE);
        at = strstr(typed.printed, "<address uuid=\"");
        at = at ? strstr(at + 1, "<address uuid=\"") : NULL;
        if (!at)
            fail_msg("%s", typed.printed);
        assert_int_not_equal(strncmp(first, at, 52), 0);
        snprintf(first, sizeof(first), "%.52s", at);
    }
}

/* A file in another encoding is refused by each command that reads one. */
TEST(another_encoding)
{
    static const char *const lines[] = {
        "vgpuctl check ./web01.xml",
        "vgpuctl explain ./web01.xml",
        "vgpuctl attach ./web01.xml --type T4-1B --print-xml",
        "vgpuctl detach ./web01.xml ua-gpu0 --print-xml",
    };

    fake_write(&scene.kernel, "web01.xml",
               "<?xml version='1.0' encoding='EUC-JP'?>\n<domain><name>web01</name></domain>\n");
    for (size_t i = 0; i < COUNT(lines); i++) {
        expect(lines[i], COMMAND_FAILED, "line 1: it declares encoding 'EUC-JP', and only UTF-8");
    }
}

/* --- virtual functions ------------------------------------------------------------------------ */

#define CARD                                                                                       \
    "gpu 0000:3d:00.0 vf vfs 4 rule size\n"                                                        \
    "type nvidia-1145 \"NVIDIA L40S-1B\" framebuffer 1024 max 32\n"                                \
    "type nvidia-1146 \"NVIDIA L40S-2B\" framebuffer 2048 max 24\n"                                \
    "pci 0000:41:00.4 driver vfio-pci physfn 0000:41:00.0\n"

static void
start_card(void)
{
    assert_int_equal(chdir("/"), 0);
    scene_stop(&scene);
    scene_start(&scene, MACHINE CARD);
    assert_int_equal(chdir(scene.kernel.path), 0);
}

/* A PCI hostdev; the alias may be "". */
static char *
function(const char *address, const char *managed, const char *alias)
{
    unsigned parts[4];
    char *text;

    assert_int_equal(sscanf(address, "%x:%x:%x.%x", &parts[0], &parts[1], &parts[2], &parts[3]), 4);
    assert_true(asprintf(&text,
                         "    <hostdev mode='subsystem' type='pci' managed='%s'>\n      <source>"
                         "<address domain='0x%x' bus='0x%x' slot='0x%x' function='0x%x'/></source>"
                         "\n%s%s%s    </hostdev>\n",
                         managed, parts[0], parts[1], parts[2], parts[3],
                         *alias ? "      <alias name='" : "", alias, *alias ? "'/>\n" : "") > 0);
    return text;
}

/* The domain has these hostdevs, one a line. */
static void
write_functions(const char *request, const char *one, const char *two, const char *three)
{
    FILE *out = fopen("web01.xml", "we");

    assert_non_null(out);
    fprintf(out, "%s%s%s%s%s%s%s", head, request, middle, one, two, three, tail);
    fclose(out);
}

#define ASK(link) "<vgpu:request><vgpu:device " link " type='L40S-1B'/></vgpu:request>\n"

/* Messages tell the hostdevs apart by their position among both kinds. */
TEST(sound_functions)
{
    AUTO_FREE char *other = function("0000:01:00.0", "yes", "");
    AUTO_FREE char *mine = function("0000:3d:00.5", "no", "ua-gpu0");
    AUTO_FREE char *mediated = NULL;

    start_card();
    write_functions(ASK("alias='ua-gpu0'"), other, mine, "");
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_DONE);
    assert_string_equal(typed.printed, "web01.xml: ok (vGPUs asked for: 1, warnings: 0)\n");
    assert_string_equal(typed.faults, "");
    assert_true(asprintf(&mediated,
                         "<hostdev mode='subsystem' type='mdev' model='vfio-pci' managed='yes'>"
                         "<source><address uuid='%s'/></source><alias name='ua-gpu0'/></hostdev>",
                         scene_device(1)) > 0);
    write_functions(ASK("alias='ua-gpu0'"), other, mediated, "");
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "web01.xml:11: warning: managed='yes' does nothing for a "
           "<hostdev type='mdev'>: leave it out\n");
    typed_assert_has(typed.faults, "0000:3d:00.0 "
                                   "makes vGPUs for <hostdev type='pci'> only");
}

TEST(faulty_functions)
{
    AUTO_FREE char *managed = function("0000:3d:00.5", "yes", "ua-gpu0");
    AUTO_FREE char *again = function("0000:3d:00.5", "no", "ua-gpu1");
    AUTO_FREE char *nameless = function("0000:3d:00.6", "no", "");
    AUTO_FREE char *class = function("0000:3d:00.6", "yes", "ua-vgpu-small");

    start_card();
    write_functions(ASK("alias='ua-gpu0'"), nameless, managed, class);
    typed_golden(&scene, HERE, "check/domain-managed", "vgpuctl check web01.xml");
    write_functions(ASK("alias='ua-gpu1'"), managed, again, "");
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "web01.xml:12: two <hostdev> have the address 0000:3d:00.5: give one of them another\n");
    /* Only an alias could name this device. */
    write_functions(ASK(""), nameless, "", "");
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "<vgpu:device> has neither alias nor uuid, and the domain has 1 "
           "<vgpu:device> and 0 <hostdev type='mdev'>");
    write_functions(ASK("alias='ua-gpu0'"), nameless, "", "");
    expect("vgpuctl check web01.xml", COMMAND_FAILED, "names no <hostdev> of type mdev or pci");
    write_functions(ASK("uuid='0000:3d:00.6'"), nameless, "", "");
    expect("vgpuctl check web01.xml", COMMAND_FAILED,
           "<vgpu:device uuid=\"0000:3d:00.6\">: that is no UUID");
}

/* Functions that work on another host or on another day, and functions that another domain's
 * definition names. The domain's own functions do not count as another domain's. */
TEST(functions_not_as_meant)
{
    AUTO_FREE char *one = function("0000:3d:00.5", "no", "ua-gpu0");
    AUTO_FREE char *two = function("0000:41:00.4", "no", "ua-gpu1");
    AUTO_FREE char *three = function("0000:e7:00.4", "no", "ua-gpu2");
    AUTO_FREE char *absent = function("0000:99:00.4", "no", "ua-gpu1");
    AUTO_FREE char *domains = NULL;

    start_card();
    assert_true(asprintf(&domains,
                         "<domain type='test'><name>web01</name>"
                         "<uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid><memory>1</memory>"
                         "<os><type>hvm</type></os><devices>%s%s</devices></domain>"
                         "<domain type='test'><name>web02</name>"
                         "<uuid>aaaaaaaa-0000-4000-8000-000000000002</uuid><memory>1</memory>"
                         "<os><type>hvm</type></os><devices>%s</devices></domain>",
                         one, two, one) > 0);
    write_functions("<vgpu:request><vgpu:device alias='ua-gpu0' type='L40S-1B'/>"
                    "<vgpu:device alias='ua-gpu1' type='L40S-1B'/>"
                    "<vgpu:device alias='ua-gpu2' type='L40S-1B'/></vgpu:request>\n",
                    one, two, three);
    typed_golden(&scene, typed_libvirt(&scene, domains), "check/domain-functions",
                 "vgpuctl check web01.xml");
    write_functions("<vgpu:request><vgpu:device alias='ua-gpu0' type='L40S-1B'/>"
                    "<vgpu:device alias='ua-gpu1' type='L40S-1B'/></vgpu:request>\n",
                    one, absent, "");
    typed_expect(&scene, "test:///no/such/node.xml", "vgpuctl check web01.xml", COMMAND_FAILED,
                 "web01.xml:12: ua-gpu1 is to be on 0000:99:00.4, which this "
                 "host does not have; 'vgpuctl explain' tells where it could "
                 "be\n",
                 &typed);
    typed_assert_has(typed.faults, "web01.xml: warning: whether other domains have its virtual "
                                   "functions is not known: cannot connect to test:///no/such");
    assert_int_equal(run("vgpuctl --root . check web01.xml"), COMMAND_FAILED);
    assert_null(strstr(typed.faults, "not known"));
}

/* A request for one function, first or last, gets the note that nobody could be asked about it. */
TEST(one_function_of_two_vgpus)
{
    AUTO_FREE char *one = function("0000:3d:00.5", "no", "ua-gpu0");
    static const char mediated[] = "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
                                   "<address uuid='dddddddd-0000-4000-8000-000000000001'/></source>"
                                   "<alias name='ua-gpu1'/></hostdev>\n";

    start_card();
    scene_configure(&scene, "unlike_vgpus = true;");
    for (int i = 0; i < 2; i++) {
        write_functions("<vgpu:request><vgpu:device alias='ua-gpu0' type='L40S-1B'/>"
                        "<vgpu:device alias='ua-gpu1' type='T4-1B'/></vgpu:request>\n",
                        i ? mediated : one, i ? one : mediated, "");
        typed_run(&scene, "test:///no/such/node.xml", "vgpuctl check web01.xml", &typed);
        assert_int_equal(typed.status, COMMAND_DONE);
        typed_assert_has(typed.faults, "web01.xml: warning: whether other domains have its virtual "
                                       "functions is not known: cannot connect to test:///no/such");
    }
}

/* --- all domains of libvirt ------------------------------------------------------------------- */

/* A domain of libvirt with this request and two mediated devices, as text. */
static void
add_domain(FILE *out, unsigned number, const char *request, unsigned device)
{
    fprintf(out,
            "<domain type='test' xmlns:vgpu='urn:libvirt-vgpu:domain:1'><name>web%02u</name>"
            "<uuid>aaaaaaaa-0000-4000-8000-%012u</uuid><metadata>%s</metadata><memory>1</memory>"
            "<os><type>hvm</type></os><devices>",
            number, number, request);
    for (unsigned i = 0; i < 2; i++) {
        char alias[16];

        snprintf(alias, sizeof(alias), "ua-gpu%u", i);
        add_hostdev(out, alias, scene_device(device + i), "");
    }
    fprintf(out, "</devices></domain>\n");
}

/* The XML of libvirt's versions has different numbers of lines. */
static void
hide_lines(char *text, const char *domain)
{
    for (char *at = strstr(text, domain); at; at = strstr(at, domain)) {
        at += strlen(domain);
        for (at += *at == ':'; *at >= '0' && *at <= '9'; at++)
            *at = 'N';
    }
}

TEST(all_definitions)
{
    AUTO_FREE char *text = NULL, *got = NULL;
    const char *libvirt;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    add_domain(out, 1, BOTH, 1);
    add_domain(out, 2, "", 3);
    fclose(out);
    libvirt = typed_libvirt(&scene, text);
    scene_configure(&scene, "classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    assert_int_equal(typed_run(&scene, libvirt, "vgpuctl check --all", &typed), COMMAND_DONE);
    hide_lines(typed.faults, "web02");
    assert_true(asprintf(&got, "$ vgpuctl check --all\n%s%s(exit status 0)\n", typed.printed,
                         typed.faults) > 0);
    typed_compare_golden("check/all", got);
    free(text);
    out = open_memstream(&text, &size);
    assert_non_null(out);
    add_domain(out, 1, BOTH, 1);
    add_domain(out, 2, BOTH, 2);
    add_domain(out, 3, "<vgpu:request><vgpu:device alias='ua-gpu0' tpye='T4-1B'/></vgpu:request>",
               5);
    add_domain(out, 4, "<vgpu:request><vgpu:device alias='ua-gpu7' type='A40-1B'/></vgpu:request>",
               7);
    fclose(out);
    libvirt = typed_libvirt(&scene, text);
    typed_golden(&scene, libvirt, "check/all-faults", "vgpuctl check --all");
    typed_facts(&scene, libvirt, "vgpuctl check --all --json", 1,
                "\"severity\": \"warning\", \"file\": \"web01\", \"line\":\n"
                "\"severity\": \"warning\", \"file\": \"web02\", \"line\":\n"
                "\"severity\": \"error\", \"file\": \"web03\", \"line\": 6,\n\"file\": \"web04\",");
    typed_facts(&scene, libvirt, "vgpuctl check web02", 0,
                "web02: ok (vGPUs asked for: 2, warnings: 1)\nis in the XML of web01 as well:");
    typed_facts(&scene, libvirt, "vgpuctl check web03", 1, "web03: faults: 1;");
    scene_configure(&scene, "clases = { };\n");
    typed_facts(
        &scene, libvirt, "vgpuctl check --all", 1,
        "/etc/libvirt-vgpu/vgpu.conf:1: unknown key \"clases\"\n"
        "faults: 1; no guest that asks for a vGPU can start; definitions with faults: 2 of 4;");
    assert_int_equal(run("vgpuctl check --all web01.xml"), COMMAND_USAGE);
    expect("vgpuctl check --root . --all", COMMAND_USAGE, "--all is for what libvirt knows");
    typed_expect(&scene, "test:///no/such.xml", "vgpuctl check --all", 1,
                 "cannot connect to test:///no/such.xml", &typed);
}

/* A limit names types that no GPU here has. If a card is in use, not all of its types are known. */
TEST(limits)
{
    start_card();
    scene_configure(&scene,
                    "max_instances = ( { types = [ \"L40S-1B\", \"L40S-1X\" ]; max = 4; },\n"
                    "  { types = [ \"A16-1B\" ]; max = 4; } );\n");
    typed_golden(&scene, HERE, "check/limits", "vgpuctl check");
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.4", "nvidia-1145", ""), 0);
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    typed_assert_has(typed.faults, "the type \"A16-1B\" is not offered by any GPU here now");
    /* The same limit, if it names no other type. */
    assert_int_equal(chdir("/"), 0);
    scene_stop(&scene);
    scene_start(&scene, CARD);
    assert_int_equal(chdir(scene.kernel.path), 0);
    scene_configure(&scene, "max_instances = ( { types = [ \"A16-1B\" ]; max = 4; } );\n");
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.4", "nvidia-1145", ""), 0);
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    typed_assert_has(typed.faults, "the type \"A16-1B\" is not offered by any GPU here now");
    /* The limit is higher than the driver's, of its second type. */
    scene_configure(&scene,
                    "max_instances = ( { types = [ \"A16-1B\", \"L40S-1B\" ]; max = 33; } );\n");
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    typed_assert_has(typed.faults, "vgpu.conf:1: warning: max_instances gives a GPU 33 of "
                                   "L40S-1B, but its driver makes 32 vGPUs at most");
    scene_configure(&scene, "max_instances = ( { types = [ \"L40S-1B\" ]; max = 32; } );\n");
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    assert_null(strstr(typed.faults, "at most"));
    scene_configure(&scene,
                    "max_instances = ( { types = [ ]; max = 4; }, { types = [ \"a\" ]; } );\n");
    expect("vgpuctl check", COMMAND_FAILED, "types is an empty list");
    typed_assert_has(typed.faults, "max is missing; a limit needs types, max");
}

TEST(no_domains)
{
    fake_write(&scene.kernel, "a.xml", "<network/>");
    expect("vgpuctl check a.xml", COMMAND_FAILED,
           "vgpuctl: check: a.xml: cannot read the domain XML: ");
    fake_write(&scene.kernel, "a.xml", "<!DOCTYPE domain [<!ENTITY a 'b'>]><domain/>");
    expect("vgpuctl check a.xml", COMMAND_FAILED, "a document type declaration has no place");
    expect("vgpuctl check none.xml", COMMAND_FAILED,
           "vgpuctl: check: there is no domain \"none.xml\"");
    expect("vgpuctl check ./none.xml", COMMAND_FAILED,
           "vgpuctl: check: ./none.xml: No such file or directory");
}
