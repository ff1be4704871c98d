/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The copy of vgpu.conf in a capture: what stays, and that a playback finds the same faults. */

#include "capture/conf-text.h"
#include "fake/chance.h"
#include "policy/conf.h"

#include <stdio.h>
#include <string.h>

static struct stand_ins stand_ins;

static void
start(void)
{
    static const char *const domains[] = {"web01", "web02", "db"};

    stand_ins_start(&stand_ins, false);
    stand_ins_learn_harmless(&stand_ins, "T4-1B");
    for (size_t i = 0; i < COUNT(domains); i++)
        stand_ins_learn(&stand_ins, STAND_IN_DOMAIN, domains[i]);
}

/* Returns a copy, which the caller frees. */
static char *
copy(const char *text)
{
    conf_text_learn(&stand_ins, text);
    return conf_text_copy(&stand_ins, text);
}

/* --- what stays ------------------------------------------------------------------------------- */

static const struct {
    const char *text, *copy;
} rows[] = {
    {"# a secret\nenabled = true;\n", "#\nenabled = true;\n"},
    {"x = 1; // a b\n/* c\n d */ release = \"keep\";", "key-1 = 0; #\n/*\n*/ release = \"keep\";"},
    {"release = \"secret\"; boot_wait = \"30s\"; lock_timeout = \"30 secret\";",
     "release = \"text-1\"; boot_wait = \"30s\"; lock_timeout = \"text-2\";"},
    {"classes = { small = { types = [ \"T4-1B\", \"T5\" ]; traits = [ \"x\" ]; }; };",
     "classes = { class-1 = { types = [ \"T4-1B\", \"type-1\" ]; traits = [ \"trait-1\" ]; }; };"},
    {"default_class = \"small\"; classes = { types = { framebuffer = \"2G\"; }; };",
     "default_class = \"class-2\"; classes = { class-1 = { framebuffer = \"2G\"; }; };"},
    {"gpus = ( { address = \"0000:3d:00.0\"; setup = { functions = \"all\"; instances = [ "
     "\"1g.24gb+gfx\", \"secret\" ]; sizes = \"mixed\"; }; }, { setup = { functions = 8; }; } );",
     "gpus = ( { address = \"0000:3d:00.0\"; setup = { functions = \"all\"; instances = [ "
     "\"1g.24gb+gfx\", \"text-1\" ]; sizes = \"mixed\"; }; }, { setup = { functions = 8; }; } );"},
    {"pools = { p = { functions = [ \"0000:c1:02.*\" ]; driver = \"vfio-pci\"; }; };"
     "classes = { c = { types = [ \"p\" ]; }; };",
     "pools = { pool-1 = { functions = [ \"0000:c1:02.*\" ]; driver = \"vfio-pci\"; }; };"
     "classes = { class-1 = { types = [ \"pool-1\" ]; }; };"},
    {"quotas = ( { domains = [ \"web*\", \"*\", \"zoo*\", \"db\", \"new\" ]; class = \"c\"; "
     "max = 4711; } );",
     "quotas = ( { domains = [ \"domain-1\", \"domain-2\", \"*\", \"pattern-1\", \"domain-3\", "
     "\"domain-4\" ]; class = \"class-1\"; max = 4711; } );"},
    {"quotas = ( { domains = [ \"5EC2E700-1111-4000-8000-0000000000A1\" ]; max = 0x10; } );",
     "quotas = ( { domains = [ \"00000000-0000-4000-8000-000000000001\" ]; max = 0x10; } );"},
    {"domains = ( { name = \"web*\";\n devices = ( { alias = \"ua-a\"; type = \"T4-1B\"; } "
     "); } );\n",
     "domains = ( { name = \"domain-1\";\n devices = ( { alias = \"ua-alias-1\"; type = "
     "\"T4-1B\"; } "
     "); }, { name = \"domain-2\";  devices = ( { alias = \"ua-alias-1\"; type = \"T4-1B\"; } ); } "
     ");\n"},
    {"domains = ( { name = \"zoo*\"; }, { name = \"db\"; } );",
     "domains = ( { name = \"pattern-1\"; }, { name = \"domain-3\"; } );"},
    {"quotas = ( { domains = [ \"\\x77eb0\" /* a */ \"1\" ]; } );",
     "quotas = ( { domains = [ \"domain-1\" /**/ \"\" ]; } );"},
    {"class = 4711; default_class = 47.11; name = 0x4711L;",
     "class = 0; default_class = 0.0; name = 0L;"},
    {"class = \"a\\\"# b\"; # one", "class = \"class-1\"; #"},
    {"class = \"open # secret\nname = \"web01\";\n", "class = \"class-1\n\"key-1\"text-1\n"},
    {"/* no end\n x", "/*\n"},
    {"name = \"", "name = \""},
    {"quotaz = ( { domainz = [ \"web*\" ]; } );", "key-1 = ( { key-2 = [ \"text-1\" ]; } );"},
    {"\xc3\xa4\xc3\xb6 $ = 1;\n@include \"secret\"\n/* a\n  @include \"x\" */",
     "? ? = 0;\n@include \"text-1\"\n/*\n@include*/"},
};

