/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Would another host take a guest with mediated devices? Every check is played, with the answers
 * yes, no and unknown. */

#include "migrate/migrate-case.h"
#include "migrate/migrate-question.h"

#include <string.h>
#include <unistd.h>

#define DEVICE "dddddddd-0000-4000-8000-000000000001"
#define PARAMS "sys/bus/mdev/devices/" DEVICE "/nvidia/vgpu_params"
#define VFIO   "sys/kernel/debug/vfio/" DEVICE

static const struct migrate_case rows[] = {
    {
        .why = "all is well",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"OK       libvirt 11.3.0 here and 11.3.0 there; vGPUs migrate since 8.6.0\n",
                  "OK       ua-gpu1: there is GRID T4-1B (nvidia-222) there\n",
                  "OK       there is room for ua-gpu1 on 0000:18:00.0\n"},
    },
    {
        .why = "advice for a large frame buffer",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"NOTE     to converge: 'virsh migrate-setmaxdowntime guest1 2048'",
                  "OK       there is room for ua-gpu1 on 0000:18:00.0, ua-gpu2 on 0000:18:00.0\n",
                  "no --postcopy"},
    },
    {
        .why = "types without a profile in their names",
        .request = "<vgpu:device alias=\"ua-gpu3\" type=\"Dual port serial\"/>",
        .numbers = {3},
        .there = {.devices = {GPU("mtty", SERIAL)}},
        .answer = MIGRATE_YES,
        .words = {"OK       ua-gpu3: there is Dual port serial (mtty-2) there\n"},
    },
    {
        .why = "a word that is in two names",
        .request = "<vgpu:device alias=\"ua-gpu3\" type=\"serial\"/>",
        .numbers = {3},
        .there = {.devices = {GPU("mtty", SERIAL)}},
        .answer = MIGRATE_UNKNOWN,
        .words =
            {"UNKNOWN  ua-gpu3: there is Dual port serial (mtty-2) there, but \"serial\" means"},
    },
    {
        .why = "the same host",
        ONE("type=\"T4-1B\""),
        .there = {.uuid = UUID_HERE, .devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       qemu://there/system is this host\n"},
    },
    {
        .why = "a host without a UUID",
        ONE("type=\"T4-1B\""),
        .there = {.uuid = "00000000-0000-0000-0000-000000000000", .devices = {T4("16", "8")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  whether qemu://there/system is another host: one of them has no UUID"},
    },
    {
        .why = "it runs there",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 1, .name = "guest1", .is_running = true},
        .answer = MIGRATE_NO,
        .words = {"NO       guest1 (aaaaaaaa-0000-4000-8000-000000000001) runs there already"},
    },
    {
        .why = "it is defined there, as after a migration back",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 1, .name = "guest1"},
        .answer = MIGRATE_YES,
        .words = {"OK       no other domain there has its name or UUID"},
    },
    {
        .why = "another has its name",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 9, .name = "guest1"},
        .answer = MIGRATE_NO,
        .words = {"NO       guest1 (aaaaaaaa-0000-4000-8000-000000000009) is defined there"},
    },
    {
        .why = "a name that is more than a name",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 1, .name = "a\n\033[2J"},
        .answer = MIGRATE_NO,
        .words = {"NO       a??[2J (aaaaaaaa-0000-4000-8000-000000000001) is defined there"},
    },
    {
        .why = "an old libvirt there",
        ONE("type=\"T4-1B\""),
        .there = {.libvirt = "8005000", .devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       libvirt 11.3.0 here and 8.5.0 there; vGPUs migrate since 8.6.0"},
    },
    {
        .why = "an old QEMU here",
        ONE("type=\"T4-1B\""),
        .here = {.qemu = "7002009"},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       QEMU 7.2.9 here and 10.0.3 there; vGPUs migrate since 8.1.0"},
    },
    {
        .why = "a QEMU that does not say",
        ONE("type=\"T4-1B\""),
        .there = {.qemu = "0", .devices = {T4("16", "8")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  QEMU 10.0.3 here and ? there"},
    },
    {
        .why = "no QEMU",
        ONE("type=\"T4-1B\""),
        .there = {.hypervisor = "Xen", .devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       QEMU here and Xen there; vGPUs move from QEMU to QEMU"},
    },
    {
        .why = "an old kernel, which may be a distributor's",
        ONE("type=\"T4-1B\""),
        .kernel = "5.14.0-427.el9",
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  Linux 5.14.0-427.el9 here; vGPUs migrate since 5.18, or if"},
    },
    {
        .why = "no kernel",
        ONE("type=\"T4-1B\""),
        .kernel = "",
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"NOTE     which kernel runs here is not known"},
    },
    {
        .why = "another driver, other ids and names",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-999", "NVIDIA T4-1B", "3"))}},
        .answer = MIGRATE_YES,
        .words = {"OK       ua-gpu1: there is NVIDIA T4-1B (nvidia-999) there"},
    },
    {
        .why = "asked for by an id that is another there",
        ONE("type=\"nvidia-222\""),
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-999", "GRID T4-1B", "3")
                                                      TYPE("nvidia-222", "GRID T4-2B", "3"))}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: its type is GRID T4-1B (nvidia-999) there, and \"nvidia-222\" "
                  "does not mean that; ask for it by its name"},
    },
    {
        .why = "an id that is two types there",
        ONE("type=\"nvidia-222\""),
        .there = {.devices = {T4("16", "8"),
                              GPU("0000:19:00.0", TYPE("nvidia-222", "GRID T4-2B", "3"))}},
        .answer = MIGRATE_UNKNOWN,
        .words =
            {"UNKNOWN  ua-gpu1: there is GRID T4-1B (nvidia-222) there, but \"nvidia-222\" means "
             "other types as well"},
    },
    {
        .why = "the id is there, as another type",
        ONE("type=\"nvidia-222\""),
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-222", "GRID T4-2B", "3"))}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: it is GRID T4-1B (nvidia-222), and \"nvidia-222\" means GRID "
                  "T4-2B (nvidia-222) there"},
    },
    {
        .why = "no such type there",
        ONE("type=\"T4-1B\""),
        .here = {.devices = {T4("16", "8")}},
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-558", "NVIDIA A40-1B", "3"))}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: no GPU there has GRID T4-1B (nvidia-222)"},
    },
    {
        .why = "a kind of GPU that libvirt does not tell of, here either",
        ONE("type=\"T4-1B\""),
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu1: no libvirt tells of GPUs like those that have T4-1B"},
    },
    {
        .why = "no type of anybody's",
        ONE("type=\"nvidia-4711\""),
        .is_down = true,
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: no GPU there has nvidia-4711"},
    },
    {
        .why = "a device whose memory is not known, beside one whose memory is",
        .request = "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\"/>"
                   "<vgpu:device alias=\"ua-gpu9\" type=\"nvidia-4711\"/>",
        .numbers = {1, 9},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu9: no GPU there has nvidia-4711",
                  "NOTE     to converge: 'virsh migrate-setmaxdowntime guest1 1024'"},
    },
    {
        .why = "a class, by its words",
        ONE("class=\"small\""),
        .config = "classes = { small = { types = [ \"T4-2B\", \"T4-1B\" ]; }; };",
        .there = {.devices = {T4("16", "0")}},
        .answer = MIGRATE_YES,
        .words = {"OK       ua-gpu1: there is GRID T4-1B (nvidia-222) there, which the class small "
                  "means here"},
    },
    {
        .why = "a class, by a size that is known here only",
        ONE("class=\"big\""),
        .is_down = true,
        .config = "classes = { big = { framebuffer = \"2G\"; }; };",
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-9", "NVIDIA T4-2B", "3"))}},
        .answer = MIGRATE_YES,
        .words = {"OK       ua-gpu1: there is NVIDIA T4-2B (nvidia-9) there",
                  "guest1 does not run"},
    },
    {
        .why = "a class of nothing that is there",
        ONE("class=\"small\""),
        .is_down = true,
        .config = "classes = { small = { types = [ \"T4-1B\" ]; }; };",
        .here = {.devices = {T4("16", "8")}},
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-558", "NVIDIA A40-1B", "3"))}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu1: no GPU there has a type that the class small means here"},
    },
    {
        .why = "full",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("0", "1"), OTHER_T4("0", "8")}},
        .answer = MIGRATE_NO,
        .words =
            {"NO       no GPU can take ua-gpu1 (GRID T4-1B): 0000:18:00.0 does not offer it now, "},
    },
    {
        .why = "no vGPU, and nothing offered",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("0", "0")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"though nothing is on it; but whether a GPU there takes more is not told\n"},
    },
    {
        .why = "full, but the hook there may make room",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("0", "0"), VGPU("0000:18:00.0", "nvidia-222", STRAY)}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  no GPU can take ua-gpu1 (GRID T4-1B): 0000:18:00.0 is full (1 in use); "
                  "but no running guest has 1 of the vGPUs there\n"},
    },
    {
        .why = "full, but the hook there may make room by one of two",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("0", "0"), VGPU("0000:18:00.0", "nvidia-222", STRAY),
                              VGPU("0000:18:00.0", "nvidia-222",
                                   "dddddddd-0000-4000-8000-0000000000fe")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  no GPU can take ua-gpu1 (GRID T4-1B): 0000:18:00.0 is full (2 in use); "
                  "but no running guest has 2 of the vGPUs there\n"},
    },
    {
        .why = "room that is not told",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("", "8")}},
        .answer = MIGRATE_UNKNOWN,
        .words =
            {"0000:18:00.0 does not tell its room (No data available); but whether a GPU there "
             "takes more is not told\n"},
    },
    {
        .why = "room for one of two",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("1", "0")}},
        .answer = MIGRATE_NO,
        .words = {"NO       there is room for each of its vGPUs, but not for all together: ua-gpu1 "
                  "(GRID T4-1B), ua-gpu2 (GRID T4-1B); beside the others, for ua-gpu2 0000:18:00.0 "
                  "is full"},
    },
    {
        .why = "room for one on each of two",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("1", "0"), OTHER_T4("1", "0")}},
        .answer = MIGRATE_YES,
        .words = {"there is room for ua-gpu1 on 0000:18:00.0, ua-gpu2 on 0000:19:00.0\n"},
    },
    {
        .why = "two types on one GPU",
        TWO("type=\"T4-1B\"", "type=\"T4-2B\""),
        .is_down = true,
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_UNKNOWN,
        .words =
            {"for ua-gpu2 0000:18:00.0 is being given a vGPU of another size; but whether a GPU "
             "there takes more is not told\n"},
    },
    {
        .why = "two types without a size on one GPU",
        TWO("type=\"mtty-1\"", "type=\"mtty-2\""),
        .is_new = true,
        .there = {.devices = {GPU("mtty", SERIAL)}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  whether mtty takes several types together is not told\n"},
    },
    {
        .why = "a GPU that the request names",
        ONE("type=\"T4-1B\" parent=\"0000:19:00.0\""),
        .there = {.devices = {T4("16", "8"), OTHER_T4("0", "8")}},
        .answer = MIGRATE_NO,
        .words = {"0000:19:00.0 does not offer it now"},
    },
    {
        .why = "two series",
        TWO("type=\"T4-1B\"", "type=\"T4-1Q\""),
        .is_new = true,
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-222", "GRID T4-1B", "16")
                                                      TYPE("nvidia-230", "GRID T4-1Q", "16"))}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"NVIDIA gives one guest vGPUs of one board and one series only; ",
                  "but whether vgpu.conf there has unlike_vgpus is not told\n"},
    },
    {
        .why = "guests of two boards",
        ONE("class=\"any\""),
        .is_new = true,
        .config = "classes = { any = { types = [ \"T4-1B\", \"A40-1B\" ]; }; };",
        .there = {.devices = {T4("3", "1"),
                              GPU("0000:3b:00.0", TYPE("nvidia-558", "NVIDIA A40-1B", "2"))}},
        .answer = MIGRATE_YES,
        .room = 5,
    },
    {
        .why = "a trait",
        ONE("type=\"T4-1B\" traits=\"red\""),
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu1: which GPUs there have the traits \"red\" is not told\n",
                  "OK       there is room for ua-gpu1 on 0000:18:00.0\n"},
    },
    {
        .why = "two types on two GPUs",
        TWO("type=\"T4-1B\"", "type=\"T4-2B\""),
        .is_down = true,
        .there = {.devices = {T4("16", "8"), OTHER_T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"there is room for ua-gpu1 on 0000:18:00.0, ua-gpu2 on 0000:19:00.0\n"},
    },
    {
        .why = "a choice that may have been the wrong one",
        TWO("class=\"any\"", "type=\"T4-1B\""),
        .is_down = true,
        .config = "classes = { any = { types = [ \"T4-1B\", \"T4-2B\" ]; }; };",
        .there = {.devices = {T4("1", "8")}},
        .answer = MIGRATE_UNKNOWN,
        .words =
            {"for ua-gpu1 0000:18:00.0 is being given a vGPU of another size; but whether a GPU "
             "there takes more is not told\n"},
    },
    {
        .why = "a device of nobody's",
        .request = "",
        .numbers = {1},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  dddddddd-0000-4000-8000-000000000001 is none of ours"},
    },
    {
        .why = "no vGPU at all",
        .request = "",
        .answer = MIGRATE_YES,
    },
    {
        .why = "a driver that cannot",
        ONE("type=\"mdpy-vga\""),
        .is_down = true,
        .there = {.devices = {GPU("mdpy", TYPE("mdpy-vga", "mdpy-vga", "3"))}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: the driver of mdpy-vga cannot migrate"},
    },
    {
        .why = "unified memory",
        ONE("type=\"T4-1B\""),
        .files = {{PARAMS, "disable_vnc=1, enable_uvm=1\n"}},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: it has the parameter enable_uvm, and NVIDIA's driver migrates "
                  "no vGPU with unified memory, debuggers or profilers\n"},
    },
    {
        .why = "profilers, which a request asks for",
        .request = "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\">"
                   "<vgpu:param name=\"enable_profiling\" value=\"1\"/></vgpu:device>",
        .numbers = {1},
        .config = "params = [ \"enable_profiling\" ];",
        .is_down = true,
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: it has the parameter enable_profiling, and NVIDIA's driver"},
    },
    {
        .why = "parameters that stop nothing",
        ONE("type=\"T4-1B\""),
        .files = {{PARAMS, "enable_uvm=0,my_enable_debugging=1 disable_vnc=1\n"}},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"OK       ua-gpu1: it has no parameter for unified memory, debuggers or "
                  "profilers\n"},
    },
    {
        .why = "parameters of a device that is not there any more",
        .request = "<vgpu:device alias=\"ua-gpu9\" type=\"T4-1B\"/>",
        .numbers = {9},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"NOTE     ua-gpu9: which parameters it has is not known (No such file or "
                  "directory)\n"},
    },
    {
        .why = "what no file tells of NVIDIA's driver",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"NOTE     which version NVIDIA's vGPU manager has here is not known, nor which "
                  "there; up to RHEL 9.4 both have to be the same, from 9.6 on NVIDIA's release "
                  "notes say which go together\n",
                  "NOTE     whether ECC is on, here and there, is not known, and it has to be the "
                  "same: 'nvidia-smi --query-gpu=pci.bus_id,ecc.mode.current --format=csv' tells "
                  "it on each\n",
                  "NOTE     ua-gpu1: whether its driver here migrates it is not known: there is no "
                  "/sys/kernel/debug/vfio/" DEVICE " to read\n"},
    },
    {
        .why = "what files tell of it",
        ONE("type=\"T4-1B\""),
        .files = {{"sys/module/nvidia/version", "580.65.05\n"},
                  {VFIO "/migration/features", "stop-copy\n"}},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"NOTE     NVIDIA's vGPU manager has version 580.65.05 here, and which there is "
                  "not known; up to RHEL 9.4",
                  "OK       ua-gpu1: its driver here migrates it\n"},
    },
    {
        .why = "a kernel whose debugfs has states and no features",
        ONE("type=\"T4-1B\""),
        .files = {{VFIO "/migration/state", "RUNNING\n"}},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"OK       ua-gpu1: its driver here migrates it\n"},
    },
    {
        .why = "a driver that migrates none of its devices",
        ONE("type=\"T4-1B\""),
        .files = {{VFIO "/pci/nointxmask", "N\n"}},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: its driver here does not migrate it, says "
                  "/sys/kernel/debug/vfio/" DEVICE "\n"},
    },
    {
        .why = "features without the one that it takes",
        ONE("type=\"T4-1B\""),
        .files = {{VFIO "/migration/features", "p2p\ndirty-tracking\n"}},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: its driver here does not migrate it, says"},
    },
    {
        .why = "two devices, and a driver that stops only one at a time",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .files = {{VFIO "/migration/features", "stop-copy\npre-copy\n"}},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu1: its driver here does not have p2p, which QEMU wants of each "
                  "of several devices\n"},
    },
    {
        .why = "two devices of a driver with p2p",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .files = {{VFIO "/migration/features", "stop-copy\np2p\n"}},
        .there = {.devices = {T4("16", "8")}},
        .answer = MIGRATE_YES,
        .words = {"OK       ua-gpu1: its driver here migrates it\n"},
    },
    {
        .why = "room for pairs, over two GPUs",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("5", "2"), OTHER_T4("4", "0")}},
        .answer = MIGRATE_YES,
        .room = 4,
    },
    {
        .why = "a host that says it has room for ever",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("4294967295", "2")}},
        .answer = MIGRATE_YES,
        .room = MIGRATE_CHECK_MOST_ROOM,
    },
};

