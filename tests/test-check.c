/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpuctl check: faults and warnings, of configurations and of domains. */

#include "command.h"
#include "typed.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HERE "test:///default"
#define CONF "etc/libvirt-vgpu/vgpu.conf"

static struct scene scene;
static struct typed typed;
static char schema[512]; /* the directory it is in */

#define MACHINE                                                                                    \
    "gpu 0000:18:00.0 rule size numa 0\n"                                                          \
    "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"                                     \
    "type nvidia-223 \"GRID T4-2B\" framebuffer 2048 max 8\n"                                      \
    "gpu 0000:e7:00.0 rule size numa 0 vfs 2\n"                                                    \
    "type nvidia-742 \"NVIDIA A2-1B\" framebuffer 1024 max 16\n"

static int
setup(void **state)
{
    (void)state;
    scene_start(&scene, MACHINE);
    scene.kernel.host.data = schema;
    return chdir(scene.kernel.path);
}

static int
teardown(void **state)
{
    (void)state;
    assert_int_equal(chdir("/"), 0);
    typed_clear(&typed);
    scene_stop(&scene);
    return 0;
}

static void
configure(const char *text)
{
    fake_write(&scene.kernel, CONF, text);
}

static int
run(const char *line)
{
    return typed_run(&scene, HERE, line, &typed);
}

/* --- configurations --------------------------------------------------------------------------- */

static void
sound_configurations(void **state)
{
    (void)state;
    assert_int_equal(run("vgpuctl check"), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
    configure("classes = { small = { types = [ \"T4-1B\", \"A2-1B\" ]; };\n"
              "            big = { framebuffer = \"2G\"; }; };\n"
              "gpus = ( { address = \"0000:18:00.0\"; types = [ \"nvidia-223\", \"T4-1B\" ]; } );\n"
              "quotas = ( { domains = [ \"*\" ]; class = \"small\"; max = 0; } );\n"
              "domains = ( { name = \"web*\"; devices = ( { alias = \"a\"; type = \"A2-1B\"; },\n"
              "  { alias = \"b\"; class = \"big\"; } ); } );\n"
              "default_class = \"small\";\n");
    typed_golden(&scene, HERE, "check-sound", "vgpuctl check");
}

static void
broken_configurations(void **state)
{
    (void)state;
    configure("enabled = 5;\nplacemnt = \"pack\";\n"
              "gpus = ( { address = \"here; /etc/passwd\"; }, { types = [ ]; } );\n"
              "default_class = \"none\";\n");
    fake_write(&scene.kernel, "etc/libvirt-vgpu/conf.d/10-a.conf", "classes = {\n");
    typed_golden(&scene, HERE, "check-broken", "vgpuctl check");
}

static void
to_no_effect(void **state)
{
    (void)state;
    configure("gpus = ( { address = \"0000:19:00.0\"; },\n"
              "  { address = \"0000:18:00.0\"; types = [ \"T4-1Q\", \"nvidia-742\" ]; },\n"
              "  { address = \"0000:e7:00.4\"; } );\n"
              "classes = { gone = { types = [ \"V100-1B\", \"V100-2B\" ]; };\n"
              "  huge = { framebuffer = \"64G\"; };\n"
              "  fast = { types = [ \"T4-1B\" ]; traits = [ \"fast\" ]; };\n"
              "  small = { types = [ \"A2-1B\", \"A40-1B\" ]; };\n"
              "  shut = { types = [ \"T4-2B\" ]; }; };\n"
              "quotas = ( { domains = [ \"a*\" ]; class = \"gone\"; max = 1; },\n"
              "  { domains = [ \"a*\" ]; class = \"small\"; max = 1; } );\n"
              "domains = ( { name = \"web*\"; devices = (\n"
              "  { alias = \"a\"; type = \"A2-1V\"; },\n"
              "  { alias = \"b\"; class = \"huge\"; } ); } );\n"
              "default_class = \"fast\";\n");
    typed_golden(&scene, HERE, "check-no-effect", "vgpuctl check");
    scene_stop(&scene);
    scene_start(&scene, "");
    configure("enabled = false; gpus = ( { address = \"0000:19:00.0\"; } );\n");
    typed_golden(&scene, HERE, "check-no-gpu", "vgpuctl check");
}

/* --- domains ---------------------------------------------------------------------------------- */

static const char head[] = "<domain type='kvm' xmlns:vgpu='urn:libvirt-vgpu:domain:1'>\n"
                           "  <name>web01</name>\n"
                           "  <uuid>aaaaaaaa-0000-4000-8000-000000000001</uuid>\n"
                           "  <metadata>\n",
                  middle[] = "  </metadata>\n  <devices>\n", tail[] = "  </devices>\n</domain>\n";

/* A hostdev, with more attributes. */
static void
add_hostdev(FILE *out, const char *alias, const char *uuid, const char *attributes)
{
    fprintf(out,
            "    <hostdev mode='subsystem' type='mdev' model='vfio-pci'%s>\n"
            "      <source><address uuid='%s'/></source>\n      <alias name='%s'/>\n"
            "    </hostdev>\n",
            attributes, uuid, alias);
}

static void
write_domain(const char *request, const char *attributes, const char *uuid, const char *others)
{
    FILE *out = fopen("web01.xml", "we");

    assert_non_null(out);
    fprintf(out, "%s%s%s", head, request, middle);
    add_hostdev(out, "ua-gpu0", scene_device(1), attributes);
    add_hostdev(out, "ua-gpu1", uuid, attributes);
    fprintf(out, "%s%s", others, tail);
    fclose(out);
}

#define BOTH                                                                                       \
    "<vgpu:request>\n<vgpu:device alias='ua-gpu0' class='small'/>\n"                               \
    "<vgpu:device alias='ua-gpu1' type='T4-1B'/>\n</vgpu:request>\n"

static void
sound_domains(void **state)
{
    (void)state;
    configure("classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    write_domain(BOTH, "", scene_device(2), "");
    typed_golden(&scene, HERE, "check-domain", "vgpuctl check web01.xml");
    write_domain(BOTH, " display='on'", scene_device(2), "<graphics type='egl-headless'/>");
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
    write_domain(BOTH, " display='on'", scene_device(2),
                 "<graphics type='spice'><listen type='none'/><gl enable='yes'/></graphics>");
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_DONE);
    assert_string_equal(typed.faults, "");
}

static void
faulty_domains(void **state)
{
    (void)state;
    write_domain("<vgpu:request>\n<vgpu:device alias='ua-gpu0' tpye='small'/>\n"
                 "<vgpu:device alias='ua-gpu1' type='T4-1B'>\n  <vgpu:param name='a'/>\n"
                 "</vgpu:device>\n<device/>\n<vgpu:device uuid='1' type='a'/>\n"
                 "<vgpu:device alias='&#155;31m' type='a' class='b'/>\n</vgpu:request>\n",
                 "", scene_device(2), "");
    typed_golden(&scene, HERE, "check-domain-faults", "vgpuctl check ./web01.xml");
    write_domain("<vgpu:request colour='red'/>\n", "", scene_device(2), "");
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_FAILED);
    typed_assert_has(typed.faults,
                     "web01.xml:5: <vgpu:request> has an unknown attribute \"colour\"\n");
    write_domain("<vgpu:request><vgpu:device alias='ua-gpu7' type='T4-1B'/></vgpu:request>", "",
                 scene_device(2), "");
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "web01.xml: <vgpu:device alias=\"ua-gpu7\"> names no ");
    write_domain(BOTH, "", scene_device(2), "");
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "web01.xml: ua-gpu0 asks for the class \"small\", and vgpu");
    configure("enabled = maybe;\n");
    typed_golden(&scene, HERE, "check-domain-broken", "vgpuctl check web01.xml");
}

