/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * random-host: a machine on which guests start and end at random, and what they ask for there.
 *
 * It is a small one of every interface, or a captured one (captured.h). All vGPUs of a GPU are of
 * one kind here, and GPUs that have a type in common share a kind. So the room for a kind is a
 * number, which follows from the fake machine alone.
 */

#pragma once

#include "fake/scene.h"

#include <stdint.h>

#define GUESTS  8
#define DEVICES 2 /* of a guest, at most */
#define KINDS   8

struct kind {
    char word[64], id[64]; /* what guests call it, and its id */
    unsigned room;         /* while no board has vanished */
    bool is_lent;          /* its functions are a pool's: no driver makes anything */
};

struct wish {
    char source[64]; /* a UUID, or the address of a function; "": the guest has no such device */
    unsigned kind;
};

struct random_host {
    const char *name;
    struct kind kinds[KINDS];
    unsigned kind_count;
    struct wish wishes[GUESTS][DEVICES]; /* guests 1 and 8 name the same devices */
    const char *board;                   /* a GPU that may vanish; NULL: none may */
    unsigned board_kind, board_room;     /* what is gone with it */
};

/* Starts the scene: on a captured machine, or on the small one, if there is no name. The name is
 * borrowed. */
void random_host_start(struct random_host *ret, struct scene *scene, const char *capture,
                       uint64_t *chances);
