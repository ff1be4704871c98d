# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/check/definitions-check.c nodedev/check/definitions-check.h \
	nodedev/check/domain-check.c nodedev/check/domain-check.h \
	nodedev/check/policy-check.c nodedev/check/policy-check.h
