# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/sriov/nvidia-daemon.c nodedev/sriov/nvidia-daemon.h \
	nodedev/sriov/sriov.c nodedev/sriov/sriov.h \
	nodedev/sriov/users.c nodedev/sriov/users.h \
	nodedev/sriov/vendor-tool.c nodedev/sriov/vendor-tool.h
