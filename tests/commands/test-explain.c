/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl explain: what it says, and that a start then does exactly this. */

#include "cli/command.h"
#include "fake/chance.h"
#include "fake/typed.h"
#include "lease/marks.h"
#include "lease/recent-removal.h"
#include "lease/statedir.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HERE "test:///default"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = NULL, .inside = true}, &typed};
#define TEST(function) TYPED_TEST(function, here)

/* Files that the command line names are in the fake machine's tree. */
static void
start_machine(const char *name)
{
    scene_start_machine(&scene, name);
    assert_int_equal(chdir(scene.kernel.path), 0);
}

static void
configure(const char *text)
{
    scene_configure(&scene, text);
}

/* Guest 1, in ./guest1.xml. */
static void
define(const char *devices, const unsigned *numbers)
{
    AUTO_FREE char *xml = scene_xml(1, devices, numbers);

    fake_write(&scene.kernel, "guest1.xml", xml);
}

static void
golden(const char *name)
{
    typed_golden(&scene, HERE, name, "vgpuctl explain ./guest1.xml");
}

static void
says(int status, const char *facts)
{
    typed_facts(&scene, HERE, "vgpuctl explain ./guest1.xml", status, facts);
}

/* All that an event could change: the ledger and the number of devices. */
static char *
snapshot(void)
{
    AUTO_FREE char *ledger = access("run/libvirt-vgpu/ledger", F_OK) == 0
                                 ? scene_read("run/libvirt-vgpu/ledger")
                                 : strdup("");
    char *text;

    assert_true(asprintf(&text, "%zu devices\n%s", fake_count(&scene.kernel), ledger) > 0);
    return text;
}

static bool
has_lease(const char *ledger, const char *device, const char *type, const char *parent)
{
    bool found = false;

    for (const char *line = ledger; *line && !found; line = strchrnul(line, '\n') + 1) {
        char a[64], b[64], c[64];

        found = sscanf(line, "%*s %63s %63s %*s %63s", a, b, c) == 3 && !strcmp(a, device) &&
                !strcmp(b, type) && !strcmp(c, parent);
    }
    return found;
}

/* Every place that explain named must be the guest's place now. */
static void
assert_placed(char *printed)
{
    AUTO_FREE char *ledger = scene_read("run/libvirt-vgpu/ledger");
    char *line;

    while ((line = strsep(&printed, "\n"))) {
        char verdict[16], device[64], type[64], parent[64];

        if (sscanf(line, "%15s %63s %63s %63s", verdict, device, type, parent) == 4 &&
            strcmp(parent, "-") && !has_lease(ledger, device, type, parent))
            fail_msg("\"%s\" is not what became of it: %s", line, ledger);
    }
}

/* Explains the guest of ./guest1.xml, and starts it. The start gets the same places, or is refused
 * with the same words. Returns what explain said. */
static enum command_status
explain_and_start(void)
{
    AUTO_FREE char *before = snapshot(), *after = NULL, *xml = scene_read("guest1.xml");
    enum command_status status = (enum command_status)typed_run(
        &scene, HERE, "vgpuctl explain ./guest1.xml -rn -o VERDICT,DEVICE,TYPE,PARENT", &typed);
    char *end;

    after = snapshot();
    assert_string_equal(before, after);
    if (scene_hook(&scene, xml, "prepare", "begin") != (status != COMMAND_DONE))
        fail_msg("said was %s%s, and the start: %s", typed.printed, typed.faults, scene.said);
    if (status == COMMAND_DONE) {
        assert_placed(typed.printed);
        return status;
    }
    end = strstr(scene.said, "; see 'vgpuctl explain guest");
    assert_true(end || status != COMMAND_NO_CAPACITY);
    *(end ? end : strchrnul(scene.said, '\n')) = '\0';
    typed_assert_has(typed.faults, strstr(scene.said, "guest"));
    return status;
}

static void
start_and_compare(enum command_status status)
{
    assert_int_equal(explain_and_start(), status);
}

/* --- places ----------------------------------------------------------------------------------- */

#define CLASSES                                                                                    \
    "classes = { small = { types = [ \"T4-1B\", \"A2-1B\" ]; };\n"                                 \
    "            big = { framebuffer = \"8G\"; placement = \"spread\"; traits = [ \"fast\" ]; };"  \
    " };\n"

