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
#include "device/partition.h"
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

/* The answers of a host, and what is known of them. */
struct pass {
    const struct host *host;
    const struct answers *from;
    struct redaction *redaction;
    struct stand_ins *stand_ins;
};

/* Returns what is left of an answer, which the caller frees. NULL: the answer becomes -ENOENT. */
typedef char *rule(struct pass *pass, const struct answer *answer);

/* A row has a rule, a rewriter of the whole text, or one of the first line: then the other lines
 * are left out. A list has none of these. */
struct row {
    enum answer_kind kind;
    const char *path; /* a pattern in which '*' also matches slashes. NULL: the configuration */
    kernel_text *text, *line;
    rule *rule;
    list_text *keeps;           /* of a list; NULL: each name */
    learning *learn;            /* NULL: it teaches nothing */
    enum redaction_kind counts; /* 0: nothing */
};

/* --- links ------------------------------------------------------------------------------------ */

/* A file that is not VFIO's becomes -ENOENT, because it is not in the list any more. */
static char *
rewrite_node(struct pass *pass, const struct answer *answer)
{
    char *node = list_text_node(answer->text);

    if (!node)
        pass->redaction->counts[REDACTION_OPEN]++;
    return node;
}

static char *
rewrite_device(struct pass *pass, const struct answer *answer)
{
    if (list_text_is_device(pass->from, answer->text))
        return memory_copy(answer->text);
    pass->redaction->counts[REDACTION_OPEN]++;
    return NULL;
}

/* A path begins where its link is. */
static char *
rewrite_path(struct pass *pass, const struct answer *answer)
{
    const char *slash = strrchr(answer->path, '/');
    AUTO_FREE char *directory =
        memory_copy_bytes(answer->path, slash ? (size_t)(slash - answer->path) : 0);

    return path_text(pass->stand_ins, directory, answer->text);
}

/* A tag (device/tag.h) is the name of a pool or a profile, or has former numbers. */
static char *
rewrite_tag(struct stand_ins *stand_ins, const char *text)
{
    struct profile ignored;
    struct name name;

    if (name_parse(&name, text) == 0 && profile_parse(&name, &ignored) == 0)
        return memory_copy(text);
    return path_text_type(stand_ins, text);
}

static char *
rewrite_number(struct stand_ins *stand_ins, const char *text)
{
    return stand_ins_use_unless(stand_ins, harmless_is_digits(text), STAND_IN_TEXT, text);
}

/* The target of a whole card's link (lease/whole-card.h): three numbers and the domain's name. */
static char *
rewrite_card(struct stand_ins *stand_ins, const char *text)
{
    size_t numbers = strspn(text, "0123456789.");
    AUTO_FREE char *name = NULL;
    const char *dot = text;

    for (int i = 0; i < 3 && dot; i++)
        dot = strchr(dot + (i > 0), '.');
    if (!dot || (size_t)(dot - text) >= numbers)
        return stand_ins_use(stand_ins, STAND_IN_TEXT, text);
    name = stand_ins_use(stand_ins, STAND_IN_DOMAIN, dot + 1);
    return memory_format("%.*s.%s", (int)(dot - text), text, name);
}

/* --- files ------------------------------------------------------------------------------------ */

/* The status is in the first line. A size may be the length of a name. Only a counter is a size. */
static char *
rewrite_status(struct pass *pass, const struct answer *answer)
{
    static const char counters[] = "run/libvirt-vgpu/counters/";
    AUTO_FREE char *line = memory_copy_bytes(answer->text, strcspn(answer->text, "\n"));
    struct stat status;

    (void)pass;
    if (!status_text_parse(line, &status))
        return memory_copy("");
    if (strncmp(answer->path, counters, strlen(counters)))
        status.st_size = 0;
    return memory_copy(status_text_of(&status).text);
}

static char *
rewrite_locked(struct stand_ins *stand_ins, const char *text)
{
    (void)stand_ins;
    return memory_copy(strcmp(text, "0") ? "1" : "0");
}

/* Keeps two facts about a program: whether it is a script, and whether it names our hook. */
static char *
rewrite_script(struct pass *pass, const struct answer *answer)
{
    const char *slash = strrchr(pass->host->hook, '/');
    const char *hook = slash ? slash + 1 : pass->host->hook;
    const bool is_script = !strncmp(answer->text, "#!", 2);
    AUTO_FREE char *name = NULL;

    if (*hook && strstr(answer->text, hook))
        name = path_text(pass->stand_ins, "", hook);
    return memory_format("%s%s", is_script ? "#!\n" : "", name ? name : "");
}

static char *
rewrite_table(struct pass *pass, const struct answer *answer)
{
    return table_text_copy(pass->stand_ins, pass->from, answer);
}

