/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/redaction.h"
#include "base/array.h"
#include "base/memory.h"
#include "capture/conf-text.h"
#include "capture/guest-text.h"
#include "capture/stand-ins.h"
#include "domain/request-parser.h"
#include "lease/ledger.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

const char *const redaction_words[REDACTION_KINDS] = {
    [REDACTION_NAMES] = "names of domains, or patterns of such, have stand-ins",
    [REDACTION_UUIDS] = "UUIDs have stand-ins",
    [REDACTION_USERS] = "names of users have stand-ins",
    [REDACTION_COMMENTS] = "files of the configuration have hidden comments",
    [REDACTION_GUESTS] = "files of running domains have only what is read of them",
    [REDACTION_TEXTS] = "scripts and lists of rules have only what is looked for in them",
    [REDACTION_OPEN] = "files that processes have open are left out",
    [REDACTION_UNREAD] = "files that could not be understood are left out",
};

/* One pass over all answers. */
struct pass {
    bool keeps_names;
    const struct host *host;
    const struct answers *from;
    struct answers *to;
    struct redaction *redaction;
    struct stand_ins *stand_ins;
    struct words names, patterns; /* the originals */
    bool is_learning;
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

static void
count(const struct pass *pass, enum redaction_kind kind)
{
    if (!pass->is_learning)
        pass->redaction->counts[kind].times++;
}

/* --- names ------------------------------------------------------------------------------------ */

static void
remember(struct words *words, const char *name)
{
    if (!words_has(words, name))
        words_add(words, name);
}

/* Returns the stand-in of a name that is learned in this pass, or was learned before. The caller
 * frees it. */
static char *
stand_in(struct pass *pass, const char *name, enum redaction_kind kind)
{
    if (pass->keeps_names)
        return memory_copy(name);
    if (pass->is_learning) {
        stand_ins_learn_name(pass->stand_ins, name);
        return memory_copy(name);
    }
    count(pass, kind);
    return stand_ins_name(pass->stand_ins, name);
}

static char *
rename_domain(struct pass *pass, const char *name)
{
    remember(&pass->names, name);
    return stand_in(pass, name, REDACTION_NAMES);
}

/* Renames a string of vgpu.conf: a pattern, or a UUID. A UUID is written like all other UUIDs. */
static char *
rename_pattern(const char *pattern, void *data)
{
    struct pass *pass = data;
    struct name uuid;

    if (name_parse_uuid(&uuid, pattern) == 0)
        return memory_copy(uuid.text);
    remember(&pass->patterns, pattern);
    return stand_in(pass, pattern, REDACTION_NAMES);
}

#define GUESTS "run/libvirt/qemu/"
#define SUFFIX ".xml"

/* Returns the name in the capture of a file "NAME.xml", or NULL for another file. */
static char *
rename_guest_file(struct pass *pass, const char *file)
{
    size_t length = strlen(file);
    AUTO_FREE char *name = NULL, *other = NULL;

    if (length <= strlen(SUFFIX) || strcmp(file + length - strlen(SUFFIX), SUFFIX) != 0)
        return NULL;
    name = memory_copy_bytes(file, length - strlen(SUFFIX));
    other = rename_domain(pass, name);
    return memory_format("%s" SUFFIX, other);
}

/* --- what is left of a text ------------------------------------------------------------------- */

/* A rule returns what is left of an answer. `data` is from the rule's row. */
typedef struct rest rule(struct pass *pass, const struct answer *answer, const char *data);

static struct rest
keep(struct pass *pass, const struct answer *answer, const char *data)
{
    (void)pass;
    (void)data;
    return (struct rest){memory_copy_bytes(answer->text, answer->length), (ssize_t)answer->length};
}

/* Keeps the lines that contain a word. */
static struct rest
keep_lines(struct pass *pass, const struct answer *answer, const char *word)
{
    AUTO_FREE char *text = memory_copy(answer->text);
    char *rest = text, *line, *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    while ((line = strsep(&rest, "\n"))) {
        if (strstr(line, word))
            fprintf(out, "%s\n", line);
    }
    memory_stream_end(out, &ret);
    count(pass, REDACTION_TEXTS);
    return rest_of(ret);
}

/* Keeps two facts about a program: whether it is a script, and whether it names our hook. */
static struct rest
keep_words(struct pass *pass, const struct answer *answer, const char *word)
{
    const char *hook = strrchr(pass->host->hook, '/');
    bool is_script = !strncmp(answer->text, "#!", 2);

    (void)word;
    count(pass, REDACTION_TEXTS);
    return rest_of(memory_format("%s%s", is_script ? "#!\n" : "",
                                 hook && strstr(answer->text, hook + 1) ? hook + 1 : ""));
}

/* Keeps the fields 1 to 22 of /proc/PID/stat. The fields behind them show where the process's
 * memory is. */
static struct rest
keep_fields(struct pass *pass, const struct answer *answer, const char *data)
{
    const char *end = strrchr(answer->text, ')');

    (void)pass;
    (void)data;
    for (int field = 2; end && field < 22; field++)
        end = strchr(end + 1, ' ');
    if (end)
        end += 1 + strcspn(end + 1, " ");
    return rest_of(end ? memory_copy_bytes(answer->text, (size_t)(end - answer->text))
                       : memory_copy(answer->text));
}

static bool
is_of_vfio(const struct answer *link)
{
    return link && (link->error ? link->error != ENOENT : strstr(link->text, "/vfio/") != NULL);
}

/* Keeps the files that a process has open if they are VFIO's, or if they could not be looked at. */
static struct rest
keep_open(struct pass *pass, const struct answer *answer, const char *data)
{
    AUTO_FREE char *names = memory_copy(answer->text);
    char *rest = names, *name, *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    (void)data;
    while ((name = strsep(&rest, "/"))) {
        AUTO_FREE char *path = memory_format("%s/%s", answer->path, name);

        if (is_of_vfio(answers_find(pass->from, ANSWER_LINK, path)))
            fprintf(out, "%s%s", ftell(out) > 0 ? "/" : "", name);
    }
    memory_stream_end(out, &ret);
    return rest_of(ret);
}

/* Another file becomes -ENOENT, because it is not in the list any more. */
static struct rest
keep_vfio(struct pass *pass, const struct answer *answer, const char *data)
{
    if (is_of_vfio(answer))
        return keep(pass, answer, data);
    count(pass, REDACTION_OPEN);
    return (struct rest){NULL, -ENOENT};
}

static struct rest
rename_guests(struct pass *pass, const struct answer *answer, const char *data)
{
    AUTO_FREE char *names = memory_copy(answer->text);
    char *rest = names, *name, *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    (void)data;
    while ((name = strsep(&rest, "/"))) {
        AUTO_FREE char *other = rename_guest_file(pass, name);

        if (other)
            fprintf(out, "%s%s", ftell(out) > 0 ? "/" : "", other);
    }
    memory_stream_end(out, &ret);
    return rest_of(ret);
}

/* --- files that are opened: a line with their status, and what is in them --------------------- */

/* Takes ownership of the content. */
static struct rest
opened(const struct answer *answer, char *content)
{
    AUTO_FREE char *text = content;
    size_t line = strcspn(answer->text, "\n");

    return rest_of(memory_format("%.*s\n%s", (int)line, answer->text, text));
}

static const char *
content_of(const struct answer *answer)
{
    const char *end = strchr(answer->text, '\n');

    return end ? end + 1 : "";
}

/* Leaves the contents out, because nobody knows which names they have. */
static struct rest
leave_out(struct pass *pass, const struct answer *answer)
{
    if (pass->keeps_names)
        return keep(pass, answer, NULL);
    count(pass, REDACTION_UNREAD);
    return (struct rest){NULL, -EBADMSG};
}

static struct rest
keep_status(struct pass *pass, const struct answer *answer, const char *data)
{
    (void)pass;
    (void)data;
    return opened(answer, memory_copy(""));
}

static struct rest
copy_conf(struct pass *pass, const struct answer *answer, const char *data)
{
    (void)data;
    count(pass, REDACTION_COMMENTS);
    return opened(answer, conf_text_copy(content_of(answer), rename_pattern, pass));
}

static struct rest
write_guest(struct pass *pass, const struct answer *answer, const char *data)
{
    const char *content = content_of(answer);
    const struct document document = {(char *)content,
                                      answer->length - (size_t)(content - answer->text)};
    AUTO(request_clear) struct request guest = {0};
    AUTO_FREE char *name = NULL;
    struct error ignored;

    (void)data;
    if (request_parse_status(&document, &guest, &ignored) < 0)
        return leave_out(pass, answer);
    count(pass, REDACTION_GUESTS);
    name = rename_domain(pass, guest.name);
    return opened(answer, guest_text(&guest, name));
}

/* Writes the ledger with its own boot id, because leases of an earlier boot are kept as well. */
static struct rest
write_ledger(struct pass *pass, const struct answer *answer, const char *data)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    AUTO_FREE char *text = memory_copy(content_of(answer));
    char boot[64] = "";
    struct error ignored;

