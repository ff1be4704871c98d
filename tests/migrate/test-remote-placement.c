/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Random hosts, and one guest that asks for vGPUs. Another host knows of the first one only what
 * libvirt tells of it. It must never say "yes" where a start there is refused, nor "no" where a
 * start there succeeds. The start is a real one, on the fake kernel.
 *
 * The hosts have no vgpu.conf, and nothing is being made or promised on them, because libvirt tells
 * none of these. chance.h says how to repeat a failure.
 */

#include "actions/snapshot.h"
#include "domain/request-parser.h"
#include "fake/chance.h"
#include "lease/statedir.h"
#include "libvirt/node-device.h"
#include "migrate/migrate-check.h"
#include "placement/model-town.h"

#include <stdio.h>
#include <string.h>

#define HOSTS 150 /* hosts that are played if ROUNDS is not set */

/* How often each answer was given, and each start. */
struct tally {
    unsigned answers[MIGRATE_NO + 1], started;
};

/* --- hosts of which libvirt tells everything that counts -------------------------------------- */

/* Without vgpu.conf there are no classes, no pools, no traits and no profiles. The guest does not
 * run there, and nothing of it is left there. */
static void
simplify(struct model *model)
{
    size_t things = 0;

    for (size_t c = 0; c < model->card_count; c++) {
        struct card *card = &model->cards[c];

        card->listed = card->untold = false;
        card->enabled = true;
        card->reserve = card->allowed = 0;
    }
    memset(model->configured, 0, sizeof(model->configured));
    model->limit_count = model->refused_count = 0;
    for (size_t i = 0; i < model->thing_count; i++) {
        struct thing thing = model->things[i];

        thing.mine = false;
        if (thing.shown && !thing.lost && !model->cards[thing.card].lent &&
            !model->cards[thing.card].xe &&
            (!thing.leased || thing.state == LEASE_HELD || thing.state == LEASE_KEPT))
            model->things[things++] = thing;
    }
    model->thing_count = things;
    for (size_t i = 0; i < model->wish_count; i++) {
        struct wish *wish = &model->wishes[i];

        if (wish->group >= 0)
            *wish = (struct wish){.group = -1,
                                  .kind = (int)model->groups[wish->group].kinds[0],
                                  .card = wish->card,
                                  .place = wish->place,
                                  .numa = wish->numa,
                                  .order = wish->order,
                                  .pci = wish->pci,
                                  .on_card = wish->on_card,
                                  .on_place = wish->on_place};
        wish->blue = 0;
        wish->thing = -1;
    }
}

/* --- what libvirt tells of a host ------------------------------------------------------------- */

static void
print_address(FILE *out, const struct name *name)
{
    unsigned parts[NAME_PCI_PARTS];

    assert_int_equal(sscanf(name->text, "%x:%x:%x.%x", &parts[0], &parts[1], &parts[2], &parts[3]),
                     4);
    fprintf(out, "<address domain='0x%x' bus='0x%x' slot='0x%x' function='0x%x'/>", parts[0],
            parts[1], parts[2], parts[3]);
}

static void
tell(struct node_devices *devices, FILE *out, char **text)
{
    fclose(out);
    assert_int_equal(node_devices_add(devices, *text), 0);
    free(*text);
}

/* A parent of mediated devices. */
static void
tell_parent(struct node_devices *devices, const struct inventory_parent *parent)
{
    const struct inventory_gpu *gpu = parent->gpu;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out, "<device><path>/sys/devices/pci0000:00/%s</path><capability type='pci'>",
            parent->name.text);
    if (gpu->numa >= 0)
        fprintf(out, "<numa node='%d'/>", gpu->numa);
    if (!name_equal(&gpu->name, &parent->name)) {
        fprintf(out, "<capability type='phys_function'>");
        print_address(out, &gpu->name);
        fprintf(out, "</capability>");
    }
    fprintf(out, "<capability type='mdev_types'>");
    for (size_t i = 0; i < gpu->type_count; i++) {
        if (parent->available[i] == INVENTORY_NEVER)
            continue;
        fprintf(out, "<type id='%s'><name>%s</name><deviceAPI>vfio-pci</deviceAPI>",
                gpu->types[i].id.text, gpu->types[i].name);
        if (parent->available[i] >= 0)
            fprintf(out, "<availableInstances>%d</availableInstances>", parent->available[i]);
        fprintf(out, "</type>");
    }
    fprintf(out, "</capability></capability></device>");
    tell(devices, out, &text);
}

/* A GPU whose functions are vGPUs themselves. libvirt tells that there are functions. */
static void
tell_functions(struct node_devices *devices, const struct inventory_gpu *gpu)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out,
            "<device><path>/sys/devices/pci0000:00/%s</path><driver><name>nvidia</name></driver>"
            "<capability type='pci'><vendor id='0x%s'/><capability type='virt_functions'>",
            gpu->name.text, gpu->vendor);
    for (size_t i = 0; i < gpu->parent_count; i++)
        print_address(out, &gpu->parents[i]->name);
    fprintf(out, "</capability></capability></device>");
    tell(devices, out, &text);
}

