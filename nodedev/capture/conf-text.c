/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/conf-text.h"
#include "base/array.h"
#include "base/memory.h"
#include "capture/conf-key.h"
#include "capture/conf-token.h"
#include "capture/harmless.h"
#include "capture/path-text.h"
#include "policy/policy.h"

#include <fnmatch.h>
#include <string.h>

#define INCLUDE "@include" /* a fault in the line that begins with it, wherever that line is */

/* Where the copy is: in a group, a list or an array. */
struct frame {
    char bracket;
    const struct conf_key *key;   /* the last one; in a list, that of the list */
    const struct conf_key *owner; /* of a group: the key that it is the value of */
};

struct copy {
    struct stand_ins *stand_ins;
    FILE *out;
    bool is_flat;     /* line feeds become blanks */
    const char *pick; /* the domain of the group that is being repeated; NULL: none is */
    struct frame *frames;
    size_t count;
};

static struct frame *
here(const struct copy *copy)
{
    return &copy->frames[copy->count - 1];
}

/* --- lines, comments, numbers ----------------------------------------------------------------- */

/* Keeps only the line feeds of what is hidden. */
static void
put_lines(const struct copy *copy, const char *text, size_t length)
{
    for (const char *at = text; at < text + length; at++) {
        if (*at != '\n' || copy->is_flat)
            continue;
        fputc('\n', copy->out);
        if (!strncmp(at + 1 + strspn(at + 1, " \t"), INCLUDE, strlen(INCLUDE)))
            fputs(INCLUDE, copy->out);
    }
}

static void
put_comment(const struct copy *copy, const struct conf_token *token)
{
    bool is_long = !strncmp(token->begin, "/*", 2);

    if (!is_long && copy->is_flat)
        return;
    fputs(is_long ? "/*" : "#", copy->out);
    put_lines(copy, token->begin, token->length);
    fputs(is_long && !token->is_open ? "*/" : "", copy->out);
}

static void
put_space(const struct copy *copy, const struct conf_token *token)
{
    for (size_t i = 0; i < token->length; i++)
        fputc(copy->is_flat && token->begin[i] == '\n' ? ' ' : token->begin[i], copy->out);
}

/* A number where no number belongs becomes another of its form. */
static void
put_number(const struct copy *copy, const struct conf_token *token)
{
    AUTO_FREE char *text = memory_copy_bytes(token->begin, token->length);
    enum conf_meaning meaning = here(copy)->key->meaning;

    if (copy->stand_ins->keeps_names || meaning == CONF_COUNT_OF || meaning == CONF_QUANTITY ||
        meaning == CONF_FUNCTIONS)
        fputs(text, copy->out);
    else if (strchr(text, '.'))
        fputs("0.0", copy->out);
    else
        fprintf(copy->out, "0%s", text + strcspn(text, "L"));
}

/* --- strings ---------------------------------------------------------------------------------- */

/* Whether a text is a pattern of names that has to be matched to know which they are. */
static bool
is_pattern(const char *text)
{
    struct name uuid;

    return strcmp(text, "*") != 0 && strpbrk(text, "*?[\\") && name_parse_uuid(&uuid, text) < 0;
}

/* Adds the domains that a pattern matches. */
static void
match(const struct copy *copy, const char *pattern, struct words *ret)
{
    const struct words *domains = &copy->stand_ins->kinds[STAND_IN_DOMAIN].originals;

    for (size_t i = 0; i < domains->count; i++) {
        if (fnmatch(pattern, domains->items[i], 0) == 0)
            words_add(ret, domains->items[i]);
    }
}

static char *
hide_domain(struct stand_ins *stand_ins, const char *text)
{
    struct name uuid;

    if (!strcmp(text, "*"))
        return memory_copy(text);
    if (name_parse_uuid(&uuid, text) == 0)
        return path_text_uuid(stand_ins, text);
    return stand_ins_use(stand_ins, is_pattern(text) ? STAND_IN_PATTERN : STAND_IN_DOMAIN, text);
}

/* What is no name of the kernel's stays none: "?" cannot be in a name. */
static char *
hide_name(struct stand_ins *stand_ins, enum stand_in kind, const char *text)
{
    AUTO_FREE char *other = stand_ins_use(stand_ins, kind, text);
    struct name name;

    return memory_format("%s%s", other, name_parse_address(&name, text) < 0 ? "?" : "");
}

