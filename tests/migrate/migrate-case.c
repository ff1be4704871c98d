/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "migrate/migrate-case.h"
#include "cli/say.h"
#include "device/scan.h"
#include "policy/policy-load.h"

#include <string.h>

static void
say(FILE *out, const char *word)
{
    fwrite(word, strlen(word) + 1, 1, out);
}

static const char * or (const char *said, const char *usual)
{
    return said ? said : usual;
}

static void
say_domain(FILE *out, unsigned number, const char *name, const char *xml, bool is_running)
{
    char uuid[64];

    snprintf(uuid, sizeof(uuid), "aaaaaaaa-0000-4000-8000-%012u", number);
    say(out, "domain");
    say(out, uuid);
    say(out, name);
    say(out, is_running ? "running" : "");
    say(out, "defined");
    say(out, is_running ? xml : "");
    say(out, xml);
}

static void
say_host(FILE *out, const struct migrate_case_host *told, const char *usual_uuid)
{
    char computer[256];

    snprintf(computer, sizeof(computer),
             "<device><capability type='system'><hardware><uuid>%s</uuid></hardware></capability>"
             "</device>",
             or (told->uuid, usual_uuid));
    say(out, "host");
    say(out, or (told->hypervisor, "QEMU"));
    say(out, or (told->libvirt, "11003000"));
    say(out, or (told->qemu, "10000003"));
    say(out, computer);
    for (size_t i = 0; i < COUNT(told->devices) && told->devices[i]; i++) {
        say(out, "device");
        say(out, told->devices[i]);
    }
}

void
migrate_case_read_host(const struct migrate_case_host *told, const char *uuid, const char *uri,
                       const char *guest, bool is_running, struct remote_host *ret)
{
    AUTO_FREE char *words = NULL;
    size_t size;
    FILE *out = open_memstream(&words, &size);

    say_host(out, told, uuid);
    if (guest)
        say_domain(out, 1, "guest1", guest, is_running);
    if (told->domain)
        say_domain(out, told->domain, told->name, "<domain/>", told->is_running);
    say(out, "end");
    fclose(out);
    *ret = (struct remote_host){.uri = uri};
    remote_read(ret, words, size);
    assert_string_equal(ret->failure.text, "");
}

/* The function has its profile. */
static void
make_profile(const struct scene *scene)
{
    struct vgpu vgpu = {.interface = &vgpu_xe};

    assert_int_equal(name_parse(&vgpu.device, XE_FUNCTION), 0);
    assert_int_equal(name_parse(&vgpu.type, "b50-4g"), 0);
    assert_int_equal(name_parse(&vgpu.recipe, "-:-:-"), 0);
    vgpu.parent = vgpu.device;
    assert_int_equal(host_make_directory(&scene->kernel.host, "run/libvirt-vgpu"), 0);
    assert_int_equal(vgpu_xe.make(&scene->kernel.host, &vgpu), 0);
}

void
migrate_case_read_here(struct scene *scene, const struct migrate_case *row, struct policy *policy,
                       struct inventory *inventory)
{
    struct error error;

    scene_start(scene, "gpu 0000:18:00.0 rule size\n"
                       "type nvidia-222 \"GRID T4-1B\" framebuffer 1024 max 16\n"
                       "type nvidia-223 \"GRID T4-2B\" framebuffer 2048 max 8\n"
                       "gpu 0000:3d:00.0 vf vfs 2 rule size\n"
                       "type nvidia-1152 \"NVIDIA L40S-8Q\" framebuffer 8192 max 6\n"
                       "gpu 0000:5f:00.0 vf vfs 1 rule size\n"
                       "type nvidia-1155 \"NVIDIA L40S-24Q\" framebuffer 24576 max 2\n"
                       "gpu 0000:41:00.0 vf vfs 2 rule size device 2331\n"
                       "type nvidia-9101 \"NVIDIA H100-80C\" framebuffer 81920 max 2\n"
                       "gpu 0000:03:00.0 xe vfs 2\n"
                       "pci 0000:c1:02.0 driver vfio-pci physfn 0000:c1:00.0\n"
                       "gpu mtty rule pool 24\n"
                       "type mtty-1 \"Single port serial\" uses 1\n"
                       "type mtty-2 \"Dual port serial\" uses 2\n");
    if (row->config)
        fake_write(&scene->kernel, "etc/libvirt-vgpu/vgpu.conf", row->config);
    assert_int_equal(fake_make(&scene->kernel, "mtty", "mtty-2", scene_device(3)), 0);
    assert_int_equal(fake_make(&scene->kernel, "0000:3d:00.4", "nvidia-1152", "0000:3d:00.4"), 0);
    assert_int_equal(fake_make(&scene->kernel, "0000:5f:00.4", "nvidia-1155", "0000:5f:00.4"), 0);
    if (row->function && !strcmp(row->function, "0000:41:00.4"))
        assert_int_equal(fake_make(&scene->kernel, row->function, "nvidia-9101", row->function), 0);
    for (unsigned number = 1; number <= 2; number++)
        assert_int_equal(
            fake_make(&scene->kernel, "0000:18:00.0", "nvidia-222", scene_device(number)), 0);
    assert_int_equal(policy_load(&scene->kernel.host, policy, &error), 0);
    if (row->function && !strcmp(row->function, XE_FUNCTION) && !row->is_new)
        make_profile(scene);
    assert_int_equal(
        scan_host(&scene->kernel.host, policy, &inventory_all_types, inventory, &error), 0);
}

