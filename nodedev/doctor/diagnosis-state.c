/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Our own files: the configuration, the records, and the timer. */

#include "actions/passthrough.h"
#include "base/shell-word.h"
#include "doctor/diagnosis.h"
#include "doctor/entry.h"
#include "evacuate/evacuation-move.h"
#include "migrate/managed-save.h"

#define STATE         "run/libvirt-vgpu"
#define KEPT          "var/lib/libvirt-vgpu" /* files that outlive a boot */
#define LONGEST_LEAVE 600                    /* seconds: by then the timer has run again */
#define TIMER         "libvirt-vgpu-reconcile.timer"

static void
check_policy(struct diagnosis *diagnosis)
{
    if (!*diagnosis->policy_fault.text)
        return;
    diagnosis_add(diagnosis, "%s", diagnosis->policy_fault.text);
    diagnosis_advise(diagnosis, "correct it: until then no guest that asks for a vGPU starts");
}

static void
check_enabled(struct diagnosis *diagnosis)
{
    if (diagnosis->policy.enabled)
        return;
    diagnosis_add(diagnosis,
                  "%s says enabled = false: no guest is given a vGPU, and those that ask "
                  "for one and have none do not start",
                  diagnosis->policy.enabled_origin);
    diagnosis_advise(diagnosis, "say enabled = true there, or leave it out");
}

/* A user who may put files there decides which GPUs guests get. The files themselves are checked
 * whenever they are read. */
static void
check_policy_owner(struct diagnosis *diagnosis)
{
    const struct host *host = diagnosis->host;
    static const char *const below[] = {"", "/conf.d"};
    struct entry entry;

    for (size_t i = 0; i < COUNT(below); i++) {
        if (entry_follow(host, &entry, "%s%s", host->config, below[i]) < 0 ||
            entry_is_safe(host, &entry))
            continue;
        diagnosis_add(diagnosis, "/%s: others than root may put files there", entry.path.text);
        diagnosis_command(diagnosis, "chown root:root /%s", entry.path.text);
        diagnosis_command(diagnosis, "chmod go-w /%s", entry.path.text);
    }
}

static void
check_ledger(struct diagnosis *diagnosis)
{
    const struct lease *unknown = ledger_find_unknown(&diagnosis->ledger);

    if (*diagnosis->ledger_fault.text) {
        diagnosis_add(diagnosis, "%s", diagnosis->ledger_fault.text);
    } else if (unknown) {
        diagnosis_add(diagnosis,
                      "the guest %s has the vGPU %s, of the interface \"%s\", which this "
                      "libvirt-vgpu does not know",
                      unknown->domain_name, unknown->vgpu.device.text, unknown->kind.text);
        diagnosis_advise(diagnosis, "install the version that gave it, or have it forgotten:");
        diagnosis_command(diagnosis, "vgpuctl reconcile --rebuild");
    } else {
        return;
    }
    diagnosis_advise(diagnosis, "until then no guest that asks for a vGPU starts");
}

/* A user who may open the locks can keep every guest from starting. */
static void
check_state_owner(struct diagnosis *diagnosis)
{
    static const struct {
        const char *path;
        mode_t never; /* bits that the file must not have */
        mode_t right;
    } rows[] = {
        {STATE, S_IWGRP | S_IWOTH, 0755},
        {STATE "/ledger", S_IWGRP | S_IWOTH, 0644},
        {STATE "/counters", S_IWGRP | S_IWOTH, 0755},
        {STATE "/lock", S_IRWXG | S_IRWXO, 0600},
        {STATE "/claims", S_IRWXG | S_IRWXO, 0600},
        {KEPT, S_IWGRP | S_IWOTH, 0755},
        {KEPT "/drained", S_IWGRP | S_IWOTH, 0755},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct entry entry;

        if (entry_look(diagnosis->host, &entry, "%s", rows[i].path) < 0 ||
            (!(entry.status.st_mode & rows[i].never) && entry_is_safe(diagnosis->host, &entry)))
            continue;
        diagnosis_add(diagnosis, "/%s has owner %u and mode %03o: others than root may meddle",
                      entry.path.text, (unsigned)entry.status.st_uid,
                      (unsigned)entry.status.st_mode & 0777);
        diagnosis_command(diagnosis, "chown root:root /%s", entry.path.text);
        diagnosis_command(diagnosis, "chmod %03o /%s", (unsigned)rows[i].right, entry.path.text);
    }
}

