/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Every process of the test has an entry in shared memory. The entry is made before the process is
 * forked. A process that waits writes its wake-up time into the entry, and calls ppoll(2) without a
 * time limit. A signal wakes the process; this signal is blocked everywhere else. The keeper is a
 * process that only looks at the entries, whenever a process waits. When no process works any more,
 * the keeper sets the clock and wakes the processes that are due.
 */

#include "fake/fake-clock.h"
#include "base/cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#undef NDEBUG
#include <assert.h>

#define MILLISECOND 1000000ull
#define MOST_ACTORS 512
#define MOST_LOOKS  3
#define MOST_FLAGS  8
#define FLAGS_SIZE  256

/* WAITING: the process sleeps by this clock, and also waits for descriptors. So a descriptor may
 * have woken it already. */
enum actor_state { ACTOR_NONE, ACTOR_FORKED, ACTOR_AWAKE, ACTOR_WAITING, ACTOR_ASLEEP };

struct actor {
    unsigned state; /* enum actor_state; a futex */
    pid_t pid;
    uint64_t
        until; /* the time in ns at which it wants to go on; UINT64_MAX: only when it is woken */
    const volatile bool *flag; /* NULL, or the process goes on when this flag is false */
    uint64_t seen;             /* noted by the keeper: how often the process had slept */
};

static struct fake_clock {
    uint64_t now;
    unsigned waits; /* the number of waits; a futex */
    unsigned forks; /* the number of forks */
    struct actor actors[MOST_ACTORS];
    struct {
        bool is_used;
        _Alignas(max_align_t) char bytes[FLAGS_SIZE];
    } flags[MOST_FLAGS];
} * fake_clock;

static struct actor *self; /* the entry of this process */
static bool is_real;

/* The entry of the next child. Its byte in a file is locked by an open file description. Parent and
 * child share this lock until both have returned from fork(). Either may be killed in fork(). */
static struct actor *forked;
static int forks = -1, fork_lock = -1;

/* --- small things ----------------------------------------------------------------------------- */

static void
set_state(struct actor *actor, enum actor_state state)
{
    __atomic_store_n(&actor->state, state, __ATOMIC_SEQ_CST);
}

static enum actor_state
state_of(const struct actor *actor)
{
    return (enum actor_state)__atomic_load_n(&actor->state, __ATOMIC_SEQ_CST);
}

