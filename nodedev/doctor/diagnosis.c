/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/diagnosis.h"
#include "base/array.h"

#include <stdio.h>
#include <string.h>

const char *const diagnosis_severity_words[] = {
    [DIAGNOSIS_ACCEPTED] = "accepted",
    [DIAGNOSIS_NOTE] = "note",
    [DIAGNOSIS_WARNING] = "warning",
    [DIAGNOSIS_ERROR] = "error",
};

void
diagnosis_add(struct diagnosis *diagnosis, const char *format, ...)
{
    bool is_accepted = words_has(&diagnosis->policy.accepted, diagnosis->check->name);
    struct diagnosis_finding finding = {
        .check = diagnosis->check,
        .severity = is_accepted ? DIAGNOSIS_ACCEPTED : diagnosis->check->severity,
    };
    va_list args;

    va_start(args, format);
    error_vset(&finding.text, 0, format, args);
    va_end(args);
    ARRAY_ADD(diagnosis->findings, diagnosis->count, finding);
    diagnosis->faults += finding.severity > DIAGNOSIS_NOTE;
}

struct name
diagnosis_node_name(const struct name *device)
{
    struct name ret = {0};

    snprintf(ret.text, sizeof(ret.text), "pci_%.59s", device->text);
    for (char *at = ret.text; *at; at++) {
        if (*at == ':' || *at == '.')
            *at = '_';
    }
    return ret;
}

void
diagnosis_make_note(struct diagnosis *diagnosis)
{
    struct diagnosis_finding *finding = &diagnosis->findings[diagnosis->count - 1];

    if (finding->severity <= DIAGNOSIS_NOTE)
        return;
    finding->severity = DIAGNOSIS_NOTE;
    diagnosis->faults--;
}

static void
append(struct error *line, const char *text)
{
    size_t at = strlen(line->text);

    snprintf(line->text + at, sizeof(line->text) - at, "%s", text);
}

/* Returns what separates a part of a remedy from the part before it. */
static const char *
separator(const struct diagnosis_part *before, const struct error *text)
{
    if (!before->is_command)
        return " ";
    return strcmp(text->text, "or:") ? "; " : ", ";
}

static void FORMAT(3, 0)
    add_part(struct diagnosis *diagnosis, bool is_command, const char *format, va_list args)
{
    struct diagnosis_finding *finding;
    struct diagnosis_part *part;
    struct error text;

    if (diagnosis->count == 0)
        return;
    finding = &diagnosis->findings[diagnosis->count - 1];
    if (finding->part_count == COUNT(finding->parts))
        return;
    part = &finding->parts[finding->part_count++];
    error_vset(&text, 0, format, args);
    if (part > finding->parts)
        append(&finding->remedy, separator(part - 1, &text));
    part->is_command = is_command;
    part->begin = strlen(finding->remedy.text);
    append(&finding->remedy, text.text);
    part->end = strlen(finding->remedy.text);
}

void
diagnosis_advise(struct diagnosis *diagnosis, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_part(diagnosis, false, format, args);
    va_end(args);
}

void
diagnosis_command(struct diagnosis *diagnosis, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_part(diagnosis, true, format, args);
    va_end(args);
}

void
diagnosis_clear(struct diagnosis *diagnosis)
{
    policy_clear(&diagnosis->policy);
    ledger_clear(&diagnosis->ledger);
    inventory_clear(&diagnosis->inventory);
    references_clear(&diagnosis->references);
    free(diagnosis->findings);
    *diagnosis = DIAGNOSIS_NONE;
}
