# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/view/availability.c nodedev/view/availability.h \
	nodedev/view/change.c nodedev/view/change.h \
	nodedev/view/explanation.c nodedev/view/explanation.h \
	nodedev/view/gpu-view.c nodedev/view/gpu-view.h \
	nodedev/view/host-view.c nodedev/view/host-view.h \
	nodedev/view/metrics.c nodedev/view/metrics.h \
	nodedev/view/picture.c nodedev/view/picture.h \
	nodedev/view/setup-view.c nodedev/view/setup-view.h \
	nodedev/view/usage.c nodedev/view/usage.h \
	nodedev/view/vgpu-walk.c nodedev/view/vgpu-walk.h
