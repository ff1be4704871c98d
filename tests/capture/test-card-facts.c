/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A public capture has facts of cards and no secret: random texts of several scripts are planted in
 * all that vgpuctl reads and that people write. None of them is in the capture, on any machine of
 * tests/machines, and the capture answers as its host.
 */

#include "capture/archive.h"
#include "capture/card-facts.h"
#include "cli/command.h"
#include "fake/chance.h"
#include "fake/typed.h"
#include "program/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_NAME "capture.tar.gz"

static struct scene scene;
static struct typed typed;
static uint64_t seed;

/* --- secrets ---------------------------------------------------------------------------------- */

/* What a place takes: any text, a name of a file, such a name that is no number, or a key of
 * vgpu.conf. The value is the number of scripts. */
enum place { KEY_OF = 1, WORD_OF = 5, FILE_OF = 6, ANY = 7 };

static struct words secrets;

/* Returns a new secret, in static memory, eight at a time. Each has 12 characters of one script. */
static const char *
secret(enum place place)
{
    static const char *const scripts[][12] = {
        {"k", "v", "q", "z", "w", "x", "j", "K", "V", "Q", "Z", "W"},
        {"\u0416", "\u0434", "\u0449", "\u044f", "\u0444", "\u0431", "\u0437", "\u0438", "\u043b",
         "\u043f", "\u0446", "\u0448"},
        {"\u03b1", "\u03b2", "\u03b3", "\u03b4", "\u03b5", "\u03b6", "\u03b7", "\u03b8", "\u03bb",
         "\u03be", "\u03c0", "\u03c8"},
        {"\u4e91", "\u670d", "\u52a1", "\u5668", "\u5de5", "\u8d44", "\u8d26", "\u5355", "\u8d22",
         "\u5bc6", "\u7801", "\u94a5"},
        {"\u00e4", "\u00f6", "\u00fc", "\u00df", "\u00c4", "\u00d6", "\u00dc", "\u00e9", "\u00e8",
         "\u00f1", "\u00e5", "\u00f8"},
        {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "4", "2"},
        {"\"", "'", "\\", "&", "<", ">", "%", "#", "*", "?", "[", "]"},
    };
    static char texts[8][64];
    static unsigned next;
    char *text = texts[next++ % COUNT(texts)];
    unsigned script = chance(&seed, place);

    *text = '\0';
    for (unsigned i = 0; i < 12; i++)
        strcat(text, scripts[script][chance(&seed, 12)]);
    words_add(&secrets, text);
    return text;
}

/* Copies a text, with a backslash in front of some characters. The caller frees the copy. */
static char *
escaped(const char *text, const char *special)
{
    char *ret = NULL;
    size_t length;
    FILE *out = open_memstream(&ret, &length);

    for (; *text; text++)
        fprintf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
    fclose(out);
    return ret;
}

/* A secret as a string of vgpu.conf: each byte by its number, or as it is. Static memory, eight at
 * a time. */
static const char *
quoted(void)
{
    static char texts[8][256];
    static unsigned next;
    char *text = texts[next++ % COUNT(texts)];
    const char *plain = secret(ANY);
    size_t at = 0;

    if (maybe(&seed, 50)) {
        AUTO_FREE char *marked = escaped(plain, "\"\\");

        snprintf(text, sizeof(*texts), "%s", marked);
        return text;
    }
    for (; *plain; plain++)
        at += (size_t)snprintf(text + at, sizeof(*texts) - at, "\\x%02x", (unsigned char)*plain);
    words_add(&secrets, text);
    return text;
}

/* Whether a text has the secret, as it is or as an archive writes it. */
static bool
has(const char *text, const char *hidden)
{
    AUTO_FREE char *written = escaped(hidden, "\\");

    return strstr(text, hidden) || strstr(text, written);
}

/* Fails, and shows the line, if a manifest has a secret. */
static void
assert_hidden(const char *manifest)
{
    AUTO_FREE char *copy = strdup(manifest);
    char *rest = copy, *line;

    assert_true(secrets.count > 10);
    while ((line = strsep(&rest, "\n"))) {
        for (size_t i = 0; i < secrets.count; i++) {
            if (has(line, secrets.items[i]))
                fail_msg("%s is in the capture: %s", secrets.items[i], line);
        }
    }
}