/* All words of a request, and all reasons to prefer a GPU. */
TEST(two_of_eight)
{
    start_machine("t4x8");
    configure(CLASSES "unlike_vgpus = true; params = [ \"frame_rate_limiter\" ];\n"
                      "gpus = ( { address = \"0000:19:00.0\"; traits = [ \"fast\" ]; },\n"
                      "         { address = \"0000:86:00.0\"; traits = [ \"fast\", \"loud\" ]; },\n"
                      "         { address = \"0000:87:00.0\"; traits = [ \"fast\" ]; } );\n");
    assert_int_equal(scene_prepare(&scene, 2, 3, "T4-1B"), 0);
    define("<vgpu:device alias='ua-gpu1' class='small' numa='ignore'/>"
           "<vgpu:device alias='ua-gpu2' class='big' traits='interface=mdev, !loud'>"
           "<vgpu:param name='frame_rate_limiter' value='0'/></vgpu:device>",
           (const unsigned[]){1, 2, 0});
    golden("explain/t4x8");
    typed_agree(&scene, HERE, "vgpuctl explain ./guest1.xml");
    typed_facts(&scene, HERE, "vgpuctl explain ./guest1.xml -o ALIAS,GPU,VERDICT", 0,
                "ALIAS GPU VERDICT ua-gpu1 0000:18:00.0 chosen ua-gpu1 0000:19:00.0 no "
                "ua-gpu1 0000:3b:00.0 possible\nua-gpu2 0000:b0:00.0 no (end)");
    typed_facts(&scene, HERE, "vgpuctl explain ./guest1.xml --json", 0,
                "\"wanted\": \"small\", \"gpu\": \"0000:18:00.0\", \"verdict\": \"chosen\", "
                "\"parent\": \"0000:18:00.0\", \"type\": \"nvidia-222\",\n"
                "\"verdict\": \"yes\", \"removes\": [], \"waits-for\": [], \"errors\": [],");
    start_and_compare(COMMAND_DONE);
}

/* All reasons against a GPU. */
TEST(none_of_eight)
{
    start_machine("t4x8");
    configure("gpus = ( { address = \"0000:19:00.0\"; enabled = false; },\n"
              "         { address = \"0000:3b:00.0\"; types = [ \"T4-2B\" ]; },\n"
              "         { address = \"0000:3c:00.0\"; traits = [ \"slow\" ]; },\n"
              "         { address = \"0000:18:00.0\"; traits = [ \"a\" ]; },\n"
              "         { address = \"0000:86:00.0\"; reserve = 16; traits = [ \"a\" ]; },\n"
              "         { address = \"0000:87:00.0\"; traits = [ \"a\" ]; },\n"
              "         { address = \"0000:af:00.0\"; traits = [ \"a\" ]; } );\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-16Q"), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:87:00.0", "nvidia-223", scene_device(3)), 0);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(
            fake_make(&scene.kernel, "0000:af:00.0", "nvidia-222", scene_device(100 + i)), 0);
    define("<vgpu:device alias='ua-gpu1' type='T4-1B' traits='a, !slow'/>",
           (const unsigned[]){1, 0});
    golden("explain/t4x8-refused");
    start_and_compare(COMMAND_NO_CAPACITY);
    define("<vgpu:device alias='ua-gpu1' type='T4-1B' numa='require'/>", (const unsigned[]){1, 0});
    start_and_compare(COMMAND_FAILED);
    typed_assert_has(typed.faults, "the guest is bound to none (numatune)");
}

/* explain does not count functions one by one. The guest's entry in the configuration says which
 * type the device is. */
