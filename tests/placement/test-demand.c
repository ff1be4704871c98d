/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* demand: which hostdevs are ours, and for which vGPU each asks. */

#include "device/vgpu.h"
#include "placement/demand.h"
#include "placement/resolution.h"
#include "fake/unit.h"

#include <stdio.h>
#include <string.h>

#define UUID0 "b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e20"

static char *one_type[] = {(char[]){"T4-1B"}};
static char *two_types[] = {(char[]){"A40-2B"}, (char[]){"T4-2B"}};

static struct policy_class classes[] = {
    {.name = (char[]){"small"}, .types = {one_type, 1}},
    {.name = (char[]){"small-1"}, .types = {two_types, 2}},
    {.name = (char[]){"big"}, .types = {two_types, 2}},
    {.name = (char[]){"7"}, .types = {one_type, 1}},
};

/* One hostdev, its annotation, the policy for it, and the result. */
struct row {
    const char *alias;        /* NULL: the hostdev has none */
    const char *type, *class; /* of the device that names it; both NULL: no device names it */
    const char *default_class;
    const char
        *wanted; /* a type or class; or words of the message; NULL: the hostdev is not ours */
    bool refused, not_gpu;
};

static int
resolve(const struct row *row, size_t class_count, struct demands *ret, struct error *error)
{
    static struct request_hostdev hostdev;
    static struct request_device device;
    struct request request = {.hostdevs = &hostdev, .hostdev_count = 1};
    struct policy policy = {.allow = ~0u, .classes = classes, .class_count = class_count};

    hostdev = (struct request_hostdev){.source = {UUID0},
                                       .alias = (char *)row->alias,
                                       .is_gpu = !row->not_gpu,
                                       .device = SIZE_MAX};
    device = (struct request_device){
        .attributes.said = {
            [ATTRIBUTE_TYPE] = (char *)row->type, [ATTRIBUTE_CLASS] = (char *)row->class}};
    if (row->type || row->class) {
        request.devices = &device;
        request.device_count = 1;
        hostdev.device = 0;
    }
    policy.default_class = (char *)(row->default_class ? row->default_class : "");
    *ret = (struct demands){0};
    error->text[0] = '\0';
    return resolution_make(&request, &policy, ret, error);
}

static bool
is_as_wanted(const struct row *row, const struct demand *demand)
{
    const struct policy_class *class = demand->terms.class;
    size_t count;
    char *const *words = demand_words(&demand->terms, &count);
    bool by_class = !row->type && class && !strcmp(class->name, row->wanted) &&
                    words == class->types.items && count == class->types.count;
    bool by_type = row->type && !class && count == 1 && !strcmp(words[0], row->type);

    return (by_class || by_type) && !strcmp(demand->wanted, row->wanted) &&
           !strcmp(demand->label, row->alias ? row->alias : UUID0) &&
           !demand->device == !(row->type || row->class);
}

