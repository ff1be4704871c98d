/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cards whose driver says nothing about their virtual functions, as AMD's. Such functions are put
 * into pools. vgpu-cards-vfio.c is the driver that gives one to a guest.
 */
#ifndef VGPU_CARDS_BARE_H
#define VGPU_CARDS_BARE_H

int bare_init(void);

void bare_exit(void);

#endif
