// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "bus.h"
#include "card.h"
#include "faults.h"
#include "mdev.h"

/* How many boards "cards" may name, and how many GPUs are on one. Each board has as many bus
 * numbers as it could need. So an address does not depend on the other boards. */
#define MAX_BOARDS     15
#define GPUS_PER_BOARD 16

static struct card cards[MAX_BOARDS * GPUS_PER_BOARD];
static unsigned int card_count;

static char *boards[MAX_BOARDS] = {"T4", "L40S", "B60"};
static unsigned int board_count = 3;
module_param_array_named(cards, boards, charp, &board_count, 0444);
MODULE_PARM_DESC(
    cards,
    "the boards, as T4,L40S@1,A40: T4, A16, A30, A30-MIG, A40, H100, H100-MIG, L40S, L40S-580, "
    "RTX6000-ADA, RTXPRO6000, RTXPRO6000-MIG, B60 or MI300X; BOARD:mdev and BOARD:vf have vGPUs of "
    "this kind; BOARD@1 is on NUMA node 1 (default: T4,L40S,B60)");

/* The number of a type among its board's types. card->count has this index. */
static unsigned int
type_index(const struct card *card, const struct vgpu_type *type)
{
    return type - card->board->types;
}

/* May this type be made beside the present vGPUs? */
static bool
joins(const struct card *card, const struct vgpu_type *type)
{
    switch (fault_rule()) {
    case RULE_SAME_TYPE:
        return card->count[type_index(card, type)] == card->created;
    case RULE_MIXED:
        return true;
    case RULE_SAME_SIZE:
        break;
    }
    return !card->created || card->framebuffer == type->framebuffer;
}

static unsigned int
per_instance(const struct vgpu_type *type)
{
    return type->per_instance ? type->per_instance : 1;
}

/* How many more vGPUs of a MIG type this GPU instance takes. */
static unsigned int
left_in(const struct instance *instance, const struct vgpu_type *type)
{
    if (instance->framebuffer != type->framebuffer || instance->used >= per_instance(type))
        return 0;
    return per_instance(type) - instance->used;
}

/* How many more vGPUs of a MIG type all GPU instances take. */
static unsigned int
instance_room(const struct card *card, const struct vgpu_type *type)
{
    unsigned int i, left = 0, occupied = 0, all = fault_instances(type->instance);

    for (i = 0; i < MAX_VGPUS; i++) {
        const struct instance *instance = &card->instances[i];

        if (!instance->used || strcmp(instance->profile, type->instance))
            continue;
        occupied++;
        left += left_in(instance, type);
    }
    return left + (occupied < all ? (all - occupied) * per_instance(type) : 0);
}

/* The GPU instance for a vGPU, for which there is room: one that has such vGPUs, or else an empty
 * one. */
static unsigned int
choose_instance(const struct card *card, const struct vgpu_type *type)
{
    unsigned int i, empty = MAX_VGPUS;

    for (i = 0; i < MAX_VGPUS; i++) {
        const struct instance *instance = &card->instances[i];

        if (!instance->used)
            empty = min(empty, i);
        else if (!strcmp(instance->profile, type->instance) && left_in(instance, type))
            return i;
    }
    return empty;
}

/* How many more vGPUs of the type there is room for. If there is no room, *why is NVIDIA's status.
 * Call it with the card's lock held. */
static unsigned int
room(const struct card *card, const struct vgpu_type *type, unsigned int *why)
{
    unsigned int used = card->created, most = type->max_instance;

    *why = REFUSED_FULL;
    if (card->board->mig != !!type->instance) {
        *why = REFUSED_OPERATION;
        return 0;
    }
    if (type->instance) {
        *why = REFUSED_INSTANCE;
        return instance_room(card, type);
    }
    if (!joins(card, type)) {
        *why = REFUSED_SIZE;
        return 0;
    } else if (fault_rule() == RULE_MIXED) {
        used = 0;
        most = card->memory < card->board->memory
                   ? (card->board->memory - card->memory) / type->framebuffer
                   : 0;
    }
    if (card->created + most > used + MOST_TIME_SLICED)
        most = used + MOST_TIME_SLICED - card->created;
    return used < most ? most - used : 0;
}

