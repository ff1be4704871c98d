/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/redaction.h"
#include "base/array.h"
#include "base/memory.h"
#include "capture/conf-text.h"
#include "capture/guest-text.h"
#include "capture/harmless.h"
#include "capture/kernel-text.h"
#include "capture/learning.h"
#include "capture/ledger-text.h"
#include "capture/list-text.h"
#include "capture/path-text.h"
#include "capture/status-text.h"
#include "capture/table-text.h"
#include "device/nvidia-table.h"
#include "device/profile.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

const char *const redaction_words[REDACTION_KINDS] = {
    [REDACTION_COMMENTS] = "files of the configuration have empty comments",
    [REDACTION_GUESTS] = "files of running domains have only what is read of them",
    [REDACTION_SCRIPTS] = "scripts and lists of rules have only what is looked for in them",
    [REDACTION_OPEN] = "files that processes have open are left out",
};

/* One pass over all answers. */
struct pass {
    const struct host *host;
    const struct answers *from;
    struct answers *to;
    struct redaction *redaction;
    struct stand_ins *stand_ins;
};

/* What is left of an answer: its text, which the caller of a rule frees, and its length; or an
 * errno. */
struct rest {
    char *text;
    ssize_t length;
};

static struct rest
rest_of(char *text)
{
    return (struct rest){text, (ssize_t)strlen(text)};
}

/* A rule returns what is left of an answer. */
struct row;
typedef struct rest rule(struct pass *pass, const struct answer *answer, const struct row *row);

struct row {
    enum answer_kind kind;
    const char *path; /* a pattern in which '*' also matches slashes. NULL: the configuration */
    rule *rule;
    kernel_text *text; /* for the rules rewrite and rewrite_rules */
    list_text *list;   /* for the rule rewrite_list */
    learning *learn;   /* NULL: it teaches nothing */
};

/* --- lists and links ---------------------------------------------------------------------------
 */

static struct rest
rewrite_list(struct pass *pass, const struct answer *answer, const struct row *row)
{
    return rest_of(row->list(pass->stand_ins, pass->from, answer));
}

/* A file that is not VFIO's becomes -ENOENT, because it is not in the list any more. */
static struct rest
rewrite_node(struct pass *pass, const struct answer *answer, const struct row *row)
{
    char *node = list_text_node(answer->text);

    (void)row;
    if (node)
        return rest_of(node);
    pass->redaction->counts[REDACTION_OPEN]++;
    return (struct rest){NULL, -ENOENT};
}

static struct rest
rewrite_link(struct pass *pass, const struct answer *answer, const struct row *row)
{
    const char *slash = strrchr(answer->path, '/');
    AUTO_FREE char *directory =
        memory_copy_bytes(answer->path, slash ? (size_t)(slash - answer->path) : 0);

    (void)row;
    return rest_of(path_text(pass->stand_ins, directory, answer->text));
}

/* A tag (device/tag.h) is the name of a pool or a profile, or has former numbers. */
static struct rest
rewrite_tag(struct pass *pass, const struct answer *answer, const struct row *row)
{
    struct profile ignored;
    struct name name;

    (void)row;
    if (name_parse(&name, answer->text) == 0 && profile_parse(&name, &ignored) == 0)
        return rest_of(memory_copy(answer->text));
    return rest_of(path_text_type(pass->stand_ins, answer->text));
}

static struct rest
rewrite_number(struct pass *pass, const struct answer *answer, const struct row *row)
{
    (void)row;
    return rest_of(harmless_is_digits(answer->text)
                       ? memory_copy(answer->text)
                       : stand_ins_use(pass->stand_ins, STAND_IN_TEXT, answer->text));
}

/* The target of a whole card's link (lease/whole-card.h): three numbers and the domain's name. */
static struct rest
rewrite_card(struct pass *pass, const struct answer *answer, const struct row *row)
{
    size_t numbers = strspn(answer->text, "0123456789.");
    AUTO_FREE char *name = NULL, *numbered = NULL;
    const char *dot = answer->text;

    (void)row;
    for (int i = 0; i < 3 && dot; i++)
        dot = strchr(dot + (i > 0), '.');
    if (!dot || (size_t)(dot - answer->text) >= numbers)
        return rest_of(stand_ins_use(pass->stand_ins, STAND_IN_TEXT, answer->text));
    numbered = memory_copy_bytes(answer->text, (size_t)(dot - answer->text));
    name = stand_ins_use(pass->stand_ins, STAND_IN_DOMAIN, dot + 1);
    return rest_of(memory_format("%s.%s", numbered, name));
}

