/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/options.h"
#include "base/array.h"
#include "base/suggest.h"
#include "cli/say.h"

#include <getopt.h>
#include <string.h>

const struct option_row option_rows[OPTIONS] = {
    [OPTION_ROOT] = {"root", 0, "FILE", "another machine's file system, or a capture of it"},
    [OPTION_CONNECT] = {"connect", 'c', "URI", "another host's libvirt; may be given repeatedly"},
    [OPTION_HOSTS] = {"hosts", 0, "FILE", "the hosts that this file names, a URI in each line"},
    [OPTION_TIMEOUT] = {"timeout", 0, "SECONDS", "how long to wait at most"},
    [OPTION_JSON] = {"json", 'J', NULL, "print JSON"},
    [OPTION_RAW] = {"raw", 'r', NULL, "separate columns by one blank, for scripts"},
    [OPTION_NOHEADINGS] = {"noheadings", 'n', NULL, "print no line of headings"},
    [OPTION_COLUMNS] = {"columns", 'o', "LIST", "the columns to print, separated by commas"},
    [OPTION_TYPE] = {"type", 0, "TYPE", "a type: its id, its name or the name's last word"},
    [OPTION_CLASS] = {"class", 0, "CLASS", "a class of vgpu.conf"},
    [OPTION_PARENT] = {"parent", 0, "GPU", "only on this GPU"},
    [OPTION_PLACEMENT] = {"placement", 0, "ORDER", "pack: the fullest GPU; spread: the emptiest"},
    [OPTION_NUMA] = {"numa", 0, "RULE", "the guest's NUMA nodes: prefer, require or ignore them"},
    [OPTION_TRAITS] = {"traits", 0, "TRAITS", "words that the GPU must have; !WORD: must not"},
    [OPTION_PARAM] = {"param", 0, "NAME=VALUE", "a parameter for the driver; may be repeated"},
    [OPTION_ALIAS] = {"alias", 0, "ALIAS", "the new device's alias, ua-..."},
    [OPTION_UUID] = {"uuid", 0, "UUID", "the new mediated device's UUID"},
    [OPTION_COUNT] = {"count", 0, "N", "how many vGPUs, or virtual functions"},
    [OPTION_CONFIG] = {"config", 0, NULL, "change what the domain's next start uses"},
    [OPTION_LIVE] = {"live", 0, NULL, "change the running domain"},
    [OPTION_START] = {"start", 0, NULL, "then start the domain"},
    [OPTION_PRINT_XML] = {"print-xml", 0, NULL, "print the domain's new XML, and change nothing"},
    [OPTION_EXACTLY] = {"exactly", 0, NULL, "let the domain have these vGPUs and no others"},
    [OPTION_RENEW] = {"renew", 0, NULL, "give a cloned domain vGPUs of its own"},
    [OPTION_DISPLAY] = {"display", 0, NULL, "show the vGPU on the guest's screen"},
    [OPTION_ALL] = {"all", 0, NULL, "all domains, vGPUs or types"},
    [OPTION_PRINT] = {"print", 0, NULL, "print the configuration, or how GPUs are set up"},
    [OPTION_DECLARE] = {"declare", 0, NULL, "write how GPUs are set up into conf.d"},
    [OPTION_DRY_RUN] = {"dry-run", 0, NULL, "say what would be done, and do nothing"},
    [OPTION_REBUILD] = {"rebuild", 0, NULL, "set a broken ledger aside and make a new one"},
    [OPTION_OUTPUT] = {"output", 0, "FILE", "write this file, all at once"},
    [OPTION_SINCE] = {"since", 0, "TIME", "leave out older lines; TIME as in journalctl"},
    [OPTION_WATCH] = {"watch", 'w', NULL, "show the output again when it changes; ^C ends"},
    [OPTION_INTERVAL] = {"interval", 0, "SECONDS", "with --watch: how often to look"},
    [OPTION_COLOR] = {"color", 0, "WHEN", "colours: always, never, or auto: on a terminal"},
    [OPTION_BEST] = {"best", 0, NULL, "choose the host that has the most room"},
    [OPTION_HERE] = {"here", 0, NULL, "to another GPU of this host: saves and restores it"},
    [OPTION_STOP] = {"stop", 0, NULL, "shut down guests that cannot move otherwise"},
    [OPTION_EXCEPT] = {"except", 0, "DOMAIN", "leave this guest where it is; may be repeated"},
    [OPTION_REASON] = {"reason", 0, "TEXT", "why; shown by 'vgpuctl gpus'"},
    [OPTION_PLAN] = {"plan", 0, "FILE", "do what this file says; with --dry-run: write it"},
    [OPTION_BACK] = {"back", 0, NULL, "undo it: bring the guests home"},
    [OPTION_NAMES] = {"names", 0, NULL, "record everything, for private support"},
    [OPTION_CAPTURE] = {"capture", 0, "FILE", "write a capture of this host with all steps"},
    [OPTION_AVAILABLE] = {"available", 0, NULL, "only types that there may be room for"},
    [OPTION_SORT] = {"sort", 0, "COLUMN", "order by this column; -COLUMN: the last one first"},
    [OPTION_HELP] = {"help", 'h', NULL, "print this help"},
    [OPTION_VERSION] = {"version", 'V', NULL, "print the version"},
};

