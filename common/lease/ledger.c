/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/ledger.h"
#include "base/array.h"
#include "base/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TITLE          "libvirt-vgpu-ledger"
#define LEDGER_VERSION 1

/* Seconds that a guest may take to come, as from a migration to its prepare. */
#define LONGEST_RESERVED 60

static const char *const states[] = {"pending",  "held",     "kept", "leaving",
                                     "removing", "reserved", NULL};
static const char *const origins[] = {"made", "found", NULL};
static const char *const releases[] = {"reap", "keep", NULL};

const char *
lease_state_name(enum lease_state state)
{
    return states[state];
}

bool
lease_is_promise(const struct lease *lease)
{
    return lease->state == LEASE_RESERVED && process_same(lease->daemon, LEASE_PROMISED);
}

bool
lease_is_late(const struct lease *lease, uint64_t now)
{
    return lease->state == LEASE_RESERVED && now - lease->time > LONGEST_RESERVED;
}

bool
lease_binds(const struct lease *lease, const struct name *domain, uint64_t now)
{
    return lease_is_promise(lease) && !lease_is_late(lease, now) &&
           name_equal(&lease->domain, domain);
}

bool
lease_state_is_going(enum lease_state state)
{
    return state == LEASE_LEAVING || state == LEASE_REMOVING;
}

bool
lease_is_in_use(const struct lease *lease)
{
    return lease->state == LEASE_HELD || lease->state == LEASE_PENDING;
}

bool
lease_is_nobodys(const struct lease *lease)
{
    return !strcmp(lease->domain.text, LEASE_NOBODY);
}

const struct lease *
lease_of_domain(const struct lease *lease)
{
    return lease && !lease_is_nobodys(lease) ? lease : NULL;
}

static int
parse_number(const char *text, uint64_t most, uint64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoull(text, &end, 10);
    return errno || end == text || *end || !isdigit((unsigned char)*text) || *ret > most ? -EINVAL
                                                                                         : 0;
}

/* Percent-encodes a text as one word of printable ASCII. It is never empty: "-" is an empty
 * text. */
static void
print_text(FILE *out, const char *text)
{
    if (!*text)
        fputc('-', out);
    for (const char *c = text; *c; c++) {
        if (isgraph((unsigned char)*c) && *c != '%' && strcmp(text, "-"))
            fputc(*c, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*c);
    }
}

static int
parse_text(const char *text, char *ret, size_t size)
{
    size_t length = 0;

    if (!*text)
        return -EINVAL;
    if (!strcmp(text, "-"))
        text = "";
    for (; *text; length++) {
        unsigned value = (unsigned char)*text;

        if (length + 1 >= size)
            return -EINVAL;
        if (*text == '%') {
            if (!isxdigit((unsigned char)text[1]) || !isxdigit((unsigned char)text[2]) ||
                sscanf(text + 1, "%2x", &value) != 1 || value == 0)
                return -EINVAL;
            text += 2;
        }
        ret[length] = (char)value;
        text++;
    }
    ret[length] = '\0';
    return 0;
}

static int
parse_optional_name(struct name *ret, const char *text)
{
    *ret = (struct name){0};
    return !strcmp(text, "-") ? 0 : name_parse(ret, text);
}

/* The fields after the kind, in the order of the line. A row has one of `parse`, `words` and
 * `most`, which says what the field is. A row without any of them is text: char[],
 * percent-encoded. */
static const struct field {
    const char *name;
    size_t offset, size;
    int (*parse)(struct name *ret, const char *text); /* of a struct name */
    const char *const *words;                         /* of an enum; NULL ends them */
    uint64_t most;                                    /* of a number of 4 or 8 bytes */
    const char *end;                                  /* what follows the field; NULL: a blank */
} fields[] = {
#define FIELD(name, member, ...)                                                                   \
    {                                                                                              \
        name, offsetof(struct lease, member), sizeof(((struct lease *)0)->member), __VA_ARGS__     \
    }
    FIELD("device", vgpu.device, .parse = name_parse),
    FIELD("type", vgpu.type, .parse = name_parse),
    FIELD("framebuffer", framebuffer, .most = UINT32_MAX),
    FIELD("parent", vgpu.parent, .parse = name_parse),
    FIELD("gpu", gpu, .parse = parse_optional_name),
    FIELD("domain", domain, .parse = name_parse_uuid),
    FIELD("name", domain_name, .end = NULL),
    FIELD("alias", alias, .end = NULL),
    FIELD("state", state, .words = states),
    FIELD("origin", origin, .words = origins),
    FIELD("daemon", daemon.pid, .most = 999999999, .end = ":"),
    FIELD("daemon", daemon.start, .most = UINT64_MAX),
    FIELD("claim", claim, .most = INT64_MAX), /* the offset of a byte in a file */
    FIELD("release", release, .words = releases),
    FIELD("time", time, .most = UINT64_MAX),
#undef FIELD
};