static struct rest
rewrite_host(struct pass *pass, const struct answer *answer, const struct row *row)
{
    if (!strcmp(answer->path, "now") || !strcmp(answer->path, "booted"))
        return rewrite_number(pass, answer, row);
    return rest_of(path_text(pass->stand_ins, "", answer->text));
}

/* Returns a file's status as text. A size may be the length of a name. Only a counter is a size. */
static char *
rewrite_size(const struct answer *answer, const char *text)
{
    struct stat status;

    if (!status_text_parse(text, &status))
        return memory_copy("");
    if (strncmp(answer->path, "run/libvirt-vgpu/counters/", strlen("run/libvirt-vgpu/counters/")))
        status.st_size = 0;
    return memory_copy(status_text_of(&status).text);
}

static struct rest
rewrite_status(struct pass *pass, const struct answer *answer, const struct row *row)
{
    (void)pass;
    (void)row;
    return rest_of(rewrite_size(answer, answer->text));
}

static struct rest
rewrite_locked(struct pass *pass, const struct answer *answer, const struct row *row)
{
    (void)pass;
    (void)row;
    return rest_of(memory_copy(strcmp(answer->text, "0") ? "1" : "0"));
}

/* --- files ------------------------------------------------------------------------------------ */

static struct rest
rewrite(struct pass *pass, const struct answer *answer, const struct row *row)
{
    return rest_of(row->text(pass->stand_ins, answer->text));
}

static struct rest
rewrite_rules(struct pass *pass, const struct answer *answer, const struct row *row)
{
    pass->redaction->counts[REDACTION_SCRIPTS]++;
    return rewrite(pass, answer, row);
}

/* Keeps two facts about a program: whether it is a script, and whether it names our hook. */
static struct rest
rewrite_script(struct pass *pass, const struct answer *answer, const struct row *row)
{
    const char *slash = strrchr(pass->host->hook, '/');
    const char *hook = slash ? slash + 1 : pass->host->hook;
    const bool is_script = !strncmp(answer->text, "#!", 2);
    AUTO_FREE char *name = NULL;

    (void)row;
    pass->redaction->counts[REDACTION_SCRIPTS]++;
    if (*hook && strstr(answer->text, hook))
        name = path_text_name(pass->stand_ins, "", hook);
    return rest_of(memory_format("%s%s", is_script ? "#!\n" : "", name ? name : ""));
}

/* --- files that are opened: a line with their status, and what is in them --------------------- */

/* Takes ownership of the content. `end` has what follows the content: bytes that are no text. */
static struct rest
opened(const struct answer *answer, char *content)
{
    AUTO_FREE char *text = content;
    AUTO_FREE char *line = memory_copy_bytes(answer->text, strcspn(answer->text, "\n"));
    AUTO_FREE char *status = rewrite_size(answer, line);

    return rest_of(memory_format("%s\n%s", status, text));
}

static struct rest
rewrite_opened(struct pass *pass, const struct answer *answer, const struct row *row)
{
    (void)pass;
    (void)row;
    return opened(answer, memory_copy(""));
}

/* A NUL in it is a fault of the file, and stays one. */
static struct rest
rewrite_conf(struct pass *pass, const struct answer *answer, const struct row *row)
{
    struct rest ret = opened(answer, conf_text_copy(pass->stand_ins, answer_content(answer)));

    (void)row;
    pass->redaction->counts[REDACTION_COMMENTS]++;
    if (strlen(answer->text) < answer->length)
        ret.length++;
    return ret;
}

static struct rest
rewrite_guest(struct pass *pass, const struct answer *answer, const struct row *row)
{
    const struct document document = guest_text_document(answer);

    (void)row;
    pass->redaction->counts[REDACTION_GUESTS]++;
    return opened(answer, guest_text_copy(pass->stand_ins, &document));
}

static struct rest
rewrite_table(struct pass *pass, const struct answer *answer, const struct row *row)
{
    (void)row;
    return opened(answer, table_text_copy(pass->stand_ins, pass->from, answer));
}

static struct rest
rewrite_ledger(struct pass *pass, const struct answer *answer, const struct row *row)
{
    (void)row;
    return opened(answer, ledger_text_copy(pass->stand_ins, answer_content(answer)));
}

/* --- the table -------------------------------------------------------------------------------- */

