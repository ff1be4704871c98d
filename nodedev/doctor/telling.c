/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "doctor/telling.h"
#include "cli/say.h"
#include "cli/wrap.h"

#include <limits.h>

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

static void
print_remedy(const struct diagnosis_finding *finding, unsigned width, FILE *out)
{
    const char *head = "What to do:";

    for (size_t i = 0; i < finding->part_count; i++, head = "") {
        const struct diagnosis_part *part = &finding->parts[i];
        const char *text = finding->remedy.text + part->begin;
        int length = (int)(part->end - part->begin);
        char prose[sizeof(finding->remedy.text) + 16];

        if (part->is_command) {
            print_prose(head, width, out);
            say_line(out, "%*s%.*s", COMMAND, "", length, text);
        } else {
            snprintf(prose, sizeof(prose), "%s%s%.*s", head, *head ? " " : "", length, text);
            print_prose(prose, width, out);
        }
    }
}

void
telling_print(const struct diagnosis_finding *finding, const struct terminal *terminal, FILE *out)
{
    /* What goes to no terminal may be searched for words. */
    unsigned width = terminal->is_screen ? terminal_width(terminal) : INT_MAX;

    terminal_paint(terminal, TERMINAL_BOLD, out);
    say_part(out, "%s: %s", diagnosis_severity_name(finding->check->severity),
             finding->check->name);
    terminal_paint(terminal, TERMINAL_PLAIN, out);
    say_end(out);
    print_prose(finding->text.text, width, out);
    print_remedy(finding, width, out);
}
