/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* policy: all faults with their file and line, and the defaults after a fault. */

#include "policy/conf.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct row {
    const char *text;
    const char *message; /* after the file's name */
};

static void
check_rows(struct conf *conf, const struct row *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        char wanted[256];
        int rc = conf_load_text(conf, rows[i].text);

        snprintf(wanted, sizeof(wanted), "/" DIRECTORY "/" MAIN ":%s", rows[i].message);
        assert_true(rc == 0 || rc == -EINVAL);
        if (rc < 0)
            conf_assert_defaults(&conf->policy);
        if (rc < 0 && !strncmp(conf->error.text, wanted, strlen(wanted)))
            continue;
        print_error("%d, \"%s\" instead of \"%s\" for: %s\n", rc, rc ? conf->error.text : "",
                    wanted, rows[i].text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define TEST(function) UNIT_TEST_IN(function, conf_set_up, conf_tear_down, NULL)

/* A file that somebody has written with printf(1), without a newline at its end. */
TEST(no_end_of_the_last_line)
{
    static const char *const texts[] = {"enabled = false; # old", "enabled = false; // old",
                                        "enabled = false; /* old */", "enabled = false;",
                                        "enabled = false; /* \" */ # /*"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        if (conf_load_text(*state, texts[i]) < 0)
            fail_msg("%s: %s", texts[i], ((struct conf *)*state)->error.text);
        assert_false(((struct conf *)*state)->policy.enabled);
    }
}

TEST(faults_of_one_place)
{
    static const struct row rows[] = {
        /* faults because of which the parser does not see the text after them */
        {"enabled = true;\n/* old\nplacement = \"spread\";\n",
         "1: a comment or a string behind the setting of this line has no end, and hides the rest"},
        {"placement = \"spread\"\";\nenabled = false;\n",
         "1: a comment or a string behind the setting of this line has no end, and hides the rest"},
        {"classes = { a = { types = [ \"/*\", \"\\\"/*\" ]; }; }; # /*\n// /*\n\n/*/",
         "1: a comment or a string behind the setting of this line has no end, and hides the rest"},
        /* numbers of which libconfig 1.5 makes others */
        {"placement = \"pack\";\ngpus = ( { " GPU " setup = { functions = 4294967296; }; } );",
         "2: 4294967296 is too large: numbers have 32 bits, up to 2147483647"},
        {"gpus = ( { " GPU " setup = { functions =\n\n4294967298; }; } );",
         "3: 4294967298 is too large"},
        {"gpus = ( { " GPU " setup = { functions = 0x100000002; }; } );",
         "1: 0x100000002 is too large"},
        {"gpus = ( { " GPU " setup = { functions = -2147483649; }; } );",
         "1: -2147483649 is too large"},
        {"gpus = ( { " GPU " setup = { functions = 99999999999999999999; }; } );",
         "1: 99999999999999999999 is too large"},
        {"gpus = ( { " GPU " setup = { functions = 4294967298L; }; } );",
         "1: functions must be \"all\", or a number from 1 to"},
        {"# 4294967296\n// 4294967296\n/* 4294967296\n*/ default_class = \"\\\"4294967296\n\";\n"
         "a4294967296 = 1.4294967296;",
         "6: unknown key \"a4294967296\""},
        /* unknown keys, at every level */
        {"\n\ncolour = 1;", "3: unknown key \"colour\""},
        {"Enabled = true;", "1: unknown key \"Enabled\" (did you mean enabled?)"},
        {"gpus = ( { " GPU "\n adress = \"x\"; } );",
         "2: unknown key \"adress\" (did you mean address?)"},
        {"gpus = ( { " GPU "\n colour = 1; } );", "2: unknown key \"colour\""},
        {"classes = { small = { types = [ \"a\" ];\n colour = 1; }; };",
         "2: unknown key \"colour\""},
        {"gpus = ( { " GPU "\n setup = { function = 4; }; } );",
         "2: unknown key \"function\" (did you mean functions?)"},
        /* wrong types */
        {"gpus = ( { " GPU "\n setup = \"all\"; } );", "2: setup must be a group"},
        {"gpus = ( { " GPU "\n setup = { functions = 0; }; } );",
         "2: functions must be \"all\", or a number from 1 to"},
        {"gpus = ( { " GPU "\n setup = { functions = \"al\"; }; } );",
         "2: functions must be \"all\", or a number from 1 to"},
        {"gpus = ( { " GPU "\n setup = { sizes = \"\"; }; } );",
         "2: sizes must be one of \"equal\", \"mixed\""},
        {"gpus = ( { " GPU "\n setup = { instances = \"1g.5gb\"; }; } );",
         "2: instances must be a list of strings"},
        {"gpus = ( { " GPU "\n setup = { instances = [ \"1g.5gb\", \"19\" ]; }; } );",
         "1: \"19\" is no profile of GPU instances, as \"1g.24gb+gfx\""},
        {"gpus = ( { " GPU " setup = { scheduler = \"fair\"; }; } );",
         "1: scheduler must be one of \"best-effort\", \"equal-share\", \"fixed-share\""},
        {"gpus = ( { " GPU " setup = { scheduler = \"fixed-share\"; sizes = \"mixed\"; }; } );",
         "1: the GPU 0000:18:00.0 has the scheduler \"fixed-share\" beside mixed sizes"},
        {"gpus = ( { " GPU
         " setup = { instances = [ \"1g.5gb\" ]; sizes = [ \"mixed\", \"equal\" ];"
         " }; } );",
         "1: the GPU 0000:18:00.0 has 2 sizes for 1 instances: say one for all, or one for each"},
        {"gpus = ( { " GPU " setup = { scheduler = [ \"best-effort\", \"fixed-share\" ]; }; } );",
         "1: the GPU 0000:18:00.0 has 2 schedulers for 0 instances"},
        {"gpus = ( { " GPU " setup = { instances = [ \"1g.5gb\", \"1g.5gb\" ];\n"
         " sizes = [ \"equal\", \"mixed\" ]; scheduler = \"fixed-share\"; }; } );",
         "1: the GPU 0000:18:00.0 has the scheduler \"fixed-share\" beside mixed sizes"},
        {"gpus = ( { " GPU " setup = { sizes = [ ]; }; } );", "1: sizes is an empty list"},
        {"gpus = ( { " GPU " setup = { sizes = [ \"mixed\", \"odd\" ]; }; } );",
         "1: sizes must be one of \"equal\", \"mixed\""},
        {"gpus = ( { " GPU " setup = { sizes = ( \"equal\", 1 ); }; } );",
         "1: sizes may hold only strings"},
        {"gpus = ( { " GPU " setup = { time_slicing = \"on\"; }; } );",
         "1: the GPU 0000:18:00.0 has time_slicing without instances"},
        {"gpus = ( { " GPU " setup = { instances = [ ]; time_slicing = \"off\"; }; } );",
         "1: the GPU 0000:18:00.0 has time_slicing without instances"},
        {"gpus = ( { " GPU " setup = { time_slicing = true; instances = [ \"1g.5gb\" ]; }; } );",
         "1: time_slicing must be one of \"off\", \"on\""},
        {"gpus = ( { " GPU " setup = { instances = [ \"1g.5gb\" ]; sizes = \"mixed\";\n"
         " time_slicing = \"off\"; }; } );",
         "1: the GPU 0000:18:00.0 has mixed sizes, and time_slicing is \"off\""},
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
        /* wrong words; the message names the right ones */
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
         "2: allow may hold only \"class\", \"type\", \"parent\", \"placement\", \"numa\", "
         "\"traits\""},
        {"allow = [ \"params\" ];", "1: allow may hold only \"class\", \"type\""},
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
        {"quotas = (\n{ class = \"a\"; max = 1; } );", "2: domains is missing; a quota needs "},
        {"quotas = ( { domains = [ \"*\" ]; max = 1; } );", "1: class is missing; a quota needs "},
        {"quotas = ( { domains = [ \"*\" ]; class = \"a\"; } );",
         "1: max is missing; a quota needs "},
        {"quotas = ( { domains = [ ]; class = \"a\"; max = 1; } );", "1: domains is an empty list"},
        {"quotas = ( { domains = \"*\"; class = \"a\"; max = 1; } );",
         "1: domains must be a list of strings"},
        {"quotas = ( { domains = [ \"*\" ]; class = \"a\"; max = -4; } );",
         "1: max must be a number from 0"},
        {"quotas = ( { domains = [ \"*\" ]; class = \"a\"; max = \"4\"; } );",
         "1: max must be a number from 0"},
        {"quotas = ( { domains = [ \"*\" ]; class = [ \"a\" ]; max = 4; } );",
         "1: class must be a string"},
        {"quotas = ( { domains = [ \"*\" ]; type = \"a\"; } );",
         "1: class is missing; a quota needs "},
        {"classes = { a = { types = [ \"a\" ]; }; };\n"
         "quotas = ( { domains = [ \"*\" ]; class = \"a\"; max = 4; type = \"b\"; } );",
         "2: unknown key \"type\""},
        /* limits and pools */
        {"max_instances = { };", "1: max_instances must be a list of groups"},
        {"max_instances = ( { max = 1; } );", "1: types is missing; a limit needs types, max"},
        {"max_instances = ( { types = [ \"a\" ]; } );",
         "1: max is missing; a limit needs types, max"},
        {"pools = ( );", "1: pools must be a group, as { small = { functions = [ ... ]; }; }"},
        {"pools = { bare = [ \"a\" ]; };", "1: a pool must be a group, as { functions"},
        {"pools = { bare = { functions = \"a\"; }; };", "1: functions must be a list of strings"},
        {"pools = { bare = {\ndriver = \"a/b\"; }; };", "2: driver must be the name of a driver"},
        /* domains */
        {"domains = { };", "1: domains must be a list of groups"},
        {"domains = ( \"web\" );", "1: domains may hold only groups"},
        {"domains = ( { devices = ( ); } );", "1: name is missing; a domain needs "},
        {"evacuate = [ \"away\" ];", "1: evacuate may hold only \"here\", \"live\""},
        {"domains = ( { name = 5; devices = ( ); } );", "1: name must be a string"},
        {"domains = ( { name = \"*\"; devices = { }; } );", "1: devices must be a list of groups"},
        {"domains = ( { name = \"*\"; devices = (\n\"small\" ); } );",
         "2: devices may hold only groups"},
        {"domains = ( { name = \"*\"; devices = (\n{ type = \"a\"; } ); } );",
         "2: alias is missing; a device needs "},
        {"domains = ( { name = \"*\"; devices = ( { alias = 5; type = \"a\"; } ); } );",
         "1: alias must be a string"},
        {"domains = ( { name = \"*\"; devices = ( { alias = \"x\"; type = 5; } ); } );",
         "1: type must be a string"},
        {"domains = ( { name = \"*\"; devices = (\n{ alias = \"x\"; type = "
         "\"a\"; gpu = 1; } ); } );",
         "2: unknown key \"gpu\""},
        {"domains = ( { name = \"*\"; devices = ( ); max = 1; } );", "1: unknown key \"max\""},
        /* addresses */
        {"gpus = ( { types = [ \"a\" ]; } );", "1: address is missing; a GPU needs "},
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
        {"gpus = (\n{ " GPU "\n", "2: syntax error: "},
        {"default_class = \"small", "1: "},
        {"enabled = true;\nenabled = false;", "2: duplicate setting name"},
        {"gpus = ( { " GPU GPU "} );", "1: duplicate setting name"},
        {"types = [ \"a\", 1 ];", "1: mismatched element type"},
    };

    check_rows(*state, rows, COUNT(rows));
}

TEST(faults_of_the_whole)
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
        /* a class has either types or a frame buffer */
        {"classes = {\nbig = { types = [ \"a\" ]; framebuffer = \"8G\"; }; };",
         "2: the class \"big\" has both types and framebuffer"},
        {"classes = {\nbig = { traits = [ \"a\" ]; placement = \"pack\"; }; };",
         "2: the class \"big\" has no types"},
        /* names that do not exist */
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

/* libconfig names the line at which it can read no further, at most the last line. The message says
 * that the mistake may be further up. */
TEST(what_has_no_end)
{
#define ABOVE                                                                                      \
    ": syntax error: write name = value; and strings in double quotes; a missing quote or "        \
    "bracket may be further up"
    static const struct row rows[] = {
        {"enabled = true;\nplacement = \"pack;\nnuma = \"prefer\";\n", "3" ABOVE},
        {"placement = \"pack;\n", "1" ABOVE},
        {"placement = \"pack;", "1" ABOVE},
        {"classes = {\n small = {\n  types = [ \"a\" ];\n};\n", "4" ABOVE},
        {"gpus = (\n{ address = \"a\"; }\n\n", "3" ABOVE},
        {"params = [ \"a\",\n\"b\"\n", "2" ABOVE},
        {"enabled = true;\n/ \"x\n", "2" ABOVE},
        {"enabled = true;\n=;\nplacement = \"a;\n", "2" ABOVE},
    };
#undef ABOVE

    check_rows(*state, rows, COUNT(rows));
}

/* Several files, with several faults in each. */
TEST(all_faults_of_all_files)
{
    static const char *const wanted[] = {
        "/" MAIN ":1: unknown key \"colour\"; ", "/" MAIN ":2: prepare_timeout must",
        "/conf.d/10.conf:3: syntax error",       "/conf.d/20.conf:1: gpus must be",
        "/conf.d/20.conf:2: a class must be",    "/conf.d/30.conf: others than root",
        "/conf.d/40.conf: not a regular file",
    };
    struct conf *conf = *state;

    conf_put(conf, MAIN, "colour = 1;\nprepare_timeout = \"x\"; lock_timeout = \"7s\";", 0644);
    conf_put(conf, "conf.d/10.conf", "enabled = true;\n\n=;\n=;", 0644);
    conf_put(conf, "conf.d/20.conf", "gpus = 1;\nclasses = { small = 1; };", 0644);
    conf_put(conf, "conf.d/30.conf", "", 0666);
    assert_int_equal(mkdirat(conf->host.root, DIRECTORY "/conf.d/40.conf", 0755), 0);
    conf_assert_fails(conf, wanted[0]);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        if (!strstr(conf->error.text, wanted[i]))
            fail_msg("no \"%s\" in: %s", wanted[i], conf->error.text);
    }
    assert_null(strchr(conf->error.text, '\n'));
}

