/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * All commands and events give the same answer about a start: prepare, explain, check, attach,
 * migrate, restore, types and metrics. Each of these once contradicted another.
 */

#include "cli/command.h"
#include "fake/typed.h"
#include "lease/ledger.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HERE "test:///default"

#define T4                                                                                         \
    "gpu 0000:18:00.0 rule size numa 0\n"                                                          \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"                                     \
    "type nvidia-234 \"GRID T4-16Q\" framebuffer 16384 max 1\n"
#define MTTY "gpu mtty rule pool 24\ntype mtty-2 \"Dual port serial\" uses 2\n"
#define L40S "gpu 0000:3d:00.0 vf vfs 16 rule size numa 0 board \"NVIDIA L40S\"\n"

#define VF "0000:3d:00.4"
#define XE "0000:03:00.4"
#define XE "0000:03:00.4"

static struct scene scene;
static struct typed typed;
static const struct typed_case here = {{.scene = &scene, .machine = T4, .inside = true}, &typed};
#define TEST(name) TYPED_TEST(name, here)

static void
restart(const char *machine)
{
    assert_int_equal(chdir("/"), 0);
    scene_stop(&scene);
    scene_start(&scene, machine);
    assert_int_equal(chdir(scene.kernel.path), 0);
}

static void
run(const char *line, enum command_status status, const char *words)
{
    if (typed_run(&scene, HERE, line, &typed) != (int)status)
        fail_msg("%s: %d, %s%s", line, typed.status, typed.printed, typed.faults);
    typed_assert_has(status == COMMAND_DONE ? typed.printed : typed.faults, words);
}

/* The guest of ./guest1.xml, with these devices and hostdevs. */
static char *
guest(const char *devices, const unsigned *numbers)
{
    char *xml = scene_xml(1, devices, numbers);
    FILE *out = fopen("guest1.xml", "we");

    assert_non_null(out);
    fputs(xml, out);
    fclose(out);
    return xml;
}

#define DEVICE(number, said) "<vgpu:device alias='ua-gpu" number "' " said "/>"

/* All of these commands say no, in these words. explain and check exit with this status. */
static void
all_refuse(const char *devices, const unsigned *numbers, const char *words)
{
    static const char *const operations[] = {"migrate", "restore", "prepare"};
    AUTO_FREE char *xml = guest(devices, numbers);

    for (size_t i = 0; i < COUNT(operations); i++) {
        assert_int_equal(scene_hook(&scene, xml, operations[i], "begin"), 1);
        scene_assert_said(&scene, words);
    }
    run("vgpuctl explain ./guest1.xml", COMMAND_FAILED, words);
    run("vgpuctl check guest1.xml", COMMAND_FAILED, words);
}

TEST(what_can_never_be_had_together)
{
    all_refuse(DEVICE("1", "type='T4-16Q'") DEVICE("2", "type='T4-16Q'"),
               (const unsigned[]){1, 2, 0}, "all together");
    run("vgpuctl attach test --config --type T4-16Q --count 3", COMMAND_FAILED, "all together");
}

TEST(what_is_full_today)
{
    AUTO_FREE char *xml = guest(DEVICE("1", "type='T4-16Q'"), (const unsigned[]){1, 0});

    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(9)), 0);
    assert_int_equal(scene_hook(&scene, xml, "migrate", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "restore", "begin"), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    run("vgpuctl explain ./guest1.xml", COMMAND_NO_CAPACITY, "holds nvidia-222 (1 in use)");
    run("vgpuctl check guest1.xml", COMMAND_DONE, "ok (vGPUs asked for: 1, warnings: 0)");
    run("vgpuctl attach test --config --type T4-16Q", COMMAND_DONE, "ua-gpu0");
}

TEST(what_is_not_here)
{
    const unsigned one[] = {1, 0};

    all_refuse(DEVICE("1", "type='t4-1b'"), one, "which no GPU here has (did you mean T4-1B?)");
    all_refuse(DEVICE("1", "type='T4-1B' parent='0000:99:00.0'"), one,
               "asks for the parent 0000:99:00.0, which is no GPU or virtual function here");
    all_refuse(DEVICE("1", "type='T4-1B' traits='blue'"), one, "lacks a trait asked for");
    all_refuse(DEVICE("1", "type='T4-1B' numa='require'"), one,
               "is on a NUMA node, and the guest is bound to none (numatune)");
}