static int
parse_field(const struct field *field, const char *text, struct lease *lease)
{
    void *at = (char *)lease + field->offset;
    uint64_t number;
    int rc;

    if (field->parse)
        return field->parse(at, text);
    if (field->words) {
        rc = words_index(field->words, text);
        *(unsigned *)at = rc < 0 ? 0 : (unsigned)rc;
        return rc < 0 ? -EINVAL : 0;
    }
    if (!field->most)
        return parse_text(text, at, field->size);
    rc = parse_number(text, field->most, &number);
    if (rc == 0 && field->size == sizeof(number))
        *(uint64_t *)at = number;
    else if (rc == 0)
        *(uint32_t *)at = (uint32_t)number;
    return rc;
}

static void
print_field(FILE *out, const struct field *field, const struct lease *lease)
{
    const void *at = (const char *)lease + field->offset;

    if (field->words)
        fputs(field->words[*(const unsigned *)at], out);
    else if (field->most)
        fprintf(out, "%" PRIu64,
                field->size == sizeof(uint64_t) ? *(const uint64_t *)at : *(const uint32_t *)at);
    else if (field->parse && *(const char *)at)
        fputs(at, out);
    else
        print_text(out, at);
}

static void
print_lease(FILE *out, const struct lease *lease)
{
    fputs(*lease->kind.text ? lease->kind.text : lease->vgpu.interface->kind, out);
    for (size_t i = 0; i < COUNT(fields); i++) {
        fputs(i && fields[i - 1].end ? fields[i - 1].end : " ", out);
        print_field(out, &fields[i], lease);
    }
    fputc('\n', out);
}

/* Reads the word for an interface that this program does not know. */
static int
parse_kind(const char *word, struct name *ret)
{
    return strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789") == strlen(word)
               ? name_parse(ret, word)
               : -EINVAL;
}

/* Returns -ENOMEM, as every function that reads a ledger: see base/memory.h. */
static int
parse_lease(char *line, unsigned number, const struct vgpu_interface *const *rows,
            struct ledger *ledger, struct error *error)
{
    struct lease lease = {0};
    const char *word = strsep(&line, " "), *name = "kind";
    int rc = 0;

    lease.vgpu.interface = vgpu_interface_find(rows, word);
    if (!lease.vgpu.interface) {
        lease.vgpu.interface = &vgpu_unknown;
        rc = parse_kind(word, &lease.kind);
    }
    for (size_t i = 0; rc == 0 && i < COUNT(fields); i++) {
        name = fields[i].name;
        word = strsep(&line, fields[i].end ? fields[i].end : " ");
        rc = word ? parse_field(&fields[i], word, &lease) : -EINVAL;
    }
    if (rc < 0)
        return error_set(error, -EBADMSG, "line %u: %s: \"%s\" is not one", number, name,
                         word ? word : "");
    if (line)
        return error_set(error, -EBADMSG, "line %u: more than %zu fields", number, COUNT(fields));
    if (ARRAY_TRY_ADD(ledger->leases, ledger->count, lease) < 0)
        return error_set(error, -ENOMEM, "no memory for its leases");
    return 0;
}

static int
compare_devices(const void *left, const void *right)
{
    const struct lease *const *a = left, *const *b = right;

    return strcmp((*a)->vgpu.device.text, (*b)->vgpu.device.text);
}

static void
sort_by_device(const struct ledger *ledger, const struct lease **ret)
{
    for (size_t i = 0; i < ledger->count; i++)
        ret[i] = &ledger->leases[i];
    if (ledger->count)
        qsort(ret, ledger->count, sizeof(*ret), compare_devices);
}

void
ledger_order_make(const struct ledger *ledger, struct ledger_order *ret)
{
    *ret = (struct ledger_order){memory_zeroed(ledger->count, sizeof(*ret->leases)), ledger->count};
    sort_by_device(ledger, ret->leases);
}

void
ledger_order_clear(struct ledger_order *order)
{
    free(order->leases);
    *order = (struct ledger_order){0};
}

const struct lease *
ledger_order_find(const struct ledger_order *order, const struct name *device)
{
    const struct lease wanted = {.vgpu.device = *device}, *key = &wanted;
    const struct lease **found =
        order->count ? bsearch(&key, order->leases, order->count, sizeof(key), compare_devices)
                     : NULL;

    return found ? *found : NULL;
}

/* No device has two leases. A release that finds no memory here has to leave its mark, so that is
 * an error like another. */
static int
check_devices(const struct ledger *ledger, struct error *error)
{
    AUTO_FREE const struct lease **sorted = calloc(ledger->count + 1, sizeof(*sorted));
    const struct lease *second = NULL;

    if (!sorted)
        return error_set(error, -ENOMEM, "no memory for the ledger");
    sort_by_device(ledger, sorted);
    for (size_t i = 1; i < ledger->count; i++) {
        const struct lease *later = sorted[i - 1] > sorted[i] ? sorted[i - 1] : sorted[i];

        if (name_equal(&sorted[i - 1]->vgpu.device, &sorted[i]->vgpu.device) &&
            (!second || later < second))
            second = later;
    }
    if (!second)
        return 0;
    return error_set(error, -EBADMSG, "line %zu: a second lease of %s",
                     (size_t)(second - ledger->leases) + 2, second->vgpu.device.text);
}

