/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* policy: every key; every fault, all of them, with file and line; the defaults after one. */

#include "policy/policy-load.h"
#include "policy/policy.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define DIRECTORY "etc/libvirt-vgpu"
#define MAIN      "vgpu.conf"
#define GPU       "address = \"0000:18:00.0\"; "

struct scene {
    char directory[64];
    struct host host;
    struct policy policy;
    struct error error;
};

static int
remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static int
set_up(void **state)
{
    static struct scene scene;

    scene = (struct scene){.directory = "/tmp/test-policy-XXXXXX",
                           .host = {.ops = &host_kernel, .config = DIRECTORY}};
    assert_non_null(mkdtemp(scene.directory));
    scene.host.root = open(scene.directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkdirat(scene.host.root, "etc", 0755), 0);
    assert_int_equal(mkdirat(scene.host.root, DIRECTORY, 0755), 0);
    assert_int_equal(mkdirat(scene.host.root, DIRECTORY "/conf.d", 0755), 0);
    *state = &scene;
    return 0;
}

static int
tear_down(void **state)
{
    struct scene *scene = *state;

    policy_clear(&scene->policy);
    close(scene->host.root);
    return nftw(scene->directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file below the configuration directory; NULL removes it. */
static void
put_bytes(const struct scene *scene, const char *name, const char *text, size_t length, mode_t mode)
{
    char path[256];
    AUTO_CLOSE int fd = -1;

    snprintf(path, sizeof(path), DIRECTORY "/%s", name);
    unlinkat(scene->host.root, path, 0);
    if (!text)
        return;
    fd = openat(scene->host.root, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, length), length);
    assert_int_equal(fchmod(fd, mode), 0);
}

static void
put(const struct scene *scene, const char *name, const char *text, mode_t mode)
{
    put_bytes(scene, name, text, text ? strlen(text) : 0, mode);
}

static int
load(struct scene *scene)
{
    policy_clear(&scene->policy);
    snprintf(scene->error.text, sizeof(scene->error.text), "older");
    return policy_load(&scene->host, &scene->policy, &scene->error);
}

static int
load_text(struct scene *scene, const char *text)
{
    put(scene, MAIN, text, 0644);
    return load(scene);
}

static void
assert_loads(struct scene *scene)
{
    if (load(scene) < 0)
        fail_msg("%s", scene->error.text);
}

static void
assert_defaults(const struct policy *policy)
{
    assert_true(policy->enabled);
    assert_string_equal(policy->default_class, "");
    assert_int_equal(policy->prepare_timeout, 30000);
    assert_int_equal(policy->release_timeout, 5000);
    assert_int_equal(policy->lock_timeout, 10000);
    assert_int_equal(policy->order, POLICY_PACK);
    assert_int_equal(policy->numa, POLICY_NUMA_PREFER);
    assert_int_equal(policy->release, POLICY_REAP);
    assert_int_equal(policy->allow, ~0u);
    assert_false(policy->has_params);
    assert_int_equal(policy->params.count, 0);
    assert_int_equal(policy->gpu_count, 0);
    assert_int_equal(policy->class_count, 0);
    assert_int_equal(policy->quota_count, 0);
    assert_int_equal(policy->domain_count, 0);
    assert_null(policy->default_origin);
}

static void
assert_fails(struct scene *scene, const char *message)
{
    int rc = load(scene);

    if (rc >= 0 || !strstr(scene->error.text, message))
        fail_msg("%d, \"%s\" instead of \"%s\"", rc, scene->error.text, message);
    assert_defaults(&scene->policy);
}

static void
assert_words(const struct setting_words *words, const char *wanted)
{
    char text[256] = "";

    for (size_t i = 0; i < words->count; i++) {
        size_t at = strlen(text);

        snprintf(text + at, sizeof(text) - at, "%s%s", i ? " " : "", words->items[i]);
    }
    assert_string_equal(text, wanted);
}

static void
nothing_there_means_the_defaults(void **state)
{
    struct scene *scene = *state;

    assert_loads(scene);
    assert_defaults(&scene->policy);
    put(scene, MAIN, "", 0644);
    assert_loads(scene);
    assert_defaults(&scene->policy);
    scene->host.config = "etc/nowhere";
    assert_loads(scene);
    assert_defaults(&scene->policy);
}

static void
every_key(void **state)
{
    struct scene *scene = *state;
    const struct policy *policy = &scene->policy;

    put(scene, MAIN,
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
    assert_loads(scene);
    assert_false(policy->enabled);
    assert_string_equal(policy->default_class, "small");
    assert_int_equal(policy->prepare_timeout, 60000);
    assert_int_equal(policy->release_timeout, 250);
    assert_int_equal(policy->lock_timeout, 1);
    assert_int_equal(policy->gpu_count, 3);
    assert_string_equal(policy->gpus[1].address.text, "0000:e7:00.0");
    assert_words(&policy->gpus[0].types, "nvidia-319 T4-8Q");
    assert_words(&policy->gpus[1].types, "nvidia-320");
    assert_words(&policy->gpus[2].types, "");
    assert_true(policy->gpus[0].enabled && !policy->gpus[1].enabled && policy->gpus[2].enabled);
    assert_string_equal(policy->gpus[1].origin, "/" DIRECTORY "/" MAIN ":6");
    assert_ptr_equal(policy_find_gpu(policy, &(struct name){"mtty"}), &policy->gpus[2]);
    assert_null(policy_find_gpu(policy, &(struct name){"0000:E7:00.0"}));
    assert_int_equal(policy->class_count, 2);
    assert_words(&policy_find_class(policy, "small")->types, "T4-1B A40-1B");
    assert_words(&policy_find_class(policy, "big")->types, "T4-16Q");
    assert_null(policy_find_class(policy, "Small"));
    assert_null(policy_find_class(policy, ""));
}

/* vgpu.conf first, whatever its name, then by name: scalars win, lists append, classes merge. */
static void
drop_ins_in_name_order(void **state)
{
    struct scene *scene = *state;
    const struct policy *policy = &scene->policy;

    put(scene, "conf.d/z.conf",
        "prepare_timeout = \"3s\"; classes = { b = { types = [ \"z\" ]; }; };", 0644);
    put(scene, "conf.d/10-a.conf",
        "prepare_timeout = \"2s\"; lock_timeout = \"2s\"; default_class = \"a\"; enabled = true;\n"
        "gpus = ( { address = \"0000:02:00.0\"; } );\n"
        "classes = { a = { types = [ \"10-a\" ]; }; b = { types = [ \"10-b\" ]; }; };",
        0400);
    put(scene, MAIN,
        "enabled = false;\n"
        "prepare_timeout = \"1s\"; lock_timeout = \"1s\"; release_timeout = \"1s\";\n"
        "gpus = ( { address = \"0000:01:00.0\"; } );\n"
        "classes = { a = { types = [ \"main\" ]; }; };",
        0644);
    assert_loads(scene);
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
    assert_words(&policy_find_class(policy, "a")->types, "main 10-a");
    assert_words(&policy_find_class(policy, "b")->types, "10-b z");
}

#define BIT(what) (1u << POLICY_ALLOW_##what)

/* What steers the placement, the request and the classes. */
static void
every_key_of_placement(void **state)
{
    struct scene *scene = *state;
    const struct policy *policy = &scene->policy;
    const struct policy_class *class;

    put(scene, MAIN,
        "placement = \"spread\"; numa = \"require\"; release = \"keep\";\n"
        "allow = [ \"class\", \"traits\", \"class\" ];\n"
        "params = ( \"vgpu_swrl\", \"disable_vnc\" );\n"
        "gpus = ( { " GPU "traits = [ \"blue\", \"near\" ]; reserve = 3; },\n"
        "         { address = \"mtty\"; traits = [ ]; reserve = 0; } );\n"
        "classes = { big = { framebuffer = \"8G\"; traits = ( \"!blue\" ); };\n"
        "            small = { types = [ \"a\" ]; placement = \"pack\"; };\n"
        "            far = { types = [ \"b\" ]; placement = \"spread\"; traits = [ ]; }; };\n",
        0644);
    assert_loads(scene);
    assert_int_equal(policy->order, POLICY_SPREAD);
    assert_int_equal(policy->numa, POLICY_NUMA_REQUIRE);
    assert_int_equal(policy->release, POLICY_KEEP);
    assert_int_equal(policy->allow, BIT(CLASS) | BIT(TRAITS));
    assert_true(policy->has_params);
    assert_words(&policy->params, "vgpu_swrl disable_vnc");
    assert_words(&policy->gpus[0].traits, "blue near");
    assert_int_equal(policy->gpus[0].reserve, 3);
    assert_words(&policy->gpus[1].traits, "");
    assert_int_equal(policy->gpus[1].reserve, 0);
    class = policy_find_class(policy, "big");
    assert_int_equal(class->framebuffer, 8192);
    assert_int_equal(class->types.count, 0);
    assert_words(&class->traits, "!blue");
    assert_int_equal(class->order, POLICY_ORDER_UNSAID);
    assert_string_equal(class->origin, "/" DIRECTORY "/" MAIN ":6");
    class = policy_find_class(policy, "small");
    assert_int_equal(class->framebuffer, 0);
    assert_int_equal(class->order, POLICY_PACK);
    assert_int_equal(policy_find_class(policy, "far")->order, POLICY_SPREAD);
}

static void
every_word_of_a_choice(void **state)
{
    static const struct {
        const char *text;
        unsigned order, numa, release, allow;
    } rows[] = {
        {"placement = \"pack\";", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP, ~0u},
        {"placement = \"spread\";", POLICY_SPREAD, POLICY_NUMA_PREFER, POLICY_REAP, ~0u},
        {"numa = \"prefer\";", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP, ~0u},
        {"numa = \"require\";", POLICY_PACK, POLICY_NUMA_REQUIRE, POLICY_REAP, ~0u},
        {"numa = \"ignore\";", POLICY_PACK, POLICY_NUMA_IGNORE, POLICY_REAP, ~0u},
        {"release = \"reap\";", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP, ~0u},
        {"release = \"keep\";", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_KEEP, ~0u},
        {"allow = [ ];", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP, 0},
        {"allow = ( \"class\" );", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP, BIT(CLASS)},
        {"allow = [ \"type\" ];", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP, BIT(TYPE)},
        {"allow = [ \"parent\" ];", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP, BIT(PARENT)},
        {"allow = [ \"placement\" ];", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP,
         BIT(PLACEMENT)},
        {"allow = [ \"numa\" ];", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP, BIT(NUMA)},
        {"allow = [ \"traits\" ];", POLICY_PACK, POLICY_NUMA_PREFER, POLICY_REAP, BIT(TRAITS)},
    };
    struct scene *scene = *state;
    const struct policy *policy = &scene->policy;

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (load_text(scene, rows[i].text) < 0)
            fail_msg("%s: %s", rows[i].text, scene->error.text);
        if (policy->order != rows[i].order || policy->numa != rows[i].numa ||
            policy->release != rows[i].release || policy->allow != rows[i].allow)
            fail_msg("%s: %u %u %u %x", rows[i].text, policy->order, policy->numa, policy->release,
                     policy->allow);
    }
}

static void
quotas_and_domains(void **state)
{
    struct scene *scene = *state;
    const struct policy *policy = &scene->policy;
    const struct policy_domain *domain;

    put(scene, MAIN,
        "classes = { small = { types = [ \"a\" ]; }; };\n"
        "quotas = ( { domains = [ \"ci-*\", \"web?\" ]; class = \"small\"; max = 4; },\n"
        "           { domains = ( \"*\" ); class = \"small\"; max = 0; } );\n"
        "domains = ( { name = \"web*\";\n"
        "              devices = ( { alias = \"ua-gpu0\"; class = \"small\"; },\n"
        "                          { alias = \"ua-gpu1\"; type = \"T4-1B\"; } ); },\n"
        "            { name = \"db\"; devices = ( ); } );\n",
        0644);
    assert_loads(scene);
    assert_int_equal(policy->quota_count, 2);
    assert_words(&policy->quotas[0].domains, "ci-* web?");
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

/* What may be asked for is the last file's word; every other list grows. */
static void
lists_append_but_allow_is_replaced(void **state)
{
    struct scene *scene = *state;
    const struct policy *policy = &scene->policy;
    const struct policy_class *class;

    put(scene, MAIN,
        "placement = \"spread\"; numa = \"ignore\"; release = \"keep\";\n"
        "allow = [ \"class\", \"type\" ]; params = [ \"one\" ];\n"
        "classes = { a = { types = [ \"1\" ]; traits = [ \"x\" ]; placement = \"pack\"; };\n"
        "            b = { framebuffer = \"1G\"; }; };\n"
        "quotas = ( { domains = [ \"*\" ]; class = \"c\"; max = 1; } );\n"
        "domains = ( { name = \"*\"; devices = ( { alias = \"x\"; class = \"c\"; } ); } );\n",
        0644);
    put(scene, "conf.d/10.conf",
        "placement = \"pack\"; allow = [ \"numa\" ]; params = [ \"two\", \"one\" ];\n"
        "classes = { a = { types = [ \"2\" ]; traits = [ \"y\" ]; placement = \"spread\"; };\n"
        "            b = { framebuffer = \"2G\"; }; c = { types = [ \"3\" ]; }; };\n"
        "quotas = ( { domains = [ \"*\" ]; class = \"a\"; max = 2; } );\n"
        "domains = ( { name = \"*\"; devices = ( { alias = \"x\"; class = \"a\"; } ); } );\n",
        0644);
    assert_loads(scene);
    assert_int_equal(policy->order, POLICY_PACK);
    assert_int_equal(policy->numa, POLICY_NUMA_IGNORE);
    assert_int_equal(policy->release, POLICY_KEEP);
    assert_int_equal(policy->allow, BIT(NUMA));
    assert_words(&policy->params, "one two one");
    class = policy_find_class(policy, "a");
    assert_words(&class->types, "1 2");
    assert_words(&class->traits, "x y");
    assert_int_equal(class->order, POLICY_SPREAD);
    assert_string_equal(class->origin, "/" DIRECTORY "/" MAIN ":3");
    assert_int_equal(policy_find_class(policy, "b")->framebuffer, 2048);
    assert_int_equal(policy->class_count, 3);
    assert_int_equal(policy->quota_count, 2);
    assert_string_equal(policy->quotas[0].class, "c");
    assert_string_equal(policy->quotas[1].class, "a");
    assert_string_equal(policy->quotas[1].origin, "/" DIRECTORY "/conf.d/10.conf:4");
    assert_int_equal(policy->domain_count, 2);
    assert_string_equal(policy->domains[1].devices[0].origin, "/" DIRECTORY "/conf.d/10.conf:5");
    /* an empty list takes everything away; a file that says nothing, nothing */
    put(scene, "conf.d/20.conf", "allow = [ ];", 0644);
    put(scene, "conf.d/30.conf", "release = \"reap\";", 0644);
    assert_loads(scene);
    assert_int_equal(policy->allow, 0);
    assert_int_equal(policy->release, POLICY_REAP);
}

static void
parameters_that_may_be_set(void **state)
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
        /* named ones are instead of the built-in ones */
        {"params = [ \"vgpu_swrl\" ];", "vgpu_swrl", true},
        {"params = [ \"vgpu_swrl\" ];", "VGPU_SWRL", false},
        {"params = [ \"vgpu_swrl\" ];", "disable_vnc", false},
        {"params = [ \"vgpu_swrl\", \"disable_vnc\" ];", "disable_vnc", true},
        /* and so is none at all */
        {"params = [ ];", "disable_vnc", false},
        {"params = ( );", "frame_rate_limiter", false},
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(load_text(scene, rows[i].text), 0);
        if (policy_allows_param(&scene->policy, rows[i].name) != rows[i].wanted)
            fail_msg("%s: %s", rows[i].text, rows[i].name);
    }
}

