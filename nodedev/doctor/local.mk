# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/doctor/diagnosis.c nodedev/doctor/diagnosis.h \
	nodedev/doctor/diagnosis-card.c \
	nodedev/doctor/diagnosis-domains.c \
	nodedev/doctor/diagnosis-emulated.c \
	nodedev/doctor/diagnosis-functions.c \
	nodedev/doctor/diagnosis-hook.c \
	nodedev/doctor/diagnosis-kernel.c \
	nodedev/doctor/diagnosis-nvidia.c \
	nodedev/doctor/diagnosis-pools.c \
	nodedev/doctor/diagnosis-security.c \
	nodedev/doctor/diagnosis-setup.c \
	nodedev/doctor/diagnosis-state.c \
	nodedev/doctor/diagnosis-xe.c \
	nodedev/doctor/entry.c nodedev/doctor/entry.h
