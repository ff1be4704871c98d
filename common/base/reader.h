/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * reader: a child process that asks drivers. If a card's driver hangs, it holds up only those who
 * need the card.
 *
 * A card's driver answers many attributes of /sys. It may take seconds for that, while a guest
 * ends, or it may never answer. No signal ends such a read. So a fork of ours (no exec) reads them,
 * which has only its socket and our root open. A card that does not answer in time is silent. It is
 * not asked again in this look, and the child is left behind, killed. The child ends when the
 * kernel ends its read. The next look waits for that before it asks the card.
 *
 * Without a reader (struct host) a process waits for drivers itself.
 */

#pragma once

#include "base/host.h"

#define READER_YIELDS   100
#define READER_PATIENCE 5000 /* ms, for a caller that nobody waits for */
/* Bytes of an answer. An attribute of sysfs is a page, of 64 KiB at most. */
#define READER_LONGEST ((64 << 10) + 1)

struct reader_card {
    struct name name;
    unsigned left; /* ms that it still has; 0: it is silent */
    int stuck;     /* the child that was left behind at the card; 0: none */
};

struct reader {
    unsigned patience; /* ms that each card has for all its answers */
    struct reader_card *cards;
    size_t count;
    unsigned yields; /* times that either side asks again before it sleeps */
    int socket;      /* -1: there is no child */
    int pid;
    bool is_off;
};

#define READER_IDLE                                                                                \
    ((struct reader){.patience = READER_PATIENCE, .yields = READER_YIELDS, .socket = -1})

/* Begins another look: each card has so many milliseconds in it, for all its answers. To be called
 * before every look at drivers. Nothing if reader is NULL. */
void reader_begin(struct reader *reader, unsigned patience);

/*
 * As host_read and host_read_number, for an attribute that a card's driver answers. -ETIMEDOUT: the
 * card is silent; -ECHILD: the child could not be started, or died, and the card counts as silent.
 * Never under the ledger's lock, which must not be held over anything slow.
 */
ssize_t reader_read(const struct host *host, const struct name *card, char *buffer, size_t size,
                    const char *format, ...) FORMAT(5, 6) CHECKED NONNULL;
int reader_read_number(const struct host *host, const struct name *card, uint64_t *ret,
                       const char *format, ...) FORMAT(4, 5) CHECKED NONNULL;

/* Whether a card has not answered in this look. False if reader is NULL. */
bool reader_is_silent(const struct reader *reader, const struct name *card) CHECKED;

/* To be called in a child of the process that may wait for drivers: it asks them itself. Nothing if
 * reader is NULL. */
void reader_turn_off(struct reader *reader);

/* Ends the child. */
void reader_stop(struct reader *reader) NONNULL;
