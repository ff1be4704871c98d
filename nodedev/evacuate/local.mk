# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/evacuate/evacuation.c nodedev/evacuate/evacuation.h \
	nodedev/evacuate/evacuation-judgment.c nodedev/evacuate/evacuation-judgment.h \
	nodedev/evacuate/evacuation-move.c nodedev/evacuate/evacuation-move.h \
	nodedev/evacuate/evacuation-plan.c nodedev/evacuate/evacuation-plan.h
