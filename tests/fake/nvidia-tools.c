/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/nvidia-tools.h"
#include "fake/fake-parts.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

/* How the driver begins with a card. */
static void
begin(void)
{
    TOOLS->instance_count = 0;
    TOOLS->is_mixed = false;
    TOOLS->is_sliced = TOOLS->can_slice;
    TOOLS->scheduler = TOOLS->loaded;
}

static int
turn_functions(const struct host *host, bool on)
{
    if (on)
        begin();
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

/* The shared instance that the words behind "-gi" name; NULL: there is none. */
static struct nvidia_tools_instance *
instance_of(char *const argv[])
{
    unsigned number = 0;

    for (; *argv; argv++) {
        if (!strcmp(*argv, "-gi"))
            number = (unsigned)atoi(argv[1]);
    }
    return number > 0 && number <= TOOLS->instance_count && TOOLS->is_sliced &&
                   TOOLS->instances[number - 1].is_shared
               ? &TOOLS->instances[number - 1]
               : NULL;
}

static bool
has_word(char *const argv[], const char *word)
{
    for (; *argv; argv++) {
        if (!strcmp(*argv, word))
            return true;
    }
    return false;
}

static int
turn_mixed_on_instance(char *const argv[], bool on)
{
    struct nvidia_tools_instance *instance = instance_of(argv);

    if (TOOLS->age < NVIDIA_PRESENT)
        return 2;
    if (!instance)
        return 255;
    if (TOOLS->has_vgpu)
        return 19;
    instance->is_mixed = on;
    return 0;
}

static int
turn_slices(bool on)
{
    if (TOOLS->age < NVIDIA_PRESENT || !TOOLS->can_slice)
        return TOOLS->age < NVIDIA_PRESENT ? 2 : 3;
    TOOLS->is_sliced = on;
    return 0;
}

static int
set_scheduler(char *const argv[], unsigned scheduler)
{
    bool of_instance = has_word(argv, "-gi");
    struct nvidia_tools_instance *instance = instance_of(argv);

    if (TOOLS->age < (of_instance ? NVIDIA_PRESENT : NVIDIA_SETS))
        return 2;
    if (of_instance ? !instance : TOOLS->is_mig)
        return 3;
    if (TOOLS->has_vgpu)
        return 19;
    if (scheduler == 3 && (instance ? instance->is_mixed : TOOLS->is_mixed))
        return 3;
    *(instance ? &instance->scheduler : &TOOLS->scheduler) = scheduler;
    return 0;
}

void
nvidia_tools_add_instance(const char *profile)
{
    struct nvidia_tools_instance *instance = &TOOLS->instances[TOOLS->instance_count++];

    *instance = (struct nvidia_tools_instance){
        .is_shared = TOOLS->is_sliced && strstr(profile, "+gfx"), .scheduler = TOOLS->loaded};
    snprintf(instance->profile, sizeof(instance->profile), "%s", profile);
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
        nvidia_tools_add_instance(profile);
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
    if (TOOLS->age < NVIDIA_PRESENT)
        return 0;
    dprintf(out, "    vGPU Device Capability\n        MIG Time-Slicing        : %s\n",
            TOOLS->can_slice ? "Supported" : "Not Supported");
    dprintf(out, "        MIG Time-Slicing Mode   : %s\n",
            TOOLS->odd_word    ? TOOLS->odd_word
            : TOOLS->can_slice ? modes[TOOLS->is_sliced]
                               : "N/A");
    return 0;
}

static int
print_sizes(int out, char *const argv[])
{
    const struct nvidia_tools_instance *instance = instance_of(argv);

    if (TOOLS->age < NVIDIA_PRESENT || !instance)
        return TOOLS->age < NVIDIA_PRESENT ? 2 : 255;
    dprintf(out, "GPU 0000%s\n    GPU Instance ID         : 1\n", TOOLS->card);
    dprintf(out, "    vGPU Heterogeneous Mode : %s\n",
            TOOLS->odd_word      ? TOOLS->odd_word
            : instance->is_mixed ? "Enabled"
                                 : "Disabled");
    return 0;
}

/* Engines other than that for graphics share best effort. */
static int
print_scheduler(int out, char *const argv[])
{
    static const char *const words[] = {"", "Best Effort", "Equal Share", "Fixed Share"};
    bool of_instance = has_word(argv, "-gi");
    const struct nvidia_tools_instance *instance = instance_of(argv);

    if (TOOLS->age < (of_instance ? NVIDIA_PRESENT : NVIDIA_TELLS))
        return 2;
    if (of_instance ? !instance : TOOLS->is_mig)
        return 3;
    dprintf(out, "GPU 0000%s\n    Active vGPUs            : 0\n", TOOLS->card);
    dprintf(out, "    Scheduler Policy        : %s\n",
            TOOLS->odd_word ? TOOLS->odd_word
                            : words[instance ? instance->scheduler : TOOLS->scheduler]);
    if (TOOLS->age == NVIDIA_PRESENT)
        dprintf(out, "    Scheduler Policy        : Best Effort\n");
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
        dprintf(out, "|   0  MIG %-14s  %5u  %7u       %5u:1     |\n", TOOLS->instances[i].profile,
                40 + i, i + 1, i);
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
        return has_word(argv, "-gi") ? turn_mixed_on_instance(argv, *last == '1')
                                     : turn_mixed(*last == '1');
    if (!strcmp(word, "-smts"))
        return turn_slices(*last == '1');
    if (!strcmp(word, "-p"))
        return set_scheduler(argv, (unsigned)atoi(last));
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

bool
nvidia_tools_is_question(char *const argv[])
{
    return !strcmp(argv[1], "-q") || !strcmp(argv[1], "show") || has_word(argv, "-lgi") ||
           has_word(argv, "-ghm") || has_word(argv, "-ss");
}

int
nvidia_tools_run(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    size_t count = 0;

    assert(milliseconds >= 60000);
    while (argv[count])
        count++;
    assert(count >= 3);
    if (!strcmp(argv[1], "-q"))
        return TOOLS->modes_status ? TOOLS->modes_status : print_modes(out);
    if (!strcmp(argv[1], "show"))
        return print_units(out, argv + 4);
    if (!strcmp(argv[count - 1], "-lgi"))
        return TOOLS->instances_status ? TOOLS->instances_status : print_instances(out);
    if (!strcmp(argv[count - 1], "-ghm"))
        return print_sizes(out, argv);
    if (!strcmp(argv[count - 1], "-ss"))
        return print_scheduler(out, argv);
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
    *TOOLS = (struct nvidia_tools){
        .card = card, .functions = functions, .has_mig = true, .scheduler = 1, .loaded = 1};
    fake_put(fake->host.root, "", "usr/lib/nvidia/sriov-manage");
    fake_put(fake->host.root, "", "usr/bin/nvidia-smi");
    fake_put(fake->host.root, "", "usr/bin/systemctl");
    fake->host.run = nvidia_tools_run;
}

void
nvidia_tools_boot(struct fake_kernel *fake)
{
    assert(fake_enable(fake, TOOLS->card, 0) == 0);
    begin();
    TOOLS->is_mig = TOOLS->is_mig_to_be = false;
    TOOLS->modes_status = TOOLS->instances_status = 0;
}