void
card_wait_answer(const struct card *card)
{
    while (fault_silent() == card - cards + 1)
        msleep(20);
}

unsigned int
card_room(struct card *card, const struct vgpu_type *type)
{
    unsigned int left, why;

    mutex_lock(&card->lock);
    left = room(card, type, &why);
    mutex_unlock(&card->lock);
    return left;
}

static void
log_refusal(const struct card *card, unsigned int code)
{
    pci_info(card->pdev, "NVRM: Failed to add vgpu create request: 0x%x\n", code);
}

int
card_refuse(struct card *card, unsigned int code)
{
    mutex_lock(&card->lock);
    card->refused++;
    mutex_unlock(&card->lock);
    log_refusal(card, code);
    return -EIO;
}

static void
enter_instance(struct card *card, const struct vgpu_type *type, unsigned int place)
{
    unsigned int id = choose_instance(card, type);

    card->instance_of[place] = id;
    card->instances[id].profile = type->instance;
    card->instances[id].framebuffer = type->framebuffer;
    card->instances[id].used++;
}

static int
take(struct card *card, const struct vgpu_type *type, unsigned int *place, unsigned int *why)
{
    if (!room(card, type, why))
        return -EIO;
    *place = find_first_zero_bit(card->places, MAX_VGPUS);
    if (*place == MAX_VGPUS)
        return -EIO;
    __set_bit(*place, card->places);
    if (type->instance)
        enter_instance(card, type, *place);
    card->count[type_index(card, type)]++;
    card->memory += type->framebuffer;
    card->framebuffer = type->framebuffer;
    card->created++;
    card->highest = max(card->highest, card->created);
    return 0;
}

int
card_take(struct card *card, const struct vgpu_type *type, unsigned int *place)
{
    unsigned int why = REFUSED_NOT_READY;
    int ret = -EIO;

    if (!fault_refuses_create()) {
        mutex_lock(&card->lock);
        ret = take(card, type, place, &why);
        mutex_unlock(&card->lock);
    }
    if (ret)
        return card_refuse(card, why);
    /* The place is taken during the delay, but the card is free for others. */
    if (fault_create_ms())
        msleep(fault_create_ms());
    return 0;
}

void
card_give_back(struct card *card, const struct vgpu_type *type, unsigned int place)
{
    mutex_lock(&card->lock);
    __clear_bit(place, card->places);
    if (type->instance)
        card->instances[card->instance_of[place]].used--;
    card->instance_of[place] = 0;
    card->count[type_index(card, type)]--;
    card->memory -= type->framebuffer;
    card->created--;
    mutex_unlock(&card->lock);
}

unsigned int
card_instance(const struct card *card, unsigned int place)
{
    return card->instance_of[place];
}

struct card *
card_of(struct pci_dev *pdev)
{
    return bus_owner(pdev);
}

/* The cards that are asked for */

/* A word of the parameter "cards". */
struct wish {
    const struct board *board;
    enum shape shape;
    int node;
};

static int
complain(const char *word, const char *what, const char *about)
{
    pr_err(KBUILD_MODNAME ": cards=%s: %s%s\n", word, what, about);
    return -EINVAL;
}

static int
parse_node(const char *word, const char *text, int *ret)
{
    *ret = NUMA_NO_NODE;
    if (!text)
        return 0;
    if (kstrtoint(text, 10, ret) || *ret < 0 || *ret >= MAX_NUMNODES || !node_online(*ret))
        return complain(word, "this machine has no NUMA node ", text);
    return 0;
}

static int
parse_shape(const char *word, const char *text, struct wish *wish)
{
    const struct board *board = wish->board;

    wish->shape = board->shape;
    if (!text)
        return 0;
    if (!strcmp(text, "mdev") && board->nr_types)
        wish->shape = board->vfs ? SHAPE_SRIOV : SHAPE_MDEV;
    else if (!strcmp(text, "vf") && board->nr_types && board->vfs)
        wish->shape = SHAPE_VF;
    else
        return complain(word, "this board has no vGPUs of the kind ", text);
    return 0;
}

