/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ledger: a written ledger is read back unchanged. A text that our writer cannot have written is
 * refused, with line and field. */

#include "lease/ledger.h"
#include "fake/unit.h"

#include <stdio.h>
#include <string.h>

#define BOOT   "0b6a3c55-9d2a-4e0b-8f64-2f1f4f6f7d10"
#define DEVICE "b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e21"
#define DOMAIN "6fa459ea-ee8a-4ca4-894e-db77e160355e"
#define HEADER "libvirt-vgpu-ledger 1 " BOOT " 8\n"
#define FRONT  "mdev " DEVICE " nvidia-222 1024 0000:18:00.4 0000:18:00.0 " DOMAIN " "
#define LINE   FRONT "web01 ua-gpu0 held made 4711:815 7 reap 99\n"

/* The lease of a device that is sorted after the first one. */
#define LATER "b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e22"
#define OTHER                                                                                      \
    "mdev " LATER " nvidia-222 1024 0000:18:00.4 0000:18:00.0 " DOMAIN                             \
    " web01 ua-gpu0 held made 4711:815 7 reap 99\n"

static int
parse(const char *text, struct ledger *ret, struct error *error)
{
    AUTO_FREE char *copy = strdup(text);

    *ret = (struct ledger){0};
    error->text[0] = '\0';
    return ledger_parse(copy, BOOT, vgpu_built_in, ret, error);
}

static struct lease
a_lease(void)
{
    return (struct lease){
        .vgpu = {.interface = &vgpu_mdev,
                 .device = {DEVICE},
                 .type = {"nvidia-222"},
                 .parent = {"0000:18:00.4"}},
        .framebuffer = 1024,
        .gpu = {"0000:18:00.0"},
        .domain = {DOMAIN},
        .domain_name = "web01",
        .alias = "ua-gpu0",
        .state = LEASE_HELD,
        .daemon = {4711, 815},
        .claim = 7,
        .time = 99,
    };
}

static void
assert_same(const struct lease *a, const struct lease *b)
{
    assert_ptr_equal(a->vgpu.interface, b->vgpu.interface);
    assert_string_equal(a->vgpu.device.text, b->vgpu.device.text);
    assert_string_equal(a->vgpu.type.text, b->vgpu.type.text);
    assert_string_equal(a->vgpu.parent.text, b->vgpu.parent.text);
    assert_int_equal(a->framebuffer, b->framebuffer);
    assert_string_equal(a->gpu.text, b->gpu.text);
    assert_string_equal(a->domain.text, b->domain.text);
    assert_string_equal(a->domain_name, b->domain_name);
    assert_string_equal(a->alias, b->alias);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->origin, b->origin);
    assert_true(process_same(a->daemon, b->daemon));
    assert_int_equal(a->claim, b->claim);
    assert_int_equal(a->release, b->release);
    assert_int_equal(a->time, b->time);
}

/* Writes one lease, reads it again, and returns the text. */
static char *
assert_round_trip(const struct lease *lease)
{
    struct ledger ledger = {.next_claim = 8}, again;
    struct error error;
    char *text;

    ledger_add(&ledger, lease);
    text = ledger_format(&ledger, BOOT);
    assert_non_null(text);
    if (parse(text, &again, &error) < 0)
        fail_msg("%s in: %s", error.text, text);
    assert_int_equal(again.count, 1);
    assert_int_equal(again.next_claim, 8);
    assert_same(&again.leases[0], lease);
    ledger_clear(&again);
    ledger_clear(&ledger);
    return text;
}

/* The exact bytes are checked, because an older or newer program may read them. */
UNIT_TEST(the_text_is_this)
{
    struct lease lease = a_lease();
    AUTO_FREE char *text = assert_round_trip(&lease);

    assert_string_equal(text, HEADER LINE);
}