static int
set_up(void **state)
{
    seed = chance_setting("SEED", SEED);
    return 0;
}

static int
tear_down(void **state)
{
    words_clear(&secrets);
    typed_clear(&typed);
    return 0;
}

/* --- every text of a manifest ----------------------------------------------------------------- */

#define STATUS "100644 root 12 1.000000000 1.000000000 1:2"
#define ONE    "5ec2e700-1111-4000-8000-0000000000a1"

/* In a path, '$' is a name; in a text, a secret of any characters. '@' is a name that is no number,
 * because a number has its place there. */
static const struct {
    enum answer_kind kind;
    const char *path, *text;
} plantable[] = {
    {ANSWER_HOST, "config", "home/$/etc/libvirt-vgpu"},
    {ANSWER_HOST, "hook", "opt/$/hook"},
    {ANSWER_HOST, "$", "$"},
    {ANSWER_HOST, "now", "@"},
    {ANSWER_LIST, "run/libvirt/qemu", "$.xml/$.pid/$"},
    {ANSWER_LIST, "etc/libvirt/hooks/qemu.d", "$/50-vgpu/$.bak/$~/.$.swp/#$#"},
    {ANSWER_LIST, "etc/libvirt-vgpu/conf.d", "$.conf/.$.conf/$"},
    {ANSWER_LIST, "run/libvirt-vgpu", "$/ledger.$"},
    {ANSWER_LIST, "run/libvirt-vgpu/ran", "$/" ONE ".@"},
    {ANSWER_LIST, "etc/mdevctl.d", "$"},
    {ANSWER_LIST, "proc", "@/7"},
    {ANSWER_LIST, "proc/7/fd", "3/4/5/6/7"},
    {ANSWER_LIST, "proc/7/task", "7/@"},
    {ANSWER_DEVICE, "proc/7/fd/6", "$"},
    {ANSWER_DEVICE, "proc/7/fd/7", "240:@"},
    {ANSWER_READ, "proc/7/fdinfo/6", "flags:\t@\n$"},
    {ANSWER_READ, "sys/class/vfio/$/dev", "240:@\n"},
    {ANSWER_LIST, "sys/bus/pci/devices", "0000:18:00.0/$"},
    {ANSWER_LIST, "sys/bus/pci/devices/0000:18:00.0", "virtfn0/$"},
    {ANSWER_LIST, "$", "$"},
    {ANSWER_LINK, "proc/7/fd/3", "/srv/$/vfio/$"},
    {ANSWER_LINK, "proc/7/fd/4", "/srv/$/dev/vfio/@"},
    {ANSWER_LINK, "proc/7/fd/5", "/dev/vfio/12@"},
    {ANSWER_LINK, "etc/libvirt/hooks/qemu.d/$", "/home/$/.config/$.sh"},
    {ANSWER_LINK, "etc/libvirt/hooks/qemu.d/50-vgpu", "../../../../home/$/$"},
    {ANSWER_LINK, "etc/$", "$"},
    {ANSWER_LINK, "run/libvirt-vgpu/functions/0000:18:00.4", "$"},
    {ANSWER_LINK, "run/libvirt-vgpu/functions/0000:18:00.4.former", "@"},
    {ANSWER_LINK, "run/libvirt-vgpu/proving/0000:18:00.0", "@"},
    {ANSWER_LINK, "run/libvirt-vgpu/whole/0000:18:00.0." ONE, "1.2.3.$"},
    {ANSWER_LINK, "run/libvirt-vgpu/whole/$." ONE, "1.@.3.$"},
    {ANSWER_LIST, "run/libvirt-vgpu/whole", "$/0000:18:00.0." ONE "/0000:18:00.0.@"},
    {ANSWER_LINK, "sys/bus/mdev/devices/" ONE, "../../../devices/$/" ONE},
    {ANSWER_STATUS, "home/$/$", STATUS},
    {ANSWER_STATUS, "etc/x", "$"},
    {ANSWER_STATUS, "etc/y", STATUS " $"},
    {ANSWER_LABEL, "etc/libvirt-vgpu", "$:$:$:s0:$"},
    {ANSWER_LABEL, "usr/$", "$"},
    {ANSWER_LOCKED, "@", "$"},
    {ANSWER_READ, "proc/7/comm", "qemu:$\n$\n"},
    {ANSWER_READ, "proc/8/comm", "$\n"},
    {ANSWER_READ, "proc/7/stat",
     "7 (qemu:$) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 "},
    {ANSWER_READ, "proc/8/stat", "8 ($) @ @ $"},
    {ANSWER_READ, "proc/9/stat", "@"},
    {ANSWER_READ, "proc/7/attr/current", "$ (enforce)\n$"},
    {ANSWER_READ, "proc/8/attr/current", "$:$:$:s0\n"},
    {ANSWER_READ, "proc/self/status", "Name:\t$\nSeccomp:\t$\nGroups:\t$\n"},
    {ANSWER_READ, "proc/sys/kernel/random/boot_id", "$\n$\n"},
    {ANSWER_READ, "proc/sys/kernel/osrelease", "6.1.0-@-amd64\n"},
    {ANSWER_READ, "proc/driver/nvidia/gpus/0000:18:00.0/information", "GPU UUID: \t$\nX: $\n"},
    {ANSWER_READ, "sys/module/nvidia/version", "550.@\n"},
    {ANSWER_READ, "sys/bus/pci/devices/0000:18:00.0/vendor", "0x10de $\n$\n"},
    {ANSWER_READ, "sys/bus/pci/devices/0000:18:00.0/$", "@\n"},
    {ANSWER_READ, "sys/bus/pci/devices/0000:c1:00.0/accelerator_partition_profile",
     "$\n$ CPX 8 $\n$"},
    {ANSWER_READ, "sys/bus/pci/devices/0000:c2:00.0/accelerator_partition_profile", "\n1 @PX @"},
    {ANSWER_READ, "sys/class/mdev_bus/mtty/mdev_supported_types/mtty-1/description", "$ x=$\n"},
    {ANSWER_READ, "run/libvirtd.pid", "@\n"},
    {ANSWER_READ, "run/libvirt-vgpu/types",
     "$ nvidia-222 GRID\n0000:18:00.0 $\n$\n0000:18:00.0 10de:1eb8:$ nvidia-222 GRID\n"},
    {ANSWER_READ, "run/udev/rules.d/60-mdevctl.rules",
     "# $\nRUN+=\"/opt/$/mdevctl $\"\n$/mdevctl "},
    {ANSWER_READ, "run/hooks/$", "#!/bin/sh\n$\n"},
    {ANSWER_READ, "etc/libvirt/hooks/qemu.d/$", "#!/bin/$\n# $ libvirt-vgpu-hook --key=$\n"},
    {ANSWER_READ, "etc/selinux/config", "# $\nSELINUXTYPE=$ # $\nSELINUXTYPE=targeted $\n$\n"},
    {ANSWER_READ, "etc/selinux/targeted/contexts/files/file_contexts",
     "/home/$ $:object_r:libvirt_vgpu_exec_t:$\n"},
    {ANSWER_READ, "etc/apparmor.d/local/usr.sbin.libvirtd", "# $\n/opt/$/hook PUx, # $\n$\n"},
    {ANSWER_READ, "etc/mdevctl.d/0000:18:00.0/" ONE, "{ \"$\": \"$\", \"start\": \"auto\" $\n"},
    {ANSWER_READ, "$", "$"},
    {ANSWER_OPEN, "etc/libvirt-vgpu/vgpu.conf", STATUS "\n# $\nname = \"$\n$ = { $\n\"$\""},
    {ANSWER_OPEN, "etc/libvirt-vgpu/conf.d/$.conf", STATUS "\n$"},
    {ANSWER_OPEN, "run/libvirt/qemu/$.xml", STATUS "\n<domstatus pid='7'><domain><name>$</name>$"},
    {ANSWER_OPEN, "run/libvirt-vgpu/ledger", STATUS "\nlibvirt-vgpu-ledger 1 $ 7\nmdev $ $ $\n$"},
    {ANSWER_OPEN, "$", STATUS "\n$"},
    {ANSWER_OPEN, "etc/$", "$"},
};

