/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "vendor/nvidia-smi.h"
#include "base/array.h"
#include "base/text.h"
#include "vendor/vendor-tool.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_FOUND 6 /* exit status: what was asked for is not there (nvidia-smi(1)) */

/* --- reading ---------------------------------------------------------------------------------- */

/* The value of a line "    Name      : value" of "nvidia-smi -q"; NULL: the line has another name.
 */
static const char *
value_of(const char *line, const char *name)
{
    line += strspn(line, " ");
    if (strncmp(line, name, strlen(name)))
        return NULL;
    line += strlen(name);
    line += strspn(line, " ");
    return *line == ':' ? line + 1 + strspn(line + 1, " ") : NULL;
}

static bool
is_heading(const char *line, const char *name)
{
    line += strspn(line, " ");
    return !strncmp(line, name, strlen(name)) &&
           !line[strlen(name) + strspn(line + strlen(name), " ")];
}

/* The index of a value among words; 0: it is none of them. */
static unsigned
index_of(const char *value, const char *const words[])
{
    int index = words_index(words, value);

    return index > 0 ? (unsigned)index : 0;
}

static const char *const sizes_words[] = {"", "Disabled", "Enabled", NULL};   /* policy_sizes */
static const char *const slicing_words[] = {"", "Disabled", "Enabled", NULL}; /* policy_slicing */
static const char *const scheduler_words[] = {"", "Best Effort", "Equal Share", "Fixed Share",
                                              NULL}; /* policy_scheduler */

/* The value of "MIG Time-Slicing : Supported", or of "MIG Time-Slicing Mode : Enabled"; NULL: the
 * line is another. NVIDIA's changelog writes "MIG timeslicing", and no page of NVIDIA's shows the
 * lines. So case, blanks and hyphens do not count, and the values tell the two apart. */
static const char *
value_of_slicing(const char *line)
{
    for (const char *letter = "migtimeslic"; *letter; letter++) {
        line += strspn(line, " -");
        if (tolower((unsigned char)*line++) != *letter)
            return NULL;
    }
    line = strchr(line, ':');
    return line ? line + 1 + strspn(line + 1, " ") : NULL;
}

/* A line of the answer. MIG's mode stands in two lines below its heading. */
static void
read_line(const char *line, bool *below_mig, struct nvidia_smi *ret)
{
    const char *current = value_of(line, "Current"), *pending = value_of(line, "Pending");
    const char *sizes = value_of(line, "vGPU Heterogeneous Mode");
    const char *slicing = value_of_slicing(line);

    if (sizes)
        ret->sizes = index_of(sizes, sizes_words);
    ret->has_slicing |= slicing && !strcmp(slicing, "Supported");
    if (slicing && index_of(slicing, slicing_words))
        ret->slicing = index_of(slicing, slicing_words);
    if (*below_mig && current) {
        ret->is_mig = !strcmp(current, "Enabled");
        ret->has_mig = ret->is_mig || !strcmp(current, "Disabled");
    } else if (*below_mig && pending) {
        ret->is_mig_to_be = !strcmp(pending, "Enabled");
    } else {
        *below_mig = is_heading(line, "MIG Mode");
    }
}

/* The lines of a text, which is cut into them. NULL: there is no more. */
static char *
next_line(char **text)
{
    char *line = *text, *end = strchr(line, '\n');

    if (!*line)
        return NULL;
    *text = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    end = line + strlen(line);
    while (end > line && strchr(" \r", end[-1]))
        *--end = '\0';
    return line;
}

static int
read_modes(const struct host *host, const struct name *card, struct nvidia_smi *ret,
           struct error *error)
{
    AUTO_FREE char *text = NULL;
    bool below_mig = false, has_lines = false;
    int rc = vendor_tool_ask(host, (const char *[]){NVIDIA_SMI, "-q", "-i", card->text, NULL},
                             &text, error);
    char *at = text;

    if (rc < 0)
        return rc;
    if (rc > 0)
        return error_set(error, -EIO,
                         NVIDIA_SMI " -q -i %s failed (exit status %d); is NVIDIA's driver loaded?",
                         card->text, rc);
    for (char *line; (line = next_line(&at));) {
        has_lines |= value_of(line, "GPU UUID") != NULL || is_heading(line, "MIG Mode");
        read_line(line, &below_mig, ret);
    }
    return has_lines ? 0
                     : error_set(error, -EBADMSG, NVIDIA_SMI " -q -i %s does not describe a card",
                                 card->text);
}