/* Returns what stands in for a string that is not empty. */
static char *
hide(struct stand_ins *stand_ins, enum conf_meaning meaning, const char *text)
{
    const bool is_word = stand_ins_is_harmless(stand_ins, text);
    struct name address;

    switch (meaning) {
    case CONF_ADDRESS:
        return is_word || name_parse_pci(&address, text) == 0
                   ? memory_copy(text)
                   : hide_name(stand_ins, STAND_IN_DEVICE, text);
    case CONF_TYPE:
        return path_text_type(stand_ins, text);
    case CONF_TRAIT:
        return stand_ins_use(stand_ins, STAND_IN_TRAIT, text);
    case CONF_QUANTITY:
        return stand_ins_use_unless(stand_ins, harmless_is_quantity(text), STAND_IN_TEXT, text);
    case CONF_WORD:
        return is_word ? memory_copy(text) : hide_name(stand_ins, STAND_IN_TEXT, text);
    case CONF_FUNCTIONS:
        return stand_ins_use_unless(stand_ins, is_word || harmless_is_address_pattern(text),
                                    STAND_IN_DEVICE, text);
    case CONF_INSTANCES:
        return stand_ins_use_unless(stand_ins, policy_is_profile_of_instances(text), STAND_IN_TEXT,
                                    text);
    case CONF_CLASS:
        return stand_ins_use(stand_ins, STAND_IN_CLASS, text);
    case CONF_DOMAINS:
    case CONF_DOMAIN_NAME:
        return hide_domain(stand_ins, text);
    case CONF_ALIAS:
        return path_text_alias(stand_ins, text);
    case CONF_PARAM:
        return stand_ins_use_unless(stand_ins, is_word, STAND_IN_PARAM, text);
    default:
        return stand_ins_use(stand_ins, STAND_IN_TEXT, text);
    }
}

/* Puts the stand-ins for a string, but not the last quote. */
static void
put_stand_ins(const struct copy *copy, const char *text)
{
    AUTO(words_clear) struct words domains = {0};
    const struct frame *frame = here(copy);
    AUTO_FREE char *other = NULL;

    if (frame->key->meaning == CONF_DOMAINS && frame->bracket != '{' && is_pattern(text))
        match(copy, text, &domains);
    for (size_t i = 0; i < domains.count; i++) {
        AUTO_FREE char *domain = stand_ins_use(copy->stand_ins, STAND_IN_DOMAIN, domains.items[i]);

        fprintf(copy->out, "%s\"%s", i ? "\", " : "", domain);
    }
    if (domains.count)
        return;
    if (frame->key->meaning == CONF_DOMAIN_NAME && copy->pick)
        other = stand_ins_use(copy->stand_ins, STAND_IN_DOMAIN, copy->pick);
    else
        other = *text ? hide(copy->stand_ins, frame->key->meaning, text) : memory_copy("");
    fprintf(copy->out, "\"%s", other);
}

/* libconfig joins strings that follow each other. Returns what they are together, and their end. */
static char *
join(const struct conf_token *token, const char **end)
{
    struct conf_token each = *token;
    char *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    for (; each.kind == CONF_STRING; each = conf_token_skip(*end)) {
        AUTO_FREE char *part = conf_token_string(&each);

        fputs(part, out);
        *end = each.begin + each.length;
    }
    memory_stream_end(out, &ret);
    return ret;
}

/* Returns where the strings end. */
static const char *
put_strings(const struct copy *copy, const struct conf_token *token)
{
    const char *end = token->begin;
    AUTO_FREE char *text = join(token, &end);
    struct conf_token each = *token;

    for (; each.begin < end; each = conf_token_read(each.begin + each.length)) {
        if (each.kind == CONF_SPACE)
            put_space(copy, &each);
        else if (each.kind == CONF_COMMENT)
            put_comment(copy, &each);
        else if (copy->stand_ins->keeps_names)
            fwrite(each.begin, 1, each.length, copy->out);
        else {
            if (each.begin == token->begin)
                put_stand_ins(copy, text);
            else
                fputc('"', copy->out);
            put_lines(copy, each.begin, each.length);
            fputs(each.is_open ? "" : "\"", copy->out);
        }
    }
    return end;
}

/* --- keys and brackets ------------------------------------------------------------------------ */

static void
put_key(const struct copy *copy, const struct conf_token *token)
{
    struct frame *frame = here(copy);
    const struct conf_key *owner = frame->owner;
    AUTO_FREE char *text = memory_copy_bytes(token->begin, token->length), *other = NULL;
    const bool is_lent = owner->has_names && owner->kind != STAND_IN_CLASS;
    struct name name;

    frame->key = owner->has_names ? &conf_key_unknown : conf_key_find(token);
    if (owner->has_names && owner->kind == STAND_IN_CLASS)
        other = stand_ins_use(copy->stand_ins, STAND_IN_CLASS, text);
    else if (owner->has_names)
        other = path_text_type(copy->stand_ins, text);
    else if (frame->key == &conf_key_unknown)
        other = stand_ins_use(copy->stand_ins, STAND_IN_KEY, text);
    fputs(other ? other : text, copy->out);
    /* What is no name of a type stays none: '*' cannot be in a name. */
    if (is_lent && !copy->stand_ins->keeps_names && name_parse(&name, text) < 0)
        fputc('*', copy->out);
}

static void
push(struct copy *copy, char bracket)
{
    const struct conf_key *key = here(copy)->key;
    const struct frame frame = {bracket, bracket == '{' ? &conf_key_unknown : key,
                                bracket == '{' ? key : &conf_key_unknown};

    ARRAY_ADD(copy->frames, copy->count, frame);
}

