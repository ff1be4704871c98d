/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The fake kernel makes a machine of a capture. The machine offers what the captured host
 * offers. */

#include "fake/captured.h"
#include "fake/typed.h"

#include <stdio.h>
#include <string.h>

static struct scene scene;
static struct typed theirs, ours;

/* Compares output that does not depend on the present vGPUs. */
static void
compare(const char *name, const char *line)
{
    AUTO_FREE char *there = NULL;

    assert_true(asprintf(&there, "%s --root %s/tests/captures/%s", line, scene_sources(), name) >
                0);
    typed_run(&scene, NULL, there, &theirs);
    typed_run(&scene, NULL, line, &ours);
    if (strcmp(theirs.printed, ours.printed) != 0 || *theirs.faults || *ours.faults)
        fail_msg("%s: %s\n%s%s-- but the machine has:\n%s%s", name, line, theirs.printed,
                 theirs.faults, ours.printed, ours.faults);
}

UNIT_TEST(each_offers_the_same)
{
    AUTO(words_clear) struct words names = {0};

    captured_list(&names);
    assert_true(names.count >= 5);
    for (size_t i = 0; i < names.count; i++) {
        AUTO(captured_clear) struct captured captured = {0};

        captured_read(&captured, names.items[i]);
        scene_start(&scene, captured.machine);
        scene_configure(&scene, captured.configuration);
        compare(names.items[i], "vgpuctl types -o GPU,TYPE,NAME,FRAMEBUFFER,HEADS,MAX,SLICES");
        compare(names.items[i], "vgpuctl gpus -o GPU,NAME,NUMA,INTERFACE,TOTAL,ENABLED");
        scene_stop(&scene);
    }
    typed_clear(&theirs);
    typed_clear(&ours);
}
