/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a guest with vGPUs would be taken by another host: every check, both ways and unknown.
 * The hosts are what libvirt might tell of them; this one's /sys is a fake. */

#include "cli/command.h"
#include "device/scan.h"
#include "fake/typed.h"
#include "migrate/destinations.h"
#include "policy/policy-load.h"

#include <stdio.h>
#include <string.h>

#define UUID_HERE  "aaaaaaaa-0000-4000-8000-0000000000a1"
#define UUID_THERE "aaaaaaaa-0000-4000-8000-0000000000a2"

#define GPU(address, types)                                                                        \
    "<device><path>/sys/devices/pci0000:00/" address "</path><capability type='pci'>"              \
    "<capability type='mdev_types'>" types "</capability></capability></device>"
#define FUNCTION(address, types)                                                                   \
    "<device><path>/sys/devices/pci0000:00/" address "</path><capability type='pci'>"              \
    "<capability type='phys_function'>"                                                            \
    "<address domain='0x0000' bus='0xe2' slot='0x00' function='0x0'/></capability>"                \
    "<capability type='mdev_types'>" types "</capability></capability></device>"
#define TYPE(id, name, left)                                                                       \
    "<type id='" id "'><name>" name "</name><deviceAPI>vfio-pci</deviceAPI>"                       \
    "<availableInstances>" left "</availableInstances></type>"
#define VGPU(address, type, device)                                                                \
    "<device><path>/sys/devices/pci0000:00/" address "/" device "</path>"                          \
    "<capability type='mdev'><type id='" type "'/></capability></device>"

#define CARD(address, function)                                                                    \
    "<device><path>/sys/devices/pci0000:00/" address "</path><driver><name>nvidia</name></driver>" \
    "<capability type='pci'><vendor id='0x10de'/>"                                                 \
    "<capability type='virt_functions' maxCount='16'>"                                             \
    "<address domain='0x0000' bus='0x3d' slot='0x00' function='" function                          \
    "'/></capability></capability></device>"

#define STRAY "dddddddd-0000-4000-8000-0000000000ff"

/* How a host answers; what is not said is as on a good one. */
struct answer {
    const char *hypervisor, *libvirt, *qemu, *uuid;
    const char *devices[4];
    const char *name; /* of a domain there */
    unsigned domain;  /* its number; 0: there is none */
    bool is_running;
};

static void
say(FILE *out, const char *word)
{
    fwrite(word, strlen(word) + 1, 1, out);
}

static const char * or (const char *said, const char *usual)
{
    return said ? said : usual;
}

static void
say_domain(FILE *out, unsigned number, const char *name, const char *xml, bool is_running)
{
    char uuid[64];

    snprintf(uuid, sizeof(uuid), "aaaaaaaa-0000-4000-8000-%012u", number);
    say(out, "domain");
    say(out, uuid);
    say(out, name);
    say(out, is_running ? "running" : "");
    say(out, "defined");
    say(out, is_running ? xml : "");
    say(out, xml);
}

static void
say_host(FILE *out, const struct answer *answer, const char *usual_uuid)
{
    char computer[256];

    snprintf(computer, sizeof(computer),
             "<device><capability type='system'><hardware><uuid>%s</uuid></hardware></capability>"
             "</device>",
             or (answer->uuid, usual_uuid));
    say(out, "host");
    say(out, or (answer->hypervisor, "QEMU"));
    say(out, or (answer->libvirt, "11003000"));
    say(out, or (answer->qemu, "10000003"));
    say(out, computer);
    for (size_t i = 0; i < COUNT(answer->devices) && answer->devices[i]; i++) {
        say(out, "device");
        say(out, answer->devices[i]);
    }
}

/* A problem, and what is to be in the answer. */
struct row {
    const char *why;
    const char *request;         /* the guest's <vgpu:device>s */
    unsigned numbers[4];         /* of its devices */
    const char *function, *type; /* or its virtual function, and what it asks for; "": nothing */
    const char *config;          /* of this host */
    const char *kernel;
    bool is_down;         /* it does not run */
    bool is_new;          /* it comes from a file */
    const char *new_type; /* or is only this type */
    bool is_alone;        /* this host's libvirt is not there */
    struct answer here, there;
    enum remote_capacity_answer answer;
    size_t room;          /* 0: not looked at */
    const char *words[3]; /* that are printed */
};

#define ONE(what) .request = "<vgpu:device alias=\"ua-gpu1\" " what "/>", .numbers = {1}
#define TWO(what, other)                                                                           \
    .request = "<vgpu:device alias=\"ua-gpu1\" " what "/>"                                         \
               "<vgpu:device alias=\"ua-gpu2\" " other "/>",                                       \
    .numbers = {1, 2}