/* The first matching row counts. */
static const struct row rows[] = {
    {ANSWER_HOST, "*", rewrite_host, .text = NULL},
    {ANSWER_LIST, "run/libvirt/qemu", rewrite_list, .list = list_text_guests,
     .learn = learning_guests},
    {ANSWER_LIST, "proc", rewrite_list, .list = list_text_numbers},
    {ANSWER_LIST, "proc/*/fd", rewrite_list, .list = list_text_open},
    {ANSWER_LIST, "sys/bus/pci/devices/*:*:*.?", rewrite_list, .list = list_text_functions},
    {ANSWER_LIST, "sys/class/mdev_bus", rewrite_list, .list = list_text_names,
     .learn = learning_names},
    {ANSWER_LIST, "sys/*/mdev_supported_types", rewrite_list, .list = list_text_names,
     .learn = learning_names},
    {ANSWER_LIST, "*", rewrite_list, .list = list_text_names},
    {ANSWER_LINK, "proc/*/fd/*", rewrite_node, .text = NULL},
    {ANSWER_LINK, "run/libvirt-vgpu/functions/*", rewrite_tag, .text = NULL},
    {ANSWER_LINK, "run/libvirt-vgpu/proving/*", rewrite_number, .text = NULL},
    {ANSWER_LINK, "run/libvirt-vgpu/settling/*", rewrite_number, .text = NULL},
    {ANSWER_LINK, "run/libvirt-vgpu/setup/*", rewrite_number, .text = NULL},
    {ANSWER_LINK, "run/libvirt-vgpu/whole/*", rewrite_card, .text = NULL},
    {ANSWER_LINK, "sys/*/driver", rewrite_link, .learn = learning_driver},
    {ANSWER_LINK, "*", rewrite_link, .text = NULL},
    {ANSWER_STATUS, "*", rewrite_status, .text = NULL},
    {ANSWER_LABEL, "*", rewrite, .text = kernel_text_context},
    {ANSWER_LOCKED, "*", rewrite_locked, .text = NULL},
    {ANSWER_READ, "proc/*/comm", rewrite, .text = kernel_text_comm},
    {ANSWER_READ, "proc/*/stat", rewrite, .text = kernel_text_stat},
    {ANSWER_READ, "proc/self/status", rewrite, .text = kernel_text_status},
    {ANSWER_READ, "proc/*/attr/current", rewrite, .text = kernel_text_current},
    {ANSWER_READ, "proc/sys/kernel/random/boot_id", rewrite, .text = kernel_text_boot},
    {ANSWER_READ, "proc/sys/kernel/osrelease", rewrite, .text = kernel_text_version},
    {ANSWER_READ, "proc/driver/nvidia/*/information", rewrite, .text = kernel_text_minor},
    {ANSWER_READ, "proc/driver/nvidia/params", rewrite, .text = kernel_text_params},
    {ANSWER_READ, "sys/module/*/version", rewrite, .text = kernel_text_version},
    {ANSWER_READ, "sys/*/mdev_supported_types/*/name", rewrite, .text = kernel_text_type_name,
     .learn = learning_name},
    {ANSWER_READ, "sys/*/description", rewrite, .text = kernel_text_description},
    {ANSWER_READ, "sys/*/creatable_vgpu_types", rewrite, .text = kernel_text_creatable,
     .learn = learning_creatable},
    {ANSWER_READ, "sys/*", rewrite, .text = kernel_text_value},
    {ANSWER_READ, "proc/*", rewrite, .text = kernel_text_value},
    {ANSWER_READ, "run/libvirt-vgpu/types", rewrite, .text = kernel_text_cache,
     .learn = learning_cache},
    {ANSWER_READ, "run/*.pid", rewrite, .text = kernel_text_value},
    {ANSWER_READ, "*/udev/rules.d/*", rewrite_rules, .text = kernel_text_rules},
    {ANSWER_READ, "etc/selinux/config", rewrite_rules, .text = kernel_text_policy},
    {ANSWER_READ, "etc/selinux/*/file_contexts", rewrite_rules, .text = kernel_text_contexts},
    {ANSWER_READ, "etc/apparmor.d/local/*", rewrite_rules, .text = kernel_text_profile},
    {ANSWER_READ, "etc/mdevctl.d/*", rewrite_rules, .text = kernel_text_mdevctl},
    {ANSWER_READ, "*", rewrite_script, .text = NULL},
    {ANSWER_OPEN, "run/libvirt/qemu/*.xml", rewrite_guest, .learn = learning_guest},
    {ANSWER_OPEN, "run/libvirt-vgpu/ledger", rewrite_ledger, .learn = learning_ledger},
    {ANSWER_OPEN, NVIDIA_TABLE_PATH, rewrite_table, .learn = learning_table},
    {ANSWER_OPEN, NULL, rewrite_conf, .learn = learning_conf},
    {ANSWER_OPEN, "*", rewrite_opened, .text = NULL},
};

