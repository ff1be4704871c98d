# SPDX-License-Identifier: LGPL-2.1-or-later
# Planted code in the hook and the call-out can start no program, use no network, and mount nothing.
# shellcheck shell=bash

# With a security module these programs change their domain. Then the loader ignores LD_PRELOAD.
if has_apparmor || has_selinux; then
    say "nothing can be planted here"
    exit 0
fi

# The planted code works in any program. At the first read of standard input it tries three things, and
# records the results.
cat >planted.c <<'END_OF_C'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int
start_program(void)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        execl("/bin/true", "true", (char *)0);
        _exit(errno);
    }
    return waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

static void
tell(const char *what, int error)
{
    FILE *file = fopen(DIRECTORY "/said", "a");

    fprintf(file, "%s: %s\n", what, error ? strerrorname_np(error) : "done");
    fclose(file);
}

ssize_t
read(int fd, void *buffer, size_t size)
{
    static int done;

    if (fd == 0 && !done) {
        done = 1;
        tell("exec", start_program());
        tell("socket", socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0);
        tell("mount", mount("none", DIRECTORY "/there", "tmpfs", 0, "") < 0 ? errno : 0);
    }
    return syscall(SYS_read, fd, buffer, size);
}
END_OF_C
gcc -shared -fPIC -DDIRECTORY="\"$PWD\"" -o planted.so planted.c
mkdir there

# plant COMMAND...: runs COMMAND with the planted code. Its results are in the file "said".
plant() {
    rm -f said
    env LD_PRELOAD="$PWD/planted.so" "$@" </dev/null || true
}

printf '%s\n' 'exec: done' 'socket: done' 'mount: done' >all
printf '%s\n' 'exec: EPERM' 'socket: EPERM' 'mount: EPERM' >refused

say "in an ordinary program all three succeed"
at_end sh -c "while umount '$PWD/there' 2>/dev/null; do :; done"
plant cat
cmp said all
umount there

say "in the hook, which libvirtd runs"
link=/etc/libvirt/hooks/qemu.d/50-vgpu
rm -f said $link
cat >$link <<-END
	#!/bin/sh
	LD_PRELOAD=$PWD/planted.so exec /usr/sbin/libvirt-vgpu-hook "\$@"
	END
chmod 755 $link
device=$(new_uuid)
guest web01 --metadata "$(request '<vgpu:device type="mtty-2"/>')" --hostdev "$device"
start web01
[ "$(group_held_by "$device")" = "$(qemu_pid web01)" ]
destroy web01
assert_no_mdevs
assert_empty_ledger
# Three lines each of prepare, start, started and release.
[ "$(wc -l <said)" = 12 ]
[ "$(sort -u said | xargs)" = "$(sort -u refused | xargs)" ]

say "in the call-out, which mdevctl runs"
plant /usr/libexec/libvirt-vgpu-callout -t mtty-2 -e pre -a start -s none -u "$device" -p mtty
cmp said refused
if mountpoint -q there; then fail "somebody has mounted something"; fi