static void
patterns_of_domains(void **state)
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
        /* UUIDs, as libvirt writes them and as people do */
        {UUID, "web01", true},
        {"B1F4E27E-0D06-4A5F-9C5D-3A1F0C6B8E20", "web01", true},
        {"b1f4e27e0d064a5f9c5d3a1f0c6b8e20", "web01", true},
        {"b1f4e27e-0d06-4a5f-9c5d-3a1f0c6b8e21", "web01", false},
        {"b1f4e27e-*", "web01", false},
    };
    const struct name uuid = {UUID};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (policy_is_domain(rows[i].pattern, rows[i].name, &uuid) != rows[i].wanted)
            fail_msg("\"%s\" and \"%s\"", rows[i].pattern, rows[i].name);
    }
}

/* A UUID is listed to mean one domain; somebody else's that is called so is not it. */
static void
a_name_is_no_uuid(void **state)
{
    const struct name other = {"00000000-0000-4000-8000-000000000001"};

    (void)state;
    assert_false(policy_is_domain(UUID, UUID, &other));
}

/* What editors and package managers leave behind. */
static void
other_files_are_passed_over(void **state)
{
    static const char *const names[] = {
        "README",         ".conf",         ".hidden.conf",       "10-a.conf.bak",
        "10-a.conf~",     "10-a.conf.swp", "10-a.conf.dpkg-new", "10-a.conf.rpmsave",
        "#10-a.conf#",    "conf",          "10-aconf",           "10-a.CONF",
        ".10-a.conf.swp", "a.conf.d",      "10-a.conf.",
    };
    struct scene *scene = *state;
    char path[64];

    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof(path), "conf.d/%s", names[i]);
        put(scene, path, "this is { no configuration", 0666);
    }
    assert_loads(scene);
    assert_defaults(&scene->policy);
}

