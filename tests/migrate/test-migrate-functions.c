/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Would another host take a guest with virtual functions? libvirt does not tell their types. And
 * would it take a new guest, which comes from a file or is only a type? */

#include "migrate/migrate-case.h"

static const struct migrate_case functions[] = {
    {
        .why = "virtual functions",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {FUNCTION("0000:e2:00.4", TYPE("nvidia-1", "NVIDIA T4-1B", "1")),
                              FUNCTION("0000:e2:00.5", TYPE("nvidia-1", "NVIDIA T4-1B", "1"))}},
        .answer = MIGRATE_YES,
        .room = 1,
        .words = {"OK       there is room for ua-gpu1 on 0000:e2:00.0\n"},
    },
    {
        .why = "virtual functions that are all taken",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {FUNCTION("0000:e2:00.4", TYPE("nvidia-1", "NVIDIA T4-1B", "0"))}},
        .answer = MIGRATE_UNKNOWN,
        .words =
            {"UNKNOWN  no GPU can take ua-gpu1 (GRID T4-1B): 0000:e2:00.0 does not offer it now"},
    },
    {
        .why = "virtual functions on both, of which libvirt tells no types",
        L40S_GUEST,
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"OK       libvirt 11.3.0 here and 11.3.0 there; vGPUs that are virtual functions "
                  "migrate since 10.0.0\n",
                  "OK       QEMU 10.0.3 here and 10.0.3 there; vGPUs that are virtual functions "
                  "migrate since 8.2.2\n",
                  "UNKNOWN  ua-gpu0: no GPU there has NVIDIA L40S-8Q (nvidia-1152); but libvirt "
                  "does not tell what the virtual functions of 0000:5e:00.0 there can be\n"},
    },
    {
        .why = "a virtual function with debuggers, and a driver that migrates it",
        L40S_GUEST,
        .files = {{"sys/bus/pci/devices/0000:3d:00.4/nvidia/vgpu_params", "enable_debugging=1\n"},
                  {"sys/kernel/debug/vfio/0000:3d:00.4/migration/features", "stop-copy\n"}},
        .there = {.devices = {L40S("6")}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu0: it has the parameter enable_debugging, and NVIDIA's driver",
                  "OK       ua-gpu0: its driver here migrates it\n"},
    },
    {
        .why = "virtual functions, and no GPU there",
        L40S_GUEST,
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu0: no GPU there has NVIDIA L40S-8Q (nvidia-1152)\n"},
    },
    {
        .why = "virtual functions, of which libvirt says nothing here either",
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: no libvirt tells of GPUs like those that have L40S-8Q\n"},
    },
    {
        .why = "a virtual function becomes a mediated device",
        L40S_GUEST,
        .there = {.devices = {L40S("6")}},
        .answer = MIGRATE_YES,
        .words = {"OK       ua-gpu0: there is NVIDIA L40S-8Q (nvidia-1152) there\n",
                  "OK       ua-gpu0: it is a virtual function, and would be a mediated device "
                  "there: that is since libvirt 11.0.0, 11.3.0 here and 11.3.0 there\n",
                  "OK       there is room for ua-gpu0 on 0000:18:00.0\n"},
    },
    {
        .why = "a virtual function cannot become one",
        L40S_GUEST,
        .there = {.libvirt = "10009000", .devices = {L40S("6")}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu0: it is a virtual function, and would be a mediated device "
                  "there: that is since libvirt 11.0.0, 11.3.0 here and 10.9.0 there\n"},
    },
    {
        .why = "a virtual function need not become one",
        L40S_GUEST,
        .there = {.libvirt = "10009000", .devices = {L40S("0"), OTHER_FUNCTIONS}},
        .answer = MIGRATE_UNKNOWN,
        .words =
            {"UNKNOWN  ua-gpu0: it is a virtual function, and would be a mediated device",
             "10.9.0 there; but libvirt does not tell what the virtual functions",
             "UNKNOWN  no GPU can take ua-gpu0 (NVIDIA L40S-8Q): 0000:18:00.0 does not offer it"},
    },
    {
        .why = "a libvirt that is too old for virtual functions",
        L40S_GUEST,
        .there = {.libvirt = "9010000", .devices = {OTHER_FUNCTIONS}},
        .answer = MIGRATE_NO,
        .words = {"NO       libvirt 11.3.0 here and 9.10.0 there; vGPUs that are virtual"},
    },
    {
        .why = "a QEMU that is too old for virtual functions",
        L40S_GUEST,
        .there = {.qemu = "8002001", .devices = {OTHER_FUNCTIONS}},
        .answer = MIGRATE_NO,
        .words = {"NO       QEMU 10.0.3 here and 8.2.1 there; vGPUs that are virtual"},
    },
    {
        .why = "a type whose name nothing tells",
        .function = "0000:5f:00.4",
        .type = "nvidia-1155",
        FUNCTIONS_HERE,
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-1155", "NVIDIA L40S-24Q", "2"))}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: its type is nvidia-1155; types are compared by name"},
    },
    {
        .why = "the doubt about one vGPU is none about the other",
        .request = "<vgpu:device alias=\"ua-gpu1\" type=\"T4-1B\"/>"
                   "<vgpu:device alias=\"ua-gpu3\" type=\"mtty-2\"/>",
        .numbers = {1, 3},
        .there = {.devices = {OTHER_T4("0", "0"), OTHER_FUNCTIONS,
                              GPU("mtty", TYPE("mtty-1", "Single port serial", "24")
                                              TYPE("mtty-2", "Dual port serial", "0"))}},
        .answer = MIGRATE_NO,
        .words = {"NO       no GPU can take ua-gpu3 (Dual port serial): "},
    },
    {
        .why = "a mediated device may become a virtual function",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {OTHER_T4("0", "0"), OTHER_FUNCTIONS}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"OK       libvirt 11.3.0 here and 11.3.0 there; vGPUs migrate since 8.6.0\n",
                  "NOTE     ua-gpu1: to become a virtual function there it takes libvirt 11.0.0, "
                  "11.3.0 here and 11.3.0 there\n",
                  "0000:5e:00.0 does not offer it now; but whether a GPU there takes more is not "
                  "told\n"},
    },
    {
        .why = "no GPU of NVIDIA's makes it",
        .request = "<vgpu:device alias=\"ua-gpu3\" type=\"Dual port serial\"/>",
        .numbers = {3},
        .here = {.devices = {GPU("mtty", SERIAL)}},
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu3: no GPU there has Dual port serial (mtty-2)\n"},
    },
    {
        .why = "a class that NVIDIA's could serve, or could not",
        ONE("class=\"small\""),
        .is_down = true,
        .config = "classes = { small = { types = [ \"mtty-2\", \"T4-1B\" ]; }; };",
        .here = {.devices = {T4("16", "8")}},
        .there = {.devices = {GPU("mtty", TYPE("mtty-2", "Dual port serial", "0")),
                              OTHER_FUNCTIONS}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"0000:5e:00.0 does not offer it now; but whether a GPU there takes more is"},
    },
    {
        .why = "an H100 there, whose functions are not told",
        H100_GUEST,
        .there = {.devices = {HOPPER("0000:5e:00.0", "2330")}},
        .answer = MIGRATE_UNKNOWN,
        .words =
            {"UNKNOWN  ua-gpu0: no GPU there has NVIDIA H100-80C (nvidia-9101); but libvirt "
             "does not tell what the virtual functions of 0000:5e:00.0 there can be\n",
             "NOTE     NVIDIA moves no vGPU between H100, H200 and H800, nor between boards of "
             "one name and two sizes, as H100 PCIe (80 GB) and H100 NVL (94 GB); 'lspci -nn' "
             "tells the boards of each host\n"},
    },
    {
        .why = "an H200 there, whose functions are not told",
        H100_GUEST,
        .there = {.devices = {HOPPER("0000:5e:00.0", "2335")}},
        .answer = MIGRATE_NO,
        .words =
            {"NO       ua-gpu0: it is on H100, and 0000:5e:00.0 there is H200: NVIDIA moves no "
             "vGPU between H100, H200 and H800\n"},
    },
    {
        .why = "an H800 there with the same type by name",
        H100_GUEST,
        .there = {.devices = {HOPPER_TYPE("0000:5e:00.0", "2322")}},
        .answer = MIGRATE_NO,
        .words = {"NO       ua-gpu0: it is on H100, and 0000:5e:00.0 there is H800: NVIDIA"},
    },
    {
        .why = "an H200 there, and a card that nobody knows",
        H100_GUEST,
        .there = {.devices = {HOPPER("0000:5e:00.0", "2335"), HOPPER("0000:5f:00.0", "ffff")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: it is on H100, and 0000:5e:00.0 there is H200: NVIDIA",
                  "H800; but libvirt does not tell what the virtual functions of 0000:5f:00.0"},
    },
    {
        .why = "an H800 there, and an H100 with the type",
        H100_GUEST,
        .there = {.devices = {HOPPER("0000:5e:00.0", "2324"), HOPPER_TYPE("0000:5f:00.0", "2331")}},
        .answer = MIGRATE_YES,
        .room = 1,
        .words = {"OK       ua-gpu0: there is NVIDIA H100-80C (nvidia-9101) there\n",
                  "OK       there is room for ua-gpu0 on 0000:5f:00.0\n"},
    },
    {
        .why = "an H200 there takes a vGPU of a card that is none of these three",
        L40S_GUEST,
        .there = {.devices = {HOPPER("0000:5e:00.0", "2335")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: no GPU there has NVIDIA L40S-8Q (nvidia-1152); but"},
    },
    {
        .why = "a profile, of which no libvirt tells",
        .function = XE_FUNCTION,
        .type = "b50-4g",
        .config = "profiles = { b50-4g = { exec_quantum = \"20ms\"; }; };",
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: no libvirt tells of GPUs like those that have b50-4g\n",
                  "NOTE     ua-gpu0: the profile b50-4g has to have the same numbers there, as the "
                  "driver takes the state of no other; 'vgpuctl check --print' shows them on each "
                  "host\n",
                  "NOTE     ua-gpu0: only the guest knows whether its own xe can migrate: it takes "
                  "firmware of the GuC 70.54 or later ('dmesg' in the guest tells it)\n"},
        .unsaid = "NVIDIA",
    },
    {
        .why = "a virtual function that nobody asks for",
        .function = "0000:3d:00.4",
        .type = "",
        FUNCTIONS_HERE,
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  0000:3d:00.4 is none of ours: somebody has to make it there"},
    },
    {
        .why = "a network card",
        .function = "0000:81:00.1",
        .type = "",
        .answer = MIGRATE_YES,
        .words = {"NOTE     whether 0000:81:00.1, a PCI device and no vGPU, can go along is not"},
    },
};

static const struct migrate_case newcomers[] = {
    {
        .why = "a profile, for a guest that is new there",
        .function = XE_FUNCTION,
        .type = "b50-4g",
        .config = "profiles = { b50-4g = { exec_quantum = \"20ms\"; }; };",
        .is_new = true,
        .is_alone = true,
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: no libvirt tells of GPUs like those that have b50-4g\n"},
    },
    {
        .why = "a pool, likewise",
        .function = "0000:c1:02.0",
        .type = "mi300",
        .config = "pools = { mi300 = { functions = [ \"0000:c1:02.*\" ]; }; };",
        .is_new = true,
        .is_alone = true,
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: no libvirt tells of GPUs like those that have mi300\n"},
    },
    {
        .why = "a type, for somebody who is new",
        .new_type = "T4-1B",
        .there = {.devices = {T4("5", "2"), OTHER_T4("4", "0")}},
        .answer = MIGRATE_YES,
        .room = 9,
        .words = {"OK       libvirt 11.3.0 there; guests get vGPUs since 6.5.0\n",
                  "OK       there is room for T4-1B on 0000:18:00.0\n"},
    },
    {
        .why = "new, and no libvirt here",
        .new_type = "T4-1B",
        .is_alone = true,
        .there = {.devices = {L40S("3")}},
        .answer = MIGRATE_NO,
        .words = {"NO       T4-1B: no GPU there has T4-1B\n"},
    },
    {
        .why = "new, of a kind that no libvirt tells of",
        .new_type = "T4-1B",
        .there = {.devices = {L40S("3")}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"UNKNOWN  T4-1B: no libvirt tells of GPUs like those that have T4-1B\n"},
    },
    {
        .why = "new, and its driver cannot migrate",
        .new_type = "i915-GVTg_V5_4",
        .there = {.devices = {GPU("0000:00:02.0", TYPE("i915-GVTg_V5_4", "GVTg_V5_4", "1"))}},
        .answer = MIGRATE_YES,
        .room = 1,
    },
    {
        .why = "new, on virtual functions",
        .new_type = "T4-1B",
        .here = {.devices = {T4("16", "8")}},
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = MIGRATE_UNKNOWN,
        .words = {"libvirt does not tell what the virtual functions of 0000:5e:00.0 there can be"},
    },
    {
        .why = "new, under containers",
        .new_type = "T4-1B",
        .there = {.hypervisor = "LXC", .devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       LXC there; vGPUs are for guests of QEMU\n"},
    },
    {
        .why = "new, under another hypervisor",
        .new_type = "T4-1B",
        .there = {.hypervisor = "Xen", .devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       Xen there; vGPUs are for guests of QEMU\n"},
    },
    {
        .why = "new, under a libvirt of old",
        .new_type = "T4-1B",
        .there = {.libvirt = "6004000", .devices = {T4("16", "8")}},
        .answer = MIGRATE_NO,
        .words = {"NO       libvirt 6.4.0 there; guests get vGPUs since 6.5.0\n"},
    },
    {
        .why = "a file",
        .is_new = true,
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("5", "2")}},
        .answer = MIGRATE_YES,
        .room = 2,
        .words = {"OK       there is room for ua-gpu1 on 0000:18:00.0, ua-gpu2 on 0000:18:00.0\n"},
    },
    {
        .why = "a file of a guest that runs there",
        .is_new = true,
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 1, .name = "guest1", .is_running = true},
        .answer = MIGRATE_NO,
        .words = {"NO       guest1 (aaaaaaaa-0000-4000-8000-000000000001) runs there already"},
    },
    {
        .why = "a file that names a virtual function",
        .is_new = true,
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        .there = {.libvirt = "9007000", .devices = {L40S("3")}},
        .answer = MIGRATE_NO,
        .words = {"OK       libvirt 9.7.0 there; guests get vGPUs that are virtual functions since "
                  "9.7.0\n",
                  "NO       ua-gpu0: it names the virtual function 0000:3d:00.4, and there it "
                  "would be a mediated device\n"},
    },
};

UNIT_TEST(guests_with_functions)
{
    migrate_cases_play(functions, COUNT(functions));
}

UNIT_TEST(guests_that_are_new)
{
    migrate_cases_play(newcomers, COUNT(newcomers));
}
