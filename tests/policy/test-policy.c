/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* policy: every key, its meaning in several files, and the defaults without any file. */

#include "policy/conf.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define TEST(function) UNIT_TEST_IN(function, conf_set_up, conf_tear_down, NULL)

TEST(nothing_there_means_the_defaults)
{
    struct conf *conf = *state;

    conf_assert_loads(conf);
    conf_assert_defaults(&conf->policy);
    conf_put(conf, MAIN, "", 0644);
    conf_assert_loads(conf);
    conf_assert_defaults(&conf->policy);
    conf->host.config = "etc/nowhere";
    conf_assert_loads(conf);
    conf_assert_defaults(&conf->policy);
}

TEST(every_key)
{
    struct conf *conf = *state;
    const struct policy *policy = &conf->policy;

    conf_put(conf, MAIN,
             "enabled = false;\n"
             "default_class = \"small\";\n"
             "prepare_timeout = \"1m\"; release_timeout = \"250ms\"; lock_timeout = \"1ms\";\n"
             "gpus = (\n"
             "  { address = \"0000:18:00.0\"; types = [ \"nvidia-319\", \"T4-8Q\" ]; },\n"
             "  { address = \"0000:E7:00.0\"; types = ( \"nvidia-320\" ); enabled = false; },\n"
             "  { address = \"mtty\"; }\n"
             ");\n"
             "classes = { small = { types = [ \"T4-1B\", \"A40-1B\" ]; };\n"
             "            big = { types = [ \"T4-16Q\" ]; }; };\n",
             0644);
    conf_assert_loads(conf);
    assert_false(policy->enabled);
    assert_string_equal(policy->default_class, "small");
    assert_int_equal(policy->prepare_timeout, 60000);
    assert_int_equal(policy->release_timeout, 250);
    assert_int_equal(policy->lock_timeout, 1);
    assert_int_equal(policy->gpu_count, 3);
    assert_string_equal(policy->gpus[1].address.text, "0000:e7:00.0");
    conf_assert_words(&policy->gpus[0].types, "nvidia-319 T4-8Q");
    conf_assert_words(&policy->gpus[1].types, "nvidia-320");
    conf_assert_words(&policy->gpus[2].types, "");
    assert_true(policy->gpus[0].enabled && !policy->gpus[1].enabled && policy->gpus[2].enabled);
    assert_string_equal(policy->gpus[1].origin, "/" DIRECTORY "/" MAIN ":6");
    assert_ptr_equal(policy_find_gpu(policy, &(struct name){"mtty"}), &policy->gpus[2]);
    assert_null(policy_find_gpu(policy, &(struct name){"0000:E7:00.0"}));
    assert_int_equal(policy->class_count, 2);
    conf_assert_words(&policy_find_class(policy, "small")->types, "T4-1B A40-1B");
    conf_assert_words(&policy_find_class(policy, "big")->types, "T4-16Q");
    assert_null(policy_find_class(policy, "Small"));
    assert_null(policy_find_class(policy, ""));
}

/* vgpu.conf comes first, although other names precede it. The other files follow in the order of
 * their names. Of scalars the last one counts, lists are joined, and classes are merged. */