/* Puts a secret in for each '$' and '@'. The caller frees it. */
static char *
fill(const char *text, enum place place)
{
    char *ret = NULL;
    size_t length;
    FILE *out = open_memstream(&ret, &length);

    for (; *text; text++) {
        if (*text == '$' || *text == '@')
            fputs(secret(*text == '$' ? place : WORD_OF), out);
        else
            fputc(*text, out);
    }
    fclose(out);
    return ret;
}

static bool
is_of_names(enum answer_kind kind)
{
    return kind == ANSWER_LIST || kind == ANSWER_LINK || kind == ANSWER_HOST;
}

#define TEST(function) UNIT_TEST_IN(function, set_up, tear_down, NULL)

TEST(every_text)
{
    size_t planted = 0;

    for (uint64_t round = chance_rounds(100); round > 0; round--) {
        AUTO(answers_clear) struct answers answers = {0}, left = {0};
        AUTO_FREE char *manifest = NULL;
        size_t length;
        FILE *out = open_memstream(&manifest, &length);

        for (size_t i = 0; i < COUNT(plantable); i++) {
            enum answer_kind kind = plantable[i].kind;
            AUTO_FREE char *path = fill(plantable[i].path, FILE_OF);
            AUTO_FREE char *text = fill(plantable[i].text, is_of_names(kind) ? FILE_OF : ANY);

            answers_add(&answers, kind, path, text, (ssize_t)strlen(text));
        }
        card_facts_take(&answers, &left);
        answers_write(&left, false, "", out);
        fclose(out);
        assert_hidden(manifest);
        planted += secrets.count;
        words_clear(&secrets);
    }
    assert_true(planted >= 588 || chance_rounds(100) < 4);
}

