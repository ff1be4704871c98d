/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * vgpuctl check on common mistakes: each domain and configuration has one mistake. Read the golden
 * files: does each message say what is wrong, where, and what to do?
 */

#include "cli/command.h"
#include "fake/typed.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size numa 0\n"                                                          \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"                                     \
    "type nvidia-223 \"GRID T4-2B\" framebuffer 2048 max 8\n"                                      \
    "gpu 0000:3d:00.0 vf vfs 4 rule size\n"                                                        \
    "type nvidia-1145 \"NVIDIA L40S-1B\" framebuffer 1024 max 32\n"                                \
    "pci 0000:c1:00.0 driver gim\n"                                                                \
    "pci 0000:c1:02.0 driver vfio-pci physfn 0000:c1:00.0\n"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = MACHINE, .inside = true},
                                       &typed};
#define TEST(function) TYPED_TEST(function, here)

/* The answer of `check` to one input, added to a golden file that holds all answers. */
static void
put_answer(FILE *golden, const char *line, const char *file)
{
    AUTO_FREE char *faults = NULL;
    char *rest, *said;

    typed_run(&scene, "test:///default", line, &typed);
    rest = faults = strdup(typed.faults);
    assert_non_null(faults);
    while ((said = strsep(&rest, "\n"))) {
        if (*said)
            fprintf(golden, "    %s\n", said);
        /* The last line is a summary. */
        if (*said && strncmp(said, "vgpuctl: ", strlen("vgpuctl: ")) &&
            (strncmp(said, file, strlen(file)) || !isdigit((unsigned char)said[strlen(file)])))
            fail_msg("no file and line at its beginning: %s", said);
    }
    if (!*typed.faults)
        fail_msg("nothing is said of it: %s", line);
}

/* --- domains ---------------------------------------------------------------------------------- */

#define ONE   "dddddddd-0000-4000-8000-000000000001"
#define TWO   "dddddddd-0000-4000-8000-000000000002"
#define OWN   "aaaaaaaa-0000-4000-8000-000000000001"
#define MDEV  "<hostdev mode='subsystem' type='mdev' model='vfio-pci'>\n"
#define GPU0  "<vgpu:device alias='ua-gpu0' type='T4-1B'/>"
#define GPU1  "<vgpu:device alias='ua-gpu1' class='small'/>"
#define GPU2  "<vgpu:device alias='ua-gpu2' type='L40S-1B'/>"
#define ALIAS "<alias name='ua-gpu0'/>"

/* Nothing is wrong with this domain. */
static const char sound[] = "<domain type='kvm' xmlns:vgpu='urn:libvirt-vgpu:domain:1'>\n"
                            "  <name>web01</name>\n"
                            "  <uuid>" OWN "</uuid>\n"
                            "  <metadata>\n"
                            "    <vgpu:request>\n"
                            "      " GPU0 "\n"
                            "      " GPU1 "\n"
                            "      " GPU2 "\n"
                            "    </vgpu:request>\n"
                            "  </metadata>\n"
                            "  <devices>\n"
                            "    " MDEV "      <source><address uuid='" ONE "'/></source>\n"
                            "      " ALIAS "\n"
                            "    </hostdev>\n"
                            "    " MDEV "      <source><address uuid='" TWO "'/></source>\n"
                            "      <alias name='ua-gpu1'/>\n"
                            "    </hostdev>\n"
                            "    <hostdev mode='subsystem' type='pci' managed='no'>\n"
                            "      <source><address domain='0x0000' bus='0x3d' slot='0x00' "
                            "function='0x4'/></source>\n"
                            "      <alias name='ua-gpu2'/>\n"
                            "    </hostdev>\n"
                            "  </devices>\n"
                            "</domain>\n";