static void
domains_not_as_meant(void **state)
{
    (void)state;
    configure("classes = { small = { types = [ \"T4-1B\" ]; }; };\n");
    write_domain("<vgpu:request><vgpu:device alias='ua-gpu0' type='T4-1B'/></vgpu:request>\n",
                 " managed='yes' display='on' ramfb='on'", "aaaaaaaa-0000-4000-8000-000000000001",
                 "<graphics type='vnc'/>\n");
    typed_golden(&scene, HERE, "check-domain-warnings", "vgpuctl check web01.xml");
}

static void
no_domains(void **state)
{
    (void)state;
    fake_write(&scene.kernel, "a.xml", "<network/>");
    assert_int_equal(run("vgpuctl check a.xml"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "vgpuctl: check: a.xml: cannot read the domain XML: ");
    fake_write(&scene.kernel, "a.xml", "<!DOCTYPE domain [<!ENTITY a 'b'>]><domain/>");
    assert_int_equal(run("vgpuctl check a.xml"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "a document type declaration has no place");
    assert_int_equal(run("vgpuctl check none.xml"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "vgpuctl: check: none.xml: No such file or directory");
    write_domain(BOTH, "", scene_device(2), "");
    scene.kernel.host.data = "/no/such";
    assert_int_equal(run("vgpuctl check web01.xml"), COMMAND_FAILED);
    typed_assert_has(typed.faults, "/no/such/vgpu-request.rng: the schema cannot be read");
}

int
main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(sound_configurations), TEST(broken_configurations), TEST(to_no_effect),
        TEST(sound_domains),        TEST(faulty_domains),        TEST(domains_not_as_meant),
        TEST(no_domains),
    };
    const char *top = getenv("srcdir");
    AUTO_FREE char *absolute = realpath(top ? top : ".", NULL);

    setenv("srcdir", absolute, 1);
    snprintf(schema, sizeof(schema), "%s/config", absolute);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