TEST(functions)
{
    start_machine("a40");
    configure("domains = ( { name = \"guest*\";\n"
              "  devices = ( { alias = \"ua-gpu1\"; type = \"A40-4Q\"; } ); } );\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "A40-4Q"), 0);
    define("<vgpu:device alias='ua-gpu3' type='A40-8Q' parent='0001:3d:00.4'/>",
           (const unsigned[]){1, 3, 0});
    says(0, "ua-gpu1: type A40-4Q (said by domains, /etc/libvirt-vgpu/vgpu.conf:2)\n"
            "place 0000:3d:00.5, as nvidia-560 (NVIDIA A40-4Q): to be made\n"
            "0000:3d:00.0 chosen has room for 11 (1 in use)\n"
            "0001:3d:00.0 no is being given a vGPU of another size\n"
            "parent 0001:3d:00.4 placement pack numa prefer place 0001:3d:00.4, as nvidia-562 "
            "(NVIDIA A40-8Q): to be made\n"
            "0000:3d:00.0 no is not the parent asked for\n"
            "0001:3d:00.0 chosen has room for 6 (0 in use) (end)");
    start_and_compare(COMMAND_DONE);
}

/* The alias and default_class say which type the device is: one class for two makes of GPU. */
TEST(words_without_annotation)
{
    start_machine("mixed");
    configure(CLASSES "default_class = \"small\";\n"
                      "gpus = ( { address = \"0000:18:00.0\"; enabled = false; } );\n");
    fake_write(&scene.kernel, "guest1.xml",
               "<domain>\n  <name>guest1</name>\n"
               "  <uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>\n"
               "  <numatune><memory mode='strict' nodeset='0-1'/></numatune>\n  <devices>\n"
               "    <hostdev mode='subsystem' type='mdev' model='vfio-pci'>\n      <source>"
               "<address uuid='dddddddd-0000-4000-8000-000000000001'/></source>\n"
               "      <alias name='ua-vgpu-small-2'/>\n    </hostdev>\n"
               "    <hostdev mode='subsystem' type='mdev' model='vfio-pci'>\n      <source>"
               "<address uuid='dddddddd-0000-4000-8000-000000000002'/></source>\n"
               "    </hostdev>\n"
               "    <hostdev mode='subsystem' type='mdev' model='vfio-ap'>\n      <source>"
               "<address uuid='dddddddd-0000-4000-8000-000000000003'/></source>\n"
               "    </hostdev>\n  </devices>\n</domain>\n");
    says(0, "ua-vgpu-small-2: class small (said by its alias)\n"
            "types nvidia-222 (GRID T4-1B), nvidia-742 (NVIDIA A2-1B)\n"
            "numa prefer; the guest is bound to node 0, 1\n"
            "place 0000:e7:00.4, as nvidia-742 (NVIDIA A2-1B): to be made\n"
            "0000:18:00.0 no is disabled by /etc/libvirt-vgpu/vgpu.conf:4\n"
            "chosen has room for 15 (0 in use, 1 for this guest) mtty no has no such type\n"
            "class small (said by default_class, /etc/libvirt-vgpu/vgpu.conf:3)\n"
            "place 0000:e7:00.5, as nvidia-742 (NVIDIA A2-1B): to be made");
    start_and_compare(COMMAND_DONE);
}

/* --- virtual functions ------------------------------------------------------------------------ */

/* Guest 1, in ./guest1.xml, with these PCI devices: ua-gpu1 and on. */
static void
define_functions(const char *devices, const char *const *addresses)
{
    AUTO_FREE char *xml = scene_xml_of(1, devices, addresses);

    fake_write(&scene.kernel, "guest1.xml", xml);
}

#define FUNCTIONS(...)                                                                             \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* explain says which function the device is, whether the guest can have it, and which other
 * functions would do. It reports a hostdev that is a function but that no request names. It ignores
 * a hostdev of another PCI device. */
TEST(two_functions)
{
    start_machine("l40s");
    configure("unlike_vgpus = true;");
    define_functions("<vgpu:device alias='ua-gpu1' type='L40S-24Q'/>"
                     "<vgpu:device alias='ua-gpu2' type='L40S-1B'/>",
                     FUNCTIONS("0000:3d:00.5", "0000:e7:01.2", "0000:3d:01.0", "0000:01:00.0"));
    golden("explain/l40s");
    typed_agree(&scene, HERE, "vgpuctl explain ./guest1.xml");
    typed_facts(
        &scene, HERE, "vgpuctl explain --json ./guest1.xml -o REASON,OTHERS", 0,
        "\"others\": [ \"0000:3d:00.4\", \"0000:3d:00.6\", \"0000:3d:00.7\", \"0000:3d:01.0\",\n"
        "\"0000:3d:02.3\" ] }, { \"reason\": \"is not where its hostdev says\", \"others\": []");
    start_and_compare(COMMAND_DONE);
    says(0, "guest1 has: 0000:3d:00.5 (ua-gpu1): nvidia-1155 on 0000:3d:00.5, held\n"
            "guest1 asks for 2 vGPUs, and has all it asks for.\n"
            "place 0000:3d:00.5, as nvidia-1155 (NVIDIA L40S-24Q): there already\n"
            "0000:3d:00.0 taken has it already 0000:e7:00.0 no another GPU has it\n"
            "place 0000:e7:01.2, as nvidia-1145 (NVIDIA L40S-1B): there already");
    assert_int_equal(fake_count(&scene.kernel), 2);
}

/* The first and the last of the functions. */
TEST(functions_that_nothing_names)
{
    start_machine("l40s");
    define_functions("<vgpu:device alias='ua-gpu1' type='L40S-24Q'/>",
                     FUNCTIONS("0000:3d:00.5", "0000:3d:00.4", "0000:e7:02.3", "0000:01:00.0"));
    typed_expect(&scene, HERE, "vgpuctl explain ./guest1.xml", COMMAND_DONE,
                 "nothing says what the <hostdev> ua-gpu2 is to be, so ", &typed);
    typed_assert_has(typed.printed, "nothing says what the <hostdev> ua-gpu3 is to be, so ");
    assert_null(strstr(typed.printed, "ua-gpu4"));
}

/* All reasons why the guest cannot have this function: it may have another, or none. */
TEST(a_function_that_cannot_be_had)
{
    start_machine("l40s");
    assert_int_equal(scene_prepare_at(&scene, 2, "0000:3d:00.4", "L40S-1B"), 0);
    define_functions("<vgpu:device alias='ua-gpu1' type='L40S-1B'/>", FUNCTIONS("0000:3d:00.4"));
    says(1, "device 0000:3d:00.4, a virtual function of 0000:3d:00.0\n"
            "others 0000:3d:00.5, 0000:3d:00.6,\nand 23 more\n"
            "0000:3d:00.0 no has a vGPU of the guest guest2 there already (nvidia-1145)\n"
            "ua-gpu1 could be on 0000:3d:00.5, 0000:3d:00.6,");
    start_and_compare(COMMAND_FAILED);
    define_functions("<vgpu:device alias='ua-gpu1' type='L40S-2B'/>", FUNCTIONS("0000:3d:00.5"));
    says(3, "others 0000:e7:00.4, 0000:e7:00.5,\n0000:3d:00.0 no holds nvidia-1145 (1 in use)\n"
            "ua-gpu1 (L40S-2B) cannot be on 0000:3d:00.5: its GPU 0000:3d:00.0 holds nvidia-1145");
    start_and_compare(COMMAND_NO_CAPACITY);
    define_functions("<vgpu:device alias='ua-gpu1' type='L40S-1B'/>", FUNCTIONS("0000:99:00.4"));
    says(1, "device 0000:99:00.4, which this host does not have\n"
            "others 0000:3d:00.5, 0000:3d:00.6,\n0000:3d:00.0 no is not where its hostdev says\n"
            "cannot be on 0000:99:00.4, which this host does not have; ua-gpu1 could be on");
    start_and_compare(COMMAND_FAILED);
    define("<vgpu:device alias='ua-gpu1' type='L40S-1B'/>", (const unsigned[]){1, 0});
    says(1, "0000:3d:00.0 no makes vGPUs for <hostdev type='pci'> only\n"
            "0000:e7:00.0 no makes vGPUs for <hostdev type='pci'> only\n"
            "no GPU can take ua-gpu1 (L40S-1B):");
    start_and_compare(COMMAND_FAILED);
    configure("gpus = ( { address = \"0000:3d:00.0\"; enabled = false; },"
              " { address = \"0000:e7:00.0\"; enabled = false; } );");
    define_functions("<vgpu:device alias='ua-gpu1' type='L40S-1B'/>", FUNCTIONS("0000:3d:00.5"));
    start_and_compare(COMMAND_FAILED);
    typed_assert_has(typed.faults, "no other virtual function");
}

/* Guests start and end, each with functions that are drawn at random. Some of their vGPUs are
 * kept. */
TEST(functions_by_chance)
{
    static const char *const types[] = {"L40S-1B", "L40S-24Q", "L40S-48Q"};
    static const char *const places[] = {"0000:3d:00.4", "0000:3d:00.5", "0000:3d:00.6",
                                         "0000:e7:00.4", "0000:e7:00.5", "0000:99:00.4"};
    const uint64_t rounds = chance_rounds(150);
    unsigned seed = 1, counts[COMMAND_BUSY + 1] = {0};
    char *running[6] = {NULL};

    start_machine("l40s");
    for (uint64_t round = 0; round < rounds; round++) {
        unsigned guest = (unsigned)rand_r(&seed) % COUNT(running);
        unsigned first = (unsigned)rand_r(&seed) % COUNT(places);
        unsigned second =
            (first + 1 + (unsigned)rand_r(&seed) % (COUNT(places) - 1)) % (unsigned)COUNT(places);
        bool two = rand_r(&seed) % 2;
        char devices[256];

        configure(rand_r(&seed) % 2 ? "release = \"keep\";" : "");
        if (running[guest]) {
            assert_int_equal(scene_hook(&scene, running[guest], "release", "end"), 0);
            free(running[guest]);
            running[guest] = NULL;
            continue;
        }
        snprintf(devices, sizeof(devices), "<vgpu:device alias='ua-gpu1' type='%s'/>%s%s%s",
                 types[(unsigned)rand_r(&seed) % COUNT(types)],
                 two ? "<vgpu:device alias='ua-gpu2' type='" : "",
                 two ? types[(unsigned)rand_r(&seed) % COUNT(types)] : "", two ? "'/>" : "");
        running[guest] =
            scene_xml_of(guest + 1, devices, FUNCTIONS(places[first], two ? places[second] : NULL));
        fake_write(&scene.kernel, "guest1.xml", running[guest]);
        if (explain_and_start() == COMMAND_DONE) {
            counts[COMMAND_DONE]++;
            continue;
        }
        counts[typed.status]++;
        free(running[guest]);
        running[guest] = NULL;
    }
    for (size_t i = 0; i < COUNT(running); i++)
        free(running[i]);
    assert_true(counts[COMMAND_DONE] > rounds / 15);
    assert_true(counts[COMMAND_NO_CAPACITY] > rounds / 40);
    assert_true(counts[COMMAND_FAILED] > rounds / 40);
}

/* Another guest's unused vGPU blocks one function. It is removed. */
TEST(a_kept_function)
{
    start_machine("l40s");
    configure("release = \"keep\";\n");
    assert_int_equal(scene_prepare_at(&scene, 2, "0000:3d:00.4", "L40S-48Q"), 0);
    assert_int_equal(scene_release_at(&scene, 2, "0000:3d:00.4"), 0);
    define_functions("<vgpu:device alias='ua-gpu1' type='L40S-1B'/>", FUNCTIONS("0000:3d:00.5"));
    says(0, "others 0000:e7:00.4, 0000:e7:00.5,\n0000:3d:00.0 reap holds nvidia-1156 (1 in use)\n"
            "To make room, a start would remove: 0000:3d:00.4 (guest2): nvidia-1156 on "
            "0000:3d:00.4, kept (end)");
    start_and_compare(COMMAND_DONE);
    assert_int_equal(fake_count(&scene.kernel), 1);
}

/* --- vGPUs that would be removed first -------------------------------------------------------- */

TEST(kept_is_reaped)
{
    start_machine("mtty");
    configure("release = \"keep\";\n");
    for (unsigned i = 2; i < 14; i++) {
        assert_int_equal(scene_prepare(&scene, i, i, "mtty-2"), 0);
        assert_int_equal(scene_release(&scene, i, i), 0);
    }
    define("<vgpu:device alias='ua-gpu1' type='mtty-2'/>", (const unsigned[]){1, 0});
    golden("explain/mtty-kept");
    typed_agree(&scene, HERE, "vgpuctl explain ./guest1.xml");
    typed_facts(&scene, HERE, "vgpuctl explain ./guest1.xml --json", 0,
                "\"verdict\": \"reap\", \"parent\": \"\", \"type\": \"\", \"name\": \"\",\n"
                "\"verdict\": \"after-removal\", \"removes\": [\n\"domain\": \"guest13\",\n"
                "\"alias\": \"ua-gpu2\", \"state\": \"kept\"");
    start_and_compare(COMMAND_DONE);
    assert_int_equal(fake_count(&scene.kernel), 12);
}

/* libvirt called the release of a guest, and only a mark says so. A dry run asks the marks. */
TEST(what_was_released_is_reaped)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    struct error error;

    start_machine("mtty");
    for (unsigned i = 2; i < 14; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "mtty-2"), 0);
    define("<vgpu:device alias='ua-gpu1' type='mtty-2'/>", (const unsigned[]){1, 0});
    says(COMMAND_NO_CAPACITY, "mtty no is full");
    assert_int_equal(statedir_peek(&scene.kernel.host, &ledger, &error), 0);
    assert_int_equal(marks_leave(&scene.kernel.host, MARK_RELEASED, &ledger.leases[0].domain,
                                 statedir_number_above(&scene.kernel.host, &ledger), &error),
                     0);
    says(0, "mtty reap is full");
    start_and_compare(COMMAND_DONE);
    assert_int_equal(fake_count(&scene.kernel), 12);
}