static const struct {
    const char *what, *old, *new;
} domains[] = {
    {"the file is empty", sound, ""},
    {"it is not XML", sound, "web01 wants a T4-1B\n"},
    {"an element has no end", "    </vgpu:request>\n", ""},
    {"a quote is missing", "type='T4-1B'/>", "type='T4-1B/>"},
    {"an attribute is there twice", "type='T4-1B'/>", "type='T4-1B' type='T4-1B'/>"},
    {"the prefix is not declared", " xmlns:vgpu='urn:libvirt-vgpu:domain:1'", ""},
    {"it is a network", sound, "<network>\n  <name>default</name>\n</network>\n"},
    {"it has a document type", "<domain ", "<!DOCTYPE domain>\n<domain "},
    {"the domain's UUID is cut off", "<uuid>" OWN, "<uuid>aaaaaaaa-0000"},
    {"the namespace has a letter wrong", "libvirt-vgpu:domain:1", "libvirt-vgpu:domian:1"},
    {"the namespace is a newer one", "libvirt-vgpu:domain:1", "libvirt-vgpu:domain:2"},
    {"the request has no namespace", "    <vgpu:request>\n", "    <request>\n"},
    {"a device has no prefix", "<vgpu:device alias='ua-gpu0'", "<device alias='ua-gpu0'"},
    {"a device is misspelt", "<vgpu:device alias='ua-gpu0'", "<vgpu:devcie alias='ua-gpu0'"},
    {"there are two requests", "    </vgpu:request>\n",
     "    </vgpu:request>\n    <vgpu:request/>\n"},
    {"the request is in a request", GPU0, "<vgpu:request>" GPU0 "</vgpu:request>"},
    {"the request is outside of metadata", "  </metadata>\n", "  </metadata>\n  <vgpu:request/>\n"},
    {"a device is in metadata itself", "    </vgpu:request>\n",
     "    </vgpu:request>\n    <vgpu:device alias='ua-gpu3' type='T4-1B'/>\n"},
    {"the request has an attribute", "<vgpu:request>", "<vgpu:request type='T4-1B'>"},
    {"an attribute is misspelt", "type='T4-1B'", "tpye='T4-1B'"},
    {"an attribute has a prefix", "type='T4-1B'", "vgpu:type='T4-1B'"},
    {"an attribute is unknown", "type='T4-1B'", "type='T4-1B' memory='1G'"},
    {"an attribute is empty", "type='T4-1B'", "type=''"},
    {"a device has type and class", "type='T4-1B'", "type='T4-1B' class='small'"},
    {"a device has neither", " type='T4-1B'", ""},
    {"a type has a slash", "type='T4-1B'", "type='GRID/T4-1B'"},
    {"placement is another word", "class='small'", "class='small' placement='best'"},
    {"numa is another word", "class='small'", "class='small' numa='near'"},
    {"the parent is no address", "class='small'", "class='small' parent='18:00'"},
    {"the uuid is none", "alias='ua-gpu0'", "uuid='gpu0'"},
    {"a device has two links", "alias='ua-gpu0'", "alias='ua-gpu0' uuid='" ONE "'"},
    {"a device has no link", "alias='ua-gpu0' ", ""},
    {"a parameter has no value", GPU0,
     "<vgpu:device alias='ua-gpu0' type='T4-1B'><vgpu:param name='disable_vnc'/></vgpu:device>"},
    {"a parameter is not allowed", GPU0,
     "<vgpu:device alias='ua-gpu0' type='T4-1B'>\n"
     "        <vgpu:param name='cuda' value='1'/>\n      </vgpu:device>"},
    {"a parameter has two values", GPU0,
     "<vgpu:device alias='ua-gpu0' type='T4-1B'>\n"
     "        <vgpu:param name='disable_vnc' value='1, 0'/>\n      </vgpu:device>"},
    {"the hostdev is gone", ALIAS, "<alias name='ua-gpu7'/>"},
    {"the hostdev has no alias", "      " ALIAS "\n", ""},
    {"the alias is one that libvirt drops", ALIAS, "<alias name='gpu0'/>"},
    {"two devices are of one hostdev", "alias='ua-gpu1'", "alias='ua-gpu0'"},
    {"two hostdevs have one UUID", TWO, ONE},
    {"the hostdev's UUID is cut off", ONE, "dddddddd-0000"},
    {"the hostdev has no UUID", "uuid='" ONE "'", ""},
    {"the hostdev has no source", "      <source><address uuid='" ONE "'/></source>\n", ""},
    {"the hostdev has the domain's UUID", ONE, OWN},
    {"the hostdev is no GPU's", "model='vfio-pci'", "model='vfio-ccw'"},
    {"a mediated device is managed", "model='vfio-pci'", "model='vfio-pci' managed='yes'"},
    {"a display has no OpenGL", "model='vfio-pci'", "model='vfio-pci' display='on'"},
    {"nobody says what a hostdev is to be", "      " GPU0 "\n", ""},
    {"a function is managed", "managed='no'", "managed='yes'"},
    {"a function has no address", "bus='0x3d' ", "bus='3d' "},
    {"a function is not here", "bus='0x3d'", "bus='0x99'"},
    {"a function is the GPU", "function='0x4'", "function='0x0'"},
    {"a function is of another GPU", "bus='0x3d'", "bus='0x18'"},
    {"the class is misspelt", "class='small'", "class='smal'"},
    {"the class is in the alias, and misspelt", "name='ua-gpu2'", "name='ua-vgpu-smal'"},
    {"the type is misspelt", "type='T4-1B'", "type='T4-1Q'"},
    {"the type is of the other GPU", "type='L40S-1B'", "type='T4-1B'"},
    {"no GPU has the trait", "class='small'", "class='small' traits='fast'"},
    {"the parent is not here", "class='small'", "class='small' parent='0000:99:00.0'"},
};

