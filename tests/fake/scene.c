/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/scene.h"
#include "actions/reconcile.h"
#include "actions/snapshot.h"
#include "base/reader.h"
#include "hook.h"
#include "lease/statedir.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

const char *
scene_device(unsigned number)
{
    static char texts[4][37];
    static unsigned next;
    char *text = texts[next++ % 4];

    snprintf(text, 37, "dddddddd-0000-4000-8000-%012u", number);
    return text;
}

const char *
scene_function(const char *gpu, unsigned number)
{
    static char texts[4][16];
    static unsigned next;
    char *text = texts[next++ % 4];

    number += 4;
    assert_true(snprintf(text, 16, "%.7s:%02x.%x", gpu, number / 8, number % 8) == 12);
    return text;
}

/* Writes a domain without its end. The caller adds the hostdevs. */
static void
put_head(FILE *out, unsigned guest, const char *devices)
{
    fprintf(out,
            "<domain type='kvm'>\n  <name>guest%u</name>\n"
            "  <uuid>aaaaaaaa-0000-4000-8000-%012u</uuid>\n",
            guest, guest);
    if (*devices)
        fprintf(out,
                "  <metadata>\n    <vgpu:request xmlns:vgpu=\"urn:libvirt-vgpu:domain:1\">%s"
                "</vgpu:request>\n  </metadata>\n",
                devices);
    fprintf(out, "  <devices>\n");
}

static void
put_hostdev(FILE *out, const char *source, unsigned alias)
{
    unsigned domain, bus, slot, function;

    if (sscanf(source, "%4x:%2x:%2x.%1x", &domain, &bus, &slot, &function) == 4)
        fprintf(out,
                "    <hostdev mode='subsystem' type='pci' managed='no'>\n"
                "      <source><address domain='0x%04x' bus='0x%02x' slot='0x%02x' "
                "function='0x%x'/></source>\n",
                domain, bus, slot, function);
    else
        fprintf(out,
                "    <hostdev mode='subsystem' type='mdev' model='vfio-pci'>\n"
                "      <source><address uuid='%s'/></source>\n",
                source);
    fprintf(out, "      <alias name='ua-gpu%u'/>\n    </hostdev>\n", alias);
}

char *
scene_xml(unsigned guest, const char *devices, const unsigned *numbers)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    put_head(out, guest, devices);
    for (; *numbers; numbers++)
        put_hostdev(out, scene_device(*numbers), *numbers);
    fprintf(out, "  </devices>\n</domain>\n");
    fclose(out);
    return text;
}

char *
scene_xml_from(unsigned guest, const char *devices, unsigned alias, const char *const *sources)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    put_head(out, guest, devices);
    for (; *sources; sources++)
        put_hostdev(out, *sources, alias++);
    fprintf(out, "  </devices>\n</domain>\n");
    fclose(out);
    return text;
}

char *
scene_xml_of(unsigned guest, const char *devices, const char *const *sources)
{
    return scene_xml_from(guest, devices, 1, sources);
}

char *
scene_xml_at(unsigned guest, const char *source, const char *attributes)
{
    char device[256];

    snprintf(device, sizeof(device), "<vgpu:device alias=\"ua-gpu1\" %s/>", attributes);
    return scene_xml_of(guest, device, (const char *const[]){source, NULL});
}

void
scene_put_status(const struct scene *scene, unsigned guest, pid_t pid, const char *xml)
{
    AUTO_FREE char *text = NULL;
    char path[64];

    assert_true(
        asprintf(&text, "<domstatus state='running' pid='%d'>\n%s</domstatus>\n", pid, xml) > 0);
    snprintf(path, sizeof(path), "run/libvirt/qemu/guest%u.xml", guest);
    fake_write(&scene->kernel, path, text);
}

