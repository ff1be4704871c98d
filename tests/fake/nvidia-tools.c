/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/nvidia-tools.h"
#include "fake/fake-parts.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct nvidia_tools *nvidia_tools;

#define TOOLS nvidia_tools

static unsigned
functions_now(const struct host *host)
{
    uint64_t number;

    assert(host_read_number(host, &number, "sys/bus/pci/devices/%s/sriov_numvfs", TOOLS->card) ==
           0);
    return (unsigned)number;
}

static int
turn_functions(const struct host *host, bool on)
{
    if (on) {
        TOOLS->instance_count = 0;
        TOOLS->is_mixed = false;
    }
    return fake_enable((const struct fake_kernel *)host, TOOLS->card, on ? TOOLS->functions : 0) ==
                   0
               ? 0
               : 1;
}

static int
turn_mig(const struct host *host, bool on)
{
    if (!TOOLS->has_mig || functions_now(host) || TOOLS->instance_count || TOOLS->has_vgpu)
        return 3;
    TOOLS->is_mig_to_be = on;
    if (!TOOLS->needs_reset)
        TOOLS->is_mig = on;
    return 0;
}

static int
turn_mixed(bool on)
{
    if (TOOLS->has_vgpu || TOOLS->is_mig)
        return 19;
    TOOLS->is_mixed = on;
    return 0;
}

static int
add_instances(const char *list)
{
    char copy[512], *rest = copy, *profile;

    if (!TOOLS->is_mig || strlen(list) >= sizeof(copy))
        return 3;
    strcpy(copy, list);
    while ((profile = strsep(&rest, ","))) {
        if (TOOLS->instance_count == COUNT(TOOLS->instances))
            return 1;
        snprintf(TOOLS->instances[TOOLS->instance_count++], sizeof(TOOLS->instances[0]), "%s",
                 profile);
    }
    return 0;
}

/* --- what is printed -------------------------------------------------------------------------- */

static int
print_modes(int out)
{
    const char *modes[] = {"Disabled", "Enabled"};

    dprintf(out, "\n==============NVSMI LOG==============\n\nAttached GPUs      : 1\n");
    dprintf(out, "GPU 0000%s\n    Product Name              : A card\n", TOOLS->card);
    dprintf(out, "    MIG Mode\n        Current                 : %s\n",
            TOOLS->has_mig ? modes[TOOLS->is_mig] : "N/A");
    dprintf(out, "        Pending                 : %s\n",
            TOOLS->has_mig ? modes[TOOLS->is_mig_to_be] : "N/A");
    dprintf(out, "    GPU UUID                  : GPU-0\n    GPU Virtualization Mode\n");
    dprintf(out, "        Host VGPU Mode          : SR-IOV\n        vGPU Heterogeneous Mode : %s\n",
            TOOLS->is_mig && !TOOLS->tells_sizes_in_mig ? "N/A" : modes[TOOLS->is_mixed]);
    dprintf(out, "    ECC Mode\n        Current                 : Enabled\n");
    return 0;
}

static int
print_instances(int out)
{
    if (TOOLS->instance_count == 0) {
        dprintf(out, "No GPU instances found: Not Found\n");
        return 6;
    }
    dprintf(out, "| GPU instances:                                        |\n"
                 "| GPU   Name             Profile  Instance   Placement  |\n"
                 "|=======================================================|\n");
    /* Not in the order in which they were made. */
    for (unsigned i = TOOLS->instance_count; i-- > 0;)
        dprintf(out, "|   0  MIG %-14s  %5u  %7u       %5u:1     |\n", TOOLS->instances[i], 40 + i,
                i + 1, i);
    return 0;
}

/* What "systemctl show" says of these units. A unit without a job has "Job=" or "Job=0". */
static int
print_units(int out, char *const units[])
{
    for (bool is_first = true; *units; units++, is_first = false) {
        bool is_there = TOOLS->has_daemon && !strcmp(*units, "nvidia-vgpu-mgr.service");

        dprintf(out, "%sId=%s\nActiveState=%s\nUnitFileState=%s\nJob=%s\n", is_first ? "" : "\n",
                *units, is_there && TOOLS->daemon_runs ? "active" : "inactive",
                is_there ? "enabled" : "", is_first ? "" : "0");
    }
    return 0;
}