static bool
is_for(const struct pass *pass, const struct row *row, const struct answer *answer)
{
    size_t length = strlen(pass->host->config);

    if (row->kind != answer->kind)
        return false;
    if (row->path)
        return fnmatch(row->path, answer->path, 0) == 0;
    return !strncmp(answer->path, pass->host->config, length) && answer->path[length] == '/';
}

/* There is a row for each answer. */
static const struct row *
find_row(const struct pass *pass, const struct answer *answer)
{
    return ARRAY_FIND(rows, COUNT(rows), each, is_for(pass, each, answer));
}

/* --- the passes ------------------------------------------------------------------------------- */

static void
learn(struct answer *answer, void *data)
{
    struct pass *pass = data;
    const struct row *row = find_row(pass, answer);

    if (row->learn && !answer->error)
        row->learn(pass->stand_ins, answer);
}

/* A host has few facts, and locks have numbers; no other question of these kinds is one. */
static bool
is_question(const struct answer *answer)
{
    static const char *const facts[] = {"now", "booted", "config", "hooks", "hook"};

    if (answer->kind == ANSWER_LOCKED)
        return harmless_is_digits(answer->path);
    return answer->kind != ANSWER_HOST ||
           ARRAY_HAS(facts, COUNT(facts), each, !strcmp(*each, answer->path));
}

static void
redact(struct answer *answer, void *data)
{
    struct pass *pass = data;
    const struct row *row = find_row(pass, answer);
    AUTO_FREE char *path = NULL;
    struct rest rest = {NULL, -answer->error};

    if (!is_question(answer))
        return;
    path = answer->kind == ANSWER_LOCKED || answer->kind == ANSWER_HOST
               ? memory_copy(answer->path)
               : path_text(pass->stand_ins, "", answer->path);
    if (!answer->error)
        rest = row->rule(pass, answer, row);
    answers_add(pass->to, answer->kind, path, rest.text ? rest.text : "", rest.length);
    free(rest.text);
}

void
redaction_make(const struct host *host, const struct answers *answers, bool keeps_names,
               struct answers *ret, struct redaction *redaction)
{
    struct pass pass = {.host = host,
                        .from = answers,
                        .to = ret,
                        .redaction = redaction,
                        .stand_ins = &redaction->stand_ins};

    *ret = (struct answers){0};
    *redaction = (struct redaction){.counts = {0}};
    stand_ins_start(&redaction->stand_ins, keeps_names);
    answers_visit(answers, learn, &pass);
    answers_visit(answers, redact, &pass);
}

/* Whether a word is known as a name of a kind. */
static char *
hide_word(struct stand_ins *stand_ins, const char *word)
{
    static const enum stand_in kinds[] = {STAND_IN_DOMAIN, STAND_IN_CLASS, STAND_IN_POOL,
                                          STAND_IN_PROFILE};
    struct name uuid;

    if (strlen(word) > 30 && name_parse_uuid(&uuid, word) == 0)
        return path_text_uuid(stand_ins, word);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (stand_ins_has(stand_ins, kinds[i], word))
            return stand_ins_use(stand_ins, kinds[i], word);
    }
    return memory_copy(word);
}

char *
redaction_remark(struct redaction *redaction, const char *text)
{
    static const char parts[] = " \n,:;()\"'";
    char *ret = NULL;
    size_t size, length;
    FILE *out = memory_stream(&ret, &size);

    for (const char *at = text; *at; at += length) {
        AUTO_FREE char *word = NULL, *other = NULL;

        length = strcspn(at, parts);
        word = memory_copy_bytes(at, length);
        other = hide_word(&redaction->stand_ins, word);
        fputs(other, out);
        if (at[length])
            fputc(at[length++], out);
    }
    memory_stream_end(out, &ret);
    return ret;
}

void
redaction_clear(struct redaction *redaction)
{
    stand_ins_clear(&redaction->stand_ins);
}
