# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/setup/setup.c nodedev/setup/setup.h \
	nodedev/setup/setup-declaration.c nodedev/setup/setup-declaration.h \
	nodedev/setup/setup-functions.c \
	nodedev/setup/setup-instance-modes.c \
	nodedev/setup/setup-mig.c \
	nodedev/setup/setup-part.c nodedev/setup/setup-part.h \
	nodedev/setup/setup-scheduler.c \
	nodedev/setup/setup-sizes.c \
	nodedev/setup/setup-slicing.c \
	nodedev/setup/startup-notice.c nodedev/setup/startup-notice.h