static void
what_stays(void **state)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *got = NULL;

        start();
        got = copy(rows[i].text);
        stand_ins_clear(&stand_ins);
        assert_string_equal(got, rows[i].copy);
    }
}

static void
names_stay(void **state)
{
    start();
    stand_ins.keeps_names = true;
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *got = copy(rows[i].text);

        if (!strpbrk(rows[i].text, "#/\xc3$@"))
            assert_string_equal(got, rows[i].text);
    }
    stand_ins_clear(&stand_ins);
}

/* --- faults ----------------------------------------------------------------------------------- */

static const char right[] =
    "# who may have what\n"
    "release = \"keep\"; boot_wait = \"30s\";\n"
    "gpus = (\n"
    "    { address = \"0000:18:00.0\"; traits = [ \"fast\" ]; reserve = 1; },\n"
    "    { address = \"0000:19:00.0\"; enabled = false; } );\n"
    "/* two\n   classes */\n"
    "classes = {\n"
    "    small = { types = [ \"T4-1B\" ]; placement = \"spread\"; };\n"
    "    large = { framebuffer = \"16G\"; };\n"
    "};\n"
    "default_class = \"small\";\n"
    "pools = { own = { functions = [ \"0000:c1:02.[0-3]\" ]; }; };\n"
    "quotas = ( { domains = [ \"web*\", \"db\" ];\n"
    "             class = \"small\"; max = 2; } );\n"
    "domains = ( { name = \"web*\";\n"
    "              devices = ( { alias = \"ua-gpu0\";\n"
    "                            class = \"large\"; } ); } );\n";

/* Takes out some bytes of a text, or puts others in. */
static void
damage(char *text, size_t size, uint64_t *seed)
{
    static const char bytes[] = "\"\"\"{}()[];,=:#/*\n\\ax0.-@";
    size_t length = strlen(text), at = chance(seed, (unsigned)length);

    if (maybe(seed, 50) || length + 2 >= size) {
        size_t gone = 1 + chance(seed, 3);

        gone = at + gone > length ? length - at : gone;
        memmove(text + at, text + at + gone, length - at - gone + 1);
    } else {
        memmove(text + at + 1, text + at, length - at + 1);
        text[at] = bytes[chance(seed, sizeof(bytes) - 1)];
    }
}

/* Keeps the lines that an error names: ":3:". A fault may be there twice, because groups are
 * repeated. */
static void
keep_lines(const char *error, char *ret, size_t size)
{
    *ret = '\0';
    for (const char *at = strstr(error, MAIN ":"); at; at = strstr(at + 1, MAIN ":")) {
        char number[16], mark;
        unsigned line;

        if (sscanf(at, MAIN ":%u%c", &line, &mark) != 2 || mark != ':')
            continue;
        snprintf(number, sizeof(number), " %u ", line);
        if (!strstr(ret, number))
            snprintf(ret + strlen(ret), size - strlen(ret), "%s", number);
    }
}

/* Whether all lines are among others. A group that is repeated may have a fault in its last line.
 */
static bool
has_lines(const char *others, const char *lines)
{
    char copy[512], *rest = copy, *line;

    snprintf(copy, sizeof(copy), "%s", lines);
    while ((line = strsep(&rest, " "))) {
        char number[16];

        snprintf(number, sizeof(number), " %.10s ", line);
        if (*line && !strstr(others, number))
            return false;
    }
    return true;
}

/* A playback of a damaged file finds faults in the same lines as the host. */
static void
faults_stay(void **state)
{
    struct conf *conf = *state;
    uint64_t seed = chance_setting("SEED", SEED);
    unsigned faults = 0;

    for (uint64_t round = chance_rounds(3000); round > 0; round--) {
        AUTO_FREE char *left = NULL;
        char text[2048], lines[512], others[512];
        struct error error;
        int rc;

        snprintf(text, sizeof(text), "%s", right);
        for (unsigned i = 1 + chance(&seed, 2); i > 0; i--)
            damage(text, sizeof(text), &seed);
        rc = conf_load_text(conf, text);
        error = conf->error;
        start();
        left = copy(text);
        stand_ins_clear(&stand_ins);
        faults += rc < 0;
        keep_lines(error.text, lines, sizeof(lines));
        if (conf_load_text(conf, left) != rc)
            fail_msg("%s\n%s\n-- but of the copy:\n%s\n%s", text, error.text, left,
                     conf->error.text);
        keep_lines(conf->error.text, others, sizeof(others));
        if (!has_lines(others, lines))
            fail_msg("%s\nof %s\n-- but%s\nof %s", lines, text, others, left);
    }
    assert_true(faults > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays),
        cmocka_unit_test(names_stay),
        cmocka_unit_test_setup_teardown(faults_stay, conf_set_up, conf_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
