/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/kernel-text.h"
#include "base/array.h"
#include "base/memory.h"
#include "capture/harmless.h"
#include "capture/path-text.h"
#include "device/type-cache.h"

#include <ctype.h>
#include <string.h>

/* Puts what is left of a line. */
typedef void put_line(struct stand_ins *stand_ins, char *line, FILE *out);

static char *
each_line(struct stand_ins *stand_ins, const char *text, put_line *put)
{
    AUTO_FREE char *copy = memory_copy(text);
    char *rest = copy, *line, *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    while ((line = strsep(&rest, "\n")))
        put(stand_ins, line, out);
    memory_stream_end(out, &ret);
    return ret;
}

/* --- /sys ------------------------------------------------------------------------------------- */

char *
kernel_text_value(struct stand_ins *stand_ins, const char *line)
{
    const bool is_harmless =
        !*line || harmless_is_number(line) || stand_ins_is_harmless(stand_ins, line);

    return stand_ins_use_unless(stand_ins, is_harmless, STAND_IN_TEXT, line);
}

char *
kernel_text_device(struct stand_ins *stand_ins, const char *line)
{
    return stand_ins_use_unless(stand_ins, harmless_is_device(line), STAND_IN_TEXT, line);
}

/* Whether a part of a version is harmless: a number, or a word before a number. */
static bool
is_part(const struct stand_ins *stand_ins, const char *part)
{
    size_t length = strcspn(part, "0123456789");
    AUTO_FREE char *word = memory_copy_bytes(part, length);

    return strspn(part + length, "0123456789") == strlen(part + length) && strlen(part) < 16 &&
           (!*word || stand_ins_is_harmless(stand_ins, word));
}

/* A part that is not known becomes "x". */
char *
kernel_text_version(struct stand_ins *stand_ins, const char *line)
{
    static const char marks[] = "-.+_~ ";
    char *ret = NULL;
    size_t size, length;
    FILE *out = memory_stream(&ret, &size);

    for (const char *at = line; *at; at += length) {
        AUTO_FREE char *part = NULL;

        length = strcspn(at, marks);
        part = memory_copy_bytes(at, length);
        fputs(stand_ins->keeps_names || is_part(stand_ins, part) ? part : "x", out);
        if (at[length])
            fputc(at[length++], out);
    }
    memory_stream_end(out, &ret);
    return ret;
}

char *
kernel_text_type_name(struct stand_ins *stand_ins, const char *line)
{
    return stand_ins_use_unless(stand_ins, !*line || harmless_is_type_name(line), STAND_IN_TYPE,
                                line);
}

/* Only figures of NVIDIA's are read. */
char *
kernel_text_description(struct stand_ins *stand_ins, const char *text)
{
    static const char *const keys[] = {
        "num_heads=", "frl_config=", "framebuffer=", "max_resolution=", "max_instance="};
    AUTO_FREE char *copy = memory_copy(text);
    char *rest = copy, *word, *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    (void)stand_ins;
    while ((word = strsep(&rest, ", \n"))) {
        const char *const *key =
            ARRAY_FIND(keys, COUNT(keys), each, !strncmp(word, *each, strlen(*each)));
        const char *figure = key ? word + strlen(*key) : "";

        if (key && strlen(figure) < 16 && strspn(figure, "0123456789xM") == strlen(figure))
            fprintf(out, "%s%s", ftell(out) > 0 ? ", " : "", word);
    }
    fputs(ftell(out) > 0 ? "\n" : "", out);
    memory_stream_end(out, &ret);
    return ret;
}

