/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/learning.h"
#include "base/memory.h"
#include "capture/harmless.h"
#include "capture/path-text.h"
#include "device/type-cache.h"

#include <string.h>

/* Learns the domains of "NAME.xml". */
void
learning_guests(struct stand_ins *stand_ins, const char *text)
{
    AUTO_FREE char *names = memory_copy(text);
    char *rest = names, *name;

    while ((name = strsep(&rest, "/"))) {
        name[path_text_guest(name)] = '\0';
        if (*name)
            stand_ins_learn(stand_ins, STAND_IN_DOMAIN, name);
    }
}

static void
learn_type(struct stand_ins *stand_ins, const char *name)
{
    if (!harmless_is_type_name(name))
        return;
    stand_ins_learn_harmless(stand_ins, name);
    stand_ins_learn_harmless(stand_ins, inventory_last_word(name));
}

/* Names that the kernel gives to types and to their parents. */
void
learning_names(struct stand_ins *stand_ins, const char *text)
{
    AUTO_FREE char *names = memory_copy(text);
    char *rest = names, *name;

    while ((name = strsep(&rest, "/")))
        learn_type(stand_ins, name);
}

void
learning_name(struct stand_ins *stand_ins, const char *text)
{
    AUTO_FREE char *name = memory_copy_bytes(text, strcspn(text, "\n"));

    learn_type(stand_ins, name);
}

/* Learns the names of a list that NVIDIA's driver gives: "1145 : NVIDIA L40S-1B" or
 * "NVIDIA A40-1Q 557". */
void
learning_creatable(struct stand_ins *stand_ins, const char *text)
{
    AUTO_FREE char *lines = memory_copy(text);
    char *rest = lines, *line;

    while ((line = strsep(&rest, "\n"))) {
        char *name = strchr(line, ':'), *blank = strrchr(line, ' ');

        if (name)
            name += 1 + strspn(name + 1, " \t");
        else if (blank)
            *blank = '\0';
        learn_type(stand_ins, name ? name : line);
    }
}

/* Learns the names in NVIDIA's table: name="GRID T4-1B". Cards that are not here have types there
 * too, whose names are as harmless. */
void
learning_table(struct stand_ins *stand_ins, const char *text)
{
    static const char begin[] = "name=\"";

    for (const char *at = strstr(text, begin); at; at = strstr(at, begin)) {
        AUTO_FREE char *name = NULL;

        at += strlen(begin);
        name = memory_copy_bytes(at, strcspn(at, "\""));
        learn_type(stand_ins, name);
    }
}

/* Learns the names in our cache of types: "GPU ID NAME" in each line. */
void
learning_cache(struct stand_ins *stand_ins, const char *text)
{
    AUTO_FREE char *lines = memory_copy(text);
    char *rest = lines, *line;

    while ((line = strsep(&rest, "\n"))) {
        const struct type_cache_line words = type_cache_split(line);
        struct name address, type;

        if (!words.name || name_parse_pci(&address, words.gpu) < 0 ||
            name_parse(&type, words.id) < 0)
            continue;
        learn_type(stand_ins, words.name);
        if (harmless_is_type_name(words.name))
            stand_ins_learn_harmless(stand_ins, words.id);
    }
}

/* Learns the name of a driver. */
void
learning_driver(struct stand_ins *stand_ins, const char *text)
{
    const char *slash = strrchr(text, '/');
    struct name driver;

    if (slash && name_parse(&driver, slash + 1) == 0)
        stand_ins_learn_harmless(stand_ins, driver.text);
}
