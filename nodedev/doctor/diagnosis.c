/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/diagnosis.h"
#include "base/array.h"
#include "base/reader.h"
#include "device/scan.h"
#include "lease/statedir.h"
#include "policy/policy-load.h"

#include <stdio.h>

const char *
diagnosis_severity_name(enum diagnosis_severity severity)
{
    static const char *const names[] = {
        [DIAGNOSIS_NOTE] = "note",
        [DIAGNOSIS_WARNING] = "warning",
        [DIAGNOSIS_ERROR] = "error",
    };

    return names[severity];
}

void
diagnosis_add(struct diagnosis *diagnosis, const char *format, ...)
{
    struct diagnosis_finding finding = {.check = diagnosis->check};
    va_list args;

    va_start(args, format);
    error_vset(&finding.text, 0, format, args);
    va_end(args);
    ARRAY_ADD(diagnosis->findings, diagnosis->count, finding);
    if (finding.check->severity > DIAGNOSIS_NOTE)
        diagnosis->faults++;
}

void
diagnosis_advise(struct diagnosis *diagnosis, const char *format, ...)
{
    va_list args;

    if (diagnosis->count == 0)
        return;
    va_start(args, format);
    error_vset(&diagnosis->findings[diagnosis->count - 1].remedy, 0, format, args);
    va_end(args);
}

/* The faults say what is missing. */
static int
read_all(const char *uri, struct diagnosis *diagnosis, struct error *error)
{
    struct error fault;
    int rc;

    if (policy_load(diagnosis->host, &diagnosis->policy, &fault) < 0)
        diagnosis->policy_fault = fault;
    if (statedir_peek(diagnosis->host, &diagnosis->ledger, &fault) < 0)
        diagnosis->ledger_fault = fault;
    reader_begin(diagnosis->host->reader, READER_PATIENCE);
    rc = scan_host(diagnosis->host, &diagnosis->policy, &inventory_no_types, &diagnosis->inventory,
                   error);
    /* Last: what was seen is somebody's by then. */
    if (rc == 0 && uri && references_ask(diagnosis->host, uri, &diagnosis->references, &fault) < 0)
        diagnosis->libvirt_fault = fault;
    return rc;
}

static void
run_check(struct diagnosis *diagnosis, const struct diagnosis_check *check)
{
    struct domains_walk walk = {0};

    diagnosis->check = check;
    if (check->look)
        check->look(diagnosis);
    if (check->look_at_card)
        diagnosis_visit_cards(diagnosis, check->look_at_card);
    while (check->look_at_hostdev && domains_next_hostdev(&diagnosis->references.domains, &walk))
        check->look_at_hostdev(diagnosis, walk.domain, walk.hostdev);
}

int
diagnosis_make(const struct host *host, const char *uri, struct diagnosis *ret, struct error *error)
{
    static const struct diagnosis_check *const tables[] = {
        hook_checks,     security_checks, kernel_checks, boot_checks,
        function_checks, xe_checks,       state_checks,  domain_checks,
    };
    int rc;

    *ret = DIAGNOSIS_NONE;
    ret->host = host;
    ret->uri = uri;
    rc = read_all(uri, ret, error);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < COUNT(tables); i++) {
        for (const struct diagnosis_check *check = tables[i]; check->name; check++)
            run_check(ret, check);
    }
    return 0;
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
