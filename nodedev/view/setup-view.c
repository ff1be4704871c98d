/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "view/setup-view.h"
#include "base/run-links.h"
#include "device/pci.h"
#include "placement/gpu-room.h"
#include "sriov/sriov-gpu.h"
#include "vendor/card-vendor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define KIND "setup"

/* --- the record ------------------------------------------------------------------------------- */

/* FNV-1a of 64 bits. The NUL at a word's end counts. */
static uint64_t
add_word(uint64_t hash, const char *word)
{
    do {
        hash = (hash ^ (unsigned char)*word) * 1099511628211u;
    } while (*word++);
    return hash;
}

/* Tells the card's first function from all that were there before it; 0: there is none. */
static uint64_t
number_of_functions(const struct host *host, const struct name *card)
{
    struct path path;
    struct stat status;

    return path_format(&path, PCI_DEVICES "/%s/virtfn0", card->text) == 0 &&
                   host->ops->status(host, path.text, &status) == 0
               ? status.st_ino
               : 0;
}

static uint64_t
add_each(uint64_t hash, const struct setting_each *each)
{
    char number[16];

    for (unsigned i = 0; i < each->count; i++) {
        snprintf(number, sizeof(number), "%u", each->items[i]);
        hash = add_word(hash, number);
    }
    return add_word(hash, "");
}

static uint64_t
hash_of(const struct host *host, const struct policy_gpu *said)
{
    uint64_t hash = 14695981039346656037u;
    char numbers[64];

    snprintf(numbers, sizeof(numbers), "%" PRIu64 " %u %d %u",
             number_of_functions(host, &said->address), card_vendor_scheduler(host, &said->address),
             said->setup.has_instances, said->setup.slicing);
    hash = add_each(add_word(hash, numbers), &said->setup.sizes);
    hash = add_each(hash, &said->setup.scheduler);
    for (size_t i = 0; i < said->setup.instances.count; i++)
        hash = add_word(hash, said->setup.instances.items[i]);
    return hash;
}

void
setup_view_forget(const struct host *host, const struct policy_gpu *said)
{
    run_links_remove(host, KIND, said->address.text);
}

void
setup_view_remember(const struct host *host, const struct policy_gpu *said)
{
    (void)!run_links_replace(host, KIND, said->address.text, "%" PRIu64 "-%" PRIu64,
                             hash_of(host, said), host_seconds(host));
}

/* Whether the card was seen to be as it is declared now, and when: in seconds since 1970. */
static bool
find_record(const struct host *host, const struct policy_gpu *said, time_t *when)
{
    uint64_t number, seconds;
    char target[48], *dash;

    if (run_links_read(host, KIND, said->address.text, target, sizeof(target)) < 0)
        return false;
    dash = strchr(target, '-');
    if (!dash)
        return false;
    *dash = '\0';
    if (host_parse_number(target, &number) < 0 || host_parse_number(dash + 1, &seconds) < 0)
        return false;
    *when = (time_t)(host->ops->booted(host) / 1000000000 + seconds);
    return number == hash_of(host, said);
}

/* --- the judgment ----------------------------------------------------------------------------- */

static enum setup_view
judge_functions(const struct host *host, const struct policy_gpu *said, char *why, size_t size)
{
    AUTO(sriov_gpu_clear) struct sriov_gpu card = {0};
    int rc = said->setup.functions ? sriov_gpu_read(host, &said->address, &card) : 0;
    uint64_t wanted = sriov_gpu_wanted(&said->setup, &card);

    if (rc < 0 && rc != -ENOENT)
        return SETUP_VIEW_UNKNOWN;
    if (rc == 0 && (!said->setup.functions || card.enabled == wanted))
        return SETUP_VIEW_AS_DECLARED;
    if (rc < 0)
        snprintf(why, size, "can have no virtual functions");
    else
        snprintf(why, size, "has %u virtual functions, and not %u", (unsigned)card.enabled,
                 (unsigned)wanted);
    return SETUP_VIEW_DIFFERS;
}

