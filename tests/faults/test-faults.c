/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The fault matrix: each action with one fault at each of its calls, and the state afterwards.
 *
 *     test-faults               300 cases, drawn by a seed that is printed; SEED=N sets it
 *     LONG=1 test-faults        all
 *     test-faults CASE          one, "release:EIO:0.17"; or all that begin so, "release:kill"
 *     SHOW=1 test-faults CASE   the same, with the place where the fault strikes, and the ledger
 *
 * A case is ACTION:FAULT:PROCESS.CALL. The faults are kill, short, cut (ACTION:cut:BYTES: the
 * ledger has only this many bytes), malloc, and the names of errors. Process 0 is the action's own
 * process. The processes that it forks are 1, 2, and so on (inject.h).
 */

#include "base/array.h"
#include "faults/actions.h"
#include "faults/system-calls.h"
#include "faults/traced-host.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define SAMPLE    300
#define LONGEST   120 /* seconds of the real clock; an action that needs longer counts as hung */
#define MOST_NAME 64

enum column { COLUMN_KILL, COLUMN_ERROR, COLUMN_SHORT, COLUMN_CUT, COLUMN_MEMORY, COLUMNS };

static const char *const column_names[] = {"kill", "error", "short write", "cut ledger", "malloc"};

struct test_case {
    const struct action *action;
    struct fault fault;
};

struct matrix {
    struct test_case *cases;
    size_t count;
};

/* The results of the cases of a row, column by column. */
static struct tally {
    unsigned played, failed;
} tallies[32][COLUMNS];

static struct inject_record *record;
static struct stage stage;
static int shown; /* a copy of stderr; 0: the cases are not shown */

/* --- names ------------------------------------------------------------------------------------ */

static enum column
column_of(const struct fault *fault)
{
    static const enum column columns[] = {
        [FAULT_KILL] = COLUMN_KILL,     [FAULT_ERROR] = COLUMN_ERROR, [FAULT_SHORT] = COLUMN_SHORT,
        [FAULT_MEMORY] = COLUMN_MEMORY, [FAULT_CUT] = COLUMN_CUT,
    };

    return columns[fault->kind];
}

static const char *
fault_name(const struct fault *fault)
{
    static const char *const names[] = {[FAULT_KILL] = "kill",
                                        [FAULT_SHORT] = "short",
                                        [FAULT_CUT] = "cut",
                                        [FAULT_MEMORY] = "malloc"};

    return fault->kind == FAULT_ERROR ? system_call_error_name(fault->error) : names[fault->kind];
}

static const char *
case_name(const struct test_case *test)
{
    static char name[MOST_NAME];
    const struct fault *fault = &test->fault;

    if (fault->kind == FAULT_CUT)
        snprintf(name, sizeof(name), "%s:cut:%u", test->action->name, fault->call);
    else
        snprintf(name, sizeof(name), "%s:%s:%u.%u", test->action->name, fault_name(fault),
                 fault->process, fault->call);
    return name;
}

/* --- one case --------------------------------------------------------------------------------- */

/* The action's process runs this. It never returns. */
static void __attribute__((noreturn)) act(const struct action *action, const struct fault *fault)
{
    int status;

    alarm(LONGEST);
    /* stderr goes to a file. The hook writes there that it has no memory, and libxml2 writes its
     * errors. */
    dup2(stage.faults, STDERR_FILENO);
    traced_host_take(&stage.scene.kernel, stage.self);
    inject_begin(record, fault);
    status = action->act(&stage);
    inject_resume();
    _exit(status);
}

static int
run_child(const struct action *action, const struct fault *fault)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        act(action, fault);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* Runs the action below a daemon that ends right after the action. A file carries the action's wait
 * status, because this status may be a kill. */
static int
run_under_daemon(const struct action *action, const struct fault *fault)
{
    int status;
    pid_t daemon = fork();

    if (daemon == 0) {
        stage_be_daemon(&stage);
        record->status = run_child(action, fault);
        _exit(0);
    }
    assert_int_equal(waitpid(daemon, &status, 0), daemon);
    stage_be_daemon(&stage);
    return record->status;
}

/* Waits for writers that were left behind. They end on their own. */
static void
wait_for_the_rest(void)
{
    int status;

    while (waitpid(-1, &status, 0) > 0)
        ;
}

/* If an action has no memory, it ends at once, with the exit status that its event needs. */
static void
check_memory(const struct action *action, const char *said)
{
    int wanted = action->must_succeed ? 0 : 1;

    if (strstr(said, "vgpu: this host has no memory left") && stage.status != wanted)
        stage_complain(&stage, "without memory it exits with %d, not %d", stage.status, wanted);
}

