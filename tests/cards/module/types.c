// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ids, names, sizes and numbers come from NVIDIA's public lists, driver branch 550. The heads and
 * the resolution of the C types and of RTX PRO 6000's types are guessed. The names and numbers of
 * H100's types come from NVIDIA's guide. We found their ids nowhere, so ours begin with 9000. So do
 * those of L40S's C types (9100) and of RTX PRO 6000's MIG types (9200).
 */
#include <linux/kernel.h>
#include <linux/pci_ids.h>
#include <linux/string.h>

#include "types.h"

static const struct vgpu_type t4_types[] = {
    {222, "GRID T4-1B", 1024, 4, 45, "5120x2880", 16, NULL},
    {223, "GRID T4-2B", 2048, 4, 45, "5120x2880", 8, NULL},
    {224, "GRID T4-2B4", 2048, 4, 45, "5120x2880", 8, NULL},
    {225, "GRID T4-1A", 1024, 1, 60, "1280x1024", 16, NULL},
    {226, "GRID T4-2A", 2048, 1, 60, "1280x1024", 8, NULL},
    {227, "GRID T4-4A", 4096, 1, 60, "1280x1024", 4, NULL},
    {228, "GRID T4-8A", 8192, 1, 60, "1280x1024", 2, NULL},
    {229, "GRID T4-16A", 16384, 1, 60, "1280x1024", 1, NULL},
    {230, "GRID T4-1Q", 1024, 4, 60, "5120x2880", 16, NULL},
    {231, "GRID T4-2Q", 2048, 4, 60, "7680x4320", 8, NULL},
    {232, "GRID T4-4Q", 4096, 4, 60, "7680x4320", 4, NULL},
    {233, "GRID T4-8Q", 8192, 4, 60, "7680x4320", 2, NULL},
    {234, "GRID T4-16Q", 16384, 4, 60, "7680x4320", 1, NULL},
    {252, "GRID T4-1B4", 1024, 4, 45, "5120x2880", 16, NULL},
};

static const struct vgpu_type a40_types[] = {
    {555, "NVIDIA A40-1B", 1024, 4, 45, "5120x2880", 32, NULL},
    {556, "NVIDIA A40-2B", 2048, 4, 45, "5120x2880", 24, NULL},
    {557, "NVIDIA A40-1Q", 1024, 4, 60, "5120x2880", 32, NULL},
    {558, "NVIDIA A40-2Q", 2048, 4, 60, "7680x4320", 24, NULL},
    {559, "NVIDIA A40-3Q", 3072, 4, 60, "7680x4320", 16, NULL},
    {560, "NVIDIA A40-4Q", 4096, 4, 60, "7680x4320", 12, NULL},
    {561, "NVIDIA A40-6Q", 6144, 4, 60, "7680x4320", 8, NULL},
    {562, "NVIDIA A40-8Q", 8192, 4, 60, "7680x4320", 6, NULL},
    {563, "NVIDIA A40-12Q", 12288, 4, 60, "7680x4320", 4, NULL},
    {564, "NVIDIA A40-16Q", 16384, 4, 60, "7680x4320", 3, NULL},
    {565, "NVIDIA A40-24Q", 24576, 4, 60, "7680x4320", 2, NULL},
    {566, "NVIDIA A40-48Q", 49152, 4, 60, "7680x4320", 1, NULL},
    {567, "NVIDIA A40-1A", 1024, 1, 60, "1280x1024", 32, NULL},
    {568, "NVIDIA A40-2A", 2048, 1, 60, "1280x1024", 24, NULL},
    {569, "NVIDIA A40-3A", 3072, 1, 60, "1280x1024", 16, NULL},
    {570, "NVIDIA A40-4A", 4096, 1, 60, "1280x1024", 12, NULL},
    {571, "NVIDIA A40-6A", 6144, 1, 60, "1280x1024", 8, NULL},
    {572, "NVIDIA A40-8A", 8192, 1, 60, "1280x1024", 6, NULL},
    {573, "NVIDIA A40-12A", 12288, 1, 60, "1280x1024", 4, NULL},
    {574, "NVIDIA A40-16A", 16384, 1, 60, "1280x1024", 3, NULL},
    {575, "NVIDIA A40-24A", 24576, 1, 60, "1280x1024", 2, NULL},
    {576, "NVIDIA A40-48A", 49152, 1, 60, "1280x1024", 1, NULL},
    {581, "NVIDIA A40-4C", 4096, 1, 60, "4096x2160", 12, NULL},
    {582, "NVIDIA A40-6C", 6144, 1, 60, "4096x2160", 8, NULL},
    {583, "NVIDIA A40-8C", 8192, 1, 60, "4096x2160", 6, NULL},
    {584, "NVIDIA A40-12C", 12288, 1, 60, "4096x2160", 4, NULL},
    {585, "NVIDIA A40-16C", 16384, 1, 60, "4096x2160", 3, NULL},
    {586, "NVIDIA A40-24C", 24576, 1, 60, "4096x2160", 2, NULL},
    {587, "NVIDIA A40-48C", 49152, 1, 60, "4096x2160", 1, NULL},
};