/* --- every machine ---------------------------------------------------------------------------- */

/* tar needs real time. So the real clock measures the wait for it. */
static int
run_program(const struct host *host, char *const argv[], int out, unsigned milliseconds)
{
    const struct host real = {.root = host->root, .ops = &host_kernel};

    return program_run(&real, argv, out, milliseconds);
}

/* Writes a file. In the text, '$' is a name, and '^' is a string of vgpu.conf. */
static void
plant_file(const char *path, const char *text)
{
    AUTO_FREE char *name = fill(path, FILE_OF), *content = NULL;
    size_t length;
    FILE *out = open_memstream(&content, &length);

    for (; *text; text++) {
        if (*text == '$' || *text == '^' || *text == '@')
            fputs(*text == '$' ? secret(FILE_OF) : *text == '^' ? quoted() : secret(KEY_OF), out);
        else
            fputc(*text, out);
    }
    fclose(out);
    fake_write(&scene.kernel, name, content);
    if (strstr(name, "hooks"))
        assert_int_equal(fchmodat(scene.kernel.host.root, name, 0755, 0), 0);
}

/* Configurations: right ones, and such with a fault. In these, '@' is the name of a key. */
static const char *const configurations[] = {
    "# ^ $\nclasses = { @ = { types = [ \"^\", \"T4-1B\" ]; traits = [ \"^\" ]; }; }; /* ^ */\n"
    "gpus = ( { address = \"0000:18:00.0\"; traits = [ \"^\" ]; } ); // $\n"
    "domains = ( { name = \"^\"; devices = ( { alias = \"ua-^\"; type = \"^\"; } ); } );\n"
    "pools = { @ = { functions = [ \"0000:c1:02.*\" ]; }; };\n"
    "profiles = { @ = { vram = \"2G\"; }; };\n"
    "params = [ \"^\" ];\n",
    "classes = { c = { framebuffer = \"1G\"; }; };\n",
    "quotas = ( { domains = [ \"$*\", \"^\" \"^\" ]; class = \"^\"; max = 2; } );\n",
    "quotas = ( { domains = [ \"^\", \"^ ]; class = \"^\"; max = 2; } );\n",
    "quotaz = ( { domainz = [ \"^\" ]; @ = \"^\"; } );\ndefault_clas = \"^\";\n",
    "default_class = \"^\"; @ = { @ = 4711; \"^\" }\n",
    "/* $\n^\n",
    "@include \"^\"\n",
    "$ = $;\n^\n",
    "release = \"^\"; boot_wait = \"^\"; gpus = ( { address = \"^\"; } );\n",
};

