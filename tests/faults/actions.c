/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "faults/actions.h"
#include "actions/assign.h"
#include "actions/promise.h"
#include "actions/release.h"
#include "base/memory.h"
#include "device/scan.h"
#include "domain/request-parser.h"
#include "evacuate/evacuation-move.h"
#include "fake/nvidia-tools.h"
#include "prove/proof.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static const char *const both[] = {stage_a, stage_v, NULL};
static const char *const only_v[] = {stage_v, NULL};

/* --- common parts ----------------------------------------------------------------------------- */

static void
prepare_guest(struct stage *stage)
{
    assert_int_equal(stage_prepare(stage, 1), 0);
}

static void
expect_both(struct stage *stage)
{
    stage_expect(stage, stage_a, 1);
    stage_expect(stage, stage_v, 1);
    stage_expect_taken(stage);
    stage_expect(stage, stage_a, 1);
    stage_expect(stage, stage_v, 1);
}

/* Guest 1 ends, or did not start. libvirt calls release in both cases. */
static void
end_guest(struct stage *stage)
{
    stage_end_guest(stage);
    if (stage_release(stage, 1) != 0)
        stage_complain(stage, "the release after it fails");
    stage_reconcile(stage);
    stage_expect_free(stage);
}

/* Guest 1 ended together with its daemon, and nobody calls release. */
static void
reconcile_nothing_left(struct stage *stage)
{
    stage_reconcile(stage);
    stage_expect_free(stage);
}

/* --- a guest's start and end ------------------------------------------------------------------ */

static int
act_prepare(struct stage *stage)
{
    return stage_hook(stage, 1, both, "prepare", "begin");
}

/* If the action succeeded, the guest runs and has both devices. */
static void
after_prepare(struct stage *stage)
{
    if (stage->status == 0)
        expect_both(stage);
    end_guest(stage);
}

/* Guest 4 has ended. Its vGPUs are kept for its next start, and have the places that guest 1
 * needs. */
static void
keep_anothers(struct stage *stage)
{
    scene_configure(&stage->scene, STAGE_CONFIGURATION "release = \"keep\";");
    assert_int_equal(stage_prepare(stage, 4), 0);
    assert_int_equal(stage_release(stage, 4), 0);
    scene_configure(&stage->scene, STAGE_CONFIGURATION);
}

static void
after_evicting(struct stage *stage)
{
    if (stage->status == 0)
        expect_both(stage);
    stage_end_guest(stage);
    if (stage_release(stage, 1) != 0)
        stage_complain(stage, "the release after it fails");
    stage_reconcile(stage);
    /* A vGPU that was not removed is still kept. A start that wants its place gets the place. */
    if (stage_prepare(stage, 2) != 0) {
        AUTO_FREE char *said = stage_said(stage);

        stage_complain(stage, "guest 2 does not get what is kept: %s", said);
    }
    if (stage_release(stage, 2) != 0)
        stage_complain(stage, "the release of guest 2 fails");
    stage_expect_free(stage);
}

static int
act_start(struct stage *stage)
{
    return stage_hook(stage, 1, both, "start", "begin");
}

/* Guest 1 runs, and the hook gets the event. */
static void
run_untold(struct stage *stage)
{
    prepare_guest(stage);
    stage_run_guest_untold(stage, both);
}

static int
act_started(struct stage *stage)
{
    return stage_hook(stage, 1, both, "started", "begin");
}

static void
after_started(struct stage *stage)
{
    stage_reconcile(stage);
    expect_both(stage);
    end_guest(stage);
}

/* Guest 1 has run and ended. */
static void
run_and_end(struct stage *stage)
{
    prepare_guest(stage);
    stage_run_guest(stage, both);
    stage_end_guest(stage);
}

static int
act_release(struct stage *stage)
{
    return stage_hook(stage, 1, both, "release", "end");
}

/* When the release knows its guest, it leaves its mark, even if something fails after that. Without
 * the mark nobody would know of the release, because the guest has never run. */
static void
after_never_running(struct stage *stage)
{
    if (stage->record->knows_domain)
        reconcile_nothing_left(stage);
}

/* --- a daemon's start ------------------------------------------------------------------------- */