/* Driver 580 lists all thirty, and driver 550 those before L40S-3B. */
static const struct vgpu_type l40s_types[] = {
    {1145, "NVIDIA L40S-1B", 1024, 4, 45, "5120x2880", 32, NULL},
    {1146, "NVIDIA L40S-2B", 2048, 4, 45, "5120x2880", 24, NULL},
    {1147, "NVIDIA L40S-1Q", 1024, 4, 60, "5120x2880", 32, NULL},
    {1148, "NVIDIA L40S-2Q", 2048, 4, 60, "7680x4320", 24, NULL},
    {1149, "NVIDIA L40S-3Q", 3072, 4, 60, "7680x4320", 16, NULL},
    {1150, "NVIDIA L40S-4Q", 4096, 4, 60, "7680x4320", 12, NULL},
    {1151, "NVIDIA L40S-6Q", 6144, 4, 60, "7680x4320", 8, NULL},
    {1152, "NVIDIA L40S-8Q", 8192, 4, 60, "7680x4320", 6, NULL},
    {1153, "NVIDIA L40S-12Q", 12288, 4, 60, "7680x4320", 4, NULL},
    {1154, "NVIDIA L40S-16Q", 16384, 4, 60, "7680x4320", 3, NULL},
    {1155, "NVIDIA L40S-24Q", 24576, 4, 60, "7680x4320", 2, NULL},
    {1156, "NVIDIA L40S-48Q", 49152, 4, 60, "7680x4320", 1, NULL},
    {1157, "NVIDIA L40S-1A", 1024, 1, 60, "1280x1024", 32, NULL},
    {1158, "NVIDIA L40S-2A", 2048, 1, 60, "1280x1024", 24, NULL},
    {1159, "NVIDIA L40S-3A", 3072, 1, 60, "1280x1024", 16, NULL},
    {1160, "NVIDIA L40S-4A", 4096, 1, 60, "1280x1024", 12, NULL},
    {1161, "NVIDIA L40S-6A", 6144, 1, 60, "1280x1024", 8, NULL},
    {1162, "NVIDIA L40S-8A", 8192, 1, 60, "1280x1024", 6, NULL},
    {1163, "NVIDIA L40S-12A", 12288, 1, 60, "1280x1024", 4, NULL},
    {1164, "NVIDIA L40S-16A", 16384, 1, 60, "1280x1024", 3, NULL},
    {1165, "NVIDIA L40S-24A", 24576, 1, 60, "1280x1024", 2, NULL},
    {1166, "NVIDIA L40S-48A", 49152, 1, 60, "1280x1024", 1, NULL},
    {2164, "NVIDIA L40S-3B", 3072, 4, 45, "5120x2880", 16, NULL},
    {9100, "NVIDIA L40S-4C", 4096, 1, 60, "4096x2160", 12, NULL},
    {9101, "NVIDIA L40S-6C", 6144, 1, 60, "4096x2160", 8, NULL},
    {9102, "NVIDIA L40S-8C", 8192, 1, 60, "4096x2160", 6, NULL},
    {9103, "NVIDIA L40S-12C", 12288, 1, 60, "4096x2160", 4, NULL},
    {9104, "NVIDIA L40S-16C", 16384, 1, 60, "4096x2160", 3, NULL},
    {9105, "NVIDIA L40S-24C", 24576, 1, 60, "4096x2160", 2, NULL},
    {9106, "NVIDIA L40S-48C", 49152, 1, 60, "4096x2160", 1, NULL},
};