TEST(all_faults_of_the_whole)
{
    struct conf *conf = *state;

    conf_put(conf, MAIN, "gpus = ( { " GPU "} );\ndefault_class = \"big\";", 0644);
    conf_put(conf, "conf.d/10.conf", "gpus = ( { " GPU "} );\nclasses = {\nsmall = { }; };", 0644);
    conf_assert_fails(conf,
                      "/conf.d/10.conf:1: the GPU 0000:18:00.0 is listed already, at /" DIRECTORY
                      "/" MAIN ":1");
    assert_non_null(
        strstr(conf->error.text, "/conf.d/10.conf:3: the class \"small\" has no types"));
    assert_non_null(strstr(conf->error.text, "default_class is \"big\""));
    /* a fault of another kind in another file hides none of these */
    conf_put(conf, "conf.d/20.conf", "colour = 1;", 0644);
    conf_assert_fails(conf, "/conf.d/20.conf:1: unknown key \"colour\"");
    assert_non_null(strstr(conf->error.text, "the GPU 0000:18:00.0 is listed already"));
    /* a later file adds what is missing */
    conf_put(conf, "conf.d/20.conf",
             "classes = { small = { types = [ \"a\" ]; };\n"
             "big = { types = [ \"b\" ]; }; };",
             0644);
    conf_put(conf, "conf.d/10.conf", "classes = { small = { }; };", 0644);
    conf_assert_loads(conf);
}

