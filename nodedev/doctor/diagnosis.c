/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/diagnosis.h"
#include "base/memory.h"
#include "base/reader.h"
#include "base/suggest.h"
#include "device/pci.h"
#include "device/scan.h"
#include "lease/drained.h"
#include "lease/statedir.h"
#include "policy/policy-load.h"
#include "sriov/sriov-gpu.h"

#include <stdio.h>
#include <string.h>

void
diagnosis_add(struct diagnosis *diagnosis, const char *format, ...)
{
    const struct diagnosis_check *check = diagnosis->check;
    bool is_accepted = words_has(&diagnosis->policy.accepted, check->name);
    va_list args;

    va_start(args, format);
    findings_vadd(&diagnosis->found, is_accepted ? FINDING_ACCEPTED : check->severity, check->name,
                  NULL, 0, format, args);
    va_end(args);
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
    struct finding *last = &diagnosis->found.items[diagnosis->found.count - 1];

    if (last->severity > FINDING_NOTE)
        last->severity = FINDING_NOTE;
}

void
diagnosis_advise(struct diagnosis *diagnosis, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    findings_step(&diagnosis->found, false, memory_vformat(format, args));
    va_end(args);
}

void
diagnosis_command(struct diagnosis *diagnosis, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    findings_step(&diagnosis->found, true, memory_vformat(format, args));
    va_end(args);
}

void
diagnosis_clear(struct diagnosis *diagnosis)
{
    policy_clear(&diagnosis->policy);
    ledger_clear(&diagnosis->ledger);
    inventory_clear(&diagnosis->inventory);
    references_clear(&diagnosis->references);
    findings_clear(&diagnosis->found);
    *diagnosis = DIAGNOSIS_NONE;
}

/* --- running the checks ----------------------------------------------------------------------- */

/* Calls a check for each card that can have virtual functions and that it concerns, except for
 * those that the configuration disables. */
static void
look_at_cards(struct diagnosis *diagnosis, const struct diagnosis_check *check)
{
    AUTO(names_clear) struct names devices = {0};

    if (host_list(diagnosis->host, &devices, PCI_DEVICES) < 0)
        return;
    for (size_t i = 0; i < devices.count; i++) {
        const struct policy_gpu *said = policy_find_gpu(&diagnosis->policy, &devices.items[i]);
        AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};

        if ((!said || said->enabled) &&
            sriov_gpu_read(diagnosis->host, &devices.items[i], &card) == 0 &&
            (!check->concerns || check->concerns(diagnosis->host, &card)))
            check->look_at_card(diagnosis, &card);
    }
}

static void
run_check(struct diagnosis *diagnosis, const struct diagnosis_check *check)
{
    struct domains_walk walk = {0};

    diagnosis->check = check;
    if (check->look)
        check->look(diagnosis);
    for (size_t i = 0; check->look_at_gpu && i < diagnosis->inventory.gpu_count; i++)
        check->look_at_gpu(diagnosis, diagnosis->inventory.gpus[i]);
    if (check->look_at_card)
        look_at_cards(diagnosis, check);
    while (check->look_at_hostdev && domains_next_hostdev(&diagnosis->references.domains, &walk))
        check->look_at_hostdev(diagnosis, walk.domain, walk.hostdev);
}

/* Reads everything that the checks look at. What cannot be read sets a fault. */
static int
read_all(const struct host *host, const char *uri, struct diagnosis *ret, struct error *error)
{
    struct error fault;
    int rc;

    *ret = DIAGNOSIS_NONE;
    ret->host = host;
    ret->uri = uri;
    if (policy_load(host, &ret->policy, &fault) < 0)
        ret->policy_fault = fault;
    if (statedir_peek(host, &ret->ledger, &fault) < 0)
        ret->ledger_fault = fault;
    if (!*ret->policy_fault.text && drained_check(ret->ledger.drained_rc, &fault) < 0)
        ret->policy_fault = fault;
    reader_begin(host->reader, READER_PATIENCE);
    rc = scan_host(host, &ret->policy, &inventory_no_types, &ret->inventory, error);
    /* Domains are read last. Then the domain of each vGPU that was seen is read as well. */
    if (rc == 0 && uri && references_ask(host, uri, &ret->references, &fault) < 0)
        ret->libvirt_fault = fault;
    return rc;
}

static const struct diagnosis_check *const tables[] = {
    hook_checks,   security_checks, card_checks, kernel_checks,   setup_checks, function_checks,
    nvidia_checks, xe_checks,       pool_checks, emulated_checks, state_checks, domain_checks,
};

/* Whether a word of vgpu.conf (accept) is the name of a check. The names are offered as what was
 * meant. */
static bool
is_check(const char *word, struct suggest *suggest)
{
    bool found = false;

    for (size_t i = 0; i < COUNT(tables); i++) {
        for (const struct diagnosis_check *check = tables[i]; check->name; check++) {
            found |= !strcmp(check->name, word);
            suggest_offer(suggest, check->name);
        }
    }
    return found;
}

static void
look_at_accepted(struct diagnosis *diagnosis)
{
    static const struct diagnosis_check check = {"accept", FINDING_NOTE, NULL, NULL,
                                                 NULL,     NULL,         NULL};
    const struct words *accepted = &diagnosis->policy.accepted;

    diagnosis->check = &check;
    for (size_t i = 0; i < accepted->count; i++) {
        struct suggest suggest = SUGGEST(accepted->items[i]);

        if (!is_check(accepted->items[i], &suggest))
            diagnosis_add(diagnosis,
                          "vgpu.conf (accept) names \"%s\", and no finding is called so%s",
                          accepted->items[i], suggest_text(&suggest).text);
    }
}

int
diagnosis_make(const struct host *host, const char *uri, struct diagnosis *ret, struct error *error)
{
    int rc = read_all(host, uri, ret, error);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < COUNT(tables); i++) {
        for (const struct diagnosis_check *check = tables[i]; check->name; check++)
            run_check(ret, check);
    }
    look_at_accepted(ret);
    return 0;
}