static void
check_leaving(struct diagnosis *diagnosis)
{
    uint64_t now = host_seconds(diagnosis->host);

    for (size_t i = 0; i < diagnosis->ledger.count; i++) {
        const struct lease *lease = &diagnosis->ledger.leases[i];

        if ((lease->state != LEASE_LEAVING && lease->state != LEASE_REMOVING) ||
            now < lease->time + LONGEST_LEAVE)
            continue;
        diagnosis_add(
            diagnosis, "the vGPU %s, which was %s's, has waited for %u minutes to be removed",
            lease->vgpu.device.text, lease->domain_name, (unsigned)((now - lease->time) / 60));
        diagnosis_command(diagnosis, "vgpuctl reconcile");
        diagnosis_advise(diagnosis, "it says who has it open");
    }
}

/* Some vGPUs cannot be given back at once. Without the timer they stay until another start needs
 * their room. */
static void
check_timer(struct diagnosis *diagnosis)
{
    static const char *const directories[] = {"etc/systemd/system", "run/systemd/system",
                                              "usr/lib/systemd/system", "lib/systemd/system"};

    if (!host_exists(diagnosis->host, "run/systemd/system"))
        return;
    for (size_t i = 0; i < COUNT(directories); i++) {
        if (host_exists(diagnosis->host, "%s/timers.target.wants/" TIMER, directories[i]))
            return;
    }
    diagnosis_add(diagnosis, TIMER " is not enabled: what a hook could not finish is left undone");
    diagnosis_command(diagnosis, "systemctl enable --now " TIMER);
}

/* An administrator may have forgotten it. */
static void
check_drained(struct diagnosis *diagnosis, const struct inventory_gpu *gpu)
{
    const struct name *name = &gpu->name;

    if (!names_has(&diagnosis->ledger.drained, name))
        return;
    diagnosis_add(diagnosis, "the GPU %s is drained: no guest gets a vGPU there", name->text);
    diagnosis_command(diagnosis, "vgpuctl undrain %s", name->text);
}

/* libvirt runs no hook when a card is attached to a running guest. The driver has lost the card
 * then, and all vGPUs that were on it. */
static void
check_untold_cards(struct diagnosis *diagnosis)
{
    AUTO(status_files_clear) struct status_files guests = {0};
    AUTO(words_clear) struct words lines = {0};
    struct error ignored;

    if (status_files_read(diagnosis->host, &guests, &ignored) < 0)
        return;
    passthrough_find_untold(diagnosis->host, &guests, &diagnosis->ledger.cards, &lines);
    for (size_t i = 0; i < lines.count; i++)
        diagnosis_add(diagnosis, "%s", lines.items[i]);
}

/* Whether vgpuctl evacuate has left the guest off, because it was killed, or because the guest did
 * not start. */
static bool
is_left_off(const struct diagnosis *diagnosis, const struct evacuation_move *move)
{
    AUTO(names_clear) struct names present = {0};

    ledger_find_gpus(&diagnosis->ledger, &move->domain, &present);
    if (!evacuation_record_is_in_hand(move) || present.count)
        return false;
    return move->way == EVACUATION_STOP ? status_files_lack(diagnosis->host, move->name)
                                        : managed_save_exists(diagnosis->host, move->name);
}

static void
check_evacuated(struct diagnosis *diagnosis)
{
    AUTO(evacuation_moves_clear) struct evacuation_moves records = {0};
    struct error fault;

    if (evacuation_record_read_all(diagnosis->host, &records, &fault) < 0)
        diagnosis_add(diagnosis, "%s", fault.text);
    for (size_t i = 0; i < records.count; i++) {
        const struct evacuation_move *move = &records.items[i];

        if (!is_left_off(diagnosis, move))
            continue;
        diagnosis_add(diagnosis,
                      "the guest %s is off: 'vgpuctl evacuate' has %s, and did not get to start it "
                      "again",
                      move->name, move->way == EVACUATION_STOP ? "shut it down" : "saved it");
        diagnosis_command(diagnosis, "virsh start %s", shell_word(move->name).text);
        if (move->way != EVACUATION_STOP)
            diagnosis_advise(diagnosis, "it goes on where it was saved");
    }
}

const struct diagnosis_check state_checks[] = {
    {"configuration", FINDING_ERROR, .look = check_policy},
    {"disabled", FINDING_WARNING, .look = check_enabled},
    {"drained", FINDING_NOTE, .look_at_gpu = check_drained},
    {"configuration-owner", FINDING_ERROR, .look = check_policy_owner},
    {"ledger", FINDING_ERROR, .look = check_ledger},
    {"state-owner", FINDING_ERROR, .look = check_state_owner},
    {"evacuated", FINDING_WARNING, .look = check_evacuated},
    {"leaving", FINDING_WARNING, .look = check_leaving},
    {"whole-card", FINDING_WARNING, .look = check_untold_cards},
    {"timer", FINDING_WARNING, .look = check_timer},
    {0},
};
