/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/answers.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/words.h"

#include <ctype.h>
#include <search.h>
#include <string.h>

#define TITLE      "libvirt-vgpu capture "
#define FORMAT_NOW "1"
#define WITH_NAMES " with names"
#define NOBODY     65534 /* neither root nor this user, unless this user is nobody */

static const char *const kinds[] = {"host",   "read", "list",  "link",   "status",
                                    "device", "open", "label", "locked", NULL};

/* --- the table -------------------------------------------------------------------------------- */

static int
compare(const void *left, const void *right)
{
    const struct answer *a = left, *b = right;
    int order = strcmp(a->path, b->path);

    return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

static void
free_answer(void *data)
{
    struct answer *answer = data;

    free(answer->path);
    free(answer->text);
    free(answer);
}

void
answers_add(struct answers *answers, enum answer_kind kind, const char *path, const char *bytes,
            ssize_t length)
{
    struct answer *answer = memory_zeroed(1, sizeof(*answer));
    struct answer **found;

    answer->kind = kind;
    answer->path = memory_copy(path);
    answer->error = length < 0 ? (int)-length : 0;
    answer->length = length < 0 ? 0 : (size_t)length;
    answer->text = memory_copy_bytes(length > 0 ? bytes : "", answer->length);
    found = tsearch(answer, &answers->tree, compare);
    if (!found)
        memory_fail();
    else if (*found != answer)
        free_answer(answer);
    else
        ARRAY_ADD(answers->items, answers->count, answer);
}

struct answer *
answers_find(const struct answers *answers, enum answer_kind kind, const char *path)
{
    const struct answer sought = {.kind = kind, .path = (char *)path};
    void *found = tfind(&sought, &answers->tree, compare);

    return found ? *(struct answer **)found : NULL;
}

static int
by_path(const void *left, const void *right)
{
    return compare(*(struct answer *const *)left, *(struct answer *const *)right);
}

void
answers_sort(struct answers *answers)
{
    if (answers->count)
        qsort(answers->items, answers->count, sizeof(struct answer *), by_path);
}

void
answers_clear(struct answers *answers)
{
    tdestroy(answers->tree, free_answer);
    free(answers->items);
    *answers = (struct answers){0};
}

/* --- the text --------------------------------------------------------------------------------- */

/* `also` is one more character to escape. */
static void
put_bytes(const char *bytes, size_t length, char also, FILE *out)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)bytes[i];

        if (byte == '\n' && also != '\n')
            fputs("\\n", out);
        else if (byte == '\\')
            fputs("\\\\", out);
        else if (iscntrl(byte) || byte == (unsigned char)also)
            fprintf(out, "\\x%02x", byte);
        else
            fputc(byte, out);
    }
}

static void
put_answer(const struct answer *answer, FILE *out)
{
    fprintf(out, "%s ", kinds[answer->kind]);
    put_bytes(answer->path, strlen(answer->path), ' ', out);
    if (answer->error) {
        fprintf(out, " ! %d %s", answer->error, strerror(answer->error));
    } else {
        fputs(" = ", out);
        put_bytes(answer->text, answer->length, '\0', out);
    }
    fputc('\n', out);
}

void
answers_write(struct answers *answers, bool has_names, const char *remark, FILE *out)
{
    fprintf(out, TITLE FORMAT_NOW "%s\n# %s\n", has_names ? WITH_NAMES : "", remark);
    answers_sort(answers);
    for (size_t i = 0; i < answers->count; i++)
        put_answer(answers->items[i], out);
}

static int
hex_digit(char digit)
{
    return isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

/* Undoes put_bytes in place. Returns the length, or -EBADMSG. */
static ssize_t
take_bytes(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        if (*from != '\\') {
            *to++ = *from;
        } else if (*++from == 'n') {
            *to++ = '\n';
        } else if (*from == '\\') {
            *to++ = '\\';
        } else if (*from == 'x' && isxdigit((unsigned char)from[1]) &&
                   isxdigit((unsigned char)from[2])) {
            *to++ = (char)(hex_digit(from[1]) * 16 + hex_digit(from[2]));
            from += 2;
        } else {
            return -EBADMSG;
        }
    }
    *to = '\0';
    return to - text;
}

