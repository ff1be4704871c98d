/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* host: reads below a root, on the running kernel. Some texts just fit into their buffers, and some
 * just do not. */

#include "base/host.h"
#include "fake/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char directory[64];
static struct host host;

static int
set_up(void **state)
{
    strcpy(directory, "/tmp/vgpu-host-XXXXXX");
    assert_non_null(mkdtemp(directory));
    host = (struct host){.root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC),
                         .ops = &host_kernel};
    return host.root < 0;
}

static int
tear_down(void **state)
{
    static const char *const names[] = {"file", "link", "bare", "a", "b"};

    for (size_t i = 0; i < COUNT(names); i++)
        unlinkat(host.root, names[i], 0);
    unlinkat(host.root, "directory", AT_REMOVEDIR);
    close(host.root);
    return rmdir(directory);
}

static void
put(const char *text)
{
    AUTO_CLOSE int fd = openat(host.root, "file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

#define TEST(function) UNIT_TEST_IN(function, set_up, tear_down, NULL)

TEST(paths)
{
    const int most = (int)sizeof(((struct path *)0)->text) - 1;
    struct path path;

    assert_int_equal(path_format(&path, "%s/%d", "a", 1), 0);
    assert_string_equal(path.text, "a/1");
    assert_int_equal(path_format(&path, "%*d", most, 7), 0);
    assert_int_equal(strlen(path.text), most);
    assert_int_equal(path_format(&path, "%*d", most + 1, 7), -ENAMETOOLONG);
    assert_int_equal(host_read(&host, path.text, 1, "%*d", most + 1, 7), -ENAMETOOLONG);
    assert_false(host_exists(&host, "%*d", most + 1, 7));
}

TEST(texts)
{
    static const struct {
        const char *file;
        ssize_t length;
        const char *text;
    } rows[] = {
        {"", 0, ""},
        {"\n", 0, ""},
        {"abc\n", 3, "abc"},
        {"abc", 3, "abc"},
        {"ab\n\n", 3, "ab\n"},
        {"abcdefg", 7, "abcdefg"},
        {"abcdef\n", 6, "abcdef"},
        {"abcdefg\n", -E2BIG, NULL},
        {"abcdefghijk", -E2BIG, NULL},
    };
    char text[8];

    for (size_t i = 0; i < COUNT(rows); i++) {
        put(rows[i].file);
        assert_int_equal(host_read(&host, text, sizeof(text), "file"), rows[i].length);
        if (rows[i].text)
            assert_string_equal(text, rows[i].text);
    }
    assert_int_equal(host_kernel.write(&host, "file", "12"), 0);
    assert_int_equal(host_kernel.write(&host, "no such", "12"), -ENOENT);
    assert_int_equal(host_read(&host, text, sizeof(text), "no such"), -ENOENT);
    assert_int_equal(host_read(&host, text, sizeof(text), "."), -EISDIR);
}

TEST(numbers)
{
    static const struct {
        const char *file;
        int rc;
        uint64_t number;
    } rows[] = {
        {"0\n", 0, 0},
        {"9", 0, 9},
        {"18446744073709551615\n", 0, UINT64_MAX},
        {"18446744073709551616\n", -EBADMSG, 0},
        {"", -EBADMSG, 0},
        {"-1", -EBADMSG, 0},
        {" 1", -EBADMSG, 0},
        {"/1", -EBADMSG, 0},
        {":1", -EBADMSG, 0},
        {"1 ", -EBADMSG, 0},
        {"0x1", -EBADMSG, 0},
        {"1\n\n", -EBADMSG, 0},
        {"00000000000000000000000000000001", -E2BIG, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t number = 77;

        put(rows[i].file);
        assert_int_equal(host_read_number(&host, &number, "%s", "file"), rows[i].rc);
        assert_int_equal(number, rows[i].rc == 0 ? rows[i].number : 77);
    }
    assert_int_equal(host_read_number(&host, &(uint64_t){0}, "no such"), -ENOENT);
}

TEST(links)
{
    struct name name;

    assert_int_equal(symlinkat("../x/target", host.root, "link"), 0);
    assert_int_equal(symlinkat("bare-target", host.root, "bare"), 0);
    put("");
    assert_int_equal(host_link(&host, &name, "link"), 0);
    assert_string_equal(name.text, "target");
    assert_int_equal(host_link(&host, &name, "bare"), 0);
    assert_string_equal(name.text, "bare-target");
    assert_int_equal(host_link(&host, &name, "file"), -EINVAL);
    assert_int_equal(host_link(&host, &name, "no such"), -ENOENT);
    assert_true(host_exists(&host, "%s", "link"));
    assert_false(host_exists(&host, "no such"));
}

TEST(listings_and_directories)
{
    struct names names = {0};
    struct stat status;

    assert_int_equal(symlinkat("x", host.root, "b"), 0);
    assert_int_equal(symlinkat("x", host.root, "a"), 0);
    umask(0);
    assert_int_equal(host_make_directory(&host, "directory"), 0);
    assert_int_equal(fstatat(host.root, "directory", &status, 0), 0);
    assert_int_equal(status.st_mode, S_IFDIR | 0755);
    assert_int_equal(host_make_directory(&host, "directory"), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(host_list(&host, &names, "."), 0);
    assert_int_equal(names.count, 3);
    assert_string_equal(names.items[0].text, "a");
    assert_string_equal(names.items[1].text, "b");
    assert_string_equal(names.items[2].text, "directory");
    names_clear(&names);
    assert_int_equal(host_list(&host, &names, "no such"), -ENOENT);
    assert_int_equal(names.count, 0);
    assert_int_equal(host_remove(&host, "a"), 0);
    assert_int_equal(host_remove(&host, "a"), -ENOENT);
}

TEST(the_clock)
{
    uint64_t before = host_kernel.now(&host), seconds = host_seconds(&host),
             milliseconds = host_uptime(&host), after = host_kernel.now(&host);

    assert_in_range(seconds, before / 1000000000, after / 1000000000);
    assert_in_range(milliseconds, before / 1000000, after / 1000000);
}

/* A wait ends when there is something to read, or when its time is over. */
TEST(waits)
{
    int pipes[2];
    struct pollfd ready;
    uint64_t before;

    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    ready = (struct pollfd){.fd = pipes[0], .events = POLLIN};
    before = host_kernel.now(&host);
    assert_int_equal(host_kernel.wait(&host, &ready, 1, 20000000), 0);
    assert_true(host_kernel.now(&host) - before >= 20000000);
    assert_int_equal(write(pipes[1], "x", 1), 1);
    assert_int_equal(host_kernel.wait(&host, &ready, 1, UINT64_C(600000000000)), 1);
    close(pipes[0]);
    close(pipes[1]);
}

/* Stands for a file's security context: the context is the name of the file. */
static ssize_t
own_name(const struct host *h, const char *path, char *buffer, size_t size)
{
    size_t length = strlen(path) + 1; /* like the kernel, with the terminating byte */

    if (length > size)
        return -ERANGE;
    memcpy(buffer, path, length);
    return (ssize_t)length;
}

TEST(labels)
{
    struct host_ops ops = {.label = own_name};
    const struct host said = {.root = -1, .ops = &ops};
    char type[8];

    assert_int_equal(host_label(&said, type, sizeof(type), "system_u:object_r:%s:s0", "bin_t"), 0);
    assert_string_equal(type, "bin_t");
    assert_int_equal(host_label(&said, type, sizeof(type), "user_u:object_r:a_t:s0:c1,c2"), 0);
    assert_string_equal(type, "a_t");
    assert_int_equal(host_label(&said, type, sizeof(type), "system_u:object_r:etc_t"), 0);
    assert_string_equal(type, "etc_t");
    assert_int_equal(host_label(&said, type, sizeof(type), "u:r:1234567"), 0);
    assert_int_equal(host_label(&said, type, sizeof(type), "u:r:12345678"), -E2BIG);
    assert_int_equal(host_label(&said, type, sizeof(type), "u:r"), -EBADMSG);
    assert_int_equal(host_label(&said, type, sizeof(type), "u:r::s0"), -EBADMSG);
    assert_int_equal(host_label(&said, type, sizeof(type), "%0300d", 1), -ERANGE);
    assert_int_equal(host_label(&host, type, sizeof(type), "no such"), -ENOENT);
}