TEST(drop_ins_in_name_order)
{
    struct conf *conf = *state;
    const struct policy *policy = &conf->policy;

    conf_put(conf, "conf.d/z.conf",
             "prepare_timeout = \"3s\"; classes = { b = { types = [ \"z\" ]; }; };", 0644);
    conf_put(
        conf, "conf.d/10-a.conf",
        "prepare_timeout = \"2s\"; lock_timeout = \"2s\"; default_class = \"a\"; enabled = true;\n"
        "gpus = ( { address = \"0000:02:00.0\"; } );\n"
        "classes = { a = { types = [ \"10-a\" ]; }; b = { types = [ \"10-b\" ]; }; };",
        0400);
    conf_put(conf, MAIN,
             "enabled = false;\n"
             "prepare_timeout = \"1s\"; lock_timeout = \"1s\"; release_timeout = \"1s\";\n"
             "gpus = ( { address = \"0000:01:00.0\"; } );\n"
             "classes = { a = { types = [ \"main\" ]; }; };",
             0644);
    conf_assert_loads(conf);
    assert_int_equal(policy->prepare_timeout, 3000);
    assert_int_equal(policy->lock_timeout, 2000);
    assert_int_equal(policy->release_timeout, 1000);
    assert_string_equal(policy->default_class, "a");
    assert_true(policy->enabled);
    assert_int_equal(policy->gpu_count, 2);
    assert_string_equal(policy->gpus[0].address.text, "0000:01:00.0");
    assert_string_equal(policy->gpus[1].address.text, "0000:02:00.0");
    assert_string_equal(policy->gpus[1].origin, "/" DIRECTORY "/conf.d/10-a.conf:2");
    assert_int_equal(policy->class_count, 2);
    conf_assert_words(&policy_find_class(policy, "a")->types, "main 10-a");
    conf_assert_words(&policy_find_class(policy, "b")->types, "10-b z");
}

#define BIT(what) (1u << ATTRIBUTE_##what)

/* The keys for the placement, the request and the classes. */
TEST(every_key_of_placement)
{
    struct conf *conf = *state;
    const struct policy *policy = &conf->policy;
    const struct policy_class *class;

    conf_put(conf, MAIN,
             "placement = \"spread\"; numa = \"require\"; release = \"keep\";\n"
             "allow = [ \"class\", \"traits\", \"class\" ];\n"
             "params = ( \"vgpu_swrl\", \"disable_vnc\" );\n"
             "gpus = ( { " GPU "traits = [ \"blue\", \"near\" ]; reserve = 3; },\n"
             "         { address = \"mtty\"; traits = [ ]; reserve = 0; } );\n"
             "classes = { big = { framebuffer = \"8G\"; traits = ( \"!blue\" ); };\n"
             "            small = { types = [ \"a\" ]; placement = \"pack\"; };\n"
             "            far = { types = [ \"b\" ]; placement = \"spread\"; traits = [ ]; }; };\n",
             0644);
    conf_assert_loads(conf);
    assert_int_equal(policy->order, ORDER_SPREAD);
    assert_int_equal(policy->numa, NUMA_REQUIRE);
    assert_int_equal(policy->release, POLICY_KEEP);
    assert_int_equal(policy->allow, BIT(CLASS) | BIT(TRAITS));
    assert_true(policy->has_params);
    conf_assert_words(&policy->params, "vgpu_swrl disable_vnc");
    conf_assert_words(&policy->gpus[0].traits, "blue near");
    assert_int_equal(policy->gpus[0].reserve, 3);
    conf_assert_words(&policy->gpus[1].traits, "");
    assert_int_equal(policy->gpus[1].reserve, 0);
    class = policy_find_class(policy, "big");
    assert_int_equal(class->framebuffer, 8192);
    assert_int_equal(class->types.count, 0);
    conf_assert_words(&class->traits, "!blue");
    assert_int_equal(class->order, ORDER_UNSAID);
    assert_string_equal(class->origin, "/" DIRECTORY "/" MAIN ":6");
    class = policy_find_class(policy, "small");
    assert_int_equal(class->framebuffer, 0);
    assert_int_equal(class->order, ORDER_PACK);
    assert_int_equal(policy_find_class(policy, "far")->order, ORDER_SPREAD);
}

