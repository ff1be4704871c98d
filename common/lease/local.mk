# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpu_a_SOURCES += \
	common/lease/counters.c common/lease/counters.h \
	common/lease/daemon.c common/lease/daemon.h \
	common/lease/drained.c common/lease/drained.h \
	common/lease/fate.c common/lease/fate.h \
	common/lease/ledger.c common/lease/ledger.h \
	common/lease/log.c common/lease/log.h \
	common/lease/look.c common/lease/look.h \
	common/lease/marks.c common/lease/marks.h \
	common/lease/origin.c common/lease/origin.h \
	common/lease/proving.c common/lease/proving.h \
	common/lease/recent-removal.c common/lease/recent-removal.h \
	common/lease/saved-type.c common/lease/saved-type.h \
	common/lease/statedir.c common/lease/statedir.h \
	common/lease/this-host.c common/lease/this-host.h \
	common/lease/whole-card.c common/lease/whole-card.h
