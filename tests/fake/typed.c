/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/printable.h"
#include "base/reader.h"
#include "fake/typed.h"
#include "cli/vgpuctl.h"
#include "commands/commands.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libsmartcols/libsmartcols.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void
typed_clear(struct typed *typed)
{
    free(typed->printed);
    free(typed->faults);
    *typed = (struct typed){0};
}

int
typed_tear_down(void **state)
{
    const struct typed_case *here = *state;

    typed_clear(here->typed);
    return scene_tear_down(state);
}

const struct terminal typed_screen = {.is_screen = true, .width = 80};
const struct terminal typed_page = {.is_screen = true, .width = 69};

/* Keeps a document for check-schemas.sh, in the file that tests/environment names. */
static void
keep_document(const char *line, const char *printed)
{
    const char *name = getenv("DOCUMENTS");
    AUTO_CLOSE int fd = -1;

    if (!name || printed[0] != '{')
        return;
    fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    /* A test may have become another user, who cannot write there. */
    assert_true(fd < 0 ? errno == EACCES : dprintf(fd, "$ %s\n%s", line, printed) > 0);
}

/* Runs a command, and sees that its exit status says the same as the word in its document. */
static enum command_status
run(const struct command_call *call, struct error *error)
{
    const struct command *const *command = commands;
    enum command_status status;

    while (strcmp((*command)->name, call->name))
        command++;
    status = (*command)->run(call, error);
    if (status != COMMAND_DONE && (*command)->options & OPTION_BIT(OPTION_JSON) &&
        status != command_ends[error->class].status)
        fail_msg("vgpuctl %s: exit status %d, and \"%s\": %s", call->name, status,
                 command_ends[error->class].word, error->text);
    return status;
}

/* The commands, each with the function above. */
static const struct command *const *
watched_commands(void)
{
    static struct command watched[64];
    static const struct command *list[COUNT(watched) + 1];

    for (size_t i = 0; commands[i]; i++) {
        assert_true(i < COUNT(watched));
        watched[i] = *commands[i];
        watched[i].run = run;
        list[i] = &watched[i];
    }
    return list;
}

int
typed_run(struct scene *scene, const char *uri, const char *line, struct typed *ret)
{
    static const struct terminal pipe;

    return typed_run_on(scene, uri, &pipe, line, ret);
}

int
typed_run_on(struct scene *scene, const char *uri, const struct terminal *terminal,
             const char *line, struct typed *ret)
{
    AUTO_FREE char *copy = strdup(line);
    struct reader reader = READER_IDLE;
    struct host host = scene->kernel.host;
    char *argv[32], *rest = copy, *word;
    int argc = 0;
    size_t size, ignored;
    FILE *out, *faults;

    while ((word = strsep(&rest, " ")) && argc < 31)
        argv[argc++] = word;
    argv[argc] = NULL;
    typed_clear(ret);
    out = open_memstream(&ret->printed, &size);
    faults = open_memstream(&ret->faults, &ignored);
    scene->kernel.host.reader = &reader;
    ret->status = vgpuctl_run(&scene->kernel.host, watched_commands(), uri, terminal, argc, argv,
                              out, faults);
    fclose(out);
    fclose(faults);
    assert_int_equal(strlen(ret->printed), size); /* the output has no byte 0 */
    reader_stop(&reader);
    scene->kernel.host = host;
    keep_document(line, ret->printed);
    return ret->status;
}

void
typed_feed(const char *text)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text)); /* a pipe takes 64 KiB */
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
}

void
typed_assert_has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("no \"%s\" in: %s", words, text);
}

void
typed_expect(struct scene *scene, const char *uri, const char *line, int status, const char *words,
             struct typed *ret)
{
    if (typed_run(scene, uri, line, ret) != status)
        fail_msg("%s: %d, %s%s", line, ret->status, ret->printed, ret->faults);
    typed_assert_has(status ? ret->faults : ret->printed, words);
}

/* --- facts ------------------------------------------------------------------------------------ */

/* One blank between two words, and one at each end. */
static char *
squeeze(const char *printed, const char *faults, const char *end)
{
    AUTO_FREE char *both = NULL;
    char *text, *rest, *word;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (asprintf(&both, "%s %s%s", printed, faults, end) < 0)
        fail_msg("no memory");
    rest = both;
    while ((word = strsep(&rest, " \n"))) {
        if (*word)
            fprintf(out, " %s", word);
    }
    fputc(' ', out);
    fclose(out);
    return text;
}