/* A file that is there and not read must not go unnoticed, however odd its name. */
static void
a_conf_of_any_name_counts(void **state)
{
    static const char *const names[] = {
        "conf.d/10 our gpus.conf", "conf.d/10-g\xc3\xa4st.conf", "conf.d/10~.conf",
        "conf.d/0123456789012345678901234567890123456789012345678901234567890123.conf"};
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(names); i++) {
        put(scene, names[i], "enabled = false;", 0644);
        if (load(scene) == 0 && scene->policy.enabled)
            fail_msg("%s was passed over in silence", names[i]);
        put(scene, names[i], NULL, 0);
    }
}

struct row {
    const char *text;
    const char *message; /* after the file's name */
};

static void
check_rows(struct scene *scene, const struct row *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        char wanted[256];
        int rc = load_text(scene, rows[i].text);

        snprintf(wanted, sizeof(wanted), "/" DIRECTORY "/" MAIN ":%s", rows[i].message);
        assert_true(rc == 0 || rc == -EINVAL);
        if (rc < 0)
            assert_defaults(&scene->policy);
        if (rc < 0 && !strncmp(scene->error.text, wanted, strlen(wanted)))
            continue;
        print_error("%d, \"%s\" instead of \"%s\" for: %s\n", rc, rc ? scene->error.text : "",
                    wanted, rows[i].text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void
faults_of_one_place(void **state)
{
    static const struct row rows[] = {
        /* unknown keys, at every level */
        {"\n\ncolour = 1;", "3: unknown key \"colour\""},
        {"Enabled = true;", "1: unknown key \"Enabled\""},
        {"gpus = ( { " GPU "\n colour = 1; } );", "2: unknown key \"colour\""},
        {"classes = { small = { types = [ \"a\" ];\n colour = 1; }; };",
         "2: unknown key \"colour\""},
        /* wrong types */
        {"enabled = 1;", "1: enabled must be true or false"},
        {"enabled = \"true\";", "1: enabled must be true or false"},
        {"default_class = 5;", "1: default_class must be a string"},
        {"default_class = [ \"small\" ];", "1: default_class must be a string"},
        {"prepare_timeout = 30;", "1: prepare_timeout must be a time"},
        {"release_timeout = ( \"30s\" );", "1: release_timeout must be a time"},
        {"gpus = \"0000:18:00.0\";", "1: gpus must be a list of groups"},
        {"gpus = { " GPU "};", "1: gpus must be a list of groups"},
        {"gpus = [ \"0000:18:00.0\" ];", "1: gpus must be a list of groups"},
        {"gpus = ( { " GPU "},\n\"0000:19:00.0\" );", "2: gpus may hold only groups"},
        {"gpus = ( { " GPU "types = \"T4-1B\"; } );", "1: types must be a list of strings"},
        {"gpus = ( { " GPU "types = { a = 1; }; } );", "1: types must be a list of strings"},
        {"gpus = ( { " GPU "types = [ 319 ]; } );", "1: types may hold only strings"},
        {"gpus = ( { " GPU "types = ( \"a\",\n 5 ); } );", "2: types may hold only strings"},
        {"gpus = ( { " GPU "types = ( ( \"a\" ) ); } );", "1: types may hold only strings"},
        {"gpus = ( { " GPU "types = [ \"\" ]; } );", "1: types may hold only strings"},
        {"gpus = ( { " GPU "enabled = 0; } );", "1: enabled must be true or false"},
        {"classes = ( );", "1: classes must be a group"},
        {"classes = \"small\";", "1: classes must be a group"},
        {"classes = { small = [ \"a\" ]; };", "1: a class must be a group"},
        /* wrong words, with those that there are */
        {"placement = \"stack\";", "1: placement must be one of \"pack\", \"spread\""},
        {"placement = \"\";", "1: placement must be one of \"pack\", \"spread\""},
        {"placement = \"Pack\";", "1: placement must be one of \"pack\", \"spread\""},
        {"placement = 1;", "1: placement must be one of \"pack\", \"spread\""},
        {"placement = [ \"pack\" ];", "1: placement must be one of \"pack\", \"spread\""},
        {"\nnuma = \"near\";", "2: numa must be one of \"prefer\", \"require\", \"ignore\""},
        {"release = \"remove\";", "1: release must be one of \"reap\", \"keep\""},
        {"release = \"\";", "1: release must be one of \"reap\", \"keep\""},
        {"classes = { a = { types = [ \"a\" ];\nplacement = \"tight\"; }; };",
         "2: placement must be one of \"pack\", \"spread\""},
        {"allow = ( \"class\",\n\"everything\" );",
         "2: allow must be one of \"class\", \"type\", \"parent\", \"placement\", \"numa\", "
         "\"traits\""},
        {"allow = [ \"params\" ];", "1: allow must be one of \"class\", \"type\""},
        {"allow = [ \"\" ];", "1: allow may hold only strings"},
        {"allow = \"class\";", "1: allow must be a list of strings"},
        {"allow = { };", "1: allow must be a list of strings"},
        {"allow = [ 1 ];", "1: allow may hold only strings"},
        {"params = \"disable_vnc\";", "1: params must be a list of strings"},
        {"params = [ true ];", "1: params may hold only strings"},
        {"params = ( \"a\", \"\" );", "1: params may hold only strings"},
        /* GPUs and classes */
        {"gpus = ( { " GPU "traits = \"blue\"; } );", "1: traits must be a list of strings"},
        {"gpus = ( { " GPU "traits = [ \"\" ]; } );", "1: traits may hold only strings"},
        {"gpus = ( { " GPU "types = [ ]; } );", "1: types is an empty list"},
        {"gpus = ( { " GPU "\nreserve = -1; } );", "2: reserve must be a number from 0"},
        {"gpus = ( { " GPU "reserve = 1.5; } );", "1: reserve must be a number from 0"},
        {"gpus = ( { " GPU "reserve = \"1\"; } );", "1: reserve must be a number from 0"},
        {"gpus = ( { " GPU "reserve = true; } );", "1: reserve must be a number from 0"},
        {"gpus = ( { " GPU "reserve = 1000001; } );", "1: reserve must be a number from 0"},
        {"gpus = ( { " GPU "reserve = 4294967297L; } );", "1: reserve must be a number from 0"},
        {"classes = { a = { framebuffer = 8; }; };", "1: framebuffer must be a size"},
        {"classes = { a = { types = [ \"a\" ]; traits = ( 5 ); }; };",
         "1: traits may hold only strings"},
        /* quotas */
        {"quotas = { };", "1: quotas must be a list of groups"},
        {"quotas = ( \"*\" );", "1: quotas may hold only groups"},
        {"quotas = (\n{ class = \"a\"; max = 1; } );", "2: a quota without domains"},
        {"quotas = ( { domains = [ \"*\" ]; max = 1; } );", "1: a quota without class"},
        {"quotas = ( { domains = [ \"*\" ]; class = \"a\"; } );", "1: a quota without max"},
        {"quotas = ( { domains = [ ]; class = \"a\"; max = 1; } );", "1: domains is an empty list"},
        {"quotas = ( { domains = \"*\"; class = \"a\"; max = 1; } );",
         "1: domains must be a list of strings"},
        {"quotas = ( { domains = [ \"*\" ]; class = \"a\"; max = -4; } );",
         "1: max must be a number from 0"},
        {"quotas = ( { domains = [ \"*\" ]; class = \"a\"; max = \"4\"; } );",
         "1: max must be a number from 0"},
        {"quotas = ( { domains = [ \"*\" ]; class = [ \"a\" ]; max = 4; } );",
         "1: class must be a string"},
        {"quotas = ( { domains = [ \"*\" ]; type = \"a\"; } );", "1: a quota without class"},
        {"classes = { a = { types = [ \"a\" ]; }; };\n"
         "quotas = ( { domains = [ \"*\" ]; class = \"a\"; max = 4; type = \"b\"; } );",
         "2: unknown key \"type\""},
        /* domains */
        {"domains = { };", "1: domains must be a list of groups"},
        {"domains = ( \"web\" );", "1: domains may hold only groups"},
        {"domains = ( { devices = ( ); } );", "1: a domain without name"},
        {"domains = ( { name = \"*\"; } );", "1: a domain without devices"},
        {"domains = ( { name = 5; devices = ( ); } );", "1: name must be a string"},
        {"domains = ( { name = \"*\"; devices = { }; } );", "1: devices must be a list of groups"},
        {"domains = ( { name = \"*\"; devices = (\n\"small\" ); } );",
         "2: devices may hold only groups"},
        {"domains = ( { name = \"*\"; devices = (\n{ type = \"a\"; } ); } );",
         "2: a device without alias"},
        {"domains = ( { name = \"*\"; devices = ( { alias = 5; type = \"a\"; } ); } );",
         "1: alias must be a string"},
        {"domains = ( { name = \"*\"; devices = ( { alias = \"x\"; type = 5; } ); } );",
         "1: type must be a string"},
        {"domains = ( { name = \"*\"; devices = (\n{ alias = \"x\"; type = "
         "\"a\"; gpu = 1; } ); } );",
         "2: unknown key \"gpu\""},
        {"domains = ( { name = \"*\"; devices = ( ); max = 1; } );", "1: unknown key \"max\""},
        /* addresses */
        {"gpus = ( { types = [ \"a\" ]; } );", "1: a GPU without address"},
        {"gpus = ( { address = 18; } );", "1: address must be a PCI address"},
        {"gpus = ( { address = \"\"; } );", "1: address must be a PCI address"},
        {"gpus = ( { address = \"18:00.0\"; } );", "1: address must be a PCI address"},
        {"gpus = ( { address = \"0000:18:00.8\"; } );", "1: address must be a PCI address"},
        {"gpus = ( { address = \"0000:18:00.0 \"; } );", "1: address must be a PCI address"},
        {"gpus = ( { address = \"../mtty\"; } );", "1: address must be a PCI address"},
        {"gpus = ( { address = \"..\"; } );", "1: address must be a PCI address"},
        /* syntax */
        {"enabled = true;\nlock_timeout = ;", "2: syntax error"},
        {"enabled true;", "1: syntax error"},
        {"gpus = (\n{ " GPU "\n", "3: syntax error"},
        {"default_class = \"small", "1: "},
        {"enabled = true;\nenabled = false;", "2: duplicate setting name"},
        {"gpus = ( { " GPU GPU "} );", "1: duplicate setting name"},
        {"types = [ \"a\", 1 ];", "1: mismatched element type"},
    };

    check_rows(*state, rows, COUNT(rows));
}

static void
faults_of_the_whole(void **state)
{
    static const struct row rows[] = {
        {"gpus = ( { " GPU "},\n{ " GPU "} );",
         "2: the GPU 0000:18:00.0 is listed already, at /" DIRECTORY "/" MAIN ":1"},
        {"gpus = ( { address = \"0000:1a:00.0\"; },\n{ address = \"0000:1A:00.0\"; } );",
         "2: the GPU 0000:1a:00.0"},
        {"gpus = ( { " GPU "},\n{ address = \"00000000:18:00.0\"; } );", "2: the GPU 0000:18:00.0"},
        {"gpus = ( { address = \"mtty\"; },\n{ address = \"mtty\"; } );", "2: the GPU mtty"},
        {"classes = {\nsmall = { }; };", "2: the class \"small\" has no types"},
        {"classes = { small = { types = [ ]; }; };", "1: types is an empty list"},
        {"classes = { small = { types = ( ); }; };", "1: types is an empty list"},
        {"\ndefault_class = \"small\";", "2: default_class is \"small\""},
        /* a class is one thing or the other */
        {"classes = {\nbig = { types = [ \"a\" ]; framebuffer = \"8G\"; }; };",
         "2: the class \"big\" has both types and framebuffer"},
        {"classes = {\nbig = { traits = [ \"a\" ]; placement = \"pack\"; }; };",
         "2: the class \"big\" has no types"},
        /* what there is none of */
        {"quotas = (\n{ domains = [ \"*\" ]; class = \"big\"; max = 1; } );",
         "2: a quota's class is \"big\", and there is no such class"},
        {"classes = { big = { types = [ \"a\" ]; }; };\n"
         "quotas = ( { domains = [ \"*\" ]; class = \"Big\"; max = 1; } );",
         "2: a quota's class is \"Big\", and there is no such class"},
        {"domains = ( { name = \"*\"; devices = (\n{ alias = \"x\"; class = \"big\"; } ); } );",
         "2: a device's class is \"big\", and there is no such class"},
        {"domains = ( { name = \"*\"; devices = (\n{ alias = \"x\"; class = \"\"; } ); } );",
         "2: a device's class is \"\", and there is no such class"},
        {"domains = ( { name = \"*\"; devices = (\n{ alias = \"x\"; } ); } );",
         "2: a device needs either type or class"},
        {"classes = { a = { types = [ \"a\" ]; }; };\ndomains = ( { name = \"*\"; devices = (\n"
         "{ alias = \"x\"; class = \"a\"; type = \"a\"; } ); } );",
         "3: a device needs either type or class"},
    };

    check_rows(*state, rows, COUNT(rows));
}

/* Sets one of the three times and reads all of them. */
static int
load_duration(struct scene *scene, size_t which, const char *duration, unsigned *ret)
{
    static const char *const keys[] = {"prepare_timeout", "release_timeout", "lock_timeout"};
    const unsigned *found[] = {&scene->policy.prepare_timeout, &scene->policy.release_timeout,
                               &scene->policy.lock_timeout};
    char text[64];
    int rc;

    snprintf(text, sizeof(text), "%s = \"%s\";", keys[which], duration);
    rc = load_text(scene, text);
    *ret = *found[which];
    if (rc < 0)
        assert_non_null(strstr(scene->error.text, keys[which]));
    return rc;
}

static void
durations(void **state)
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
                                      /* no time */
                                      "", "5", "s", "-1s", "+1s", " 1s", "1 s", "1s ", "1h", "1S",
                                      "1.5s", "0x10s", "1us", "1sec", "1m30s", "ms"};
    struct scene *scene = *state;

    for (size_t which = 0; which < 3; which++) {
        unsigned found;

        for (size_t i = 0; i < COUNT(good); i++) {
            if (load_duration(scene, which, good[i].text, &found) < 0)
                fail_msg("\"%s\": %s", good[i].text, scene->error.text);
            assert_int_equal(found, good[i].wanted);
        }
        for (size_t i = 0; i < COUNT(bad); i++) {
            if (load_duration(scene, which, bad[i], &found) != -EINVAL)
                fail_msg("\"%s\" was taken as %u ms", bad[i], found);
            assert_defaults(&scene->policy);
        }
    }
}