/* A start was killed before it made its vGPU, and still has the place. explain takes this place
 * first, and the kept vGPU stays. */
TEST(nothing_is_there_to_remove)
{
    AUTO_FREE char *ledger = NULL, *text = NULL;

    start_machine("mtty");
    configure("release = \"keep\";\n");
    for (unsigned i = 2; i < 13; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "mtty-2"), 0);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    ledger = scene_read("run/libvirt-vgpu/ledger");
    assert_true(
        asprintf(&text,
                 "%smdev %s mtty-2 0 mtty mtty aaaaaaaa-0000-4000-8000-000000000013 guest13 "
                 "ua-gpu1 pending made 1:1 1 reap 1\n",
                 ledger, scene_device(13)) > 0);
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", text);
    assert_int_equal(scene_leases(&scene, ""), 12);
    define("<vgpu:device alias='ua-gpu1' type='mtty-2'/>", (const unsigned[]){1, 0});
    says(0, "place mtty, as mtty-2 (Dual port serial): to be made\n"
            "mtty chosen has room for 1 (11 in use) (end)");
    start_and_compare(COMMAND_DONE);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(2)), "mtty-2");
}

/* The guest asks for two vGPUs. Each alone would fit if a kept vGPU were removed. Both together
 * never fit. */
TEST(nothing_is_reaped_in_vain)
{
    start_machine("mixed");
    configure("release = \"keep\";\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 2, 2), 0);
    define("<vgpu:device alias='ua-gpu1' type='T4-16Q'/>", (const unsigned[]){1, 0});
    says(0, "0000:18:00.0 reap holds nvidia-222 (1 in use) 0000:e7:00.0 no has no such type\n"
            "dddddddd-0000-4000-8000-000000000002 (guest2): nvidia-222 on 0000:18:00.0, kept");
    define("<vgpu:device alias='ua-gpu1' type='T4-16Q'/>"
           "<vgpu:device alias='ua-gpu3' type='T4-16Q'/>",
           (const unsigned[]){1, 3, 0});
    start_and_compare(COMMAND_FAILED);
    assert_int_equal(fake_count(&scene.kernel), 1);
    define("<vgpu:device alias='ua-gpu1' type='T4-16Q'/>", (const unsigned[]){1, 0});
    start_and_compare(COMMAND_DONE);
    assert_string_equal(fake_type_of(&scene.kernel, scene_device(2)), "");
}

/* The device does not exist, or has another type. Or its UUID belongs to another guest, with a kept
 * vGPU or a held one. */
TEST(uuids_in_the_way)
{
    start_machine("mtty");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-1"), 0);
    define("<vgpu:device alias='ua-gpu1' type='mtty-2'/>", (const unsigned[]){1, 0});
    says(0, "mtty chosen has room for at least 12 (0 in use)\n"
            "A start would first remove what guest1 has and does not want as it is: "
            "dddddddd-0000-4000-8000-000000000001 (ua-gpu1): mtty-1 on mtty, held (end)");
    start_and_compare(COMMAND_DONE);
    define("<vgpu:device alias='ua-gpu2' type='mtty-2'/>", (const unsigned[]){2, 0});
    says(0, "does not want as it is: "
            "dddddddd-0000-4000-8000-000000000001 (ua-gpu1): mtty-2 on mtty, held (end)");
    start_and_compare(COMMAND_DONE);
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-1"), 0);
    define("<vgpu:device alias='ua-gpu3' type='mtty-1'/>", (const unsigned[]){3, 0});
    says(1, "guest1 asks for 1 vGPU, and cannot have what it asks for.\n"
            "mtty possible has room for at least 21 (1 in use)\n"
            "dddddddd-0000-4000-8000-000000000002 (ua-gpu2): mtty-2 on mtty, held vgpuctl:\n"
            "the vGPU dddddddd-0000-4000-8000-000000000003 belongs to the guest guest3 (held);");
    start_and_compare(COMMAND_FAILED);
}

/* A kept vGPU has the demanded UUID, and goes for that. More of the same GPU go for room. Each is
 * named once. */
TEST(a_uuid_and_room)
{
    start_machine("mtty");
    configure("release = \"keep\";\n");
    for (unsigned i = 2; i < 15; i++) {
        const char *type = i == 2 || i == 3 ? "mtty-1" : "mtty-2";

        assert_int_equal(scene_prepare(&scene, i, i, type), 0);
        assert_int_equal(scene_release(&scene, i, i), 0);
    }
    define("<vgpu:device alias='ua-gpu2' type='mtty-2'/>", (const unsigned[]){2, 0});
    says(0, "order and no more than needed: "
            "dddddddd-0000-4000-8000-000000000002 (guest2): mtty-1 on mtty, kept "
            "dddddddd-0000-4000-8000-000000000003 (guest3): mtty-1 on mtty, kept "
            "dddddddd-0000-4000-8000-000000000004 (guest4): mtty-2 on mtty, kept");
    start_and_compare(COMMAND_DONE);
}

/* The guest's own device, and a device that somebody else made for the guest. */
TEST(there_already)
{
    start_machine("mtty");
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-1", scene_device(2)), 0);
    define("<vgpu:device alias='ua-gpu1' type='mtty-2'/><vgpu:device alias='ua-gpu2' "
           "type='mtty-1'/>",
           (const unsigned[]){1, 2, 0});
    start_and_compare(COMMAND_DONE);
    says(0, "(ua-gpu2): mtty-1 on mtty, held, made by somebody else\n"
            "guest1 asks for 2 vGPUs, and has all it asks for.\n"
            "place mtty, as mtty-2 (Dual port serial): there already GPUs mtty taken has it\n"
            "(Single port serial): there already, made by somebody else GPUs mtty found has it");
    start_and_compare(COMMAND_DONE);
}

/* A vGPU was just removed, and the driver may not show yet that there is room again. */
TEST(a_start_would_look_again)
{
    start_machine("mtty");
    for (unsigned i = 2; i <= 13; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "mtty-2"), 0);
    define("<vgpu:device alias='ua-gpu1' type='mtty-2'/>", (const unsigned[]){1, 0});
    recent_removal_note(&scene.kernel.host, &(struct name){"mtty"});
    says(
        3,
        "A start would wait up to 3 s, and look again: a vGPU was just removed, and the driver may "
        "not show the room yet.");
    typed_facts(&scene, HERE, "vgpuctl explain ./guest1.xml --json", 3, "\"settles\": true,");
    fake_sleep(3000);
    typed_run(&scene, HERE, "vgpuctl explain ./guest1.xml --json", &typed);
    assert_null(strstr(typed.printed, "settles"));
}

