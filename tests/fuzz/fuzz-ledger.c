/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A ledger stays the same when it is written and read again. */

#include "fuzz/fuzz.h"
#include "lease/ledger.h"

#include <string.h>

#define BOOT "0b6a3c55-9d2a-4e0b-8f64-2f1f4f6f7d10"

static void
must_be_same(const struct lease *a, const struct lease *b)
{
    MUST(a->vgpu.interface == b->vgpu.interface);
    MUST(name_equal(&a->vgpu.device, &b->vgpu.device));
    MUST(name_equal(&a->vgpu.type, &b->vgpu.type));
    MUST(name_equal(&a->vgpu.parent, &b->vgpu.parent));
    MUST(a->framebuffer == b->framebuffer);
    MUST(name_equal(&a->gpu, &b->gpu));
    MUST(name_equal(&a->domain, &b->domain));
    MUST(!strcmp(a->domain_name, b->domain_name));
    MUST(!strcmp(a->alias, b->alias));
    MUST(a->state == b->state && a->origin == b->origin && a->release == b->release);
    MUST(process_same(a->daemon, b->daemon));
    MUST(a->claim == b->claim && a->time == b->time);
}

/* Each lease can be found by its device, and no device has two leases. */
static void
must_be_sound(const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        MUST(ledger_find(ledger, &lease->vgpu.device) == lease);
        MUST(ledger_has_domain(ledger, &lease->domain));
        MUST(!strpbrk(lease->vgpu.device.text, "/ \n") && *lease->vgpu.device.text);
        MUST(!strpbrk(lease->vgpu.parent.text, "/ \n") && *lease->vgpu.parent.text);
        MUST(lease->claim <= INT64_MAX && lease->daemon.pid >= 0);
        MUST(*lease_state_name(lease->state));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(ledger_clear) struct ledger ledger = {0}, again = {0};
    AUTO_FREE char *text = strndup((const char *)data, size), *written = NULL, *copy = NULL;
    AUTO_FREE char *rewritten = NULL;
    struct error error = {0};

    if (ledger_parse(text, BOOT, vgpu_built_in, &ledger, &error) < 0) {
        MUST(strstr(error.text, "line ") && !ledger.leases);
        return 0;
    }
    must_be_sound(&ledger);
    written = ledger_format(&ledger, BOOT);
    copy = strdup(written);
    MUST(ledger_parse(copy, BOOT, vgpu_built_in, &again, &error) == 0);
    MUST(again.count == ledger.count && again.next_claim == ledger.next_claim);
    for (size_t i = 0; i < ledger.count; i++)
        must_be_same(&ledger.leases[i], &again.leases[i]);
    rewritten = ledger_format(&again, BOOT);
    MUST(!strcmp(written, rewritten));
    return 0;
}
