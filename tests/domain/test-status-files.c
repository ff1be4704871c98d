/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* status-files: which domains run, and which files cannot be read. */

#include "domain/status-files.h"
#include "domain/parsed.h"
#include "domain/request-parser.h"
#include "fake/scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY "run/libvirt/qemu"
#define OTHER     "6fa459ea-ee8a-4ca4-894e-db77e160355f"

static struct scene scene;
static struct status_files files;
static struct error error;

static void
end(void)
{
    status_files_clear(&files);
}

static const struct scene_case here = {.scene = &scene, .machine = "", .end = end};
#define TEST(function) SCENE_TEST(function, here)

static void
put(const char *name, const char *text)
{
    struct path path;

    assert_int_equal(path_format(&path, DIRECTORY "/%s", name), 0);
    fake_write(&scene.kernel, path.text, text);
}

static int
read_again(void)
{
    status_files_clear(&files);
    return status_files_read(&scene.kernel.host, &files, &error);
}

static struct name
name_of(const char *uuid)
{
    struct name name;

    assert_int_equal(name_parse_uuid(&name, uuid), 0);
    return name;
}

TEST(the_process_of_a_guest)
{
    static const struct {
        const char *attributes;
        int pid;
    } rows[] = {
        {"state='running' pid='4711'", 4711},
        {"state='running'", 0},
        {"pid='0'", 0},
        {"pid='none'", 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(request_clear) struct request request = {0};
        char text[1024];
        const struct document document = {
            text, (size_t)snprintf(text, sizeof(text), "<domstatus %s>%s</domstatus>",
                                   rows[i].attributes, GUEST(ASK(ONE), GPU0))};

        assert_int_equal(request_parse_status(&document, &request, &error), 0);
        assert_int_equal(request.pid, rows[i].pid);
        assert_string_equal(request.name, "web01");
        assert_int_equal(request.hostdev_count, 1);
    }
}

TEST(who_runs)
{
    const struct name web = name_of(UUID), other = name_of(OTHER), gpu = name_of(UUID0);
    char text[1024];

    assert_int_equal(read_again(), 0);
    assert_int_equal(files.count, 0);
    assert_true(files.complete);
    snprintf(text, sizeof(text), "<domstatus pid='%d'>%s</domstatus>", (int)getpid(),
             GUEST("", GPU0));
    put("web01.xml", text);
    put("web01.xml.new", "rubbish");
    put("old.xml",
        "<domstatus pid='999999999'><domain><uuid>" OTHER "</uuid></domain></domstatus>");
    put("broken.xml", "<domstatus pid='999999999'><domain>");
    assert_int_equal(read_again(), 0);
    assert_int_equal(files.count, 1);
    assert_int_equal(files.unread_count, 0);
    assert_true(files.complete);
    assert_ptr_equal(status_files_find(&files, &web), &files.items[0]);
    assert_null(status_files_find(&files, &other));
    assert_ptr_equal(status_files_holder(&files, &gpu), &files.items[0]);
    assert_null(status_files_holder(&files, &other));
    assert_null(status_files_doubt(&files, &web, "web01"));
    status_files_clear(&files);
    assert_null(status_files_find(&files, &web));
}

/* A domain is named by its UUID if the UUID was read. Otherwise it is named by its file. Of all
 * faults the first one is reported. */
TEST(who_cannot_be_told)
{
    const struct name web = name_of(UUID), other = name_of(OTHER), gpu = name_of(UUID0);

    put("a.xml", "<domstatus><domain type='kvm'>" HEAD "<devices>" GPU0 "<");
    assert_int_equal(read_again(), 0);
    assert_int_equal(files.count, 0);
    assert_int_equal(files.unread_count, 1);
    assert_false(files.complete);
    assert_string_equal(files.unread[0].guest.name, "a");
    assert_non_null(strstr(files.failure.text, "/run/libvirt/qemu/a.xml: "));
    assert_string_equal(files.failure.text, files.unread[0].why.text);
    assert_ptr_equal(status_files_doubt(&files, &web, "web01"), files.unread[0].why.text);
    assert_null(status_files_doubt(&files, &other, "web01"));
    assert_null(status_files_doubt(&files, &other, "a"));
    assert_ptr_equal(status_files_holder(&files, &gpu), &files.unread[0].guest);

    put("b.xml", "rubbish");
    assert_int_equal(read_again(), 0);
    assert_int_equal(files.unread_count, 2);
    assert_true(!strcmp(files.failure.text, files.unread[0].why.text));
    assert_null(status_files_doubt(&files, &other, "web02"));
    assert_non_null(strstr(status_files_doubt(&files, &other, "b"), "/b.xml: "));
}

TEST(no_list_at_all)
{
    const struct name web = name_of(UUID);

    fake_write(&scene.kernel, DIRECTORY, "a file");
    assert_int_equal(read_again(), -ENOTDIR);
    assert_false(files.complete);
    assert_int_equal(files.unread_count, 0);
    assert_string_equal(error.text, "cannot read /" DIRECTORY ": Not a directory");
    assert_string_equal(status_files_doubt(&files, &web, "web01"), error.text);
}
