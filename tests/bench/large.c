/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/large.h"
#include "fake/scene.h"

#include <stdio.h>

char *
large_host(unsigned gpus, unsigned functions, bool vf)
{
    static const unsigned sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 48};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (unsigned gpu = 0; gpu < gpus; gpu++) {
        fprintf(out, "gpu 0000:%02x:00.0%s rule size numa %u vfs %u\n", LARGE_FIRST_BUS + gpu,
                vf ? " vf" : "", gpu / 4, functions);
        for (unsigned type = 0; type < 22; type++)
            fprintf(out, "type nvidia-%u \"NVIDIA A40-%u%c\" framebuffer %u max %u heads 4\n",
                    555 + type, sizes[type % 10], "BQA"[type / 10], sizes[type % 10] * 1024,
                    sizes[type % 10] == 1 ? 32 : 48 / sizes[type % 10]);
    }
    fclose(out);
    return text;
}

void
large_fill(const struct fake_kernel *fake, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned at = 4 + i / 7;
        char parent[32];

        snprintf(parent, sizeof(parent), "0000:%02x:%02x.%x", LARGE_FIRST_BUS + i % 7, at / 8,
                 at % 8);
        if (fake_make(fake, parent, "nvidia-555", scene_device(i)) < 0) {
            fprintf(stderr, "bench: making a vGPU on %s failed\n", parent);
            exit(1);
        }
    }
}