#define T4(room1, room2)                                                                           \
    GPU("0000:18:00.0",                                                                            \
        TYPE("nvidia-222", "GRID T4-1B", room1) TYPE("nvidia-223", "GRID T4-2B", room2))
#define OTHER_T4(room1, room2)                                                                     \
    GPU("0000:19:00.0",                                                                            \
        TYPE("nvidia-222", "GRID T4-1B", room1) TYPE("nvidia-223", "GRID T4-2B", room2))

/* What this host's libvirt tells of the virtual functions that read_here makes. */
#define FUNCTIONS_HERE  .here = {.devices = {CARD("0000:3d:00.0", "0x4")}}
#define OTHER_FUNCTIONS CARD("0000:5e:00.0", "0x4")
#define L40S(capacity)  GPU("0000:18:00.0", TYPE("nvidia-1152", "NVIDIA L40S-8Q", capacity))

#define XE_FUNCTION "0000:03:00.4"

#define SERIAL TYPE("mtty-1", "Single port serial", "24") TYPE("mtty-2", "Dual port serial", "12")

static const struct row rows[] = {
    {
        .why = "all is well",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"OK       libvirt 11.3.0 here and 11.3.0 there; vGPUs migrate since 8.6.0\n",
                  "OK       ua-gpu1: there is GRID T4-1B (nvidia-222) there\n",
                  "OK       ua-gpu1: 0000:18:00.0 takes 16 more\n"},
    },
    {
        .why = "advice for a large frame buffer",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"NOTE     to converge: 'virsh migrate-setmaxdowntime guest1 2048'",
                  "ua-gpu2: 0000:18:00.0 takes 15 more\n", "no --postcopy"},
    },
    {
        .why = "types without a profile in their names",
        .request = "<vgpu:device alias=\"ua-gpu3\" type=\"Dual port serial\"/>",
        .numbers = {3},
        .there = {.devices = {GPU("mtty", SERIAL)}},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"OK       ua-gpu3: there is Dual port serial (mtty-2) there\n"},
    },
    {
        .why = "a word that is in two names",
        .request = "<vgpu:device alias=\"ua-gpu3\" type=\"serial\"/>",
        .numbers = {3},
        .there = {.devices = {GPU("mtty", SERIAL)}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words =
            {"UNKNOWN  ua-gpu3: there is Dual port serial (mtty-2) there, but \"serial\" means"},
    },
    {
        .why = "the same host",
        ONE("type=\"T4-1B\""),
        .there = {.uuid = UUID_HERE, .devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       qemu://there/system is this host\n"},
    },
    {
        .why = "a host without a UUID",
        ONE("type=\"T4-1B\""),
        .there = {.uuid = "00000000-0000-0000-0000-000000000000", .devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  whether qemu://there/system is another host: one of them has no UUID"},
    },
    {
        .why = "it runs there",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 1, .name = "guest1", .is_running = true},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       guest1 (aaaaaaaa-0000-4000-8000-000000000001) runs there already"},
    },
    {
        .why = "it is defined there, as after a migration back",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 1, .name = "guest1"},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"OK       no other domain there has its name or UUID"},
    },
    {
        .why = "another has its name",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 9, .name = "guest1"},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       guest1 (aaaaaaaa-0000-4000-8000-000000000009) is defined there"},
    },
    {
        .why = "a name that is more than a name",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 1, .name = "a\n\033[2J"},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       a??[2J (aaaaaaaa-0000-4000-8000-000000000001) is defined there"},
    },
    {
        .why = "an old libvirt there",
        ONE("type=\"T4-1B\""),
        .there = {.libvirt = "8005000", .devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       libvirt 11.3.0 here and 8.5.0 there; vGPUs migrate since 8.6.0"},
    },
    {
        .why = "an old QEMU here",
        ONE("type=\"T4-1B\""),
        .here = {.qemu = "7002009"},
        .there = {.devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       QEMU 7.2.9 here and 10.0.3 there; vGPUs migrate since 8.1.0"},
    },
    {
        .why = "a QEMU that does not say",
        ONE("type=\"T4-1B\""),
        .there = {.qemu = "0", .devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  QEMU 10.0.3 here and ? there"},
    },
    {
        .why = "no QEMU",
        ONE("type=\"T4-1B\""),
        .there = {.hypervisor = "Xen", .devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       QEMU here and Xen there; vGPUs move from QEMU to QEMU"},
    },
    {
        .why = "an old kernel, which may be a distributor's",
        ONE("type=\"T4-1B\""),
        .kernel = "5.14.0-427.el9",
        .there = {.devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  Linux 5.14.0-427.el9 here; vGPUs migrate since 5.18, or if"},
    },
    {
        .why = "no kernel",
        ONE("type=\"T4-1B\""),
        .kernel = "",
        .there = {.devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"NOTE     which kernel runs here is not known"},
    },
    {
        .why = "another driver, other ids and names",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-999", "NVIDIA T4-1B", "3"))}},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"OK       ua-gpu1: there is NVIDIA T4-1B (nvidia-999) there"},
    },
    {
        .why = "asked for by an id that is another there",
        ONE("type=\"nvidia-222\""),
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-999", "GRID T4-1B", "3")
                                                      TYPE("nvidia-222", "GRID T4-2B", "3"))}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       ua-gpu1: its type is GRID T4-1B (nvidia-999) there, and \"nvidia-222\" "
                  "does not mean that; ask for it by its name"},
    },
    {
        .why = "an id that is two types there",
        ONE("type=\"nvidia-222\""),
        .there = {.devices = {T4("16", "8"),
                              GPU("0000:19:00.0", TYPE("nvidia-222", "GRID T4-2B", "3"))}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words =
            {"UNKNOWN  ua-gpu1: there is GRID T4-1B (nvidia-222) there, but \"nvidia-222\" means "
             "other types as well"},
    },
    {
        .why = "the id is there, as another type",
        ONE("type=\"nvidia-222\""),
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-222", "GRID T4-2B", "3"))}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       ua-gpu1: it is GRID T4-1B (nvidia-222), and \"nvidia-222\" means GRID "
                  "T4-2B (nvidia-222) there"},
    },
    {
        .why = "no such type there",
        ONE("type=\"T4-1B\""),
        .here = {.devices = {T4("16", "8")}},
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-558", "NVIDIA A40-1B", "3"))}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       ua-gpu1: no GPU there has GRID T4-1B (nvidia-222)"},
    },
    {
        .why = "a kind of GPU that libvirt does not tell of, here either",
        ONE("type=\"T4-1B\""),
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu1: no libvirt tells of GPUs like those that have T4-1B"},
    },
    {
        .why = "no type of anybody's",
        ONE("type=\"nvidia-4711\""),
        .is_down = true,
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       ua-gpu1: no GPU there has nvidia-4711"},
    },
    {
        .why = "a class, by its words",
        ONE("class=\"small\""),
        .config = "classes = { small = { types = [ \"T4-2B\", \"T4-1B\" ]; }; };",
        .there = {.devices = {T4("16", "0")}},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"OK       ua-gpu1: there is GRID T4-1B (nvidia-222) there, which the class small "
                  "means here"},
    },
    {
        .why = "a class, by a size that is known here only",
        ONE("class=\"big\""),
        .is_down = true,
        .config = "classes = { big = { framebuffer = \"2G\"; }; };",
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-9", "NVIDIA T4-2B", "3"))}},
        .answer = REMOTE_CAPACITY_YES,
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
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu1: no GPU there has a type that the class small means here"},
    },
    {
        .why = "full",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("0", "0"), OTHER_T4("0", "8")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       ua-gpu1: 0000:18:00.0 is full"},
    },
    {
        .why = "full, but the hook there may make room",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("0", "0"), VGPU("0000:18:00.0", "nvidia-222", STRAY)}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words =
            {"UNKNOWN  ua-gpu1: 0000:18:00.0 is full, but no running guest has 1 of its vGPUs"},
    },
    {
        .why = "full, but the hook there may make room by one of two",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("0", "0"), VGPU("0000:18:00.0", "nvidia-222", STRAY),
                              VGPU("0000:18:00.0", "nvidia-222",
                                   "dddddddd-0000-4000-8000-0000000000fe")}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words =
            {"UNKNOWN  ua-gpu1: 0000:18:00.0 is full, but no running guest has 2 of its vGPUs"},
    },
    {
        .why = "room that is not told",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("", "8")}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu1: 0000:18:00.0 does not tell how many more it takes"},
    },
    {
        .why = "virtual functions",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {FUNCTION("0000:e2:00.4", TYPE("nvidia-1", "NVIDIA T4-1B", "1")),
                              FUNCTION("0000:e2:00.5", TYPE("nvidia-1", "NVIDIA T4-1B", "1"))}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words =
            {"UNKNOWN  ua-gpu1: 0000:e2:00.0 has 2 virtual functions for it, and what it takes"},
    },
    {
        .why = "virtual functions that are all taken",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {FUNCTION("0000:e2:00.4", TYPE("nvidia-1", "NVIDIA T4-1B", "0"))}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       ua-gpu1: 0000:e2:00.0 is full"},
    },
    {
        .why = "room for one of two",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("1", "0")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"OK       ua-gpu1: 0000:18:00.0 takes 1 more\n",
                  "NO       ua-gpu2: 0000:18:00.0 takes 1 more, which this guest's others need\n"},
    },
    {
        .why = "room for one on each of two",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("1", "0"), OTHER_T4("1", "0")}},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"ua-gpu1: 0000:18:00.0 takes 1 more", "ua-gpu2: 0000:19:00.0 takes 1 more"},
    },
    {
        .why = "two types on one GPU",
        TWO("type=\"T4-1B\"", "type=\"T4-2B\""),
        .is_down = true,
        .there = {.devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu2: 0000:18:00.0 is to take GRID T4-1B as well, and whether it"},
    },
    {
        .why = "two types on two GPUs",
        TWO("type=\"T4-1B\"", "type=\"T4-2B\""),
        .is_down = true,
        .there = {.devices = {T4("16", "8"), OTHER_T4("16", "8")}},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"ua-gpu2: 0000:19:00.0 takes 8 more"},
    },
    {
        .why = "a choice that may have been the wrong one",
        TWO("class=\"any\"", "type=\"T4-1B\""),
        .is_down = true,
        .config = "classes = { any = { types = [ \"T4-1B\", \"T4-2B\" ]; }; };",
        .there = {.devices = {T4("1", "8")}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu2: 0000:18:00.0 takes 1 more, which this guest's others need"},
    },
    {
        .why = "a device of nobody's",
        .request = "",
        .numbers = {1},
        .there = {.devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  dddddddd-0000-4000-8000-000000000001 is none of ours"},
    },
    {
        .why = "no vGPU at all",
        .request = "",
        .answer = REMOTE_CAPACITY_YES,
    },
    {
        .why = "a driver that cannot",
        ONE("type=\"mdpy-vga\""),
        .is_down = true,
        .there = {.devices = {GPU("mdpy", TYPE("mdpy-vga", "mdpy-vga", "3"))}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       ua-gpu1: the driver of mdpy-vga cannot migrate"},
    },
    {
        .why = "virtual functions on both, of which libvirt tells no types",
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        FUNCTIONS_HERE,
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"OK       libvirt 11.3.0 here and 11.3.0 there; vGPUs that are virtual functions "
                  "migrate since 10.0.0\n",
                  "OK       QEMU 10.0.3 here and 10.0.3 there; vGPUs that are virtual functions "
                  "migrate since 8.2.2\n",
                  "UNKNOWN  ua-gpu0: no GPU there has NVIDIA L40S-8Q (nvidia-1152); but what the "
                  "virtual functions of 0000:5e:00.0 there can be, libvirt does not tell\n"},
    },
    {
        .why = "virtual functions, and no GPU there",
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        FUNCTIONS_HERE,
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       ua-gpu0: no GPU there has NVIDIA L40S-8Q (nvidia-1152)\n"},
    },
    {
        .why = "virtual functions, of which libvirt says nothing here either",
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: no libvirt tells of GPUs like those that have L40S-8Q\n"},
    },
    {
        .why = "a virtual function becomes a mediated device",
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        FUNCTIONS_HERE,
        .there = {.devices = {L40S("6")}},
        .answer = REMOTE_CAPACITY_YES,
        .words = {"OK       ua-gpu0: there is NVIDIA L40S-8Q (nvidia-1152) there\n",
                  "OK       ua-gpu0: it is a virtual function, and would be a mediated device "
                  "there: that is since libvirt 11.0.0, 11.3.0 here and 11.3.0 there\n",
                  "OK       ua-gpu0: 0000:18:00.0 takes 6 more\n"},
    },
    {
        .why = "a virtual function cannot become one",
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        FUNCTIONS_HERE,
        .there = {.libvirt = "10009000", .devices = {L40S("6")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       ua-gpu0: it is a virtual function, and would be a mediated device "
                  "there: that is since libvirt 11.0.0, 11.3.0 here and 10.9.0 there\n"},
    },
    {
        .why = "a virtual function need not become one",
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        FUNCTIONS_HERE,
        .there = {.libvirt = "10009000", .devices = {L40S("0"), OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: it is a virtual function, and would be a mediated device",
                  "10.9.0 there; but what the virtual functions of 0000:5e:00.0 there can be",
                  "UNKNOWN  ua-gpu0: 0000:18:00.0 is full; but what the virtual functions"},
    },
    {
        .why = "a libvirt that is too old for virtual functions",
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        FUNCTIONS_HERE,
        .there = {.libvirt = "9010000", .devices = {OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       libvirt 11.3.0 here and 9.10.0 there; vGPUs that are virtual"},
    },
    {
        .why = "a QEMU that is too old for virtual functions",
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        FUNCTIONS_HERE,
        .there = {.qemu = "8002001", .devices = {OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       QEMU 10.0.3 here and 8.2.1 there; vGPUs that are virtual"},
    },
    {
        .why = "a type whose name nothing tells",
        .function = "0000:5f:00.4",
        .type = "nvidia-1155",
        FUNCTIONS_HERE,
        .there = {.devices = {GPU("0000:18:00.0", TYPE("nvidia-1155", "NVIDIA L40S-24Q", "2"))}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: its type is nvidia-1155; what that is called"},
    },
    {
        .why = "a mediated device may become a virtual function",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {OTHER_T4("0", "0"), OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"OK       libvirt 11.3.0 here and 11.3.0 there; vGPUs migrate since 8.6.0\n",
                  "NOTE     ua-gpu1: to become a virtual function there it takes libvirt 11.0.0, "
                  "11.3.0 here and 11.3.0 there\n",
                  "UNKNOWN  ua-gpu1: 0000:19:00.0 is full; but what the virtual functions of "
                  "0000:5e:00.0 there can be, libvirt does not tell\n"},
    },
    {
        .why = "no GPU of NVIDIA's makes it",
        .request = "<vgpu:device alias=\"ua-gpu3\" type=\"Dual port serial\"/>",
        .numbers = {3},
        .here = {.devices = {GPU("mtty", SERIAL)}},
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_NO,
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
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu1: mtty is full; but what the virtual functions"},
    },
    {
        .why = "a profile, of which no libvirt tells",
        .function = XE_FUNCTION,
        .type = "b50-4g",
        .config = "profiles = { b50-4g = { exec_quantum = \"20ms\"; }; };",
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: no libvirt tells of GPUs like those that have b50-4g\n",
                  "NOTE     ua-gpu0: the profile b50-4g has to have the same numbers there, as the "
                  "driver takes the state of no other; 'vgpuctl check --print' shows them on each "
                  "host\n"},
    },
    {
        .why = "a profile, for a guest that is new there",
        .function = XE_FUNCTION,
        .type = "b50-4g",
        .config = "profiles = { b50-4g = { exec_quantum = \"20ms\"; }; };",
        .is_new = true,
        .is_alone = true,
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
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
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  ua-gpu0: no libvirt tells of GPUs like those that have mi300\n"},
    },
    {
        .why = "a virtual function that nobody asks for",
        .function = "0000:3d:00.4",
        .type = "",
        FUNCTIONS_HERE,
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  0000:3d:00.4 is none of ours: somebody has to make it there"},
    },
    {
        .why = "a network card",
        .function = "0000:81:00.1",
        .type = "",
        .answer = REMOTE_CAPACITY_YES,
        .words = {"NOTE     whether 0000:81:00.1, a PCI device and no vGPU, can go along is not"},
    },
    {
        .why = "room for pairs, over two GPUs",
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("5", "2"), OTHER_T4("4", "0")}},
        .answer = REMOTE_CAPACITY_YES,
        .room = 4,
    },
    {
        .why = "a host that says it has room for ever",
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("4294967295", "2")}},
        .answer = REMOTE_CAPACITY_YES,
        .room = MIGRATE_CHECK_MOST_ROOM,
    },
    {
        .why = "a type, for somebody who is new",
        .new_type = "T4-1B",
        .there = {.devices = {T4("5", "2"), OTHER_T4("4", "0")}},
        .answer = REMOTE_CAPACITY_YES,
        .room = 9,
        .words = {"OK       libvirt 11.3.0 there; guests get vGPUs since 6.5.0\n",
                  "OK       T4-1B: 0000:18:00.0 takes 5 more\n"},
    },
    {
        .why = "new, and no libvirt here",
        .new_type = "T4-1B",
        .is_alone = true,
        .there = {.devices = {L40S("3")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       T4-1B: no GPU there has T4-1B\n"},
    },
    {
        .why = "new, of a kind that no libvirt tells of",
        .new_type = "T4-1B",
        .there = {.devices = {L40S("3")}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"UNKNOWN  T4-1B: no libvirt tells of GPUs like those that have T4-1B\n"},
    },
    {
        .why = "new, and its driver cannot migrate",
        .new_type = "i915-GVTg_V5_4",
        .there = {.devices = {GPU("0000:00:02.0", TYPE("i915-GVTg_V5_4", "GVTg_V5_4", "1"))}},
        .answer = REMOTE_CAPACITY_YES,
        .room = 1,
    },
    {
        .why = "new, on virtual functions",
        .new_type = "T4-1B",
        .here = {.devices = {T4("16", "8")}},
        .there = {.devices = {OTHER_FUNCTIONS}},
        .answer = REMOTE_CAPACITY_UNKNOWN,
        .words = {"what the virtual functions of 0000:5e:00.0 there can be, libvirt does not tell"},
    },
    {
        .why = "new, under containers",
        .new_type = "T4-1B",
        .there = {.hypervisor = "LXC", .devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       LXC there; vGPUs are for guests of QEMU\n"},
    },
    {
        .why = "new, under another hypervisor",
        .new_type = "T4-1B",
        .there = {.hypervisor = "Xen", .devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       Xen there; vGPUs are for guests of QEMU\n"},
    },
    {
        .why = "new, under a libvirt of old",
        .new_type = "T4-1B",
        .there = {.libvirt = "6004000", .devices = {T4("16", "8")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       libvirt 6.4.0 there; guests get vGPUs since 6.5.0\n"},
    },
    {
        .why = "a file",
        .is_new = true,
        TWO("type=\"T4-1B\"", "type=\"T4-1B\""),
        .there = {.devices = {T4("5", "2")}},
        .answer = REMOTE_CAPACITY_YES,
        .room = 2,
        .words = {"OK       ua-gpu2: 0000:18:00.0 takes 4 more\n"},
    },
    {
        .why = "a file of a guest that runs there",
        .is_new = true,
        ONE("type=\"T4-1B\""),
        .there = {.devices = {T4("16", "8")}, .domain = 1, .name = "guest1", .is_running = true},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"NO       guest1 (aaaaaaaa-0000-4000-8000-000000000001) runs there already"},
    },
    {
        .why = "a file that names a virtual function",
        .is_new = true,
        .function = "0000:3d:00.4",
        .type = "L40S-8Q",
        .there = {.libvirt = "9007000", .devices = {L40S("3")}},
        .answer = REMOTE_CAPACITY_NO,
        .words = {"OK       libvirt 9.7.0 there; guests get vGPUs that are virtual functions since "
                  "9.7.0\n",
                  "NO       ua-gpu0: it names the virtual function 0000:3d:00.4, and there it "
                  "would be a mediated device\n"},
    },
};

static bool
passes(const struct inventory_type *type, const void *data)
{
    (void)type;
    (void)data;
    return true;
}

static void
prepare_host(struct remote_host *host, const char *uri, const char *words, size_t size)
{
    *host = (struct remote_host){.uri = uri};
    remote_read(host, words, size);
    assert_string_equal(host->failure.text, "");
}

static void
read_hosts(const struct row *row, const char *xml, struct remote_host *hosts)
{
    for (size_t i = 0; i < 2; i++) {
        const struct answer *answer = i ? &row->there : &row->here;
        AUTO_FREE char *words = NULL;
        size_t size;
        FILE *out = open_memstream(&words, &size);

        say_host(out, answer, i ? UUID_THERE : UUID_HERE);
        if (!i)
            say_domain(out, 1, "guest1", xml, !row->is_down);
        if (answer->domain)
            say_domain(out, answer->domain, answer->name, "<domain/>", answer->is_running);
        say(out, "end");
        fclose(out);
        prepare_host(&hosts[i], i ? "qemu://there/system" : "qemu:///system", words, size);
    }
}

/* The function has its profile. */
static void
make_profile(const struct scene *scene)
{
    struct vgpu vgpu = {.interface = &vgpu_xe};

    assert_int_equal(name_parse(&vgpu.device, XE_FUNCTION), 0);
    assert_int_equal(name_parse(&vgpu.type, "b50-4g"), 0);
    vgpu.parent = vgpu.device;
    assert_int_equal(host_make_directory(&scene->kernel.host, "run/libvirt-vgpu"), 0);
    assert_int_equal(vgpu_xe.make(&scene->kernel.host, &vgpu), 0);
}

/* This host: a T4 with two devices, both of the smallest type, a third elsewhere, and two virtual
 * functions with a type, of which one has no sibling that could name it. */
static void
read_here(struct scene *scene, const struct row *row, struct policy *policy,
          struct inventory *inventory)
{
    static const struct inventory_filter all = {.wants = passes};
    struct error error;

    scene_start(scene, "gpu 0000:18:00.0 rule size\n"
                       "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"
                       "type nvidia-223 \"GRID T4-2B\" framebuffer 2048 max 8\n"
                       "gpu 0000:3d:00.0 vf vfs 2 rule size\n"
                       "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
                       "gpu 0000:5f:00.0 vf vfs 1 rule size\n"
                       "type nvidia-1155 \"NVIDIA L40S-24Q\" framebuffer 24576 max 2\n"
                       "gpu 0000:03:00.0 xe vfs 2\n"
                       "pci 0000:c1:02.0 driver vfio-pci physfn 0000:c1:00.0\n"
                       "gpu mtty rule pool 24\n"
                       "type mtty-1 \"Single port serial\" uses 1\n"
                       "type mtty-2 \"Dual port serial\" uses 2\n");
    if (row->config)
        fake_write(&scene->kernel, "etc/libvirt-vgpu/vgpu.conf", row->config);
    assert_int_equal(fake_make(&scene->kernel, "mtty", "mtty-2", scene_device(3)), 0);
    assert_int_equal(fake_make(&scene->kernel, "0000:3d:00.4", "nvidia-1152", "0000:3d:00.4"), 0);
    assert_int_equal(fake_make(&scene->kernel, "0000:5f:00.4", "nvidia-1155", "0000:5f:00.4"), 0);
    for (unsigned number = 1; number <= 2; number++)
        assert_int_equal(
            fake_make(&scene->kernel, "0000:18:00.0", "nvidia-222", scene_device(number)), 0);
    assert_int_equal(policy_load(&scene->kernel.host, policy, &error), 0);
    if (row->function && !strcmp(row->function, XE_FUNCTION) && !row->is_new)
        make_profile(scene);
    assert_int_equal(scan_host(&scene->kernel.host, policy, &all, inventory, &error), 0);
}

/* The reason is the first of the worst that is printed; of a yes it is the last. */
static bool
is_reason(const struct migrate_verdict *verdict, const char *printed)
{
    static const char *const words[] = {
        [REMOTE_CAPACITY_YES] = "OK       ",
        [REMOTE_CAPACITY_UNKNOWN] = "UNKNOWN  ",
        [REMOTE_CAPACITY_NO] = "NO       ",
    };
    const char *word = words[verdict->answer], *found = NULL;
    size_t length = strlen(verdict->why);

    for (const char *line = printed; *line; line = strchr(line, '\n') + 1) {
        if (strncmp(line, word, strlen(word)))
            continue;
        if (!found || verdict->answer == REMOTE_CAPACITY_YES)
            found = line + strlen(word);
    }
    /* What is printed has no control characters. */
    return found && (strchr(verdict->why, '\n') ||
                     (!strncmp(found, verdict->why, length) && found[length] == '\n'));
}

/* Nobody sees all rows that are wrong if the first ends the test. */
static bool
check_row(const struct row *row, const struct migrate_verdict *verdict, const char *printed)
{
    bool is_right = verdict->answer == row->answer && is_reason(verdict, printed) &&
                    (verdict->answer == REMOTE_CAPACITY_YES) == (verdict->against == 0) &&
                    (!row->room || verdict->room == row->room);

    for (size_t i = 0; i < COUNT(row->words) && row->words[i]; i++)
        is_right &= strstr(printed, row->words[i]) != NULL;
    if (!is_right)
        print_error("%s: answer %d, %zu against it, room %zu, as %s:\n%s", row->why,
                    (int)verdict->answer, verdict->against, verdict->room, verdict->why, printed);
    return is_right;
}

/* Who it is about, as the row says. */
static int
find_guest(const struct row *row, const struct scene *scene, const char *xml,
           const struct remote_host *from, const struct policy *policy,
           struct migrating_guest *guest, struct error *error)
{
    char path[512];

    if (row->new_type)
        return migrating_guest_of_type(guest, row->new_type, error);
    if (!row->is_new)
        return migrating_guest_find(guest, from, "guest1", policy, error);
    fake_write(&scene->kernel, "guest.xml", xml);
    snprintf(path, sizeof(path), "%s/guest.xml", scene->kernel.path);
    return migrating_guest_read(guest, &scene->kernel.host, path, policy, error);
}

static bool
cross(const struct row *row)
{
    struct scene scene = {0};
    AUTO(policy_clear) struct policy policy = {0};
    AUTO(inventory_clear) struct inventory here = {0};
    AUTO(migrating_guest_clear) struct migrating_guest guest = {0};
    AUTO_FREE char *xml =
        row->function
            ? typed_functions(1, "", row->type, (const char *const[]){row->function, NULL})
            : scene_xml(1, row->request ? row->request : "", row->numbers);
    AUTO_FREE char *printed = NULL;
    struct remote_hosts hosts = {.items = calloc(2, sizeof(*hosts.items)), .count = 2};
    struct migrate_check check = {
        .from = &hosts.items[0], .to = &hosts.items[1], .guest = &guest, .here = &here};
    struct migrate_verdict verdict;
    struct error error = {0};
    size_t size;
    bool is_right;
    FILE *out = open_memstream(&printed, &size);

    read_here(&scene, row, &policy, &here);
    read_hosts(row, xml, hosts.items);
    check.kernel = row->kernel ? row->kernel : "6.12.0";
    if (find_guest(row, &scene, xml, check.from, &policy, &guest, &error) < 0)
        fail_msg("%s: %s", row->why, error.text);
    if (row->is_alone)
        check.from = NULL;
    if (migrate_check_check(&check, out, &verdict, &error) < 0)
        fail_msg("%s: %s", row->why, error.text);
    fclose(out);
    is_right = check_row(row, &verdict, printed);
    remote_clear(&hosts);
    scene_stop(&scene);
    return is_right;
}

static void
every_check(void **state)
{
    size_t wrong = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        wrong += !cross(&rows[i]);
    assert_int_equal(wrong, 0);
}

/* A running guest, and several hosts of QEMU's: by how many such guests they would take. */
static void
best_of_several(void **state)
{
    static const struct row row = {ONE("type=\"T4-1B\"")};
    static const struct {
        const char *uri;
        struct answer answer; /* its UUID NULL: there is none */
    } hosts[] = {
        {"qemu:///system", {.uuid = UUID_HERE}},
        {"old", {.uuid = STRAY, .libvirt = "8005000", .devices = {T4("16", "8")}}},
        {"gone", {0}},
        {"full", {.uuid = STRAY, .devices = {T4("0", "0")}}},
        {"three", {.uuid = STRAY, .devices = {T4("3", "1")}}},
        {"same", {.uuid = UUID_HERE, .devices = {T4("16", "8")}}},
        {"untold", {.uuid = STRAY, .devices = {T4("", "8")}}},
        {"eight", {.uuid = STRAY, .devices = {T4("3", "1"), OTHER_T4("5", "2")}}},
        {"also-three", {.uuid = STRAY, .devices = {T4("3", "1")}}},
    };
    static const char *const order[] = {"eight", "three", "also-three", "untold",
                                        "old",   "full",  "same",       "gone"};
    AUTO(migrate_question_clear)
    struct migrate_question question = {
        .kernel = "6.12.0",
        .hosts = {.items = calloc(COUNT(hosts), sizeof(*question.hosts.items)),
                  .count = COUNT(hosts)},
    };
    struct scene scene = {0};
    AUTO_FREE char *xml = scene_xml(1, row.request, row.numbers);
    AUTO(destinations_clear) struct destinations destinations = {0};
    struct error error;

    (void)state;
    read_here(&scene, &row, &question.snapshot.policy, &question.snapshot.inventory);
    for (size_t i = 0; i < COUNT(hosts); i++) {
        AUTO_FREE char *words = NULL;
        size_t size;
        FILE *out = open_memstream(&words, &size);

        say_host(out, &hosts[i].answer, UUID_THERE);
        if (i == 0)
            say_domain(out, 1, "guest1", xml, true);
        say(out, "end");
        fclose(out);
        prepare_host(&question.hosts.items[i], hosts[i].uri, words, size);
        if (!hosts[i].answer.uuid)
            error_set(&question.hosts.items[i].failure, -ETIMEDOUT, "no answer");
    }
    assert_int_equal(migrate_question_find_guest(&question, "guest1", &error), 0);
    assert_int_equal(destinations_judge(&question, &destinations, &error), 0);
    assert_int_equal(destinations.count, COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++)
        assert_string_equal(destinations.items[i].host->uri, order[i]);
    assert_int_equal(destinations.items[0].verdict.room, 8);
    assert_string_equal(destinations.items[0].verdict.why, "ua-gpu1: 0000:18:00.0 takes 3 more");
    assert_string_equal(destinations.items[6].verdict.why, "same is this host");
    scene_stop(&scene);
}

#define T4_HOST  "test:///proc/self/cwd/tests/data/t4-host.xml"
#define A40_HOST "test:///proc/self/cwd/tests/data/a40-host.xml"

/* The command itself: libvirt's test driver is no QEMU. */
static void
command(void **state)
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
        {"vgpuctl migrate-check aaaaaaaa-0000-4000-8000-000000000001 " T4_HOST " --timeout 60",
         {"NO       " T4_HOST " is this host\n", "\nNO       web01 (aaaaaaaa-0000-4000-8000-",
          "\nOK       ua-gpu0: 0000:18:00.0 takes 14 more\n"},
         " " T4_HOST " would not take web01: 3 of these checks are not OK\n"},
    };
    struct typed typed = {0};
    struct scene scene = {0};

    (void)state;
    scene_start(&scene, "gpu 0000:18:00.0 rule size\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n");
    assert_int_equal(fake_make(&scene.kernel, "0000:18:00.0", "nvidia-222", scene_device(1)), 0);
    fake_write(&scene.kernel, "proc/sys/kernel/osrelease", "6.12.48-amd64\n");
    for (size_t i = 0; i < COUNT(lines); i++)
        typed_golden(&scene, T4_HOST, lines[i].name, lines[i].line);
    /* No golden files: which libvirt this is differs. */
    for (size_t i = 0; i < COUNT(answers); i++) {
        assert_int_equal(typed_run(&scene, T4_HOST, answers[i].line, &typed), COMMAND_NO_CAPACITY);
        for (size_t k = 0; k < COUNT(answers[i].words); k++)
            typed_assert_has(typed.printed, answers[i].words[k]);
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_check),
        cmocka_unit_test(best_of_several),
        cmocka_unit_test(command),
    };

    /* The URIs above name files, which have to be told from the root. */
    if (chdir(scene_sources()) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