static int
parse(const char *word, struct wish *ret)
{
    char text[32], *rest = text, *name, *node, *shape;

    strscpy(text, word, sizeof(text));
    name = strsep(&rest, "@");
    node = rest;
    rest = name;
    name = strsep(&rest, ":");
    shape = rest;
    ret->board = board_find(name);
    if (!ret->board)
        return complain(word, "there is no such board", "");
    return parse_shape(word, shape, ret) ?: parse_node(word, node, &ret->node);
}

/* The drivers that a card of this shape, and its virtual functions, shall have. */
static const struct {
    const char *driver, *vf_driver;
} drivers[] = {
    [SHAPE_MDEV] = {NVIDIA_DRIVER, NVIDIA_DRIVER}, [SHAPE_SRIOV] = {NVIDIA_DRIVER, NVIDIA_DRIVER},
    [SHAPE_VF] = {NVIDIA_DRIVER, NVIDIA_DRIVER},   [SHAPE_XE] = {XE_DRIVER, XE_DRIVER},
    [SHAPE_BARE] = {BARE_DRIVER, BARE_DRIVER},
};

static struct identity
identity_of(const struct wish *wish)
{
    const struct board *board = wish->board;

    return (struct identity){
        .vendor = board->vendor,
        .device = board->device,
        .vf_device = board->vf_device,
        .subdevice = board->subdevice,
        .class = board->class,
        .vfs = board->vfs,
        .node = wish->node,
        .driver = drivers[wish->shape].driver,
        .vf_driver = drivers[wish->shape].vf_driver,
    };
}

static int
add_card(const struct wish *wish, unsigned int number)
{
    const struct identity identity = identity_of(wish);
    struct card *card = &cards[card_count];

    mutex_init(&card->lock);
    card->board = wish->board;
    card->shape = wish->shape;
    card->bus = bus_create(&identity, number, card);
    if (IS_ERR(card->bus))
        return PTR_ERR(card->bus);
    card->pdev = bus_device(card->bus);
    card_count++;
    bus_announce(card->bus);
    return 0;
}

static bool
needs_mdev(const struct wish *wish)
{
    return wish->shape == SHAPE_MDEV || wish->shape == SHAPE_SRIOV;
}

static int
add_board(const struct wish *wish, unsigned int n)
{
    unsigned int gpu;
    int ret = 0;

    if (needs_mdev(wish) && !HAS_MDEV) {
        pr_warn(KBUILD_MODNAME ": no %s: this kernel has no mediated devices (CONFIG_VFIO_MDEV)\n",
                boards[n]);
        return 0;
    }
    for (gpu = 0; !ret && gpu < wish->board->gpus; gpu++)
        ret = add_card(wish, (n + 1) * GPUS_PER_BOARD + gpu);
    return ret;
}

static void
tell(void)
{
    unsigned int i;

    pr_notice(KBUILD_MODNAME ": emulated cards, for tests; there is no such hardware:");
    for (i = 0; i < card_count; i++)
        pr_cont(" %s %s", pci_name(cards[i].pdev), cards[i].board->name);
    pr_cont("\n");
}

int
cards_add(void)
{
    struct wish wishes[MAX_BOARDS];
    unsigned int n;
    int ret = 0;

    for (n = 0; !ret && n < board_count; n++)
        ret = parse(boards[n], &wishes[n]);
    for (n = 0; !ret && n < board_count; n++)
        ret = add_board(&wishes[n], n);
    if (!ret)
        tell();
    return ret;
}

void
cards_remove(void)
{
    while (card_count)
        bus_remove(cards[--card_count].bus);
}

#define COUNTER(name)                                                                              \
    static ssize_t name##_show(struct device *dev, struct device_attribute *attr, char *text)      \
    {                                                                                              \
        return sysfs_emit(text, "%u\n", READ_ONCE(card_of(to_pci_dev(dev))->name));                \
    }                                                                                              \
    static DEVICE_ATTR_RO(name)

COUNTER(created);
COUNTER(highest);
COUNTER(refused);

static struct attribute *counters[] = {&dev_attr_created.attr, &dev_attr_highest.attr,
                                       &dev_attr_refused.attr, NULL};
const struct attribute_group card_group = {.name = "emulated", .attrs = counters};
