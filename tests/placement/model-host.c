/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/model-host.h"
#include "fake/scene.h"
#include "placement/model-problem.h"

#include <stdio.h>
#include <string.h>

/* --- the machine ------------------------------------------------------------------------------ */

/* In a tree the members of pools are plain PCI devices. */
static void
put_lent(FILE *out, const struct card *card)
{
    fprintf(out, "pci %s driver gim vendor 1002 device 74a1 numa %d\n", card->name, card->node);
    for (unsigned i = 0; i < card->place_count; i++)
        fprintf(out, "pci %s driver vfio-pci physfn %s vendor 1002 device 74b5 numa %d\n",
                card->places[i], card->name, card->node);
}

char *
model_host_machine(const struct model *model)
{
    struct model others = *model;
    AUTO_FREE char *machine = NULL;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    others.card_count = 0;
    for (size_t c = 0; c < model->card_count; c++) {
        if (model->cards[c].lent)
            put_lent(out, &model->cards[c]);
        else
            others.cards[others.card_count++] = model->cards[c];
    }
    machine = model_machine(&others, false);
    fprintf(out, "%s", machine);
    fclose(out);
    return text;
}

/* --- the configuration ------------------------------------------------------------------------ */

/* The name of a type, for the configuration and the requests. */
static const char *
called(bool ids, size_t kind, const char *name)
{
    return ids ? model_kinds[kind].id : name;
}

/* A list of words. A separator precedes each word. */
static void
put_words(FILE *out, const struct card *card, bool ids)
{
    const char *part = " types = [ ";

    for (unsigned k = 0; k < card->kind_count; k++) {
        if (!(card->allowed >> k & 1))
            continue;
        fprintf(out, "%s\"%s\"", part,
                called(ids, card->kinds[k], model_kinds[card->kinds[k]].word));
        part = ", ";
    }
    if (card->allowed)
        fprintf(out, " ];");
}

static void
put_gpus(FILE *out, const struct model *model, bool ids)
{
    const char *part = "gpus = (";

    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];
        bool is_told = card->xe && !card->untold;

        if (!card->listed && !is_told)
            continue;
        fprintf(out, "%s { address = \"%s\";", part, card->name);
        if (is_told)
            fprintf(out, " vram = \"%uM\";", card->memory);
        if (card->listed) {
            fprintf(out, " enabled = %s; reserve = %u; traits = [ %s ];",
                    card->enabled ? "true" : "false", card->reserve, card->blue ? "\"blue\"" : "");
            put_words(out, card, ids);
        }
        fprintf(out, " }");
        part = ",\n";
    }
    fprintf(out, "%s\n", *part == ',' ? " );" : "");
}

static void
put_group(FILE *out, const struct group *group)
{
    fprintf(out, "%s = { ", group->name);
    if (group->framebuffer)
        fprintf(out, "framebuffer = \"%uM\"; };\n", group->framebuffer);
    else
        fprintf(out, "types = [ ");
    for (unsigned k = 0; k < group->kind_count; k++)
        fprintf(out, "\"%s\"%s", model_kinds[group->kinds[k]].id,
                k + 1 < group->kind_count ? ", " : " ]; };\n");
}

/* Options for functions whose driver does not tell figures. Without these options each refusal of
 * the driver would take a second. */
static void
put_limits(FILE *out, const struct model *model, bool ids)
{
    const char *part = "max_instances = (";

    for (size_t i = 0; i < COUNT(model_kinds); i++) {
        if (!model->configured[i])
            continue;
        fprintf(out, "%s { types = [ \"%s\" ]; max = %u; }", part,
                called(ids, i, model_kinds[i].word), model->configured[i]);
        part = ",";
    }
    fprintf(out, "%s\n", *part == ',' ? " );" : "");
}

/* Each of Intel's cards has all profiles. */
static void
put_profiles(FILE *out)
{
    fprintf(out, "profiles = {\n");
    for (size_t i = 0; i < COUNT(model_kinds); i++) {
        if (!strcmp(model_kinds[i].board, "B60"))
            fprintf(out, "%s = { vram = \"%uM\"; };\n", model_kinds[i].word,
                    model_kinds[i].framebuffer);
    }
    fprintf(out, "};\n");
}

