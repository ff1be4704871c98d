/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pools of vgpu.conf. How many virtual functions a card has may follow its partition mode. */

#include "base/array.h"
#include "device/pci.h"
#include "doctor/diagnosis.h"
#include "sriov/sriov-gpu.h"
#include "vendor/card-vendor.h"

#include <string.h>

static bool
has_modes(const struct host *host, const struct sriov_gpu *card)
{
    return card_vendor_of(host, &card->address)->partition;
}

/* Whether a pattern of a pool names one function of a card that is not there. Functions are on the
 * bus of their card. */
static bool
is_missing(const struct host *host, const struct sriov_gpu *card, const char *pattern)
{
    size_t bus = strlen("0000:c1:");
    struct name function;

    return name_parse_pci(&function, pattern) == 0 &&
           !strncmp(function.text, card->address.text, bus) &&
           !host_exists(host, PCI_DEVICES "/%s", function.text);
}

/* Counts the functions of a card that pools have, and those that pools name in vain. */
static unsigned
count_pooled(const struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const struct policy *policy = &diagnosis->policy;
    unsigned count = 0;

    for (size_t i = 0; i < card->functions.count; i++)
        count += policy_pool_of(policy, &card->functions.items[i]) != NULL;
    for (size_t i = 0; i < policy->pool_count; i++) {
        const struct words *patterns = &policy->pools[i].functions;

        for (size_t k = 0; k < patterns->count; k++)
            count += is_missing(diagnosis->host, card, patterns->items[k]);
    }
    return count;
}

static void
check_mode(struct diagnosis *diagnosis, const struct sriov_gpu *card)
{
    const struct host *host = diagnosis->host;
    const struct card_vendor *vendor = card_vendor_of(host, &card->address);
    unsigned pooled = count_pooled(diagnosis, card);
    struct partition mode;

    if (vendor->partition(host, &card->address, &mode) < 0 || pooled <= mode.count)
        return;
    diagnosis_add(
        diagnosis,
        "pools of vgpu.conf have %u virtual functions of the GPU %s, whose partition mode "
        "is %s, and in this mode it has at most %u",
        pooled, card->address.text, mode.mode, mode.count);
    diagnosis_advise(diagnosis,
                     "take the other functions out of the pools; or choose a mode with %u "
                     "partitions, without guests on the GPU; %s",
                     pooled, vendor->partition_advice);
}

const struct diagnosis_check pool_checks[] = {
    {"pool-mode", FINDING_WARNING, .look_at_card = check_mode, .concerns = has_modes},
    {0},
};
