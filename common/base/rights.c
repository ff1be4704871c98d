/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/rights.h"
#include "base/cleanup.h"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- capabilities ----------------------------------------------------------------------------- */

#define BIT(capability) (1u << (capability)) /* all of ours are in the first word of the set */

/* To open what libvirt gave to QEMU's user and group, and to see which files processes have
 * open. */
#define LOOK (BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_SYS_PTRACE))

static const unsigned capabilities[] = {
    [RIGHTS_TO_LOOK] = LOOK,
    /* A driver with closed source may check for this capability. */
    [RIGHTS_TO_CHANGE] = LOOK | BIT(CAP_SYS_ADMIN),
};

static void
keep_capabilities(unsigned kept)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};

    if (syscall(SYS_capget, &header, sets) < 0)
        return;
    for (size_t i = 0; i < COUNT(sets); i++) {
        sets[i].permitted &= i == 0 ? kept : 0;
        sets[i].effective &= sets[i].permitted;
        sets[i].inheritable = 0;
    }
    (void)!syscall(SYS_capset, &header, sets);
}

/* --- system calls ----------------------------------------------------------------------------- */

/* Other processors are left out. There socketcall(2) may make any socket, or arguments have another
 * order. */
#if defined(__x86_64__) && defined(__LP64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__LP64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

/* Since Linux 6.15. */
#ifndef SYS_open_tree_attr
#define SYS_open_tree_attr 467
#endif

#define ALL_NAMESPACES                                                                             \
    (CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER |  \
     CLONE_NEWUTS)

/* The parts of the filter. LOAD loads a word of struct seccomp_data. IF_* compare the word, and
 * skip so many lines if the answer is yes or no. FAIL and the like answer the call. */
#define OFFSET(field)           offsetof(struct seccomp_data, field)
#define LOAD(field)             BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFFSET(field))
#define IF_IS(value, yes, no)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define IF_HAS(value, yes, no)  BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, yes, no)
#define IF_FROM(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, yes, no)
#define FAIL(number)            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (number))
#define ALLOW                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(call)            IF_IS(SYS_##call, 0, 1), FAIL(EPERM)
#define LINES(...)              COUNT(((struct sock_filter[]){__VA_ARGS__}))

/*
 * The calls that are refused. They start a program, look into other processes, mount, load
 * something into the kernel, use the kernel's keys, or make name spaces. An io_uring is refused
 * because it makes sockets without socket(2). clone3(2) has its flags in memory, which a filter
 * cannot read.
 *
 * The calls are in three parts by their numbers. The kernel tries a new filter with every number
 * that exists, and with a single part it would take twice the time. Both processors have the
 * numbers in this order.
 */
#define FIRST_NEWEST SYS_io_uring_setup
#define NEWEST                                                                                     \
    REFUSE(io_uring_setup), REFUSE(open_tree), REFUSE(move_mount), REFUSE(fsopen),                 \
        REFUSE(fsconfig), REFUSE(fsmount), REFUSE(fspick), IF_IS(SYS_clone3, 0, 1), FAIL(ENOSYS),  \
        REFUSE(pidfd_getfd), REFUSE(mount_setattr), REFUSE(open_tree_attr), ALLOW

#define FIRST_NEWER SYS_setns
#define NEWER                                                                                      \
    REFUSE(setns), REFUSE(process_vm_readv), REFUSE(process_vm_writev), REFUSE(finit_module),      \
        REFUSE(bpf), REFUSE(execveat), ALLOW

#define OLDEST                                                                                     \
    REFUSE(execve), REFUSE(ptrace), REFUSE(mount), REFUSE(umount2), REFUSE(pivot_root),            \
        REFUSE(init_module), REFUSE(delete_module), REFUSE(add_key), REFUSE(request_key),          \
        REFUSE(keyctl), REFUSE(unshare)

/* Only the lower half of an argument is loaded, because the kernel uses no more of these two
 * arguments. */
static void
refuse_calls(void)
{
    struct sock_filter filter[] = {
        LOAD(arch),
        IF_IS(ARCHITECTURE, 1, 0),
        FAIL(EPERM), /* for the number of a 32-bit program */
        LOAD(nr),
#ifdef __X32_SYSCALL_BIT
        IF_FROM(__X32_SYSCALL_BIT, 0, 1),
        FAIL(EPERM),
#endif
        IF_FROM(FIRST_NEWEST, 0, LINES(NEWEST)),
        NEWEST,
        IF_FROM(FIRST_NEWER, 0, LINES(NEWER)),
        NEWER,
        OLDEST,
        IF_IS(SYS_clone, 0, 4),
        LOAD(args[0]),
        IF_HAS(ALL_NAMESPACES, 0, 1),
        FAIL(EPERM),
        ALLOW,
        IF_IS(SYS_socket, 1, 0),
        IF_IS(SYS_socketpair, 0, 2),
        LOAD(args[0]),
        IF_IS(AF_UNIX, 0, 1), /* the log needs it */
        ALLOW,
        FAIL(EPERM),
    };
    const struct sock_fprog program = {COUNT(filter), filter};

    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#endif

void
rights_keep(enum rights rights)
{
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    keep_capabilities(capabilities[rights]);
#ifdef ARCHITECTURE
    refuse_calls();
#endif
}
