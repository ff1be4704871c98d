/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-declaration.h"
#include "base/array.h"
#include "base/durable.h"
#include "base/memory.h"
#include "cli/pick.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "policy/setting.h"
#include "setup/setup-part.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- a card ----------------------------------------------------------------------------------- */

/*
 * How a card is, as the keys of `setup` in vgpu.conf. Some of what a card has cannot be said:
 * vgpuctl could not make the card so, or another part excludes it. That is left out, with the
 * reason. Without an answer of NVIDIA's tool (card->nvidia_rc), instances and sizes are left out,
 * too.
 */
struct declaration {
    char *said;          /* "functions = \"all\"; sizes = \"mixed\";"; "": the card is bare */
    struct words unsaid; /* a line for each part that is left out, with the reason */
};

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

static void
declare(const struct setup_card *card, struct declaration *ret)
{
    struct declarer declarer = {
        .card = card, .gpu = {.address = card->said->address, .origin = (char *)"vgpu.conf"}};
    AUTO_FREE char *text = NULL;
    size_t length;

    *ret = (struct declaration){0};
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

static void
declaration_clear(struct declaration *declaration)
{
    free(declaration->said);
    words_clear(&declaration->unsaid);
}

/* --- all cards -------------------------------------------------------------------------------- */

static int
list_cards(const struct command_call *call, const struct snapshot *snapshot, struct names *ret,
           struct error *error)
{
    int rc = sriov_gpu_list(call->host, snapshot, true, ret);

    return rc < 0 ? error_set(error, rc, "the PCI devices cannot be listed: %s", strerror(-rc)) : 0;
}

/* Reads all parts of a card. `everything` is what the card borrows: a setup that says each part. */
static int
read_whole(const struct host *host, const struct name *address, struct policy_gpu *everything,
           struct setup_card *ret, struct error *error)
{
    *everything = (struct policy_gpu){
        .address = *address, .setup = {.has_instances = true, .sizes = {1, {POLICY_SIZES_MIXED}}}};
    return setup_card_read(host, everything, ret, error);
}

/* --- printed ---------------------------------------------------------------------------------- */

struct printer {
    const struct command_call *call;
    const struct policy *policy;
    struct words unsaid; /* of all cards: comments for the end */
    bool has_cards;      /* one was printed */
};

/* Writes the setup of a card that has one. */
static void
print_card(struct printer *printer, const struct name *address)
{
    const struct command_call *call = printer->call;
    const struct policy_gpu *listed = policy_find_gpu(printer->policy, address);
    AUTO(setup_card_clear) struct setup_card card = {0};
    AUTO(declaration_clear) struct declaration declaration = {0};
    struct policy_gpu everything;
    struct error ignored;

    if (read_whole(call->host, address, &everything, &card, &ignored) < 0)
        return;
    if (card.nvidia_rc < 0)
        reply_warn(call, card.nvidia_unknown.class,
                   "GPU instances and mixed sizes of %s are left out, as they cannot be read: %s",
                   address->text, card.nvidia_unknown.text);
    declare(&card, &declaration);
    for (size_t i = 0; i < declaration.unsaid.count; i++)
        words_add(&printer->unsaid, declaration.unsaid.items[i]);
    if (!*declaration.said)
        return;
    say_line(call->out, "%s", printer->has_cards ? "," : "gpus = (");
    if (listed)
        say_line(call->out, "    # add this to the group at %s", listed->origin);
    say_part(call->out, "    { address = \"%s\"; setup = { %s }; }", address->text,
             declaration.said);
    printer->has_cards = true;
}

int
setup_declaration_print(const struct command_call *call, const struct snapshot *snapshot,
                        struct error *error)
{
    AUTO(names_clear) struct names cards = {0};
    struct printer printer = {.call = call, .policy = &snapshot->policy};
    int rc = list_cards(call, snapshot, &cards, error);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < cards.count; i++)
        print_card(&printer, &cards.items[i]);
    if (printer.has_cards) {
        say_end(call->out);
        say_line(call->out, ");");
    } else if (!printer.unsaid.count) {
        say_line(call->out, "# no GPU here has anything that a boot takes away");
    }
    for (size_t i = 0; i < printer.unsaid.count; i++)
        say_line(call->out, "# %s", printer.unsaid.items[i]);
    words_clear(&printer.unsaid);
    return 0;
}

/* --- written ---------------------------------------------------------------------------------- */