static bool
change_state(struct actor *actor, enum actor_state from, enum actor_state to)
{
    unsigned expected = from;

    return __atomic_compare_exchange_n(&actor->state, &expected, to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

/* Waits while the word has this value, but not for ever. */
static void
wait_word(unsigned *word, unsigned value)
{
    const struct timespec length = {0, 100 * (long)MILLISECOND};

    syscall(SYS_futex, word, FUTEX_WAIT, value, &length, NULL, 0);
}

static void
wake_word(unsigned *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static int
wake_signal(void)
{
    return SIGRTMIN + 3;
}

static void
woken(int number)
{
    (void)number;
}

/* --- the keeper ------------------------------------------------------------------------------- */

static bool
is_dead(char letter)
{
    return letter == 'X' || letter == 'Z';
}

static bool
is_working(char letter)
{
    return letter == 'R' || letter == 'D';
}

static uint64_t
number_behind(const char *text, const char *key)
{
    const char *found = strstr(text, key);

    return found ? strtoull(found + strlen(key), NULL, 10) : 0;
}

/* Reads a file of a process or a thread in /proc. "": it is gone, or may not be read. */
static void
read_file(const char *directory, const char *file, char *text, size_t size)
{
    AUTO_CLOSE int fd = -1;
    char path[64];
    ssize_t length;

    snprintf(path, sizeof(path), "%s/%s", directory, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    length = fd < 0 ? -1 : read(fd, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
}

/* The state of a process or a thread in /proc, as a letter. 'X': it is gone. *sleeps grows by how
 * often it has slept. The kernel marks a process as asleep before the kernel looks whether there is
 * anything to wait for. So a process that waits for a dead child looks asleep while the child is
 * removed. The file syscall says "running" of such a process (the kernel's wait_task_inactive). */
static char
look_at_status(const char *directory, uint64_t *sleeps, uint64_t *threads)
{
    char text[4096], call[64];
    const char *state;

    read_file(directory, "status", text, sizeof(text));
    state = strstr(text, "\nState:\t");
    if (!state)
        return 'X';
    *sleeps += number_behind(text, "\nvoluntary_ctxt_switches:");
    *threads = number_behind(text, "\nThreads:");
    state += strlen("\nState:\t");
    if (*state != 'S')
        return *state;
    read_file(directory, "syscall", call, sizeof(call));
    return strcmp(call, "running\n") == 0 ? 'R' : 'S';
}

/* A process works if one of its threads works. Tests have such threads: libvirt's, and those of
 * QEMU when it runs a test for another processor. */
static char
look_at_threads(pid_t pid, char letter, uint64_t *sleeps)
{
    char path[64];
    const struct dirent *entry;
    uint64_t threads;
    DIR *tasks;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    tasks = opendir(path);
    while (tasks && !is_working(letter) && (entry = readdir(tasks))) {
        int thread = atoi(entry->d_name);

        snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, thread);
        if (thread > 0 && thread != pid && is_working(look_at_status(path, sleeps, &threads)))
            letter = 'R';
    }
    if (tasks)
        closedir(tasks);
    return letter;
}

/* The same of a whole process. *sleeps gets how often it has slept. */
static char
look_at(pid_t pid, uint64_t *sleeps)
{
    uint64_t threads;
    char path[32], letter;

    snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    *sleeps = 0;
    letter = look_at_status(path, sleeps, &threads);
    if (letter == 'X' || threads < 2)
        return letter;
    /* Its first thread has ended, and others are about to. Its parent waits until all have. */
    return letter == 'Z' ? 'R' : look_at_threads(pid, letter, sleeps);
}

static struct flock
lock_of(const struct actor *actor)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = actor - fake_clock->actors, .l_len = 1};
}

/* Removes the entry if fork() failed, or if the parent was killed before the child existed. */
static void
forget_unborn(struct actor *actor)
{
    struct flock lock = lock_of(actor);

    if (fcntl(forks, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK)
        change_state(actor, ACTOR_FORKED, ACTOR_NONE);
}

/* A process that waits only for this clock needs no look at /proc. */
static bool
is_at_work(struct actor *actor, bool again)
{
    uint64_t sleeps = 0;
    char letter;

    switch (state_of(actor)) {
    case ACTOR_FORKED:
        forget_unborn(actor);
        return true;
    case ACTOR_AWAKE:
    case ACTOR_WAITING:
        letter = look_at(actor->pid, &sleeps);
        if (is_dead(letter)) {
            set_state(actor, ACTOR_NONE);
            return false;
        }
        if (is_working(letter) || (again && sleeps != actor->seen))
            return true;
        actor->seen = sleeps;
        return false;
    case ACTOR_ASLEEP:
        return actor->flag && !*actor->flag;
    case ACTOR_NONE:
        break;
    }
    return false;
}

/* Nobody works if all processes sleep, and none has slept again between several looks. Two looks
 * are not enough: the kernel shows a process as dead a moment before the kernel wakes its parent
 * (exit_notify). The process that was last seen at work is looked at first. */
static bool
is_anybody_at_work(void)
{
    const struct timespec moment = {0, 100000};
    static size_t first;

    for (size_t i = 0; i < MOST_LOOKS * MOST_ACTORS; i++) {
        size_t at = (first + i) % MOST_ACTORS;

        if (i == (MOST_LOOKS - 1) * MOST_ACTORS)
            nanosleep(&moment, NULL);
        if (is_at_work(&fake_clock->actors[at], i >= MOST_ACTORS)) {
            first = at;
            return true;
        }
    }
    return false;
}

static bool
is_waiting(const struct actor *actor)
{
    enum actor_state state = state_of(actor);

    return state == ACTOR_WAITING || state == ACTOR_ASLEEP;
}

/* The entry already says that the process is awake. If the process was killed in its sleep, its
 * entry is still there. Then this removes the entry. */
static void
wake(struct actor *actor)
{
    uint64_t sleeps;

    if (is_dead(look_at(actor->pid, &sleeps)))
        set_state(actor, ACTOR_NONE);
    else
        kill(actor->pid, wake_signal());
}

/* Does the process still sleep? A killed process leaves its entry, and needs a moment to end. */
static bool
is_really_asleep(struct actor *actor)
{
    uint64_t sleeps;
    char letter = look_at(actor->pid, &sleeps);

    if (is_dead(letter))
        set_state(actor, ACTOR_NONE);
    return letter == 'S';
}

/* The time at which the first process wants to go on. UINT64_MAX: no process waits for a time, or
 * the first one was killed. Then the keeper looks again. No process works here, so no entry changes
 * meanwhile. */
static uint64_t
find_next(void)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < MOST_ACTORS; i++) {
        const struct actor *actor = &fake_clock->actors[i];

        if (is_waiting(actor) && actor->until < next)
            next = actor->until;
    }
    for (size_t i = 0; i < MOST_ACTORS && next != UINT64_MAX; i++) {
        struct actor *actor = &fake_clock->actors[i];

        if (is_waiting(actor) && actor->until <= next && !is_really_asleep(actor))
            return UINT64_MAX;
    }
    return next;
}

/* Wakes the processes whose flag is not set any more. Returns whether any process waits at all. */
static bool
look_at_flags(void)
{
    bool is_waited_for = false;

    for (size_t i = 0; i < MOST_ACTORS; i++) {
        struct actor *actor = &fake_clock->actors[i];

        if (!is_waiting(actor))
            continue;
        is_waited_for = true;
        if (actor->flag && !*actor->flag && change_state(actor, ACTOR_ASLEEP, ACTOR_AWAKE))
            wake(actor);
    }
    return is_waited_for;
}

/* First marks all due processes as awake, and then wakes them. Otherwise a woken process could wake
 * another one, which would then wait for something else, and longer. */
static void
advance(uint64_t next)
{
    static struct actor *due[MOST_ACTORS];
    size_t count = 0;

    if (next > fake_clock->now)
        __atomic_store_n(&fake_clock->now, next, __ATOMIC_SEQ_CST);
    for (size_t i = 0; i < MOST_ACTORS; i++) {
        struct actor *actor = &fake_clock->actors[i];

        if (is_waiting(actor) && actor->until <= fake_clock->now) {
            set_state(actor, ACTOR_AWAKE);
            due[count++] = actor;
        }
    }
    for (size_t i = 0; i < count; i++)
        wake(due[i]);
}

/* Removes the entries of processes that were killed while they slept without a time limit. */
static void
sweep(void)
{
    uint64_t sleeps;

    for (size_t i = 0; i < MOST_ACTORS; i++) {
        struct actor *actor = &fake_clock->actors[i];

        if (state_of(actor) > ACTOR_FORKED && is_dead(look_at(actor->pid, &sleeps)))
            set_state(actor, ACTOR_NONE);
    }
}

/* Waits until all processes that have the other end of the pipe have ended. */
static void __attribute__((noreturn)) keep_time(int pipe)
{
    struct pollfd end = {.fd = pipe, .events = POLLIN};
    unsigned rounds = 0;
    long pause = 0;

    for (;;) {
        unsigned waits = __atomic_load_n(&fake_clock->waits, __ATOMIC_SEQ_CST);
        bool is_waited_for = look_at_flags();
        uint64_t next = is_waited_for && !is_anybody_at_work() ? find_next() : UINT64_MAX;

        if (!is_waited_for || ++rounds % 256 == 0) {
            sweep();
            if (poll(&end, 1, 0) > 0)
                _exit(0);
        }
        if (next != UINT64_MAX) {
            advance(next);
            pause = 0;
        } else if (!is_waited_for) {
            wait_word(&fake_clock->waits, waits);
            pause = 0;
        } else {
            const struct timespec length = {0, pause};

            nanosleep(&length, NULL);
            pause = pause ? pause < (long)MILLISECOND ? 2 * pause : pause : 20000;
        }
    }
}

/* The keeper is a child of no test, so no test waits for it. */
static void
start_keeper(void)
{
    int ends[2];
    pid_t pid;

    assert(pipe2(ends, O_CLOEXEC) == 0);
    pid = fork();
    if (pid == 0) {
        close(ends[1]);
        if (fork() == 0) {
            /* The keeper is no test. Whatever goes wrong in it ends it. */
            for (int number = SIGHUP; number < SIGRTMIN; number++)
                signal(number, SIG_DFL);
            keep_time(ends[0]);
        }
        _exit(0);
    }
    assert(pid > 0 && waitpid(pid, NULL, 0) == pid);
    close(ends[0]);
}

/* --- processes that take part ----------------------------------------------------------------- */

/* Each call looks at other entries first. So it needs no lock, and a killed process leaves no lock
 * behind. */
static struct actor *
new_actor(void)
{
    for (size_t tries = 0; tries < MOST_ACTORS; tries++) {
        unsigned number = __atomic_fetch_add(&fake_clock->forks, 1, __ATOMIC_SEQ_CST);
        struct actor *actor = &fake_clock->actors[number % MOST_ACTORS];

        if (state_of(actor) == ACTOR_NONE) {
            actor->until = UINT64_MAX;
            actor->flag = NULL;
            return actor;
        }
    }
    assert(!"more processes at once than the clock can have");
    return NULL;
}

static void
before_fork(void)
{
    char path[32];
    struct flock lock;

    forked = new_actor();
    lock = lock_of(forked);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", forks);
    fork_lock = open(path, O_RDWR | O_CLOEXEC);
    assert(fork_lock >= 0 && fcntl(fork_lock, F_OFD_SETLK, &lock) == 0);
    set_state(forked, ACTOR_FORKED);
}

/* Waits until the child takes part. Before that, nobody knows which process to kill. */
static void
after_fork(void)
{
    cleanup_close(&fork_lock);
    while (state_of(forked) == ACTOR_FORKED) {
        wait_word(&forked->state, ACTOR_FORKED);
        forget_unborn(forked);
    }
}

static void
take_part(void)
{
    self = forked;
    self->pid = getpid();
    /* Yama lets the keeper read the file syscall only of a process that agrees. Kernels without
     * Yama refuse this call. */
    (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    set_state(self, ACTOR_AWAKE);
    wake_word(&self->state);
    cleanup_close(&fork_lock);
}

void
fake_clock_start(void)
{
    const struct sigaction action = {.sa_handler = woken};
    sigset_t blocked;

    if (!fake_clock) {
        fake_clock = mmap(NULL, sizeof(*fake_clock), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert(fake_clock != MAP_FAILED);
    }
    if (is_real)
        return;
    if (!self) {
        sigemptyset(&blocked);
        sigaddset(&blocked, wake_signal());
        assert(sigaction(wake_signal(), &action, NULL) == 0);
        assert(sigprocmask(SIG_BLOCK, &blocked, NULL) == 0);
        forks = memfd_create("forks", MFD_CLOEXEC);
        assert(forks >= 0);
        start_keeper();
        forked = new_actor();
        take_part();
        assert(pthread_atfork(before_fork, after_fork, take_part) == 0);
    }
    if (fake_now() < FAKE_UPTIME)
        fake_set_uptime(FAKE_UPTIME);
}

void
fake_clock_use_real(void)
{
    assert(!fake_clock);
    is_real = true;
}

void *
fake_clock_take_flags(size_t size)
{
    assert(size <= FLAGS_SIZE);
    for (size_t i = 0; i < MOST_FLAGS; i++) {
        if (!fake_clock->flags[i].is_used) {
            fake_clock->flags[i].is_used = true;
            return memset(fake_clock->flags[i].bytes, 0, FLAGS_SIZE);
        }
    }
    assert(!"more flags than the clock has room for");
    return NULL;
}

void
fake_clock_return_flags(void *flags)
{
    memset(flags, 0, FLAGS_SIZE);
    for (size_t i = 0; i < MOST_FLAGS; i++) {
        if (flags == fake_clock->flags[i].bytes)
            fake_clock->flags[i].is_used = false;
    }
}

/* --- time ------------------------------------------------------------------------------------- */

uint64_t
fake_clock_now(const struct host *host)
{
    return is_real ? host_kernel.now(host) : __atomic_load_n(&fake_clock->now, __ATOMIC_SEQ_CST);
}

static int
wait_until(struct pollfd *polls, size_t count, uint64_t until, const volatile bool *flag)
{
    sigset_t unblocked;
    int rc;

    sigprocmask(SIG_BLOCK, NULL, &unblocked);
    sigdelset(&unblocked, wake_signal());
    self->until = until;
    self->flag = flag;
    set_state(self, count ? ACTOR_WAITING : ACTOR_ASLEEP);
    __atomic_add_fetch(&fake_clock->waits, 1, __ATOMIC_SEQ_CST);
    wake_word(&fake_clock->waits);
    do
        rc = ppoll(polls, count, NULL, &unblocked);
    while (rc < 0 && errno == EINTR && state_of(self) != ACTOR_AWAKE);
    rc = rc < 0 && errno == EINTR ? 0 : rc < 0 ? -errno : rc;
    self->until = UINT64_MAX;
    set_state(self, ACTOR_AWAKE);
    return rc;
}

int
fake_clock_wait(const struct host *host, struct pollfd *polls, size_t count, uint64_t nanoseconds)
{
    const struct timespec now = {0};
    int rc;

    if (is_real)
        return host_kernel.wait(host, polls, count, nanoseconds);
    rc = count ? ppoll(polls, count, &now, NULL) : 0;
    if (rc == 0 && nanoseconds)
        return wait_until(polls, count, fake_clock->now + nanoseconds, NULL);
    return rc < 0 ? -errno : rc;
}

/* Asks every millisecond, because the kernel's queue knows no simulated time. */
int
fake_clock_lock(const struct host *host, int fd, uint64_t nanoseconds)
{
    if (is_real)
        return host_kernel.lock(host, fd, nanoseconds);
    for (uint64_t end = fake_clock->now + nanoseconds; flock(fd, LOCK_EX | LOCK_NB) < 0;) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -errno;
        if (fake_clock->now >= end)
            return -ETIMEDOUT;
        fake_sleep(1);
    }
    return 0;
}

uint64_t
fake_now(void)
{
    return fake_clock_now(NULL) / MILLISECOND;
}

void
fake_set_uptime(uint64_t milliseconds)
{
    __atomic_store_n(&fake_clock->now, milliseconds * MILLISECOND, __ATOMIC_SEQ_CST);
}

void
fake_sleep(unsigned milliseconds)
{
    (void)fake_clock_wait(NULL, NULL, 0, milliseconds * MILLISECOND);
}

void
fake_sleep_while(const volatile bool *flag)
{
    while (*flag) {
        if (is_real)
            fake_sleep(1);
        else
            (void)wait_until(NULL, 0, UINT64_MAX, flag);
    }
}