TEST(every_word_of_a_choice)
{
    static const struct {
        const char *text;
        unsigned order, numa, release, allow;
    } rows[] = {
        {"placement = \"pack\";", ORDER_PACK, NUMA_PREFER, POLICY_REAP, ~0u},
        {"placement = \"spread\";", ORDER_SPREAD, NUMA_PREFER, POLICY_REAP, ~0u},
        {"numa = \"prefer\";", ORDER_PACK, NUMA_PREFER, POLICY_REAP, ~0u},
        {"numa = \"require\";", ORDER_PACK, NUMA_REQUIRE, POLICY_REAP, ~0u},
        {"numa = \"ignore\";", ORDER_PACK, NUMA_IGNORE, POLICY_REAP, ~0u},
        {"release = \"reap\";", ORDER_PACK, NUMA_PREFER, POLICY_REAP, ~0u},
        {"release = \"keep\";", ORDER_PACK, NUMA_PREFER, POLICY_KEEP, ~0u},
        {"allow = [ ];", ORDER_PACK, NUMA_PREFER, POLICY_REAP, 0},
        {"allow = ( \"class\" );", ORDER_PACK, NUMA_PREFER, POLICY_REAP, BIT(CLASS)},
        {"allow = [ \"type\" ];", ORDER_PACK, NUMA_PREFER, POLICY_REAP, BIT(TYPE)},
        {"allow = [ \"parent\" ];", ORDER_PACK, NUMA_PREFER, POLICY_REAP, BIT(PARENT)},
        {"allow = [ \"placement\" ];", ORDER_PACK, NUMA_PREFER, POLICY_REAP, BIT(PLACEMENT)},
        {"allow = [ \"numa\" ];", ORDER_PACK, NUMA_PREFER, POLICY_REAP, BIT(NUMA)},
        {"allow = [ \"traits\" ];", ORDER_PACK, NUMA_PREFER, POLICY_REAP, BIT(TRAITS)},
    };
    struct conf *conf = *state;
    const struct policy *policy = &conf->policy;

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (conf_load_text(conf, rows[i].text) < 0)
            fail_msg("%s: %s", rows[i].text, conf->error.text);
        if (policy->order != rows[i].order || policy->numa != rows[i].numa ||
            policy->release != rows[i].release || policy->allow != rows[i].allow)
            fail_msg("%s: %u %u %u %x", rows[i].text, policy->order, policy->numa, policy->release,
                     policy->allow);
    }
}

TEST(quotas_and_domains)
{
    struct conf *conf = *state;
    const struct policy *policy = &conf->policy;
    const struct policy_domain *domain;

    conf_put(conf, MAIN,
             "classes = { small = { types = [ \"a\" ]; }; };\n"
             "quotas = ( { domains = [ \"ci-*\", \"web?\" ]; class = \"small\"; max = 4; },\n"
             "           { domains = ( \"*\" ); class = \"small\"; max = 0; } );\n"
             "domains = ( { name = \"web*\";\n"
             "              devices = ( { alias = \"ua-gpu0\"; class = \"small\"; },\n"
             "                          { alias = \"ua-gpu1\"; type = \"T4-1B\"; } ); },\n"
             "            { name = \"db\"; devices = ( ); } );\n",
             0644);
    conf_assert_loads(conf);
    assert_int_equal(policy->quota_count, 2);
    conf_assert_words(&policy->quotas[0].domains, "ci-* web?");
    assert_string_equal(policy->quotas[0].class, "small");
    assert_int_equal(policy->quotas[0].max, 4);
    assert_string_equal(policy->quotas[0].origin, "/" DIRECTORY "/" MAIN ":2");
    assert_int_equal(policy->quotas[1].max, 0);
    assert_string_equal(policy->quotas[1].origin, "/" DIRECTORY "/" MAIN ":3");
    assert_int_equal(policy->domain_count, 2);
    domain = &policy->domains[0];
    assert_string_equal(domain->name, "web*");
    assert_string_equal(domain->origin, "/" DIRECTORY "/" MAIN ":4");
    assert_int_equal(domain->device_count, 2);
    assert_string_equal(domain->devices[0].alias, "ua-gpu0");
    assert_string_equal(domain->devices[0].class, "small");
    assert_null(domain->devices[0].type);
    assert_string_equal(domain->devices[1].type, "T4-1B");
    assert_null(domain->devices[1].class);
    assert_string_equal(domain->devices[1].origin, "/" DIRECTORY "/" MAIN ":6");
    assert_int_equal(policy->domains[1].device_count, 0);
}