/* A vGPU that a start would remove makes room. A vGPU that stays does not, and also takes room from
 * other types. */
TEST(what_stays_takes_room)
{
    restart("gpu 0000:18:00.0 rule size numa 0\n"
            "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"
            "type nvidia-230 \"GRID T4-1Q\" framebuffer 1024 max 3\n"
            "type nvidia-225 \"GRID T4-1A\" framebuffer 1024 max 3\n");
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-230", scene_device(9)), 0);
    run("vgpuctl types -rn -o TYPE,AVAILABLE", COMMAND_DONE, "nvidia-225 2\n");
    run("vgpuctl gpus -rn -o GPU,FREE", COMMAND_DONE, "0000:18:00.0 2048\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "T4-1A"), 0);
    assert_int_equal(scene_prepare(&scene, 3, 3, "T4-1A"), 0);
    assert_int_equal(scene_prepare(&scene, 4, 4, "T4-1A"), 1);
}

/* libvirt would drop such an alias, and the hook would not find it. */
TEST(an_alias_that_libvirt_drops)
{
    FILE *out = fopen("guest1.xml", "we");

    assert_non_null(out);
    fputs("<domain type='kvm'><name>guest1</name><uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>"
          "<metadata><vgpu:request xmlns:vgpu='urn:libvirt-vgpu:domain:1'>"
          "<vgpu:device alias='gpu0' type='T4-1B'/></vgpu:request></metadata><devices>"
          "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
          "<address uuid='dddddddd-0000-4000-8000-000000000001'/></source>"
          "<alias name='gpu0'/></hostdev></devices></domain>",
          out);
    fclose(out);
    run("vgpuctl check guest1.xml", COMMAND_FAILED, "drops the alias gpu0");
}

static void
assert_types(const char *name, const char *figures)
{
    char wanted[128];

    assert_int_equal(typed_run(&scene, HERE,
                               "vgpuctl types -rn -o TYPE,MAX,AVAILABLE,AVAILABLE-AT-MOST", &typed),
                     COMMAND_DONE);
    snprintf(wanted, sizeof(wanted), "%s %s\n", name, figures);
    typed_assert_has(typed.printed, wanted);
}

/* The same on a GPU that has itself as its only parent. */
TEST(max_instances_counts)
{
    restart(MTTY);
    scene_configure(&scene, "max_instances = ( { types = [ \"mtty-2\" ]; max = 2; } );");
    assert_types("mtty-2", "2 2 2");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_prepare(&scene, 2, 2, "mtty-2"), 0);
    assert_types("mtty-2", "2 0 0");
    assert_int_equal(scene_prepare(&scene, 3, 3, "mtty-2"), 1);
    scene_assert_said(&scene, "mtty is full (2 of 2)");
}

/* As many guests start as types says. Kept vGPUs make room, reserved places do not. */
TEST(types_say_how_many_starts_succeed)
{
    AUTO_FREE char *plain =
        scene_xml(9, "<vgpu:device alias=\"ua-gpu9\" type=\"T4-1B\"/>", (const unsigned[]){9, 0});

    scene_configure(&scene, "release = \"keep\";\n"
                            "gpus = ( { address = \"0000:18:00.0\"; reserve = 13; } );");
    for (unsigned i = 1; i <= 3; i++)
        assert_int_equal(scene_prepare(&scene, i, i, "T4-1B"), 0);
    assert_types("nvidia-222", "16 0 0");
    assert_int_equal(scene_prepare(&scene, 4, 4, "T4-1B"), 1);
    scene_configure(&scene, "release = \"keep\";\n"
                            "gpus = ( { address = \"0000:18:00.0\"; reserve = 12; } );");
    assert_types("nvidia-222", "16 1 1");
    fake_write(&scene.kernel, "guest9.xml", plain);
    run("vgpuctl explain guest9.xml", COMMAND_DONE, "has room for 1 (3 in use)");
    scene_configure(&scene, "release = \"keep\";\n"
                            "gpus = ( { address = \"0000:18:00.0\"; reserve = 13; } );");
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_types("nvidia-222", "16 1 1");
    assert_int_equal(scene_prepare(&scene, 4, 4, "T4-1B"), 0);
    assert_types("nvidia-222", "16 0 0");
    assert_int_equal(scene_prepare(&scene, 5, 5, "T4-1B"), 1);
}

