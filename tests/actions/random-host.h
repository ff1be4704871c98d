/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * random-host: a machine on which guests start and end at random, and the vGPUs for which they ask.
 *
 * The machine is a small one with every interface, or a captured one (captured.h). All vGPUs of a
 * GPU are of one kind here, and GPUs that have a type in common share a kind. So the room for a
 * kind is a number. The number follows from the fake machine alone.
 */

#pragma once

#include "fake/scene.h"

#include <stdint.h>

#define GUESTS  8
#define DEVICES 2 /* at most, of a guest */
#define KINDS   8

struct kind {
    char word[64], id[64]; /* the name that guests use, and the id */
    unsigned room;         /* as long as no board has vanished */
    bool is_lent;          /* its functions are a pool's, so no driver makes its vGPUs */
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
    unsigned board_kind, board_room;     /* the kind and the room that vanish with the board */
};

/* Starts the scene on the captured machine of this name. Without a name it starts on the small
 * machine. The name is borrowed. */
void random_host_start(struct random_host *ret, struct scene *scene, const char *capture,
                       uint64_t *chances);
