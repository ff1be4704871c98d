/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-text.h"
#include "base/durable.h"
#include "base/memory.h"
#include "cli/pick.h"
#include "cli/reply.h"
#include "cli/say.h"
#include "setup/setup-declaration.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

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
    AUTO(setup_declaration_clear) struct setup_declaration declaration = {0};
    struct policy_gpu everything;
    struct error ignored;

    if (read_whole(call->host, address, &everything, &card, &ignored) < 0)
        return;
    if (card.nvidia_rc < 0)
        reply_warn(call, card.nvidia_unknown.class,
                   "GPU instances and mixed sizes of %s are left out, as they cannot be read: %s",
                   address->text, card.nvidia_unknown.text);
    setup_declare(&card, &declaration);
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
setup_text_print(const struct command_call *call, const struct snapshot *snapshot,
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
declare(const struct command_call *call, const struct policy *policy, const struct name *address,
        struct error *error)
{
    AUTO(setup_card_clear) struct setup_card card = {0};
    AUTO(setup_declaration_clear) struct setup_declaration declaration = {0};
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
    setup_declare(&card, &declaration);
    for (size_t i = 0; i < declaration.unsaid.count; i++)
        reply_warn(call, ERROR_UNKNOWN, "%s", declaration.unsaid.items[i]);
    if (*declaration.said)
        return store(call, policy, address, declaration.said, error);
    if (call->count)
        say_line(call->out, "%s has nothing that a boot takes away", address->text);
    return 0;
}

int
setup_text_declare(const struct command_call *call, const struct snapshot *snapshot,
                   struct error *error)
{
    AUTO(names_clear) struct names cards = {0};
    int rc = list_cards(call, snapshot, &cards, error);

    for (size_t i = 0; i < cards.count && rc == 0 && call->count == 0; i++)
        rc = declare(call, &snapshot->policy, &cards.items[i], error);
    for (size_t i = 0; i < call->count && rc == 0; i++) {
        struct name address;

        rc = pick_name(&cards, call->arguments[i], &address, error);
        if (rc == -ENOENT)
            error_set(error, rc, "no GPU with virtual functions is called \"%s\"",
                      call->arguments[i]);
        if (rc == 0)
            rc = declare(call, &snapshot->policy, &address, error);
    }
    return rc;
}
