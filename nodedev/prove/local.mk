# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/prove/course.c nodedev/prove/course.h \
	nodedev/prove/discrepancy.c nodedev/prove/discrepancy.h \
	nodedev/prove/observation.c nodedev/prove/observation.h \
	nodedev/prove/proof.c nodedev/prove/proof.h \
	nodedev/prove/workbench.c nodedev/prove/workbench.h
