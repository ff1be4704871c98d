/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "actions/passthrough.h"
#include "actions/pass.h"
#include "actions/taken-cards.h"
#include "base/array.h"
#include "base/reader.h"
#include "device/occupant.h"
#include "device/pci.h"
#include "device/vfio.h"
#include "lease/daemon.h"
#include "lease/log.h"
#include "lease/marks.h"
#include "policy/policy-load.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_REMOVAL 5000 /* ms for all vGPUs that nobody uses */

struct passthrough {
    const struct request *request;
    struct policy policy; /* if vgpu.conf has a fault, its defaults */
    struct transaction transaction;
    struct pass pass;
    struct names cards; /* that the guest takes */
    struct error used;  /* who uses one of them, with proof; "": nobody */
    struct error doubt; /* why that is not known for sure; "": it is */
    bool is_outdated;   /* a lease has changed since the look, or somebody removes its vGPU now */
    bool is_last;       /* no further look: what was seen is believed */
    size_t tried;       /* vGPUs that were to be removed before this look */
};

static void
passthrough_clear(struct passthrough *passthrough)
{
    pass_clear(&passthrough->pass);
    names_clear(&passthrough->cards);
    policy_clear(&passthrough->policy);
    transaction_close(&passthrough->transaction);
}

/* --- who uses them ---------------------------------------------------------------------------- */

/* A card that is bound to VFIO already has no driver that anybody's vGPU depends on. */
static bool
is_free_for_all(const struct host *host, const struct name *card)
{
    return !strcmp(pci_driver(host, card).text, "vfio-pci");
}

static void
note_user(struct passthrough *passthrough, const struct name *card, const char *who,
          const struct name *device)
{
    if (*passthrough->used.text)
        return;
    error_refuse(&passthrough->used, ERROR_TAKEN,
                 "it takes the whole card %s, and %s has %s there: end that first, or take the "
                 "card out of its XML; 'vgpuctl list' names the vGPUs",
                 card->text, who, device->text);
}

/* Looks for a running guest, or else a process, that has an occupant of the card. */
static void
look_at_occupant(struct passthrough *passthrough, struct open_files *files, const struct name *card,
                 const struct occupant *occupant)
{
    const struct host *host = passthrough->transaction.host;
    const struct request *guest =
        status_files_holder(&passthrough->pass.look.guests, &occupant->device);
    const int pid = vfio_holder(host, files, &occupant->directory);
    char process[80], who[160];

    if (guest && !name_equal(&guest->domain, &passthrough->request->domain)) {
        snprintf(who, sizeof(who), "the running guest %.100s", guest->name);
        note_user(passthrough, card, who, &occupant->device);
    } else if (pid > 0) {
        open_files_name(host, pid, process, sizeof(process));
        snprintf(who, sizeof(who), "the process %s", process);
        note_user(passthrough, card, who, &occupant->device);
    } else if (pid < 0) {
        error_set(&passthrough->doubt, pid,
                  "not all processes could be looked at, so nobody knows whether %s is in use",
                  occupant->device.text);
    }
}

/* All processes are looked at once for all cards, and not at all if nothing is on them. */
static void
look_at_card(struct passthrough *passthrough, const struct name *card, struct open_files *files)
{
    const struct host *host = passthrough->transaction.host;
    AUTO(occupants_clear) struct occupants occupants = {0};

    if (is_free_for_all(host, card))
        return;
    occupants_list(host, card, &occupants);
    for (size_t i = 0; i < occupants.count; i++)
        look_at_occupant(passthrough, files, card, &occupants.items[i]);
}

/* Without the lock. */
static int
look(struct passthrough *passthrough, struct error *error)
{
    const struct status_files *guests = &passthrough->pass.look.guests;
    AUTO(open_files_clear) struct open_files files = {0};
    int rc;

    passthrough->used.text[0] = passthrough->doubt.text[0] = '\0';
    passthrough->is_outdated = false;
    rc = pass_look(&passthrough->pass, NULL, READER_PATIENCE, error);
    if (rc < 0)
        return rc;
    if (!guests->complete)
        passthrough->doubt = guests->failure;
    for (size_t i = 0; i < passthrough->cards.count; i++)
        look_at_card(passthrough, &passthrough->cards.items[i], &files);
    return 0;
}

/* --- leases on the cards ---------------------------------------------------------------------- */

static bool
is_on_card(const struct pass *pass, const struct lease *lease)
{
    const struct passthrough *passthrough = pass->scope;

    return names_has(&passthrough->cards, &lease->gpu) &&
           !is_free_for_all(passthrough->transaction.host, &lease->gpu);
}