/* A daemon starts guest 1, and ends. */
static void
prepare_and_lose_daemon(struct stage *stage)
{
    pid_t daemon = fork();

    if (daemon == 0) {
        stage_be_daemon(stage);
        _exit(stage_prepare(stage, 1));
    }
    scene_assert_ends_well(daemon);
    stage_be_daemon(stage);
}

/* Guest 1 runs. The daemon that started it has ended. */
static void
outlive_daemon(struct stage *stage)
{
    prepare_and_lose_daemon(stage);
    stage_run_guest(stage, both);
}

static void
outlive_ledger(struct stage *stage)
{
    outlive_daemon(stage);
    assert_int_equal(unlinkat(stage->scene.kernel.host.root, "run/libvirt-vgpu/ledger", 0), 0);
}

static int
act_reconnect(struct stage *stage)
{
    return stage_hook(stage, 1, both, "reconnect", "begin");
}

/* --- a guest's arrival ------------------------------------------------------------------------ */

/* Somebody else has a device with the UUID of A, and guest 4 has the function V. So the hook must
 * change the XML. */
static void
take_names(struct stage *stage)
{
    assert_int_equal(fake_make(&stage->scene.kernel, "mtty", "mtty-2", stage_a), 0);
    assert_int_equal(stage_prepare_devices(stage, 4, only_v), 0);
}

/* The same, and guest 1 has run here and may have been saved: libvirt tells no reason. */
static void
save_and_take_names(struct stage *stage)
{
    run_and_end(stage);
    assert_int_equal(stage_release(stage, 1), 0);
    take_names(stage);
}

static int
act_migrate(struct stage *stage)
{
    return stage_hook(stage, 1, both, "migrate", "begin");
}

static int
act_restore(struct stage *stage)
{
    return stage_hook(stage, 1, both, "restore", "begin");
}

static int
prepare_printed(struct stage *stage)
{
    AUTO_FREE char *xml = stage_printed(stage);

    return stage_hook_xml(stage, xml, "prepare", "begin");
}

/* The guest arrives with the printed XML. Or its arrival failed, and libvirt does not tell this. If
 * something could not be read, the hook may have chosen wrongly. Then the guest's prepare is
 * refused, and the guest stays on the other host. */
static void
after_arrival(struct stage *stage)
{
    AUTO_FREE char *xml = stage_printed(stage);
    const size_t length = strlen(xml);
    const bool is_other = strstr(xml, "function='0x5'") && !strstr(xml, stage_a);

    assert_int_equal(fake_remove(&stage->scene.kernel, stage_a), 0);
    if (stage->status == 0 && length && strcmp(xml + length - 10, "</domain>\n"))
        stage_complain(stage, "it prints half an XML: %s", xml);
    if (stage->status == 0 && !stage->record->struck && !is_other)
        stage_complain(stage, "it prints what the guest cannot have here: %s", xml);
    if (stage->status == 0 && is_other) {
        if (stage_step(stage, prepare_printed) == 0)
            stage_expect(stage, stage_v2, 1);
        else if (!stage->record->struck)
            stage_complain(stage, "the guest cannot be prepared with what was printed: %s", xml);
        stage_release(stage, 1);
    }
    fake_sleep(61000);
    stage_expect(stage, stage_v, 4);
    assert_int_equal(stage_release(stage, 4), 0);
    stage_reconcile(stage);
    stage_expect(stage, stage_v2, 0);
    stage_expect_free(stage);
}

/* --- while a guest runs ----------------------------------------------------------------------- */

static void
run_with_one(struct stage *stage)
{
    assert_int_equal(stage_prepare_devices(stage, 1, only_v), 0);
    stage_run_guest(stage, only_v);
}

/* libvirt plugs the device in. */
static int
hand_over(void *data, struct error *error)
{
    inject_pause();
    stage_put_status(data, 1, both);
    inject_resume();
    return 0;
}

static int
tell(const struct stage *stage, int rc, const struct error *error)
{
    if (rc < 0)
        dprintf(stage->faults, "vgpuctl: %s\n", error->text);
    return rc < 0;
}