#define L40S_550 22

/* The driver that is proposed for the kernel has only these. */
static const struct vgpu_type rtx_6000_ada_types[] = {
    {941, "NVIDIA RTX6000-Ada-1Q", 1024, 4, 60, "5120x2880", 32, NULL},
    {942, "NVIDIA RTX6000-Ada-2Q", 2048, 4, 60, "7680x4320", 24, NULL},
    {943, "NVIDIA RTX6000-Ada-3Q", 3072, 4, 60, "7680x4320", 16, NULL},
    {944, "NVIDIA RTX6000-Ada-4Q", 4096, 4, 60, "7680x4320", 12, NULL},
    {945, "NVIDIA RTX6000-Ada-6Q", 6144, 4, 60, "7680x4320", 8, NULL},
    {946, "NVIDIA RTX6000-Ada-8Q", 8192, 4, 60, "7680x4320", 6, NULL},
    {947, "NVIDIA RTX6000-Ada-12Q", 12288, 4, 60, "7680x4320", 4, NULL},
    {948, "NVIDIA RTX6000-Ada-16Q", 16384, 4, 60, "7680x4320", 3, NULL},
    {949, "NVIDIA RTX6000-Ada-24Q", 24576, 4, 60, "7680x4320", 2, NULL},
    {950, "NVIDIA RTX6000-Ada-48Q", 49152, 4, 60, "7680x4320", 1, NULL},
};

static const struct vgpu_type a30_types[] = {
    {684, "NVIDIA A30-4C", 4096, 1, 60, "4096x2160", 6, NULL},
    {685, "NVIDIA A30-6C", 6144, 1, 60, "4096x2160", 4, NULL},
    {686, "NVIDIA A30-8C", 8192, 1, 60, "4096x2160", 3, NULL},
    {687, "NVIDIA A30-12C", 12288, 1, 60, "4096x2160", 2, NULL},
    {688, "NVIDIA A30-24C", 24576, 1, 60, "4096x2160", 1, NULL},
    {689, "NVIDIA A30-1-6C", 6144, 1, 60, "4096x2160", 4, "1-6C"},
    {690, "NVIDIA A30-2-12C", 12288, 1, 60, "4096x2160", 2, "2-12C"},
    {691, "NVIDIA A30-4-24C", 24576, 1, 60, "4096x2160", 1, "4-24C"},
    {708, "NVIDIA A30-1-6CME", 6144, 1, 60, "4096x2160", 1, "1-6CME"},
};

static const struct vgpu_type a16_types[] = {
    {709, "NVIDIA A16-1B", 1024, 4, 45, "5120x2880", 16, NULL},
    {710, "NVIDIA A16-2B", 2048, 4, 45, "5120x2880", 8, NULL},
    {711, "NVIDIA A16-1Q", 1024, 4, 60, "5120x2880", 16, NULL},
    {712, "NVIDIA A16-2Q", 2048, 4, 60, "7680x4320", 8, NULL},
    {713, "NVIDIA A16-4Q", 4096, 4, 60, "7680x4320", 4, NULL},
    {714, "NVIDIA A16-8Q", 8192, 4, 60, "7680x4320", 2, NULL},
    {715, "NVIDIA A16-16Q", 16384, 4, 60, "7680x4320", 1, NULL},
    {716, "NVIDIA A16-1A", 1024, 1, 60, "1280x1024", 16, NULL},
    {717, "NVIDIA A16-2A", 2048, 1, 60, "1280x1024", 8, NULL},
    {718, "NVIDIA A16-4A", 4096, 1, 60, "1280x1024", 4, NULL},
    {719, "NVIDIA A16-8A", 8192, 1, 60, "1280x1024", 2, NULL},
    {720, "NVIDIA A16-16A", 16384, 1, 60, "1280x1024", 1, NULL},
    {721, "NVIDIA A16-4C", 4096, 1, 60, "4096x2160", 4, NULL},
    {722, "NVIDIA A16-8C", 8192, 1, 60, "4096x2160", 2, NULL},
    {723, "NVIDIA A16-16C", 16384, 1, 60, "4096x2160", 1, NULL},
};

