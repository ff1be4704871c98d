/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "vendor/nvidia-scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY    "RmPVMRL="
#define DEVICE "pci="

const unsigned nvidia_scheduler_values[NVIDIA_SCHEDULERS] = {
    [POLICY_SCHEDULER_BEST_EFFORT] = 0x00,
    [POLICY_SCHEDULER_EQUAL_SHARE] = 0x01,
    [POLICY_SCHEDULER_FIXED_SHARE] = 0x11,
};

/* Returns the value of a parameter of the module, and what follows it; NULL: it is not there. */
static char *
find_parameter(char *text, const char *name)
{
    size_t length = strlen(name);

    for (char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, name, length) && !strncmp(line + length, ": \"", 3))
            return line + length + 3;
    }
    return NULL;
}

static unsigned
scheduler_of(const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 0);

    for (unsigned i = POLICY_SCHEDULER_BEST_EFFORT; end != value && i < NVIDIA_SCHEDULERS; i++) {
        if (nvidia_scheduler_values[i] == (number & 0xff))
            return i;
    }
    return POLICY_SCHEDULER_UNSAID;
}

/* Whether a word names a card: "domain:bus:slot.function", or without the domain and the
 * function. */
static bool
is_device(const char *word, const struct name *gpu)
{
    char full[64];
    struct name name;
    bool has_domain = strchr(word, ':') != strrchr(word, ':');

    snprintf(full, sizeof(full), "%s%.40s%s", has_domain ? "" : "0000:", word,
             strchr(word, '.') ? "" : ".0");
    return name_parse_pci(&name, full) == 0 && name_equal(&name, gpu);
}

/* Finds the key in a list of words with ";" between them. Words behind an address are that card's.
 * Returns NULL if the key is not there for the card. */
static const char *
find_key(char *list, const struct name *gpu)
{
    const char *found = NULL;
    char *save = NULL;
    bool is_meant = true;

    for (char *word = strtok_r(list, "; ", &save); word; word = strtok_r(NULL, "; ", &save)) {
        if (!strncmp(word, DEVICE, strlen(DEVICE)))
            is_meant = is_device(word + strlen(DEVICE), gpu);
        else if (is_meant && !strncmp(word, KEY, strlen(KEY)))
            found = word + strlen(KEY);
    }
    return found;
}

unsigned
nvidia_scheduler_read(const struct host *host, const struct name *gpu)
{
    static const char *const names[] = {"RegistryDwordsPerDevice", "RegistryDwords"};
    char text[8192];
    ssize_t length = host_read(host, text, sizeof(text), NVIDIA_SCHEDULER_PATH);
    bool is_told = false;

    for (size_t i = 0; length > 0 && i < COUNT(names); i++) {
        char copy[sizeof(text)];
        const char *value = NULL;
        char *list;

        memcpy(copy, text, (size_t)length + 1);
        list = find_parameter(copy, names[i]);
        if (list) {
            is_told = true;
            list[strcspn(list, "\"\n")] = '\0';
            value = find_key(list, gpu);
        }
        if (value)
            return scheduler_of(value);
    }
    return is_told ? POLICY_SCHEDULER_BEST_EFFORT : POLICY_SCHEDULER_UNSAID;
}
