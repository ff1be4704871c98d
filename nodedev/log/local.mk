# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/log/event.c nodedev/log/event.h \
	nodedev/log/journal.c nodedev/log/journal.h