/* The last file decides what guests may ask for. All other lists are joined. */
TEST(lists_append_but_allow_is_replaced)
{
    struct conf *conf = *state;
    const struct policy *policy = &conf->policy;
    const struct policy_class *class;

    conf_put(conf, MAIN,
             "placement = \"spread\"; numa = \"ignore\"; release = \"keep\";\n"
             "allow = [ \"class\", \"type\" ]; params = [ \"one\" ];\n"
             "classes = { a = { types = [ \"1\" ]; traits = [ \"x\" ]; placement = \"pack\"; };\n"
             "            b = { framebuffer = \"1G\"; }; };\n"
             "quotas = ( { domains = [ \"*\" ]; class = \"c\"; max = 1; } );\n"
             "domains = ( { name = \"*\"; devices = ( { alias = \"x\"; class = \"c\"; } ); } );\n",
             0644);
    conf_put(conf, "conf.d/10.conf",
             "placement = \"pack\"; allow = [ \"numa\" ]; params = [ \"two\", \"one\" ];\n"
             "classes = { a = { types = [ \"2\" ]; traits = [ \"y\" ]; placement = \"spread\"; };\n"
             "            b = { framebuffer = \"2G\"; }; c = { types = [ \"3\" ]; }; };\n"
             "quotas = ( { domains = [ \"*\" ]; class = \"a\"; max = 2; } );\n"
             "domains = ( { name = \"*\"; devices = ( { alias = \"x\"; class = \"a\"; } ); } );\n",
             0644);
    conf_assert_loads(conf);
    assert_int_equal(policy->order, ORDER_PACK);
    assert_int_equal(policy->numa, NUMA_IGNORE);
    assert_int_equal(policy->release, POLICY_KEEP);
    assert_int_equal(policy->allow, BIT(NUMA));
    conf_assert_words(&policy->params, "one two one");
    class = policy_find_class(policy, "a");
    conf_assert_words(&class->types, "1 2");
    conf_assert_words(&class->traits, "x y");
    assert_int_equal(class->order, ORDER_SPREAD);
    assert_string_equal(class->origin, "/" DIRECTORY "/" MAIN ":3");
    assert_int_equal(policy_find_class(policy, "b")->framebuffer, 2048);
    assert_int_equal(policy->class_count, 3);
    assert_int_equal(policy->quota_count, 2);
    assert_string_equal(policy->quotas[0].class, "c");
    assert_string_equal(policy->quotas[1].class, "a");
    assert_string_equal(policy->quotas[1].origin, "/" DIRECTORY "/conf.d/10.conf:4");
    assert_int_equal(policy->domain_count, 2);
    assert_string_equal(policy->domains[1].devices[0].origin, "/" DIRECTORY "/conf.d/10.conf:5");
    /* an empty list removes all entries; a file without the key removes none */
    conf_put(conf, "conf.d/20.conf", "allow = [ ];", 0644);
    conf_put(conf, "conf.d/30.conf", "release = \"reap\";", 0644);
    conf_assert_loads(conf);
    assert_int_equal(policy->allow, 0);
    assert_int_equal(policy->release, POLICY_REAP);
}

TEST(parameters_that_may_be_set)
{
    static const struct {
        const char *text, *name;
        bool wanted;
    } rows[] = {
        {"", "frame_rate_limiter", true},
        {"", "disable_vnc", true},
        {"", "vgpu_swrl", false},
        {"", "", false},
        {"", "disable_vnc2", false},
        {"", "disable_vn", false},
        /* parameters that a file names replace the built-in ones */
        {"params = [ \"vgpu_swrl\" ];", "vgpu_swrl", true},
        {"params = [ \"vgpu_swrl\" ];", "VGPU_SWRL", false},
        {"params = [ \"vgpu_swrl\" ];", "disable_vnc", false},
        {"params = [ \"vgpu_swrl\", \"disable_vnc\" ];", "disable_vnc", true},
        /* an empty list replaces them as well */
        {"params = [ ];", "disable_vnc", false},
        {"params = ( );", "frame_rate_limiter", false},
    };
    struct conf *conf = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(conf_load_text(conf, rows[i].text), 0);
        if (policy_allows_param(&conf->policy, rows[i].name) != rows[i].wanted)
            fail_msg("%s: %s", rows[i].text, rows[i].name);
    }
}

