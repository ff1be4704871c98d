/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "placement/model-problem.h"
#include "device/maxima.h"
#include "placement/resolution.h"

#include <stdio.h>
#include <string.h>

static const char *
own_name(const struct model *model)
{
    return model->ci ? "ci-9" : "web-9";
}

static struct name
function_of(const struct model *model, const struct wish *wish)
{
    struct name name;

    assert_int_equal(name_parse(&name, model->cards[wish->on_card].places[wish->on_place]), 0);
    return name;
}

static void
put_thing(FILE *out, const struct model *model, size_t index)
{
    const struct thing *thing = &model->things[index];

    fprintf(out, "%s %zu %s %s", thing->leased ? lease_state_name(thing->state) : "foreign", index,
            model_kinds[thing->kind].id, model->cards[thing->card].places[thing->place]);
    if (thing->leased)
        fprintf(out, " %s at %zu",
                thing->mine ? own_name(model)
                : thing->ci ? "ci-1"
                            : "web-1",
                index * 7 % 5);
    fprintf(out, " %s\n", thing->shown ? "shown" : "hidden");
}

/* If the kernel has refused one type on a function, it refuses all types there. */
static void
put_refusals(FILE *out, const struct model *model, const struct option *refused)
{
    const struct card *card = &model->cards[refused->card];

    for (unsigned k = 0; k < card->kind_count; k++) {
        if (card->kinds[k] == refused->kind || card->functions)
            fprintf(out, "refused %s %s\n", card->places[refused->place],
                    model_kinds[card->kinds[k]].id);
    }
}

static void
put_types(FILE *out, const struct card *card)
{
    for (unsigned k = 0; k < card->kind_count; k++) {
        const struct kind *kind = &model_kinds[card->kinds[k]];

        fprintf(out, "type %s \"%s\" framebuffer %u max %u uses %u", kind->id, kind->name,
                kind->framebuffer, kind->max, kind->units);
        if (kind->slices)
            fprintf(out, " slices %u instances %u", kind->slices, card->instances[k]);
        fprintf(out, "\n");
    }
    for (unsigned i = 0; card->lent && i < card->place_count; i++)
        fprintf(out, "member %s %s\n", card->places[i],
                model_kinds[card->kinds[card->member[i]]].id);
}

/* Cards with the same PCI ids know the same types, so unlike boards need ids of their own. The fake
 * kernel gives a T4's or an L40S's id to the others. */
static void
put_model(FILE *out, const struct card *card)
{
    static const struct {
        const char *board, *device;
    } ids[] = {{"A30", "20b7"}, {"A40", "2235"}, {"PRO", "2bb5"}};

    for (size_t i = 0; card->kind_count && i < COUNT(ids); i++) {
        if (!strcmp(model_kinds[card->kinds[0]].board, ids[i].board))
            fprintf(out, " device %s", ids[i].device);
    }
}

char *
model_machine(const struct model *model, bool things)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];

        fprintf(out, "gpu %s numa %d rule ", card->name, card->node);
        if (card->pool)
            fprintf(out, "pool %u", card->pool);
        else if (card->memory)
            fprintf(out, "mixed memory %u", card->memory);
        else
            fprintf(out, "size");
        if (card->kind_count && model_kinds[card->kinds[0]].ceiling)
            fprintf(out, " ceiling %u", model_kinds[card->kinds[0]].ceiling);
        if (card->functions)
            fprintf(out, "%s%s vfs %u",
                    card->xe     ? " xe"
                    : card->lent ? " lent"
                    : card->vf   ? " vf"
                                 : "",
                    card->partitioned ? " mig" : "", card->place_count);
        put_model(out, card);
        fprintf(out, "\n");
        put_types(out, card);
    }
    for (size_t i = 0; things && i < model->thing_count; i++)
        put_thing(out, model, i);
    for (size_t i = 0; things && i < model->refused_count; i++)
        put_refusals(out, model, &model->refused[i]);
    fclose(out);
    return text;
}

