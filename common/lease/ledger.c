/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/ledger.h"
#include "base/array.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TITLE          "libvirt-vgpu-ledger"
#define LEDGER_VERSION 1

static const char *const states[] = {"pending", "held", "kept", "leaving", "removing", "reserved"};
static const char *const origins[] = {"made", "found"};
static const char *const releases[] = {"reap", "keep"};

const char *
lease_state_name(enum lease_state state)
{
    return states[state];
}

bool
lease_is_nobodys(const struct lease *lease)
{
    return !strcmp(lease->domain.text, LEASE_NOBODY);
}

static int
parse_word(const char *text, const char *const *words, size_t count, int *ret)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(text, words[i])) {
            *ret = (int)i;
            return 0;
        }
    }
    return -EINVAL;
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

/* Percent-encoding: one word of printable ASCII, never empty, and "-" only for nothing. */
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
parse_optional_name(const char *text, struct name *ret)
{
    *ret = (struct name){0};
    return !strcmp(text, "-") ? 0 : name_parse(ret, text);
}

/* One function a field, in the order of the line. */
static int
parse_kind(const char *text, struct lease *lease)
{
    lease->vgpu.interface = vgpu_interface_find(text);
    return lease->vgpu.interface ? 0 : -EINVAL;
}

static int
parse_device(const char *text, struct lease *lease)
{
    return name_parse(&lease->vgpu.device, text);
}

static int
parse_type(const char *text, struct lease *lease)
{
    return name_parse(&lease->vgpu.type, text);
}

static int
parse_framebuffer(const char *text, struct lease *lease)
{
    uint64_t number;
    int rc = parse_number(text, UINT32_MAX, &number);

    if (rc == 0)
        lease->framebuffer = (unsigned)number;
    return rc;
}

static int
parse_parent(const char *text, struct lease *lease)
{
    return name_parse(&lease->vgpu.parent, text);
}

static int
parse_gpu(const char *text, struct lease *lease)
{
    return parse_optional_name(text, &lease->gpu);
}

static int
parse_domain(const char *text, struct lease *lease)
{
    return name_parse_uuid(&lease->domain, text);
}

static int
parse_domain_name(const char *text, struct lease *lease)
{
    return parse_text(text, lease->domain_name, sizeof(lease->domain_name));
}

static int
parse_alias(const char *text, struct lease *lease)
{
    return parse_text(text, lease->alias, sizeof(lease->alias));
}

static int
parse_state(const char *text, struct lease *lease)
{
    int word;
    int rc = parse_word(text, states, COUNT(states), &word);

    if (rc == 0)
        lease->state = (enum lease_state)word;
    return rc;
}

static int
parse_origin(const char *text, struct lease *lease)
{
    int word;
    int rc = parse_word(text, origins, COUNT(origins), &word);

    if (rc == 0)
        lease->origin = (enum lease_origin)word;
    return rc;
}

static int
parse_daemon(const char *text, struct lease *lease)
{
    int end = 0;

    if (!isdigit((unsigned char)*text) || sscanf(text, "%9d:%n", &lease->daemon.pid, &end) != 1 ||
        end == 0)
        return -EINVAL;
    return parse_number(text + end, UINT64_MAX, &lease->daemon.start);
}

static int
parse_claim(const char *text, struct lease *lease)
{
    return parse_number(text, INT64_MAX, &lease->claim);
}

static int
parse_release(const char *text, struct lease *lease)
{
    int word;
    int rc = parse_word(text, releases, COUNT(releases), &word);

    if (rc == 0)
        lease->release = (enum lease_release)word;
    return rc;
}

static int
parse_time(const char *text, struct lease *lease)
{
    return parse_number(text, UINT64_MAX, &lease->time);
}