/* A GPU that has not appeared yet, and a removal that an earlier start left with the driver. */
TEST(a_start_would_wait)
{
    start_machine("mtty");
    fake_set_uptime(20000);
    configure("gpus = ( { address = \"0000:18:00.0\"; } ); boot_wait = \"100s\";\n");
    define("<vgpu:device alias='ua-gpu1' type='T4-1B'/>", (const unsigned[]){1, 0});
    says(1, "types no GPU here has one\n"
            "A start would wait up to 80 s for a GPU of vgpu.conf that is not there yet.");
    typed_facts(&scene, HERE, "vgpuctl explain ./guest1.xml --json", 1,
                "\"verdict\": \"no\", \"removes\": [], \"waits-for\": [], \"boot-wait\": 80,\n"
                "\"word\": \"never\",");
    configure("prepare_timeout = \"50ms\"; release_timeout = \"50ms\";\n");
    scene.kernel.faults->stuck = true;
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 1);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    define("<vgpu:device alias='ua-gpu1' type='mtty-2'/>", (const unsigned[]){1, 0});
    golden("explain/mtty-busy");
    typed_golden(&scene, HERE, "explain/mtty-busy-json", "vgpuctl explain ./guest1.xml --json");
    scene.kernel.faults->stuck = false;
    while (!*fake_type_of(&scene.kernel, scene_device(1)))
        fake_sleep(1);
    configure("");
    start_and_compare(COMMAND_DONE);
}