/* Whether the card would make a type now that shares it in time: such a card is not in MIG mode. */
static bool
shares_time(const struct inventory_gpu *gpu)
{
    AUTO(gpu_load_clear) struct gpu_load load = {0};
    bool found = false;

    gpu_load_init(&load, gpu, LOAD_NOW);
    for (size_t i = 0; i < gpu->type_count; i++)
        found |= gpu->types[i].slices == 0 && gpu_room_left(&load, &gpu->types[i], NULL).most > 0;
    return found;
}

/* What a card's types and vGPUs show to differ; NULL: nothing. A card that has a vGPU may have
 * given all its instances away. An empty card offers all sizes in either mode. */
static const char *
find_difference(const struct policy_setup *said, const struct inventory_gpu *gpu)
{
    if (said->instances.count && shares_time(gpu))
        return "is not in MIG mode";
    if (said->instances.count && !gpu->is_silent && gpu->vgpu_count == 0 &&
        !inventory_offers(gpu) && !inventory_lacks_types(gpu))
        return "has no GPU instances";
    if (!said->instances.count && setting_each_of(&said->sizes, 0) == POLICY_SIZES_MIXED &&
        gpu->vgpu_count && gpu->one_size)
        return "takes vGPUs of one size only";
    return NULL;
}

/* Whether the scheduler that the driver was told when it was loaded is that of the card, and of all
 * its instances. Another one may have been set since; then the record knows. */
static bool
is_loaded(const struct policy_setup *said, unsigned loaded)
{
    for (unsigned i = 0; i < said->scheduler.count; i++) {
        if (said->scheduler.items[i] != loaded)
            return false;
    }
    return true;
}

static void
judge_scheduler(const struct policy_setup *said, unsigned loaded, struct setup_judgment *ret)
{
    if (loaded && said->scheduler.count == 1) {
        ret->view = SETUP_VIEW_DIFFERS;
        snprintf(ret->why, sizeof(ret->why), "has the scheduler %s, and not %s",
                 policy_scheduler_words[loaded], policy_scheduler_words[said->scheduler.items[0]]);
    } else {
        ret->view = SETUP_VIEW_UNKNOWN;
    }
}

struct setup_judgment
setup_view_judge(const struct host *host, const struct policy_gpu *said,
                 const struct inventory *inventory)
{
    const struct inventory_gpu *gpu = inventory_find_gpu(inventory, &said->address);
    const struct policy_setup *setup = &said->setup;
    const char *difference = gpu ? find_difference(setup, gpu) : NULL;
    unsigned loaded = setup->scheduler.count ? card_vendor_scheduler(host, &said->address) : 0;
    bool is_untold = setup->has_instances || setup->sizes.count || !is_loaded(setup, loaded);
    struct setup_judgment ret = {.view = SETUP_VIEW_UNSAID};

    if (!policy_has_setup(said))
        return ret;
    ret.view = judge_functions(host, said, ret.why, sizeof(ret.why));
    if (ret.view == SETUP_VIEW_DIFFERS)
        return ret;
    if (difference) {
        ret.view = SETUP_VIEW_DIFFERS;
        snprintf(ret.why, sizeof(ret.why), "%s", difference);
        return ret;
    }
    if (!is_untold || ret.view != SETUP_VIEW_AS_DECLARED)
        return ret;
    if (find_record(host, said, &ret.seen))
        ret.view = SETUP_VIEW_SEEN;
    else if (!is_loaded(setup, loaded))
        judge_scheduler(setup, loaded, &ret);
    else
        ret.view = SETUP_VIEW_UNKNOWN;
    return ret;
}

const char *
setup_view_tell(const struct setup_judgment *judgment, char *ret, size_t size)
{
    static const char *const words[] = {
        [SETUP_VIEW_UNSAID] = "",
        [SETUP_VIEW_DIFFERS] = "differs",
        [SETUP_VIEW_AS_DECLARED] = "as declared",
        [SETUP_VIEW_UNKNOWN] = NULL,
    };
    struct tm utc;

    if (judgment->view != SETUP_VIEW_SEEN)
        return words[judgment->view];
    strftime(ret, size, "as declared at %Y-%m-%dT%H:%M:%SZ", gmtime_r(&judgment->seen, &utc));
    return ret;
}
