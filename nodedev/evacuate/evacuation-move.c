/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "evacuate/evacuation-move.h"
#include "base/array.h"
#include "base/durable.h"
#include "base/error.h"
#include "base/memory.h"
#include "policy/setting.h"

#include <stdio.h>
#include <string.h>

const char *const evacuation_ways[] = {"stays", "here", "live", "stop", "reap", NULL};

void
evacuation_move_clear(struct evacuation_move *move)
{
    names_clear(&move->from);
    names_clear(&move->to);
    free(move->host);
}

void
evacuation_moves_clear(struct evacuation_moves *moves)
{
    for (size_t i = 0; i < moves->count; i++)
        evacuation_move_clear(&moves->items[i]);
    free(moves->items);
    *moves = (struct evacuation_moves){0};
}

const struct evacuation_move *
evacuation_moves_find(const struct evacuation_moves *moves, const struct name *domain)
{
    return ARRAY_FIND(moves->items, moves->count, move, name_equal(&move->domain, domain));
}

/* --- read ------------------------------------------------------------------------------------- */

/* A move as the settings have it. */
struct said {
    char *domain, *name, *host, *origin;
    struct words from, to;
    unsigned way;
};

struct said_moves {
    struct said *items;
    size_t count;
};

static const struct setting_key move_keys[] = {
    {"domain", setting_string, offsetof(struct said, domain), .needed = true},
    {"name", setting_string, offsetof(struct said, name), .needed = true},
    {"way", setting_choice, offsetof(struct said, way), .needed = true, .words = evacuation_ways},
    {"from", setting_words, .offset = offsetof(struct said, from)},
    {"to", setting_words, .offset = offsetof(struct said, to)},
    {"host", setting_string, .offset = offsetof(struct said, host)},
};

static const struct setting_list move_list = {.what = "a move",
                                              .keys = move_keys,
                                              .key_count = COUNT(move_keys),
                                              .size = sizeof(struct said),
                                              .origin = offsetof(struct said, origin),
                                              .count = offsetof(struct said_moves, count)};

static const struct setting_key keys[] = {
    {"moves", setting_list, offsetof(struct said_moves, items), .list = &move_list},
};

static void
clear_said(struct said_moves *said)
{
    for (size_t i = 0; i < said->count; i++) {
        struct said *item = &said->items[i];

        free(item->domain);
        free(item->name);
        free(item->host);
        free(item->origin);
        words_clear(&item->from);
        words_clear(&item->to);
    }
    free(said->items);
}

static int
take_names(const struct words *words, struct names *ret)
{
    int rc = 0;

    for (size_t i = 0; i < words->count && rc == 0; i++)
        rc = names_add(ret, words->items[i]);
    return rc;
}

static int
take(const struct said *said, struct evacuation_moves *ret, struct error *error)
{
    struct evacuation_move move = {.way = (enum evacuation_way)said->way}, *taken;
    int rc = name_parse_uuid(&move.domain, said->domain);

    snprintf(move.name, sizeof(move.name), "%s", said->name);
    ARRAY_ADD(ret->items, ret->count, move);
    taken = &ret->items[ret->count - 1];
    if (said->host && *said->host)
        taken->host = memory_copy(said->host);
    if (rc == 0)
        rc = take_names(&said->from, &taken->from);
    if (rc == 0)
        rc = take_names(&said->to, &taken->to);
    if (rc < 0)
        error_add(error, "%s: its domain must be a UUID, and from and to the names of GPUs",
                  said->origin);
    else if (move.way == EVACUATION_REAP || (move.way == EVACUATION_LIVE) != (taken->host != NULL))
        error_add(error,
                  "%s: a guest that goes live has a host, and no other has one; only a vGPU "
                  "without a guest is reaped",
                  said->origin);
    else if (evacuation_moves_find(ret, &taken->domain) != taken)
        error_add(error, "%s: the plan has the guest %s twice", said->origin, taken->domain.text);
    else
        return 0;
    return -EINVAL;
}

int
evacuation_moves_parse(const char *text, const char *file, struct evacuation_moves *ret,
                       struct error *error)
{
    AUTO(clear_said) struct said_moves said = {0};
    struct setting_reader reader = {.error = error, .file = file};
    config_t config;