/* A guest has a device that somebody else made, and ends together with its daemon. Its lease is
 * forgotten, and the device stays. */
TEST(types_do_not_count_what_stays)
{
    int status;
    pid_t daemon;

    restart(MTTY);
    assert_types("mtty-2", "- 12 12");
    assert_int_equal(fake_make(&scene.kernel, "mtty", "mtty-2", scene_device(1)), 0);
    daemon = fork();
    if (daemon == 0) {
        pid_t hook = fork();

        if (hook == 0)
            _exit(scene_prepare(&scene, 1, 1, "mtty-2"));
        _exit(waitpid(hook, &status, 0) != hook || status != 0);
    }
    scene_assert_ends_well(daemon);
    assert_int_equal(scene_leases(&scene, "found"), 1);
    assert_types("mtty-2", "- 11 11");
}

/* A GPU has sixteen functions, and makes at most six vGPUs. */
TEST(no_sum_over_functions)
{
    restart(L40S);
    assert_types("nvidia-1152", "6 - 6");
}

/* The types of a full card are remembered. */
TEST(a_wrong_name_on_a_full_card)
{
    restart(L40S);
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:3d:00.4", "L40S-48Q"), 0);
    run("vgpuctl attach test --type L40S-99Q", COMMAND_FAILED,
        "wants L40S-99Q, which no GPU here has");
    typed_assert_has(typed.faults, "(did you mean L40S-");
}

/* Every function got a type before anybody could read the type's name. */
TEST(a_type_whose_name_is_not_known)
{
    restart("gpu 0000:3d:00.0 vf vfs 1 rule size numa 0 board \"NVIDIA L40S\"\n");
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.4", "nvidia-1153", ""), 0);
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:3d:00.4", "L40S-12Q"), 1);
    scene_assert_said(&scene, "of type nvidia-1153 on 0000:3d:00.0, of which the driver does not "
                              "tell the name now; if that is L40S-12Q, ask for nvidia-1153 by its "
                              "id");
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:3d:00.4", "nvidia-1153"), 0);
}

/* But an idle card of the same model tells the name. */
TEST(a_name_that_a_sibling_tells)
{
    restart("gpu 0000:3d:00.0 vf vfs 1 rule size numa 0 board \"NVIDIA L40S\"\n"
            "gpu 0000:e7:00.0 vf vfs 1 rule size numa 0 board \"NVIDIA L40S\"\n");
    assert_int_equal(fake_make(&scene.kernel, "0000:3d:00.4", "nvidia-1153", ""), 0);
    assert_int_equal(scene_prepare_at(&scene, 1, "0000:3d:00.4", "L40S-12Q"), 0);
}

TEST(no_free_function_is_not_full)
{
    AUTO_FREE char *xml = NULL;

    restart("gpu 0000:e7:00.0 rule size numa 0 vfs 1\n"
            "type nvidia-742 \"NVIDIA A2-1B\" framebuffer 1024 max 16\n");
    assert_int_equal(scene_prepare(&scene, 2, 2, "A2-1B"), 0);
    xml = guest(DEVICE("1", "type='A2-1B'"), (const unsigned[]){1, 0});
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, "0000:e7:00.0 has no free virtual function (1 in use)");
}

#define AMD           "0000:c1:00.0"
#define BARE(address) "pci " address " driver vfio-pci physfn " AMD " vendor 1002 device 74b5\n"

/* A process has a function of a pool open, though nobody gave it the function. Another day a guest
 * can have it. */