UNIT_TEST(every_word_comes_back)
{
    static const char *const names[] = {"pending", "held",     "kept",
                                        "leaving", "removing", "reserved"};

    for (unsigned i = 0; i < COUNT(names) * 2 * 2; i++) {
        struct lease lease = a_lease();
        AUTO_FREE char *text = NULL;
        AUTO_FREE char *words = NULL;

        lease.state = (enum lease_state)(i / 4);
        lease.origin = i % 4 / 2 ? LEASE_FOUND : LEASE_MADE;
        lease.release = i % 2 ? LEASE_KEEP : LEASE_REAP;
        text = assert_round_trip(&lease);
        assert_true(asprintf(&words, " %s %s 4711:815 7 %s 99\n", names[i / 4],
                             i % 4 / 2 ? "found" : "made", i % 2 ? "keep" : "reap") > 0);
        assert_non_null(strstr(text, words));
        assert_string_equal(lease_state_name(lease.state), names[i / 4]);
    }
}

UNIT_TEST(the_largest_and_the_least_come_back)
{
    struct lease lease = a_lease();

    lease.framebuffer = UINT32_MAX;
    lease.daemon = (struct process){999999999, UINT64_MAX};
    lease.claim = INT64_MAX;
    lease.time = UINT64_MAX;
    free(assert_round_trip(&lease));
    memset(lease.domain_name, 0xff, sizeof(lease.domain_name) - 1);
    memset(lease.alias, '%', sizeof(lease.alias) - 1);
    memset(lease.vgpu.type.text, 'x', sizeof(lease.vgpu.type.text) - 1);
    free(assert_round_trip(&lease));
    lease.framebuffer = 0;
    lease.gpu = (struct name){0};
    lease.daemon = (struct process){0};
    lease.claim = lease.time = 0;
    free(assert_round_trip(&lease));
}

UNIT_TEST(people_may_name_things_as_they_like)
{
    static const struct {
        const char *name, *encoded;
    } rows[] = {
        {"", " - "},
        {"-", " %2D "},
        {"--", " -- "},
        {"a b", " a%20b "},
        {" ", " %20 "},
        {"100%", " 100%25 "},
        {"%41", " %2541 "},
        {"a\nb", " a%0Ab "},
        {"\t\r\x7f\x1b", " %09%0D%7F%1B "},
        {"gäst", " g%C3%A4st "},
        {"!~\"'<>&;", " !~\"'<>&; "},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int aliased = 0; aliased < 2; aliased++) {
            struct lease lease = a_lease();
            AUTO_FREE char *text = NULL;

            snprintf(aliased ? lease.alias : lease.domain_name, sizeof(lease.alias), "%s",
                     rows[i].name);
            text = assert_round_trip(&lease);
            assert_non_null(strstr(text, rows[i].encoded));
        }
    }
}

UNIT_TEST(a_ledger_without_leases)
{
    struct ledger ledger;
    struct error error;
    AUTO_FREE char *text = NULL;

    assert_int_equal(parse(HEADER, &ledger, &error), 0);
    assert_int_equal(ledger.count, 0);
    assert_int_equal(ledger.next_claim, 8);
    text = ledger_format(&ledger, BOOT);
    assert_string_equal(text, HEADER);
    ledger_clear(&ledger);
}

/* No vGPU outlives a boot. So the lines of an earlier boot are not even read. */
UNIT_TEST(another_boot_left_nothing)
{
    static const char *const texts[] = {
        "libvirt-vgpu-ledger 1 6f7d10 8\n" LINE,
        "libvirt-vgpu-ledger 1 6f7d10 8\n" LINE LINE,
        "libvirt-vgpu-ledger 1 6f7d10 8\nrubbish",
        "libvirt-vgpu-ledger 1 " BOOT "0 8\n" LINE,
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct ledger ledger;
        struct error error;

        assert_int_equal(parse(texts[i], &ledger, &error), 0);
        assert_int_equal(ledger.count, 0);
        ledger_clear(&ledger);
    }
}

