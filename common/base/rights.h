/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * rights: what a program of ours may do. Its first act is to give up what it does not need.
 *
 * The hook and the call-out are root, and read what others wrote. Whoever finds a fault in them is
 * to find few rights there. Three things go, for the process and for all of its children:
 *
 * - New privileges, by PR_SET_NO_NEW_PRIVS. An execve(2) could not change the security module's
 * domain any more. libvirt's execve(2) of the program has done so before, and the program makes
 * none.
 * - Capabilities (capabilities(7)), except those that the program uses. The bounding set is left
 *   alone: it counts at an execve(2) only.
 * - System calls that no program here makes, by seccomp(2): they fail with EPERM. clone3(2) fails
 * with ENOSYS, and then the C library makes a clone(2). No call ends the process: libvirt kills a
 * running guest whose hook dies at `reconnect`.
 *
 * A kernel without one of them runs the program without it, and `vgpuctl doctor` tells. There is a
 * filter of system calls for x86_64 and for aarch64.
 *
 * Landlock is not used. A process that is confined by it cannot read the links in /proc/PID/fd of
 * another process, whatever its capabilities (Linux, security/landlock). So the hook could not see
 * who has a device open.
 */

#pragma once

enum rights {
    RIGHTS_TO_LOOK,   /* the call-out's: it reads what is others', and looks at processes */
    RIGHTS_TO_CHANGE, /* the hook's: it writes to /sys as well */
};

/* Gives up all but these; a process that has less keeps what it has. Called before there is a
 * second thread. */
void rights_keep(enum rights rights);