static void
sizes(void **state)
{
    static const struct {
        const char *text;
        unsigned wanted;
    } good[] = {
        {"8G", 8192},       {"512M", 512},         {"1M", 1},      {"1GiB", 1024}, {"16MiB", 16},
        {"1024G", 1048576}, {"1048576M", 1048576}, {"007G", 7168},
    };
    static const char *const bad[] = {/* nothing, or more than there can be */
                                      "0G", "0M", "1025G", "1048577M", "99999999999999999999G",
                                      "18446744073709551617M",
                                      /* no size */
                                      "", "8", "G", "-8G", "+8G", " 8G", "8 G", "8G ", "8g", "8GB",
                                      "8T", "8.5G", "0x8G", "8K", "8G8M"};
    struct scene *scene = *state;
    char text[96];

    for (size_t i = 0; i < COUNT(good); i++) {
        snprintf(text, sizeof(text), "classes = { a = { framebuffer = \"%s\"; }; };", good[i].text);
        if (load_text(scene, text) < 0)
            fail_msg("\"%s\": %s", good[i].text, scene->error.text);
        assert_int_equal(policy_find_class(&scene->policy, "a")->framebuffer, good[i].wanted);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        snprintf(text, sizeof(text), "classes = { a = { framebuffer = \"%s\"; }; };", bad[i]);
        if (load_text(scene, text) != -EINVAL)
            fail_msg("\"%s\" was taken", bad[i]);
        assert_non_null(strstr(scene->error.text, ":1: framebuffer must be a size"));
    }
}