TEST(quota)
{
    start_machine("t4x8");
    configure(CLASSES "quotas = ( { domains = [ \"guest*\" ]; class = \"small\"; max = 2; } );\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1B"), 0);
    define("<vgpu:device alias='ua-gpu1' class='small'/><vgpu:device alias='ua-gpu3' "
           "class='small'/>",
           (const unsigned[]){1, 3, 0});
    says(3, "0000:18:00.0 possible has room for 15 (1 in use)\n"
            "there is room for each of its vGPUs, but not for all together:\n"
            "the quota of 2 for class small is used up (2; /etc/libvirt-vgpu/vgpu.conf:3)");
    start_and_compare(COMMAND_NO_CAPACITY);
}

/* Guests come and go, and some of their vGPUs are kept. */
TEST(by_chance)
{
    static const char *const types[] = {"T4-1B", "T4-4Q", "T4-8Q", "A2-4Q", "A2-8Q", "mtty-2"};
    const uint64_t rounds = chance_rounds(200);
    unsigned seed = 1, counts[COMMAND_BUSY + 1] = {0};
    bool runs[8] = {false};

    start_machine("mixed");
    for (uint64_t round = 0; round < rounds; round++) {
        unsigned guest = (unsigned)rand_r(&seed) % COUNT(runs);
        unsigned count = 1 + (unsigned)rand_r(&seed) % 3, numbers[4] = {0};
        const char *type = types[(unsigned)rand_r(&seed) % COUNT(types)];
        AUTO_FREE char *xml = NULL;
        char devices[512] = "";

        for (unsigned i = 0; i < count; i++) {
            size_t at = strlen(devices);

            numbers[i] = 10 * guest + i + 1;
            snprintf(devices + at, sizeof(devices) - at,
                     "<vgpu:device alias='ua-gpu%u' type='%s' placement='%s'/>", numbers[i], type,
                     rand_r(&seed) % 2 ? "pack" : "spread");
        }
        xml = scene_xml(guest, devices, numbers);
        fake_write(&scene.kernel, "guest1.xml", xml);
        configure(rand_r(&seed) % 2 ? "release = \"keep\";" : "");
        if (runs[guest])
            assert_int_equal(scene_hook(&scene, xml, "release", "end"), 0);
        else
            counts[explain_and_start()]++;
        runs[guest] = !runs[guest];
    }
    assert_true(counts[COMMAND_DONE] > rounds / 8);
    assert_true(counts[COMMAND_NO_CAPACITY] > rounds / 40);
}

