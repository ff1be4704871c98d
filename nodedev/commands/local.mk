# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/commands/attach.c \
	nodedev/commands/capture.c nodedev/commands/capture.h \
	nodedev/commands/check.c \
	nodedev/commands/commands.c nodedev/commands/commands.h \
	nodedev/commands/detach.c \
	nodedev/commands/doctor.c \
	nodedev/commands/drain.c \
	nodedev/commands/evacuate.c \
	nodedev/commands/explain.c \
	nodedev/commands/gpus.c \
	nodedev/commands/guests.c \
	nodedev/commands/host-table.c nodedev/commands/host-table.h \
	nodedev/commands/list.c \
	nodedev/commands/log.c \
	nodedev/commands/metrics.c \
	nodedev/commands/migrate-check.c \
	nodedev/commands/move.c \
	nodedev/commands/orphans.c \
	nodedev/commands/prove.c \
	nodedev/commands/ready.c \
	nodedev/commands/reap.c \
	nodedev/commands/reconcile.c \
	nodedev/commands/setup.c \
	nodedev/commands/sriov.c \
	nodedev/commands/status.c \
	nodedev/commands/types.c \
	nodedev/commands/undrain.c \
	nodedev/commands/where.c

bin_PROGRAMS += vgpuctl
vgpuctl_SOURCES = nodedev/commands/main.c
vgpuctl_LDADD = libvgpuctl.a libvgpu.a $(SMARTCOLS_LIBS) $(UUID_LIBS) $(XML_LIBS) $(CONFIG_LIBS) \
	$(DL_LIBS) $(RT_LIBS)

# vgpuctl, but with the module of this build tree: that which is installed may be missing, or another's.
check_PROGRAMS += tests/vgpuctl
tests_vgpuctl_SOURCES = $(vgpuctl_SOURCES)
tests_vgpuctl_CPPFLAGS = $(AM_CPPFLAGS) -UVGPU_MODULE -DVGPU_MODULE='"$(abs_top_builddir)/connection.so"'
tests_vgpuctl_LDADD = $(vgpuctl_LDADD)