/* Several files, several faults in each. */
static void
all_faults_of_all_files(void **state)
{
    static const char *const wanted[] = {
        "/" MAIN ":1: unknown key \"colour\"; ", "/" MAIN ":2: prepare_timeout must",
        "/conf.d/10.conf:3: syntax error",       "/conf.d/20.conf:1: gpus must be",
        "/conf.d/20.conf:2: a class must be",    "/conf.d/30.conf: others than root",
        "/conf.d/40.conf: not a regular file",
    };
    struct scene *scene = *state;

    put(scene, MAIN, "colour = 1;\nprepare_timeout = \"x\"; lock_timeout = \"7s\";", 0644);
    put(scene, "conf.d/10.conf", "enabled = true;\n\n=;\n=;", 0644);
    put(scene, "conf.d/20.conf", "gpus = 1;\nclasses = { small = 1; };", 0644);
    put(scene, "conf.d/30.conf", "", 0666);
    assert_int_equal(mkdirat(scene->host.root, DIRECTORY "/conf.d/40.conf", 0755), 0);
    assert_fails(scene, wanted[0]);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        if (!strstr(scene->error.text, wanted[i]))
            fail_msg("no \"%s\" in: %s", wanted[i], scene->error.text);
    }
    assert_null(strchr(scene->error.text, '\n'));
}

