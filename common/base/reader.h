/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reader: a child process that asks drivers, so that a card whose driver hangs holds up nobody who
 * does not need it.
 *
 * Many attributes of /sys are answered by a card's driver. It may take seconds for that, while a
 * guest ends, or never answer; and no signal ends such a read. So they are read by a fork of ours
 * (no exec), which has only its socket and our root open. A card that does not answer in time is
 * silent: it is not asked again in this look, and the child is left behind, killed. Its end, when
 * the kernel has ended the read, is what the next look waits for before it asks that card.
 *
 * Whoever has no reader (struct host) waits for drivers himself.
 */

#pragma once

#include "base/host.h"

#define READER_YIELDS   100
#define READER_PATIENCE 5000 /* ms, for those whom nobody waits for */

struct reader_card {
    struct name name;
    unsigned left; /* ms that it may still take; 0: it is silent */
    int stuck;     /* the child that was left behind at it; 0: none */
};

struct reader {
    unsigned patience; /* ms that each card may take for all its answers */
    struct reader_card *cards;
    size_t count;
    unsigned yields; /* times that either side asks again before it sleeps */
    int socket;      /* -1: there is no child */
    int pid;
    bool is_off;
};

#define READER_IDLE                                                                                \
    ((struct reader){.patience = READER_PATIENCE, .yields = READER_YIELDS, .socket = -1})

/* Begins another look: each card may take so many milliseconds in it, for all its answers. Whoever
 * looks at drivers says so first. Nothing if reader is NULL. */
void reader_begin(struct reader *reader, unsigned patience);

/*
 * As host_read and host_read_number, of what the driver of a card answers. -ETIMEDOUT: the card is
 * silent; -ECHILD: the child could not be started, or died, and the card counts as silent. Never
 * under the ledger's lock, which is not to be held over anything that takes time.
 */
ssize_t reader_read(const struct host *host, const struct name *card, char *buffer, size_t size,
                    const char *format, ...) FORMAT(5, 6) CHECKED NONNULL;
int reader_read_number(const struct host *host, const struct name *card, uint64_t *ret,
                       const char *format, ...) FORMAT(4, 5) CHECKED NONNULL;

/* Whether a card has not answered in this look. False if reader is NULL. */
bool reader_is_silent(const struct reader *reader, const struct name *card) CHECKED;

/* For a child of the process, which has its own reasons to wait: it asks drivers itself. Nothing if
 * reader is NULL. */
void reader_turn_off(struct reader *reader);

/* Ends the child. */
void reader_stop(struct reader *reader) NONNULL;