static void
put_creatable(struct stand_ins *stand_ins, char *line, FILE *out)
{
    (void)stand_ins;
    for (char *at = line; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    if (harmless_is_type_name(line))
        fprintf(out, "%s\n", line);
}

char *
kernel_text_creatable(struct stand_ins *stand_ins, const char *text)
{
    return each_line(stand_ins, text, put_creatable);
}

static void
put_cached(struct stand_ins *stand_ins, char *line, FILE *out)
{
    const struct type_cache_line words = type_cache_split(line);
    struct name address;

    if (words.name && name_parse_pci(&address, words.gpu) == 0 &&
        stand_ins_is_harmless(stand_ins, words.id) && harmless_is_type_name(words.name))
        fprintf(out, "%s %s %s\n", words.gpu, words.id, words.name);
}

char *
kernel_text_cache(struct stand_ins *stand_ins, const char *text)
{
    return each_line(stand_ins, text, put_cached);
}

/* --- /proc ------------------------------------------------------------------------------------ */

char *
kernel_text_minor(struct stand_ins *stand_ins, const char *text)
{
    const char *line = strstr(text, "\nDevice Minor:");
    unsigned minor;

    (void)stand_ins;
    if (!line || sscanf(line, " Device Minor: %9u", &minor) != 1)
        return memory_copy("");
    return memory_format("\nDevice Minor: %u\n", minor);
}

char *
kernel_text_flags(struct stand_ins *stand_ins, const char *text)
{
    const char *line = strstr(text, "flags:");
    unsigned flags;

    (void)stand_ins;
    if (!line || sscanf(line, "flags: %o", &flags) != 1)
        return memory_copy("");
    return memory_format("flags:\t0%o\n", flags);
}

/* The words of a parameter that vgpuctl looks at: a card's address, and the scheduler's key. */
static void
put_words(char *list, FILE *out)
{
    static const struct {
        const char *name, *characters;
    } rows[] = {{"pci=", "0123456789abcdefABCDEF:."}, {"RmPVMRL=", "0123456789abcdefABCDEFx"}};
    char *save = NULL;

    for (char *word = strtok_r(list, "; ", &save); word; word = strtok_r(NULL, "; ", &save)) {
        for (size_t i = 0; i < COUNT(rows); i++) {
            size_t length = strlen(rows[i].name);

            if (!strncmp(word, rows[i].name, length) &&
                word[length + strspn(word + length, rows[i].characters)] == '\0')
                fprintf(out, "%s;", word);
        }
    }
}

static void
put_params(struct stand_ins *stand_ins, char *line, FILE *out)
{
    static const char *const names[] = {"RegistryDwords: \"", "RegistryDwordsPerDevice: \""};

    (void)stand_ins;
    for (size_t i = 0; i < COUNT(names); i++) {
        char *list = line + strlen(names[i]);

        if (strncmp(line, names[i], strlen(names[i])) != 0)
            continue;
        list[strcspn(list, "\"")] = '\0';
        fputs(names[i], out);
        put_words(list, out);
        fputs("\"\n", out);
    }
}

char *
kernel_text_params(struct stand_ins *stand_ins, const char *text)
{
    return each_line(stand_ins, text, put_params);
}

/* Keeps the fields 1 to 22. Those behind them show where the process's memory is. A field that is
 * not what it should be ends the line. */
char *
kernel_text_stat(struct stand_ins *stand_ins, const char *text)
{
    const char *begin = strchr(text, '('), *end = strrchr(text, ')');
    AUTO_FREE char *name = NULL, *other = NULL, *fields = NULL;
    char *rest, *field, *ret = NULL;
    size_t length;
    FILE *out;
    int pid;

    if (!begin || !end || end < begin || sscanf(text, "%9d", &pid) != 1)
        return memory_copy("");
    name = memory_copy_bytes(begin + 1, (size_t)(end - begin - 1));
    other = path_text_program(stand_ins, name);
    rest = fields = memory_copy(end + 1 + (end[1] == ' '));
    out = memory_stream(&ret, &length);
    fprintf(out, "%d (%s)", pid, other);
    for (int number = 3; number <= 22 && (field = strsep(&rest, " \n")); number++) {
        bool is_state = number == 3 && isupper((unsigned char)*field) && !field[1];

        if (!is_state && (number == 3 || !harmless_is_number(field)))
            break;
        fprintf(out, " %s", field);
    }
    memory_stream_end(out, &ret);
    return ret;
}

char *
kernel_text_status(struct stand_ins *stand_ins, const char *text)
{
    (void)stand_ins;
    return memory_copy(strstr(text, "\nSeccomp:") ? "Name:\tvgpuctl\nSeccomp:\t0\n"
                                                  : "Name:\tvgpuctl\n");
}

/* --- security modules ------------------------------------------------------------------------- */

/* Hides the parts of an SELinux context except the third, its type. */
char *
kernel_text_context(struct stand_ins *stand_ins, const char *text)
{
    static const char *const others[] = {"u", "r", NULL, "s0"};
    AUTO_FREE char *copy = memory_copy(text);
    char *rest = copy, *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    for (size_t i = 0; i < COUNT(others) && rest; i++) {
        const char *part = strsep(&rest, ":\n");
        const bool is_harmless = others[i] || stand_ins_is_harmless(stand_ins, part);
        AUTO_FREE char *other = stand_ins_use_unless(stand_ins, is_harmless, STAND_IN_TEXT,
                                                     others[i] ? others[i] : part);

        fprintf(out, "%s%s", i ? ":" : "", other);
    }
    memory_stream_end(out, &ret);
    return ret;
}

/* AppArmor's label: "libvirtd (enforce)". SELinux's has no mode. */
char *
kernel_text_current(struct stand_ins *stand_ins, const char *line)
{
    static const char *const modes[] = {" (enforce)", " (complain)", " (kill)", " (unconfined)"};
    const char *end = strrchr(line, '(');
    const char *mode = end && end > line ? end - 1 : "";
    AUTO_FREE char *name = NULL, *other = NULL;

    if (!ARRAY_HAS(modes, COUNT(modes), each, !strcmp(*each, mode)))
        return strchr(line, ':') ? kernel_text_context(stand_ins, line)
                                 : path_text_program(stand_ins, line);
    name = memory_copy_bytes(line, (size_t)(mode - line));
    other = path_text_program(stand_ins, name);
    return memory_format("%s%s", other, mode);
}

static void
put_policy(struct stand_ins *stand_ins, char *line, FILE *out)
{
    static const char key[] = "SELINUXTYPE=";
    AUTO_FREE char *other = NULL;

    line += strspn(line, " \t");
    if (strncmp(line, key, strlen(key)) != 0)
        return;
    line += strlen(key);
    line[strcspn(line, " \t\r")] = '\0';
    other = path_text(stand_ins, "etc/selinux", line);
    fprintf(out, "%s%s\n", key, other);
}

char *
kernel_text_policy(struct stand_ins *stand_ins, const char *text)
{
    return each_line(stand_ins, text, put_policy);
}

char *
kernel_text_contexts(struct stand_ins *stand_ins, const char *text)
{
    static const char ours[] = ":libvirt_vgpu_exec_t:";

    (void)stand_ins;
    return memory_copy(
        strstr(text, ours) ? "/usr/sbin/libvirt-vgpu-hook u:r:libvirt_vgpu_exec_t:s0\n" : "");
}

static void
put_paths(struct stand_ins *stand_ins, char *line, FILE *out)
{
    char *word;

    while ((word = strsep(&line, " \t\",{}="))) {
        AUTO_FREE char *other = NULL;

        if (*word != '/')
            continue;
        other = path_text(stand_ins, "", word);
        fprintf(out, "%s PUx,\n", other);
    }
}

char *
kernel_text_profile(struct stand_ins *stand_ins, const char *text)
{
    return each_line(stand_ins, text, put_paths);
}

/* --- udev and mdevctl ------------------------------------------------------------------------- */

/* The rule names a program by its whole path: "/usr/sbin/mdevctl start-parent-mdevs". */
char *
kernel_text_rules(struct stand_ins *stand_ins, const char *text)
{
    static const char program[] = "/mdevctl";
    char *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    for (const char *at = strstr(text, "/mdevctl "); at; at = strstr(at + 1, "/mdevctl ")) {
        const char *begin = at;
        AUTO_FREE char *path = NULL, *other = NULL;

        while (begin > text && !strchr("\"' \t\n=", begin[-1]))
            begin--;
        path = memory_copy_bytes(begin, (size_t)(at - begin) + strlen(program));
        other = path_text(stand_ins, "", path);
        fprintf(out, "RUN+=\"%s start-parent-mdevs\"\n", other);
    }
    memory_stream_end(out, &ret);
    return ret;
}

char *
kernel_text_mdevctl(struct stand_ins *stand_ins, const char *text)
{
    const char *key = strstr(text, "\"start\"");

    (void)stand_ins;
    key = key ? key + strlen("\"start\"") : "";
    key += strspn(key, " \t\n:");
    return memory_copy(!strncmp(key, "\"auto\"", strlen("\"auto\"")) ? "{ \"start\": \"auto\" }\n"
                                                                     : "{}\n");
}
