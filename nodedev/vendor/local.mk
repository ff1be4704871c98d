# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/vendor/amd-card.c \
	nodedev/vendor/card-vendor.c nodedev/vendor/card-vendor.h \
	nodedev/vendor/intel-card.c \
	nodedev/vendor/nvidia-card.c \
	nodedev/vendor/nvidia-daemon.c nodedev/vendor/nvidia-daemon.h \
	nodedev/vendor/nvidia-scheduler.c nodedev/vendor/nvidia-scheduler.h \
	nodedev/vendor/nvidia-smi.c nodedev/vendor/nvidia-smi.h \
	nodedev/vendor/vendor-tool.c nodedev/vendor/vendor-tool.h