/* Describes the options for getopt_long(3). Its values are those of `enum option_key` plus
 * FIRST_VALUE, so that no letter has the same value. */
#define FIRST_VALUE 256

_Static_assert(OPTIONS <= 64, "each option has a bit of OPTION_BIT");

static void
describe(struct option *longs, char *shorts)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];

        longs[i] = (struct option){.name = row->name,
                                   .has_arg = row->argument ? required_argument : no_argument,
                                   .val = FIRST_VALUE + (int)i};
        if (!row->letter)
            continue;
        *shorts++ = row->letter;
        if (row->argument)
            *shorts++ = ':';
    }
    *shorts = '\0';
}

static size_t
find_option(int value)
{
    size_t i = 0;

    if (value >= FIRST_VALUE)
        return (size_t)(value - FIRST_VALUE);
    while (i < OPTIONS && option_rows[i].letter != value)
        i++;
    return i;
}

/* Reports what getopt_long(3) has refused: a letter, a value for an option that takes none, or an
 * unknown word. */
static int
no_such_option(const char *word, int value, struct error *error)
{
    size_t length = strcspn(word, "="), option = find_option(value);
    AUTO_FREE char *name = memory_copy_bytes(word, length);
    struct suggest suggest = SUGGEST(length > 2 ? name + 2 : "");

    if (value >= FIRST_VALUE && option < OPTIONS)
        return error_refuse(error, ERROR_USAGE, "--%s takes no value", option_rows[option].name);
    if (value)
        return error_refuse(error, ERROR_USAGE, "there is no option -%c", value);
    for (size_t i = 0; i < OPTIONS; i++)
        suggest_offer(&suggest, option_rows[i].name);
    error_refuse(error, ERROR_USAGE, "there is no option %s", name);
    if (suggest.best)
        error_refuse(error, ERROR_USAGE, "there is no option %s (did you mean --%s?)", name,
                     suggest.best);
    return REFUSED;
}

int
options_read(int argc, char *argv[], struct options *ret, int *rest, struct error *error)
{
    struct option longs[OPTIONS + 1] = {0};
    char shorts[2 * OPTIONS + 2] = ":";
    int value, rc = 0;

    *ret = (struct options){0};
    describe(longs, shorts + 1);
    opterr = 0;
    optind = 0;
    while ((value = getopt_long(argc, argv, shorts, longs, NULL)) >= 0) {
        size_t option = find_option(value);

        if (rc == 0 && value == ':')
            rc = error_refuse(error, ERROR_USAGE, "%s needs a value", argv[optind - 1]);
        else if (rc == 0 && option >= OPTIONS)
            rc = no_such_option(argv[optind - 1], optopt, error);
        if (option >= OPTIONS)
            continue;
        ret->values[option] = option_rows[option].argument ? optarg : "";
        if (option == OPTION_CONNECT)
            ARRAY_ADD(ret->uris, ret->uri_count, optarg);
        if (option == OPTION_PARAM)
            ARRAY_ADD(ret->params, ret->param_count, optarg);
        if (option == OPTION_EXCEPT)
            ARRAY_ADD(ret->excepted, ret->excepted_count, optarg);
    }
    *rest = optind;
    return rc;
}