static int
act_attach(struct stage *stage)
{
    AUTO_FREE char *xml = stage_xml(1, both);
    const struct document document = {xml, strlen(xml)};
    const struct assign_handover handover = {hand_over, stage};
    AUTO(request_clear) struct request request;
    struct error error;
    struct name device;
    int rc;

    assert_int_equal(request_parse(&document, &request, &error), 0);
    assert_int_equal(name_parse_uuid(&device, stage_a), 0);
    stage_start_program(stage, "vgpuctl");
    inject_resume();
    rc = assign_device(&stage->scene.kernel.host, &request, &device, &handover, &error);
    stage_end_program(stage);
    inject_pause();
    return tell(stage, rc, &error);
}

/* If libvirt was asked to plug the device in, the guest has the device, whatever happened after
 * that. */
static void
after_attach(struct stage *stage)
{
    bool has = stage_guest_has(stage, stage_a);

    if (stage->status == 0 && !has)
        stage_complain(stage, "it succeeds, and the guest does not have it");
    if (has)
        stage_open_device(stage, stage_a);
    stage_reconcile(stage);
    stage_expect(stage, stage_v, 1);
    stage_expect(stage, stage_a, has ? 1 : 0);
    stage_expect_taken(stage);
    end_guest(stage);
}

/* Guest 1 runs, and has closed A. */
static void
let_go(struct stage *stage)
{
    assert_int_equal(stage_prepare(stage, 1), 0);
    stage_run_guest(stage, only_v);
}

static int
act_detach(struct stage *stage)
{
    struct name domain, device;
    struct error error;
    int rc;

    assert_int_equal(name_parse_uuid(&domain, "aaaaaaaa-0000-4000-8000-000000000001"), 0);
    assert_int_equal(name_parse_uuid(&device, stage_a), 0);
    stage_start_program(stage, "vgpuctl");
    inject_resume();
    rc = release_device(&stage->scene.kernel.host, &domain, &device, &error);
    stage_end_program(stage);
    inject_pause();
    return tell(stage, rc, &error);
}

static void
after_detach(struct stage *stage)
{
    if (stage->status == 0)
        stage_expect(stage, stage_a, 0);
    stage_reconcile(stage);
    stage_expect(stage, stage_v, 1);
    stage_expect(stage, stage_a, 0);
    end_guest(stage);
}

/* --- a promised place ------------------------------------------------------------------------- */

static const char *const only_a[] = {stage_a, NULL};

static void
prepare_only_a(struct stage *stage)
{
    assert_int_equal(stage_prepare_devices(stage, 1, only_a), 0);
}

/* The part of 'vgpuctl move --here' beside libvirt's, which calls the hook's release. */
static int
act_promise(struct stage *stage)
{
    AUTO_FREE char *xml = stage_xml(1, only_a);
    const struct document document = {xml, strlen(xml)};
    AUTO(request_clear) struct request request = {0};
    const struct names none = {0};
    struct promise promise = PROMISE_NONE;
    struct error error;
    int rc;

    assert_int_equal(request_parse(&document, &request, &error), 0);
    stage_start_program(stage, "vgpuctl");
    inject_resume();
    rc = promise_hold(&stage->scene.kernel.host, &request, &none, &none, &promise, &error);
    if (rc == 0)
        rc = release_domain(&stage->scene.kernel.host, &request, "saved", &error);
    if (rc == 0)
        rc = promise_give(&promise, &error);
    promise_close(&promise);
    stage_end_program(stage);
    inject_pause();
    return tell(stage, rc, &error);
}

/* If the place was given, the guest gets it. In any case nothing is left of it in the end. */
static void
after_promise(struct stage *stage)
{
    if (stage->status == 0) {
        if (stage_prepare_devices(stage, 1, only_a) != 0)
            stage_complain(stage, "the guest does not get its promised place");
        stage_expect(stage, stage_a, 1);
    }
    if (stage_release(stage, 1) != 0)
        stage_complain(stage, "the release fails");
    reconcile_nothing_left(stage);
}

/* --- what administrators type ----------------------------------------------------------------- */

/* The vGPUs of guest 4 are kept. */
static int
act_reap(struct stage *stage)
{
    return stage_vgpuctl(stage, "vgpuctl reap dddddddd-0000-4000-8000-000000000001 0000:3d:00.4");
}

static void
after_reap(struct stage *stage)
{
    if (stage->status == 0) {
        stage_expect(stage, stage_a, 0);
        stage_expect(stage, stage_v, 0);
    }
    stage->status = -1; /* -1: the device belongs to no guest */
    after_evicting(stage);
}