TEST(what_a_process_has_open)
{
    AUTO_FREE char *xml = NULL;
    struct fake_guest other = {.group = -1};
    char words[128];
    pid_t qemu;

    restart("pci " AMD " driver gim vendor 1002 device 74a1\n" BARE("0000:c1:02.0")
                BARE("0000:c1:02.1"));
    scene_configure(&scene, "pools = { mi300 = { functions = [ \"0000:c1:02.*\" ]; }; };");
    assert_types("mi300", "2 2 2");
    other.device = fake_open_group(&scene.kernel, "0000:c1:02.0");
    qemu = fake_hand_over(&other);
    snprintf(words, sizeof(words), "it is in use by process %d (", qemu);
    xml = scene_xml_of(1, DEVICE("1", "type='mi300'"), (const char *const[]){"0000:c1:02.0", NULL});
    fake_write(&scene.kernel, "guest1.xml", xml);
    assert_types("mi300", "2 1 1");
    run("vgpuctl explain ./guest1.xml", COMMAND_NO_CAPACITY, words);
    run("vgpuctl check guest1.xml", COMMAND_DONE, "ok (vGPUs asked for: 1, warnings: 0)");
    run("vgpuctl attach test --config --type mi300", COMMAND_DONE, "0000:c1:02.1");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, words);
    fake_end(qemu);
    assert_types("mi300", "2 2 2");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
}

TEST(what_is_gone_is_not_kept)
{
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare(&scene, 1, 1, "T4-1B"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    assert_int_equal(fake_remove(&scene.kernel, scene_device(1)), 0);
    run("vgpuctl reconcile", COMMAND_DONE, "forgotten: it was kept for its guest's next start");
}

/* A start first removes a vGPU on another GPU. So all commands see the same room on this GPU. */
TEST(what_goes_elsewhere_takes_no_room)
{
    AUTO_FREE char *xml = typed_functions(1, "", "L40S-6Q", (const char *const[]){VF, NULL});

    restart(MTTY "gpu 0000:3d:00.0 vf vfs 4 rule size board \"NVIDIA L40S\"\n");
    scene_configure(&scene, "release = \"keep\";\n"
                            "gpus = ( { address = \"0000:3d:00.0\"; reserve = 1; } );");
    assert_int_equal(scene_prepare(&scene, 1, 1, "mtty-2"), 0);
    assert_int_equal(scene_release(&scene, 1, 1), 0);
    fake_write(&scene.kernel, "guest1.xml", xml);
    run("vgpuctl explain ./guest1.xml", COMMAND_DONE, "A start would first remove what guest1 has");
    typed_assert_has(typed.printed, "chosen");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
}

/* Nobody says how much memory a card has. So nobody knows whether it will ever be enough. */
TEST(memory_that_is_not_told_is_no_promise)
{
    AUTO_FREE char *xml = typed_functions(1, "", "large", (const char *const[]){XE, NULL});
    AUTO_FREE char *quick = typed_functions(1, "", "quick", (const char *const[]){XE, NULL});

    restart("gpu 0000:03:00.0 xe vfs 2 memory 4096\n");
    scene_configure(&scene, "profiles = { small = { vram = \"2G\"; }; large = { vram = \"8G\"; };"
                            " quick = { exec_quantum = \"5ms\"; }; };");
    assert_int_equal(scene_prepare_at(&scene, 2, XE, "small"), 0);
    fake_write(&scene.kernel, "guest1.xml", xml);
    run("vgpuctl check guest1.xml", COMMAND_DONE, "ok (vGPUs asked for: 1, warnings: 1)");
    typed_assert_has(typed.faults, "whether this host could ever give it all is not known: how "
                                   "many a GPU takes its driver does not tell");
    fake_write(&scene.kernel, "guest1.xml", quick);
    run("vgpuctl check guest1.xml", COMMAND_DONE, "ok (vGPUs asked for: 1, warnings: 0)");
    assert_int_equal(scene_release_at(&scene, 2, XE), 0);
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
}

/* Only when the vGPU of a guest's function is gone, the driver tells what the card takes. */
TEST(what_a_removal_makes_place_for_is_hoped_for)
{
    AUTO_FREE char *xml =
        typed_functions(1, "", "L40S-24Q", (const char *const[]){VF, "0000:3d:00.5", NULL});

    restart("gpu 0000:3d:00.0 vf vfs 2 rule size board \"NVIDIA L40S\"\n");
    scene_configure(&scene, "release = \"keep\";");
    assert_int_equal(scene_prepare_at(&scene, 2, VF, "L40S-48Q"), 0);
    assert_int_equal(scene_release_at(&scene, 2, VF), 0);
    fake_write(&scene.kernel, "guest1.xml", xml);
    run("vgpuctl explain ./guest1.xml", COMMAND_DONE,
        "can have all it asks for, once something is removed that nobody uses");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 0);
}

