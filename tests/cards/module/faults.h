/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults and variations. They are parameters that a test changes while the module runs.
 */
#ifndef VGPU_CARDS_FAULTS_H
#define VGPU_CARDS_FAULTS_H

#include <linux/types.h>

/* Which vGPUs may be made beside the present vGPUs of a card. */
enum rule {
    RULE_SAME_SIZE,
    RULE_SAME_TYPE,
    RULE_MIXED, /* any size, while there is frame buffer */
};

/* The format of creatable_vgpu_types. */
enum list_format {
    LIST_HEADER,
    LIST_PLAIN,         /* no header, single blanks */
    LIST_NAME_FIRST,    /* no header, no colon */
    LIST_HEADER_ALWAYS, /* the header is there even if no type follows */
    LIST_PROPOSAL,      /* no header once the card has a vGPU */
};

enum rule fault_rule(void);

enum list_format fault_list_format(void);

bool fault_garbage(void);

/* Is the next create refused? Each call uses up one refusal; fault_refuses_delete does the same. */
bool fault_refuses_create(void);

bool fault_refuses_delete(void);

/* Was the next VF bound to vfio-pci when it became a parent? Each call uses up one. */
bool fault_is_bound(void);

/* The error of a write to a profile of xe, or 0. Each call counts as one write. */
int fault_refuses_write(void);

/* The error of a write that asks for more VRAM than the card has left. */
int fault_full(void);

/* Do the tiles of an xe card have different settings? */
bool fault_unclean(void);

unsigned int fault_create_ms(void);

/* How long the manager's child for a vGPU lives on after the guest. */
unsigned int fault_exiting_ms(void);

/* The number, from 1 on, of the card that does not answer. 0: all cards answer. */
unsigned int fault_silent(void);

/* How many GPU instances of this profile there are on each card with MIG. */
unsigned int fault_instances(const char *profile);

#endif