static void
plant(void)
{
    static size_t next;

    plant_file("etc/libvirt-vgpu/vgpu.conf", configurations[next++ % COUNT(configurations)]);
    plant_file("etc/libvirt-vgpu/conf.d/$.conf", "# ^\n");
    plant_file("etc/libvirt-vgpu/conf.d/$", "^\n");
    plant_file("etc/libvirt/hooks/qemu.d/$", "#!/bin/sh\n# ^\n");
    plant_file("etc/libvirt/hooks/qemu.d/$.bak", "#!/bin/$\nexec libvirt-vgpu-hook $\n");
    plant_file("etc/libvirt/hooks/qemu", "$\n");
    plant_file("run/udev/rules.d/60-mdevctl.rules", "# $\nRUN+=\"/opt/$/mdevctl $\"\n");
    plant_file("etc/apparmor.d/local/usr.sbin.libvirtd", "# ^\n/opt/$/* PUx,\n");
    plant_file("run/libvirt/qemu/$.xml",
               "<domstatus state='running' pid='1'><domain type='kvm'><name>$</name>"
               "<uuid>5ec2e700-1111-4000-8000-0000000000a1</uuid><title>$</title><devices>"
               "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source>"
               "<address uuid='5ec2e700-2222-4000-8000-0000000000b2'/></source>"
               "<alias name='ua-vgpu-$'/></hostdev></devices></domain></domstatus>\n");
    plant_file("run/libvirt/qemu/$.xml", "<domstatus pid='1'><domain><name>$</name><$>$\n");
    plant_file("run/hooks/$", "#!/bin/sh\n# ^\n");
    words_add(&secrets, "5ec2e700");
}

/* A fault of the configuration is told in other words of the capture. */
static void
cut_warnings(char *document)
{
    char *warnings = strstr(document, ",\n   \"warnings\": [");

    if (warnings)
        *warnings = '\0';
}

/* Plays a capture: it answers as the host. A configuration with a fault is not recorded. */
static void
compare(const char *line)
{
    AUTO_FREE char *elsewhere = NULL, *live = NULL;
    AUTO_FREE char *faults = NULL;
    int status;

    assert_true(asprintf(&elsewhere, "%s --root " FILE_NAME, line) > 0);
    status = typed_run(&scene, NULL, line, &typed);
    live = strdup(typed.printed);
    faults = strdup(typed.faults);
    typed_run(&scene, NULL, elsewhere, &typed);
    assert_int_equal(typed.status, status);
    if (strstr(faults, "/etc/libvirt-vgpu/")) {
        cut_warnings(live);
        cut_warnings(typed.printed);
    } else {
        assert_string_equal(typed.faults, faults);
    }
    assert_string_equal(typed.printed, live);
}

/* What would be tried on each GPU. */
static void
compare_forecasts(void)
{
    AUTO_FREE char *gpus = NULL;
    char *rest, *gpu;

    assert_int_equal(typed_run(&scene, NULL, "vgpuctl gpus -rn -o GPU", &typed), COMMAND_DONE);
    rest = gpus = strdup(typed.printed);
    while ((gpu = strsep(&rest, "\n")) && *gpu) {
        AUTO_FREE char *line = NULL;

        assert_true(asprintf(&line, "vgpuctl prove %s --dry-run", gpu) > 0);
        compare(line);
    }
}

static void
compare_all(void)
{
    compare("vgpuctl gpus --json");
    compare("vgpuctl types --json -o " TYPED_FIGURES);
    compare_forecasts();
}

/* Makes a capture with these words, and looks for secrets in it. */
static void
capture(const char *words)
{
    AUTO_FREE char *line = NULL, *manifest = NULL;
    struct error error;

    assert_true(asprintf(&line, "vgpuctl capture " FILE_NAME "%s", words) > 0);
    if (typed_run(&scene, NULL, line, &typed) != COMMAND_DONE)
        fail_msg("%s: %s", line, typed.faults);
    assert_string_equal(typed.faults, "");
    assert_int_equal(archive_read(&scene.kernel.host, FILE_NAME, &manifest, &error), 1);
    assert_hidden(manifest);
    compare_all();
}

static void
start_machine(const char *name)
{
    scene_start_machine(&scene, name);
    scene.kernel.host.run = run_program;
    assert_int_equal(chdir(scene.kernel.path), 0);
}

static void
stop_machine(void)
{
    assert_int_equal(chdir("/"), 0);
    scene_stop(&scene);
    words_clear(&secrets);
}

/* A capture of a machine that nobody has configured answers as the machine. */
static void
capture_bare(const char *name)
{
    start_machine(name);
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl capture " FILE_NAME, &typed), COMMAND_DONE);
    compare_all();
    stop_machine();
}