static const struct {
    const char *name;
    int (*parse)(const char *text, struct lease *lease);
} fields[] = {
    {"kind", parse_kind},     {"device", parse_device},
    {"type", parse_type},     {"framebuffer", parse_framebuffer},
    {"parent", parse_parent}, {"gpu", parse_gpu},
    {"domain", parse_domain}, {"name", parse_domain_name},
    {"alias", parse_alias},   {"state", parse_state},
    {"origin", parse_origin}, {"daemon", parse_daemon},
    {"claim", parse_claim},   {"release", parse_release},
    {"time", parse_time},
};

static void
print_lease(FILE *out, const struct lease *lease)
{
    fprintf(out, "%s %s %s %u %s %s %s ", lease->vgpu.interface->kind, lease->vgpu.device.text,
            lease->vgpu.type.text, lease->framebuffer, lease->vgpu.parent.text,
            *lease->gpu.text ? lease->gpu.text : "-", lease->domain.text);
    print_text(out, lease->domain_name);
    fputc(' ', out);
    print_text(out, lease->alias);
    fprintf(out, " %s %s %d:%" PRIu64 " %" PRIu64 " %s %" PRIu64 "\n", states[lease->state],
            origins[lease->origin], lease->daemon.pid, lease->daemon.start, lease->claim,
            releases[lease->release], lease->time);
}

static int
parse_lease(char *line, unsigned number, struct ledger *ledger, struct error *error)
{
    struct lease lease = {0};
    const char *word;

    for (size_t i = 0; i < COUNT(fields); i++) {
        word = strsep(&line, " ");
        if (!word || fields[i].parse(word, &lease) < 0)
            return error_set(error, -EBADMSG, "line %u: %s: \"%s\" is not one", number,
                             fields[i].name, word ? word : "");
    }
    if (line)
        return error_set(error, -EBADMSG, "line %u: more than %zu fields", number, COUNT(fields));
    if (ledger_find(ledger, &lease.vgpu.device))
        return error_set(error, -EBADMSG, "line %u: a second lease of %s", number,
                         lease.vgpu.device.text);
    return ledger_add(ledger, &lease);
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
ledger_parse(char *text, const char *boot_id, struct ledger *ret, struct error *error)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    bool same_boot = false;
    char *line = strsep(&text, "\n");
    int rc = parse_header(line, boot_id, &ledger, &same_boot, error);

    for (unsigned number = 2; rc == 0 && same_boot && text && *text; number++)
        rc = parse_lease(strsep(&text, "\n"), number, &ledger, error);
    if (rc == 0 && same_boot && !text)
        rc = error_set(error, -EBADMSG, "the last line is cut off");
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
    FILE *out = open_memstream(&text, &size);
    bool failed;

    if (!out)
        return NULL;
    fprintf(out, TITLE " %d %s %" PRIu64 "\n", LEDGER_VERSION, boot_id, ledger->next_claim);
    for (size_t i = 0; i < ledger->count; i++)
        print_lease(out, &ledger->leases[i]);
    failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

void
ledger_clear(struct ledger *ledger)
{
    free(ledger->leases);
    *ledger = (struct ledger){0};
}

struct lease *
ledger_find(const struct ledger *ledger, const struct name *device)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (name_equal(&ledger->leases[i].vgpu.device, device))
            return &ledger->leases[i];
    }
    return NULL;
}

bool
ledger_has_domain(const struct ledger *ledger, const struct name *domain)
{
    for (size_t i = 0; i < ledger->count; i++) {
        if (name_equal(&ledger->leases[i].domain, domain))
            return true;
    }
    return false;
}

bool
ledger_has_changed(const struct ledger *before, const struct lease *lease)
{
    const struct lease *old = ledger_find(before, &lease->vgpu.device);

    return !old || old->state != lease->state || old->claim != lease->claim ||
           old->time != lease->time || !process_same(old->daemon, lease->daemon) ||
           !name_equal(&old->domain, &lease->domain);
}

int
ledger_add(struct ledger *ledger, const struct lease *lease)
{
    return ARRAY_ADD(ledger->leases, ledger->count, *lease);
}

void
ledger_remove(struct ledger *ledger, struct lease *lease)
{
    ARRAY_REMOVE(ledger->leases, ledger->count, (size_t)(lease - ledger->leases));
}