static void
put_pool(FILE *out, const struct model *model, size_t kind)
{
    const char *part = "functions = [ ";

    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];

        for (unsigned i = 0; card->lent && i < card->place_count; i++) {
            if (card->kinds[card->member[i]] != kind)
                continue;
            fprintf(out, "%s\"%s\"", part, card->places[i]);
            part = ", ";
        }
    }
    fprintf(out, " ]; ");
    if (model_kinds[kind].framebuffer)
        fprintf(out, "framebuffer = \"%uM\"; ", model_kinds[kind].framebuffer);
}

static bool
has_pool(const struct model *model, size_t kind)
{
    bool found = false;

    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];

        for (unsigned i = 0; card->lent && i < card->place_count; i++)
            found |= card->kinds[card->member[i]] == kind;
    }
    return found;
}

static void
put_pools(FILE *out, const struct model *model)
{
    fprintf(out, "pools = {\n");
    for (size_t i = 0; i < COUNT(model_kinds); i++) {
        if (!has_pool(model, i))
            continue;
        fprintf(out, "%s = { ", model_kinds[i].word);
        put_pool(out, model, i);
        fprintf(out, "};\n");
    }
    fprintf(out, "};\n");
}

static void
put_quotas(FILE *out, const struct model *model)
{
    for (size_t i = 0; i < model->limit_count; i++) {
        const struct quota *limit = &model->limits[i];

        fprintf(out, "%s { domains = [ \"%s\" ]; class = \"%s\"; max = %u; }",
                i ? "," : "quotas = (",
                *limit->pattern == '*'   ? "*"
                : *limit->pattern == 'c' ? "guest[123]*"
                                         : "guest[456]*",
                model->groups[limit->group].name, limit->max);
    }
    fprintf(out, "%s\n", model->limit_count ? " );" : "");
}

char *
model_host_configuration(const struct model *model, bool ids, const char *head)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "%s", head);
    put_gpus(out, model, ids);
    put_limits(out, model, ids);
    put_profiles(out);
    put_pools(out, model);
    fprintf(out, "classes = {\n");
    for (size_t i = 0; i < GROUPS; i++)
        put_group(out, &model->groups[i]);
    fprintf(out, "};\n");
    put_quotas(out, model);
    fclose(out);
    return text;
}

/* --- a guest ---------------------------------------------------------------------------------- */

static void
put_wish(FILE *out, const struct model *model, bool ids, size_t k)
{
    const struct wish *wish = &model->wishes[k];
    const struct card *card = wish->card < 0 ? NULL : &model->cards[wish->card];

    fprintf(out, "<vgpu:device alias=\"ua-gpu%zu\" placement=\"%s\" numa=\"%s\"", k + 1,
            choice_orders[wish->order], choice_numas[wish->numa]);
    if (wish->group < 0)
        fprintf(out, " type=\"%s\"", called(ids, (size_t)wish->kind, model_kinds[wish->kind].name));
    else
        fprintf(out, " class=\"%s\"", model->groups[wish->group].name);
    if (card)
        fprintf(out, " parent=\"%s\"", wish->place < 0 ? card->name : card->places[wish->place]);
    if (wish->blue)
        fprintf(out, " traits=\"%s\"", wish->blue > 0 ? "blue" : "!blue");
    fprintf(out, "/>");
}

/* The XML of a guest that is bound to a NUMA node. */
static char *
bind_to_node(const char *xml, int node)
{
    static const char start[] = "<devices>";
    const char *devices = strstr(xml, start);
    char *ret;

    assert_true(asprintf(&ret,
                         "%.*s<numatune><memory mode='strict' nodeset='%d'/></numatune>\n  %s",
                         (int)(devices - xml), xml, node, devices) > 0);
    return ret;
}

char *
model_host_request(const struct model *model, bool ids, unsigned guest, unsigned device)
{
    char sources[WISHES][40];
    const char *all[WISHES + 1] = {NULL};
    AUTO_FREE char *text = NULL, *xml = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t k = 0; k < model->wish_count; k++) {
        const struct wish *wish = &model->wishes[k];

        snprintf(sources[k], sizeof(sources[k]), "%s",
                 wish->pci
                     ? model->cards[wish->on_card].places[wish->on_place]
                     : scene_device(wish->thing < 0 ? device + (unsigned)k
                                                    : MODEL_HOST_THING + (unsigned)wish->thing));
        all[k] = sources[k];
        put_wish(out, model, ids, k);
    }
    fclose(out);
    xml = scene_xml_of(guest, text, all);
    return model->node < 0 ? strdup(xml) : bind_to_node(xml, model->node);
}