static int
compare(const void *a, const void *b)
{
    const struct nvidia_smi_instance *left = a, *right = b;
    int order = strcmp(left->profile, right->profile);

    return order ? order : (left->id > right->id) - (left->id < right->id);
}

/* "|   0  MIG 1g.24gb+gfx    47        3          0:1     |": the profile, its id, the id of the
 * instance. */
static int
read_instance(const char *line, struct nvidia_smi *ret, struct error *error)
{
    static const char before[] = " MIG ";
    struct nvidia_smi_instance instance = {.id = NVIDIA_SMI_NO_ID};
    const char *profile = strstr(line, before);

    if (!profile)
        return 0;
    if (sscanf(profile + strlen(before), "%23s %*9u %9u", instance.profile, &instance.id) < 1 ||
        !policy_is_profile_of_instances(instance.profile))
        return error_set(error, -EBADMSG,
                         NVIDIA_SMI " mig -lgi lists \"%.40s\", which is no profile that is known",
                         instance.profile);
    ARRAY_ADD(ret->instances, ret->instance_count, instance);
    return 0;
}

static int
read_instances(const struct host *host, const struct name *card, struct nvidia_smi *ret,
               struct error *error)
{
    AUTO_FREE char *text = NULL;
    int rc = vendor_tool_ask(
        host, (const char *[]){NVIDIA_SMI, "mig", "-i", card->text, "-lgi", NULL}, &text, error);
    char *at = text;

    if (rc == NOT_FOUND)
        return 0;
    if (rc > 0)
        rc = error_set(error, -EIO, NVIDIA_SMI " mig -i %s -lgi failed (exit status %d)",
                       card->text, rc);
    for (char *line; rc == 0 && (line = next_line(&at));)
        rc = read_instance(line, ret, error);
    if (ret->instance_count)
        qsort(ret->instances, ret->instance_count, sizeof(*ret->instances), compare);
    return rc;
}

/* Asks for one value, by the name of its line. The first one counts: of the engines of a card or
 * an instance, the one for graphics and compute comes first, and others have best effort only.
 * Returns whether the tool answers, which it may refuse for many reasons: it is older, the instance
 * takes one vGPU. */
static bool
ask_value(const struct host *host, const char *const argv[], const char *name,
          const char *const words[], unsigned *ret)
{
    AUTO_FREE char *text = NULL;
    struct error ignored;
    int rc = vendor_tool_ask(host, argv, &text, &ignored);
    char *at = text;

    *ret = 0;
    for (char *line; rc == 0 && (line = next_line(&at));) {
        const char *value = value_of(line, name);

        if (!value)
            continue;
        *ret = index_of(value, words);
        return true;
    }
    return false;
}

#define SCHEDULER "Scheduler Policy"

static void
read_modes_of(const struct host *host, const struct name *card, struct nvidia_smi_instance *ret)
{
    char id[16];

    snprintf(id, sizeof(id), "%u", ret->id);
    if (ret->id == NVIDIA_SMI_NO_ID ||
        !ask_value(host,
                   (const char *[]){NVIDIA_SMI, "vgpu", "-i", card->text, "-gi", id, "-ghm", NULL},
                   "vGPU Heterogeneous Mode", sizes_words, &ret->sizes))
        return;
    ret->is_shared = true;
    (void)ask_value(host,
                    (const char *[]){NVIDIA_SMI, "vgpu", "-i", card->text, "-gi", id, "-ss", NULL},
                    SCHEDULER, scheduler_words, &ret->scheduler);
}

/* In MIG mode a card has no scheduler (NVML's changelog, 575). */
static void
read_scheduler(const struct host *host, const struct name *card, struct nvidia_smi *ret)
{
    (void)ask_value(host, (const char *[]){NVIDIA_SMI, "vgpu", "-i", card->text, "-ss", NULL},
                    SCHEDULER, scheduler_words, &ret->scheduler);
}