/* If files contradict each other, the message names the place where the second one contradicts. */
TEST(faults_between_files)
{
    static const struct {
        const char *first, *second, *message;
    } rows[] = {
        {"classes = { a = { types = [ \"1\" ]; }; };",
         "\nclasses = { a = { framebuffer = \"1G\"; }; };",
         "/conf.d/10.conf:2: the class \"a\" has both"},
        {"default_class = \"a\"; classes = { a = { types = [ \"1\" ]; }; };",
         "\ndefault_class = \"b\";", "/conf.d/10.conf:2: default_class is \"b\""},
        {"classes = { a = { types = [ \"1\" ]; }; };",
         "\nquotas = ( { domains = [ \"*\" ]; class = \"b\"; max = 1; } );",
         "/conf.d/10.conf:2: a quota's class is \"b\""},
        {"domains = ( { name = \"*\"; devices = ( { alias = \"x\"; class = \"b\"; } ); } );",
         "classes = { a = { types = [ \"1\" ]; }; };", "/" MAIN ":1: a device's class is \"b\""},
    };
    struct conf *conf = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        conf_put(conf, MAIN, rows[i].first, 0644);
        conf_put(conf, "conf.d/10.conf", rows[i].second, 0644);
        conf_assert_fails(conf, rows[i].message);
    }
    /* another text in the second file makes the first file right */
    conf_put(conf, MAIN, rows[3].first, 0644);
    conf_put(conf, "conf.d/10.conf", "classes = { b = { types = [ \"1\" ]; }; };", 0644);
    conf_assert_loads(conf);
}