    (void)data;
    if (sscanf(text, "%*s %*s %63s", boot) != 1 || ledger_parse(text, boot, &ledger, &ignored) < 0)
        return leave_out(pass, answer);
    for (size_t i = 0; i < ledger.count; i++) {
        struct lease *lease = &ledger.leases[i];
        AUTO_FREE char *name = rename_domain(pass, lease->domain_name);

        snprintf(lease->domain_name, sizeof(lease->domain_name), "%s", name);
    }
    return opened(answer, ledger_format(&ledger, boot));
}

/* --- the table -------------------------------------------------------------------------------- */

/* The first matching row counts. A path is a pattern in which '*' also matches slashes. NULL means
 * all paths below the directory of the configuration. */
static const struct row {
    enum answer_kind kind;
    const char *path;
    rule *rule;
    const char *data;
} rows[] = {
    {ANSWER_LIST, "run/libvirt/qemu", rename_guests, NULL},
    {ANSWER_LIST, "proc/*/fd", keep_open, NULL},
    {ANSWER_LINK, "proc/*/fd/*", keep_vfio, NULL},
    {ANSWER_READ, "proc/*/stat", keep_fields, NULL},
    {ANSWER_READ, "proc/*", keep, NULL},
    {ANSWER_READ, "sys/*", keep, NULL},
    {ANSWER_READ, "run/*", keep, NULL},
    {ANSWER_READ, "*/udev/rules.d/*", keep_lines, "/mdevctl "},
    {ANSWER_READ, "etc/selinux/config", keep_lines, "SELINUXTYPE="},
    {ANSWER_READ, "etc/selinux/*/file_contexts", keep_lines, "libvirt_vgpu"},
    {ANSWER_READ, "etc/apparmor.d/local/*", keep_lines, "vgpu"},
    {ANSWER_READ, "*", keep_words, NULL},
    {ANSWER_OPEN, "run/libvirt/qemu/*" SUFFIX, write_guest, NULL},
    {ANSWER_OPEN, "run/libvirt-vgpu/ledger", write_ledger, NULL},
    {ANSWER_OPEN, NULL, copy_conf, NULL},
    {ANSWER_OPEN, "*", keep_status, NULL},
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

static struct rest
apply_rule(struct pass *pass, const struct answer *answer)
{
    const struct row *row = ARRAY_FIND(rows, COUNT(rows), each, is_for(pass, each, answer));

    if (answer->error)
        return (struct rest){NULL, -answer->error};
    return row ? row->rule(pass, answer, row->data) : keep(pass, answer, NULL);
}

/* --- what may be in any text, and in paths ---------------------------------------------------- */

#define UUID_LENGTH 36

/* Whether a UUID begins here, in the form of the kernel and of libvirt. */
static bool
parse_uuid(const char *at, size_t left, struct name *ret)
{
    char text[UUID_LENGTH + 1];

    if (left < UUID_LENGTH || at[8] != '-' || at[13] != '-' || at[18] != '-' || at[23] != '-')
        return false;
    memcpy(text, at, UUID_LENGTH);
    text[UUID_LENGTH] = '\0';
    return strlen(text) == UUID_LENGTH && name_parse_uuid(ret, text) == 0;
}

static void
replace_uuids(struct pass *pass, char *text, size_t length)
{
    for (size_t i = 0; !pass->keeps_names && i + UUID_LENGTH <= length; i++) {
        struct name uuid;

        if (!parse_uuid(text + i, length - i, &uuid))
            continue;
        if (pass->is_learning)
            stand_ins_learn_uuid(pass->stand_ins, &uuid);
        else
            memcpy(text + i, stand_ins_uuid(pass->stand_ins, &uuid).text, UUID_LENGTH);
        count(pass, REDACTION_UUIDS);
        i += UUID_LENGTH - 1;
    }
}

/* Replaces the user in "/home/NAME", and in "home/NAME" at the beginning of a path. */
static void
replace_users(struct pass *pass, char *text)
{
    static const char home[] = "home/";

    for (char *at = strstr(text, home); at; at = strstr(at + 1, home)) {
        char *name = at + strlen(home);
        size_t length = strcspn(name, "/ \t\n\"'");
        AUTO_FREE char *old = memory_copy_bytes(name, length), *other = NULL;

        if (at > text && at[-1] != '/')
            continue;
        other = stand_in(pass, old, REDACTION_USERS);
        memcpy(name, other, length);
    }
}

/* --- the passes ------------------------------------------------------------------------------- */

static char *
rename_path(struct pass *pass, const char *path)
{
    AUTO_FREE char *file = NULL;

    if (!strncmp(path, GUESTS, strlen(GUESTS)))
        file = rename_guest_file(pass, path + strlen(GUESTS));
    return file ? memory_format(GUESTS "%s", file) : memory_copy(path);
}

static void
redact(struct answer *answer, void *data)
{
    struct pass *pass = data;
    AUTO_FREE char *path = rename_path(pass, answer->path);
    struct rest rest = apply_rule(pass, answer);

    replace_uuids(pass, path, strlen(path));
    replace_users(pass, path);
    if (rest.length > 0) {
        replace_uuids(pass, rest.text, (size_t)rest.length);
        replace_users(pass, rest.text);
    }
    if (!pass->is_learning)
        answers_add(pass->to, answer->kind, path, rest.text, rest.length);
    free(rest.text);
}

void
redaction_make(const struct host *host, const struct answers *answers, bool keeps_names,
               struct answers *ret, struct redaction *redaction)
{
    AUTO(stand_ins_clear) struct stand_ins stand_ins = {0};
    struct pass pass = {.host = host,
                        .from = answers,
                        .to = ret,
                        .redaction = redaction,
                        .stand_ins = &stand_ins,
                        .keeps_names = keeps_names,
                        .is_learning = true};

    *ret = (struct answers){0};
    *redaction = (struct redaction){0};
    answers_visit(answers, redact, &pass);
    stand_ins_sort(&stand_ins);
    pass.is_learning = false;
    answers_visit(answers, redact, &pass);
    for (size_t i = 0; !keeps_names && i < pass.patterns.count; i++) {
        if (!stand_ins_keep(&stand_ins, pass.patterns.items[i], &pass.names))
            words_add(&redaction->patterns, pass.patterns.items[i]);
    }
    redaction->counts[REDACTION_NAMES].different = pass.names.count + pass.patterns.count;
    if (stand_ins.uuids.count)
        redaction->counts[REDACTION_UUIDS].different = stand_ins.uuids.count - 1;
    words_clear(&pass.names);
    words_clear(&pass.patterns);
}

void
redaction_clear(struct redaction *redaction)
{
    words_clear(&redaction->patterns);
}