static void
all_faults_of_the_whole(void **state)
{
    struct scene *scene = *state;

    put(scene, MAIN, "gpus = ( { " GPU "} );\ndefault_class = \"big\";", 0644);
    put(scene, "conf.d/10.conf", "gpus = ( { " GPU "} );\nclasses = {\nsmall = { }; };", 0644);
    assert_fails(scene, "/conf.d/10.conf:1: the GPU 0000:18:00.0 is listed already, at /" DIRECTORY
                        "/" MAIN ":1");
    assert_non_null(
        strstr(scene->error.text, "/conf.d/10.conf:3: the class \"small\" has no types"));
    assert_non_null(strstr(scene->error.text, "default_class is \"big\""));
    /* a fault of another kind elsewhere hides none of them */
    put(scene, "conf.d/20.conf", "colour = 1;", 0644);
    assert_fails(scene, "/conf.d/20.conf:1: unknown key \"colour\"");
    assert_non_null(strstr(scene->error.text, "the GPU 0000:18:00.0 is listed already"));
    /* what another file adds later cures it */
    put(scene, "conf.d/20.conf",
        "classes = { small = { types = [ \"a\" ]; };\n"
        "big = { types = [ \"b\" ]; }; };",
        0644);
    put(scene, "conf.d/10.conf", "classes = { small = { }; };", 0644);
    assert_loads(scene);
}

