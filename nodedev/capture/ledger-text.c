/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/ledger-text.h"
#include "base/memory.h"
#include "capture/path-text.h"
#include "lease/ledger.h"

#include <stdio.h>
#include <string.h>

#define BROKEN "?" /* in place of a line that cannot be read */
#define BOOT   "boot"

/* Reads one lease. The caller clears the ledger. */
static bool
parse_line(const char *line, struct ledger *ret)
{
    AUTO_FREE char *text = memory_format("libvirt-vgpu-ledger 1 " BOOT " 1\n%s\n", line);
    struct error ignored;

    return ledger_parse(text, BOOT, vgpu_built_in, ret, &ignored) == 0 && ret->count == 1;
}

static void
set_name(struct name *name, char *text)
{
    AUTO_FREE char *other = text;

    snprintf(name->text, sizeof(name->text), "%s", other);
}

static void
hide(struct stand_ins *stand_ins, struct lease *lease)
{
    AUTO_FREE char *domain = NULL, *alias = NULL;

    /* Nobody knows what this word may tell. */
    if (*lease->kind.text)
        snprintf(lease->kind.text, sizeof(lease->kind.text), "unknown");

    set_name(&lease->vgpu.device, path_text_device(stand_ins, lease->vgpu.device.text));
    set_name(&lease->vgpu.parent, path_text_device(stand_ins, lease->vgpu.parent.text));
    set_name(&lease->vgpu.type, path_text_type(stand_ins, lease->vgpu.type.text));
    if (*lease->gpu.text)
        set_name(&lease->gpu, path_text_device(stand_ins, lease->gpu.text));
    set_name(&lease->domain, path_text_uuid(stand_ins, lease->domain.text));
    if (*lease->domain_name) {
        domain = stand_ins_use(stand_ins, STAND_IN_DOMAIN, lease->domain_name);
        snprintf(lease->domain_name, sizeof(lease->domain_name), "%s", domain);
    }
    if (*lease->alias) {
        alias = path_text_alias(stand_ins, lease->alias);
        snprintf(lease->alias, sizeof(lease->alias), "%s", alias);
    }
}

/* Returns what is left of a line. The caller frees it. */
static char *
copy_line(struct stand_ins *stand_ins, const char *line)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    AUTO_FREE char *text = NULL;
    const char *lease;

    if (!*line || !parse_line(line, &ledger))
        return memory_copy(*line ? BROKEN : "");
    hide(stand_ins, &ledger.leases[0]);
    text = ledger_format(&ledger, BOOT);
    lease = strchr(text, '\n') + 1;
    return memory_copy_bytes(lease, strcspn(lease, "\n"));
}

/* The header has a title, a version, the boot's id, and a number. */
static char *
copy_header(struct stand_ins *stand_ins, const char *line)
{
    static const char title[] = "libvirt-vgpu-ledger";
    AUTO_FREE char *boot = NULL;
    unsigned long long claim;
    char id[64], more;
    unsigned version;

    if (strncmp(line, title, strlen(title)) != 0 ||
        sscanf(line + strlen(title), "%9u", &version) != 1)
        return memory_copy(BROKEN);
    if (sscanf(line + strlen(title), "%*9u %63s %19llu%c", id, &claim, &more) != 2)
        return memory_format("%s %u", title, version);
    boot = path_text_uuid(stand_ins, id);
    return memory_format("%s %u %s %llu", title, version, boot, claim);
}

char *
ledger_text_copy(struct stand_ins *stand_ins, const char *text)
{
    AUTO_FREE char *copy = memory_copy(text);
    char *rest = copy, *line, *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
        AUTO_FREE char *other =
            number == 1 ? copy_header(stand_ins, line) : copy_line(stand_ins, line);

        fprintf(out, "%s%s", other, rest ? "\n" : "");
    }
    memory_stream_end(out, &ret);
    return ret;
}

void
ledger_text_learn(struct stand_ins *stand_ins, const char *text)
{
    AUTO_FREE char *copy = memory_copy(text);
    char *rest = copy, *line;

    while ((line = strsep(&rest, "\n"))) {
        AUTO(ledger_clear) struct ledger ledger = {0};

        if (*line && parse_line(line, &ledger) && *ledger.leases[0].domain_name)
            stand_ins_learn(stand_ins, STAND_IN_DOMAIN, ledger.leases[0].domain_name);
    }
}