/* The driver of these functions describes no type, so the names of all types together tell how many
 * fit. A kept vGPU of another guest is not removed in vain. */
#define A16 "0000:18:00.0"
TEST(types_without_a_description)
{
    static const struct {
        const char *first, *second;
    } rows[] = {{DEVICE("1", "type='nvidia-715'"), DEVICE("2", "type='nvidia-715'")},
                {DEVICE("1", "type='A16-16Q'"), DEVICE("2", "type='A16-16Q'")}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *devices = NULL, *xml = NULL;

        restart("gpu " A16 " rule size numa 0 vfs 3 device 25b6\n"
                "type nvidia-714 \"NVIDIA A16-8Q\" framebuffer 8192 max 2\n"
                "type nvidia-715 \"NVIDIA A16-16Q\" framebuffer 16384 max 1\n");
        for (unsigned number = 0; number < 3; number++) {
            for (unsigned type = 714; type < 716; type++) {
                char path[256];

                snprintf(path, sizeof(path),
                         "sys/devices/%s/mdev_supported_types/nvidia-%u/description",
                         scene_function(A16, number), type);
                assert_int_equal(unlinkat(scene.kernel.host.root, path, 0), 0);
            }
        }
        scene_configure(&scene, "release = \"keep\";");
        assert_true(asprintf(&devices, "%s%s", rows[i].first, rows[i].second) > 0);
        xml = guest(devices, (const unsigned[]){1, 2, 0});
        for (unsigned kept = 0; kept < 2; kept++) {
            run("vgpuctl explain ./guest1.xml", COMMAND_FAILED, "vgpuctl: explain: guest1: ");
            assert_null(strstr(typed.printed, "can have"));
            assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
            assert_int_equal(scene.kernel.faults->writes, kept);
            assert_int_equal(scene_leases(&scene, "kept"), kept);
            assert_int_equal(scene_prepare(&scene, 9, 9, "nvidia-715"), 0);
            assert_int_equal(scene_release(&scene, 9, 9), 0);
        }
    }
}

/* Both GPU instances have a vGPU, and both functions. There is no instance of another size, so
 * nobody's vGPU is removed for one. */
TEST(no_instance_of_that_size)
{
    AUTO_FREE char *xml = typed_functions(1, "", "A30-2-12C", (const char *const[]){VF, NULL});

    restart("gpu 0000:3d:00.0 vf vfs 2 rule size mig parts 2 device 20b7\n"
            "type nvidia-689 \"NVIDIA A30-1-6C\" framebuffer 6144 max 4 instances 2\n"
            "type nvidia-690 \"NVIDIA A30-2-12C\" framebuffer 12288 max 2 instances 0\n");
    scene_configure(&scene, "release = \"keep\";");
    fake_write(&scene.kernel, "run/libvirt-vgpu/types",
               "0000:3d:00.0 nvidia-690 NVIDIA A30-2-12C\n");
    assert_int_equal(scene_prepare_at(&scene, 2, VF, "A30-1-6C"), 0);
    assert_int_equal(scene_prepare_at(&scene, 3, "0000:3d:00.5", "A30-1-6C"), 0);
    assert_int_equal(scene_release_at(&scene, 2, VF), 0);
    assert_int_equal(scene_release_at(&scene, 3, "0000:3d:00.5"), 0);
    assert_int_equal(scene_leases(&scene, "kept"), 2);
    fake_write(&scene.kernel, "guest1.xml", xml);
    typed_run(&scene, HERE, "vgpuctl explain ./guest1.xml", &typed);
    assert_null(strstr(typed.printed, "once something is removed"));
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    assert_int_equal(scene_leases(&scene, "kept"), 2);
    assert_int_equal(fake_count(&scene.kernel), 2);
}