static void
put_mark(struct copy *copy, char mark)
{
    fputc(mark, copy->out);
    if (strchr("{([", mark))
        push(copy, mark);
    else if (strchr("})]", mark) && copy->count > 1)
        copy->count--;
}

/* --- the copy --------------------------------------------------------------------------------- */

static void put_all(struct copy *copy, const char *at, const char *end);

/* Finds the end of a group, behind its bracket, and the domain that it names. False: it has no
 * end, or names no domain. The caller frees the name. */
static bool
look_at_group(const char *at, const char **end, char **name)
{
    unsigned depth = 1;
    struct conf_token token = conf_token_skip(at);

    for (; token.kind != CONF_END; token = conf_token_skip(token.begin + token.length)) {
        if (token.kind == CONF_MARK && strchr("{([", *token.begin))
            depth++;
        if (token.kind == CONF_MARK && strchr("})]", *token.begin) && --depth == 0)
            break;
        if (depth == 1 && !*name && conf_token_is_name(&token, "name")) {
            struct conf_token value = conf_token_skip(token.begin + token.length);
            const char *ignored;

            if (value.kind == CONF_MARK && strchr("=:", *value.begin))
                value = conf_token_skip(value.begin + 1);
            if (value.kind == CONF_STRING)
                *name = join(&value, &ignored);
        }
    }
    *end = token.begin;
    return depth == 0 && *name && *token.begin == '}';
}

/* Puts a group of `domains` once for each domain that its pattern matches. Returns where the group
 * ends; or NULL, and nothing was put. */
static const char *
put_group(struct copy *copy, const char *begin)
{
    AUTO(words_clear) struct words domains = {0};
    AUTO_FREE char *name = NULL;
    const char *end;

    if (copy->pick || here(copy)->bracket != '(' || here(copy)->key->meaning != CONF_DOMAINS ||
        copy->stand_ins->keeps_names || !look_at_group(begin + 1, &end, &name) || !is_pattern(name))
        return NULL;
    match(copy, name, &domains);
    for (size_t i = 0; i < domains.count; i++) {
        copy->pick = domains.items[i];
        copy->is_flat = i > 0;
        fputs(i ? ", " : "", copy->out);
        put_mark(copy, '{');
        put_all(copy, begin + 1, end);
        put_mark(copy, '}');
    }
    copy->pick = NULL;
    copy->is_flat = false;
    return domains.count ? end + 1 : NULL;
}

static const char *
put_token(struct copy *copy, const struct conf_token *token)
{
    const char *end = token->begin + token->length, *group = NULL;

    switch (token->kind) {
    case CONF_SPACE:
        put_space(copy, token);
        return end;
    case CONF_COMMENT:
        put_comment(copy, token);
        return end;
    case CONF_STRING:
        return put_strings(copy, token);
    case CONF_NAME:
        put_key(copy, token);
        return end;
    case CONF_NUMBER:
        put_number(copy, token);
        return end;
    case CONF_MARK:
        group = *token->begin == '{' ? put_group(copy, token->begin) : NULL;
        if (!group)
            put_mark(copy, *token->begin);
        return group ? group : end;
    case CONF_BOOL:
        fwrite(token->begin, 1, token->length, copy->out);
        return end;
    default:
        if (strncmp(token->begin, INCLUDE, strlen(INCLUDE)) != 0) {
            fputc('?', copy->out);
            return end;
        }
        fputs(INCLUDE, copy->out);
        return token->begin + strlen(INCLUDE);
    }
}

static void
put_all(struct copy *copy, const char *at, const char *end)
{
    while (at < end) {
        const struct conf_token token = conf_token_read(at);

        at = put_token(copy, &token);
    }
}

char *
conf_text_copy(struct stand_ins *stand_ins, const char *text)
{
    struct copy copy = {.stand_ins = stand_ins};
    const struct frame top = {'{', &conf_key_unknown, &conf_key_unknown};
    char *ret = NULL;
    size_t length;

    copy.out = memory_stream(&ret, &length);
    ARRAY_ADD(copy.frames, copy.count, top);
    put_all(&copy, text, text + strlen(text));
    memory_stream_end(copy.out, &ret);
    free(copy.frames);
    return ret;
}

/* --- learning --------------------------------------------------------------------------------- */

void
conf_text_learn(struct stand_ins *stand_ins, const char *text)
{
    const struct conf_key *key = &conf_key_unknown;
    unsigned depth = 0;
    struct conf_token token = conf_token_skip(text);

    for (; token.kind != CONF_END; token = conf_token_skip(token.begin + token.length)) {
        AUTO_FREE char *word = memory_copy_bytes(token.begin, token.length);

        if (token.kind == CONF_NAME && depth == 0)
            key = conf_key_find(&token);
        else if (token.kind == CONF_NAME && depth == 1 && key->has_names)
            stand_ins_learn(stand_ins, key->kind, word);
        else if (token.kind == CONF_MARK && strchr("{([", *word))
            depth++;
        else if (token.kind == CONF_MARK && strchr("})]", *word) && depth)
            depth--;
    }
}