/* Another domain's lease in use is a proof. If that lease has changed since the look, the look is
 * outdated, because the guest may have ended. */
static void
passthrough_tell(struct pass *pass, const struct lease *lease, enum fate fate, const char *why)
{
    struct passthrough *passthrough = pass->listener;
    char who[300];

    if (fate == FATE_REMOVE || fate == FATE_FORGET)
        return;
    if (name_equal(&lease->domain, pass->own) || !lease_is_in_use(lease)) {
        passthrough->is_outdated |= statedir_is_claimed(&pass->transaction->statedir, lease);
        error_set(&passthrough->doubt, -EBUSY, "the vGPU %s of %s is on the card (%s): %s",
                  lease->vgpu.device.text, lease->domain_name, lease_state_name(lease->state), why);
        return;
    }
    passthrough->is_outdated |=
        lease_has_changed(ledger_find(&pass->look.before, &lease->vgpu.device), lease);
    snprintf(who, sizeof(who), "the guest %s", lease->domain_name);
    note_user(passthrough, &lease->gpu, who, &lease->vgpu.device);
}

/* --- the links -------------------------------------------------------------------------------- */

static int
leave_links(const struct passthrough *passthrough, struct ledger *ledger, struct error *error)
{
    const struct transaction *transaction = &passthrough->transaction;
    int rc = 0;

    for (size_t i = 0; i < passthrough->cards.count && rc == 0; i++) {
        struct whole_card card = {
            .card = passthrough->cards.items[i],
            .domain = passthrough->request->domain,
            .daemon = transaction->daemon,
            .number = statedir_take_number(&transaction->statedir, ledger),
        };

        snprintf(card.domain_name, sizeof(card.domain_name), "%s", passthrough->request->name);
        rc = whole_card_leave(transaction->host, &card, error);
        if (rc == 0)
            ARRAY_ADD(ledger->cards.items, ledger->cards.count, card);
    }
    return rc;
}

/* --- a start ---------------------------------------------------------------------------------- */

/* Whether the guest of a lease on a card has ended since the guests were read. */
static bool
has_just_ended(const struct pass *pass, const struct ledger *ledger)
{
    return ARRAY_HAS(ledger->leases, ledger->count, lease,
                     is_on_card(pass, lease) && lease_is_in_use(lease) &&
                         !look_knows_end(&pass->look, lease) &&
                         marks_say_ended(ledger, pass->transaction->host, lease));
}

/* Under the lock: refuses the guest, or leaves the links of its cards. While vGPUs are still to be
 * removed, no link is left yet. If our daemon has ended, the next daemon may start the guest anew,
 * so nothing is done. */
static int
passthrough_conclude(struct pass *pass, struct ledger *ledger, bool *changed, struct error *error)
{
    struct passthrough *passthrough = pass->listener;
    const struct process daemon = passthrough->transaction.daemon;

    if (!daemon.pid || !process_alive(passthrough->transaction.host, daemon))
        return error_set(error, -ESRCH, "libvirt's daemon has ended");
    if (!passthrough->is_last && (passthrough->is_outdated || has_just_ended(pass, ledger)))
        return error_set(error, -EAGAIN, "the leases on its cards are just changing");
    if (*passthrough->used.text) {
        *error = passthrough->used;
        return REFUSED;
    }
    *changed = true;
    if (pass->todo.count > passthrough->tried)
        return 0;
    /* The domain does not run yet, so a link that it has is left from an earlier start. */
    whole_cards_end(pass->transaction->host, &ledger->cards, pass->own, UINT64_MAX, false);
    return leave_links(passthrough, ledger, error);
}

static const struct pass_row row = {
    .occasion = OCCASION_ROOM,
    .event = "prepare",
    .forgotten = "forgotten",
    .guests = PASS_ALL_GUESTS,
    .concerns = is_on_card,
    .tell = passthrough_tell,
    .conclude = passthrough_conclude,
};

/* Notes why a vGPU could not be removed. No user of it is known, so the guest may start. */
static void
note_left(struct passthrough *passthrough)
{
    const struct removals *todo = &passthrough->pass.todo;

    for (size_t i = 0; i < todo->count; i++) {
        if (todo->items[i].fate != FATE_REMOVED)
            passthrough->doubt = todo->items[i].why;
    }
}

