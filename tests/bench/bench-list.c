/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* bench-list FUNCTIONS VGPUS [vf]: the cost of vgpuctl list on 8 GPUs with this many functions and
 * vGPUs. Afterwards it prints the name of the tree. It keeps the tree until stdin ends, so that
 * other programs can read it. It asks libvirt, as vgpuctl does. So it is no part of "bench". */

#include "bench/large.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int
main(int argc, char *argv[])
{
    static struct scene scene;
    AUTO(typed_clear) struct typed typed = {0};
    unsigned functions = argc > 2 ? (unsigned)atoi(argv[1]) : 1;
    unsigned vgpus = argc > 2 ? (unsigned)atoi(argv[2]) : 0, opens = 0;
    AUTO_FREE char *text = large_host(8, functions, argc > 3);
    const char *libvirt;
    double began, best = 0;
    char end;

    scene_start(&scene, text);
    libvirt = typed_libvirt(&scene, "");
    large_fill(&scene.kernel, vgpus);
    for (int round = 0; round < 5; round++) {
        scene.kernel.faults->opens = 0;
        began = now();
        if (typed_run(&scene, libvirt, "vgpuctl list", &typed) != 0)
            return 1;
        began = now() - began;
        opens = scene.kernel.faults->opens;
        best = round == 0 || began < best ? began : best;
    }
    printf("  %3u %s, %3u vGPUs: %5u files and directories opened (%.2f per parent or vGPU), "
           "%.2f ms\n",
           8 * functions, argc > 3 ? "functions" : "parents", vgpus, opens,
           (double)opens / (8 * functions + vgpus), best * 1e3);
    fake_settle(&scene.kernel);
    printf("%s\n", scene.kernel.path);
    fflush(stdout);
    while (read(STDIN_FILENO, &end, 1) > 0)
        ;
    scene_stop(&scene);
    return 0;
}