/* A capture of the machine has no secret, nor has a capture of a capture that has names. */
static void
capture_machine(const char *name)
{
    start_machine(name);
    plant();
    capture("");
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl capture named.tar.gz --names", &typed),
                     COMMAND_DONE);
    capture(" --root named.tar.gz");
    stop_machine();
}

TEST(every_machine)
{
    AUTO(words_clear) struct words machines = {0};

    scene_list_machines(&machines);
    for (size_t i = 0; i < machines.count; i++) {
        capture_bare(machines.items[i]);
        for (uint64_t round = chance_rounds(2); round > 0; round--)
            capture_machine(machines.items[i]);
    }
}

/* --- the configuration ------------------------------------------------------------------------ */

/* Of vgpu.conf only what finds cards is left, written anew. */
TEST(the_policy_is_written_anew)
{
    static const char wanted[] = "gpus = (\\n"
                                 "    {\\n"
                                 "        address = \"0000:18:00.0\";\\n"
                                 "        types = [ \"T4-1B\", \"type-not-here\" ];\\n"
                                 "        reserve = 1;\\n"
                                 "        setup = {\\n"
                                 "            scheduler = \"equal-share\";\\n"
                                 "        };\\n"
                                 "    },\\n"
                                 "    {\\n"
                                 "        address = \"gpu-2\";\\n"
                                 "        enabled = false;\\n"
                                 "    }\\n"
                                 ");\\n"
                                 "pools = {\\n"
                                 "    pool-1 = {\\n"
                                 "        functions = [ \"none\" ];\\n"
                                 "        driver = \"driver-not-here\";\\n"
                                 "        framebuffer = \"24G\";\\n"
                                 "    };\\n"
                                 "};\\n"
                                 "profiles = {\\n"
                                 "    profile-1 = {\\n"
                                 "        vram = \"2G\";\\n"
                                 "    };\\n"
                                 "};\\n"
                                 "max_instances = (\\n"
                                 "    {\\n"
                                 "        types = [ \"nvidia-222\", \"pool-1\", \"profile-1\" ];\\n"
                                 "        max = 3;\\n"
                                 "    }\\n"
                                 ");\\n\n";
    AUTO_FREE char *manifest = NULL;
    struct error error;

    scene_start(&scene, "gpu 0000:18:00.0 rule size numa 0\n"
                        "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n");
    scene.kernel.host.run = run_program;
    assert_int_equal(chdir(scene.kernel.path), 0);
    scene_configure(
        &scene,
        "release = \"keep\"; accept = [ \"payroll\" ];\n"
        "gpus = ( { address = \"0000:18:00.0\"; traits = [ \"!wall\", \"payroll\" ];\n"
        "  types = [ \"T4-1B\", \"payroll\" ]; reserve = 1;\n"
        "  setup = { scheduler = \"equal-share\"; }; },\n"
        "  { address = \"payroll-gpu\"; enabled = false; } );\n"
        "pools = { payroll-p = { functions = [ \"0000:c1:02.*\" ]; driver = \"payroll-d\";\n"
        "  framebuffer = \"24G\"; }; };\n"
        "profiles = { payroll-q = { vram = \"2G\"; }; };\n"
        "max_instances = ( { types = [ \"nvidia-222\", \"payroll-p\", \"payroll-q\" ];"
        " max = 3; } );\n");
    fake_write(&scene.kernel, "proc/driver/nvidia/params",
               "ResmanDebugLevel: 4\nRegistryDwords: \"payroll=1;RmPVMRL=0x01\"\n");
    assert_int_equal(typed_run(&scene, NULL, "vgpuctl capture " FILE_NAME, &typed), COMMAND_DONE);
    assert_int_equal(archive_read(&scene.kernel.host, FILE_NAME, &manifest, &error), 1);
    assert_null(strstr(manifest, "payroll"));
    typed_assert_has(manifest, "proc/driver/nvidia/params = RegistryDwordsPerDevice: "
                               "\"pci=0000:18:00.0;RmPVMRL=0x01;\"\\n\n");
    typed_assert_has(manifest, wanted);
    compare("vgpuctl gpus --json");
    typed_assert_has(typed.printed, "\"setup\": \"as declared\"");
    assert_int_equal(chdir("/"), 0);
    scene_stop(&scene);
}