#define HEADER "# Written by 'vgpuctl setup --declare', which writes this file anew each time.\n"

static int
find_file(const struct host *host, const struct name *address, struct path *directory,
          struct path *name)
{
    int rc = path_format(directory, "%s/conf.d", host->config);

    return rc < 0 ? rc : path_format(name, "50-setup-%s.conf", address->text);
}

/* Whether the file is there, and somebody else wrote it. */
static int
check_writer(const struct host *host, const struct path *directory, const struct path *name,
             struct error *error)
{
    AUTO_CLOSE int fd = -1;
    struct path path;
    char text[sizeof(HEADER)] = "";

    if (path_format(&path, "%s/%s", directory->text, name->text) < 0)
        return -ENAMETOOLONG;
    fd = host_open(host, path.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd >= 0 && read(fd, text, strlen(HEADER)) == (ssize_t)strlen(HEADER) &&
        !strcmp(text, HEADER))
        return 0;
    return error_set(error, -EEXIST,
                     "/%s is there, and 'vgpuctl setup --declare' has not written it: give that "
                     "file another name",
                     path.text);
}

/* A GPU is listed once. If a person lists it, the setup belongs there. */
static int
check_listed(const struct policy *policy, const struct name *address, const struct path *name,
             const char *said, struct error *error)
{
    const struct policy_gpu *listed = policy_find_gpu(policy, address);

    if (!listed || strstr(listed->origin, name->text))
        return 0;
    return error_set(error, -EEXIST, "%s lists the GPU %s already: add there: setup = { %s };",
                     listed->origin, address->text, said);
}

/* Writes the file of a card with this declaration. */
static int
store(const struct command_call *call, const struct policy *policy, const struct name *address,
      const char *said, struct error *error)
{
    AUTO_FREE char *text = NULL;
    struct path directory, name;
    int rc = find_file(call->host, address, &directory, &name);

    if (rc == 0)
        rc = check_writer(call->host, &directory, &name, error);
    if (rc == 0)
        rc = check_listed(policy, address, &name, said, error);
    if (rc < 0)
        return rc;
    text = memory_format(HEADER "gpus = (\n    { address = \"%s\"; setup = { %s }; }\n);\n",
                         address->text, said);
    rc = durable_write(call->host, directory.text, name.text, text);
    if (rc < 0)
        return error_set(error, rc, "cannot write /%s/%s: %s", directory.text, name.text,
                         strerror(-rc));
    say_line(call->out, "%s: declared in /%s/%s: %s", address->text, directory.text, name.text,
             said);
    return 0;
}

/* Declares a card. One that was typed has to have something to declare. */
static int
write_card(const struct command_call *call, const struct policy *policy, const struct name *address,
           struct error *error)
{
    AUTO(setup_card_clear) struct setup_card card = {0};
    AUTO(declaration_clear) struct declaration declaration = {0};
    struct policy_gpu everything;
    int rc = read_whole(call->host, address, &everything, &card, error);

    if (rc < 0)
        return call->count ? rc : 0;
    if (card.nvidia_rc < 0) {
        *error = card.nvidia_unknown;
        error_wrap(error, "%s is not declared, as its GPU instances and sizes cannot be read",
                   address->text);
        return card.nvidia_rc;
    }
    declare(&card, &declaration);
    for (size_t i = 0; i < declaration.unsaid.count; i++)
        reply_warn(call, ERROR_UNKNOWN, "%s", declaration.unsaid.items[i]);
    if (*declaration.said)
        return store(call, policy, address, declaration.said, error);
    if (call->count)
        say_line(call->out, "%s has nothing that a boot takes away", address->text);
    return 0;
}

int
setup_declaration_write(const struct command_call *call, const struct snapshot *snapshot,
                        struct error *error)
{
    AUTO(names_clear) struct names cards = {0};
    int rc = list_cards(call, snapshot, &cards, error);

    for (size_t i = 0; i < cards.count && rc == 0 && call->count == 0; i++)
        rc = write_card(call, &snapshot->policy, &cards.items[i], error);
    for (size_t i = 0; i < call->count && rc == 0; i++) {
        struct name address;

        rc = pick_name(&cards, call->arguments[i], &address, error);
        if (rc == -ENOENT)
            error_set(error, rc, "no GPU with virtual functions is called \"%s\"",
                      call->arguments[i]);
        if (rc == 0)
            rc = write_card(call, &snapshot->policy, &address, error);
    }
    return rc;
}
