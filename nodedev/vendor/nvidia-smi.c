/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "vendor/nvidia-smi.h"
#include "base/text.h"
#include "vendor/vendor-tool.h"

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

/* A line of the answer. MIG's mode stands in two lines below its heading. */
static void
read_line(const char *line, bool *below_mig, struct nvidia_smi *ret)
{
    const char *current = value_of(line, "Current"), *pending = value_of(line, "Pending");
    const char *sizes = value_of(line, "vGPU Heterogeneous Mode");

    if (sizes && !strcmp(sizes, "Enabled"))
        ret->sizes = POLICY_SIZES_MIXED;
    else if (sizes && !strcmp(sizes, "Disabled"))
        ret->sizes = POLICY_SIZES_EQUAL;
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
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "|   0  MIG 1g.24gb+gfx    47        3          0:1     |" */
static int
read_instance(char *line, struct words *ret, struct error *error)
{
    static const char before[] = " MIG ";
    char *profile = strstr(line, before);

    if (!profile)
        return 0;
    profile += strlen(before);
    profile[strcspn(profile, " ")] = '\0';
    if (!policy_is_profile_of_instances(profile))
        return error_set(error, -EBADMSG,
                         NVIDIA_SMI " mig -lgi lists \"%.40s\", which is no profile that is known",
                         profile);
    words_add(ret, profile);
    return 0;
}

static int
read_instances(const struct host *host, const struct name *card, struct words *ret,
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
    if (ret->count)
        qsort(ret->items, ret->count, sizeof(*ret->items), compare);
    return rc;
}

int
nvidia_smi_read(const struct host *host, const struct name *card, struct nvidia_smi *ret,
                struct error *error)
{
    int rc;

    *ret = (struct nvidia_smi){0};
    rc = read_modes(host, card, ret, error);
    return rc == 0 && ret->is_mig ? read_instances(host, card, &ret->instances, error) : rc;
}

void
nvidia_smi_clear(struct nvidia_smi *answer)
{
    words_clear(&answer->instances);
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