static int
parse_header(char *line, const char *boot_id, struct ledger *ledger, bool *same_boot,
             struct error *error)
{
    const char *title = strsep(&line, " "), *version = strsep(&line, " ");
    const char *boot = strsep(&line, " "), *claim = strsep(&line, " ");
    uint64_t number;

    if (strcmp(title, TITLE) || !version || parse_number(version, UINT32_MAX, &number) < 0)
        return error_set(error, -EBADMSG, "line 1: this is no ledger");
    if (number != LEDGER_VERSION)
        return error_set(error, -EPROTONOSUPPORT, "line 1: version %s, this program knows only %d",
                         version, LEDGER_VERSION);
    if (!boot || !claim || line || parse_number(claim, INT64_MAX, &ledger->next_claim) < 0 ||
        ledger->next_claim == 0)
        return error_set(error, -EBADMSG, "line 1: the boot id or the next claim is missing");
    *same_boot = !strcmp(boot, boot_id);
    return 0;
}

int
ledger_parse(char *text, const char *boot_id, const struct vgpu_interface *const *rows,
             struct ledger *ret, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    bool same_boot = false;
    char *line = strsep(&text, "\n");
    int rc = parse_header(line, boot_id, &ledger, &same_boot, error);

    for (unsigned number = 2; rc == 0 && same_boot && text && *text; number++)
        rc = parse_lease(strsep(&text, "\n"), number, rows, &ledger, error);
    if (rc == 0 && same_boot && !text)
        rc = error_set(error, -EBADMSG, "the last line is cut off");
    if (rc == 0)
        rc = check_devices(&ledger, error);
    if (rc < 0)
        return rc;
    *ret = ledger;
    ledger = (struct ledger){0};
    return 0;
}

char *
ledger_format(const struct ledger *ledger, const char *boot_id)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);

    fprintf(out, TITLE " %d %s %" PRIu64 "\n", LEDGER_VERSION, boot_id, ledger->next_claim);
    for (size_t i = 0; i < ledger->count; i++)
        print_lease(out, &ledger->leases[i]);
    memory_stream_end(out, &text);
    return text;
}

void
ledger_clear(struct ledger *ledger)
{
    free(ledger->leases);
    names_clear(&ledger->proved);
    names_clear(&ledger->drained);
    whole_cards_clear(&ledger->cards);
    words_clear(&ledger->released);
    words_clear(&ledger->ran);
    *ledger = (struct ledger){0};
}

struct lease *
ledger_find_unknown(const struct ledger *ledger)
{
    return ARRAY_FIND(ledger->leases, ledger->count, lease, *lease->kind.text);
}

struct lease *
ledger_find(const struct ledger *ledger, const struct name *device)
{
    return ARRAY_FIND(ledger->leases, ledger->count, lease,
                      name_equal(&lease->vgpu.device, device));
}

const struct whole_card *
ledger_find_card(const struct ledger *ledger, const struct name *card, const struct name *but_of)
{
    return ARRAY_FIND(ledger->cards.items, ledger->cards.count, each,
                      name_equal(&each->card, card) && !name_equal(&each->domain, but_of));
}

bool
ledger_has_domain(const struct ledger *ledger, const struct name *domain)
{
    return ARRAY_HAS(ledger->leases, ledger->count, lease, name_equal(&lease->domain, domain));
}

const struct lease *
ledger_find_of(const struct ledger *ledger, const struct name *domain)
{
    return ARRAY_FIND(ledger->leases, ledger->count, lease,
                      name_equal(&lease->domain, domain) && !lease_is_promise(lease));
}

void
ledger_find_gpus(const struct ledger *ledger, const struct name *domain, struct names *ret)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const struct lease *lease = &ledger->leases[i];

        if (name_equal(&lease->domain, domain) && lease_is_in_use(lease))
            names_append_new(ret, &lease->gpu);
    }
}

bool
lease_has_changed(const struct lease *old, const struct lease *lease)
{
    return !old || old->state != lease->state || old->claim != lease->claim ||
           old->time != lease->time || !process_same(old->daemon, lease->daemon) ||
           !name_equal(&old->domain, &lease->domain);
}

void
ledger_add(struct ledger *ledger, const struct lease *lease)
{
    ARRAY_ADD(ledger->leases, ledger->count, *lease);
}

void
ledger_copy(const struct ledger *from, struct ledger *to)
{
    for (size_t i = 0; i < from->count; i++)
        ledger_add(to, &from->leases[i]);
    for (size_t i = 0; i < from->proved.count; i++)
        names_append(&to->proved, &from->proved.items[i]);
    for (size_t i = 0; i < from->drained.count; i++)
        names_append(&to->drained, &from->drained.items[i]);
    whole_cards_copy(&from->cards, &to->cards);
    to->drained_rc = from->drained_rc;
}

void
ledger_remove(struct ledger *ledger, struct lease *lease)
{
    ARRAY_REMOVE(ledger->leases, ledger->count, (size_t)(lease - ledger->leases));
}