static void
tell_hosts(const struct model *model, struct model_problem *problem)
{
    AUTO_FREE char *machine = model_machine(model, true);

    fake_snapshot_make(&problem->snapshot, machine);
}

static void
tell_maxima(const struct model *model, struct model_problem *problem)
{
    for (size_t i = 0; i < COUNT(model_kinds); i++) {
        struct policy_limit *limit = &problem->maxima[problem->policy.limit_count];

        if (!model->configured[i])
            continue;
        problem->policy.limit_count++;
        problem->limited_types[i] = (char *)model_kinds[i].word;
        *limit = (struct policy_limit){.types = {&problem->limited_types[i], 1},
                                       .max = model->configured[i]};
    }
    maxima_add(&problem->policy, &problem->snapshot.inventory);
}

static void
tell_policy(const struct model *model, struct model_problem *problem)
{
    struct policy *policy = &problem->policy;

    problem->blue = (char *)"blue";
    *policy = (struct policy){.enabled = true,
                              .default_class = (char *)"",
                              .order = ORDER_PACK,
                              .numa = NUMA_PREFER,
                              .allow = ~0u,
                              .gpus = problem->policy_gpus,
                              .limits = problem->maxima,
                              .classes = problem->classes,
                              .class_count = GROUPS,
                              .quotas = problem->quotas,
                              .quota_count = model->limit_count};
    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];
        struct policy_gpu *gpu = &problem->policy_gpus[policy->gpu_count];

        if (!card->listed)
            continue;
        policy->gpu_count++;
        *gpu = (struct policy_gpu){.address = problem->snapshot.inventory.gpus[c]->name,
                                   .types = {problem->gpu_types[c], 0},
                                   .traits = {&problem->blue, card->blue},
                                   .reserve = card->reserve,
                                   .enabled = card->enabled};
        for (unsigned k = 0; k < card->kind_count; k++) {
            if (card->allowed >> k & 1)
                gpu->types.items[gpu->types.count++] = (char *)model_kinds[card->kinds[k]].word;
        }
    }
    for (size_t i = 0; i < GROUPS; i++) {
        const struct group *group = &model->groups[i];

        problem->classes[i] =
            (struct policy_class){.name = (char *)group->name,
                                  .types = {problem->class_types[i], group->kind_count},
                                  .framebuffer = group->framebuffer};
        for (unsigned k = 0; k < group->kind_count; k++)
            problem->class_types[i][k] = (char *)model_kinds[group->kinds[k]].name;
    }
    for (size_t i = 0; i < model->limit_count; i++) {
        problem->patterns[i] = (char *)model->limits[i].pattern;
        problem->quotas[i] =
            (struct policy_quota){.domains = {&problem->patterns[i], 1},
                                  .class = (char *)model->groups[model->limits[i].group].name,
                                  .max = model->limits[i].max,
                                  .origin = (char *)"vgpu.conf:1"};
    }
}

static void
tell_request(const struct model *model, struct model_problem *problem)
{
    struct request *request = &problem->request;
    struct error error;

    *request = (struct request){.domain = fake_domain(own_name(model)),
                                .name = (char *)own_name(model),
                                .devices = problem->devices,
                                .device_count = model->wish_count,
                                .hostdevs = problem->hostdevs,
                                .hostdev_count = model->wish_count};
    for (size_t i = 0; i < model->wish_count; i++) {
        const struct wish *wish = &model->wishes[i];
        char **said;

        snprintf(problem->aliases[i], sizeof(problem->aliases[i]), "gpu%zu", i);
        problem->hostdevs[i] = (struct request_hostdev){
            .kind = wish->pci ? REQUEST_PCI : REQUEST_MDEV,
            .source = wish->pci ? function_of(model, wish)
                                : fake_device(wish->thing < 0 ? 900 + (unsigned)i
                                                              : (unsigned)wish->thing),
            .alias = problem->aliases[i],
            .is_gpu = true,
            .device = i};
        problem->devices[i] = (struct request_device){
            .alias = problem->aliases[i],
            .attributes
                .chosen = {[ATTRIBUTE_PLACEMENT] = wish->order, [ATTRIBUTE_NUMA] = wish->numa},
        };
        said = problem->devices[i].attributes.said;
        if (wish->group < 0)
            said[ATTRIBUTE_TYPE] = (char *)model_kinds[wish->kind].word;
        else
            said[ATTRIBUTE_CLASS] = (char *)model->groups[wish->group].name;
        if (wish->blue)
            said[ATTRIBUTE_TRAITS] = (char *)(wish->blue > 0 ? "blue" : "!blue");
        if (wish->card >= 0)
            said[ATTRIBUTE_PARENT] =
                (char *)(wish->place < 0 ? model->cards[wish->card].name
                                         : model->cards[wish->card].places[wish->place]);
    }
    assert_int_equal(resolution_make(request, &problem->policy, &problem->demands, &error), 0);
    assert_int_equal(problem->demands.count, model->wish_count);
    demands_set_free(&problem->demands, model->freedom);
    if (model->node >= 0)
        assert_int_equal(nodeset_add(&problem->demands.nodes, model->node ? "1" : "0"), 0);
}