/* Keeps what is read of a partition mode (device/partition.h). */
static char *
rewrite_partition(struct stand_ins *stand_ins, const char *text)
{
    struct partition mode;

    (void)stand_ins;
    if (!partition_parse(text, &mode))
        return memory_copy("");
    return memory_format("\n0 %s %u\n", mode.mode, mode.count);
}

static char *
hide_content(struct stand_ins *stand_ins, const char *text)
{
    (void)stand_ins;
    (void)text;
    return memory_copy("");
}

/* --- the table -------------------------------------------------------------------------------- */

/* The first matching row counts. */
static const struct row rows[] = {
    {ANSWER_HOST, "now", .text = rewrite_number},
    {ANSWER_HOST, "booted", .text = rewrite_number},
    {ANSWER_HOST, "*", .rule = rewrite_path},
    {ANSWER_LIST, "run/libvirt/qemu", .keeps = list_text_guests, .learn = learning_guests},
    {ANSWER_LIST, "proc", .keeps = list_text_numbers},
    {ANSWER_LIST, "proc/*/fd", .keeps = list_text_open},
    {ANSWER_LIST, "proc/*/task", .keeps = list_text_numbers},
    {ANSWER_LIST, "sys/bus/pci/devices/*:*:*.?", .keeps = list_text_functions},
    {ANSWER_LIST, "sys/class/mdev_bus", .learn = learning_names},
    {ANSWER_LIST, "sys/*/mdev_supported_types", .learn = learning_names},
    {ANSWER_LIST, "*", .keeps = NULL},
    {ANSWER_DEVICE, "*", .rule = rewrite_device},
    {ANSWER_LINK, "proc/*/fd/*", .rule = rewrite_node},
    {ANSWER_LINK, "run/libvirt-vgpu/functions/*", .text = rewrite_tag},
    {ANSWER_LINK, "run/libvirt-vgpu/proving/*", .text = rewrite_number},
    {ANSWER_LINK, "run/libvirt-vgpu/settling/*", .text = rewrite_number},
    {ANSWER_LINK, "run/libvirt-vgpu/setup/*", .text = rewrite_number},
    {ANSWER_LINK, "run/libvirt-vgpu/whole/*", .text = rewrite_card},
    {ANSWER_LINK, "sys/*/driver", .rule = rewrite_path, .learn = learning_driver},
    {ANSWER_LINK, "*", .rule = rewrite_path},
    {ANSWER_STATUS, "*", .rule = rewrite_status},
    {ANSWER_LABEL, "*", .text = kernel_text_context},
    {ANSWER_LOCKED, "*", .text = rewrite_locked},
    {ANSWER_READ, "proc/*/comm", .line = path_text_program},
    {ANSWER_READ, "proc/*/fdinfo/*", .text = kernel_text_flags},
    {ANSWER_READ, "proc/*/stat", .text = kernel_text_stat},
    {ANSWER_READ, "proc/self/status", .text = kernel_text_status},
    {ANSWER_READ, "proc/*/attr/current", .line = kernel_text_current},
    {ANSWER_READ, "proc/sys/kernel/random/boot_id", .line = path_text_uuid},
    {ANSWER_READ, "proc/sys/kernel/osrelease", .line = kernel_text_version},
    {ANSWER_READ, "proc/driver/nvidia/*/information", .text = kernel_text_minor},
    {ANSWER_READ, "proc/driver/nvidia/params", .text = kernel_text_params},
    {ANSWER_READ, "sys/module/*/version", .line = kernel_text_version},
    {ANSWER_READ, "sys/*/mdev_supported_types/*/name", .line = kernel_text_type_name,
     .learn = learning_name},
    {ANSWER_READ, "sys/*/description", .text = kernel_text_description},
    {ANSWER_READ, "sys/*/creatable_vgpu_types", .text = kernel_text_creatable,
     .learn = learning_creatable},
    {ANSWER_READ, "sys/*/" PARTITION_FILE, .text = rewrite_partition},
    {ANSWER_READ, "sys/*/dev", .line = kernel_text_device},
    {ANSWER_READ, "sys/*", .line = kernel_text_value},
    {ANSWER_READ, "proc/*", .line = kernel_text_value},
    {ANSWER_READ, "run/libvirt-vgpu/types", .text = kernel_text_cache, .learn = learning_cache},
    {ANSWER_READ, "run/*.pid", .line = kernel_text_value},
    {ANSWER_READ, "*/udev/rules.d/*", .text = kernel_text_rules, .counts = REDACTION_SCRIPTS},
    {ANSWER_READ, "etc/selinux/config", .text = kernel_text_policy, .counts = REDACTION_SCRIPTS},
    {ANSWER_READ, "etc/selinux/*/file_contexts", .text = kernel_text_contexts,
     .counts = REDACTION_SCRIPTS},
    {ANSWER_READ, "etc/apparmor.d/local/*", .text = kernel_text_profile,
     .counts = REDACTION_SCRIPTS},
    {ANSWER_READ, "etc/mdevctl.d/*", .text = kernel_text_mdevctl, .counts = REDACTION_SCRIPTS},
    {ANSWER_READ, "*", .rule = rewrite_script, .counts = REDACTION_SCRIPTS},
    {ANSWER_OPEN, "run/libvirt/qemu/*.xml", .text = guest_text_copy, .learn = guest_text_learn,
     .counts = REDACTION_GUESTS},
    {ANSWER_OPEN, "run/libvirt-vgpu/ledger", .text = ledger_text_copy, .learn = ledger_text_learn},
    {ANSWER_OPEN, NVIDIA_TABLE_PATH, .rule = rewrite_table, .learn = learning_table},
    {ANSWER_OPEN, NULL, .text = conf_text_copy, .learn = conf_text_learn,
     .counts = REDACTION_COMMENTS},
    {ANSWER_OPEN, "*", .text = hide_content},
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
learn(struct pass *pass, const struct answer *answer)
{
    const struct row *row = find_row(pass, answer);

    if (row->learn && !answer->error)
        row->learn(pass->stand_ins, answer_content(answer));
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

/* Returns what is left of the first line, with its line feed, if it has one. The other lines are
 * left out. */
static char *
rewrite_line(struct stand_ins *stand_ins, const char *text, kernel_text *copy)
{
    const char *end = strchrnul(text, '\n');
    AUTO_FREE char *line = memory_copy_bytes(text, (size_t)(end - text));
    AUTO_FREE char *other = copy(stand_ins, line);

    return memory_format("%s%.1s", other, end);
}

/* A file that was opened has its status in a line before the contents. */
static char *
rewrite(struct pass *pass, const struct row *row, const struct answer *answer)
{
    AUTO_FREE char *status = NULL, *text = NULL;

    if (row->counts)
        pass->redaction->counts[row->counts]++;
    if (answer->kind == ANSWER_LIST)
        return list_text_copy(pass->stand_ins, pass->from, answer, row->keeps);
    if (row->line)
        return rewrite_line(pass->stand_ins, answer->text, row->line);
    text = row->rule ? row->rule(pass, answer) : row->text(pass->stand_ins, answer_content(answer));
    if (answer->kind != ANSWER_OPEN)
        return TAKE(text);
    status = rewrite_status(pass, answer);
    return memory_format("%s\n%s", status, text);
}

/* A NUL in a file that is read is a fault of the file, and stays one. */
static size_t
length_of(const struct row *row, const struct answer *answer, const char *text)
{
    const bool has_nul = strlen(answer->text) < answer->length;

    return strlen(text) + (answer->kind == ANSWER_OPEN && row->learn && has_nul);
}

static void
redact(struct pass *pass, const struct answer *answer, struct answers *ret)
{
    const struct row *row = find_row(pass, answer);
    AUTO_FREE char *path = NULL, *text = NULL;
    ssize_t length = -(answer->error ? answer->error : ENOENT);

    if (!is_question(answer))
        return;
    path = answer->kind == ANSWER_LOCKED || answer->kind == ANSWER_HOST
               ? memory_copy(answer->path)
               : path_text(pass->stand_ins, "", answer->path);
    if (!answer->error)
        text = rewrite(pass, row, answer);
    if (text)
        length = (ssize_t)length_of(row, answer, text);
    answers_add(ret, answer->kind, path, text ? text : "", length);
}

void
redaction_make(const struct host *host, struct answers *answers, bool keeps_names,
               struct answers *ret, struct redaction *redaction)
{
    struct pass pass = {
        .host = host, .from = answers, .redaction = redaction, .stand_ins = &redaction->stand_ins};

    *ret = (struct answers){0};
    *redaction = (struct redaction){.counts = {0}};
    stand_ins_start(&redaction->stand_ins, keeps_names);
    answers_sort(answers);
    for (size_t i = 0; i < answers->count; i++)
        learn(&pass, answers->items[i]);
    for (size_t i = 0; i < answers->count; i++)
        redact(&pass, answers->items[i], ret);
}

/* Returns a word, or a stand-in if it is known as a name. */
static char *
hide_word(struct stand_ins *stand_ins, const char *word)
{
    static const enum stand_in kinds[] = {STAND_IN_DOMAIN, STAND_IN_CLASS, STAND_IN_POOL,
                                          STAND_IN_PROFILE};
    const enum stand_in *kind;
    struct name uuid;

    if (strlen(word) > 30 && name_parse_uuid(&uuid, word) == 0)
        return path_text_uuid(stand_ins, word);
    kind = ARRAY_FIND(kinds, COUNT(kinds), each, stand_ins_has(stand_ins, *each, word));
    return kind ? stand_ins_use(stand_ins, *kind, word) : memory_copy(word);
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