/* --- errors of explain ------------------------------------------------------------------------ */

static void
refused(const char *line, const char *words)
{
    typed_expect(&scene, HERE, line, COMMAND_FAILED, words, &typed);
    assert_string_equal(typed.printed, "");
    assert_ptr_equal(strchr(typed.faults, '\n'), typed.faults + strlen(typed.faults) - 1);
}

TEST(nothing_to_explain)
{
    start_machine("mtty");
    define("", (const unsigned[]){1, 0});
    golden("explain/nothing");
    configure("enabled = false;");
    says(0, "/etc/libvirt-vgpu/vgpu.conf:1 says enabled = false: until it says true, no guest");
    configure("enabled = maybe;");
    refused("vgpuctl explain ./guest1.xml", "explain: guest1: /etc/libvirt-vgpu/vgpu.conf:1: ");
    configure("");
    define("<vgpu:device alias='ua-gpu1' tpye='mtty-1'/>", (const unsigned[]){1, 0});
    refused("vgpuctl explain ./guest1.xml",
            "has an unknown attribute \"tpye\" (did you mean type?)");
    define("<vgpu:device alias='ua-gpu1' class='smal'/>", (const unsigned[]){1, 0});
    refused("vgpuctl explain ./guest1.xml", "guest1: ua-gpu1 asks for the class \"smal\"");
    define("<vgpu:device alias='ua-gpu1' type='mtty-3'/>", (const unsigned[]){1, 0});
    says(1,
         "types no GPU here has one\nmtty no has no such type\n"
         "ua-gpu1 wants mtty-3, which no GPU here has (did you mean mtty-1?); there are: mtty-1");
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", "rubbish\n");
    refused("vgpuctl explain ./guest1.xml", "guest1: /run/libvirt-vgpu/ledger");
    fake_write(&scene.kernel, "bad.xml", "<domain>\n<name>");
    refused("vgpuctl explain bad.xml", "explain: bad.xml: cannot read the domain XML: line 2: ");
    refused("vgpuctl explain ./none.xml", "explain: ./none.xml: No such file or directory");
    typed_run(&scene, HERE, "vgpuctl explain ./guest1.xml -o SPEED", &typed);
    assert_int_equal(typed.status, COMMAND_USAGE);
}

/* --- domains of libvirt ----------------------------------------------------------------------- */

TEST(ask_libvirt)
{
    AUTO_FREE char *one = NULL, *node = NULL, *uri = NULL;

    start_machine("mtty");
    one = scene_xml_at(1, scene_device(1), "type='mtty-2'");
    fake_write(&scene.kernel, "guest1.xml", one);
    assert_true(asprintf(&node,
                         "<node><domain type='test'><name>plain</name><memory>1024</memory>"
                         "<os><type>hvm</type></os></domain>"
                         "<domain type='test'><name>guest1</name>"
                         "<uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>"
                         "<memory>1024</memory><os><type>hvm</type></os>%s</node>",
                         strstr(one, "<metadata>")) > 0);
    fake_write(&scene.kernel, "node.xml", node);
    assert_true(asprintf(&uri, "test://%s/node.xml", scene.kernel.path) > 0);
    assert_int_equal(scene_hook(&scene, one, "prepare", "begin"), 0);
    typed_golden(&scene, uri, "explain/libvirt", "vgpuctl explain guest1");
    typed_facts(&scene, uri, "vgpuctl explain aaaaaaaa-0000-4000-8000-000000000001", 0,
                "guest1 runs, and has: dddddddd-0000-4000-8000-000000000001");
    typed_facts(&scene, uri, "vgpuctl explain plain", 0,
                "plain runs, and has no vGPU. plain asks for no vGPU. (end)");
    /* It runs, with one vGPU. */
    typed_facts(&scene, uri, "vgpuctl explain guest1 --type mtty-2", 0,
                "guest1 would ask for 1 vGPU more, and can have all it asks for.\n"
                "ua-gpu0: type mtty-2\nmtty chosen has room for 11 (1 in use) (end)");
    configure("gpus = ( { address = \"mtty\"; enabled = false; } );\n");
    typed_facts(&scene, uri, "vgpuctl explain guest1", 1,
                "asks for 1 vGPU, and what it has differs from what a start would give it now.\n"
                "is there already, on mtty, which is disabled in vgpu.conf (end)");
    typed_facts(&scene, uri, "vgpuctl explain guest1 --json -o gpu,verdict", 1,
                "{ \"gpu\": \"mtty\", \"verdict\": \"taken\" }\n\"verdict\": \"differs\",\n"
                "\"word\": \"taken\",");
    configure("");
    typed_expect(&scene, uri, "vgpuctl explain guets1", COMMAND_FAILED,
                 "there is no domain \"guets1\" (did you mean guest1?)", &typed);
    typed_expect(&scene, HERE, "vgpuctl --root . explain guest1", COMMAND_USAGE,
                 "with --root there is no libvirt that could know", &typed);
    typed_expect(&scene, "test:///no/such/node.xml", "vgpuctl explain guest1", COMMAND_FAILED,
                 "explain: cannot connect to test:///no/such/node.xml: ", &typed);
}

