# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/attach/attachment.c nodedev/attach/attachment.h \
	nodedev/attach/clone.c nodedev/attach/clone.h \
	nodedev/attach/hotplug.c nodedev/attach/hotplug.h \
	nodedev/attach/source-edit.c nodedev/attach/source-edit.h \
	nodedev/attach/trial.c nodedev/attach/trial.h \
	nodedev/attach/vf-selection.c nodedev/attach/vf-selection.h \
	nodedev/attach/what-if.c nodedev/attach/what-if.h \
	nodedev/attach/wish.c nodedev/attach/wish.h
