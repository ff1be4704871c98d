/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-declaration.h"
#include "base/memory.h"
#include "cli/say.h"
#include "policy/setting.h"
#include "setup/setup-part.h"

#include <inttypes.h>

struct declarer {
    const struct setup_card *card;
    struct policy_gpu gpu; /* what is said so far */
    FILE *out;
    struct words *unsaid;
};

static void FORMAT(2, 3) leave_out(struct declarer *declarer, const char *format, ...)
{
    AUTO_FREE char *line = NULL;
    va_list args;

    va_start(args, format);
    line = memory_vformat(format, args);
    va_end(args);
    words_add(declarer->unsaid, line);
}

/* Whether setup would take the part as the declared gpu says it. If not, the part is left out. */
static bool
is_sayable(struct declarer *declarer, enum setup_part part)
{
    struct setup_card as_said = *declarer->card;
    char now[256];
    struct text text = text_on(now, sizeof(now));
    struct error reason;

    as_said.said = &declarer->gpu;
    if (setup_parts[part]->check(&as_said, &reason) == 0)
        return true;
    setup_parts[part]->tell_now(declarer->card, &text);
    leave_out(declarer, "%s: its %s (%s) are left out: %s", declarer->card->address,
              setup_parts[part]->name, now, reason.text);
    return false;
}

static void
say_functions(struct declarer *declarer)
{
    const struct sriov_gpu *sriov = &declarer->card->sriov;

    if (!sriov->enabled)
        return;
    declarer->gpu.setup.functions =
        sriov->enabled == sriov->total ? SETTING_ALL : (unsigned)sriov->enabled;
    if (!is_sayable(declarer, SETUP_FUNCTIONS))
        return;
    if (sriov->enabled == sriov->total)
        say_part(declarer->out, " functions = \"all\";");
    else
        say_part(declarer->out, " functions = %" PRIu64 ";", sriov->enabled);
}

static void
say_instances(struct declarer *declarer)
{
    const struct words *instances = &declarer->card->nvidia.instances;

    if (!instances->count)
        return;
    if (instances->count > POLICY_MOST_INSTANCES) {
        leave_out(declarer, "%s: its %zu instances are left out: vgpu.conf takes %d",
                  declarer->card->address, instances->count, POLICY_MOST_INSTANCES);
        return;
    }
    declarer->gpu.setup.has_instances = true;
    for (size_t i = 0; i < instances->count; i++)
        say_part(declarer->out, "%s\"%s\"%s", i ? ", " : " instances = [ ", instances->items[i],
                 i + 1 < instances->count ? "" : " ];");
}

static void
say_sizes(struct declarer *declarer)
{
    if (declarer->card->nvidia.sizes != POLICY_SIZES_MIXED)
        return;
    if (declarer->card->nvidia.instances.count) {
        leave_out(declarer, "%s: its mixed sizes are left out: NVIDIA has them only without MIG",
                  declarer->card->address);
        return;
    }
    declarer->gpu.setup.sizes = POLICY_SIZES_MIXED;
    if (is_sayable(declarer, SETUP_SIZES))
        say_part(declarer->out, " sizes = \"mixed\";");
    else
        declarer->gpu.setup.sizes = POLICY_SIZES_UNSAID;
}

static void
say_scheduler(struct declarer *declarer)
{
    unsigned scheduler = declarer->card->scheduler;

    if (scheduler <= POLICY_SCHEDULER_BEST_EFFORT)
        return;
    if (scheduler == POLICY_SCHEDULER_FIXED_SHARE &&
        declarer->gpu.setup.sizes == POLICY_SIZES_MIXED) {
        leave_out(declarer,
                  "%s: its scheduler (%s) is left out: NVIDIA has that only for equal sizes",
                  declarer->card->address, policy_scheduler_words[scheduler]);
        return;
    }
    declarer->gpu.setup.scheduler = scheduler;
    if (is_sayable(declarer, SETUP_SCHEDULER))
        say_part(declarer->out, " scheduler = \"%s\";", policy_scheduler_words[scheduler]);
}

void
setup_declare(const struct setup_card *card, struct setup_declaration *ret)
{
    struct declarer declarer = {
        .card = card, .gpu = {.address = card->said->address, .origin = (char *)"vgpu.conf"}};
    AUTO_FREE char *text = NULL;
    size_t length;

    *ret = (struct setup_declaration){0};
    declarer.unsaid = &ret->unsaid;
    declarer.out = memory_stream(&text, &length);
    say_functions(&declarer);
    say_instances(&declarer);
    say_sizes(&declarer);
    say_scheduler(&declarer);
    memory_stream_end(declarer.out, &text);
    ret->said = memory_copy(length ? text + 1 : text);
}

void
setup_declaration_clear(struct setup_declaration *declaration)
{
    free(declaration->said);
    words_clear(&declaration->unsaid);
}