/* Keeps only the lines that have a word, because attach has chosen the kind of the device, and GPUs
 * of the other kind are possible no more. */
static void
keep_lines(char *text, const char *word)
{
    char *to = text;

    for (char *line = text, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        end += *end == '\n';
        if (memmem(line, (size_t)(end - line), word, strlen(word))) {
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
    }
    *to = '\0';
}

/* explain says where vGPUs would go that no XML asks for yet. 'attach' and a start then do that,
 * and explain itself changes nothing. */
TEST(more_than_it_asks_for)
{
    static const struct {
        const char *machine, *wish;
    } rows[] = {
        {"t4x8", "--type T4-2B"},       {"t4x8", "--type T4-16Q --count 2"},
        {"l40s", "--type L40S-8Q"},     {"l40s", "--type L40S-4Q --count 3"},
        {"mixed-size", "--type L4-4Q"}, {"t4x8", "--class any --count 2"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *foreseen = NULL, *before = NULL, *after = NULL;
        char line[128];

        start_machine(rows[i].machine);
        configure("classes = { any = { framebuffer = \"3G\"; }; };\n");
        define("", (const unsigned[]){0});
        before = scene_read("guest1.xml");
        snprintf(line, sizeof(line), "vgpuctl explain ./guest1.xml %s -rn -o GPU,VERDICT,TYPE",
                 rows[i].wish);
        assert_int_equal(typed_run(&scene, HERE, line, &typed), COMMAND_DONE);
        foreseen = strdup(typed.printed);
        keep_lines(foreseen, "chosen");
        assert_true(*foreseen);
        after = scene_read("guest1.xml");
        assert_string_equal(before, after);
        snprintf(line, sizeof(line), "vgpuctl explain - %s -rn -o GPU,VERDICT,TYPE", rows[i].wish);
        typed_feed(before);
        assert_int_equal(typed_run(&scene, HERE, line, &typed), COMMAND_DONE);
        keep_lines(typed.printed, "chosen");
        assert_string_equal(typed.printed, foreseen);
        /* A guest that nobody has defined gets the same. */
        snprintf(line, sizeof(line), "vgpuctl explain %s -rn -o GPU,VERDICT,TYPE", rows[i].wish);
        assert_int_equal(typed_run(&scene, HERE, line, &typed), COMMAND_DONE);
        keep_lines(typed.printed, "chosen");
        assert_string_equal(typed.printed, foreseen);

        snprintf(line, sizeof(line), "vgpuctl attach ./guest1.xml %s --print-xml", rows[i].wish);
        assert_int_equal(typed_run(&scene, HERE, line, &typed), COMMAND_DONE);
        fake_write(&scene.kernel, "guest1.xml", typed.printed);
        assert_int_equal(
            typed_run(&scene, HERE, "vgpuctl explain ./guest1.xml -rn -o GPU,VERDICT,TYPE", &typed),
            COMMAND_DONE);
        keep_lines(typed.printed, "chosen");
        assert_string_equal(typed.printed, foreseen);
        start_and_compare(COMMAND_DONE);
        scene_stop(&scene);
    }
    start_machine("t4x8");
    typed_facts(&scene, HERE, "vgpuctl explain --type T4-2B", 0,
                "new-guest would ask for 1 vGPU, and can have all it asks for.\n"
                "place 0000:18:00.0, as nvidia-223 (GRID T4-2B): to be made\n"
                "0000:19:00.0 possible has room for 8 (0 in use), but is as good, and comes later");
    typed_facts(&scene, HERE, "vgpuctl explain --class small --json", 1,
                "\"word\": \"failed\",\nnew-guest: ua-gpu0 asks for the class \"small\",");
    typed_golden(&scene, HERE, "explain/no-domain", "vgpuctl explain");
    typed_golden(&scene, HERE, "explain/count-of-nothing", "vgpuctl explain ./a.xml --count 2");
}
