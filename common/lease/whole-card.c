/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/whole-card.h"
#include "base/array.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DIRECTORY "run/libvirt-vgpu/whole"

static int
path_of(const struct whole_card *card, struct path *ret)
{
    return path_format(ret, DIRECTORY "/%s.%s", card->card.text, card->domain.text);
}

int
whole_card_leave(const struct host *host, const struct whole_card *card, struct error *error)
{
    char target[sizeof(card->domain_name) + 64];
    struct path path;
    int rc = path_of(card, &path);

    snprintf(target, sizeof(target), "%d.%" PRIu64 ".%" PRIu64 ".%s", card->daemon.pid,
             card->daemon.start, card->number, card->domain_name);
    if (rc == 0 && host_make_directory(host, DIRECTORY) < 0 && errno != EEXIST)
        rc = -errno;
    if (rc == 0 && host_remove(host, path.text) < 0 && errno != ENOENT)
        rc = -errno;
    if (rc == 0 && host_make_link(host, path.text, target) < 0)
        rc = -errno;
    return rc < 0 ? error_set(error, rc, "cannot make the link /" DIRECTORY "/%s.%s: %s",
                              card->card.text, card->domain.text, strerror(-rc))
                  : 0;
}

void
whole_card_remove(const struct host *host, const struct whole_card *card)
{
    struct path path;

    if (path_of(card, &path) == 0)
        (void)!host_remove(host, path.text);
}

/* Reads a number up to a dot, and steps behind that. */
static int
read_number(char **text, uint64_t *ret)
{
    char *word = strsep(text, ".");

    return *text && word ? host_parse_number(word, ret) : -EINVAL;
}

static int
read_target(char *text, struct whole_card *ret)
{
    uint64_t pid = 0;

    if (read_number(&text, &pid) < 0 || pid > INT_MAX ||
        read_number(&text, &ret->daemon.start) < 0 || read_number(&text, &ret->number) < 0 ||
        !*text || strlen(text) >= sizeof(ret->domain_name))
        return -EINVAL;
    ret->daemon.pid = (int)pid;
    memcpy(ret->domain_name, text, strlen(text) + 1);
    return 0;
}

static int
read_name(const char *name, struct whole_card *ret)
{
    const char *dot = strrchr(name, '.');
    char card[sizeof(ret->card.text)];

    if (!dot || (size_t)(dot - name) >= sizeof(card))
        return -EINVAL;
    memcpy(card, name, (size_t)(dot - name));
    card[dot - name] = '\0';
    return name_parse_pci(&ret->card, card) < 0 ? -EINVAL : name_parse_uuid(&ret->domain, dot + 1);
}

/* A name in another spelling than ours is none of our links. */
static int
read_link(const struct host *host, const char *name, struct whole_card *ret)
{
    char target[sizeof(ret->domain_name) + 64];
    struct path path;
    ssize_t length;
    int rc = read_name(name, ret);

    if (rc == 0)
        rc = path_of(ret, &path);
    if (rc < 0)
        return rc;
    if (strcmp(strrchr(path.text, '/') + 1, name) != 0)
        return -EINVAL;
    length = host->ops->link(host, path.text, target, sizeof(target));
    return length < 0 ? (int)length : read_target(target, ret);
}

/* What is behind a link in the directory's place does not count: nobody knows who wrote that. */
void
whole_cards_read(const struct host *host, struct whole_cards *ret)
{
    AUTO(words_clear) struct words names = {0};
    struct stat status;

    if (host_status(host, DIRECTORY, &status) < 0 || !S_ISDIR(status.st_mode) ||
        host_list_all(host, &names, DIRECTORY) < 0)
        return;
    for (size_t i = 0; i < names.count; i++) {
        struct whole_card card = {0};

        if (read_link(host, names.items[i], &card) == 0)
            ARRAY_ADD(ret->items, ret->count, card);
    }
}

void
whole_cards_copy(const struct whole_cards *from, struct whole_cards *to)
{
    for (size_t i = 0; i < from->count; i++)
        ARRAY_ADD(to->items, to->count, from->items[i]);
}

void
whole_cards_clear(struct whole_cards *cards)
{
    free(cards->items);
    *cards = (struct whole_cards){0};
}

bool
whole_cards_have_domain(const struct whole_cards *cards, const struct name *domain)
{
    return ARRAY_HAS(cards->items, cards->count, each, name_equal(&each->domain, domain));
}

bool
whole_card_equal(const struct whole_card *a, const struct whole_card *b)
{
    return name_equal(&a->card, &b->card) && name_equal(&a->domain, &b->domain) &&
           a->number == b->number;
}
