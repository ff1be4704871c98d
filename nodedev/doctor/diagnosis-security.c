/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether a security module lets libvirt run the hook. */

#include "doctor/diagnosis.h"
#include "doctor/entry.h"

#include <string.h>

/* The profile names the directories out of which libvirt may run a program, by where a link leads.
 */
static bool
profile_lets(const struct host *host, const char *target)
{
    static const char *const directories[] = {"usr/sbin/", "usr/bin/", "sbin/", "bin/",
                                              "usr/lib/libvirt/"};
    static const char *const profiles[] = {"usr.sbin.libvirtd", "usr.sbin.virtqemud"};
    const char *base = strrchr(target, '/');
    size_t length = base ? (size_t)(base + 1 - target) : 0;
    char text[16384];

    for (size_t i = 0; i < COUNT(directories); i++) {
        if (strlen(directories[i]) == length && !strncmp(target, directories[i], length))
            return true;
    }
    if (!strncmp(target, host->hooks, strlen(host->hooks)))
        return true;
    for (size_t i = 0; i < COUNT(profiles); i++) {
        char directory[512];

        memcpy(directory, target, length);
        directory[length] = '\0';
        if (length &&
            host_read(host, text, sizeof(text), "etc/apparmor.d/local/%s", profiles[i]) > 0 &&
            strstr(text, directory))
            return true;
    }
    return false;
}

static void
check_apparmor(struct diagnosis *diagnosis)
{
    const struct host *host = diagnosis->host;
    struct entry target;
    char text[8];

    if (host_read(host, text, sizeof(text), "sys/module/apparmor/parameters/enabled") < 0 ||
        *text != 'Y' || entry_follow(host, &target, "%s/qemu.d/50-vgpu", host->hooks) < 0 ||
        (!host_exists(host, "etc/apparmor.d/usr.sbin.libvirtd") &&
         !host_exists(host, "etc/apparmor.d/usr.sbin.virtqemud")) ||
        profile_lets(host, target.path.text))
        return;
    diagnosis_add(diagnosis, "AppArmor does not let libvirt run /%s", target.path.text);
    diagnosis_advise(diagnosis,
                     "configure with --sbindir=/usr/sbin, or say \"/%s PUx,\" in "
                     "/etc/apparmor.d/local/usr.sbin.libvirtd and usr.sbin.virtqemud",
                     target.path.text);
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
