/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/conf-token.h"
#include "base/memory.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DIGITS "0123456789"
#define MARKS  "={}()[],;:"
#define BLANKS " \t\n\r\f"

static struct conf_token
token_of(enum conf_token_kind kind, const char *begin, size_t length)
{
    return (struct conf_token){kind, begin, length, false};
}

static struct conf_token
read_comment(const char *text)
{
    const char *end;
    struct conf_token ret;

    if (*text == '#' || text[1] == '/')
        return token_of(CONF_COMMENT, text, strcspn(text, "\n"));
    end = strstr(text + 2, "*/");
    ret = token_of(CONF_COMMENT, text, end ? (size_t)(end + 2 - text) : strlen(text));
    ret.is_open = !end;
    return ret;
}

static struct conf_token
read_string(const char *text)
{
    const char *at = text + 1;
    struct conf_token ret;

    while (*at && *at != '"')
        at += *at == '\\' && at[1] && strchr("\"\\", at[1]) ? 2 : 1;
    ret = token_of(CONF_STRING, text, (size_t)(at + (*at == '"') - text));
    ret.is_open = !*at;
    return ret;
}

/* Returns 0 if no number begins here. */
static size_t
number_length(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    size_t digits = strspn(at, DIGITS);

    if (at[0] == '0' && tolower((unsigned char)at[1]) == 'x' && at == text) {
        at += 2;
        at += strspn(at, DIGITS "abcdefABCDEF");
    } else if (at[digits] == '.') {
        at += digits + 1;
        at += strspn(at, DIGITS);
    } else if (digits) {
        at += digits;
    } else {
        return 0;
    }
    if (tolower((unsigned char)*at) == 'e' && isdigit((unsigned char)at[1 + (at[1] == '-')])) {
        at += 1 + (at[1] == '-');
        at += strspn(at, DIGITS);
    }
    while (*at == 'L')
        at++;
    return (size_t)(at - text);
}

static bool
begins_comment(const char *text)
{
    return *text == '#' || (*text == '/' && (text[1] == '/' || text[1] == '*'));
}

static bool
begins_name(char character)
{
    return isalpha((unsigned char)character) || character == '*';
}

static struct conf_token
read_name(const char *text)
{
    struct conf_token ret = token_of(CONF_NAME, text, 1);

    while (text[ret.length] &&
           (isalnum((unsigned char)text[ret.length]) || strchr("-_*", text[ret.length])))
        ret.length++;
    if ((ret.length == 4 && !strncasecmp(text, "true", 4)) ||
        (ret.length == 5 && !strncasecmp(text, "false", 5)))
        ret.kind = CONF_BOOL;
    return ret;
}

struct conf_token
conf_token_read(const char *text)
{
    struct conf_token ret = token_of(CONF_GARBAGE, text, 1);

    if (!*text)
        return token_of(CONF_END, text, 0);
    if (strchr(BLANKS, *text))
        return token_of(CONF_SPACE, text, strspn(text, BLANKS));
    if (begins_comment(text))
        return read_comment(text);
    if (*text == '"')
        return read_string(text);
    if (begins_name(*text))
        return read_name(text);
    if (strchr(MARKS, *text))
        return token_of(CONF_MARK, text, 1);
    if (number_length(text))
        return token_of(CONF_NUMBER, text, number_length(text));
    while (text[ret.length] && !strchr(BLANKS MARKS "\"@", text[ret.length]) &&
           !begins_comment(text + ret.length) && !begins_name(text[ret.length]) &&
           !number_length(text + ret.length))
        ret.length++;
    return ret;
}

struct conf_token
conf_token_skip(const char *text)
{
    struct conf_token ret = conf_token_read(text);

    while (ret.kind == CONF_SPACE || ret.kind == CONF_COMMENT)
        ret = conf_token_read(ret.begin + ret.length);
    return ret;
}

bool
conf_token_is_name(const struct conf_token *token, const char *name)
{
    return token->kind == CONF_NAME && strlen(name) == token->length &&
           !strncmp(token->begin, name, token->length);
}

/* Returns the character of an escape, and how long the escape is. */
static char
unescape(const char *at, size_t *length)
{
    static const char letters[] = "fnrt\\\"", meanings[] = "\f\n\r\t\\\"";
    const char *letter = strchr(letters, at[1]);
    unsigned number;

    *length = 2;
    if (at[1] && letter)
        return meanings[letter - letters];
    if (at[1] == 'x' && isxdigit((unsigned char)at[2]) && isxdigit((unsigned char)at[3]) &&
        sscanf(at + 2, "%2x", &number) == 1) {
        *length = 4;
        return (char)number;
    }
    *length = 1;
    return '\\';
}

char *
conf_token_string(const struct conf_token *token)
{
    const char *end = token->begin + token->length - !token->is_open;
    char *ret = NULL;
    size_t size, length = 1;
    FILE *out = memory_stream(&ret, &size);

    for (const char *at = token->begin + 1; at < end; at += length) {
        length = 1;
        fputc(*at == '\\' ? unescape(at, &length) : *at, out);
    }
    memory_stream_end(out, &ret);
    return ret;
}