/* Guest 1 was lost together with its daemon, and the ledger has no lease of the bystander. */
static void
lose_both(struct stage *stage)
{
    prepare_and_lose_daemon(stage);
    stage_lose_lease(stage, stage_b);
}

static int
act_reconcile(struct stage *stage)
{
    return stage_vgpuctl(stage, "vgpuctl reconcile");
}

/* If reconcile cannot read something, it leaves the leases alone, and says so. The next reconcile
 * acts on them. */
static void
after_reconcile(struct stage *stage)
{
    if (!stage->record->struck) {
        stage_expect(stage, stage_a, 0);
        stage_expect(stage, stage_v, 0);
        stage_expect(stage, stage_b, 3);
    }
    reconcile_nothing_left(stage);
}

static int
act_drain(struct stage *stage)
{
    return stage_vgpuctl(stage, "vgpuctl drain mtty");
}

/* When the command is called again, the GPU is drained. When it is undone, the GPU is not
 * drained. */
static void
after_drain(struct stage *stage)
{
    if (stage->status == 0 && stage_prepare(stage, 1) == 0)
        stage_complain(stage, "a guest gets a vGPU of a GPU that is drained");
    if (stage_command(stage, "vgpuctl drain mtty") != 0)
        stage_complain(stage, "it cannot be drained any more");
    if (stage_prepare(stage, 1) == 0)
        stage_complain(stage, "a guest gets a vGPU of a GPU that is drained again");
    if (stage_command(stage, "vgpuctl undrain mtty") != 0)
        stage_complain(stage, "it cannot be undrained");
    reconcile_nothing_left(stage);
}

/* The record of a guest that an evacuation has moved, and moves once more. `to`: a GPU; NULL: the
 * guest is in hand. */
static int
write_record(struct stage *stage, const char *to, struct error *error)
{
    struct evacuation_move move = {.name = "guest1", .way = EVACUATION_HERE};
    AUTO(names_clear) struct names from = {0}, places = {0};

    move.domain = (struct name){"aaaaaaaa-0000-4000-8000-000000000001"};
    if (names_add(&from, "mtty") < 0 || (to && names_add(&places, to) < 0))
        return -EINVAL;
    move.from = from;
    move.to = places;
    return evacuation_record_write(&stage->scene.kernel.host, &move, error);
}

static void
put_record(struct stage *stage)
{
    struct error error;

    assert_int_equal(write_record(stage, "mdpy", &error), 0);
}

static int
act_record(struct stage *stage)
{
    struct error error;
    int rc;

    stage_start_program(stage, "vgpuctl");
    inject_resume();
    rc = write_record(stage, NULL, &error);
    stage_end_program(stage);
    inject_pause();
    return tell(stage, rc, &error);
}

/* The record is the old one or the new one. It can be written and removed. */
static void
after_record(struct stage *stage)
{
    const struct host *host = &stage->scene.kernel.host;
    AUTO(evacuation_moves_clear) struct evacuation_moves records = {0};
    struct error error;

    if (evacuation_record_read_all(host, &records, &error) < 0)
        stage_complain(stage, "%s", error.text);
    else if (records.count != 1 || (stage->status == 0 && records.items[0].to.count))
        stage_complain(stage, "the record is not the new one");
    else if (evacuation_record_remove(host, &records.items[0].domain, &error) < 0)
        stage_complain(stage, "%s", error.text);
    reconcile_nothing_left(stage);
}

static bool
goes_on(const struct proof *proof, const void *data)
{
    return true;
}

/* The part of 'vgpuctl prove' after its questions to libvirt. */
static int
prove(const struct host *host, struct proof *proof, struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    const struct names none = {0};
    struct name card;
    int rc = name_parse(&card, "0000:3d:00.0");

    if (rc == 0)
        rc = snapshot_take(&snapshot, host, &inventory_all_types, error);
    if (rc == 0)
        rc = workbench_take(host, &card, &snapshot, &proof->bench, error);
    proof->policy = snapshot.policy;
    snapshot.policy = (struct policy){0};
    if (rc == 0)
        rc = proof_begin(proof, &none, false, error);
    return rc < 0 ? rc : proof_run(proof, error);
}

