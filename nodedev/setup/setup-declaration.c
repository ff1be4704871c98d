/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-declaration.h"
#include "base/array.h"
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
    const struct nvidia_smi *nvidia = &declarer->card->nvidia;
    struct policy_setup *setup = &declarer->gpu.setup;

    if (!nvidia->instance_count)
        return;
    if (nvidia->instance_count > POLICY_MOST_INSTANCES) {
        leave_out(declarer, "%s: its %zu instances are left out: vgpu.conf takes %d",
                  declarer->card->address, nvidia->instance_count, POLICY_MOST_INSTANCES);
        return;
    }
    setup->has_instances = true;
    for (size_t i = 0; i < nvidia->instance_count; i++) {
        words_add(&setup->instances, nvidia->instances[i].profile);
        say_part(declarer->out, "%s\"%s\"%s", i ? ", " : " instances = [ ",
                 nvidia->instances[i].profile, i + 1 < nvidia->instance_count ? "" : " ];");
    }
    if (nvidia->has_slicing && nvidia->slicing == POLICY_SLICING_OFF)
        say_part(declarer->out, " time_slicing = \"off\";");
}

/* Says something of each instance, in one word if all are alike. What is not known, or what a
 * driver begins with, is said with the rest only. offset: of an unsigned of the instance. */
static void
say_each(struct declarer *declarer, const char *key, const char *const words[], unsigned ordinary,
         size_t offset)
{
    const struct nvidia_smi *nvidia = &declarer->card->nvidia;
    const size_t count = declarer->gpu.setup.instances.count;
    unsigned values[POLICY_MOST_INSTANCES];
    size_t alike = 0, special = 0;

    for (size_t i = 0; i < count; i++) {
        const char *instance = (const char *)&nvidia->instances[i];
        unsigned now = *(const unsigned *)(instance + offset);

        values[i] = now ? now : ordinary;
        alike += values[i] == values[0];
        special += values[i] != ordinary;
    }
    if (special == 0)
        return;
    if (alike == count)
        say_part(declarer->out, " %s = \"%s\";", key, words[values[0]]);
    for (size_t i = 0; alike < count && i < count; i++)
        say_part(declarer->out, "%s%s%s\"%s\"%s", i ? "" : " ", i ? "" : key, i ? ", " : " = [ ",
                 words[values[i]], i + 1 < count ? "" : " ];");
}

static void
say_sizes(struct declarer *declarer)
{
    struct setting_each *sizes = &declarer->gpu.setup.sizes;

    if (declarer->gpu.setup.instances.count) {
        say_each(declarer, "sizes", policy_sizes_words, POLICY_SIZES_EQUAL,
                 offsetof(struct nvidia_smi_instance, sizes));
        return;
    }
    if (declarer->card->nvidia.sizes != POLICY_SIZES_MIXED ||
        declarer->card->nvidia.instance_count > 0)
        return;
    *sizes = (struct setting_each){1, {POLICY_SIZES_MIXED}};
    if (is_sayable(declarer, SETUP_SIZES))
        say_part(declarer->out, " sizes = \"mixed\";");
    else
        sizes->count = 0;
}

static void
say_scheduler(struct declarer *declarer)
{
    const struct setup_card *card = declarer->card;
    unsigned scheduler = card->nvidia.scheduler ? card->nvidia.scheduler : card->loaded;
    unsigned ordinary = card->loaded ? card->loaded : POLICY_SCHEDULER_BEST_EFFORT;

    if (ARRAY_HAS(card->nvidia.instances, card->nvidia.instance_count, each, each->is_shared)) {
        if (declarer->gpu.setup.instances.count)
            say_each(declarer, "scheduler", policy_scheduler_words, ordinary,
                     offsetof(struct nvidia_smi_instance, scheduler));
        return;
    }
    if (!scheduler || (scheduler == POLICY_SCHEDULER_BEST_EFFORT && scheduler == ordinary))
        return;
    if (scheduler == POLICY_SCHEDULER_FIXED_SHARE &&
        setting_each_of(&declarer->gpu.setup.sizes, 0) == POLICY_SIZES_MIXED) {
        leave_out(declarer,
                  "%s: its scheduler (%s) is left out: NVIDIA has that only for equal sizes",
                  card->address, policy_scheduler_words[scheduler]);
        return;
    }
    declarer->gpu.setup.scheduler = (struct setting_each){1, {scheduler}};
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
    words_clear(&declarer.gpu.setup.instances);
    ret->said = memory_copy(length ? text + 1 : text);
}

void
setup_declaration_clear(struct setup_declaration *declaration)
{
    free(declaration->said);
    words_clear(&declaration->unsaid);
}
