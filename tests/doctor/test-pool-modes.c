/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AMD's cards: pools of vgpu.conf that have more functions than a card's partition mode gives. */

#include "doctor/planted.h"
#include "base/array.h"

#include <stdio.h>
#include <string.h>

#define CARD   "0000:c1:00.0"
#define MI300X "pci " CARD " driver gim vendor 1002 device 74a1 class 0x120000\n"
#define MODE   "sys/devices/" CARD "/accelerator_partition_profile"
#define TITLES "profile_index       profile_type        num_of_partitions   num_of_resources    \n"
#define SPX                                                                                        \
    TITLES                                                                                         \
    "0                   SPX                 1                   5                   [[0 1 ]]\n"
#define DPX                                                                                        \
    TITLES                                                                                         \
    "1                   DPX                 2                   5                   [[0 ][1 ]]\n"
#define CPX                                                                                        \
    TITLES                                                                                         \
    "3                   CPX                 8                   5                   [[0 ][1 ]]\n"

/* A card with so many functions, from c1:02.0 on. */
static void
plant(unsigned functions, const char *pools, const char *mode)
{
    char machine[1024] = MI300X, text[16];
    size_t at = strlen(machine);

    teardown(NULL);
    for (unsigned i = 0; i < functions; i++)
        at += (size_t)snprintf(machine + at, sizeof(machine) - at,
                               "pci 0000:c1:02.%u physfn " CARD
                               " driver vfio-pci vendor 1002 device 74b5 class 0x120000\n",
                               i);
    start(machine);
    snprintf(text, sizeof(text), "%u\n", functions);
    put("sys/devices/" CARD "/sriov_totalvfs", "8\n");
    put("sys/devices/" CARD "/sriov_numvfs", text);
    put(CONF, pools);
    if (mode)
        put(MODE, mode);
}

UNIT_TEST_IN(pools_and_modes, setup, teardown, NULL)
{
    static const char all[] = "pools = { mi300x = { functions = [ \"0000:c1:02.*\" ]; }; };\n";
    static const char named[] = "pools = { mi300x = { functions = [ \"0000:c1:02.0\", "
                                "\"0000:c1:02.1\", \"0000:d1:02.0\" ]; }; };\n";
    static const struct {
        unsigned functions;
        const char *pools, *mode;
        const char *finding; /* NULL: nothing is wrong */
    } rows[] = {
        {1, all, SPX, NULL},
        {1, all, CPX, NULL},
        {8, all, CPX, NULL},
        {2, all, DPX, NULL},
        {8, all, NULL, NULL},
        {8, all, "failed to get current accelerator partition profile\n", NULL},
        {8, all, TITLES, NULL},
        {8, all, TITLES "0 UNKNOWN 1 5\n", NULL},
        {8, all, SPX,
         "have 8 virtual functions of the GPU " CARD ", whose partition mode is SPX, "
         "and in this mode it has at most 1"},
        {8, all, DPX, "whose partition mode is DPX, and in this mode it has at most 2"},
        {1, named, SPX, "have 2 virtual functions of the GPU " CARD},
        {1, named, DPX, NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        plant(rows[i].functions, rows[i].pools, rows[i].mode);
        if (rows[i].finding)
            assert_fault(HERE, "pool-mode", rows[i].finding);
        else
            assert_healthy(HERE);
    }
    plant(8, all, SPX);
    typed_golden(&scene, HERE, "doctor/pool-mode", "vgpuctl doctor");
}