TEST(patterns_of_domains)
{
#define UUID "b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e20"
    static const struct {
        const char *pattern, *name;
        bool wanted;
    } rows[] = {
        {"web01", "web01", true},
        {"web01", "web011", false},
        {"web01", "Web01", false},
        {"web*", "web", true},
        {"web*", "web/../01", true},
        {"web*", ".web", false},
        {"*", "anything", true},
        {"*", ".hidden", true},
        {"web?", "web1", true},
        {"web?", "web", false},
        {"web[0-3]", "web2", true},
        {"web[!0-3]", "web2", false},
        {"web\\*", "web*", true},
        {"web\\*", "web1", false},
        {"", "web", false},
        /* UUIDs as libvirt writes them, and as people write them */
        {UUID, "web01", true},
        {"B1F4E27E-0D06-4A5F-9C5D-3A1F0C6B8E20", "web01", true},
        {"b1f4e27e0d064a5f9c5d3a1f0c6b8e20", "web01", true},
        {"b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e21", "web01", false},
        {"b1f4e27e-*", "web01", false},
    };
    const struct name uuid = {UUID};

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (policy_is_domain(rows[i].pattern, rows[i].name, &uuid) != rows[i].wanted)
            fail_msg("\"%s\" and \"%s\"", rows[i].pattern, rows[i].name);
    }
}

/* A listed UUID means one domain. It does not mean a domain of somebody else whose name is this
 * UUID. */
TEST(a_name_is_no_uuid)
{
    const struct name other = {"00000000-0000-4000-8000-000000000001"};

    assert_false(policy_is_domain(UUID, UUID, &other));
}

/* Files that editors and package managers leave in the directory. */
TEST(other_files_are_passed_over)
{
    static const char *const names[] = {
        "README",         ".conf",         ".hidden.conf",       "10-a.conf.bak",
        "10-a.conf~",     "10-a.conf.swp", "10-a.conf.dpkg-new", "10-a.conf.rpmsave",
        "#10-a.conf#",    "conf",          "10-aconf",           "10-a.CONF",
        ".10-a.conf.swp", "a.conf.d",      "10-a.conf.",
    };
    struct conf *conf = *state;
    char path[64];

    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof(path), "conf.d/%s", names[i]);
        conf_put(conf, path, "this is { no configuration", 0666);
    }
    conf_assert_loads(conf);
    conf_assert_defaults(&conf->policy);
}

/* If a file is there but is not read, this must be reported, even for odd names. */
TEST(a_conf_of_any_name_counts)
{
    static const char *const names[] = {
        "conf.d/10 our gpus.conf", "conf.d/10-g\xc3\xa4st.conf", "conf.d/10~.conf",
        "conf.d/0123456789012345678901234567890123456789012345678901234567890123.conf"};
    struct conf *conf = *state;

    for (size_t i = 0; i < COUNT(names); i++) {
        conf_put(conf, names[i], "enabled = false;", 0644);
        if (conf_load(conf) == 0 && conf->policy.enabled)
            fail_msg("%s was passed over in silence", names[i]);
        conf_put(conf, names[i], NULL, 0);
    }
}

/* Sets one of the three times and reads all three. */
static int
load_duration(struct conf *conf, size_t which, const char *duration, unsigned *ret)
{
    static const char *const keys[] = {"prepare_timeout", "release_timeout", "lock_timeout"};
    const unsigned *found[] = {&conf->policy.prepare_timeout, &conf->policy.release_timeout,
                               &conf->policy.lock_timeout};
    char text[64];
    int rc;

    snprintf(text, sizeof(text), "%s = \"%s\";", keys[which], duration);
    rc = conf_load_text(conf, text);
    *ret = *found[which];
    if (rc < 0)
        assert_non_null(strstr(conf->error.text, keys[which]));
    return rc;
}