    *ret = (struct evacuation_moves){0};
    *error = (struct error){0};
    config_init(&config);
    if (config_read_string(&config, text)) {
        setting_read_group(&reader, config_root_setting(&config), keys, COUNT(keys), &said);
    } else {
        error_set(error, -EINVAL, "%s:%d: %s", file, config_error_line(&config),
                  config_error_text(&config));
        reader.rc = -EINVAL;
    }
    config_destroy(&config);
    for (size_t i = 0; i < said.count && reader.rc == 0; i++)
        reader.rc = take(&said.items[i], ret, error);
    return reader.rc;
}

/* --- written ---------------------------------------------------------------------------------- */

/* libconfig's own writer does not look whether it gets memory, and would leave words out. */
static void
put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "    %s = \"", key);
    for (; *text; text++) {
        if ((unsigned char)*text < ' ')
            fprintf(out, "\\x%02x", (unsigned)*text);
        else
            fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fprintf(out, "\";\n");
}

static void
put_names(FILE *out, const char *key, const struct names *names)
{
    fprintf(out, "    %s = (", key);
    for (size_t i = 0; i < names->count; i++)
        fprintf(out, "%s \"%s\"", i ? "," : "", names->items[i].text);
    fprintf(out, " );\n");
}

char *
evacuation_moves_format(const struct evacuation_move *moves, size_t count)
{
    char *text = NULL;
    size_t length;
    FILE *out = memory_stream(&text, &length);

    fprintf(out, "moves = (");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s{\n", i ? ", " : " ");
        put_text(out, "domain", moves[i].domain.text);
        put_text(out, "name", moves[i].name);
        put_text(out, "way", evacuation_ways[moves[i].way]);
        put_names(out, "from", &moves[i].from);
        put_names(out, "to", &moves[i].to);
        if (moves[i].host)
            put_text(out, "host", moves[i].host);
        fprintf(out, "}");
    }
    fprintf(out, " );\n");
    memory_stream_end(out, &text);
    return text;
}

/* --- which guests are away -------------------------------------------------------------------- */

#define DIRECTORY "var/lib/libvirt-vgpu/evacuated"
#define MOST      65536 /* bytes of a record */

int
evacuation_record_write(const struct host *host, const struct evacuation_move *move,
                        struct error *error)
{
    AUTO_FREE char *text = evacuation_moves_format(move, 1);
    int rc = durable_write(host, DIRECTORY, move->domain.text, text);

    return rc < 0 ? error_set(error, rc, "cannot write /" DIRECTORY "/%s: %s", move->domain.text,
                              strerror(-rc))
                  : 0;
}

int
evacuation_record_remove(const struct host *host, const struct name *domain, struct error *error)
{
    int rc = durable_remove(host, DIRECTORY, domain->text, error);

    return rc < 0 ? rc : 0;
}

/* The file of a guest has the move of that guest, and no other. */
static int
read_one(const struct host *host, const struct name *domain, struct evacuation_moves *ret,
         struct error *error)
{
    AUTO(evacuation_moves_clear) struct evacuation_moves moves = {0};
    AUTO_FREE char *text = memory_zeroed(1, MOST);
    char file[256];
    ssize_t length = host_read(host, text, MOST, DIRECTORY "/%s", domain->text);
    int rc;

    snprintf(file, sizeof(file), "/" DIRECTORY "/%s", domain->text);
    if (length == -ENOENT)
        return 0;
    if (length < 0)
        return error_set(error, (int)length, "%s: %s", file, strerror((int)-length));
    rc = evacuation_moves_parse(text, file, &moves, error);
    if (rc < 0)
        return rc;
    if (moves.count != 1 || !name_equal(&moves.items[0].domain, domain))
        return error_set(error, -EINVAL, "%s: it is not the move of that guest alone", file);
    ARRAY_ADD(ret->items, ret->count, moves.items[0]);
    moves.count = 0;
    return 0;
}

int
evacuation_record_read_all(const struct host *host, struct evacuation_moves *ret,
                           struct error *error)
{
    AUTO(names_clear) struct names files = {0};
    struct error fault;
    int rc = host_list(host, &files, "%s", DIRECTORY);

    *ret = (struct evacuation_moves){0};
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return error_set(error, rc, "cannot tell which guests are away: /" DIRECTORY ": %s",
                         strerror(-rc));
    *error = (struct error){0};
    for (size_t i = 0; i < files.count; i++) {
        struct name domain;

        if (name_parse_uuid(&domain, files.items[i].text) < 0)
            continue;
        if (read_one(host, &domain, ret, &fault) < 0) {
            error_add(error, "%s", fault.text);
            rc = -EINVAL;
        }
    }
    if (rc < 0)
        error_advise(error, "remove the file, and its guest counts as at home");
    return rc;
}
