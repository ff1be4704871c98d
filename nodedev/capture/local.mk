# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/capture/answers.c nodedev/capture/answers.h \
	nodedev/capture/archive.c nodedev/capture/archive.h \
	nodedev/capture/card-facts.c nodedev/capture/card-facts.h \
	nodedev/capture/playback.c nodedev/capture/playback.h \
	nodedev/capture/public-capture.c nodedev/capture/public-capture.h \
	nodedev/capture/recording.c nodedev/capture/recording.h
