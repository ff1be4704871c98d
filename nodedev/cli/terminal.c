/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/terminal.h"
#include "cli/end-signals.h"

#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <wchar.h>

#define LEAST_WIDTH 60 /* on a narrower screen, the terminal breaks the lines */

static void
measure(struct terminal *terminal)
{
    struct winsize size;

    if (ioctl(terminal->output, TIOCGWINSZ, &size) < 0)
        return;
    terminal->width = size.ws_col;
    terminal->height = size.ws_row;
}

struct terminal
terminal_find(const char *no_color, const char *type)
{
    struct terminal found = {
        .input = isatty(STDIN_FILENO) ? STDIN_FILENO : -1,
        .output = STDOUT_FILENO,
        .is_screen = isatty(STDOUT_FILENO),
    };

    if (!found.is_screen)
        return found;
    found.has_colour = !(no_color && *no_color) && type && strcmp(type, "dumb") != 0;
    measure(&found);
    return found;
}

int
terminal_choose_colour(struct terminal *terminal, const char *when, struct error *error)
{
    if (!when || !strcmp(when, "auto"))
        return 0;
    terminal->has_colour = !strcmp(when, "always");
    if (terminal->has_colour || !strcmp(when, "never"))
        return 0;
    return error_refuse(error, ERROR_USAGE, "--color %s is none of always, never, auto", when);
}

unsigned
terminal_width(const struct terminal *terminal)
{
    unsigned width = terminal->is_screen && terminal->width ? terminal->width : TERMINAL_WIDTH;

    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

size_t
terminal_character(const char *text, unsigned *columns)
{
    mbstate_t state = {0};
    wchar_t character;
    size_t length = mbrtowc(&character, text, MB_LEN_MAX, &state);
    int width = length > 0 && length <= MB_LEN_MAX ? wcwidth(character) : -1;

    *columns = width >= 0 ? (unsigned)width : 1;
    return width >= 0 ? length : 1;
}

unsigned
terminal_columns(const char *text)
{
    unsigned sum = 0, columns;

    for (; *text; sum += columns)
        text += terminal_character(text, &columns);
    return sum;
}

void
terminal_cut(char *text, unsigned columns)
{
    char *end = text, *next = text;
    unsigned kept = 0;

    if (terminal_columns(text) <= columns || columns < 2)
        return;
    while (kept <= columns - 2) {
        unsigned more;

        end = next;
        next += terminal_character(next, &more);
        kept += more;
    }
    /* At least three columns are cut off, and each has at least one byte. */
    memcpy(end, "..", sizeof(".."));
}

const char *
terminal_sequence(const struct terminal *terminal, enum terminal_colour colour)
{
    static const char *const codes[] = {
        [TERMINAL_PLAIN] = "\033[0m",       [TERMINAL_BOLD] = "\033[1m",
        [TERMINAL_DIM] = "\033[2m",         [TERMINAL_GREEN] = "\033[30;42m",
        [TERMINAL_YELLOW] = "\033[30;43m",  [TERMINAL_BLUE] = "\033[37;44m",
        [TERMINAL_MAGENTA] = "\033[37;45m", [TERMINAL_RED] = "\033[37;41m",
    };

    return terminal->has_colour ? codes[colour] : "";
}

void
terminal_paint(const struct terminal *terminal, enum terminal_colour colour, FILE *out)
{
    fputs(terminal_sequence(terminal, colour), out);
}

void
terminal_rewind(const struct terminal *terminal, FILE *out)
{
    if (terminal->is_screen)
        fputs("\r\033[2K", out);
}

/* Enters another screen than the shell's, hides the cursor, and cuts long lines; and goes back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l\033[2J"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

/* Keys arrive at once, are not shown, and send no signals. */
static void
change_input(struct terminal_screen *screen)
{
    struct termios raw;

    if (screen->terminal->input < 0 || tcgetattr(screen->terminal->input, &screen->before) < 0)
        return;
    raw = screen->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    screen->is_input_changed = tcsetattr(screen->terminal->input, TCSANOW, &raw) == 0;
}

int
terminal_take(struct terminal_screen *screen, struct terminal *terminal, FILE *out,
              struct error *error)
{
    sigset_t blocked;

    *screen = (struct terminal_screen){.terminal = terminal, .out = out, .signals = -1};
    if (!terminal->is_screen)
        return error_refuse(error, ERROR_USAGE, "--watch needs a terminal to draw on, or --json");
    end_signals_fill(&blocked);
    sigaddset(&blocked, SIGPIPE);
    sigaddset(&blocked, SIGWINCH);
    sigprocmask(SIG_BLOCK, &blocked, &screen->blocked_before);
    screen->signals = signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK);
    if (screen->signals < 0) {
        sigprocmask(SIG_SETMASK, &screen->blocked_before, NULL);
        return error_set(error, -errno, "signalfd: %m");
    }
    change_input(screen);
    fputs(ENTER, out);
    return 0;
}