/* Contradictions between files are found where they came about, and say so. */
static void
faults_between_files(void **state)
{
    static const struct {
        const char *first, *second, *message;
    } rows[] = {
        {"classes = { a = { types = [ \"1\" ]; }; };",
         "\nclasses = { a = { framebuffer = \"1G\"; }; };",
         "/" MAIN ":1: the class \"a\" has both"},
        {"default_class = \"a\"; classes = { a = { types = [ \"1\" ]; }; };",
         "\ndefault_class = \"b\";", "/conf.d/10.conf:2: default_class is \"b\""},
        {"classes = { a = { types = [ \"1\" ]; }; };",
         "\nquotas = ( { domains = [ \"*\" ]; class = \"b\"; max = 1; } );",
         "/conf.d/10.conf:2: a quota's class is \"b\""},
        {"domains = ( { name = \"*\"; devices = ( { alias = \"x\"; class = \"b\"; } ); } );",
         "classes = { a = { types = [ \"1\" ]; }; };", "/" MAIN ":1: a device's class is \"b\""},
    };
    struct scene *scene = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        put(scene, MAIN, rows[i].first, 0644);
        put(scene, "conf.d/10.conf", rows[i].second, 0644);
        assert_fails(scene, rows[i].message);
    }
    /* and what the second file has makes the first one right */
    put(scene, MAIN, rows[3].first, 0644);
    put(scene, "conf.d/10.conf", "classes = { b = { types = [ \"1\" ]; }; };", 0644);
    assert_loads(scene);
}

