/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/whole-card.h"
#include "base/array.h"
#include "base/run-links.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define KIND "whole"

/* A link's name. */
struct link {
    char name[2 * sizeof(struct name)];
};

static struct link
link_of(const struct whole_card *card)
{
    struct link ret;

    snprintf(ret.name, sizeof(ret.name), "%s.%s", card->card.text, card->domain.text);
    return ret;
}

int
whole_card_leave(const struct host *host, const struct whole_card *card, struct error *error)
{
    const struct link link = link_of(card);
    int rc =
        run_links_replace(host, KIND, link.name, "%d.%" PRIu64 ".%" PRIu64 ".%s", card->daemon.pid,
                          card->daemon.start, card->number, card->domain_name);

    return run_links_check(rc, KIND, link.name, error);
}

void
whole_card_remove(const struct host *host, const struct whole_card *card)
{
    run_links_remove(host, KIND, link_of(card).name);
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
    int rc = read_name(name, ret);

    if (rc == 0 && strcmp(link_of(ret).name, name) != 0)
        return -EINVAL;
    if (rc == 0)
        rc = run_links_read(host, KIND, name, target, sizeof(target));
    return rc < 0 ? rc : read_target(target, ret);
}

void
whole_cards_read(const struct host *host, struct whole_cards *ret)
{
    AUTO(words_clear) struct words names = {0};

    run_links_list(host, KIND, &names);
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
whole_cards_end(const struct host *host, struct whole_cards *cards, const struct name *domain,
                uint64_t below, bool of_ended)
{
    const size_t before = cards->count;

    for (size_t i = 0; i < cards->count;) {
        const struct whole_card *card = &cards->items[i];

        if (!name_equal(&card->domain, domain) || card->number >= below ||
            (of_ended && process_alive(host, card->daemon))) {
            i++;
            continue;
        }
        whole_card_remove(host, card);
        ARRAY_REMOVE(cards->items, cards->count, i);
    }
    return cards->count < before;
}

bool
whole_card_equal(const struct whole_card *a, const struct whole_card *b)
{
    return name_equal(&a->card, &b->card) && name_equal(&a->domain, &b->domain) &&
           a->number == b->number;
}