/* The card with the two functions has no vGPU and no lease. */
static int
act_prove(struct stage *stage)
{
    AUTO_FREE char *record = NULL;
    struct proof proof = {.bench = WORKBENCH_NONE, .goes_on = goes_on};
    struct error error = {0};
    size_t length;
    int rc;

    proof.record = memory_stream(&record, &length);
    stage_start_program(stage, "vgpuctl");
    inject_resume();
    rc = prove(&stage->scene.kernel.host, &proof, &error);
    fclose(proof.record);
    proof_clear(&proof);
    stage_end_program(stage);
    inject_pause();
    return tell(stage, rc, &error);
}

/* --- a card's setup --------------------------------------------------------------------------- */

#define CARD  "0000:3d:00.0"
#define OTHER "0000:5e:00.0"

/* A card of NVIDIA's that nobody declares. It has no functions that guests of the stage need. */
#define OTHER_CARD                                                                                 \
    "gpu " OTHER " vf vfs 2 rule size\n"                                                           \
    "type nvidia-1146 \"NVIDIA L40S-2B\" framebuffer 2048 max 2\n"

static bool
is_nvidias(void)
{
    return !strcmp(stage_shape->name, "vf");
}

static void
declare(struct stage *stage, const char *nvidias)
{
    AUTO_FREE char *text = NULL;

    assert_true(asprintf(&text,
                         "%sgpus = ({ address = \"mtty\"; },\n"
                         "        { address = \"" CARD "\"; setup = { %s }; });\n",
                         STAGE_SETTINGS, is_nvidias() ? nvidias : "functions = 2;") > 0);
    scene_configure(&stage->scene, text);
}

/* MIG mode needs a reset, for which a daemon is stopped. */
static void
be_bare(struct stage *stage)
{
    nvidia_tools_install(&stage->scene.kernel, CARD, 2);
    nvidia_tools_boot(&stage->scene.kernel);
    nvidia_tools->needs_reset = nvidia_tools->has_daemon = nvidia_tools->daemon_runs = true;
    declare(stage, "functions = \"all\"; instances = [ \"2g.12gb\" ];");
}

/* The card has what must go first. */
static void
be_other(struct stage *stage)
{
    be_bare(stage);
    assert_int_equal(fake_enable(&stage->scene.kernel, CARD, is_nvidias() ? 2 : 1), 0);
    nvidia_tools->is_mig = nvidia_tools->is_mig_to_be = true;
    nvidia_tools_add_instance("1g.6gb");
    declare(stage, "functions = \"all\"; instances = [ ]; sizes = \"mixed\";");
}

static int
act_setup(struct stage *stage)
{
    return stage_vgpuctl(stage, "vgpuctl setup");
}

static void
expect_functions(struct stage *stage, const char *card)
{
    const struct host host = {.root = stage->scene.kernel.host.root, .ops = &host_kernel};
    uint64_t count = 0;

    if (host_read_number(&host, &count, "sys/bus/pci/devices/%s/sriov_numvfs", card) < 0 ||
        count != 2)
        stage_complain(stage, "%s has %u functions", card, (unsigned)count);
}

static void
expect_set_up(struct stage *stage, bool in_mig_mode)
{
    const struct nvidia_tools *card = nvidia_tools;

    expect_functions(stage, CARD);
    expect_functions(stage, OTHER);
    if (is_nvidias() && (card->is_mig != in_mig_mode || card->is_mixed == in_mig_mode ||
                         card->instance_count != (in_mig_mode ? 1 : 0)))
        stage_complain(stage, "MIG mode is %d with %u instances, and mixed sizes are %d",
                       card->is_mig, card->instance_count, card->is_mixed);
    if (!is_nvidias() && (*fake_profile(&stage->scene.kernel, stage_v) ||
                          *fake_profile(&stage->scene.kernel, stage_v2)))
        stage_complain(stage, "a function has memory that no guest asked for");
    if (!card->daemon_runs)
        stage_complain(stage, "the daemon stays stopped");
}

/* What it says is true. The next setup finishes, and then there is nothing left to do. */
static void
after_any_setup(struct stage *stage, bool in_mig_mode)
{
    unsigned changes;

    if (stage->status == 0)
        expect_set_up(stage, in_mig_mode);
    fake_sleep(1); /* claims have times as their numbers, and the ledger may lack the last ones */
    for (unsigned i = 0; i < 2; i++) {
        changes = nvidia_tools->changes;
        if (stage_command(stage, "vgpuctl setup") != 0) {
            AUTO_FREE char *said = stage_said(stage);

            stage_complain(stage, "the setup after it fails: %s", said);
        }
        expect_set_up(stage, in_mig_mode);
    }
    if (nvidia_tools->changes != changes)
        stage_complain(stage, "a third setup still finds something to do");
    reconcile_nothing_left(stage);
}