TEST(only_root_may_write_it)
{
    static const char *const names[] = {MAIN, "conf.d/10.conf"};
    static const mode_t bad[] = {0666, 0664, 0646, 0622, 0602}, good[] = {0644, 0600, 0400, 0755};
    struct conf *conf = *state;

    for (size_t n = 0; n < COUNT(names); n++) {
        char message[128], path[64];

        snprintf(path, sizeof(path), DIRECTORY "/%s", names[n]);
        snprintf(message, sizeof(message), "/%s: others than root may write it", path);
        for (size_t i = 0; i < COUNT(bad); i++) {
            conf_put(conf, names[n], "enabled = false;", bad[i]);
            conf_assert_fails(conf, message);
        }
        for (size_t i = 0; i < COUNT(good); i++) {
            conf_put(conf, names[n], "enabled = false;", good[i]);
            conf_assert_loads(conf);
            assert_false(conf->policy.enabled);
        }
        /* only root can give a file away, and then see that it is refused */
        if (fchownat(conf->host.root, path, 4711, (gid_t)-1, 0) == 0)
            conf_assert_fails(conf, message);
        conf_put(conf, names[n], NULL, 0);
    }
}

/* Included files must belong to root as well. Nothing else checks them. */
TEST(an_include_is_no_back_door)
{
    static const char *const before[] = {"", " \t", "enabled = true;\n", "\n\n\t", "/* */\n"};
    struct conf *conf = *state;
    char text[256];

    conf_put(conf, "theirs", "enabled = false;", 0666);
    for (size_t i = 0; i < COUNT(before); i++) {
        snprintf(text, sizeof(text), "%s@include \"%s/" DIRECTORY "/theirs\"\n", before[i],
                 conf->directory);
        conf_put(conf, MAIN, text, 0644);
        conf_assert_fails(conf, "/" DIRECTORY "/" MAIN ":");
    }
}