static int
reset_card(void)
{
    if (TOOLS->daemon_runs)
        return 255;
    TOOLS->is_mig = TOOLS->is_mig_to_be;
    return 0;
}

static int
tell_systemd(const struct host *host, const char *verb, const char *unit)
{
    if (!strcmp(unit, "nvidia-vgpu-mgr.service"))
        TOOLS->daemon_runs = !strcmp(verb, "start");
    else if (TOOLS->listed)
        fake_instances((const struct fake_kernel *)host, TOOLS->card, TOOLS->listed, 1);
    return 0;
}

/* --- the command line ------------------------------------------------------------------------- */

static int
change(const struct host *host, char *const argv[], size_t count)
{
    const char *last = argv[count - 1], *word = argv[count - 2];

    if (!strcmp(argv[0], "/usr/bin/systemctl"))
        return tell_systemd(host, word, last);
    if (!strcmp(argv[1], "--gpu-reset"))
        return reset_card();
    if (!strcmp(argv[0], "/usr/lib/nvidia/sriov-manage"))
        return turn_functions(host, !strcmp(word, "-e"));
    if (!strcmp(word, "-mig"))
        return turn_mig(host, *last == '1');
    if (!strcmp(word, "-shm"))
        return turn_mixed(*last == '1');
    if (!strcmp(last, "-C"))
        return add_instances(word);
    if (!strcmp(last, "-dci"))
        return TOOLS->instance_count ? 0 : 6;
    if (strcmp(last, "-dgi") || !TOOLS->instance_count)
        return strcmp(last, "-dgi") ? 2 : 6;
    TOOLS->instance_count = 0;
    return 0;
}

static void
note(char *const argv[])
{
    size_t at = strlen(TOOLS->asked);

    if (at)
        at += (size_t)snprintf(TOOLS->asked + at, sizeof(TOOLS->asked) - at, "; ");
    for (; *argv; argv++)
        at += (size_t)snprintf(TOOLS->asked + at, sizeof(TOOLS->asked) - at, "%s%s", *argv,
                               argv[1] ? " " : "");
}

int
nvidia_tools_run(const struct host *host, char *const argv[], int in, int out,
                 unsigned milliseconds)
{
    size_t count = 0;

    assert(in == -1 && milliseconds >= 60000);
    while (argv[count])
        count++;
    assert(count >= 3);
    if (!strcmp(argv[1], "-q"))
        return TOOLS->modes_status ? TOOLS->modes_status : print_modes(out);
    if (!strcmp(argv[1], "show"))
        return print_units(out, argv + 4);
    if (!strcmp(argv[count - 1], "-lgi"))
        return TOOLS->instances_status ? TOOLS->instances_status : print_instances(out);
    note(argv);
    if (++TOOLS->changes != TOOLS->fault_at)
        return change(host, argv, count);
    if (TOOLS->fault == NVIDIA_KILLED_AFTER)
        (void)change(host, argv, count);
    if (TOOLS->fault >= NVIDIA_KILLED_BEFORE)
        raise(SIGKILL);
    if (TOOLS->fault == NVIDIA_FAILS)
        return 1;
    if (TOOLS->fault == NVIDIA_HANGS && TOOLS->hanging)
        TOOLS->hanging();
    return TOOLS->fault == NVIDIA_HANGS ? -ETIMEDOUT : 0;
}

void
nvidia_tools_install(struct fake_kernel *fake, const char *card, unsigned functions)
{
    if (!TOOLS)
        TOOLS =
            mmap(NULL, sizeof(*TOOLS), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(TOOLS != MAP_FAILED);
    *TOOLS = (struct nvidia_tools){.card = card, .functions = functions, .has_mig = true};
    fake_put(fake->host.root, "", "usr/lib/nvidia/sriov-manage");
    fake_put(fake->host.root, "", "usr/bin/nvidia-smi");
    fake_put(fake->host.root, "", "usr/bin/systemctl");
    fake->host.run = nvidia_tools_run;
}

void
nvidia_tools_boot(struct fake_kernel *fake)
{
    assert(fake_enable(fake, TOOLS->card, 0) == 0);
    TOOLS->instance_count = 0;
    TOOLS->is_mixed = TOOLS->is_mig = TOOLS->is_mig_to_be = false;
    TOOLS->modes_status = TOOLS->instances_status = 0;
}