int
nvidia_smi_read(const struct host *host, const struct name *card, struct nvidia_smi *ret,
                struct error *error)
{
    int rc;

    *ret = (struct nvidia_smi){0};
    rc = read_modes(host, card, ret, error);
    if (rc == 0 && ret->is_mig)
        rc = read_instances(host, card, ret, error);
    else if (rc == 0)
        read_scheduler(host, card, ret);
    for (size_t i = 0; rc == 0 && ret->has_slicing && i < ret->instance_count; i++)
        read_modes_of(host, card, &ret->instances[i]);
    return rc;
}

void
nvidia_smi_clear(struct nvidia_smi *answer)
{
    free(answer->instances);
    *answer = (struct nvidia_smi){0};
}

/* --- changing --------------------------------------------------------------------------------- */

int
nvidia_smi_set_mig(const struct host *host, const struct name *card, bool on, struct error *error)
{
    return vendor_tool_run(
        host, (const char *[]){NVIDIA_SMI, "-i", card->text, "-mig", on ? "1" : "0", NULL}, error);
}

int
nvidia_smi_set_mixed(const struct host *host, const struct name *card, bool on, struct error *error)
{
    return vendor_tool_run(
        host, (const char *[]){NVIDIA_SMI, "vgpu", "-i", card->text, "-shm", on ? "1" : "0", NULL},
        error);
}

int
nvidia_smi_make_instances(const struct host *host, const struct name *card,
                          const struct words *profiles, struct error *error)
{
    char line[1024];
    struct text list = text_on(line, sizeof(line));

    for (size_t i = 0; i < profiles->count; i++)
        text_join(&list, ",", "%s", profiles->items[i]);
    return vendor_tool_run(
        host, (const char *[]){NVIDIA_SMI, "mig", "-i", card->text, "-cgi", line, "-C", NULL},
        error);
}

int
nvidia_smi_remove_instances(const struct host *host, const struct name *card, struct error *error)
{
    int rc = vendor_tool_run(
        host, (const char *[]){NVIDIA_SMI, "mig", "-i", card->text, "-dci", NULL}, error);

    /* Instances without compute instances have nothing for the first command to remove. */
    if (rc == 0 || rc == -EIO)
        rc = vendor_tool_run(
            host, (const char *[]){NVIDIA_SMI, "mig", "-i", card->text, "-dgi", NULL}, error);
    return rc;
}

int
nvidia_smi_reset(const struct host *host, const struct name *card, struct error *error)
{
    return vendor_tool_run(
        host, (const char *[]){NVIDIA_SMI, "--gpu-reset", "-i", card->text, NULL}, error);
}

int
nvidia_smi_set_slicing(const struct host *host, const struct name *card, bool on,
                       struct error *error)
{
    return vendor_tool_try(
        host, (const char *[]){NVIDIA_SMI, "vgpu", "-i", card->text, "-smts", on ? "1" : "0", NULL},
        error);
}

int
nvidia_smi_set_instance_mixed(const struct host *host, const struct name *card, unsigned instance,
                              bool on, struct error *error)
{
    char id[16];

    snprintf(id, sizeof(id), "%u", instance);
    return vendor_tool_try(host,
                           (const char *[]){NVIDIA_SMI, "vgpu", "-i", card->text, "-gi", id, "-shm",
                                            on ? "1" : "0", NULL},
                           error);
}

/* The tool's numbers of the schedulers are those of enum policy_scheduler. */
int
nvidia_smi_set_scheduler(const struct host *host, const struct name *card, unsigned instance,
                         unsigned scheduler, struct error *error)
{
    char id[16], number[16];
    bool is_card = instance == NVIDIA_SMI_NO_ID;
    const char *of_card[] = {NVIDIA_SMI, "vgpu", "set-scheduler-state", "-i", card->text, "-p",
                             number,     NULL};
    const char *of_instance[] = {
        NVIDIA_SMI, "vgpu", "set-scheduler-state", "-i", card->text, "-gi", id, "-p", number, NULL};

    snprintf(id, sizeof(id), "%u", instance);
    snprintf(number, sizeof(number), "%u", scheduler);
    return vendor_tool_try(host, is_card ? of_card : of_instance, error);
}
