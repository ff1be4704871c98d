/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a security module lets libvirt run the hook, and which rights the hook cannot give up. */

#include "base/array.h"
#include "base/memory.h"
#include "doctor/diagnosis.h"
#include "doctor/entry.h"
#include "lease/daemon.h"

#include <stdio.h>
#include <string.h>

/* A profile is a file named after its program. */
#define PROFILES "etc/apparmor.d"

/* Whether the daemon's profile is enforced. The kernel says so; without a daemon, the files do.
 * name: the daemon's name. */
static bool
is_confined(const struct host *host, char *name, size_t size)
{
    static const char *const names[] = {"libvirtd", "virtqemud"};
    static const char enforced[] = " (enforce)";
    struct process daemon = daemon_find_by_file(host, name, size);
    char label[256];
    ssize_t length;

    if (daemon.pid == 0) {
        for (size_t i = 0; i < COUNT(names); i++) {
            snprintf(name, size, "%s", names[i]);
            if (host_exists(host, PROFILES "/usr.sbin.%s", name))
                return true;
        }
        return false;
    }
    length = host_read(host, label, sizeof(label), "proc/%d/attr/current", daemon.pid);
    return length >= (ssize_t)strlen(enforced) &&
           !strcmp(label + length - strlen(enforced), enforced);
}

/* The profile names the directories from which libvirt may run a program. The directory to which a
 * link leads counts. An administrator may add directories. */
static bool
profile_lets(const struct host *host, const char *name, const char *target)
{
    static const char *const directories[] = {"usr/sbin/", "usr/bin/", "sbin/", "bin/",
                                              "usr/lib/libvirt/"};
    const char *base = strrchr(target, '/');
    size_t length = base ? (size_t)(base + 1 - target) : 0;
    char text[16384], directory[512];

    if (ARRAY_HAS(directories, COUNT(directories), each,
                  strlen(*each) == length && !strncmp(target, *each, length)) ||
        !strncmp(target, host->hooks, strlen(host->hooks)))
        return true;
    memcpy(directory, target, length);
    directory[length] = '\0';
    return length && host_read(host, text, sizeof(text), PROFILES "/local/usr.sbin.%s", name) > 0 &&
           strstr(text, directory);
}

static void
check_apparmor(struct diagnosis *diagnosis)
{
    const struct host *host = diagnosis->host;
    struct entry target;
    char text[8], name[32];

    if (host_read(host, text, sizeof(text), "sys/module/apparmor/parameters/enabled") < 0 ||
        *text != 'Y' || entry_follow(host, &target, "%s/qemu.d/50-vgpu", host->hooks) < 0 ||
        !is_confined(host, name, sizeof(name)) || profile_lets(host, name, target.path.text))
        return;
    diagnosis_add(diagnosis, "AppArmor does not let libvirt run /%s", target.path.text);
    diagnosis_advise(diagnosis,
                     "configure with --sbindir=/usr/sbin; or write \"/%s PUx,\" to "
                     "/" PROFILES "/local/usr.sbin.%s, then: "
                     "apparmor_parser -r /" PROFILES "/usr.sbin.%s",
                     target.path.text, name, name);
}

/* The type of the hook in our policy module, and the other files that get a type from the
 * module. */
#define HOOK_TYPE "libvirt_vgpu_exec_t"

static const struct {
    const char *path, *type;
} labels[] = {
    {"usr/libexec/libvirt-vgpu-callout", "libvirt_vgpu_callout_exec_t"},
    {"run/libvirt-vgpu", "libvirt_vgpu_runtime_t"},
    {"var/lib/libvirt-vgpu", "libvirt_vgpu_var_lib_t"},
    {"etc/libvirt-vgpu", "libvirt_vgpu_etc_t"},
};

static bool
selinux_enforces(const struct host *host)
{
    char text[8];

    return host_read(host, text, sizeof(text), "sys/fs/selinux/enforce") == 1 && *text == '1';
}

