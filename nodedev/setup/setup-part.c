/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-part.h"

const struct setup_part_row *const setup_parts[SETUP_PARTS] = {
    [SETUP_MIG_MODE] = &setup_mig_mode,
    [SETUP_DAEMONS] = &setup_daemons,
    [SETUP_FUNCTIONS] = &setup_functions,
    [SETUP_SHARES] = &setup_shares,
    [SETUP_SLICING] = &setup_slicing,
    [SETUP_INSTANCES] = &setup_instances,
    [SETUP_TYPES] = &setup_types,
    [SETUP_SIZES] = &setup_sizes,
    [SETUP_INSTANCE_SIZES] = &setup_instance_sizes,
    [SETUP_SCHEDULER] = &setup_scheduler,
    [SETUP_INSTANCE_SCHEDULERS] = &setup_instance_schedulers,
};

bool
setup_part_can(const struct setup_card *card, enum setup_part part)
{
    const struct setup_part_row *row = setup_parts[part];

    return !(card->lacks & SETUP_BIT(part)) && (!row->can || row->can(card));
}

/* --- the plan --------------------------------------------------------------------------------- */

struct marks {
    bool changes[SETUP_PARTS]; /* the part is to be made, or to be taken away for good */
    bool goes[SETUP_PARTS];    /* what is there of it must be away first */
};

static bool
is_said(const struct setup_card *card, enum setup_part part)
{
    return setup_parts[part]->is_said(&card->said->setup);
}

static bool
is_wanted(const struct setup_card *card, enum setup_part part)
{
    return is_said(card, part) && setup_parts[part]->is_wanted(&card->said->setup);
}

static int
refuse_loss(const struct setup_card *card, enum setup_part cause, enum setup_part lost,
            struct error *error)
{
    const struct setup_part_row *row = setup_parts[lost];
    char now[256];
    struct text text = text_on(now, sizeof(now));

    row->tell_now(card, &text);
    return error_set(error, -EPERM,
                     "a change of the %s of %s would take its %s (%s) away, of which %s says "
                     "nothing: say them as well",
                     setup_parts[cause]->name, card->address, row->name, now, card->said->origin);
}

/* What could not be read is not absent. */
static int
refuse_unread(const struct setup_card *card, enum setup_part cause, enum setup_part lost,
              struct error *error)
{
    return error_set(error, -EAGAIN,
                     "a change of the %s of %s may take its %s away, which cannot be read: %s; say "
                     "them as well in %s, or mend the tool",
                     setup_parts[cause]->name, card->address, setup_parts[lost]->name,
                     card->nvidia_unknown.text, card->said->origin);
}

/* Marks what goes when a part changes. All of that stands after the part in the table, or is the
 * part itself. */
static int
mark_losses(const struct setup_card *card, enum setup_part part, struct marks *marks,
            struct error *error)
{
    const struct setup_part_row *row = setup_parts[part];
    unsigned lost = row->needs_off | (is_wanted(card, part) ? row->loses : 0);

    for (unsigned other = part; other < SETUP_PARTS; other++) {
        if (!(lost & 1u << other))
            continue;
        if (!is_said(card, other) && setup_parts[other]->may_be_there &&
            setup_parts[other]->may_be_there(card))
            return refuse_unread(card, part, other, error);
        if (!setup_parts[other]->is_there(card))
            continue;
        if (!is_said(card, other))
            return refuse_loss(card, part, other, error);
        marks->goes[other] |= (row->needs_off & 1u << other) != 0;
        marks->changes[other] |= is_wanted(card, other) && setup_part_can(card, other);
    }
    return 0;
}

static int
mark_part(const struct setup_card *card, enum setup_part part, struct marks *marks,
          struct error *error)
{
    const struct setup_part_row *row = setup_parts[part];
    int rc = is_said(card, part) && row->check ? row->check(card, error) : 0;

    if (rc < 0)
        return rc;
    if (is_said(card, part) && !setup_part_can(card, part))
        return 0;
    marks->changes[part] |= is_said(card, part) && !row->is_as_said(card);
    marks->goes[part] |= marks->changes[part] && !is_wanted(card, part);
    return marks->changes[part] ? mark_losses(card, part, marks, error) : 0;
}

/* Marks the parts that stand in vgpu.conf, or those that follow from them. */
static int
mark(const struct setup_card *card, bool follows, struct marks *marks, struct error *error)
{
    int rc = 0;

    for (unsigned part = 0; part < SETUP_PARTS && rc == 0; part++) {
        if (setup_parts[part]->follows == follows)
            rc = mark_part(card, part, marks, error);
    }
    return rc;
}

static void
add_steps(const struct setup_card *card, const struct marks *marks, struct setup_plan *ret)
{
    for (unsigned part = SETUP_PARTS; part-- > 0;) {
        if (marks->goes[part])
            ret->steps[ret->count++] = (struct setup_step){part, true};
    }
    for (unsigned part = 0; part < SETUP_PARTS; part++) {
        if (marks->changes[part] && is_wanted(card, part))
            ret->steps[ret->count++] = (struct setup_step){part, false};
    }
}

int
setup_parts_plan(const struct setup_card *card, struct setup_plan *ret, struct error *error)
{
    struct marks marks = {0};
    int rc = mark(card, false, &marks, error);

    *ret = (struct setup_plan){.count = 0};
    if (rc == 0)
        add_steps(card, &marks, ret);
    if (rc < 0 || ret->count)
        return rc;
    rc = mark(card, true, &marks, error);
    if (rc == 0)
        add_steps(card, &marks, ret);
    return rc;
}
