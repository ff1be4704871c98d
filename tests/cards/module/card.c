// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "card.h"
#include "faults.h"

#define MAX_CARDS 8

/* The PCI ids that QEMU gives to its devices. */
#define QEMU_VENDOR  0x1b36
#define QEMU_NVME    0x0010
#define QEMU_TESTDEV 0x0005

static struct card cards[MAX_CARDS];
static unsigned int card_count;

static bool mdev;
module_param(mdev, bool, 0444);
MODULE_PARM_DESC(mdev, "each pci-testdev is a Tesla T4 without SR-IOV");

static char *shapes[MAX_CARDS];
static unsigned int shape_count;
module_param_array(shapes, charp, &shape_count, 0444);
MODULE_PARM_DESC(shapes, "for each nvme in the order of PCI: sriov, xe or vf (the default)");

static char *boards[MAX_CARDS];
static unsigned int board_count;
module_param_array(boards, charp, &board_count, 0444);
MODULE_PARM_DESC(boards, "for each nvme: A40 (of sriov), L40S (of vf), A30 or A30-MIG");

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
        used = card->count[type_index(card, type)];
        most = fault_instances(type->instance);
    } else if (!joins(card, type)) {
        *why = REFUSED_SIZE;
        return 0;
    } else if (fault_rule() == RULE_MIXED) {
        used = 0;
        most = card->memory < card->board->memory
                   ? (card->board->memory - card->memory) / type->framebuffer
                   : 0;
    }
    if (!type->instance && card->created + most > used + MOST_TIME_SLICED)
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

static int
take(struct card *card, const struct vgpu_type *type, unsigned int *place, unsigned int *why)
{
    if (!room(card, type, why))
        return -EIO;
    *place = find_first_zero_bit(card->places, MAX_VGPUS);
    if (*place == MAX_VGPUS)
        return -EIO;
    __set_bit(*place, card->places);
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
    card->count[type_index(card, type)]--;
    card->memory -= type->framebuffer;
    card->created--;
    mutex_unlock(&card->lock);
}

struct card *
card_of(struct pci_dev *pdev)
{
    struct pci_dev *function = pci_physfn(pdev);
    unsigned int i;

    for (i = 0; i < card_count; i++) {
        if (cards[i].pdev == function)
            return &cards[i];
    }
    return NULL;
}

/* The PCI identity that a function of this card shows. */
static void
disguise(const struct card *card, struct pci_dev *pdev)
{
    pdev->vendor = card->board->vendor;
    pdev->device = card->board->device;
    pdev->class = card->board->class;
}

/* Disguises a VF before anybody sees it, whether or not a driver takes it. */
static int
on_bus_event(struct notifier_block *block, unsigned long event, void *data)
{
    struct pci_dev *pdev = to_pci_dev(data);
    const struct card *card = pdev->is_virtfn ? card_of(pdev) : NULL;

    if (event == BUS_NOTIFY_ADD_DEVICE && card)
        disguise(card, pdev);
    return NOTIFY_DONE;
}

static struct notifier_block bus_notifier = {.notifier_call = on_bus_event};

static void
unmask(const struct card *card)
{
    card->pdev->vendor = card->vendor;
    card->pdev->device = card->device;
    card->pdev->class = card->class;
}

/* The shapes that an nvme may have, and the board of each if the parameter "boards" names none. */
static const struct {
    const char *word, *board;
    enum shape shape;
} disguises[] = {
    {"sriov", "A40", SHAPE_SRIOV},
    {"vf", "L40S", SHAPE_VF},
    {"xe", "B60", SHAPE_XE},
};

/* Sets the shape and the board of the n-th nvme, as the parameters say. */
static int
configure(struct card *card, unsigned int n)
{
    const char *word = n < shape_count ? shapes[n] : "vf";
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(disguises); i++) {
        if (strcmp(word, disguises[i].word))
            continue;
        word = n < board_count && *boards[n] ? boards[n] : disguises[i].board;
        card->shape = disguises[i].shape;
        card->board = board_find(word);
        return card->board ? 0 : -EINVAL;
    }
    return -EINVAL;
}

static int
add_card(struct pci_dev *pdev, unsigned int *nvmes)
{
    struct card *card = &cards[card_count];

    mutex_init(&card->lock);
    if (pdev->device == QEMU_TESTDEV) {
        card->shape = SHAPE_MDEV;
        card->board = board_find("T4");
    } else if (configure(card, (*nvmes)++)) {
        return -EINVAL;
    }
    card->vendor = pdev->vendor;
    card->device = pdev->device;
    card->class = pdev->class;
    card->pdev = pci_dev_get(pdev);
    disguise(card, pdev);
    card_count++;
    return 0;
}

static void
forget_cards(void)
{
    while (card_count) {
        struct card *card = &cards[--card_count];

        unmask(card);
        pci_dev_put(card->pdev);
    }
}

static bool
is_ours(const struct pci_dev *pdev)
{
    return pdev->vendor == QEMU_VENDOR && !pdev->is_virtfn &&
           (pdev->device == QEMU_NVME || (mdev && pdev->device == QEMU_TESTDEV));
}

int
cards_init(void)
{
    struct pci_dev *pdev = NULL;
    unsigned int nvmes = 0;

    while ((pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, pdev)) && card_count < MAX_CARDS) {
        if (!is_ours(pdev))
            continue;
        if (add_card(pdev, &nvmes)) {
            pci_err(pdev, "nvidia-shaped: no such shape or board\n");
            pci_dev_put(pdev);
            forget_cards();
            return -EINVAL;
        }
    }
    pci_dev_put(pdev);
    if (!card_count)
        return -ENODEV;
    return bus_register_notifier(&pci_bus_type, &bus_notifier);
}

void
cards_exit(void)
{
    bus_unregister_notifier(&pci_bus_type, &bus_notifier);
    forget_cards();
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
const struct attribute_group card_group = {.name = "shaped", .attrs = counters};
