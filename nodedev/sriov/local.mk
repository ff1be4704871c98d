# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/sriov/sriov.c nodedev/sriov/sriov.h \
	nodedev/sriov/sriov-gpu.c nodedev/sriov/sriov-gpu.h