UNIT_PROGRAM(scene_go_to_sources, NULL)

UNIT_TEST(every_check)
{
    migrate_cases_play(rows, COUNT(rows));
}

/* A running guest, and several hosts with QEMU. They are ordered by how many such guests they would
 * take. */
UNIT_TEST(best_of_several)
{
    static const struct migrate_case row = {ONE("type=\"T4-1B\"")};
    static const struct {
        const char *uri;
        struct migrate_case_host told; /* if its UUID is NULL, the host does not answer */
    } hosts[] = {
        {"qemu:///system", {.uuid = UUID_HERE}},
        {"old", {.uuid = STRAY, .libvirt = "8005000", .devices = {T4("16", "8")}}},
        {"gone", {0}},
        {"full", {.uuid = STRAY, .devices = {T4("0", "1")}}},
        {"three", {.uuid = STRAY, .devices = {T4("3", "1")}}},
        {"same", {.uuid = UUID_HERE, .devices = {T4("16", "8")}}},
        {"untold", {.uuid = STRAY, .devices = {T4("", "8")}}},
        {"eight", {.uuid = STRAY, .devices = {T4("3", "1"), OTHER_T4("5", "2")}}},
        {"also-three", {.uuid = STRAY, .devices = {T4("3", "1")}}},
    };
    static const char *const order[] = {"eight", "three", "also-three", "untold",
                                        "old",   "full",  "same",       "gone"};
    struct scene scene = {0};
    AUTO(migrate_question_clear)
    struct migrate_question question = {
        .host = &scene.kernel.host,
        .hosts = {.items = calloc(COUNT(hosts), sizeof(*question.hosts.items)),
                  .count = COUNT(hosts)},
    };
    AUTO_FREE char *xml = scene_xml(1, row.request, row.numbers);
    AUTO(destinations_clear) struct destinations destinations = {0};
    struct error error;

    migrate_case_read_here(&scene, &row, &question.snapshot.policy, &question.snapshot.inventory);
    for (size_t i = 0; i < COUNT(hosts); i++) {
        migrate_case_read_host(&hosts[i].told, UUID_THERE, hosts[i].uri, i ? NULL : xml, true,
                               &question.hosts.items[i]);
        if (!hosts[i].told.uuid)
            error_set(&question.hosts.items[i].failure, -ETIMEDOUT, "no answer");
    }
    assert_int_equal(migrate_question_find_guest(&question, "guest1", &error), 0);
    destinations_judge(&question, &destinations);
    assert_int_equal(destinations.count, COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++)
        assert_string_equal(destinations.items[i].host->uri, order[i]);
    assert_int_equal(destinations.items[0].verdict.room, 8);
    assert_string_equal(destinations.items[0].verdict.why,
                        "there is room for ua-gpu1 on 0000:18:00.0");
    assert_string_equal(destinations.items[6].verdict.why, "same is this host");
    scene_stop(&scene);
}