static void
check_rows(const struct row *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        AUTO(demands_clear) struct demands demands = {0};
        struct error error;
        int rc = resolve(row, COUNT(classes), &demands, &error);
        bool right;

        if (row->refused)
            right = rc == -EINVAL && !demands.count && strstr(error.text, row->wanted) &&
                    strstr(error.text, row->alias ? row->alias : UUID0);
        else if (row->wanted)
            right = rc == 0 && demands.count == 1 && is_as_wanted(row, demands.items);
        else
            right = rc == 0 && demands.count == 0;
        if (right)
            continue;
        print_error("alias %s, type %s, class %s, default_class %s: %d %s %s\n", row->alias,
                    row->type, row->class, row->default_class, rc, error.text,
                    demands.count ? demands.items[0].wanted : "");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

UNIT_TEST(annotation_then_alias_then_default)
{
    static const struct row rows[] = {
        {"ua-gpu0", "nvidia-222", NULL, NULL, "nvidia-222", false, false},
        {"ua-gpu0", NULL, "small", NULL, "small", false, false},
        {NULL, NULL, "small", NULL, "small", false, false},
        {"ua-vgpu-small", NULL, NULL, NULL, "small", false, false},
        {"ua-gpu0", NULL, NULL, "small", "small", false, false},
        {NULL, NULL, NULL, "small", "small", false, false},
        /* two and three devices at once */
        {"ua-vgpu-small", "nvidia-222", NULL, "big", "nvidia-222", false, false},
        {"ua-vgpu-small", NULL, "big", "7", "big", false, false},
        {"ua-vgpu-small", NULL, NULL, "big", "small", false, false},
        {"ua-vgpu-nonsense", NULL, "big", NULL, "big", false, false},
        /* the type of a device is a type, even if a class has the same name */
        {"ua-gpu0", "small", NULL, NULL, "small", false, false},
    };

    check_rows(rows, COUNT(rows));
}

UNIT_TEST(an_alias_is_a_class_or_a_class_and_a_number)
{
    static const struct row rows[] = {
        {"ua-vgpu-small-1", NULL, NULL, NULL, "small-1", false, false},
        {"ua-vgpu-small-2", NULL, NULL, NULL, "small", false, false},
        {"ua-vgpu-small-10", NULL, NULL, NULL, "small", false, false},
        {"ua-vgpu-small-1-1", NULL, NULL, NULL, "small-1", false, false},
        {"ua-vgpu-big-0", NULL, NULL, NULL, "big", false, false},
        {"ua-vgpu-7", NULL, NULL, NULL, "7", false, false},
        {"ua-vgpu-7-7", NULL, NULL, NULL, "7", false, false},
        {"ua-vgpu-big-99999999999999999999", NULL, NULL, NULL, "big", false, false},
        /* neither a type nor a class */
        {"ua-vgpu-", NULL, NULL, NULL, "class \"\"", true, false},
        {"ua-vgpu--1", NULL, NULL, NULL, "class \"\"", true, false},
        {"ua-vgpu-1", NULL, NULL, NULL, "class \"1\"", true, false},
        {"ua-vgpu-small-", NULL, NULL, NULL, "class \"small-\"", true, false},
        {"ua-vgpu-small-x", NULL, NULL, NULL, "class \"small-x\"", true, false},
        {"ua-vgpu-small-1x", NULL, NULL, NULL, "class \"small-1x\"", true, false},
        {"ua-vgpu-small--2", NULL, NULL, NULL, "class \"small-\"", true, false},
        {"ua-vgpu-small-2-2", NULL, NULL, NULL, "class \"small-2\"", true, false},
        {"ua-vgpu-Small", NULL, NULL, NULL, "class \"Small\"", true, false},
        /* an unknown class is an error even if there is a default */
        {"ua-vgpu-middle", NULL, NULL, "small", "class \"middle\"", true, false},
    };

    check_rows(rows, COUNT(rows));
}

UNIT_TEST(what_nothing_names_is_not_ours)
{
    static const struct row rows[] = {
        {NULL, NULL, NULL, NULL, NULL, false, false},
        {"ua-gpu0", NULL, NULL, NULL, NULL, false, false},
        {"hostdev0", NULL, NULL, NULL, NULL, false, false},
        {"ua-vgpu", NULL, NULL, NULL, NULL, false, false},
        {"ua-VGPU-small", NULL, NULL, NULL, NULL, false, false},
        {"xua-vgpu-small", NULL, NULL, NULL, NULL, false, false},
        /* the mediated devices of s390, with any names */
        {NULL, NULL, NULL, "small", NULL, false, true},
        {"ua-vgpu-small", NULL, NULL, NULL, NULL, false, true},
        {"ua-vgpu-small", NULL, NULL, "small", NULL, false, true},
    };

    check_rows(rows, COUNT(rows));
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request_hostdev hostdev = {
            .alias = (char *)rows[i].alias, .is_gpu = !rows[i].not_gpu, .device = SIZE_MAX};

        assert_false(demand_is_explicit(&hostdev));
    }
}

UNIT_TEST(explicit_is_what_the_xml_alone_asks_for)
{
    struct request_hostdev annotated = {.is_gpu = true, .device = 0};
    struct request_hostdev aliased = {
        .alias = (char[]){"ua-vgpu-nonsense"}, .is_gpu = true, .device = SIZE_MAX};

    assert_true(demand_is_explicit(&annotated));
    assert_true(demand_is_explicit(&aliased));
}

