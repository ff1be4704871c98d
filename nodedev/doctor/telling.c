/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/telling.h"
#include "cli/say.h"
#include "cli/wrap.h"

#include <limits.h>
#include <string.h>

#define PROSE   2 /* blanks in front */
#define COMMAND 6

static void
print_prose(const char *text, unsigned width, FILE *out)
{
    for (const char *next; *text; text = next) {
        size_t length = wrap_line(text, width - PROSE, &next);

        say_line(out, "%*s%.*s", PROSE, "", (int)length, text);
    }
}

/* What remedies begin commands with. */
static bool
is_command(const char *text)
{
    static const char *const words[] = {
        "/",           "ausearch ", "chmod ",     "chown ",    "echo ",
        "kill ",       "ln ",       "mdevctl ",   "modprobe ", "nvidia-smi ",
        "restorecon ", "rm ",       "systemctl ", "vgpuctl ",  "virsh ",
    };

    for (size_t i = 0; i < COUNT(words); i++) {
        if (!strncmp(text, words[i], strlen(words[i])))
            return true;
    }
    return false;
}

/* Where a remedy's text goes on after its next part: a command ends at "; ", prose where a command
 * begins behind "; " or ": ". */
static size_t
find_end(const char *text)
{
    bool is_in_command = is_command(text);
    size_t end = 0;

    for (; text[end]; end++) {
        if (!strncmp(text + end, "; ", 2) && (is_in_command || is_command(text + end + 2)))
            return end;
        if (!strncmp(text + end, ": ", 2) && !is_in_command && is_command(text + end + 2))
            return end + 1;
        if (!strncmp(text + end, ", or: ", 6))
            return end + 5;
    }
    return end;
}

static void
print_remedy(const char *remedy, unsigned width, FILE *out)
{
    while (*remedy) {
        size_t length = find_end(remedy);
        char part[sizeof(((struct error *)NULL)->text)];
        bool goes_on;

        snprintf(part, sizeof(part), "%.*s", (int)length, remedy);
        remedy += length;
        remedy += strspn(remedy, "; ");
        if (!is_command(part)) {
            print_prose(part, width, out);
            continue;
        }
        /* The words that lead to the next part are none of the command's. */
        goes_on = length > 5 && !strcmp(part + length - 5, ", or:");
        if (goes_on)
            part[length - 5] = '\0';
        say_line(out, "%*s%s", COMMAND, "", part);
        if (goes_on)
            print_prose("or:", width, out);
    }
}

void
telling_print(const struct diagnosis_finding *finding, const struct terminal *terminal, FILE *out)
{
    /* What goes to no terminal may be searched for words. */
    unsigned width = terminal->is_screen ? terminal_width(terminal) : INT_MAX;
    char remedy[sizeof(finding->remedy.text) + 16];

    terminal_paint(terminal, TERMINAL_BOLD, out);
    say_part(out, "%s: %s", diagnosis_severity_name(finding->check->severity),
             finding->check->name);
    terminal_paint(terminal, TERMINAL_PLAIN, out);
    say_end(out);
    print_prose(finding->text.text, width, out);
    if (!*finding->remedy.text)
        return;
    snprintf(remedy, sizeof(remedy), "What to do: %s", finding->remedy.text);
    print_remedy(remedy, width, out);
}