#define T4_HOST  "test:///proc/self/cwd/tests/data/t4-host.xml"
#define A40_HOST "test:///proc/self/cwd/tests/data/a40-host.xml"

/* The command itself. libvirt's test driver does not run QEMU. */
UNIT_TEST(command)
{
    static const struct {
        const char *name, *line;
    } lines[] = {
        {"migrate-check/unknown-domain", "vgpuctl migrate-check web02 " A40_HOST},
        {"migrate-check/usage", "vgpuctl migrate-check web01"},
        {"migrate-check/timeout", "vgpuctl migrate-check web01 " A40_HOST " --timeout soon"},
    };
    static const struct {
        const char *line, *words[3], *complaint;
    } answers[] = {
        {"vgpuctl migrate-check web01 " A40_HOST,
         {"\nNO       TEST here and TEST there;", "\nOK       Linux 6.12.48-amd64 here; ",
          "\nNO       ua-gpu0: no GPU there has GRID T4-1B (nvidia-222)\n"},
         " " A40_HOST " would not take web01: 2 of these checks are not OK\n"},
        {"vgpuctl migrate-check web01 --json " A40_HOST,
         {"{\n   \"format\": 2,\n   \"memory-unit\": \"MiB\",\n   \"findings\": [\n",
          "\"severity\": \"note\",\n", "\"word\": \"no-host\",\n"},
         " " A40_HOST " would not take web01: 2 of these checks are not OK\n"},
        {"vgpuctl migrate-check aaaaaaaa-0000-4000-8000-000000000001 " T4_HOST " --timeout 60",
         {"NO       " T4_HOST " is this host\n", "\nNO       web01 (aaaaaaaa-0000-4000-8000-",
          "\nOK       there is room for ua-gpu0 on 0000:3b:00.0\n"},
         " " T4_HOST " would not take web01: 3 of these checks are not OK\n"},
    };
    struct typed typed = {0};
    struct scene scene = {0};

    scene_start(&scene, "gpu 0000:18:00.0 rule size\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n");
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(1)), 0);
    fake_write(&scene.kernel, "proc/sys/kernel/osrelease", "6.12.48-amd64\n");
    for (size_t i = 0; i < COUNT(lines); i++)
        typed_golden(&scene, T4_HOST, lines[i].name, lines[i].line);
    /* There are no golden files here, because the version of libvirt varies. */
    for (size_t i = 0; i < COUNT(answers); i++) {
        assert_int_equal(typed_run(&scene, T4_HOST, answers[i].line, &typed), COMMAND_NO_CAPACITY);
        for (size_t k = 0; k < COUNT(answers[i].words); k++)
            typed_assert_has(typed.printed, answers[i].words[k]);
        if (!strstr(answers[i].line, "--json"))
            assert_string_equal(strrchr(typed.printed, 'n'), "no\n");
        typed_assert_has(typed.faults, answers[i].complaint);
    }
    assert_int_equal(
        typed_run(&scene, T4_HOST, "vgpuctl migrate-check web01 test:///no/such/host.xml", &typed),
        COMMAND_FAILED);
    typed_assert_has(typed.faults, "migrate-check: cannot connect to test:///no/such/host.xml: ");
    assert_string_equal(typed.printed, "");
    typed_clear(&typed);
    scene_stop(&scene);
}

/* A name with a character of the shell is quoted in every command that a note has. */
UNIT_TEST(a_name_in_a_command)
{
    AUTO_FREE char *guest =
        typed_functions(1, "", "L40S-1B", (const char *const[]){"0000:3d:00.4", NULL});
    struct typed typed = {0};
    struct scene scene = {0};

    memcpy(strstr(guest, "<name>guest1<"), "<name>web;01<", strlen("<name>web;01<"));
    scene_start(&scene, "gpu 0000:3d:00.0 vf vfs 1 rule size\n"
                        "type nvidia-1145 \"NVIDIA L40S-1B\" framebuffer 1024 max 48\n");
    typed_run(&scene, typed_libvirt(&scene, guest),
              "vgpuctl migrate-check aaaaaaaa-0000-4000-8000-000000000001 " A40_HOST, &typed);
    typed_assert_has(typed.printed, "'virsh migrate-setmaxdowntime 'web;01' 1000'");
    typed_clear(&typed);
    scene_stop(&scene);
}