/* 0: the cards are the guest's. */
static int
take(struct passthrough *passthrough, struct error *error)
{
    const struct removal_terms terms = {
        .occasion = OCCASION_ROOM,
        .event = "prepare",
        .deadline = deadline_in(passthrough->transaction.host, LONGEST_REMOVAL),
    };
    struct pass *pass = &passthrough->pass;
    unsigned pause = 1;

    for (;;) {
        int rc = look(passthrough, error);

        passthrough->is_last = deadline_left(terms.deadline) == 0;
        passthrough->tried = pass->todo.count;
        if (rc == 0)
            rc = pass_decide(pass, error);
        if (rc < 0 && (rc != -EAGAIN || passthrough->is_last))
            return rc;
        if (rc == 0 && pass->todo.count == passthrough->tried)
            break;
        if (rc == 0)
            remove_all(&passthrough->transaction, &pass->todo, &terms);
        else
            removals_clear(&pass->todo);
        if (rc < 0 && !deadline_pause(terms.deadline, &pause))
            pause = 1;
    }
    note_left(passthrough);
    return 0;
}

/* Returns false if the guest takes no card. The caller opens the transaction. */
static bool
begin(struct passthrough *passthrough, const struct host *host, const struct request *request)
{
    AUTO(taken_cards_clear) struct taken_cards taken = {.host = host};
    struct error ignored;

    *passthrough = (struct passthrough){.request = request, .transaction = TRANSACTION_NONE};
    passthrough->pass = (struct pass){.row = &row,
                                      .transaction = &passthrough->transaction,
                                      .scope = passthrough,
                                      .listener = passthrough,
                                      .own = &request->domain};
    taken_cards_list(&taken, request, &passthrough->cards);
    if (passthrough->cards.count == 0)
        return false;
    (void)!policy_load(host, &passthrough->policy, &ignored);
    return true;
}

int
passthrough_take(const struct host *host, const struct request *request, unsigned *lock_waited,
                 struct error *error)
{
    AUTO(passthrough_clear) struct passthrough passthrough;
    struct transaction *transaction = &passthrough.transaction;
    struct error failure;
    int rc;

    *lock_waited = 0;
    if (!begin(&passthrough, host, request))
        return 0;
    rc = transaction_open(host, true, transaction, &failure);
    if (rc == 0) {
        transaction->daemon = daemon_find(host);
        transaction->lock_timeout = passthrough.policy.lock_timeout;
        rc = take(&passthrough, &failure);
        *lock_waited = passthrough.policy.lock_timeout - transaction->lock_timeout;
    }
    if (rc == REFUSED && passthrough.policy.enabled) {
        *error = failure;
        return rc;
    }
    if (rc < 0 && rc != REFUSED)
        log_failure(host, "prepare", request->name, &failure);
    else if (*passthrough.doubt.text)
        log_failure(host, "prepare", request->name, &passthrough.doubt);
    return 0;
}

int
passthrough_foresee(const struct host *host, const struct request *request, struct error *error)
{
    AUTO(passthrough_clear) struct passthrough passthrough;
    struct error ignored;

    if (!begin(&passthrough, host, request))
        return 0;
    transaction_open_to_look(host, &passthrough.transaction);
    if (look(&passthrough, &ignored) < 0)
        return 0;
    pass_foresee(&passthrough.pass);
    if (!*passthrough.used.text || !passthrough.policy.enabled)
        return 0;
    *error = passthrough.used;
    return REFUSED;
}

/* --- afterwards ------------------------------------------------------------------------------- */

static bool
is_told(const struct whole_cards *cards, const struct name *card, const struct name *domain)
{
    return ARRAY_HAS(cards->items, cards->count, each,
                     name_equal(&each->card, card) && name_equal(&each->domain, domain));
}

static void
add_untold(const struct request *guest, const struct name *card, struct words *ret)
{
    struct error line;

    error_set(&line, 0,
              "the running guest %s has the whole card %s, and no start of the guest took it: "
              "libvirt asks nobody at attach-device; 'virsh detach-device' gives it back",
              guest->name, card->text);
    words_add(ret, line.text);
}

void
passthrough_find_untold(const struct host *host, const struct status_files *guests,
                        const struct whole_cards *cards, struct words *ret)
{
    AUTO(taken_cards_clear) struct taken_cards taken = {.host = host};

    for (size_t i = 0; i < guests->count; i++) {
        const struct request *guest = &guests->items[i];
        AUTO(names_clear) struct names mine = {0};

        taken_cards_list(&taken, guest, &mine);
        for (size_t k = 0; k < mine.count; k++) {
            if (!is_told(cards, &mine.items[k], &guest->domain))
                add_untold(guest, &mine.items[k], ret);
        }
    }
}
