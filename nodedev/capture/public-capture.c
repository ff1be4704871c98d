/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/public-capture.h"
#include "base/memory.h"
#include "base/reader.h"
#include "capture/card-facts.h"
#include "capture/card-policy.h"
#include "device/nvidia-table.h"
#include "device/scan.h"
#include "device/type-cache.h"
#include "policy/policy-load.h"
#include "vendor/nvidia-scheduler.h"

#include <stdio.h>
#include <string.h>

void
public_capture_look(struct public_capture *public, const struct host *host)
{
    struct error ignored;

    public->policy_rc = policy_load_traced(host, &public->policy, &public->trace, &ignored);
    reader_begin(host->reader, READER_PATIENCE);
    (void)!scan_host(host, &public->policy, &inventory_all_types, &public->inventory, &ignored);
}

void
public_capture_clear(struct public_capture *public)
{
    policy_clear(&public->policy);
    setting_trace_clear(&public->trace);
    inventory_clear(&public->inventory);
}

/* Of the parameters of NVIDIA's module the schedulers are left, written anew. */
static void
add_schedulers(struct recording *recording, const struct inventory *inventory, struct answers *ret)
{
    const struct answer *asked =
        answers_find(&recording->answers, ANSWER_READ, NVIDIA_SCHEDULER_PATH);
    char *text = NULL;
    size_t length;
    FILE *out;

    if (!asked || asked->error)
        return;
    out = memory_stream(&text, &length);
    fputs("RegistryDwordsPerDevice: \"", out);
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct name *gpu = &inventory->gpus[i]->name;
        unsigned scheduler = nvidia_scheduler_read(&recording->host, gpu);

        if (scheduler != POLICY_SCHEDULER_UNSAID)
            fprintf(out, "pci=%s;RmPVMRL=0x%02x;", gpu->text, nvidia_scheduler_values[scheduler]);
    }
    fputs("\"\n", out);
    memory_stream_end(out, &text);
    answers_add(ret, ANSWER_READ, NVIDIA_SCHEDULER_PATH, text, (ssize_t)length);
    free(text);
}

/* The directory of the configuration is where most hosts have it. */
void
public_capture_take(struct public_capture *public, struct recording *recording, struct answers *ret)
{
    static const char config[] = "etc/libvirt-vgpu";
    const struct inventory *inventory = &public->inventory;
    AUTO_FREE char *types = type_cache_text(inventory);
    AUTO_FREE char *conf =
        card_policy_text(&public->policy, &public->trace, &recording->host, inventory);

    card_facts_take(&recording->answers, ret);
    add_schedulers(recording, inventory, ret);
    answers_add(ret, ANSWER_READ, TYPE_CACHE_PATH, types, (ssize_t)strlen(types));
    answers_add(ret, ANSWER_HOST, "config", config, (ssize_t)strlen(config));
    answers_add(ret, ANSWER_LIST, "etc/libvirt-vgpu/conf.d", "", -ENOENT);
    if (public->policy_rc == 0)
        card_facts_add_file(ret, "etc/libvirt-vgpu/vgpu.conf", conf);
    if (inventory->extract && !*inventory->table_fault.text)
        card_facts_add_file(ret, NVIDIA_TABLE_PATH, inventory->extract);
    else if (!inventory->extract)
        answers_add(ret, ANSWER_OPEN, NVIDIA_TABLE_PATH, "", -ENOENT);
}