static void
only_root_may_write_it(void **state)
{
    static const char *const names[] = {MAIN, "conf.d/10.conf"};
    static const mode_t bad[] = {0666, 0664, 0646, 0622, 0602}, good[] = {0644, 0600, 0400, 0755};
    struct scene *scene = *state;

    for (size_t n = 0; n < COUNT(names); n++) {
        char message[128], path[64];

        snprintf(path, sizeof(path), DIRECTORY "/%s", names[n]);
        snprintf(message, sizeof(message), "/%s: others than root may write it", path);
        for (size_t i = 0; i < COUNT(bad); i++) {
            put(scene, names[n], "enabled = false;", bad[i]);
            assert_fails(scene, message);
        }
        for (size_t i = 0; i < COUNT(good); i++) {
            put(scene, names[n], "enabled = false;", good[i]);
            assert_loads(scene);
            assert_false(scene->policy.enabled);
        }
        /* only root can give a file away, and then to see it refused */
        if (fchownat(scene->host.root, path, 4711, (gid_t)-1, 0) == 0)
            assert_fails(scene, message);
        put(scene, names[n], NULL, 0);
    }
}

/* Nor may what it includes, which nobody else looks at. */
static void
an_include_is_no_back_door(void **state)
{
    static const char *const before[] = {"", " \t", "enabled = true;\n", "\n\n\t", "/* */\n"};
    struct scene *scene = *state;
    char text[256];

    put(scene, "theirs", "enabled = false;", 0666);
    for (size_t i = 0; i < COUNT(before); i++) {
        snprintf(text, sizeof(text), "%s@include \"%s/" DIRECTORY "/theirs\"\n", before[i],
                 scene->directory);
        put(scene, MAIN, text, 0644);
        assert_fails(scene, "/" DIRECTORY "/" MAIN ":");
    }
}

/* What stands behind a NUL must not be lost in silence. */
static void
a_file_is_text(void **state)
{
    static const char text[] = "lock_timeout = \"1s\";\n\0enabled = false;\n";
    struct scene *scene = *state;

    put_bytes(scene, MAIN, text, sizeof(text) - 1, 0644);
    assert_fails(scene, "/" DIRECTORY "/" MAIN ":");
}

static void
only_regular_files_of_bearable_size(void **state)
{
    static char text[(1 << 20) + 2];
    struct scene *scene = *state;

    memset(text, '\n', sizeof(text) - 2);
    put(scene, MAIN, text, 0644);
    assert_loads(scene);
    text[sizeof(text) - 2] = '\n';
    put(scene, MAIN, text, 0644);
    assert_fails(scene, "/" DIRECTORY "/" MAIN ": not a regular file of at most 1 MiB");
    put(scene, MAIN, NULL, 0);
    assert_int_equal(mkdirat(scene->host.root, DIRECTORY "/" MAIN, 0755), 0);
    assert_fails(scene, "/" DIRECTORY "/" MAIN ": not a regular file");
    assert_int_equal(unlinkat(scene->host.root, DIRECTORY "/" MAIN, AT_REMOVEDIR), 0);
    assert_int_equal(mkfifoat(scene->host.root, DIRECTORY "/" MAIN, 0644), 0);
    assert_fails(scene, "/" DIRECTORY "/" MAIN ": not a regular file");
    put(scene, MAIN, NULL, 0);
    assert_int_equal(symlinkat(MAIN, scene->host.root, DIRECTORY "/" MAIN), 0);
    assert_fails(scene, "/" DIRECTORY "/" MAIN ": ");
    put(scene, MAIN, NULL, 0);
    assert_int_equal(unlinkat(scene->host.root, DIRECTORY "/conf.d", AT_REMOVEDIR), 0);
    assert_loads(scene);
    put(scene, "conf.d", "", 0644);
    assert_fails(scene, "/" DIRECTORY "/conf.d: ");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_there_means_the_defaults),
        TEST(every_key),
        TEST(every_key_of_placement),
        TEST(every_word_of_a_choice),
        TEST(quotas_and_domains),
        TEST(lists_append_but_allow_is_replaced),
        TEST(parameters_that_may_be_set),
        TEST(patterns_of_domains),
        TEST(a_name_is_no_uuid),
        TEST(drop_ins_in_name_order),
        TEST(other_files_are_passed_over),
        TEST(a_conf_of_any_name_counts),
        TEST(faults_of_one_place),
        TEST(faults_of_the_whole),
        TEST(durations),
        TEST(sizes),
        TEST(all_faults_of_all_files),
        TEST(faults_between_files),
        TEST(all_faults_of_the_whole),
        TEST(only_root_may_write_it),
        TEST(an_include_is_no_back_door),
        TEST(a_file_is_text),
        TEST(only_regular_files_of_bearable_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
