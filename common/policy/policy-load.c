/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "policy/policy-load.h"
#include "base/memory.h"
#include "policy/policy-consistency.h"
#include "policy/policy-keys.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES (1 << 20) /* of one file */

/* --- a number of more than 32 bits ------------------------------------------------------------ */

/* libconfig before 1.7.3 takes such a number for another one, and says nothing: 4294967298 becomes
 * 2. A number with the suffix L has 64 bits, and no key of ours takes one. */
struct long_number {
    unsigned line;    /* 0: there is none */
    const char *text; /* its first digit or its sign, in the text */
    size_t length;
};

/* The end of a string of one or more lines. */
static const char *
end_of_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* The end of a comment; NULL: none begins here. */
static const char *
end_of_comment(const char *at)
{
    const char *end;

    if (!strncmp(at, "/*", 2)) {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    return *at == '#' || !strncmp(at, "//", 2) ? at + strcspn(at, "\n") : NULL;
}

/* The end of a whole number; NULL: none begins here. */
static const char *
end_of_number(const char *at, bool *is_long)
{
    const char *digits = at + (*at == '-' || *at == '+');
    bool is_hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    unsigned long long most = is_hexadecimal ? UINT32_MAX
                              : *at == '-'   ? INT32_MAX + 1ull
                                             : INT32_MAX;
    unsigned long long number;
    char *end;

    if (!isdigit((unsigned char)*digits))
        return NULL;
    errno = 0;
    number = strtoull(digits, &end, is_hexadecimal ? 16 : 10);
    if (*end && strchr(".eE", *end)) {
        (void)strtod(digits, &end);
        return end;
    }
    *is_long = *end != 'L' && (errno == ERANGE || number > most);
    return end + strspn(end, "L");
}

static unsigned
line_of(const char *text, const char *at)
{
    unsigned line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* The first one. libconfig must have accepted the text. */
static struct long_number
long_number_find(const char *text)
{
    const char *at = text, *end;
    bool is_long = false;

    while (*at) {
        if (*at == '"') {
            at = end_of_string(at);
        } else if (isalpha((unsigned char)*at) || *at == '*') {
            while (isalnum((unsigned char)*at) || (*at && strchr("*_-", *at)))
                at++;
        } else if ((end = end_of_comment(at))) {
            at = end;
        } else if ((end = end_of_number(at, &is_long))) {
            if (is_long)
                return (struct long_number){line_of(text, at), at, (size_t)(end - at)};
            at = end;
        } else {
            at++;
        }
    }
    return (struct long_number){.line = 0};
}

/* --- the files of a configuration ------------------------------------------------------------- */

static void
set_defaults(struct policy *policy)
{
    *policy = (struct policy){
        .enabled = true,
        .order = ORDER_PACK,
        .numa = NUMA_PREFER,
        .allow = ~0u,
        .evacuate = ~0u,
        .default_class = memory_copy(""),
        .prepare_timeout = 30000,
        .release_timeout = 5000,
        .lock_timeout = 10000,
        .boot_wait = 120000,
    };
}

/* The policy that is being read, and its faults so far. */
struct load {
    const struct host *host;
    struct policy *policy;
    struct error *error;
    int rc; /* of the last fault; 0: there is none */
    struct setting_trace *trace;
};

static void FORMAT(3, 4) fail(struct load *load, int rc, const char *format, ...)
{
    struct error fault;
    va_list args;

    va_start(args, format);
    error_vset(&fault, rc, format, args);
    va_end(args);
    error_add(load->error, "%s", fault.text);
    if (fault.class == ERROR_DENIED)
        load->error->class = ERROR_DENIED;
    load->rc = rc;
}

/* The file decides what root writes. So only root may change it (or we, if we are not root). */
static bool
is_safe(struct load *load, int fd, const char *file)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        fail(load, -errno, "%s: %m", file);
    else if (!S_ISREG(status.st_mode) || status.st_size > MOST_BYTES)
        fail(load, -EINVAL, "%s: not a regular file of at most 1 MiB", file);
    else if ((status.st_uid != 0 && status.st_uid != geteuid()) || (status.st_mode & 022))
        fail(load, -EPERM,
             "%s: others than root may write it; 'chown root' and 'chmod go-w' make it safe", file);
    else
        return true;
    return false;
}

/* The whole file, or NULL and errno. EILSEQ: it is no text. */
static char *
read_text(int fd)
{
    AUTO_FREE char *text = NULL;
    size_t length = 0, size = 0;

    do {
        ssize_t got;

        if (length == size) {
            size = size ? 2 * size : 4096;
            text = memory_resized(text, size + 1, 1);
        }
        got = read(fd, text + length, size - length);
        if (got < 0)
            return NULL;
        if (got == 0)
            break;
        length += (size_t)got;
    } while (length < MOST_BYTES);
    text[length] = '\0';
    if (strlen(text) == length)
        return TAKE(text);
    errno = EILSEQ;
    return NULL;
}

/* The line of an @include; 0: there is none. libconfig would open that file without checking its
 * owner. */
static unsigned
find_include(const char *text)
{
    for (unsigned line = 1; text; line++) {
        if (!strncmp(text + strspn(text, " \t"), "@include", strlen("@include")))
            return line;
        text = strchr(text, '\n');
        if (text)
            text++;
    }
    return 0;
}

/* The number of the last line. */
static int
last_line(const char *text)
{
    int line = 1;

    for (; *text; text++)
        line += text[0] == '\n' && text[1];
    return line;
}

static void
fail_of_syntax(struct load *load, const char *file, const char *text, const config_t *config)
{
    /* Faults of libconfig, and what to do. libconfig names the line at which it can read no
     * further. If a quote or a bracket is missing, the mistake is above that line. */
    static const struct {
        const char *fault, *remedy;
    } rows[] = {
        {"syntax error",
         "write name = value; and strings in double quotes; a missing quote or bracket may be "
         "further up"},
        {"duplicate setting name", "this group has the key already; take one out"},
        {"mismatched element type in array", "all values in [ ] must be of one type"},
    };
    const char *fault = config_error_text(config), *remedy = "see vgpu.conf(5)";
    int line = config_error_line(config), last = last_line(text);

    for (size_t i = 0; i < COUNT(rows); i++)
        remedy = strcmp(rows[i].fault, fault) ? remedy : rows[i].remedy;
    fail(load, -EINVAL, "%s:%d: %s: %s", file, line > last ? last : line, fault, remedy);
}

/* The line of the last setting of the file; 1: there is none. */
static unsigned
last_setting_line(config_setting_t *root)
{
    int count = config_setting_length(root);

    return count ? config_setting_source_line(config_setting_get_elem(root, (unsigned)count - 1))
                 : 1;
}

/* libconfig takes all text behind an open comment or string for a part of it, and finds no fault
 * in that. It then misses this setting as well, which is put behind the text. The line feed ends a
 * comment of the last line. */
#define LAST_SETTING "end_of_file"

static void
parse_text(struct load *load, const char *file, const char *text)
{
    struct setting_reader reader = {.error = load->error, .file = file, .trace = load->trace};
    AUTO_FREE char *whole = memory_format("%s\n" LAST_SETTING " = true;\n", text);
    struct long_number number = {.line = 0};
    unsigned include = find_include(text);
    config_t config;

    if (include)
        return fail(load, -EINVAL, "%s:%u: @include is not allowed; use conf.d/", file, include);
    config_init(&config);
    if (!config_read_string(&config, whole))
        fail_of_syntax(load, file, text, &config);
    else if (!config_setting_remove(config_root_setting(&config), LAST_SETTING))
        fail(load, -EINVAL,
             "%s:%u: a comment or a string behind the setting of this line has no end, and hides "
             "the rest of the file",
             file, last_setting_line(config_root_setting(&config)));
    else if ((number = long_number_find(text)).line)
        fail(load, -EINVAL, "%s:%u: %.*s is too large: numbers have 32 bits, up to %d", file,
             number.line, number.length < 40 ? (int)number.length : 40, number.text, INT32_MAX);
    else
        policy_keys_read(&reader, config_root_setting(&config), load->policy);
    config_destroy(&config);
    load->rc = reader.rc < 0 ? reader.rc : load->rc;
}

/* A missing file is like an empty one. */
static void
read_file(struct load *load, const char *name)
{
    AUTO_FREE char *text = NULL;
    AUTO_CLOSE int fd = -1;
    struct path path;
    char file[sizeof(path) + 1];
    int rc = path_format(&path, "%s/%s", load->host->config, name);

    if (rc < 0)
        return fail(load, rc, "%s: %s", name, strerror(-rc));
    fd = host_open(load->host, path.text, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    snprintf(file, sizeof(file), "/%s", path.text);
    if (fd < 0 && errno == ENOENT)
        return;
    if (fd < 0)
        return fail(load, -errno, "%s: %m", file);
    if (!is_safe(load, fd, file))
        return;
    text = read_text(fd);
    if (text)
        parse_text(load, file, text);
    else
        fail(load, -errno, "%s: %m", file);
}

#define TAIL ".conf"

static bool
is_drop_in(const char *name)
{
    size_t length = strlen(name);

    return *name != '.' && length > strlen(TAIL) && !strcmp(name + length - strlen(TAIL), TAIL);
}

static int
list_drop_ins(const struct host *host, struct words *ret)
{
    return host_list_all(host, ret, "%s/conf.d", host->config);
}

void
policy_passed_over(const struct host *host, struct words *ret)
{
    AUTO(words_clear) struct words files = {0};

    if (list_drop_ins(host, &files) < 0)
        return;
    for (size_t i = 0; i < files.count; i++) {
        if (!is_drop_in(files.items[i]))
            words_add(ret, files.items[i]);
    }
}

static void
read_drop_ins(struct load *load)
{
    AUTO(words_clear) struct words files = {0};
    struct path path;
    int rc = list_drop_ins(load->host, &files);

    if (rc < 0 && rc != -ENOENT)
        fail(load, rc, "/%s/conf.d: %s", load->host->config, strerror(-rc));
    for (size_t i = 0; i < files.count; i++) {
        if (!is_drop_in(files.items[i]))
            continue;
        rc = path_format(&path, "conf.d/%s", files.items[i]);
        if (rc == 0)
            read_file(load, path.text);
        else
            fail(load, rc, "%s: %s", files.items[i], strerror(-rc));
    }
}

/* `trace` may be NULL. */
static int
load(const struct host *host, struct policy *ret, struct setting_trace *trace, struct error *error)
{
    struct load load = {.host = host, .policy = ret, .error = error, .trace = trace};
    int rc;

    *error = (struct error){0};
    set_defaults(ret);
    read_file(&load, "vgpu.conf");
    read_drop_ins(&load);
    rc = policy_consistency_check(ret, error);
    load.rc = rc < 0 ? rc : load.rc;
    if (load.rc < 0) {
        policy_clear(ret);
        set_defaults(ret);
    }
    if (load.rc < 0 && error->class != ERROR_DENIED)
        error->class = ERROR_BAD_CONFIGURATION;
    return load.rc;
}

int
policy_load(const struct host *host, struct policy *ret, struct error *error)
{
    return load(host, ret, NULL, error);
}

int
policy_load_traced(const struct host *host, struct policy *ret, struct setting_trace *trace,
                   struct error *error)
{
    *trace = (struct setting_trace){0};
    return load(host, ret, trace, error);
}
