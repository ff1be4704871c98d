/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A card that could give vGPUs and gives none: doctor says which step is next, and no vaguer fault
 * beside it. Each row is a card in one state of its first day. */

#include "base/array.h"
#include "doctor/diagnosis.h"
#include "doctor/planted.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CARD "0000:3d:00.0"
#define OTHER                                                                                      \
    "gpu 0000:18:00.0 rule size\n"                                                                 \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 3\n"

struct row {
    const char *card;        /* the words of its "pci" line */
    unsigned total, enabled; /* virtual functions; total 0: it can have none */
    const char *policy;
    const char *check, *finding, *order; /* "": nothing is said of the card */
};

#define NVIDIA "vendor 10de device 26b9 class 0x030200"
#define INTEL  "vendor 8086 device e211 class 0x030000"
#define AMD    "vendor 1002 device 74a1 class 0x120000"
#define VGA    "vendor 10de device 2684 class 0x030000"

static const struct row rows[] = {
    {NVIDIA, 32, 0, "", "card-driver",
     "the NVIDIA GPU " CARD " could give vGPUs, and has no driver", "modprobe nvidia"},
    {NVIDIA " driver nouveau", 32, 0, "", "card-driver",
     "could give vGPUs, and has the driver nouveau", "modprobe nvidia"},
    {NVIDIA " driver vfio-pci", 0, 0, "", "card-driver",
     "could give vGPUs, and has the driver vfio-pci", "virsh nodedev-reattach pci_0000_3d_00_0"},
    {NVIDIA " driver nvidia", 32, 0, "", "virtual-functions",
     "the GPU " CARD " has 32 virtual functions", "vgpuctl sriov enable " CARD},
    {VGA " driver nouveau", 0, 0, "", "", "", ""},
    {VGA, 0, 0, "", "", "", ""},
    {INTEL " driver i915", 24, 0, "", "card-driver",
     "the Intel GPU " CARD " could give vGPUs, and has the driver i915", "xe.force_probe="},
    {INTEL " driver i915", 0, 0, "", "", "", ""},
    {INTEL " driver xe", 24, 0, "", "virtual-functions",
     "the GPU " CARD " has 24 virtual functions",
     "/50-profiles.conf\n  then:\n      vgpuctl sriov enable " CARD},
    {INTEL " driver xe", 24, 0, "profiles = { small = { vram = \"4G\"; }; };", "virtual-functions",
     "the GPU " CARD " has 24 virtual functions", "What to do:\n      vgpuctl sriov enable " CARD},
    {INTEL " driver xe", 24, 2, "", "profiles",
     "the GPU " CARD " has 2 virtual functions, and vgpu.conf has no profile for them",
     "profiles = { small = { vram = \"4G\"; }; };"},
    {AMD, 8, 0, "", "card-driver", "the AMD GPU " CARD " could give vGPUs, and has no driver",
     "modprobe gim"},
    {AMD " driver gim", 8, 0, "", "virtual-functions", "the GPU " CARD " has 8 virtual functions",
     "vf_num"},
    {AMD " driver gim", 8, 2, "", "pools",
     "the GPU " CARD " has 2 virtual functions, and no pool of vgpu.conf has them",
     "pools = { amd = { functions = [ \"0000:3d:00.*\" ]; }; };"},
    {NVIDIA " driver nouveau", 32, 0, "gpus = ( { address = \"" CARD "\"; enabled = false; } );",
     "", "", ""},
};

/* The card is the only one of the host, and has these functions. */
static void
plant(const struct row *row)
{
    char machine[1024];
    size_t at;

    at = (size_t)snprintf(machine, sizeof(machine), "pci " CARD " %s\n", row->card);
    for (unsigned i = 0; i < row->enabled; i++)
        at += (size_t)snprintf(machine + at, sizeof(machine) - at,
                               "pci 0000:3d:00.%u physfn " CARD " %.*s\n", i + 4, 23, row->card);
    start(machine);
    if (row->total) {
        char text[16];

        snprintf(text, sizeof(text), "%u\n", row->total);
        put("sys/devices/" CARD "/sriov_totalvfs", text);
        snprintf(text, sizeof(text), "%u\n", row->enabled);
        put("sys/devices/" CARD "/sriov_numvfs", text);
    }
    put("sys/devices/" CARD "/iommu_group/", NULL);
    put("sys/bus/pci/drivers/xe-vfio-pci/", NULL);
    put(CONF, row->policy);
}

