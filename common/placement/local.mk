# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpu_a_SOURCES += \
	common/placement/alternatives.c common/placement/alternatives.h \
	common/placement/boot-wait.c common/placement/boot-wait.h \
	common/placement/candidate.c common/placement/candidate.h \
	common/placement/constraints.c common/placement/constraints.h \
	common/placement/demand.c common/placement/demand.h \
	common/placement/feasibility.c common/placement/feasibility.h \
	common/placement/fit.c common/placement/fit.h \
	common/placement/gpu-load.c common/placement/gpu-load.h \
	common/placement/gpu-reason.c common/placement/gpu-reason.h \
	common/placement/gpu-room.c common/placement/gpu-room.h \
	common/placement/loads.c common/placement/loads.h \
	common/placement/placement.c common/placement/placement.h \
	common/placement/plan.c common/placement/plan.h \
	common/placement/problem.c common/placement/problem.h \
	common/placement/reason.c common/placement/reason.h \
	common/placement/resolution.c common/placement/resolution.h \
	common/placement/search.c common/placement/search.h \
	common/placement/victim.c common/placement/victim.h