/* --- files that options name ------------------------------------------------------------------ */

int
options_read_file(const struct options *options, enum option_key option, char **ret,
                  struct error *error)
{
    const char *path = options->values[option];
    FILE *file = fopen(path, "re");
    size_t size = 0;
    ssize_t length;
    int rc = 0;

    *ret = NULL;
    length = file ? getdelim(ret, &size, '\0', file) : -1;
    if (length < 0 && (!file || !feof(file)))
        rc = error_set(error, -errno, "%s: %m", path);
    /* For an empty file getdelim(3) writes nothing. */
    else if (length < 0)
        **ret = '\0';
    if (file)
        fclose(file);
    return rc;
}

#define BLANKS " \t\r"

/* Returns the first word of a line and ends it. *rest is the text behind the word. */
static char *
first_word(char *line, char **rest)
{
    char *word = line + strspn(line, BLANKS);
    char *end = word + strcspn(word, BLANKS);

    *rest = end + strspn(end, BLANKS);
    *end = '\0';
    return word;
}

int
options_read_hosts(struct options *options, struct error *error)
{
    const char *path = options->values[OPTION_HOSTS];
    size_t before = options->uri_count;
    unsigned number = 0;
    char *text, *line;
    int rc = path ? options_read_file(options, OPTION_HOSTS, &options->hosts, error) : 0;

    if (rc < 0)
        error_wrap(error, "--hosts");
    if (rc < 0 || !path)
        return rc;
    for (text = options->hosts; (line = strsep(&text, "\n"));) {
        char *rest, *word = first_word(line, &rest);

        number++;
        if (!*word || *word == '#')
            continue;
        if (*rest)
            return error_refuse(error, ERROR_USAGE, "%s:%u: one URI in a line; what is \"%s\"?",
                                path, number, rest);
        ARRAY_ADD(options->uris, options->uri_count, word);
    }
    return options->uri_count > before
               ? 0
               : error_refuse(error, ERROR_USAGE,
                              "%s names no host; write the URI of a libvirt in each line", path);
}

/* --- values ----------------------------------------------------------------------------------- */

void
options_clear(struct options *options)
{
    free(options->uris);
    free(options->params);
    free(options->excepted);
    free(options->hosts);
    *options = (struct options){0};
}

int
options_check(const struct options *options, uint64_t bits, struct error *error)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        if (options->values[i] && !(bits & OPTION_BIT(i)))
            return error_refuse(error, ERROR_USAGE, "it takes no --%s", option_rows[i].name);
    }
    return 0;
}

int
options_number(const struct options *options, enum option_key option, unsigned least, unsigned most,
               unsigned otherwise, unsigned *ret, struct error *error)
{
    const char *text = options->values[option];
    unsigned long number;
    char *end;

    *ret = otherwise;
    if (!text)
        return 0;
    number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || number < least || number > most)
        return error_refuse(error, ERROR_USAGE, "--%s %s: not a number from %u to %u",
                            option_rows[option].name, text, least, most);
    *ret = (unsigned)number;
    return 0;
}

int
options_timeout(const struct options *options, unsigned *ret, struct error *error)
{
    return options_number(options, OPTION_TIMEOUT, 1, 3600, 10, ret, error);
}

bool
options_want_table(const struct options *options)
{
    return option_given(options, OPTION_JSON) || option_given(options, OPTION_RAW) ||
           option_given(options, OPTION_NOHEADINGS) || option_given(options, OPTION_COLUMNS);
}

#define COLUMNS 29 /* width of an option with its argument */

void
options_help(uint64_t bits, const char *const own[OPTIONS], unsigned width, FILE *out)
{
    for (size_t i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];
        char letter[] = {'-', row->letter, ',', ' ', '\0'}, head[64];

        snprintf(head, sizeof(head), "  %s--%s %s", row->letter ? letter : "    ", row->name,
                 row->argument ? row->argument : "");
        if (bits & OPTION_BIT(i))
            say_beside(out, head, COLUMNS, own[i] ? own[i] : row->help, width);
    }
}