struct row {
    const char *text;
    const char *message;
};

/* The ledger is refused with this message. Nothing has to be cleared afterwards. */
static void
check_rows(const struct row *rows, size_t count, int wanted)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        AUTO(ledger_clear) struct ledger ledger = {0};
        struct error error;
        int rc = parse(rows[i].text, &ledger, &error);

        if (rc == wanted && strstr(error.text, rows[i].message) && !ledger.leases)
            continue;
        print_error("%d, \"%s\" instead of \"%s\" for: %s\n", rc, error.text, rows[i].message,
                    rows[i].text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

UNIT_TEST(another_version_is_told_apart)
{
    static const struct row rows[] = {
        {"libvirt-vgpu-ledger 2 " BOOT " 8\n" LINE, "version 2"},
        {"libvirt-vgpu-ledger 0 " BOOT " 8\n", "version 0"},
        {"libvirt-vgpu-ledger 4294967295 what ever comes then\n", "version 4294967295"},
        {"libvirt-vgpu-ledger 2\n", "version 2"},
    };

    check_rows(rows, COUNT(rows), -EPROTONOSUPPORT);
}

UNIT_TEST(a_bad_header)
{
    static const struct row rows[] = {
        {"", "line 1"},
        {"\n", "line 1"},
        {"\n" HEADER, "line 1"},
        {LINE, "line 1"},
        {" " HEADER, "line 1"},
        {"libvirt-vgpu-ledger", "line 1"},
        {"libvirt-vgpu-ledgers 1 " BOOT " 8\n", "line 1"},
        {"libvirt-vgpu-ledger  1 " BOOT " 8\n", "line 1"},
        {"libvirt-vgpu-ledger one " BOOT " 8\n", "line 1"},
        {"libvirt-vgpu-ledger -1 " BOOT " 8\n", "line 1"},
        {"libvirt-vgpu-ledger 4294967296 " BOOT " 8\n", "line 1"},
        {"libvirt-vgpu-ledger 1\n", "line 1"},
        {"libvirt-vgpu-ledger 1 " BOOT "\n", "line 1"},
        {"libvirt-vgpu-ledger 1 " BOOT " \n", "line 1"},
        {"libvirt-vgpu-ledger 1 " BOOT " x\n", "line 1"},
        {"libvirt-vgpu-ledger 1 " BOOT " -8\n", "line 1"},
        {"libvirt-vgpu-ledger 1 " BOOT " 9223372036854775808\n", "line 1"},
        {"libvirt-vgpu-ledger 1 " BOOT " 8 9\n", "line 1"},
        {"libvirt-vgpu-ledger 1 " BOOT " 8", "cut off"},
    };

    check_rows(rows, COUNT(rows), -EBADMSG);
}

/* Each field of a good line, and wrong words for this field. */
static const struct {
    const char *name, *good;
    const char *bad[9];
} fields[] = {
    {"kind", "mdev", {"", "vf?", "MDEV", "mdev\t", "-"}},
    {"device", "other", {"", ".", "..", "a/b", "../../etc", "\xc3\xa4"}},
    {"type", "nvidia-222", {"", "..", "GRID/T4"}},
    {"framebuffer",
     "1024",
     {"", "-", "-1", "+1", "1k", "0x10", "4294967296", "18446744073709551617"}},
    {"parent", "0000:18:00.4", {"", "..", "a/b"}},
    {"gpu", "0000:18:00.0", {"", "..", "a/b"}},
    {"domain", DOMAIN, {"", "-", "web01", DOMAIN "0"}},
    {"name", "web01", {"%", "%4", "%4g", "%g4", "%00", "%-1", "%+1"}},
    {"alias", "ua-gpu0", {"%", "a%4", "%00"}},
    {"state", "held", {"", "-", "Held", "hel", "held,"}},
    {"origin", "made", {"", "-", "lost"}},
    {"daemon", "4711:815", {"", "-", "4711", "4711:", ":815", "4711 815", "-1:815", "4711:815x"}},
    {"claim", "7", {"", "-", "-7", "+7", "7x", "9223372036854775808"}},
    {"release", "reap", {"", "-", "reaps"}},
    {"time", "99", {"", "-", "-99", "99x", "18446744073709551616"}},
};

UNIT_TEST(a_bad_field_is_named)
{
    for (size_t bad = 0; bad < COUNT(fields); bad++) {
        for (size_t k = 0; k < COUNT(fields[bad].bad) && fields[bad].bad[k]; k++) {
            char text[2048] = HEADER LINE, message[64];

            for (size_t i = 0; i < COUNT(fields); i++) {
                size_t at = strlen(text);

                snprintf(text + at, sizeof(text) - at, "%s%c",
                         i == bad ? fields[bad].bad[k] : fields[i].good,
                         i + 1 < COUNT(fields) ? ' ' : '\n');
            }
            snprintf(message, sizeof(message), "line 3: %s: \"", fields[bad].name);
            check_rows(&(struct row){text, message}, 1, -EBADMSG);
        }
    }
}

/* If the writer never prints a text, the reader refuses it. */
UNIT_TEST(a_field_has_one_spelling)
{
    static const struct row rows[] = {
        {HEADER FRONT " ua-gpu0 held made 1:2 7 reap 99\n", "line 2: name"},
        {HEADER FRONT "web01  held made 1:2 7 reap 99\n", "line 2: alias"},
        {HEADER FRONT "web01 ua-gpu0 held made 1:-2 7 reap 99\n", "line 2: daemon"},
        {HEADER FRONT "web01 ua-gpu0 held made 1:+2 7 reap 99\n", "line 2: daemon"},
        {HEADER FRONT "web01 ua-gpu0 held made 1:18446744073709551616 7 reap 99\n",
         "line 2: daemon"},
    };

    check_rows(rows, COUNT(rows), -EBADMSG);
}

UNIT_TEST(names_too_long_are_refused)
{
    char text[2048];

    for (int length = 255; length <= 256; length++) {
        struct ledger ledger;
        struct error error;

        snprintf(text, sizeof(text), HEADER FRONT "%0*d - held made 1:2 7 reap 99\n", length, 0);
        assert_int_equal(parse(text, &ledger, &error), length < 256 ? 0 : -EBADMSG);
        ledger_clear(&ledger);
        /* The XML may have an alias of 256 bytes. */
        snprintf(text, sizeof(text), HEADER FRONT "- %0*d held made 1:2 7 reap 99\n", length + 1,
                 0);
        assert_int_equal(parse(text, &ledger, &error), length < 256 ? 0 : -EBADMSG);
        ledger_clear(&ledger);
    }
}

UNIT_TEST(a_bad_line)
{
    static const struct row rows[] = {
        /* too few fields, too many fields, no fields */
        {HEADER FRONT "web01 ua-gpu0 held made 4711:815 7 reap\n", "line 2: time"},
        {HEADER "mdev\n", "line 2: device"},
        {HEADER "mdev " DEVICE "\n", "line 2: type"},
        {HEADER FRONT "web01 ua-gpu0 held made 4711:815 7 reap 99 1\n", "line 2: more than 15"},
        {HEADER FRONT "web01 ua-gpu0 held made 4711:815 7 reap 99 \n", "line 2: more than 15"},
        {HEADER "\n" LINE, "line 2: kind"},
        {HEADER LINE "\n", "line 3: kind"},
        {HEADER " " LINE, "line 2: kind"},
        /* two leases of one device */
        {HEADER LINE LINE, "line 3: a second lease of " DEVICE},
        {HEADER OTHER LINE OTHER LINE OTHER, "line 4: a second lease of " LATER},
        /* files after a crash or on a full disk */
        {HEADER FRONT "web01 ua-gpu0 held made 4711:815 7 reap 9", "cut off"},
        {HEADER LINE "mdev other nvidia-222 1024 0000:18:00.4 0000:18:00.0 " DOMAIN " web01",
         "line 3"},
        {HEADER LINE "m", "line 3"},
    };

    check_rows(rows, COUNT(rows), -EBADMSG);
}

UNIT_TEST(leases_are_found_added_and_removed_in_order)
{
    struct ledger ledger = {0};
    const struct name other = {"other"}, domain = {DOMAIN};
    const char *order = "abcdefghi";

    assert_null(ledger_find(&ledger, &other));
    assert_false(ledger_has_domain(&ledger, &domain));
    for (const char *c = order; *c; c++) {
        struct lease lease = a_lease();

        snprintf(lease.vgpu.device.text, sizeof(lease.vgpu.device.text), "%c", *c);
        ledger_add(&ledger, &lease);
    }
    assert_true(ledger_has_domain(&ledger, &domain));
    assert_false(ledger_has_domain(&ledger, &other));
    assert_ptr_equal(ledger_find(&ledger, &(struct name){"d"}), &ledger.leases[3]);
    /* removes the first lease, the last lease, and one between them */
    ledger_remove(&ledger, ledger_find(&ledger, &(struct name){"a"}));
    ledger_remove(&ledger, ledger_find(&ledger, &(struct name){"i"}));
    ledger_remove(&ledger, ledger_find(&ledger, &(struct name){"d"}));
    order = "bcefgh";
    assert_int_equal(ledger.count, strlen(order));
    for (size_t i = 0; i < ledger.count; i++)
        assert_int_equal(ledger.leases[i].vgpu.device.text[0], order[i]);
    assert_null(ledger_find(&ledger, &(struct name){"d"}));
    /* removes all leases, and adds some again */
    while (ledger.count)
        ledger_remove(&ledger, ledger.leases);
    assert_false(ledger_has_domain(&ledger, &domain));
    for (int i = 0; i < 3; i++) {
        struct lease lease = a_lease();

        ledger_add(&ledger, &lease);
    }
    ledger_clear(&ledger);
    assert_null(ledger.leases);
}

/* A place that is promised to a domain is nothing that it has. */
/* Each term by itself makes another lease, of which nothing that was seen is believed. */
UNIT_TEST(whatever_changes_is_a_change)
{
    const struct lease old = a_lease();
    struct lease changed[] = {old, old, old, old, old};

    changed[0].state = LEASE_LEAVING;
    changed[1].claim++;
    changed[2].time++;
    changed[3].daemon.pid++;
    strcpy(changed[4].domain.text, LATER);
    assert_false(lease_has_changed(&old, &old));
    assert_true(lease_has_changed(NULL, &old));
    for (size_t i = 0; i < COUNT(changed); i++)
        assert_true(lease_has_changed(&old, &changed[i]));
}

UNIT_TEST(a_promise_binds)
{
    struct ledger ledger = {0};
    struct lease lease = a_lease();
    const struct name domain = {DOMAIN}, other = {DEVICE};

    lease.state = LEASE_RESERVED;
    assert_false(lease_binds(&lease, &domain, lease.time));
    lease.daemon = LEASE_PROMISED;
    assert_true(lease_binds(&lease, &domain, lease.time + 60));
    assert_false(lease_binds(&lease, &domain, lease.time + 61));
    assert_false(lease_binds(&lease, &other, lease.time));
    ledger_add(&ledger, &lease);
    assert_null(ledger_find_of(&ledger, &domain));
    lease = a_lease();
    lease.vgpu.device = (struct name){LATER};
    ledger_add(&ledger, &lease);
    assert_string_equal(ledger_find_of(&ledger, &domain)->vgpu.device.text, LATER);
    assert_null(ledger_find_of(&ledger, &other));
    ledger_clear(&ledger);
}