/* Reads which policy this host uses: the value of SELINUXTYPE. */
static bool
find_policy(const struct host *host, struct name *ret)
{
    static const char key[] = "SELINUXTYPE=";
    char text[4096], *rest = text, *line;

    if (host_read(host, text, sizeof(text), "etc/selinux/config") < 0)
        return false;
    while ((line = strsep(&rest, "\n"))) {
        line += strspn(line, " \t");
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        line += strlen(key);
        line[strcspn(line, " \t\r")] = '\0';
        return name_parse(ret, line) == 0;
    }
    return false;
}

/* Whether the policy has our module. Everybody may read the list of files and their types, so the
 * list is searched. */
static bool
policy_has_module(const struct host *host)
{
    static const size_t size = 8 << 20;
    AUTO_FREE char *text = memory_zeroed(size, 1);
    struct name policy;

    return find_policy(host, &policy) &&
           host_read(host, text, size, "etc/selinux/%s/contexts/files/file_contexts", policy.text) >
               0 &&
           strstr(text, ":" HOOK_TYPE ":");
}

/* Without our module libvirt can run the hook, but the hook runs in the daemon's own domain. */
static void
check_selinux(struct diagnosis *diagnosis)
{
    if (!selinux_enforces(diagnosis->host) || policy_has_module(diagnosis->host))
        return;
    diagnosis_add(diagnosis,
                  "SELinux is enforcing and has no rules for vGPUs: the hook may only do "
                  "what libvirt's daemon may, which may be too little to make one");
    diagnosis_advise(diagnosis, "install libvirt-vgpu-selinux");
}

/* Whether a file has another type than this one. found gets that type. */
static bool
is_mislabelled(const struct host *host, const char *path, const char *type, char *found,
               size_t size)
{
    int rc = host_label(host, found, size, "%s", path);

    if (rc == -ENODATA)
        snprintf(found, size, "none");
    return (rc == 0 || rc == -ENODATA) && strcmp(found, type) != 0;
}

static void
check_labels(struct diagnosis *diagnosis)
{
    const struct host *host = diagnosis->host;
    struct entry hook;
    char found[256];

    if (!selinux_enforces(host) || !policy_has_module(host))
        return;
    if (entry_follow(host, &hook, "%s/qemu.d/50-vgpu", host->hooks) == 0 &&
        is_mislabelled(host, hook.path.text, HOOK_TYPE, found, sizeof(found))) {
        bool is_known = !strcmp(hook.path.text, "usr/sbin/libvirt-vgpu-hook") ||
                        !strcmp(hook.path.text, "usr/bin/libvirt-vgpu-hook");

        diagnosis_add(diagnosis,
                      "/%s has the SELinux type %s, not " HOOK_TYPE
                      ": the hook may only do what libvirt's daemon may",
                      hook.path.text, found);
        if (is_known)
            diagnosis_command(diagnosis, "restorecon -v /%s", hook.path.text);
        else
            diagnosis_advise(diagnosis, "configure with --sbindir=/usr/sbin, and install it there");
    }
    for (size_t i = 0; i < COUNT(labels); i++) {
        if (!is_mislabelled(host, labels[i].path, labels[i].type, found, sizeof(found)))
            continue;
        diagnosis_add(diagnosis,
                      "/%s has the SELinux type %s, not %s: what is ours may be kept from it",
                      labels[i].path, found, labels[i].type);
        diagnosis_command(diagnosis, "restorecon -Rv /%s", labels[i].path);
    }
}

/* A kernel with filters of system calls has a line about them in a process's status (proc(5)). The
 * hook's other rights can be given up on every kernel. */
static void
check_seccomp(struct diagnosis *diagnosis)
{
    char text[8192];

    if (host_read(diagnosis->host, text, sizeof(text), "proc/self/status") < 0 ||
        strstr(text, "\nSeccomp:"))
        return;
    diagnosis_add(diagnosis, "this kernel has no seccomp: the hook may make system calls that it "
                             "does not need");
    diagnosis_advise(diagnosis, "run a kernel with CONFIG_SECCOMP_FILTER; guests get their vGPUs "
                                "without it, too");
}

const struct diagnosis_check security_checks[] = {
    {"apparmor", FINDING_ERROR, .look = check_apparmor},
    {"selinux", FINDING_WARNING, .look = check_selinux},
    {"selinux-label", FINDING_ERROR, .look = check_labels},
    {"seccomp", FINDING_NOTE, .look = check_seccomp},
    {0},
};
