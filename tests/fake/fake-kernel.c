/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "fake/fake-parts.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

static const struct fake_family *const families[] = {&fake_mdev, &fake_vf, &fake_xe, &fake_sriov};

/* --- the operations of struct host ------------------------------------------------------------ */

static const struct fake_kernel *
fake_of(const struct host *host)
{
    return (const struct fake_kernel *)host;
}

/* Processes are real. So /proc/PID is the real directory, except for processes in the tree. */
static struct host
place_of(const struct host *host, const char *path)
{
    bool process =
        !strcmp(path, "proc") || (!strncmp(path, "proc/", 5) && isdigit((unsigned char)path[5]) &&
                                  faccessat(host->root, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0);

    return (struct host){.root = process ? fake_of(host)->real_root : host->root,
                         .is_confined = !process && host->is_confined,
                         .ops = &host_kernel};
}

/* Does a driver answer reads of this path? */
static bool
is_slow(const struct fake_kernel *fake, const char *path)
{
    return *fake->faults->slow && strstr(path, fake->faults->slow) &&
           (strstr(path, "/mdev_supported_types/") || strstr(path, "/nvidia/") ||
            strstr(path, "/profile/"));
}

static ssize_t
fake_read(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct fake_kernel *fake = fake_of(host);
    const struct host place = place_of(host, path);
    ssize_t length;

    __atomic_add_fetch(&fake->faults->opens, 1, __ATOMIC_SEQ_CST);
    if (is_slow(fake, path)) {
        fake_sleep(fake->faults->slow_by);
        fake_sleep_while(&fake->faults->mute);
    }
    for (size_t i = 0; i < COUNT(families); i++) {
        if (families[i]->read(fake, path, buffer, size, &length))
            return length;
    }
    return host_kernel.read(&place, path, buffer, size);
}

static int
fake_write_attribute(const struct host *host, const char *path, const char *text)
{
    const struct fake_kernel *fake = fake_of(host);
    unsigned count = __atomic_add_fetch(&fake->faults->writes, 1, __ATOMIC_SEQ_CST);
    int rc;

    if (fake->faults->fail_at && (count == fake->faults->fail_at ||
                                  (fake->faults->fail_on && count > fake->faults->fail_at)))
        return -fake->faults->fail_with;
    for (size_t i = 0; i < COUNT(families); i++) {
        if (families[i]->write(fake, path, text, &rc))
            return rc;
    }
    return -ENOENT;
}

/* The user who runs the tests may not look at every process. The hook may, because it is root. So
 * the fake kernel reports that such a process has nothing open. */
static bool
is_hidden(const struct host *host, const struct host *place, ssize_t rc)
{
    return rc == -EACCES && place->root == fake_of(host)->real_root;
}

/* Adds the processes of the tree to those of this machine. */
static void
add_processes(const struct fake_kernel *fake, struct words *ret)
{
    const struct host plain = fake_plain(fake);
    AUTO(names_clear) struct names names = {0};

    if (host_list(&plain, &names, "proc") < 0)
        return;
    for (size_t i = 0; i < names.count; i++) {
        if (isdigit((unsigned char)*names.items[i].text))
            words_add(ret, names.items[i].text);
    }
}

static int
fake_list(const struct host *host, const char *path, struct words *ret)
{
    const struct host place = place_of(host, path);
    int rc;

    __atomic_add_fetch(&fake_of(host)->faults->opens, 1, __ATOMIC_SEQ_CST);
    rc = host_kernel.list(&place, path, ret);
    if (rc == 0 && !strcmp(path, "proc"))
        add_processes(fake_of(host), ret);
    return is_hidden(host, &place, rc) ? 0 : rc;
}

static int
fake_probe(const struct host *host, const char *path)
{
    AUTO_CLOSE int fd = openat(host->root, path, O_RDWR | O_CLOEXEC);

    __atomic_add_fetch(&fake_of(host)->faults->opens, 1, __ATOMIC_SEQ_CST);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return -EBUSY;
    return TAKE_FD(fd);
}

static ssize_t
fake_link(const struct host *host, const char *path, char *buffer, size_t size)
{
    const struct host place = place_of(host, path);

    const ssize_t length = host_kernel.link(&place, path, buffer, size);

    return is_hidden(host, &place, length) ? -ENOENT : length;
}

static int
fake_status(const struct host *host, const char *path, struct stat *ret)
{
    const struct host place = place_of(host, path);

    return host_kernel.status(&place, path, ret);
}

/* Reads the number while no other process of the test does. The file is open meanwhile, and a look
 * at this process would see that: a look of the real kernel's opens nothing. */
static int
read_number_alone(const struct fake_kernel *fake, const struct host *place, const char *path,
                  bool is_real, dev_t *ret)
{
    AUTO_CLOSE int lock = openat(fake->host.root, "look-lock", O_RDONLY | O_CLOEXEC);
    char target[PATH_MAX], number[HOST_NUMBER] = "";
    AUTO_CLOSE int fd = -1;
    unsigned major, minor;
    ssize_t length;

    assert(lock >= 0 && flock(lock, LOCK_EX) == 0);
    /* Another process may have had the file open only for this. */
    length = host_kernel.link(place, path, target, sizeof(target));
    if (length < 0)
        return (int)length;
    fd = openat(place->root, is_real ? path : target + 1, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (read(fd, number, sizeof(number) - 1) > 0 && sscanf(number, "%u:%u\n", &major, &minor) == 2)
        *ret = makedev(major, minor);
    return 0;
}

/* A node of the tree is a file that has the device's number in it. A process has such a file open,
 * and the node's name may be gone. A process in the tree has a link to the node. */
static int
fake_device(const struct host *host, const char *path, dev_t *ret)
{
    const struct fake_kernel *fake = fake_of(host);
    const struct host place = place_of(host, path);
    const bool is_real = place.root == fake->real_root;
    const char *tree = is_real ? fake->path : "";
    char target[PATH_MAX];
    ssize_t length = host_kernel.link(&place, path, target, sizeof(target));

    *ret = 0;
    if (length < 0)
        return is_hidden(host, &place, length) ? -ENOENT : (int)length;
    if (strncmp(target, tree, strlen(tree)) || strncmp(target + strlen(tree), "/dev/", 5))
        return 0;
    return read_number_alone(fake, &place, path, is_real, ret);
}

static int
fake_open_file(const struct host *host, const char *path, int flags, mode_t mode)
{
    return host_kernel.open(host, path, flags, mode);
}

/* Processes are real, and so is the time of their boot, unless a test says another. */
static uint64_t
fake_booted(const struct host *host)
{
    const struct fake_kernel *fake = fake_of(host);

    return fake->booted ? fake->booted : host_kernel.booted(host);
}

static bool
fake_is_locked(const struct host *host, int fd, uint64_t byte)
{
    return host_kernel.is_locked(host, fd, byte);
}

/* An ordinary user cannot label a file. So the label of PATH is in the file labels/PATH. */
static ssize_t
fake_label(const struct host *host, const char *path, char *buffer, size_t size)
{
    struct path label;
    struct stat status;
    int rc = host_kernel.status(host, path, &status);
    ssize_t length;

    if (rc == 0)
        rc = path_format(&label, "labels/%s", path);
    length = rc < 0 ? rc : host_kernel.read(host, label.text, buffer, size);
    return rc == 0 && length == -ENOENT ? -ENODATA : length;
}

static const struct host_ops fake_ops = {
    .read = fake_read,
    .write = fake_write_attribute,
    .list = fake_list,
    .link = fake_link,
    .status = fake_status,
    .device = fake_device,
    .open = fake_open_file,
    .label = fake_label,
    .probe = fake_probe,
    .now = fake_clock_now,
    .wait = fake_clock_wait,
    .booted = fake_booted,
    .lock = fake_clock_lock,
    .is_locked = fake_is_locked,
};

/* --- building the machine --------------------------------------------------------------------- */

static const struct fake_family *
family_of(const struct fake_gpu *gpu)
{
    return gpu->xe ? &fake_xe : gpu->vf ? &fake_vf : &fake_mdev;
}

/* Puts a PCI device on the PCI bus. A name such as "mtty" is only a directory. */
static void
put_device(struct fake_kernel *fake, const struct fake_gpu *gpu, const char *name)
{
    struct fake_pci pci = {.numa = gpu->numa, .class = "0x030200"};
    struct name address;

    if (name_parse_pci(&address, gpu->name) < 0) {
        fake_put(fake->host.root, "-1\n", "sys/devices/%s/numa_node", name);
        return;
    }
    snprintf(pci.address, sizeof(pci.address), "%s", name);
    snprintf(pci.vendor, sizeof(pci.vendor), "%s", gpu->vendor);
    snprintf(pci.device, sizeof(pci.device), "%s", gpu->device);
    snprintf(pci.subsystem, sizeof(pci.subsystem), "%s", gpu->subsystem);
    snprintf(pci.driver, sizeof(pci.driver), "%s", gpu->driver);
    if (strcmp(name, gpu->name))
        snprintf(pci.physfn, sizeof(pci.physfn), "%s", gpu->name);
    fake_put_pci(fake, &pci);
    if (!*pci.physfn && !strcmp(pci.driver, "nvidia"))
        fake_put_proc(fake, &pci, MOST_GPUS - (size_t)(gpu - fake->machine->gpus), gpu->parts);
}

static void
put_gpu(struct fake_kernel *fake, size_t index)
{
    const struct fake_gpu *gpu = &fake->machine->gpus[index];
    char text[16];

    put_device(fake, gpu, gpu->name);
    /* The kernel's module mdev is loaded by a driver that makes mediated devices. */
    if (family_of(gpu) == &fake_mdev) {
        fake_put(fake->host.root, NULL, "sys/class/mdev_bus/");
        fake_put(fake->host.root, NULL, "sys/bus/mdev/devices/");
    }
    if (gpu->vf)
        fake_put_vfio(fake, gpu->name, MOST_PARENTS + index);
    for (size_t t = 0; t < gpu->type_count; t++)
        assert(!gpu->vf || gpu->types[t].number > 0);
    if (gpu->vfs) {
        snprintf(text, sizeof(text), "%u\n", gpu->vfs);
        fake_put(fake->host.root, text, "sys/devices/%s/sriov_totalvfs", gpu->name);
        fake_put(fake->host.root, text, "sys/devices/%s/sriov_numvfs", gpu->name);
        fake_put(fake->host.root, "1\n", "sys/devices/%s/sriov_drivers_autoprobe", gpu->name);
    }
    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        const struct fake_parent *parent = &fake->machine->parents[i];

        if (parent->gpu != index)
            continue;
        if (gpu->vfs)
            put_device(fake, gpu, parent->name);
        family_of(gpu)->put_parent(fake, parent);
    }
}

/* Makes the foreign vGPUs. The leases and notes of a machine are only for a snapshot. */
static void
put_vgpus(struct fake_kernel *fake)
{
    const struct fake_machine *machine = fake->machine;

    assert(machine->note_count == 0);
    for (size_t i = 0; i < machine->vgpu_count; i++) {
        const struct fake_vgpu *vgpu = &machine->vgpus[i];
        const struct fake_parent *parent = fake_find_parent(fake, vgpu->parent);
        const struct fake_type *type =
            parent ? fake_find_type_word(fake_gpu_of(fake, parent), vgpu->type) : NULL;
        char device[64];

        assert(type && !strcmp(vgpu->state, "foreign"));
        snprintf(device, sizeof(device), "dddddddd-0000-4000-8000-%012u", vgpu->number);
        assert(fake_make(fake, vgpu->parent, type->id,
                         fake_gpu_of(fake, parent)->vf ? vgpu->parent : device) == 0);
    }
}

static void
put_machine(struct fake_kernel *fake)
{
    const struct fake_machine *machine = fake->machine;

    fake_free_instances(fake);
    for (size_t i = 0; i < machine->gpu_count; i++)
        put_gpu(fake, i);
    for (size_t i = 0; i < machine->pci_count; i++) {
        const struct fake_pci *pci = &machine->pcis[i];

        fake_put_pci(fake, pci);
        if (!*pci->physfn && !strcmp(pci->driver, "nvidia"))
            fake_put_proc(fake, pci, MOST_GPUS + 1 + i, 0);
        if (!strcmp(pci->driver, "vfio-pci"))
            fake_put_vfio(fake, pci->address, MOST_PARENTS + MOST_GPUS + i);
    }
    put_vgpus(fake);
}

const char *
fake_module(void)
{
    static char path[PATH_MAX];
    const char *build = getenv("top_builddir");
    struct path there;

    if (!*path && (path_format(&there, "%s/connection.so", build ? build : ".") < 0 ||
                   !realpath(there.text, path)))
        fprintf(stderr, "there is no %s\n", there.text);
    return path;
}

void
fake_start(struct fake_kernel *fake, const char *machine)
{
    static const char *const directories[] = {"sys/bus/pci/devices/", "dev/vfio/", "run/"};
    const char *directory = getenv("TMPDIR");

    fake_clock_start();
    *fake = (struct fake_kernel){.host = {.ops = &fake_ops,
                                          .config = "etc/libvirt-vgpu",
                                          .hooks = "etc/libvirt/hooks",
                                          .hook = "usr/sbin/libvirt-vgpu-hook",
                                          .module = fake_module(),
                                          .caller = -1}};
    snprintf(fake->path, sizeof(fake->path), "%s/vgpu-test-XXXXXX",
             directory                       ? directory
             : access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                             : "/tmp");
    assert(mkdtemp(fake->path));
    fake->host.root = open(fake->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    fake->real_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert(fake->host.root >= 0 && fake->real_root >= 0);
    fake->faults = fake_clock_take_flags(sizeof(*fake->faults));
    fake->usage =
        mmap(NULL, sizeof(*fake->usage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(fake->usage != MAP_FAILED);
    fake->faults->patience = 20;
    /* Also a process of another user takes this lock. */
    fake_put(fake->host.root, "", "look-lock");
    for (size_t i = 0; i < COUNT(directories); i++)
        fake_put(fake->host.root, NULL, "%s", directories[i]);
    fake_put(fake->host.root, "6a7f1e0c-0000-4000-8000-000000000001\n",
             "proc/sys/kernel/random/boot_id");
    fake->machine = fake_parse(machine);
    put_machine(fake);
}

static void
remove_tree(int root, const char *path)
{
    AUTO(names_clear) struct names entries = {0};
    struct host host = {.root = root, .ops = &host_kernel};

    if (host_list(&host, &entries, "%s", path) == 0) {
        for (size_t i = 0; i < entries.count; i++) {
            struct path below;

            if (path_format(&below, "%s/%s", path, entries.items[i].text) == 0 &&
                unlinkat(root, below.text, 0) < 0)
                remove_tree(root, below.text);
        }
    }
    unlinkat(root, path, AT_REMOVEDIR);
}

void
fake_stop(struct fake_kernel *fake)
{
    /* A failed test may leave a writer behind, which must not wait for ever. */
    fake_clock_return_flags(fake->faults);
    remove_tree(fake->host.root, ".");
    rmdir(fake->path);
    close(fake->host.root);
    close(fake->real_root);
    munmap(fake->usage, sizeof(*fake->usage));
    fake_free(fake->machine);
}

/* --- for the tests ---------------------------------------------------------------------------- */

/* A mediated device has a UUID, a function an address. */
static const struct fake_family *
family_of_device(const struct fake_kernel *fake, const char *device)
{
    const struct fake_parent *parent = fake_find_parent(fake, device);
    struct name address;

    if (parent && fake_gpu_of(fake, parent)->xe)
        return &fake_xe;
    return name_parse_pci(&address, device) == 0 ? &fake_vf : &fake_mdev;
}

int
fake_make(const struct fake_kernel *fake, const char *parent, const char *type, const char *device)
{
    const struct fake_parent *known = fake_find_parent(fake, parent);

    return known ? family_of(fake_gpu_of(fake, known))->make(fake, parent, type, device) : -ENOENT;
}

int
fake_remove(const struct fake_kernel *fake, const char *device)
{
    return family_of_device(fake, device)->remove(fake, device);
}

struct fake_guest
fake_open(const struct fake_kernel *fake, const char *device)
{
    struct fake_guest guest;

    return fake_open_bare(fake, device, &guest)
               ? guest
               : family_of_device(fake, device)->open(fake, device);
}

void
fake_close(struct fake_guest *guest)
{
    if (guest->function) {
        guest->function->left = fake_now();
        guest->function->opened = false;
    }
    /* A process that was forked before this has the descriptors as well. */
    flock(guest->device, LOCK_UN);
    flock(guest->group, LOCK_UN);
    close(guest->device);
    close(guest->group);
}

pid_t
fake_hand_over(struct fake_guest *guest)
{
    pid_t qemu = fork();

    if (qemu == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    close(guest->device);
    if (guest->group >= 0)
        close(guest->group);
    return qemu;
}

void
fake_end(pid_t qemu)
{
    kill(qemu, SIGKILL);
    waitpid(qemu, NULL, 0);
}

int
fake_open_group(const struct fake_kernel *fake, const char *device)
{
    const struct name group = fake_group(fake, device);
    struct path path;

    return path_format(&path, "dev/vfio/%s", group.text) < 0
               ? -1
               : openat(fake->host.root, path.text, O_RDWR | O_CLOEXEC);
}

const char *
fake_type_of(const struct fake_kernel *fake, const char *device)
{
    static char type[64];

    family_of_device(fake, device)->type_of(fake, device, type, sizeof(type));
    return type;
}

size_t
fake_count(const struct fake_kernel *fake)
{
    size_t count = 0;

    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        const struct fake_parent *parent = &fake->machine->parents[i];

        count += family_of(fake_gpu_of(fake, parent))->count(fake, parent);
    }
    return count;
}

void
fake_settle(const struct fake_kernel *fake)
{
    for (size_t i = 0; i < fake->machine->parent_count; i++) {
        const struct fake_parent *parent = &fake->machine->parents[i];

        family_of(fake_gpu_of(fake, parent))->settle(fake, parent);
    }
}

void
fake_vanish(const struct fake_kernel *fake, const char *parent)
{
    const struct fake_parent *known = fake_find_parent(fake, parent);

    assert(known);
    family_of(fake_gpu_of(fake, known))->vanish(fake, known);
}

void
fake_put_params(const struct fake_kernel *fake, const char *directory, const char *text)
{
    char line[1024];

    snprintf(line, sizeof(line), "%.*s\n", (int)strlen(text) - 1, text);
    fake_put(fake->host.root, line, "%s/nvidia/vgpu_params", directory);
}

void
fake_write(const struct fake_kernel *fake, const char *path, const char *text)
{
    fake_put(fake->host.root, text, "%s", path);
}
