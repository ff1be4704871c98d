# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/migrate/departure.c nodedev/migrate/departure.h \
	nodedev/migrate/managed-save.c nodedev/migrate/managed-save.h \
	nodedev/migrate/migrate-check.c nodedev/migrate/migrate-check.h \
	nodedev/migrate/migrate-verdict.c nodedev/migrate/migrate-verdict.h \
	nodedev/migrate/migrate-question.c nodedev/migrate/migrate-question.h \
	nodedev/migrate/migrating-guest.c nodedev/migrate/migrating-guest.h \
	nodedev/migrate/move.c nodedev/migrate/move.h \
	nodedev/migrate/relocation.c nodedev/migrate/relocation.h \
	nodedev/migrate/remote-placement.c nodedev/migrate/remote-placement.h
