/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The call-out refuses with one line, or says nothing. mdevctl's JSON never changes its answer. The
 * input begins with the words of the command line, one in a line. An empty line ends them. The JSON
 * follows.
 */

#include "base/cleanup.h"
#include "callout/callout.h"
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MOST_WORDS 32
#define BOOT       "0b6a3c55-9d2a-4e0b-8f64-2f1f4f6f7d10"

/* A host with a vGPU of a guest. The vGPU is not visible in /sys. */
static const struct {
    const char *path, *text; /* NULL: a directory */
} things[] = {
    {"sys", NULL},
    {"run", NULL},
    {"proc", NULL},
    {"proc/sys", NULL},
    {"proc/sys/kernel", NULL},
    {"proc/sys/kernel/random", NULL},
    {"proc/sys/kernel/random/boot_id", BOOT "\n"},
    {"run/libvirt-vgpu", NULL},
    {"run/libvirt-vgpu/ledger",
     "libvirt-vgpu-ledger 1 " BOOT " 2\n"
     "mdev dddddddd-0000-4000-8000-000000000001 mtty-2 0 mtty mtty "
     "aaaaaaaa-0000-4000-8000-000000000001 guest1 ua-gpu1 held made 1:1 1 reap 1\n"},
};

static void
make_host(int root)
{
    for (size_t i = 0; i < COUNT(things); i++) {
        const char *text = things[i].text;
        AUTO_CLOSE int fd = -1;

        if (!text) {
            MUST(mkdirat(root, things[i].path, 0700) == 0);
            continue;
        }
        fd = openat(root, things[i].path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        MUST(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    }
}

static int
remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

/* The call-out's answer to these words. Its message is in `said`, which has this size. */
static enum callout_status
call(int argc, char *const argv[], const char *json, size_t length, char *said, size_t size)
{
    char directory[] = "/tmp/fuzz-callout-XXXXXX";
    struct host host = {.ops = &host_kernel, .config = "etc/libvirt-vgpu", .caller = -1};
    AUTO_CLOSE int input = memfd_create("input", MFD_CLOEXEC);
    AUTO_CLOSE int faults = memfd_create("faults", MFD_CLOEXEC);
    enum callout_status status;
    ssize_t got;

    MUST(mkdtemp(directory));
    host.root = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    make_host(host.root);
    MUST(write(input, json, length) == (ssize_t)length && lseek(input, 0, SEEK_SET) == 0);
    status = callout_run(&host, argc, argv, input, faults);
    got = pread(faults, said, size - 1, 0);
    MUST(got >= 0);
    said[got] = '\0';
    close(host.root);
    MUST(nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0);
    return status;
}

static void
must_be_an_answer(enum callout_status status, const char *said)
{
    MUST(status == CALLOUT_REFUSED || status == CALLOUT_NOT_MINE);
    MUST((status == CALLOUT_REFUSED) == (*said != '\0'));
    for (; *said && strcmp(said, "\n"); said++)
        MUST((unsigned char)*said >= ' ' && *said != 0x7f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *text = strndup((const char *)data, size);
    char *argv[MOST_WORDS + 1] = {(char[]){"50-libvirt-vgpu"}}, *rest = text, *word;
    char said[4096], again[4096];
    enum callout_status status;
    int argc = 1;

    while (argc < MOST_WORDS && (word = strsep(&rest, "\n")) && *word)
        argv[argc++] = word;
    status = call(argc, argv, rest ? rest : "", rest ? strlen(rest) : 0, said, sizeof(said));
    must_be_an_answer(status, said);
    MUST(call(argc, argv, "", 0, again, sizeof(again)) == status && !strcmp(said, again));
    return 0;
}