TEST(durations)
{
    static const struct {
        const char *text;
        unsigned wanted;
    } good[] = {
        {"1ms", 1},       {"500ms", 500}, {"30s", 30000},   {"2m", 120000},
        {"2min", 120000}, {"007s", 7000}, {"60m", 3600000}, {"3600000ms", 3600000},
    };
    static const char *const bad[] = {/* more than an hour */
                                      "61m", "3601s", "3600001ms", "9999999999s",
                                      "99999999999999999999999s", "18446744073709551617s",
                                      /* not a time */
                                      "", "5", "s", "-1s", "+1s", " 1s", "1 s", "1s ", "1h", "1S",
                                      "1.5s", "0x10s", "1us", "1sec", "1m30s", "ms"};
    struct conf *conf = *state;

    for (size_t which = 0; which < 3; which++) {
        unsigned found;

        for (size_t i = 0; i < COUNT(good); i++) {
            if (load_duration(conf, which, good[i].text, &found) < 0)
                fail_msg("\"%s\": %s", good[i].text, conf->error.text);
            assert_int_equal(found, good[i].wanted);
        }
        for (size_t i = 0; i < COUNT(bad); i++) {
            if (load_duration(conf, which, bad[i], &found) != -EINVAL)
                fail_msg("\"%s\" was taken as %u ms", bad[i], found);
            conf_assert_defaults(&conf->policy);
        }
    }
}

TEST(sizes)
{
    static const struct {
        const char *text;
        unsigned wanted;
    } good[] = {
        {"8G", 8192},       {"512M", 512},         {"1M", 1},      {"1GiB", 1024}, {"16MiB", 16},
        {"1024G", 1048576}, {"1048576M", 1048576}, {"007G", 7168},
    };
    static const char *const bad[] = {/* nothing, or more memory than there can be */
                                      "0G", "0M", "1025G", "1048577M", "99999999999999999999G",
                                      "18446744073709551617M",
                                      /* not a size */
                                      "", "8", "G", "-8G", "+8G", " 8G", "8 G", "8G ", "8g", "8GB",
                                      "8T", "8.5G", "0x8G", "8K", "8G8M"};
    struct conf *conf = *state;
    char text[96];

    for (size_t i = 0; i < COUNT(good); i++) {
        snprintf(text, sizeof(text), "classes = { a = { framebuffer = \"%s\"; }; };", good[i].text);
        if (conf_load_text(conf, text) < 0)
            fail_msg("\"%s\": %s", good[i].text, conf->error.text);
        assert_int_equal(policy_find_class(&conf->policy, "a")->framebuffer, good[i].wanted);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(text, sizeof(text), "classes = { a = { framebuffer = \"%s\"; }; };", bad[i]);
        if (conf_load_text(conf, text) != -EINVAL)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_non_null(strstr(conf->error.text, ":1: framebuffer must be a size"));
    }
}

/* The first item that matches the domain and says so counts. */
TEST(ways_to_evacuate)
{
    static const struct {
        const char *name;
        unsigned ways;
    } rows[] = {{"web01", 1 << POLICY_EVACUATE_LIVE}, {"db01", 0}, {"ci01", 1}};
    struct conf *conf = *state;
    const struct name uuid = {"00000000-0000-4000-8000-000000000001"};

    conf_put(conf, MAIN,
             "evacuate = [ \"here\" ];\n"
             "domains = ( { name = \"*1\"; devices = ( { alias = \"ua-a\"; type = \"x\"; } ); },\n"
             "            { name = \"db*\"; evacuate = [ ]; },\n"
             "            { name = \"web*\"; evacuate = ( \"live\" ); },\n"
             "            { name = \"web01\"; evacuate = ( \"here\" ); } );\n",
             0644);
    conf_assert_loads(conf);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(policy_evacuation(&conf->policy, rows[i].name, &uuid), rows[i].ways);
}
