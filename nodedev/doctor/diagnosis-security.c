/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a security module lets libvirt run the hook. */

#include "doctor/diagnosis.h"
#include "doctor/entry.h"

#include <stdio.h>
#include <string.h>

/* Profiles are files that are called as what they are for. */
#define PROFILES "etc/apparmor.d"

/* Whether the daemon's profile is enforced: as the kernel says, or the files if there is no daemon.
 * name: the daemon's. */
static bool
is_confined(const struct host *host, char *name, size_t size)
{
    static const char *const names[] = {"libvirtd", "virtqemud"};
    static const char enforced[] = " (enforce)";
    struct process daemon = diagnosis_find_daemon(host, name, size);
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

/* The profile names the directories out of which libvirt may run a program, by where a link leads;
 * and an administrator may name more. */
static bool
profile_lets(const struct host *host, const char *name, const char *target)
{
    static const char *const directories[] = {"usr/sbin/", "usr/bin/", "sbin/", "bin/",
                                              "usr/lib/libvirt/"};
    const char *base = strrchr(target, '/');
    size_t length = base ? (size_t)(base + 1 - target) : 0;
    char text[16384], directory[512];

    for (size_t i = 0; i < COUNT(directories); i++) {
        if (strlen(directories[i]) == length && !strncmp(target, directories[i], length))
            return true;
    }
    if (!strncmp(target, host->hooks, strlen(host->hooks)))
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

static void
check_selinux(struct diagnosis *diagnosis)
{
    char text[8];

    if (host_read(diagnosis->host, text, sizeof(text), "sys/fs/selinux/enforce") != 1 ||
        *text != '1')
        return;
    diagnosis_add(diagnosis, "SELinux is enforcing: it may keep libvirt from running hooks");
    diagnosis_advise(diagnosis,
                     "if guests get no vGPU: ausearch -m avc -c libvirt-vgpu-ho; see boolean "
                     "virt_hooks_unconfined, and restorecon -R /%s",
                     diagnosis->host->hooks);
}

const struct diagnosis_check security_checks[] = {
    {"apparmor", DIAGNOSIS_ERROR, .look = check_apparmor},
    {"selinux", DIAGNOSIS_NOTE, .look = check_selinux},
    {0},
};