/* Reads an errno that system calls return. Returns 0 for anything else. */
static int
parse_error(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);

    return end != text && number > 0 && number < 4096 ? (int)number : 0;
}

static int
parse_line(char *line, struct answers *answers)
{
    const char *word = strsep(&line, " ");
    char *path = strsep(&line, " ");
    const char *sign = strsep(&line, " ");
    int kind = words_index(kinds, word);
    ssize_t length;

    if (kind < 0 || !path || !sign || strlen(sign) != 1 || !line)
        return -EBADMSG;
    length = take_bytes(path);
    if (length < 0 || (size_t)length != strlen(path))
        return -EBADMSG;
    if (*sign == '=')
        length = take_bytes(line);
    else
        length = *sign == '!' ? -(ssize_t)parse_error(line) : 0;
    if (*sign == '=' ? length < 0 : length >= 0)
        return -EBADMSG;
    answers_add(answers, (enum answer_kind)kind, path, line, length);
    return 0;
}

bool
answers_are(const char *text)
{
    return !strncmp(text, TITLE, strlen(TITLE));
}

int
answers_parse(char *text, struct answers *ret, struct error *error)
{
    const char *first = strsep(&text, "\n");

    *ret = (struct answers){0};
    if (!answers_are(first))
        return error_set(error, -EBADMSG, "it is no capture of vgpuctl's");
    if (strcmp(first, TITLE FORMAT_NOW) != 0 && strcmp(first, TITLE FORMAT_NOW WITH_NAMES) != 0)
        return error_set(error, -EPROTONOSUPPORT,
                         "it is a capture in format %s, and this program knows only " FORMAT_NOW,
                         first + strlen(TITLE));
    for (unsigned number = 2; text && *text; number++) {
        char *line = strsep(&text, "\n");

        if (*line && *line != '#' && parse_line(line, ret) < 0)
            return error_set(error, -EBADMSG, "line %u is no answer of a host's", number);
    }
    return 0;
}

/* --- a file's status -------------------------------------------------------------------------- */

static const char *
owner_word(uid_t uid)
{
    return uid == 0 ? "root" : uid == geteuid() ? "us" : "other";
}

static uid_t
owner_of(const char *word)
{
    if (!strcmp(word, "root"))
        return 0;
    if (!strcmp(word, "us"))
        return geteuid();
    return geteuid() == NOBODY ? NOBODY - 1 : NOBODY;
}

struct answer_status
answer_status_of(const struct stat *status)
{
    struct answer_status ret;

    snprintf(ret.text, sizeof(ret.text), "%o %s %lld %lld.%09ld %lld.%09ld %llx:%llx",
             (unsigned)status->st_mode, owner_word(status->st_uid), (long long)status->st_size,
             (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec,
             (long long)status->st_ctim.tv_sec, status->st_ctim.tv_nsec,
             (unsigned long long)status->st_dev, (unsigned long long)status->st_ino);
    return ret;
}

bool
answer_status_parse(const char *text, struct stat *ret)
{
    unsigned long long device, inode;
    long long size, modified, changed;
    unsigned mode;
    char owner[8];

    *ret = (struct stat){0};
    if (sscanf(text, "%o %7s %lld %lld.%9ld %lld.%9ld %llx:%llx", &mode, owner, &size, &modified,
               &ret->st_mtim.tv_nsec, &changed, &ret->st_ctim.tv_nsec, &device, &inode) != 9)
        return false;
    ret->st_mode = (mode_t)mode;
    ret->st_uid = owner_of(owner);
    ret->st_size = (off_t)size;
    ret->st_mtim.tv_sec = (time_t)modified;
    ret->st_ctim.tv_sec = (time_t)changed;
    ret->st_dev = (dev_t)device;
    ret->st_ino = (ino_t)inode;
    return true;
}

/* --- changes ---------------------------------------------------------------------------------- */

int
read_only_write(const struct host *host, const char *path, const char *text)
{
    (void)host;
    (void)path;
    (void)text;
    return -EROFS;
}

int
read_only_probe(const struct host *host, const char *path)
{
    (void)host;
    (void)path;
    return -EROFS;
}

int
read_only_lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    (void)host;
    (void)fd;
    (void)nanoseconds;
    return -EROFS;
}
