# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpu_a_SOURCES += \
	common/actions/adopt.c common/actions/adopt.h \
	common/actions/arrival.c common/actions/arrival.h \
	common/actions/assign.c common/actions/assign.h \
	common/actions/assignment.c common/actions/assignment.h \
	common/actions/drain.c common/actions/drain.h \
	common/actions/dry-run.c common/actions/dry-run.h \
	common/actions/lease-outcomes.c common/actions/lease-outcomes.h \
	common/actions/incoming.c common/actions/incoming.h \
	common/actions/making.c common/actions/making.h \
	common/actions/pass.c common/actions/pass.h \
	common/actions/passthrough.c common/actions/passthrough.h \
	common/actions/promise.c common/actions/promise.h \
	common/actions/reap.c common/actions/reap.h \
	common/actions/reconcile.c common/actions/reconcile.h \
	common/actions/release.c common/actions/release.h \
	common/actions/run.c common/actions/run.h \
	common/actions/snapshot.c common/actions/snapshot.h \
	common/actions/start.c common/actions/start.h \
	common/actions/taken-cards.c common/actions/taken-cards.h