void
terminal_release(struct terminal_screen *screen)
{
    struct signalfd_siginfo info;

    if (screen->signals < 0)
        return;
    fputs(LEAVE, screen->out);
    fflush(screen->out);
    if (screen->is_input_changed)
        tcsetattr(screen->terminal->input, TCSAFLUSH, &screen->before);
    /* Removes signals that came meanwhile, because they have had their effect. */
    while (read(screen->signals, &info, sizeof(info)) > 0)
        ;
    close(screen->signals);
    sigprocmask(SIG_SETMASK, &screen->blocked_before, NULL);
    screen->signals = -1;
}

static size_t
count_lines(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* How many lines of a text fit beside the line that says which they are. */
static size_t
lines_of(const struct terminal_screen *screen)
{
    size_t height = screen->terminal->height ? screen->terminal->height : SIZE_MAX;

    return screen->lines < height ? screen->lines : height - 1;
}

static const char *
skip_lines(const char *text, size_t lines)
{
    while (lines--)
        text += strcspn(text, "\n") + 1;
    return text;
}

void
terminal_show(struct terminal_screen *screen, const char *text)
{
    size_t shown, height = screen->terminal->height;

    screen->lines = count_lines(text);
    shown = lines_of(screen);
    if (screen->top > screen->lines - shown)
        screen->top = screen->lines - shown;
    text = skip_lines(text, screen->top);
    fputs("\033[H", screen->out);
    for (size_t i = 0; i < shown; i++) {
        size_t length = strcspn(text, "\n");

        fputs("\033[2K", screen->out);
        fwrite(text, 1, length, screen->out);
        if (!height || i + 1 < height)
            fputc('\n', screen->out);
        text += length + 1;
    }
    fputs("\033[J", screen->out);
    if (shown < screen->lines)
        fprintf(screen->out, "(lines %zu to %zu of %zu; arrows and Page Down scroll, q ends this)",
                screen->top + 1, screen->top + shown, screen->lines);
    fflush(screen->out);
}

/* Moves the text by so many lines. terminal_show stops it at the end. */
static enum terminal_event
scroll(struct terminal_screen *screen, bool down, size_t lines)
{
    if (down)
        screen->top += lines;
    else
        screen->top -= lines < screen->top ? lines : screen->top;
    return TERMINAL_SCROLLED;
}

/* In this mode ^C, ^\ and ^D are keys. Other keys than these make the text anew. */
static enum terminal_event
read_key(struct terminal_screen *screen)
{
    static const struct {
        const char *key; /* as the terminal sends it */
        bool is_down, is_page;
    } rows[] = {
        {"\033[A", false, false}, {"\033OA", false, false}, {"k", false, false},
        {"\033[B", true, false},  {"\033OB", true, false},  {"j", true, false},
        {"\033[5~", false, true}, {"b", false, true},       {"\033[6~", true, true},
        {" ", true, true},
    };
    char typed[8] = {0};
    ssize_t got = read(screen->terminal->input, typed, sizeof(typed) - 1);

    if (got <= 0 || strchr("qQ\003\004\034", *typed))
        return TERMINAL_END;
    /* A key that is held down comes several times at once. */
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!strncmp(typed, rows[i].key, strlen(rows[i].key)))
            return scroll(screen, rows[i].is_down, rows[i].is_page ? lines_of(screen) : 1);
    }
    return TERMINAL_ANEW;
}

static enum terminal_event
read_signal(struct terminal_screen *screen)
{
    struct signalfd_siginfo info;

    if (read(screen->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return TERMINAL_TIME;
    if (info.ssi_signo != SIGWINCH)
        return TERMINAL_END;
    measure(screen->terminal);
    return TERMINAL_ANEW;
}

enum terminal_event
terminal_wait(struct terminal_screen *screen, const struct host *host, uint64_t nanoseconds)
{
    struct pollfd polls[] = {
        {.fd = screen->signals, .events = POLLIN},
        {.fd = screen->terminal->input, .events = POLLIN}, /* poll(2) skips a negative one */
    };

    if (host->ops->wait(host, polls, COUNT(polls), nanoseconds) <= 0)
        return TERMINAL_TIME;
    return polls[1].revents ? read_key(screen) : read_signal(screen);
}