#define RTX_PRO_6000 "NVIDIA RTX Pro 6000 Blackwell DC-"

/* A part of its types: those of which a listing was published. */
static const struct vgpu_type rtx_pro_6000_types[] = {
    {1518, RTX_PRO_6000 "2B", 2048, 4, 45, "5120x2880", 32, NULL},
    {1519, RTX_PRO_6000 "3Q", 3072, 4, 60, "7680x4320", 32, NULL},
    {1520, RTX_PRO_6000 "3A", 3072, 1, 60, "1280x1024", 32, NULL},
    {1521, RTX_PRO_6000 "4Q", 4096, 4, 60, "7680x4320", 24, NULL},
    {1523, RTX_PRO_6000 "6Q", 6144, 4, 60, "7680x4320", 16, NULL},
    {1540, RTX_PRO_6000 "48Q", 49152, 4, 60, "7680x4320", 2, NULL},
};

/* A part of its types with MIG. A GPU instance takes several vGPUs. */
static const struct vgpu_type rtx_pro_6000_mig_types[] = {
    {9200, RTX_PRO_6000 "1-2Q", 2048, 4, 60, "7680x4320", 48, "1-24", 12},
    {9201, RTX_PRO_6000 "1-3Q", 3072, 4, 60, "7680x4320", 32, "1-24", 8},
    {9202, RTX_PRO_6000 "1-3A", 3072, 1, 60, "1280x1024", 32, "1-24", 8},
    {9203, RTX_PRO_6000 "1-6Q", 6144, 4, 60, "7680x4320", 16, "1-24", 4},
    {9204, RTX_PRO_6000 "1-24Q", 24576, 4, 60, "7680x4320", 4, "1-24", 1},
    {9205, RTX_PRO_6000 "2-48Q", 49152, 4, 60, "7680x4320", 2, "2-48", 1},
    {9206, RTX_PRO_6000 "4-96Q", 98304, 4, 60, "7680x4320", 1, "4-96", 1},
};

static const struct vgpu_type h100_types[] = {
    {9000, "NVIDIA H100-4C", 4096, 1, 60, "4096x2160", 20, NULL},
    {9001, "NVIDIA H100-5C", 5120, 1, 60, "4096x2160", 16, NULL},
    {9002, "NVIDIA H100-8C", 8192, 1, 60, "4096x2160", 10, NULL},
    {9003, "NVIDIA H100-10C", 10240, 1, 60, "4096x2160", 8, NULL},
    {9004, "NVIDIA H100-16C", 16384, 1, 60, "4096x2160", 5, NULL},
    {9005, "NVIDIA H100-20C", 20480, 1, 60, "4096x2160", 4, NULL},
    {9006, "NVIDIA H100-40C", 40960, 1, 60, "4096x2160", 2, NULL},
    {9007, "NVIDIA H100-80C", 81920, 1, 60, "4096x2160", 1, NULL},
    {9008, "NVIDIA H100-1-10C", 10240, 1, 60, "4096x2160", 7, "1-10C"},
    {9009, "NVIDIA H100-1-20C", 20480, 1, 60, "4096x2160", 4, "1-20C"},
    {9010, "NVIDIA H100-2-20C", 20480, 1, 60, "4096x2160", 3, "2-20C"},
    {9011, "NVIDIA H100-3-40C", 40960, 1, 60, "4096x2160", 2, "3-40C"},
    {9012, "NVIDIA H100-4-40C", 40960, 1, 60, "4096x2160", 1, "4-40C"},
    {9013, "NVIDIA H100-7-80C", 81920, 1, 60, "4096x2160", 1, "7-80C"},
};

