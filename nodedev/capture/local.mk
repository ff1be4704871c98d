# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/capture/answers.c nodedev/capture/answers.h \
	nodedev/capture/archive.c nodedev/capture/archive.h \
	nodedev/capture/conf-key.c nodedev/capture/conf-key.h \
	nodedev/capture/conf-token.c nodedev/capture/conf-token.h \
	nodedev/capture/conf-text.c nodedev/capture/conf-text.h \
	nodedev/capture/guest-text.c nodedev/capture/guest-text.h \
	nodedev/capture/harmless.c nodedev/capture/harmless.h \
	nodedev/capture/kernel-text.c nodedev/capture/kernel-text.h \
	nodedev/capture/learning.c nodedev/capture/learning.h \
	nodedev/capture/ledger-text.c nodedev/capture/ledger-text.h \
	nodedev/capture/list-text.c nodedev/capture/list-text.h \
	nodedev/capture/path-text.c nodedev/capture/path-text.h \
	nodedev/capture/playback.c nodedev/capture/playback.h \
	nodedev/capture/read-only.c nodedev/capture/read-only.h \
	nodedev/capture/recording.c nodedev/capture/recording.h \
	nodedev/capture/redaction.c nodedev/capture/redaction.h \
	nodedev/capture/stand-ins.c nodedev/capture/stand-ins.h \
	nodedev/capture/status-text.c nodedev/capture/status-text.h \
	nodedev/capture/table-text.c nodedev/capture/table-text.h