void
model_problem_make(const struct model *model, struct model_problem *problem)
{
    const struct fake_snapshot *snapshot = &problem->snapshot;

    *problem = (struct model_problem){.blue = NULL};
    tell_hosts(model, problem);
    tell_policy(model, problem);
    tell_maxima(model, problem);
    tell_request(model, problem);
    problem->whole = (struct placement_problem){.rejections = snapshot->rejections,
                                                .rejection_count = snapshot->rejection_count,
                                                .request = &problem->request,
                                                .demands = &problem->demands,
                                                .policy = &problem->policy,
                                                .inventory = &snapshot->inventory,
                                                .ledger = &snapshot->ledger};
}

void
model_problem_clear(struct model_problem *problem)
{
    demands_clear(&problem->demands);
    fake_snapshot_clear(&problem->snapshot);
}

void
model_print(const struct model *model)
{
    AUTO_FREE char *machine = model_machine(model, true);
    char *rest = machine, *line;

    /* cmocka cuts longer texts */
    while ((line = strsep(&rest, "\n")))
        print_error("%s\n", line);
    for (size_t c = 0; c < model->card_count; c++) {
        const struct card *card = &model->cards[c];

        print_error("%s:", card->name);
        if (card->listed)
            print_error(" %s, reserve %u, allowed %x%s", card->enabled ? "enabled" : "disabled",
                        card->reserve, card->allowed, card->blue ? ", blue" : "");
        print_error("\n");
    }
    for (size_t i = 0; i < GROUPS; i++) {
        const struct group *group = &model->groups[i];

        print_error("class %s: %u MiB", group->name, group->framebuffer);
        for (unsigned k = 0; k < group->kind_count; k++)
            print_error(", %s", model_kinds[group->kinds[k]].word);
        print_error("\n");
    }
    for (size_t i = 0; i < model->limit_count; i++)
        print_error("at most %u of c%zu for %s\n", model->limits[i].max, model->limits[i].group,
                    model->limits[i].pattern);
    for (size_t i = 0; i < COUNT(model_kinds); i++) {
        if (model->configured[i])
            print_error("at most %u %s of a GPU\n", model->configured[i], model_kinds[i].word);
    }
    print_error("%s, node %d, freedom %d\n", model->ci ? "ci-9" : "web-9", model->node,
                (int)model->freedom);
    for (size_t i = 0; i < model->wish_count; i++) {
        const struct wish *wish = &model->wishes[i];

        print_error("  wants %s on %s, parent %d.%d, blue %d, numa %s, %s, thing %d\n",
                    wish->group < 0 ? model_kinds[wish->kind].word
                                    : model->groups[wish->group].name,
                    wish->pci ? model->cards[wish->on_card].places[wish->on_place] : "any",
                    wish->card, wish->place, wish->blue, choice_numas[wish->numa],
                    choice_orders[wish->order], wish->thing);
    }
}