static void
check_end(const struct action *action, const struct fault *fault, int status)
{
    AUTO_FREE char *said = stage_said(&stage);
    bool killed = fault->kind == FAULT_KILL && record->struck;

    stage.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (record->crash)
        stage_complain(&stage, "a process of it ended with signal %d", record->crash);
    if (record->unknown)
        stage_complain(&stage, "system-calls.c does not know system call %ld", record->unknown);
    if (WIFSIGNALED(status) && !(killed && WTERMSIG(status) == SIGKILL))
        stage_complain(&stage, "it ended with signal %d", WTERMSIG(status));
    if (action->must_succeed && stage.status > 0)
        stage_complain(&stage, "it exits with %d, which kills a guest: %s", stage.status, said);
    if (stage.status > 0 && !strstr(said, "vgpu"))
        stage_complain(&stage, "it exits with %d, and says nothing", stage.status);
    check_memory(action, said);
    /* A child that only reads may be killed by its parent before the child's last call. */
    if (!record->struck && fault->process == 0 && fault->kind != FAULT_NONE &&
        fault->kind != FAULT_CUT)
        stage_complain(&stage, "it never came to this call");
    if (fault->kind == FAULT_NONE && stage.status != 0)
        stage_complain(&stage, "it exits with %d without any fault: %s", stage.status, said);
}

static void
cut_ledger(unsigned length)
{
    AUTO_CLOSE int fd =
        openat(stage.scene.kernel.host.root, "run/libvirt-vgpu/ledger", O_RDWR | O_CLOEXEC);

    assert_true(fd >= 0 && ftruncate(fd, length) == 0);
}

/* Did the case succeed? If not, *why says what is wrong. */
static bool
play(const struct test_case *test, char *why, size_t size)
{
    const struct action *action = test->action;
    int status;

    memset(record, 0, sizeof(*record));
    record->shown = shown;
    stage_start(&stage, record, action->more);
    if (action->before)
        action->before(&stage);
    if (test->fault.kind == FAULT_CUT)
        cut_ledger(test->fault.call);
    fake_sleep(1); /* if the ledger cannot be read, a time is the number of a mark */
    status = action->its_daemon_ends ? run_under_daemon(action, &test->fault)
                                     : run_child(action, &test->fault);
    wait_for_the_rest();
    check_end(action, &test->fault, status);
    if (test->fault.kind == FAULT_CUT)
        actions_after_cut(&stage);
    else
        action->after(&stage);
    snprintf(why, size, "%s", stage.complaint);
    stage_stop(&stage);
    return !*why;
}

/* --- all cases -------------------------------------------------------------------------------- */

static void
add(struct matrix *matrix, const struct action *action, struct fault fault)
{
    const struct test_case test = {action, fault};

    ARRAY_ADD(matrix->cases, matrix->count, test);
}

static void
add_call(struct matrix *matrix, const struct action *action, unsigned process, unsigned call)
{
    const struct system_call *row = system_call_at(record->processes[process].rows[call - 1]);
    struct fault fault = {FAULT_KILL, process, call, 0};

    add(matrix, action, fault);
    fault.kind = FAULT_ERROR;
    for (size_t i = 0; i < MOST_ERRORS && row->errors[i]; i++) {
        fault.error = row->errors[i];
        add(matrix, action, fault);
    }
    fault = (struct fault){FAULT_SHORT, process, call, 0};
    if (record->processes[process].writes[call - 1])
        add(matrix, action, fault);
}

/* The length of the ledger when the action begins. */
static unsigned
ledger_length(const struct action *action)
{
    struct stat status;

    stage_start(&stage, record, action->more);
    if (action->before)
        action->before(&stage);
    if (fstatat(stage.scene.kernel.host.root, "run/libvirt-vgpu/ledger", &status, 0) < 0)
        status.st_size = 0;
    stage_stop(&stage);
    return (unsigned)status.st_size;
}

/* Plays the action once without a fault, and records its calls. */
static bool
add_action(struct matrix *matrix, const struct action *action)
{
    const struct test_case test = {action, {FAULT_NONE, 0, 0, 0}};
    unsigned length = ledger_length(action);
    char why[2048];

    if (!play(&test, why, sizeof(why))) {
        printf("%s fails without a fault: %s\n", action->name, why);
        return false;
    }
    for (unsigned process = 0; process < INJECT_MOST_PROCESSES; process++) {
        for (unsigned call = 1; !action->only_memory && call <= record->processes[process].calls;
             call++)
            add_call(matrix, action, process, call);
        for (unsigned call = 1; call <= record->processes[process].requests; call++)
            add(matrix, action, (struct fault){FAULT_MEMORY, process, call, 0});
    }
    for (unsigned bytes = 0; !action->only_memory && bytes < length; bytes++)
        add(matrix, action, (struct fault){FAULT_CUT, 0, bytes, 0});
    return true;
}