/* The sound domain with the first `old` in it replaced. */
static void
write_wrong(const char *old, const char *new)
{
    const char *at = strstr(sound, old);
    FILE *out = fopen("web01.xml", "we");

    assert_non_null(out);
    if (!at)
        fail_msg("it is not in the sound domain: %s", old);
    fprintf(out, "%.*s%s%s", (int)(at - sound), sound, new, at + strlen(old));
    fclose(out);
}

/* The changed part. For a whole document only its name is printed. */
static void
put_change(FILE *golden, const char *sign, const char *text)
{
    AUTO_FREE char *copy = strdup(text);
    char *rest = copy, *line;

    assert_non_null(copy);
    while (text != sound && (line = strsep(&rest, "\n"))) {
        if (*line)
            fprintf(golden, "  %s %s\n", sign, line + strspn(line, " "));
    }
}

TEST(wrong_domains)
{
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *golden = open_memstream(&text, &size);

    assert_non_null(golden);
    assert_true(COUNT(domains) >= 40);
    scene_configure(&scene,
                    "unlike_vgpus = true; classes = { small = { types = [ \"T4-1B\" ]; }; };\n"
                    "pools = { mi300 = { functions = [ \"0000:c1:02.*\" ]; }; };\n");
    write_wrong("", "");
    typed_golden(&scene, "test:///default", "check/wrong-domains-none", "vgpuctl check web01.xml");
    fputs("$ vgpuctl check web01.xml\n", golden);
    for (size_t i = 0; i < COUNT(domains); i++) {
        fprintf(golden, "\n%s:\n", domains[i].what);
        put_change(golden, "-", domains[i].old);
        put_change(golden, "+", domains[i].new);
        write_wrong(domains[i].old, domains[i].new);
        put_answer(golden, "vgpuctl check web01.xml", "web01.xml:");
    }
    fclose(golden);
    typed_compare_golden("check/wrong-domains", text);
}

/* --- configurations --------------------------------------------------------------------------- */

#define CLASS "classes = { small = { types = [ \"T4-1B\" ]; }; };\n"