#define CLASS_3D (PCI_CLASS_DISPLAY_3D << 8)
/* Intel's class is not VGA. The kernel's VGA arbiter would have to know VFs of that class. */
#define CLASS_OTHER (PCI_CLASS_DISPLAY_OTHER << 8)
/* Older kernels have no name for this. */
#define CLASS_ACCELERATOR 0x120000

/* clang-format off */
#define SOME(word, kind, id, subsystem, functions, number, gigabytes, with_mig, list, count) \
    {.name = word, .shape = kind, .vendor = PCI_VENDOR_ID_NVIDIA, .device = id,              \
     .vf_device = id, .subdevice = subsystem, .class = CLASS_3D, .vfs = functions,           \
     .gpus = number, .memory = (gigabytes) * 1024, .mig = with_mig,                          \
     .types = list, .nr_types = count}
#define NVIDIA(word, kind, id, subsystem, functions, number, gigabytes, with_mig, list)      \
    SOME(word, kind, id, subsystem, functions, number, gigabytes, with_mig, list, ARRAY_SIZE(list))

static const struct board boards[] = {
    NVIDIA("T4", SHAPE_MDEV, 0x1eb8, 0, 0, 1, 16, false, t4_types),
    NVIDIA("A40", SHAPE_SRIOV, 0x2235, 0, 32, 1, 48, false, a40_types),
    NVIDIA("A16", SHAPE_SRIOV, 0x25b6, 0x14a9, 16, 4, 16, false, a16_types),
    NVIDIA("A30", SHAPE_VF, 0x20b7, 0, 16, 1, 24, false, a30_types),
    NVIDIA("A30-MIG", SHAPE_VF, 0x20b7, 0, 16, 1, 24, true, a30_types),
    SOME("L40S", SHAPE_VF, 0x26b9, 0, 32, 1, 48, false, l40s_types, L40S_550),
    NVIDIA("L40S-580", SHAPE_VF, 0x26b9, 0, 32, 1, 48, false, l40s_types),
    NVIDIA("RTX6000-ADA", SHAPE_VF, 0x26b1, 0, 16, 1, 48, false, rtx_6000_ada_types),
    NVIDIA("H100", SHAPE_VF, 0x2331, 0, 16, 1, 80, false, h100_types),
    NVIDIA("H100-MIG", SHAPE_VF, 0x2331, 0, 16, 1, 80, true, h100_types),
    NVIDIA("RTXPRO6000", SHAPE_VF, 0x2bb5, 0, 48, 1, 96, false, rtx_pro_6000_types),
    NVIDIA("RTXPRO6000-MIG", SHAPE_VF, 0x2bb5, 0, 48, 1, 96, true, rtx_pro_6000_mig_types),
    {.name = "B60", .shape = SHAPE_XE, .vendor = PCI_VENDOR_ID_INTEL, .device = XE_DEVICE,
     .vf_device = XE_DEVICE, .class = CLASS_OTHER, .vfs = 16, .gpus = 1},
    {.name = "MI300X", .shape = SHAPE_BARE, .vendor = PCI_VENDOR_ID_ATI, .device = 0x74a1,
     .vf_device = BARE_DEVICE, .class = CLASS_ACCELERATOR, .vfs = 8, .gpus = 1},
};
/* clang-format on */

const struct board *
board_find(const char *name)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(boards); i++) {
        if (!strcmp(boards[i].name, name))
            return &boards[i];
    }
    return NULL;
}

const struct vgpu_type *
board_type(const struct board *board, long id)
{
    unsigned int i;

    for (i = 0; i < board->nr_types; i++) {
        if (board->types[i].id == id)
            return &board->types[i];
    }
    return NULL;
}