void
typed_facts(struct scene *scene, const char *uri, const char *line, int status, const char *facts)
{
    AUTO(typed_clear) struct typed typed = {0};
    AUTO_FREE char *text = NULL, *copy = strdup(facts);
    char *rest = copy, *fact;

    if (typed_run(scene, uri, line, &typed) != status)
        fail_msg("%s: %d, %s%s", line, typed.status, typed.printed, typed.faults);
    text = squeeze(typed.printed, typed.faults, " (end)");
    while ((fact = strsep(&rest, "\n"))) {
        AUTO_FREE char *words = squeeze(fact, "", "");

        if (!strstr(text, words))
            fail_msg("%s: no \"%s\" in: %s%s", line, fact, typed.printed, typed.faults);
    }
}

/* The items of a list, with commas between them. It ends at `close`. */
static char *
join_items(const char *list, const char *close)
{
    char *text, *to;

    text = to = strndup(list, (size_t)(close - list));
    for (const char *from = text; *from; from++) {
        if (!strchr("[\" \n", *from))
            *to++ = *from;
    }
    *to = '\0';
    return text;
}

/* A member of an object, as --raw prints it. "-" means that there is none, or that nobody knows it.
 * The caller frees the text. */
static char *
member(const char *object, const char *column)
{
    AUTO_FREE char *key = NULL, *text = NULL;
    const char *value;

    if (asprintf(&key, "\n         \"%s\": ", column) < 0)
        fail_msg("no memory");
    for (char *c = key; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    value = strstr(object, key);
    value = value ? value + strlen(key) : "null";
    if (*value == '[')
        text = join_items(value, strchr(value, ']'));
    else if (*value == '"')
        text = strndup(value + 1, strcspn(value + 1, "\""));
    else
        text = strndup(value, strcspn(value, ",\n"));
    if (!*text || !strcmp(text, "null"))
        return strdup("-");
    if (!strcmp(text, "true"))
        return strdup("yes");
    return !strcmp(text, "false") ? strdup("no") : printable_word(text);
}

static void
compare_line(const char *line, char *row, const char *columns, const char *object)
{
    AUTO_FREE char *copy = strdup(columns);
    char *rest = copy, *column, *cell;

    while ((column = strsep(&rest, " "))) {
        AUTO_FREE char *other = member(object, column);

        cell = strsep(&row, " ");
        if (!cell || strcmp(cell, other) != 0)
            fail_msg("%s: %s is %s, and in the document it is %s: %s", line, column,
                     cell ? cell : "(no cell)", other, object);
    }
}

void
typed_agree(struct scene *scene, const char *uri, const char *line)
{
    AUTO(typed_clear) struct typed raw = {0}, json = {0};
    AUTO_FREE char *of_raw = NULL, *of_json = NULL;
    char *rest, *columns, *row, *object;

    if (asprintf(&of_raw, "%s --raw -o all", line) < 0 ||
        asprintf(&of_json, "%s --json -o all", line) < 0)
        fail_msg("no memory");
    assert_int_equal(typed_run(scene, uri, of_raw, &raw), 0);
    assert_int_equal(typed_run(scene, uri, of_json, &json), 0);
    rest = raw.printed;
    columns = strsep(&rest, "\n");
    /* The table is the first list of the document. */
    object = strchr(json.printed, '[');
    assert_non_null(object);
    *strstr(object, object[1] == ']' ? "]" : "\n   ]") = '\0';
    object = strstr(object, "\n      {");
    while ((row = strsep(&rest, "\n")) && *row) {
        char *end = object ? strstr(object, "\n      }") : NULL;

        if (!end)
            fail_msg("%s: the document has no such line: %s", line, row);
        *end = '\0';
        compare_line(line, row, columns, object);
        object = strstr(end + 1, "\n      {");
    }
    if (object)
        fail_msg("%s: the table has no such line: %s", line, object);
}

/* --- domains ---------------------------------------------------------------------------------- */

/* Makes a guest of a scene one of libvirt's test driver. */
static char *
to_test_driver(const char *xml, const char *how)
{
    static const char schema[] = "http://libvirt.org/schemas/domain/test/1.0";
    const char *rest = strchr(xml, '\n'), *devices = strstr(xml, "  <devices>");
    char *text;

    if (asprintf(&text,
                 "<domain type='test' xmlns:test='%s'>%s%.*s  <memory>65536</memory>\n"
                 "  <os><type>hvm</type></os>\n%s",
                 schema, how, (int)(devices - rest), rest, devices) < 0)
        fail_msg("no memory");
    return text;
}

char *
typed_domain(unsigned guest, const char *how, const unsigned *numbers)
{
    AUTO_FREE char *xml = scene_xml(guest, "", numbers);

    return to_test_driver(xml, how);
}

char *
typed_functions(unsigned guest, const char *how, const char *type, const char *const *addresses)
{
    AUTO_FREE char *requests = NULL, *xml = NULL;
    size_t size;
    FILE *out = open_memstream(&requests, &size);

    for (size_t i = 0; *type && addresses[i]; i++)
        fprintf(out, "<vgpu:device alias=\"ua-gpu%zu\" type=\"%s\"/>", i, type);
    fclose(out);
    xml = scene_xml_from(guest, requests, 0, addresses);
    return to_test_driver(xml, how);
}

int
typed_prepare(struct scene *scene, unsigned guest, const char *type, const char *address)
{
    AUTO_FREE char *xml = typed_functions(guest, "", type, (const char *const[]){address, NULL});

    return scene_hook(scene, xml, "prepare", "begin");
}

const char *
typed_libvirt(const struct scene *scene, const char *domains)
{
    static char uri[512];
    AUTO_FREE char *node = NULL;

    if (asprintf(&node, "<node>\n%s</node>\n", domains) < 0)
        fail_msg("no memory");
    fake_write(&scene->kernel, "node.xml", node);
    snprintf(uri, sizeof(uri), "test://%s/node.xml", scene->kernel.path);
    return uri;
}

/* --- golden files ----------------------------------------------------------------------------- */

/* The version is replaced, so that golden files are the same for any version. */
static void
hide_version(char **text)
{
    static const char version[] = "version=\"" VGPU_VERSION "\"";
    char *at = strstr(*text, version), *hidden;

    if (!at)
        return;
    if (asprintf(&hidden, "%.*sversion=\"VERSION\"%s", (int)(at - *text), *text,
                 at + strlen(version)) < 0)
        fail_msg("no memory");
    free(*text);
    *text = hidden;
}

void
typed_golden(struct scene *scene, const char *uri, const char *name, const char *line)
{
    static const struct terminal pipe;

    typed_golden_on(scene, uri, &pipe, name, line);
}

void
typed_golden_on(struct scene *scene, const char *uri, const struct terminal *terminal,
                const char *name, const char *line)
{
    AUTO(typed_clear) struct typed typed = {0};
    AUTO_FREE char *got = NULL;

    typed_run_on(scene, uri, terminal, line, &typed);
    hide_version(&typed.printed);
    if (asprintf(&got, "$ %s\n%s%s(exit status %d)\n", line, typed.printed, typed.faults,
                 typed.status) < 0)
        fail_msg("no memory");
    typed_compare_golden(name, got);
}

/* Golden files are written with libsmartcols 2.38. Other versions put another number of blanks
 * between two columns. */
static bool
is_as_wanted(const char *got, const char *wanted)
{
    const char *version;

    (void)scols_get_library_version(&version);
    if (!strncmp(version, "2.38", strlen("2.38")))
        return !strcmp(got, wanted);
    while (*got && *got == *wanted) {
        if (*got == ' ') {
            got += strspn(got, " ");
            wanted += strspn(wanted, " ");
        } else {
            got++;
            wanted++;
        }
    }
    return *got == *wanted;
}

void
typed_compare_golden(const char *name, const char *got)
{
    AUTO_FREE char *path = NULL, *wanted = NULL;
    const char *mode = getenv("VGPU_GOLDEN");

    printf("golden: %s\n", name);
    if (asprintf(&path, "%s/tests/golden/%s", scene_sources(), name) < 0)
        fail_msg("no memory");
    if (mode && !strcmp(mode, "write")) {
        FILE *file = fopen(path, "we");

        if (!file || fputs(got, file) < 0 || fclose(file) != 0)
            fail_msg("%s: cannot be written", path);
        return;
    }
    wanted = access(path, R_OK) == 0 ? scene_read(path) : strdup("(no such file)");
    if (!is_as_wanted(got, wanted))
        fail_msg("%s (VGPU_GOLDEN=write writes it anew):\n%s-- but it is now:\n%s", path, wanted,
                 got);
}