/* Text after a NUL byte must not be ignored without a message. */
TEST(a_file_is_text)
{
    static const char text[] = "lock_timeout = \"1s\";\n\0enabled = false;\n";
    struct conf *conf = *state;

    conf_put_bytes(conf, MAIN, text, sizeof(text) - 1, 0644);
    conf_assert_fails(conf, "/" DIRECTORY "/" MAIN ":");
}

TEST(only_regular_files_of_bearable_size)
{
    static char text[(1 << 20) + 2];
    struct conf *conf = *state;

    memset(text, '\n', sizeof(text) - 2);
    conf_put(conf, MAIN, text, 0644);
    conf_assert_loads(conf);
    text[sizeof(text) - 2] = '\n';
    conf_put(conf, MAIN, text, 0644);
    conf_assert_fails(conf, "/" DIRECTORY "/" MAIN ": not a regular file of at most 1 MiB");
    conf_put(conf, MAIN, NULL, 0);
    assert_int_equal(mkdirat(conf->host.root, DIRECTORY "/" MAIN, 0755), 0);
    conf_assert_fails(conf, "/" DIRECTORY "/" MAIN ": not a regular file");
    assert_int_equal(unlinkat(conf->host.root, DIRECTORY "/" MAIN, AT_REMOVEDIR), 0);
    assert_int_equal(mkfifoat(conf->host.root, DIRECTORY "/" MAIN, 0644), 0);
    conf_assert_fails(conf, "/" DIRECTORY "/" MAIN ": not a regular file");
    conf_put(conf, MAIN, NULL, 0);
    assert_int_equal(symlinkat(MAIN, conf->host.root, DIRECTORY "/" MAIN), 0);
    conf_assert_fails(conf, "/" DIRECTORY "/" MAIN ": ");
    conf_put(conf, MAIN, NULL, 0);
    assert_int_equal(unlinkat(conf->host.root, DIRECTORY "/conf.d", AT_REMOVEDIR), 0);
    conf_assert_loads(conf);
    conf_put(conf, "conf.d", "", 0644);
    conf_assert_fails(conf, "/" DIRECTORY "/conf.d: ");
}