/* If types does not know how many there are, explain does not know it either. */
TEST(an_upper_bound_is_told_as_one)
{
    AUTO_FREE char *xml = typed_functions(1, "", "L40S-4Q", (const char *const[]){VF, NULL});

    restart("gpu 0000:3d:00.0 vf vfs 16 rule mixed memory 49152 board \"NVIDIA L40S\"\n");
    scene_configure(&scene, "gpus = ({ address = \"0000:3d:00.0\"; });");
    assert_int_equal(scene_prepare_at(&scene, 2, "0000:3d:00.6", "L40S-8Q"), 0);
    fake_write(&scene.kernel, "guest1.xml", xml);
    run("vgpuctl types -o NAME,AVAILABLE,AVAILABLE-AT-MOST", COMMAND_DONE,
        "NVIDIA L40S-4Q          -                10");
    run("vgpuctl explain ./guest1.xml", COMMAND_DONE,
        "0000:3d:00.0  chosen    has room for 1, perhaps for up to 10 (1 in use)");
}

/* A vGPU that the kernel is still removing exists until its directory is gone. prepare, explain and
 * gpus count it. */
TEST(a_removal_under_way_counts)
{
    static const char full[] = "no GPU can take ua-gpu2 (T4-16Q): 0000:18:00.0 is full (1 of 1)";
    AUTO_FREE char *xml = guest(DEVICE("2", "type='T4-16Q'"), (const unsigned[]){2, 0});

    scene_configure(&scene, "release_timeout = \"50ms\"; prepare_timeout = \"50ms\";");
    assert_int_equal(scene_prepare(&scene, 3, 3, "T4-1B"), 0);
    scene.kernel.faults->remove_delay = 5000;
    assert_int_equal(scene_release(&scene, 3, 3), 0);
    run("vgpuctl explain guest1.xml", COMMAND_NO_CAPACITY, full);
    run("vgpuctl gpus -o MADE", COMMAND_DONE, "MADE\n   1\n");
    assert_int_equal(scene_hook(&scene, xml, "prepare", "begin"), 1);
    scene_assert_said(&scene, full);
}

/* While vgpuctl holds a place or removes a vGPU, the lease belongs to no domain. */
TEST(a_lease_of_nobody)
{
    static const char *const lines[] = {
        "vgpuctl list --json -o DEVICE,DOMAIN,DOMAIN-UUID",
        "vgpuctl status --json",
        "vgpuctl orphans --json -o DEVICE,DOMAIN,DOMAIN-UUID",
        "vgpuctl metrics",
        "vgpuctl reconcile --dry-run --json",
        "vgpuctl evacuate 18:00.0 --dry-run --json",
        "vgpuctl drain 18:00.0 --json",
    };
    char text[512], boot_id[64];

    assert_true(host_read(&scene.kernel.host, boot_id, sizeof(boot_id),
                          "proc/sys/kernel/random/boot_id") > 0);
    snprintf(text, sizeof(text),
             "libvirt-vgpu-ledger 1 %s 2\n"
             "mdev %s nvidia-222 1024 0000:18:00.0 0000:18:00.0 " LEASE_NOBODY
             " mover ua-gpu1 leaving made 1:1 0 reap 1\n",
             boot_id, scene_device(1));
    fake_write(&scene.kernel, "run/libvirt-vgpu/ledger", text);
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(1)), 0);
    for (size_t i = 0; i < COUNT(lines); i++) {
        typed_run(&scene, HERE, lines[i], &typed);
        typed_assert_has(typed.printed, scene_device(1));
        if (strstr(typed.printed, "mover") || strstr(typed.printed, LEASE_NOBODY))
            fail_msg("%s: %s", lines[i], typed.printed);
    }
}

/* The command line is right, and the configuration is wrong. */
TEST(a_broken_configuration)
{
    static const char *const lines[] = {
        ("vgpuctl where --type T4-1B -c " HERE),
        "vgpuctl check",
        "vgpuctl attach test --type T4-1B",
    };

    scene_configure(&scene, "nonsense");
    for (size_t i = 0; i < COUNT(lines); i++) {
        run(lines[i], COMMAND_FAILED, "vgpu.conf:1: syntax error");
        assert_int_equal(typed_run(&scene, HERE, lines[i], &typed), COMMAND_FAILED);
    }
    assert_int_equal(typed_run(&scene, HERE, "vgpuctl check --all", &typed), COMMAND_FAILED);
    assert_null(strstr(typed.printed, "ok"));
    assert_null(strstr(typed.printed, "asked for"));
}
