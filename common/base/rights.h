/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * rights: what our programs may do. The first thing that a program does is to give up the rights
 * that it does not need.
 *
 * The hook and the call-out run as root, and read input from others. An attacker who exploits a
 * fault in them must get few rights. The process and all its children lose three things:
 *
 * - New privileges, by PR_SET_NO_NEW_PRIVS. A later execve(2) could not change the security
 *   module's domain any more. libvirt's execve(2) of the program has done so before, and the
 *   program calls no execve(2).
 * - Capabilities (capabilities(7)), except those that the program uses. The bounding set stays,
 *   because it only counts at an execve(2).
 * - System calls that no program here makes, by seccomp(2): they fail with EPERM. clone3(2) fails
 *   with ENOSYS, and the C library then calls clone(2). No call ends the process, because libvirt
 *   kills a running guest whose hook dies at `reconnect`.
 *
 * On a kernel without one of these, the program keeps that right, and `vgpuctl doctor` reports it.
 * The filter of system calls exists for x86_64 and aarch64.
 *
 * Landlock is not used. A process confined by Landlock cannot read the links in /proc/PID/fd of
 * another process, whatever its capabilities (Linux, security/landlock). So the hook could not see
 * who has a device open.
 */

#pragma once

enum rights {
    RIGHTS_TO_LOOK,   /* for the call-out: it reads files of others, and looks at processes */
    RIGHTS_TO_CHANGE, /* for the hook: it also writes to /sys */
};

/* Gives up all other rights. A process that has fewer rights keeps those. Call it before there is a
 * second thread. */
void rights_keep(enum rights rights);