static void
tell_vgpu(struct node_devices *devices, const struct inventory_vgpu *vgpu)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fprintf(out,
            "<device><path>/sys/devices/pci0000:00/%s/%s</path><capability type='mdev'>"
            "<type id='%s'/></capability></device>",
            vgpu->parent->name.text, vgpu->device.text, vgpu->type.text);
    tell(devices, out, &text);
}

static bool
is_mdev(const struct inventory_parent *parent)
{
    return parent->interface->hostdev == REQUEST_MDEV;
}

/* Each lease that is held stands for a guest that runs. */
static void
tell_guests(const struct ledger *ledger, struct domains *domains)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];
        AUTO_FREE char *xml = NULL;
        struct domain_text told = {
            .uuid = lease->domain.text, .name = lease->domain_name, .is_running = true};

        if (lease->state != LEASE_HELD || lease->vgpu.interface->hostdev != REQUEST_MDEV)
            continue;
        assert_true(asprintf(&xml,
                             "<domain><name>%s</name><uuid>%s</uuid><devices>"
                             "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
                             "<address uuid='%s'/></source></hostdev></devices></domain>",
                             lease->domain_name, lease->domain.text, lease->vgpu.device.text) > 0);
        told.live = xml;
        assert_int_equal(domains_add(domains, &told), 0);
    }
    domains_sort(domains);
}

static void
tell_host(const struct snapshot *snapshot, struct remote_host *ret)
{
    const struct inventory *inventory = &snapshot->inventory;
    AUTO(node_devices_clear) struct node_devices devices = {0};

    *ret = (struct remote_host){.uri = "qemu://there/system",
                                .hypervisor = (char *)"QEMU",
                                .libvirt_version = 11003000,
                                .hypervisor_version = 10000003,
                                .domains = {.complete = true}};
    for (size_t i = 0; i < inventory->gpu_count; i++) {
        const struct inventory_gpu *gpu = inventory->gpus[i];

        for (size_t k = 0; k < gpu->parent_count; k++) {
            if (is_mdev(gpu->parents[k]))
                tell_parent(&devices, gpu->parents[k]);
        }
        if (gpu->parent_count && !is_mdev(gpu->parents[0]))
            tell_functions(&devices, gpu);
    }
    for (size_t i = 0; i < inventory->vgpu_count; i++) {
        if (is_mdev(inventory->vgpus[i]->parent))
            tell_vgpu(&devices, inventory->vgpus[i]);
    }
    node_devices_survey(&devices, &ret->inventory);
    tell_guests(&snapshot->ledger, &ret->domains);
}

/* --- the question, and the start -------------------------------------------------------------- */

static enum migrate_answer
ask(const struct model_town *town, const char *xml, char *why, size_t size)
{
    const struct host *host = &town->scene.kernel.host;
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    AUTO(migrating_guest_clear) struct migrating_guest guest = {0};
    struct remote_host there;
    const struct migrate_check check = {.to = &there, .guest = &guest, .here = &snapshot.inventory};
    AUTO(migrate_verdict_clear) struct migrate_verdict verdict = {0};
    struct error error;
    char path[512];

    assert_int_equal(snapshot_take(&snapshot, host, &inventory_all_types, &error), 0);
    tell_host(&snapshot, &there);
    fake_write(&town->scene.kernel, "guest.xml", xml);
    snprintf(path, sizeof(path), "%s/guest.xml", town->scene.kernel.path);
    if (migrating_guest_read(&guest, host, path, &snapshot.policy, &error) < 0)
        fail_msg("%s", error.text);
    migrate_check_run(&check, &verdict);
    snprintf(why, size, "%s", verdict.why);
    inventory_clear(&there.inventory);
    domains_clear(&there.domains);
    return verdict.answer;
}

static void
play(uint64_t seed, struct tally *tally)
{
    static struct model_town town;
    static struct model hosts;
    const struct model *model = &hosts;
    AUTO_FREE char *xml = NULL;
    enum migrate_answer answer;
    char why[1024];
    bool starts;

    model_town_make(&hosts, seed);
    simplify(&hosts);
    xml = model_town_request(model, 0);
    model_town_start(&town, model, true);
    scene_configure(&town.scene, "release_timeout = \"1s\"; prepare_timeout = \"2s\";");
    answer = ask(&town, xml, why, sizeof(why));
    starts = scene_hook(&town.scene, xml, "prepare", "begin") == 0;
    MUST(starts || answer != MIGRATE_YES, "%s; prepare there: %s", why, town.scene.said);
    MUST(!starts || answer != MIGRATE_NO, "%s", why);
    tally->answers[answer]++;
    tally->started += starts;
    model_town_stop(&town);
}

UNIT_TEST(never_contradicts_a_start)
{
    uint64_t first = chance_setting("SEED", SEED), count = chance_rounds(HOSTS);
    struct tally tally = {0};

    for (uint64_t seed = first; seed < first + count; seed++)
        play(seed, &tally);
    print_message("%u yes, %u not known, %u no; %u started\n", tally.answers[MIGRATE_YES],
                  tally.answers[MIGRATE_UNKNOWN], tally.answers[MIGRATE_NO], tally.started);
    if (count < HOSTS)
        return;
    assert_true(tally.answers[MIGRATE_YES] > count / 10);
    assert_true(tally.answers[MIGRATE_NO] > count / 10);
    assert_true(tally.started > count / 4);
}