UNIT_TEST(an_unknown_class_is_told_with_the_known_ones)
{
    static const struct row rows[] = {
        {"ua-gpu0", NULL, "middle", NULL, NULL, true, false},
        {"ua-vgpu-middle", NULL, NULL, NULL, NULL, true, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct demands demands;
        struct error error;

        assert_int_equal(resolve(&rows[i], COUNT(classes), &demands, &error), -EINVAL);
        assert_non_null(strstr(error.text, rows[i].alias));
        assert_non_null(strstr(error.text, "\"middle\""));
        assert_non_null(strstr(error.text, "small, small-1, big, 7"));
        assert_int_equal(resolve(&rows[i], 0, &demands, &error), -EINVAL);
        assert_non_null(strstr(error.text, "no class is defined"));
    }
}

/* The longest class name in an annotation or alias means this class. It does not mean a class with
 * a shorter name that begins in the same way. */
UNIT_TEST(no_name_is_cut)
{
    char text[300], *alias = NULL;
    struct row row = {"ua-gpu0", NULL, text, NULL, text, true, false};
    struct demands demands;
    struct error error;
    char *kept = classes[0].name;

    memset(text, 'a', 255);
    text[255] = '\0';
    classes[0].name = strdup(text);
    text[255] = 'a';
    text[256] = '\0';
    assert_true(asprintf(&alias, "ua-vgpu-%s-1", text) > 0);
    assert_int_equal(resolve(&row, COUNT(classes), &demands, &error), -EINVAL);
    demands_clear(&demands);
    row = (struct row){alias, NULL, NULL, NULL, text, true, false};
    assert_int_equal(resolve(&row, COUNT(classes), &demands, &error), -EINVAL);
    demands_clear(&demands);
    free(classes[0].name);
    free(alias);
    classes[0].name = kept;
}

/* --- the policy's domains --------------------------------------------------------------------- */

static struct policy_domain_device web_devices[] = {
    {.alias = (char[]){"ua-gpu0"}, .class = (char[]){"small"}},
    {.alias = (char[]){"ua-gpu1"}, .type = (char[]){"nvidia-222"}},
    {.alias = (char[]){"ua-vgpu-big"}, .class = (char[]){"7"}},
};
static struct policy_domain_device all_devices[] = {
    {.alias = (char[]){"ua-gpu0"}, .class = (char[]){"big"}},
    {.alias = (char[]){"ua-gpu2"}, .class = (char[]){"big"}},
};
static struct policy_domain domains[] = {
    {.name = (char[]){"web*"}, .devices = web_devices, .device_count = COUNT(web_devices)},
    {.name = (char[]){UUID0}, .devices = all_devices, .device_count = COUNT(all_devices)},
    {.name = (char[]){"*"}, .devices = all_devices, .device_count = COUNT(all_devices)},
};

/* The class or type of a domain's hostdev, if several places name one. NULL: the hostdev is not
 * ours. */
UNIT_TEST(annotation_then_domains_then_alias_then_default)
{
    static const struct {
        const char *domain, *alias;
        const char *class; /* of an annotation; NULL: none */
        const char *default_class, *wanted;
    } rows[] = {
        {"web01", "ua-gpu0", NULL, "", "small"},
        {"web01", "ua-gpu1", NULL, "", "nvidia-222"},
        {"web01", "ua-gpu3", NULL, "", NULL},
        {"web01", NULL, NULL, "", NULL},
        /* each row has precedence over the next row */
        {"web01", "ua-gpu0", "big", "7", "big"},
        {"web01", "ua-gpu0", NULL, "7", "small"},
        {"web01", "ua-gpu1", "small", "7", "small"},
        {"web01", "ua-vgpu-big", "small-1", "small", "small-1"},
        {"web01", "ua-vgpu-big", NULL, "small", "7"},
        {"db", "ua-vgpu-big", NULL, "small", "big"},
        {"db", "ua-gpu3", NULL, "small", "small"},
        {"web01", NULL, NULL, "small", "small"},
        /* the first entry that names the hostdev, however many domains the entry means */
        {"web01", "ua-gpu2", NULL, "", "big"},
        {"db", "ua-gpu0", NULL, "", "big"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request_device device = {.attributes.said[ATTRIBUTE_CLASS] = (char *)rows[i].class};
        struct request_hostdev hostdev = {.source = {UUID0},
                                          .alias = (char *)rows[i].alias,
                                          .is_gpu = true,
                                          .device = rows[i].class ? 0 : SIZE_MAX};
        struct request request = {.name = (char *)rows[i].domain,
                                  .devices = &device,
                                  .device_count = rows[i].class ? 1 : 0,
                                  .hostdevs = &hostdev,
                                  .hostdev_count = 1};
        struct policy policy = {.default_class = (char *)rows[i].default_class,
                                .allow = ~0u,
                                .classes = classes,
                                .class_count = COUNT(classes),
                                .domains = domains,
                                .domain_count = COUNT(domains)};
        AUTO(demands_clear) struct demands demands = {0};
        struct error error = {0};
        int rc = resolution_make(&request, &policy, &demands, &error);

        if (rc < 0 || demands.count != (rows[i].wanted ? 1 : 0) ||
            (rows[i].wanted && strcmp(demands.items[0].wanted, rows[i].wanted)))
            fail_msg("row %zu, %s %s: %d %s %s", i, rows[i].domain, rows[i].alias, rc, error.text,
                     demands.count ? demands.items[0].wanted : "");
    }
}

/* Here a device is ours only because of a domain's entry, and not by its name. A device of s390 is
 * never ours. `allow` does not limit the type. */
UNIT_TEST(domains_by_uuid_and_for_gpus_only)
{
    struct request_hostdev hostdev = {
        .alias = (char[]){"ua-gpu1"}, .is_gpu = true, .device = SIZE_MAX};
    struct request request = {
        .name = (char[]){"nothing"}, .domain = {UUID0}, .hostdevs = &hostdev, .hostdev_count = 1};
    struct policy_domain domain = {.name = (char[]){"B1F4E27E-0D06-4A5F-9C5D-3A1F0C6B8E20"},
                                   .devices = web_devices,
                                   .device_count = 3};
    struct policy policy = {.default_class = (char[]){""}, .domains = &domain, .domain_count = 1};
    struct demands demands;
    struct error error;

    assert_int_equal(resolution_make(&request, &policy, &demands, &error), 0);
    assert_int_equal(demands.count, 1);
    assert_string_equal(demands.items[0].wanted, "nvidia-222");
    assert_null(demands.items[0].terms.class);
    demands_clear(&demands);
    request.domain.text[0] = 'c';
    assert_int_equal(resolution_make(&request, &policy, &demands, &error), 0);
    assert_int_equal(demands.count, 0);
    request.domain.text[0] = 'b';
    hostdev.is_gpu = false;
    assert_int_equal(resolution_make(&request, &policy, &demands, &error), 0);
    assert_int_equal(demands.count, 0);
}

/* --- limits of a request ---------------------------------------------------------------------- */

static int
resolve_device(struct request_device *device, const struct policy *policy, struct demand *ret,
               struct error *error)
{
    static struct request_hostdev hostdev;
    struct request request = {
        .devices = device, .device_count = 1, .hostdevs = &hostdev, .hostdev_count = 1};
    AUTO(demands_clear) struct demands demands = {0};
    int rc;

    hostdev = (struct request_hostdev){
        .source = {UUID0}, .alias = (char[]){"ua-gpu0"}, .is_gpu = true, .device = 0};
    error->text[0] = '\0';
    rc = resolution_make(&request, policy, &demands, error);
    if (rc == 0)
        *ret = demands.items[0];
    return rc;
}

UNIT_TEST(only_what_the_policy_allows_may_be_said)
{
    const struct {
        struct attributes attributes;
        enum attribute key;
        const char *said;
    } rows[] = {
        {{.said[ATTRIBUTE_CLASS] = (char[]){"small"}}, ATTRIBUTE_CLASS, "class=\"small\""},
        {{.said[ATTRIBUTE_TYPE] = (char[]){"a"}}, ATTRIBUTE_TYPE, "type=\"a\""},
        {{.said[ATTRIBUTE_CLASS] = (char[]){"small"}, .said[ATTRIBUTE_PARENT] = (char[]){"mtty"}},
         ATTRIBUTE_PARENT,
         "parent=\"mtty\""},
        {{.said[ATTRIBUTE_CLASS] = (char[]){"small"}, .chosen[ATTRIBUTE_PLACEMENT] = ORDER_SPREAD},
         ATTRIBUTE_PLACEMENT,
         "placement=\"spread\""},
        {{.said[ATTRIBUTE_CLASS] = (char[]){"small"}, .chosen[ATTRIBUTE_NUMA] = NUMA_IGNORE},
         ATTRIBUTE_NUMA,
         "numa=\"ignore\""},
        {{.said[ATTRIBUTE_CLASS] = (char[]){"small"}, .said[ATTRIBUTE_TRAITS] = (char[]){"blue"}},
         ATTRIBUTE_TRAITS,
         "traits=\"blue\""},
        /* a guest that may not ask for a class is not told that the class does not exist */
        {{.said[ATTRIBUTE_CLASS] = (char[]){"secret"}},
         ATTRIBUTE_CLASS,
         "does not let a request say class"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct request_device device = {.attributes = rows[i].attributes};
        struct policy policy = {.default_class = (char[]){""},
                                .allow = ~(1u << rows[i].key),
                                .classes = classes,
                                .class_count = COUNT(classes)};
        struct demand demand;
        struct error error;

        if (resolve_device(&device, &policy, &demand, &error) != -EINVAL ||
            !strstr(error.text, "ua-gpu0") || !strstr(error.text, rows[i].said) ||
            !strstr(error.text, "vgpu.conf") || !strstr(error.text, "allow"))
            fail_msg("row %zu: %s", i, error.text);
        /* if only this class is allowed, the guest may ask for it */
        policy.allow = 1u << rows[i].key | 1u << ATTRIBUTE_CLASS;
        if (i + 1 < COUNT(rows))
            assert_int_equal(resolve_device(&device, &policy, &demand, &error), 0);
    }
}

/* The request has precedence over the class, and the class over the whole policy. */
UNIT_TEST(order_and_numa_are_inherited)
{
    static const struct {
        enum choice_order asked, class, whole, wanted;
    } orders[] = {
        {ORDER_UNSAID, ORDER_UNSAID, ORDER_PACK, ORDER_PACK},
        {ORDER_UNSAID, ORDER_UNSAID, ORDER_SPREAD, ORDER_SPREAD},
        {ORDER_UNSAID, ORDER_PACK, ORDER_SPREAD, ORDER_PACK},
        {ORDER_UNSAID, ORDER_SPREAD, ORDER_PACK, ORDER_SPREAD},
        {ORDER_PACK, ORDER_SPREAD, ORDER_SPREAD, ORDER_PACK},
        {ORDER_SPREAD, ORDER_PACK, ORDER_PACK, ORDER_SPREAD},
        {ORDER_SPREAD, ORDER_UNSAID, ORDER_PACK, ORDER_SPREAD},
    };
    static const struct {
        enum choice_numa asked, whole, wanted;
    } numas[] = {
        {NUMA_UNSAID, NUMA_PREFER, NUMA_PREFER},   {NUMA_UNSAID, NUMA_REQUIRE, NUMA_REQUIRE},
        {NUMA_UNSAID, NUMA_IGNORE, NUMA_IGNORE},   {NUMA_PREFER, NUMA_REQUIRE, NUMA_PREFER},
        {NUMA_REQUIRE, NUMA_PREFER, NUMA_REQUIRE}, {NUMA_IGNORE, NUMA_PREFER, NUMA_IGNORE},
    };
    struct policy_class class = {.name = (char[]){"small"}, .types = {one_type, 1}};
    struct policy policy = {
        .default_class = (char[]){""}, .allow = ~0u, .classes = &class, .class_count = 1};
    struct demand demand;
    struct error error;

    policy.numa = NUMA_PREFER;
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct request_device device = {
            .attributes = {.said[ATTRIBUTE_CLASS] = class.name,
                           .chosen[ATTRIBUTE_PLACEMENT] = orders[i].asked}};

        class.order = orders[i].class;
        policy.order = orders[i].whole;
        assert_int_equal(resolve_device(&device, &policy, &demand, &error), 0);
        assert_int_equal(demand.terms.attributes.chosen[ATTRIBUTE_PLACEMENT], orders[i].wanted);
        assert_int_equal(demand.terms.attributes.chosen[ATTRIBUTE_NUMA], NUMA_PREFER);
    }
    /* a direct type has no class to inherit from */
    for (size_t i = 0; i < COUNT(numas); i++) {
        struct request_device device = {.attributes = {.said[ATTRIBUTE_TYPE] = (char[]){"a"},
                                                       .chosen[ATTRIBUTE_NUMA] = numas[i].asked}};

        policy.order = ORDER_SPREAD;
        class.order = ORDER_PACK;
        policy.numa = numas[i].whole;
        assert_int_equal(resolve_device(&device, &policy, &demand, &error), 0);
        assert_int_equal(demand.terms.attributes.chosen[ATTRIBUTE_NUMA], numas[i].wanted);
        assert_int_equal(demand.terms.attributes.chosen[ATTRIBUTE_PLACEMENT], ORDER_SPREAD);
    }
}

/* --- what placement may look at --------------------------------------------------------------- */

/* The search tries only one of two demands with equal terms. So nothing may be left out. */
UNIT_TEST(terms_are_compared_whole)
{
    const struct demand_terms first = {
        .attributes.said[ATTRIBUTE_TYPE] = (char[]){"a"},
        .kinds = DEMAND_ANY_DEVICE,
    };
    const struct demand_terms same = {
        .attributes.said[ATTRIBUTE_TYPE] = (char[]){"a"},
        .kinds = DEMAND_ANY_DEVICE,
    };
    struct demand_terms others[ATTRIBUTES + 7];

    assert_true(demand_terms_equal(&first, &same));
    for (size_t i = 0; i < COUNT(others); i++)
        others[i] = first;
    for (enum attribute i = 0; i < ATTRIBUTES; i++) {
        if (attribute_words[i])
            others[i].attributes.chosen[i] = 1;
        else
            others[i].attributes.said[i] = (char[]){"b"};
    }
    others[ATTRIBUTES].class = &classes[0];
    snprintf(others[ATTRIBUTES + 1].saved.text, sizeof(first.saved.text), "a");
    snprintf(others[ATTRIBUTES + 2].place.text, sizeof(first.place.text), "a");
    snprintf(others[ATTRIBUTES + 3].function.text, sizeof(first.function.text), "a");
    others[ATTRIBUTES + 4].is_managed = true;
    others[ATTRIBUTES + 5].passes_drain = true;
    others[ATTRIBUTES + 6].kinds = 1u << REQUEST_PCI;
    for (size_t i = 0; i < COUNT(others); i++) {
        if (demand_terms_equal(&first, &others[i]))
            fail_msg("field %zu is not compared", i);
    }
}

/* --- the types that will do ------------------------------------------------------------------- */

#define NONE 4711

UNIT_TEST(types_by_words_and_by_frame_buffer)
{
    char *words[] = {(char[]){"T4-2B"}, (char[]){"nvidia-222"}, (char[]){"GRID T4-1Q"}};
    const struct policy_class listed = {.types = {words, COUNT(words)}};
    const struct policy_class sized = {.framebuffer = 2048};
    const struct demand_terms by_words = {.class = &listed};
    const struct demand_terms by_size = {.class = &sized};
    static const struct {
        struct inventory_type type;
        unsigned word_rank, size_rank;
    } rows[] = {
        {{.id = {"nvidia-223"}, .name = "GRID T4-2B", .framebuffer = 2048}, 0, 2048},
        {{.id = {"nvidia-222"}, .name = "GRID T4-1B", .framebuffer = 1024}, 1, NONE},
        {{.id = {"nvidia-230"}, .name = "GRID T4-1Q", .framebuffer = 1024}, 2, NONE},
        {{.id = {"nvidia-234"}, .name = "GRID T4-16Q", .framebuffer = 16384}, NONE, 16384},
        {{.id = {"nvidia-231"}, .name = "GRID T4-2Q", .framebuffer = 2047}, NONE, NONE},
        {{.id = {"nvidia-231"}, .name = "GRID T4-2Q", .framebuffer = 2049}, NONE, 2049},
        /* a driver that tells nothing */
        {{.id = {"mtty-2"}, .name = "mtty-2"}, NONE, NONE},
        {{.id = {"T4-2B"}, .name = "T4-2B"}, 0, NONE},
        /* not quite the right word */
        {{.id = {"nvidia-2222"}, .name = "GRID T4-2BX"}, NONE, NONE},
        {{.id = {"x"}, .name = "GRID XT4-2B"}, NONE, NONE},
        {{.id = {"x"}, .name = "T4-2B GRID"}, NONE, NONE},
        {{.id = {"x"}, .name = "GRID t4-2b"}, NONE, NONE},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct inventory_type *type = &rows[i].type;
        unsigned word_rank = 0, size_rank = 0;

        if (!demand_ranks(&by_words, type, &word_rank))
            word_rank = NONE;
        if (!demand_ranks(&by_size, type, &size_rank))
            size_rank = NONE;
        if (word_rank != rows[i].word_rank || size_rank != rows[i].size_rank ||
            demand_class_has(&listed, type) != (rows[i].word_rank != NONE) ||
            demand_class_has(&sized, type) != (rows[i].size_rank != NONE))
            fail_msg("%s: %u %u", type->name, word_rank, size_rank);
    }
}

/* A class by frame buffer names no types. Its demand says so. */
UNIT_TEST(a_class_by_frame_buffer)
{
    struct policy_class class = {.name = (char[]){"big"}, .framebuffer = 8192};
    const struct policy policy = {
        .default_class = (char[]){""}, .allow = ~0u, .classes = &class, .class_count = 1};
    struct request_device device = {.attributes.said[ATTRIBUTE_CLASS] = class.name};
    struct demand demand;
    struct error error;
    size_t count;

    assert_int_equal(resolve_device(&device, &policy, &demand, &error), 0);
    assert_int_equal(demand_framebuffer(&demand.terms), 8192);
    demand_words(&demand.terms, &count);
    assert_int_equal(count, 0);
    assert_string_equal(demand.wanted, "big");
    device = (struct request_device){.attributes.said[ATTRIBUTE_TYPE] = (char[]){"a"}};
    assert_int_equal(resolve_device(&device, &policy, &demand, &error), 0);
    assert_int_equal(demand_framebuffer(&demand.terms), 0);
}

/* --- parameters ------------------------------------------------------------------------------- */

/* One device with a type and one parameter, under a policy. */
static int
resolve_param(const char *name, const char *value, const struct policy *policy, char *text,
              size_t size, struct error *error)
{
    struct request_param param = {(char *)name, (char *)value};
    struct request_device device = {
        .attributes.said[ATTRIBUTE_TYPE] = (char[]){"a"}, .params = &param, .param_count = 1};
    struct request_hostdev hostdev = {.alias = (char[]){"ua-gpu0"}, .is_gpu = true, .device = 0};
    struct request request = {
        .devices = &device, .device_count = 1, .hostdevs = &hostdev, .hostdev_count = 1};
    AUTO(demands_clear) struct demands demands = {0};
    int rc = resolution_make(&request, policy, &demands, error);

    *text = '\0';
    if (rc == 0)
        demand_params(demands.items, text, size);
    else
        assert_int_equal(demands.count, 0);
    return rc;
}

UNIT_TEST(parameters_are_refused_unless_allowed)
{
    char *named[] = {(char[]){"vgpu_swrl"}};
    const struct policy none = {.default_class = (char[]){""}, .allow = ~0u, .has_params = true};
    const struct policy plain = {.default_class = (char[]){""}, .allow = ~0u};
    const struct policy other = {.default_class = (char[]){""},
                                 .allow = ~0u,
                                 .has_params = true,
                                 .params = {named, COUNT(named)}};
    const struct {
        const struct policy *policy;
        const char *name, *value;
        const char *wanted; /* NULL: refused */
    } rows[] = {
        /* the built-in names */
        {&plain, "frame_rate_limiter", "0", "frame_rate_limiter=0"},
        {&plain, "disable_vnc", "1", "disable_vnc=1"},
        {&plain, "vgpu_swrl", "1", NULL},
        {&plain, "Disable_vnc", "1", NULL},
        {&plain, "disable_vnc ", "1", NULL},
        {&plain, "", "1", NULL},
        /* the administrator's own names replace them */
        {&other, "vgpu_swrl", "1", "vgpu_swrl=1"},
        {&other, "frame_rate_limiter", "0", NULL},
        {&none, "frame_rate_limiter", "0", NULL},
        /* texts that would become more than one parameter */
        {&plain, "disable_vnc", "a_B.9:+-", "disable_vnc=a_B.9:+-"},
        {&plain, "disable_vnc", "1, plugin0.unsafe=1", NULL},
        {&plain, "disable_vnc", "1,x", NULL},
        {&plain, "disable_vnc", "1 x", NULL},
        {&plain, "disable_vnc", "1=x", NULL},
        {&plain, "disable_vnc", "1\n", NULL},
        {&plain, "disable_vnc", "1;x", NULL},
        {&plain, "disable_vnc", "/", NULL},
        {&plain, "disable_vnc", "\xc3\xa4", NULL},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[64];
        struct error error = {0};
        int rc =
            resolve_param(rows[i].name, rows[i].value, rows[i].policy, text, sizeof(text), &error);
        bool right = rows[i].wanted ? rc == 0 && !strcmp(text, rows[i].wanted)
                                    : rc == -EINVAL && strstr(error.text, "ua-gpu0") &&
                                          strstr(error.text, rows[i].name);

        if (!right)
            fail_msg("%s = %s: %d \"%s\" %s", rows[i].name, rows[i].value, rc, text, error.text);
    }
}

UNIT_TEST(parameters_as_the_driver_takes_them)
{
    struct request_param params[] = {{(char[]){"frame_rate_limiter"}, (char[]){"0"}},
                                     {(char[]){"disable_vnc"}, (char[]){"1"}}};
    struct request_device device = {.params = params};
    struct demand demand = {.device = &device};
    char text[VGPU_PARAMS] = "older";

    demand_params(&demand, text, sizeof(text));
    assert_string_equal(text, "");
    device.param_count = 1;
    demand_params(&demand, text, sizeof(text));
    assert_string_equal(text, "frame_rate_limiter=0");
    device.param_count = 2;
    demand_params(&demand, text, sizeof(text));
    assert_string_equal(text, "frame_rate_limiter=0, disable_vnc=1");
    demand.device = NULL;
    demand_params(&demand, text, sizeof(text));
    assert_string_equal(text, "");
}

/* The driver must not get a half of a value. */
UNIT_TEST(parameters_are_whole_or_refused)
{
    char values[2][257];
    struct request_param params[] = {{(char[]){"frame_rate_limiter"}, values[0]},
                                     {(char[]){"disable_vnc"}, values[1]}};
    struct request_device device = {.attributes.said[ATTRIBUTE_TYPE] = (char[]){"a"},
                                    .params = params,
                                    .param_count = COUNT(params)};
    const struct policy policy = {.default_class = (char[]){""}, .allow = ~0u};

    for (size_t length = 200; length <= 256; length += 4) {
        struct demand demand;
        struct error error;
        char text[VGPU_PARAMS];

        memset(values, '7', sizeof(values));
        values[0][length] = values[1][length] = '\0';
        if (resolve_device(&device, &policy, &demand, &error) < 0)
            continue;
        demand_params(&demand, text, sizeof(text));
        assert_int_equal(strlen(text), strlen("frame_rate_limiter=, disable_vnc=") + 2 * length);
    }
}

/* Several hostdevs keep their order. Those that are not ours leave no gap. */
UNIT_TEST(several_hostdevs)
{
    struct request_device device = {.attributes.said[ATTRIBUTE_TYPE] = (char[]){"nvidia-222"}};
    struct request_hostdev hostdevs[] = {
        {.alias = (char[]){"ua-vgpu-big"}, .is_gpu = true, .device = SIZE_MAX},
        {.alias = (char[]){"ua-foreign"}, .is_gpu = true, .device = SIZE_MAX},
        {.source = {UUID0}, .is_gpu = true, .device = 0},
    };
    struct request request = {
        .devices = &device, .device_count = 1, .hostdevs = hostdevs, .hostdev_count = 3};
    struct policy policy = {.default_class = (char[]){""},
                            .allow = ~0u,
                            .classes = classes,
                            .class_count = COUNT(classes)};
    struct demands demands;
    struct error error;

    assert_int_equal(resolution_make(&request, &policy, &demands, &error), 0);
    assert_int_equal(demands.count, 2);
    assert_ptr_equal(demands.items[0].hostdev, &hostdevs[0]);
    assert_ptr_equal(demands.items[0].terms.class, &classes[2]);
    assert_ptr_equal(demands.items[1].hostdev, &hostdevs[2]);
    assert_ptr_equal(demands.items[1].device, &device);
    assert_string_equal(demands.items[1].label, UUID0);
    demands_clear(&demands);
    assert_null(demands.items);
    /* if one device is refused, all are refused */
    hostdevs[1].alias = (char[]){"ua-vgpu-nonsense"};
    assert_int_equal(resolution_make(&request, &policy, &demands, &error), -EINVAL);
    assert_null(demands.items);
}