static const char *const words[] = {
    [MIGRATE_YES] = "OK       ",
    [FINDING_NOTE] = "NOTE     ",
    [MIGRATE_UNKNOWN] = "UNKNOWN  ",
    [MIGRATE_NO] = "NO       ",
};

/* The reason is the first of the worst printed rows. If the answer is "yes", the reason is the last
 * row. */
static bool
is_reason(const struct migrate_verdict *verdict, const char *printed)
{
    const char *word = words[verdict->answer], *found = NULL;
    size_t length = strlen(verdict->why);

    for (const char *line = printed; *line; line = strchr(line, '\n') + 1) {
        if (strncmp(line, word, strlen(word)))
            continue;
        if (!found || verdict->answer == MIGRATE_YES)
            found = line + strlen(word);
    }
    /* The output has no control characters. */
    return found && (strchr(verdict->why, '\n') ||
                     (!strncmp(found, verdict->why, length) && found[length] == '\n'));
}

/* This shows all wrong rows. So the first wrong row must not end the test. */
static bool
check_row(const struct migrate_case *row, const struct migrate_verdict *verdict,
          const char *printed)
{
    size_t against = findings_count(&verdict->found, 0, FINDING_WARNING);
    bool is_right = verdict->answer == row->answer && is_reason(verdict, printed) &&
                    (verdict->answer == MIGRATE_YES) == (against == 0) &&
                    (!row->room || verdict->room == row->room);

    for (size_t i = 0; i < COUNT(row->words) && row->words[i]; i++)
        is_right &= strstr(printed, row->words[i]) != NULL;
    is_right &= !row->unsaid || !strstr(printed, row->unsaid);
    if (!is_right)
        print_error("%s: answer %d, %zu against it, room %zu, as %s:\n%s", row->why,
                    (int)verdict->answer, against, verdict->room, verdict->why, printed);
    return is_right;
}

/* The guest, or the type, of this row. */
static int
find_guest(const struct migrate_case *row, const struct scene *scene, const char *xml,
           const struct remote_host *from, const struct policy *policy,
           struct migrating_guest *guest, struct error *error)
{
    char path[512];

    if (row->new_type) {
        migrating_guest_of_type(guest, row->new_type);
        return 0;
    }
    if (!row->is_new)
        return migrating_guest_find(guest, from, "guest1", policy, error);
    fake_write(&scene->kernel, "guest.xml", xml);
    snprintf(path, sizeof(path), "%s/guest.xml", scene->kernel.path);
    return migrating_guest_read(guest, &scene->kernel.host, path, policy, error);
}

static bool
cross(const struct migrate_case *row)
{
    struct scene scene = {0};
    AUTO(policy_clear) struct policy policy = {0};
    AUTO(inventory_clear) struct inventory here = {0};
    AUTO(migrating_guest_clear) struct migrating_guest guest = {0};
    AUTO(departure_clear) struct departure departure = {0};
    AUTO_FREE char *xml =
        row->function
            ? typed_functions(1, "", row->type, (const char *const[]){row->function, NULL})
            : scene_xml(1, row->request ? row->request : "", row->numbers);
    AUTO_FREE char *printed = NULL;
    struct remote_hosts hosts = {.items = calloc(2, sizeof(*hosts.items)), .count = 2};
    struct migrate_check check = {.from = &hosts.items[0],
                                  .to = &hosts.items[1],
                                  .guest = &guest,
                                  .here = &here,
                                  .departure = &departure};
    AUTO(migrate_verdict_clear) struct migrate_verdict verdict = {0};
    struct error error = {0};
    size_t size;
    bool is_right;
    FILE *out = open_memstream(&printed, &size);

    migrate_case_read_here(&scene, row, &policy, &here);
    migrate_case_read_host(&row->here, UUID_HERE, "qemu:///system", xml, !row->is_down,
                           &hosts.items[0]);
    migrate_case_read_host(&row->there, UUID_THERE, "qemu://there/system", NULL, false,
                           &hosts.items[1]);
    for (size_t i = 0; i < COUNT(row->files) && row->files[i].path; i++)
        fake_write(&scene.kernel, row->files[i].path, row->files[i].text);
    fake_write(&scene.kernel, "proc/sys/kernel/osrelease", row->kernel ? row->kernel : "6.12.0");
    if (find_guest(row, &scene, xml, check.from, &policy, &guest, &error) < 0)
        fail_msg("%s: %s", row->why, error.text);
    if (!guest.is_new)
        departure_take(&departure, &scene.kernel.host, &guest);
    if (row->is_alone)
        check.from = NULL;
    migrate_check_run(&check, &verdict);
    for (size_t i = 0; i < verdict.found.count; i++)
        say_line(out, "%s%s", words[verdict.found.items[i].severity], verdict.found.items[i].text);
    fclose(out);
    is_right = check_row(row, &verdict, printed);
    remote_clear(&hosts);
    scene_stop(&scene);
    return is_right;
}

void
migrate_cases_play(const struct migrate_case *rows, size_t count)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++)
        wrong += !cross(&rows[i]);
    assert_int_equal(wrong, 0);
}