static const struct {
    const char *what, *text;
} configurations[] = {
    {"a key is misspelt", "placment = \"pack\";"},
    {"a key has a capital letter", "Enabled = true;"},
    {"a key is unknown", "colour = \"red\";"},
    {"a key is there twice", "placement = \"pack\";\nplacement = \"spread\";"},
    {"a comma is missing", "classes = { small = { types = [ \"T4-1B\" \"T4-2B\" ]; }; };"},
    {"values of two types are in brackets", "params = [ \"disable_vnc\", 1 ];"},
    {"an equals sign is missing", "enabled true;"},
    {"a value is missing", "placement = ;"},
    {"a quote is missing", "placement = \"pack;\nnuma = \"prefer\";"},
    {"quotes are missing", "placement = pack;"},
    {"quotes are single", "placement = 'pack';"},
    {"a brace is missing", "classes = {\n  small = { types = [ \"T4-1B\" ]; };\n"},
    {"a bracket is another", "gpus = ( { address = \"0000:18:00.0\"; types = [ \"T4-1B\" ); } );"},
    {"it is written as in YAML", "placement: pack\n"},
    {"it includes another file", "@include \"/etc/vgpu-more.conf\""},
    {"true is in quotes", "enabled = \"true\";"},
    {"true is a number", "enabled = 1;"},
    {"placement is another word", "placement = \"best\";"},
    {"numa is a boolean", "numa = true;"},
    {"release is another word", "release = \"delete\";"},
    {"a time has no unit", "prepare_timeout = 30;"},
    {"a time has an unknown unit", "prepare_timeout = \"30 seconds\";"},
    {"a time is too long", "prepare_timeout = \"2h\";"},
    {"a time is nothing", "lock_timeout = \"0s\";"},
    {"a list is a string", "params = \"disable_vnc\";"},
    {"allow has an unknown word", "allow = [ \"class\", \"params\" ];"},
    {"gpus is a group", "gpus = { address = \"0000:18:00.0\"; };"},
    {"gpus holds strings", "gpus = ( \"0000:18:00.0\" );"},
    {"a GPU has no address", "gpus = ( { types = [ \"T4-1B\" ]; } );"},
    {"an address has no domain", "gpus = ( { address = \"18:00.0\"; } );"},
    {"a GPU is there twice",
     "gpus = ( { address = \"0000:18:00.0\"; },\n  { address = \"0000:18:00.0\"; } );"},
    {"a GPU is not there", "gpus = ( { address = \"0000:19:00.0\"; } );"},
    {"a GPU is a virtual function", "gpus = ( { address = \"0000:3d:00.4\"; } );"},
    {"a GPU's types are none", "gpus = ( { address = \"0000:18:00.0\"; types = [ ]; } );"},
    {"a GPU does not have the type",
     "gpus = ( { address = \"0000:18:00.0\"; types = [ \"T4-1Q\" ]; } );"},
    {"reserve is below 0", "gpus = ( { address = \"0000:18:00.0\"; reserve = -1; } );"},
    {"classes is a list", "classes = ( { name = \"small\"; types = [ \"T4-1B\" ]; } );"},
    {"a class is a list of types", "classes = { small = [ \"T4-1B\" ]; };"},
    {"a class has no types", "classes = { small = { placement = \"pack\"; }; };"},
    {"a class has types and size",
     "classes = { small = { types = [ \"T4-1B\" ]; framebuffer = \"1G\"; }; };"},
    {"a class has a type that no GPU has",
     "classes = { small = { types = [ \"T4-1B\", \"T4-1A\" ]; }; };"},
    {"a class is served by no GPU", "classes = { small = { types = [ \"A40-1B\" ]; }; };"},
    {"a size is a number", "classes = { small = { framebuffer = 8192; }; };"},
    {"a size has an unknown unit", "classes = { small = { framebuffer = \"8GB\"; }; };"},
    {"the default class is misspelt", CLASS "default_class = \"smal\";"},
    {"a quota's class is misspelt",
     CLASS "quotas = ( { domains = [ \"web*\" ]; class = \"smal\"; max = 4; } );"},
    {"a quota has no max", CLASS "quotas = ( { domains = [ \"web*\" ]; class = \"small\"; } );"},
    {"a quota's max is in quotes",
     CLASS "quotas = ( { domains = [ \"web*\" ]; class = \"small\"; max = \"4\"; } );"},
    {"a quota's domains are a string",
     CLASS "quotas = ( { domains = \"web*\"; class = \"small\"; max = 4; } );"},
    {"a quota is of a type",
     "quotas = ( { domains = [ \"web*\" ]; type = \"T4-1B\"; max = 4; } );"},
    {"a way to evacuate is unknown",
     "domains = ( { name = \"web*\"; evacuate = [ \"away\" ]; } );"},
    {"a domain's device has no alias",
     "domains = ( { name = \"web*\"; devices = ( { type = \"T4-1B\"; } ); } );"},
    {"a domain's device is nothing",
     "domains = ( { name = \"web*\"; devices = ( { alias = \"ua-gpu0\"; } ); } );"},
    {"a domain's device is two things",
     CLASS "domains = ( { name = \"web*\"; devices = ( { alias = \"ua-gpu0\"; type = \"T4-1B\";\n"
           "  class = \"small\"; } ); } );"},
    {"a domain's device is there twice",
     "domains = ( { name = \"web*\"; devices = ( { alias = \"ua-gpu0\"; type = \"T4-1B\"; },\n"
     "  { alias = \"ua-gpu0\"; type = \"T4-2B\"; } ); } );"},
    {"a domain's device has an alias that libvirt drops",
     "domains = ( { name = \"web*\"; devices = ( { alias = \"gpu0\"; type = \"T4-1B\"; } ); } );"},
    {"a pool has no functions", "pools = { mi300 = { driver = \"vfio-pci\"; }; };"},
    {"a pool's name has a star", "pools = { mi* = { functions = [ \"0000:c1:02.*\" ]; }; };"},
    {"a pool's driver is a path",
     "pools = { mi300 = { functions = [ \"0000:c1:02.*\" ]; driver = \"/sys/vfio\"; }; };"},
    {"a pool has nothing in it", "pools = { mi300 = { functions = [ \"0000:c2:02.*\" ]; }; };"},
    {"a profile says nothing", "profiles = { b50 = { }; };"},
    {"a profile has a pool's name", "pools = { b50 = { functions = [ \"0000:c1:02.*\" ]; }; };\n"
                                    "profiles = { b50 = { vram = \"4G\"; }; };"},
    {"a limit has no max", "max_instances = ( { types = [ \"L40S-1B\" ]; } );"},
};

TEST(wrong_configurations)
{
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *golden = open_memstream(&text, &size);

    assert_non_null(golden);
    assert_true(COUNT(configurations) >= 40);
    fputs("$ vgpuctl check\n", golden);
    for (size_t i = 0; i < COUNT(configurations); i++) {
        fprintf(golden, "\n%s:\n", configurations[i].what);
        put_change(golden, "+", configurations[i].text);
        scene_configure(&scene, configurations[i].text);
        put_answer(golden, "vgpuctl check", "/etc/libvirt-vgpu/vgpu.conf:");
    }
    fclose(golden);
    typed_compare_golden("check/wrong-configurations", text);
}