void
scene_assert_ends_well(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

void
scene_reconcile(struct scene *scene)
{
    AUTO(lease_outcomes_clear) struct lease_outcomes outcomes = {0};
    struct error error;

    if (reconcile_host(&scene->kernel.host, &outcomes, &error) < 0)
        fail_msg("%s", error.text);
}

int
scene_hook(struct scene *scene, const char *xml, const char *operation, const char *sub)
{
    const char *argv[] = {"hook", "guest", operation, sub, scene->extra ? scene->extra : "-", NULL};
    AUTO_CLOSE int input = memfd_create("input", MFD_CLOEXEC);
    AUTO_CLOSE int faults = memfd_create("faults", MFD_CLOEXEC);
    AUTO_CLOSE int output = memfd_create("output", MFD_CLOEXEC);
    struct reader reader = READER_IDLE;
    ssize_t length;
    int status;

    assert_true(input >= 0 && faults >= 0);
    assert_int_equal(write(input, xml, strlen(xml)), strlen(xml));
    lseek(input, 0, SEEK_SET);
    reader.yields = scene->yields;
    scene->kernel.host.reader = &reader;
    status = hook_run(&scene->kernel.host, true, 5, (char *const *)argv, input, output, faults);
    scene->kernel.host.reader = NULL;
    reader_stop(&reader);
    length = pread(faults, scene->said, sizeof(scene->said) - 1, 0);
    scene->said[length > 0 ? length : 0] = '\0';
    length = lseek(output, 0, SEEK_END);
    free(scene->printed);
    scene->printed = calloc(1, (size_t)length + 1);
    assert_int_equal(pread(output, scene->printed, (size_t)length, 0), length);
    return status;
}

static int
one_device(struct scene *scene, unsigned guest, unsigned number, const char *type,
           const char *operation, const char *sub)
{
    char device[256];
    AUTO_FREE char *xml = NULL;

    snprintf(device, sizeof(device), "<vgpu:device alias=\"ua-gpu%u\" type=\"%s\"/>", number, type);
    xml = scene_xml(guest, device, (const unsigned[]){number, 0});
    return scene_hook(scene, xml, operation, sub);
}

int
scene_prepare(struct scene *scene, unsigned guest, unsigned number, const char *type)
{
    return one_device(scene, guest, number, type, "prepare", "begin");
}

int
scene_release(struct scene *scene, unsigned guest, unsigned number)
{
    return one_device(scene, guest, number, "any", "release", "end");
}

static int
one_source(struct scene *scene, unsigned guest, const char *source, const char *type,
           const char *operation, const char *sub)
{
    char attribute[128];
    AUTO_FREE char *xml = NULL;

    snprintf(attribute, sizeof(attribute), "type=\"%s\"", type);
    xml = scene_xml_at(guest, source, attribute);
    return scene_hook(scene, xml, operation, sub);
}

int
scene_prepare_at(struct scene *scene, unsigned guest, const char *source, const char *type)
{
    return one_source(scene, guest, source, type, "prepare", "begin");
}

int
scene_release_at(struct scene *scene, unsigned guest, const char *source)
{
    return one_source(scene, guest, source, "any", "release", "end");
}

void
scene_must_start_at(struct scene *scene, unsigned guest, const char *source, const char *type)
{
    if (scene_prepare_at(scene, guest, source, type) != 0)
        fail_msg("%s", scene->said);
}

void
scene_must_refuse_at(struct scene *scene, unsigned guest, const char *source, const char *type,
                     const char *words)
{
    size_t leases = scene_leases(scene, "");

    assert_int_equal(scene_prepare_at(scene, guest, source, type), 1);
    scene_assert_said(scene, words);
    assert_int_equal(scene_leases(scene, ""), leases);
}

char *
scene_managed(const char *xml)
{
    static const char no[] = "managed='no'";
    const char *word = strstr(xml, no);
    char *ret;

    assert_non_null(word);
    assert_true(asprintf(&ret, "%.*smanaged='yes'%s", (int)(word - xml), xml, word + strlen(no)) >
                0);
    return ret;
}

size_t
scene_leases(struct scene *scene, const char *state)
{
    struct host host = {.root = scene->kernel.host.root, .ops = &host_kernel};
    static char text[1 << 20];
    char word[32];
    size_t count = 0;

    if (host_read(&host, text, sizeof(text), "run/libvirt-vgpu/ledger") < 0)
        return 0;
    snprintf(word, sizeof(word), " %s ", state);
    for (char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
        char *end = strchrnul(line + 1, '\n');
        char saved = *end;

        *end = '\0';
        count += line[1] && (!*state || strstr(line + 1, word));
        *end = saved;
    }
    return count;
}

uint64_t
scene_number(const struct scene *scene, const char *device)
{
    AUTO(ledger_clear) struct ledger ledger = {0};
    const struct lease *lease;
    struct name name;
    struct error error;

    assert_int_equal(name_parse(&name, device), 0);
    assert_int_equal(statedir_peek(&scene->kernel.host, &ledger, &error), 0);
    lease = ledger_find(&ledger, &name);
    return lease ? lease->claim : 0;
}

void
scene_assert_said(const struct scene *scene, const char *words)
{
    if (!strstr(scene->said, words))
        fail_msg("no \"%s\" in: %s", words, scene->said);
    assert_ptr_equal(strchr(scene->said, '\n'), scene->said + strlen(scene->said) - 1);
}

void
scene_assert_type(const struct scene *scene, const char *device, const char *type)
{
    assert_string_equal(fake_type_of(&scene->kernel, device), type);
}

static const struct host_ops *kernel_ops;
static const char *hidden;

static int
status_but_one(const struct host *host, const char *path, struct stat *ret)
{
    return strcmp(path, hidden) ? kernel_ops->status(host, path, ret) : -EACCES;
}

static ssize_t
link_but_one(const struct host *host, const char *path, char *buffer, size_t size)
{
    return strcmp(path, hidden) ? kernel_ops->link(host, path, buffer, size) : -EACCES;
}

static int
list_but_one(const struct host *host, const char *path, struct words *ret)
{
    return strcmp(path, hidden) ? kernel_ops->list(host, path, ret) : -EACCES;
}

void
scene_forbid_list(struct scene *scene, const char *path)
{
    static struct host_ops ops;

    kernel_ops = scene->kernel.host.ops;
    hidden = path;
    ops = *kernel_ops;
    ops.list = list_but_one;
    scene->kernel.host.ops = &ops;
}

void
scene_assert_looks_at(struct scene *scene, const char *path)
{
    static struct host_ops ops; /* a test that fails here still has it when it ends */
    AUTO(snapshot_clear) struct snapshot seen = {0}, failed = {0};
    struct error error;

    assert_int_equal(snapshot_take(&seen, &scene->kernel.host, &inventory_no_types, &error), 0);
    kernel_ops = scene->kernel.host.ops;
    hidden = path;
    ops = *kernel_ops;
    ops.status = status_but_one;
    ops.link = link_but_one;
    scene->kernel.host.ops = &ops;
    if (snapshot_take(&failed, &scene->kernel.host, &inventory_no_types, &error) == 0)
        fail_msg("the look does not need %s", path);
    scene->kernel.host.ops = kernel_ops;
}

void
scene_assert_empty(struct scene *scene)
{
    assert_int_equal(fake_count(&scene->kernel), 0);
    assert_int_equal(scene_leases(scene, ""), 0);
}

void
scene_declare(const struct scene *scene, const char *gpu, const char *setup)
{
    AUTO_FREE char *text = NULL;

    assert_true(asprintf(&text, "gpus = ( { address = \"%s\"; setup = { %s }; } );\n", gpu, setup) >
                0);
    scene_configure(scene, text);
}

const char *
scene_sources(void)
{
    static char path[PATH_MAX];
    const char *relative = getenv("srcdir");

    if (!*path) {
        assert_non_null(realpath(relative ? relative : ".", path));
        assert_int_equal(setenv("srcdir", path, 1), 0);
    }
    return path;
}

int
scene_go_to_sources(void **state)
{
    return chdir(scene_sources());
}

void
scene_start(struct scene *scene, const char *machine)
{
    (void)scene_sources();
    fake_start(&scene->kernel, machine);
}

char *
scene_read(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;

    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    if (getdelim(&text, &size, '\0', file) < 0)
        *text = '\0';
    fclose(file);
    return text;
}

void
scene_list_machines(struct words *ret)
{
    AUTO_FREE char *path = NULL;

    assert_true(asprintf(&path, "%s/tests/machines", scene_sources()) > 0);
    assert_int_equal(words_read_directory(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret), 0);
    assert_true(ret->count > 10);
}

void
scene_start_machine(struct scene *scene, const char *name)
{
    AUTO_FREE char *machine = NULL;
    char path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "%s/tests/machines/%s", scene_sources(), name);
    machine = scene_read(path);
    scene_start(scene, machine);
}

void
scene_configure(const struct scene *scene, const char *text)
{
    fake_write(&scene->kernel, "etc/libvirt-vgpu/vgpu.conf", text);
}

int
scene_set_up(void **state)
{
    const struct scene_case *here = *state;

    if (here->machine)
        scene_start(here->scene, here->machine);
    if (here->configuration)
        scene_configure(here->scene, here->configuration);
    if (here->begin)
        here->begin();
    return here->machine && here->inside ? chdir(here->scene->kernel.path) : 0;
}

int
scene_tear_down(void **state)
{
    const struct scene_case *here = *state;

    if (here->end)
        here->end();
    if (here->inside)
        assert_int_equal(chdir("/"), 0);
    scene_stop(here->scene);
    return 0;
}

void
scene_stop(struct scene *scene)
{
    free(scene->printed);
    scene->printed = NULL;
    fake_stop(&scene->kernel);
}
