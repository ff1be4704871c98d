/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The faults and variations: parameters that a test changes while the module runs.
 */
#ifndef SHAPED_FAULTS_H
#define SHAPED_FAULTS_H

#include <linux/types.h>

/* What may share a card with the present vGPUs. */
enum rule {
    RULE_SAME_SIZE,
    RULE_SAME_TYPE,
    RULE_MIXED, /* any size, while frame buffer lasts */
};

/* How creatable_vgpu_types is written. */
enum list_format {
    LIST_HEADER,
    LIST_PLAIN,         /* no header, single blanks */
    LIST_NAME_FIRST,    /* no header, no colon */
    LIST_HEADER_ALWAYS, /* the header also where nothing follows */
};

enum rule fault_rule(void);

enum list_format fault_list_format(void);

bool fault_garbage(void);

/* Each call uses one up. */
bool fault_refuses_create(void);

bool fault_refuses_delete(void);

/* 0, or the error that a write to a profile of xe ends with. Each call is such a write. */
int fault_refuses_write(void);

/* The error that a write ends with that asks for more VRAM than the card has left. */
int fault_full(void);

/* Do the tiles of an xe card have different settings? */
bool fault_unclean(void);

unsigned int fault_create_ms(void);

/* How long a vGPU's child of the manager lives on after its guest. */
unsigned int fault_exiting_ms(void);

/* The number of a card, from 1 on, that does not answer; 0: all do. */
unsigned int fault_silent(void);

/* How many GPU instances of this profile there are on each card with MIG. */
unsigned int fault_instances(const char *profile);

#endif