/* --- playing ---------------------------------------------------------------------------------- */

static void
play_case(const struct test_case *test)
{
    struct tally *tally = &tallies[test->action - actions][column_of(&test->fault)];
    char why[2048];

    tally->played++;
    if (play(test, why, sizeof(why)))
        return;
    tally->failed++;
    printf("%s: %s\n", case_name(test), why);
    fflush(stdout);
}

/* "release" means all cases that begin with it. "release:" means only this action. */
static bool
is_wanted(const struct action *action, const char *wanted)
{
    const size_t length = strcspn(wanted, ":");

    return !strncmp(wanted, action->name, length) &&
           (!wanted[length] || !length || strlen(action->name) == length);
}

/* Plays the cases of actions that meet only faults of memory, or of the other actions. Returns
 * whether all succeeded. */
static bool
add_actions(struct matrix *matrix, const char *wanted, bool only_memory)
{
    bool good = true;

    for (size_t i = 0; i < action_count; i++) {
        if (actions[i].only_memory == only_memory && is_wanted(&actions[i], wanted))
            good &= add_action(matrix, &actions[i]);
    }
    return good;
}

/* Moves some cases, drawn at random, to the front. */
static void
draw(struct matrix *matrix, unsigned seed)
{
    srandom(seed);
    for (size_t i = 0; i < SAMPLE && i < matrix->count; i++) {
        size_t other = i + (size_t)random() % (matrix->count - i);
        const struct test_case drawn = matrix->cases[other];

        matrix->cases[other] = matrix->cases[i];
        matrix->cases[i] = drawn;
    }
    if (matrix->count > SAMPLE)
        matrix->count = SAMPLE;
}

/* Prints the table as in tests/faults/README.md. Returns whether all cases succeeded. */
static bool
print_table(void)
{
    unsigned failed = 0, played = 0;

    printf("\n| action |");
    for (size_t column = 0; column < COLUMNS; column++)
        printf(" %s |", column_names[column]);
    printf("\n|---|---|---|---|---|---|\n");
    for (size_t row = 0; row < action_count; row++) {
        printf("| %s |", actions[row].name);
        for (size_t column = 0; column < COLUMNS; column++) {
            const struct tally *tally = &tallies[row][column];

            if (tally->failed)
                printf(" %u, %u failed |", tally->played, tally->failed);
            else
                printf(" %u |", tally->played);
            failed += tally->failed;
            played += tally->played;
        }
        printf("\n");
    }
    printf("\n%u cases, %u failed\n", played, failed);
    return failed == 0;
}

/* The functions' vendor: $SHAPE, or Intel for every other sample. */
static bool
choose_shape(bool is_sample, unsigned seed)
{
    const char *given = getenv("SHAPE");
    size_t index = is_sample && !given ? seed % COUNT(stage_shapes) : 0;

    while (given && index < COUNT(stage_shapes) && strcmp(given, stage_shapes[index].name))
        index++;
    if (index == COUNT(stage_shapes)) {
        printf("SHAPE is %s, and not vf or xe\n", given);
        return false;
    }
    stage_shape = &stage_shapes[index];
    return true;
}

int
main(int argc, char *argv[])
{
    const char *impossible = inject_is_possible(), *wanted = argc > 1 ? argv[1] : "";
    const char *given = getenv("SEED");
    unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
    bool good, is_sample = !*wanted && !getenv("LONG");
    struct matrix matrix = {0};

    if (impossible) {
        printf("skipped: %s\n", impossible);
        return 77;
    }
    if (!choose_shape(is_sample, seed))
        return 1;
    /* The actions read this process's open descriptors. So these must always be the same. */
    if (close_range(3, ~0u, 0) < 0)
        return 1;
    record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    good = add_actions(&matrix, wanted, false);
    printf("%zu cases in all\n", matrix.count);
    if (is_sample) {
        printf("%d of them: SEED=%u SHAPE=%s\n", SAMPLE, seed, stage_shape->name);
        draw(&matrix, seed);
    }
    good &= add_actions(&matrix, wanted, true);
    shown = getenv("SHOW") ? dup(STDERR_FILENO) : 0;
    for (size_t i = 0; i < matrix.count; i++) {
        if (!strncmp(case_name(&matrix.cases[i]), wanted, strlen(wanted)))
            play_case(&matrix.cases[i]);
    }
    free(matrix.cases);
    return print_table() && good ? 0 : 1;
}