static void
after_setup(struct stage *stage)
{
    after_any_setup(stage, true);
}

static void
after_other_setup(struct stage *stage)
{
    after_any_setup(stage, false);
}

/* --- a ledger that was cut off ---------------------------------------------------------------- */

/* An administrator may remove a vGPU that has no lease any more. */
void
actions_after_cut(struct stage *stage)
{
    static const char *const devices[] = {stage_a, stage_v};
    const bool has_a = stage_guest_has(stage, stage_a);
    const bool has_v = stage_guest_has(stage, "function='0x4'");

    if (stage_command(stage, "vgpuctl reconcile --rebuild") != 0)
        stage_complain(stage, "the ledger cannot be made anew");
    if (stage_command(stage, "vgpuctl setup") != 0)
        stage_complain(stage, "GPUs are not set up with the new ledger");
    stage_reconcile(stage);
    if (has_a)
        stage_expect(stage, stage_a, 1);
    if (has_v)
        stage_expect(stage, stage_v, 1);
    stage_end_guest(stage);
    for (unsigned guest = 1; guest < 5; guest++) {
        if (guest != 3 && stage_release(stage, guest) != 0)
            stage_complain(stage, "the release of guest %u fails", guest);
    }
    stage_command(stage, "vgpuctl undrain mtty");
    stage_reconcile(stage);
    for (size_t i = 0; i < COUNT(devices); i++) {
        char line[128];

        snprintf(line, sizeof(line), "vgpuctl reap %s", devices[i]);
        if (*fake_type_of(&stage->scene.kernel, devices[i]) && stage_command(stage, line) != 0)
            stage_complain(stage, "%s cannot be removed", devices[i]);
    }
    fake_sleep(61000);
    stage_reconcile(stage);
    stage_expect_free(stage);
}

const struct action actions[] = {
    {"prepare", .act = act_prepare, .after = after_prepare},
    {"prepare-daemon-ends", .act = act_prepare, .after = reconcile_nothing_left,
     .its_daemon_ends = true},
    {"prepare-evicts", .before = keep_anothers, .act = act_prepare, .after = after_evicting},
    {"start", .before = prepare_guest, .act = act_start, .after = after_prepare},
    {"reconnect", .before = outlive_daemon, .act = act_reconnect, .after = after_started,
     .must_succeed = true},
    {"reconnect-no-ledger", .before = outlive_ledger, .act = act_reconnect, .after = after_started,
     .must_succeed = true},
    {"started", .before = run_untold, .act = act_started, .after = after_started,
     .must_succeed = true},
    {"release", .before = run_and_end, .act = act_release, .after = reconcile_nothing_left,
     .must_succeed = true},
    {"release-never-ran", .before = prepare_guest, .act = act_release, .after = after_never_running,
     .must_succeed = true, .only_memory = true},
    {"migrate", .before = take_names, .act = act_migrate, .after = after_arrival},
    {"restore", .before = save_and_take_names, .act = act_restore, .after = after_arrival},
    {"attach", .before = run_with_one, .act = act_attach, .after = after_attach},
    {"detach", .before = let_go, .act = act_detach, .after = after_detach},
    {"promise", .before = prepare_only_a, .act = act_promise, .after = after_promise},
    {"reap", .before = keep_anothers, .act = act_reap, .after = after_reap},
    {"reconcile", .before = lose_both, .act = act_reconcile, .after = after_reconcile},
    {"drain", .act = act_drain, .after = after_drain},
    {"evacuated", .before = put_record, .act = act_record, .after = after_record},
    {"prove", .act = act_prove, .after = reconcile_nothing_left},
    {"setup", .before = be_bare, .act = act_setup, .after = after_setup, .more = OTHER_CARD},
    {"setup-other", .before = be_other, .act = act_setup, .after = after_other_setup,
     .more = OTHER_CARD},
};
const size_t action_count = COUNT(actions);
