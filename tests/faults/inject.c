/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "faults/inject.h"
#include "faults/system-calls.h"

#include <sys/types.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#undef NDEBUG
#include <assert.h>

static struct {
    struct inject_record *record; /* NULL: this process is not one of them */
    struct fault fault;
    unsigned process, children;
    unsigned pauses;
    bool has_struck;
} self;

void
inject_pause(void)
{
    self.pauses++;
}

void
inject_resume(void)
{
    self.pauses--;
}

bool
inject_has_struck(void)
{
    return self.has_struck;
}

void
inject_know_domain(void)
{
    if (self.record && !self.pauses)
        self.record->knows_domain = true;
}

/* Prints the place where the fault strikes, for addr2line(1). This is for a single case that is
 * played again. */
static void
show_place(void)
{
    void *frames[32];

    if (!self.record->shown)
        return;
    inject_pause();
    backtrace_symbols_fd(frames, backtrace(frames, 32), self.record->shown);
    inject_resume();
}

static bool
strikes(enum fault_kind kind, unsigned call)
{
    if (self.fault.kind != kind || self.fault.process != self.process || self.fault.call != call)
        return false;
    self.record->struck = self.has_struck = true;
    show_place();
    return true;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The C library's own names of its functions. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static bool
is_refused(void)
{
    if (!self.record || self.pauses)
        return false;
    if (!strikes(FAULT_MEMORY, ++self.record->processes[self.process].requests))
        return false;
    errno = ENOMEM;
    return true;
}

void *
malloc(size_t size)
{
    return is_refused() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
    return is_refused() ? NULL : __libc_realloc(old, size);
}

/* --- system calls ----------------------------------------------------------------------------- */

/* The filter allows system calls only from this place. */
long inject_system_call(long number, const long arguments[6]);
extern const char inject_after_system_call[];
__asm__(".text\n"
        ".type inject_system_call, @function\n"
        "inject_system_call:\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %r11\n"
        "    mov (%r11), %rdi\n"
        "    mov 8(%r11), %rsi\n"
        "    mov 16(%r11), %rdx\n"
        "    mov 24(%r11), %r10\n"
        "    mov 32(%r11), %r8\n"
        "    mov 40(%r11), %r9\n"
        "    syscall\n"
        "inject_after_system_call:\n"
        "    ret\n");

static void
die(void)
{
    const long arguments[6] = {getpid(), SIGKILL};

    inject_system_call(SYS_kill, arguments);
}

/* A child closes every descriptor that may be open. Most of them are not open. */
static bool
is_nothing(long number, const long arguments[6])
{
    const long ask[6] = {arguments[0], F_GETFD};

    return number == SYS_close && inject_system_call(SYS_fcntl, ask) < 0;
}

/* Counts one call, and injects the fault if it is at this call. True: the call must be made as
 * usual. False: *answer is its result. */
static bool
pass(long number, const long arguments[6], long *answer)
{
    const struct system_call *row = system_call_find(number, arguments[2]);
    unsigned call;

    if (is_nothing(number, arguments))
        return true;
    call = ++self.record->processes[self.process].calls;
    if (!row)
        self.record->unknown = number;
    if (!row || call > INJECT_MOST_CALLS)
        return true;
    self.record->processes[self.process].rows[call - 1] = (unsigned char)system_call_index(row);
    self.record->processes[self.process].writes[call - 1] = number == SYS_write && arguments[2] > 1;
    if (strikes(FAULT_KILL, call))
        die();
    if (strikes(FAULT_SHORT, call)) {
        long half[6];

        memcpy(half, arguments, sizeof(half));
        half[2] /= 2;
        *answer = inject_system_call(number, half);
        return false;
    }
    if (!strikes(FAULT_ERROR, call))
        return true;
    /* Linux closes the descriptor even if close() returns an error. */
    if (number == SYS_close)
        inject_system_call(number, arguments);
    *answer = -self.fault.error;
    return false;
}

static void
on_system_call(int number, siginfo_t *info, void *data)
{
    greg_t *registers = ((ucontext_t *)data)->uc_mcontext.gregs;
    const long arguments[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                               registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
    int saved = errno;
    long answer;

    (void)number;
    if (self.pauses || pass(info->si_syscall, arguments, &answer))
        answer = inject_system_call(info->si_syscall, arguments);
    registers[REG_RAX] = answer;
    errno = saved;
}

/* These calls change nothing outside of the process, and fail with none of our errors. FAULT_MEMORY
 * has its own way for memory. Calls of fork() are counted below, because the C library may block
 * all signals there. */
static const long let_through[] = {
    SYS_brk,           SYS_mmap,         SYS_munmap,          SYS_mremap,         SYS_mprotect,
    SYS_madvise,       SYS_futex,        SYS_rt_sigaction,    SYS_rt_sigprocmask, SYS_rt_sigpending,
    SYS_rt_sigreturn,  SYS_sigaltstack,  SYS_set_robust_list, SYS_rseq,           SYS_clone,
    SYS_clone3,        SYS_getpid,       SYS_gettid,          SYS_getppid,        SYS_geteuid,
    SYS_clock_gettime, SYS_gettimeofday, SYS_prlimit64,
};

#define THROUGH    (sizeof(let_through) / sizeof(*let_through))
#define WORD(name) ((uint32_t)offsetof(struct seccomp_data, name))

static void
set_filter(void)
{
    const uint64_t here = (uint64_t)(uintptr_t)inject_after_system_call;
    struct sock_filter code[THROUGH + 8] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)here, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(here >> 32), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WORD(nr)),
    };
    struct sock_fprog program = {.len = THROUGH + 8, .filter = code};

    for (size_t i = 0; i < THROUGH; i++)
        code[6 + i] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)let_through[i], (uint8_t)(THROUGH - i), 0);
    code[6 + THROUGH] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    code[7 + THROUGH] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    assert(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    assert(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* The linker puts our function in place of every fork of the program. The handlers of
 * pthread_atfork belong to the clock. */
pid_t __real_fork(void);
pid_t __wrap_fork(void);

pid_t
__wrap_fork(void)
{
    const long arguments[6] = {0};
    unsigned next;
    long answer;
    pid_t pid;

    if (!self.record || self.pauses)
        return __real_fork();
    if (!pass(SYS_clone, arguments, &answer)) {
        errno = (int)-answer;
        return -1;
    }
    assert(self.process == 0);
    next = ++self.children;
    assert(next < INJECT_MOST_PROCESSES);
    inject_pause();
    pid = __real_fork();
    if (pid == 0)
        self.process = next;
    inject_resume();
    return pid;
}

/* A signal that nobody sent is reported, and ends the process as usual. */
static void
on_crash(int number)
{
    inject_pause();
    self.record->crash = number;
    signal(number, SIG_DFL);
    raise(number);
}

void
inject_begin(struct inject_record *record, const struct fault *fault)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    struct sigaction action = {.sa_sigaction = on_system_call, .sa_flags = SA_SIGINFO | SA_NODEFER};

    for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
        signal(crashes[i], on_crash);
    assert(sigaction(SIGSYS, &action, NULL) == 0);
    self.record = record;
    self.fault = *fault;
    self.pauses = 1;
    set_filter();
}

const char *
inject_is_possible(void)
{
    return NULL;
}

#else

pid_t __real_fork(void);
pid_t __wrap_fork(void);

pid_t
__wrap_fork(void)
{
    return __real_fork();
}

void
inject_pause(void)
{
}

void
inject_resume(void)
{
}

bool
inject_has_struck(void)
{
    return false;
}

void
inject_know_domain(void)
{
}

void
inject_begin(struct inject_record *record, const struct fault *fault)
{
    (void)record, (void)fault;
}

const char *
inject_is_possible(void)
{
    return "faults are injected on x86-64 only, and not into what has a sanitizer";
}

#endif
