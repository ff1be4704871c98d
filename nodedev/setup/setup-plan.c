/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "setup/setup-plan.h"

struct marks {
    bool changes[SETUP_PARTS]; /* the part is to be made, or to be taken away for good */
    bool goes[SETUP_PARTS];    /* what is there of it must be away first */
};

static bool
is_said(const struct setup_card *card, enum setup_part part)
{
    return setup_part_rows[part].is_said(&card->said->setup);
}

static bool
is_wanted(const struct setup_card *card, enum setup_part part)
{
    return is_said(card, part) && setup_part_rows[part].is_wanted(&card->said->setup);
}

static int
refuse_loss(const struct setup_card *card, enum setup_part cause, enum setup_part lost,
            struct error *error)
{
    const struct setup_part_row *row = &setup_part_rows[lost];
    char now[256];
    struct text text = text_on(now, sizeof(now));

    row->tell_now(card, &text);
    return error_set(error, -EPERM,
                     "a change of the %s of %s would take its %s (%s) away, of which %s says "
                     "nothing: say them as well",
                     setup_part_rows[cause].name, card->address, row->name, now,
                     card->said->origin);
}

/* Marks what goes when a part changes. All of that stands after the part in the table, or is the
 * part itself. */
static int
mark_losses(const struct setup_card *card, enum setup_part part, struct marks *marks,
            struct error *error)
{
    const struct setup_part_row *row = &setup_part_rows[part];
    unsigned lost = row->needs_off | (is_wanted(card, part) ? row->loses : 0);

    for (unsigned other = part; other < SETUP_PARTS; other++) {
        if (!(lost & 1u << other) || !setup_part_rows[other].is_there(card))
            continue;
        if (!is_said(card, other))
            return refuse_loss(card, part, other, error);
        marks->goes[other] |= (row->needs_off & 1u << other) != 0;
        marks->changes[other] |= is_wanted(card, other);
    }
    return 0;
}

static int
mark(const struct setup_card *card, struct marks *marks, struct error *error)
{
    for (unsigned part = 0; part < SETUP_PARTS; part++) {
        const struct setup_part_row *row = &setup_part_rows[part];
        int rc = is_said(card, part) ? row->check(card, error) : 0;

        if (rc < 0)
            return rc;
        marks->changes[part] |= is_said(card, part) && !row->is_as_said(card);
        if (!marks->changes[part])
            continue;
        marks->goes[part] |= !is_wanted(card, part);
        rc = mark_losses(card, part, marks, error);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int
setup_plan_make(const struct setup_card *card, struct setup_plan *ret, struct error *error)
{
    struct marks marks = {0};
    int rc = mark(card, &marks, error);

    *ret = (struct setup_plan){.count = 0};
    if (rc < 0)
        return rc;
    for (unsigned part = SETUP_PARTS; part-- > 0;) {
        if (marks.goes[part])
            ret->steps[ret->count++] = (struct setup_step){part, true};
    }
    for (unsigned part = 0; part < SETUP_PARTS; part++) {
        if (marks.changes[part] && is_wanted(card, part))
            ret->steps[ret->count++] = (struct setup_step){part, false};
    }
    return 0;
}