static int
set_up(void **state)
{
    start("");
    return 0;
}

#define TEST(name) UNIT_TEST_IN(name, set_up, teardown, NULL)

TEST(each_is_told_its_next_step)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        bool vague;

        teardown(state);
        plant(row);
        typed_run(&scene, HERE, "vgpuctl doctor", &typed);
        vague = strstr(typed.printed, "no-types") || strstr(typed.printed, "module-mdev") ||
                strstr(typed.printed, "gpu-missing");
        if (*row->check)
            typed_assert_has(typed.printed, row->check);
        typed_assert_has(typed.printed, row->finding);
        typed_assert_has(typed.printed, row->order);
        if (vague != !*row->check)
            fail_msg("row %zu: %s", i, typed.printed);
        if (!*row->check && strstr(typed.printed, CARD))
            fail_msg("row %zu: %s", i, typed.printed);
    }
}

/* Beside a GPU that gives vGPUs, the step is a note. */
TEST(beside_another_gpu)
{
    teardown(state);
    start(OTHER "pci " CARD " " NVIDIA " driver nouveau\n");
    put("sys/devices/0000:18:00.0/vendor", "0x10de\n");
    assert_note(HERE, "card-driver", "and has the driver nouveau");
}

/* A guest has the card itself, so nobody wants vGPUs of it. */
TEST(a_card_of_a_guest)
{
    teardown(state);
    start(OTHER "pci " CARD " " NVIDIA " driver vfio-pci\n");
    put("sys/devices/0000:18:00.0/vendor", "0x10de\n");
    assert_healthy(libvirt((const char *const[]){
        "<hostdev mode='subsystem' type='pci' managed='yes'><source><address domain='0x0000' "
        "bus='0x3d' slot='0x00' function='0x0'/></source></hostdev>",
        NULL}));
}

/* libvirt is too old for what the card's vGPUs will be. libvirt's test driver runs no QEMU, so the
 * test gives the version. */
TEST(an_old_libvirt)
{
    static const struct {
        size_t row; /* of rows */
        unsigned version;
        const char *words; /* NULL: nothing is said */
    } cases[] = {
        {0, 9000000,
         "libvirt 9.0.0 gives no guest a virtual function that keeps its driver, as vGPUs of the "
         "GPU " CARD " may have to"},
        {3, 9000000, "as vGPUs of the GPU " CARD " may have to"},
        {0, 9007000, NULL},
        {0, 0, NULL},
        {8, 9000000, NULL},  /* Intel's functions are bound to another driver */
        {12, 9000000, NULL}, /* AMD's as well */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(diagnosis_clear) struct diagnosis diagnosis = DIAGNOSIS_NONE;
        const struct finding *found = NULL;
        struct error error;

        teardown(state);
        plant(&rows[cases[i].row]);
        assert_int_equal(diagnosis_make(&scene.kernel.host, HERE, &diagnosis, &error), 0);
        diagnosis.references.libvirt_version = cases[i].version;
        for (diagnosis.check = card_checks; diagnosis.check->name; diagnosis.check++)
            diagnosis.check->look(&diagnosis);
        found = ARRAY_FIND(diagnosis.found.items, diagnosis.found.count, finding,
                           !strcmp(finding->word, "libvirt-for-functions"));
        assert_int_equal(found != NULL, cases[i].words != NULL);
        if (!found)
            continue;
        typed_assert_has(found->text, cases[i].words);
        assert_string_equal(finding_advice(found).text, "install libvirt 9.7.0 or later");
    }
}

/* Without an IOMMU no guest gets a vGPU of the card, whatever its driver is. */
TEST(without_an_iommu)
{
    teardown(state);
    plant(&rows[1]);
    drop("sys/class/iommu/dmar0");
    unlinkat(scene.kernel.host.root, "sys/devices/" CARD "/iommu_group", AT_REMOVEDIR);
    typed_run(&scene, HERE, "vgpuctl doctor", &typed);
    typed_assert_has(typed.printed, "card-driver");
    typed_assert_has(typed.printed, "the IOMMU is off, and the GPU " CARD " may need it");
}
