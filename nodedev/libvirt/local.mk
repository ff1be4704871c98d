# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/libvirt/child.c nodedev/libvirt/child.h \
	nodedev/libvirt/connection.c nodedev/libvirt/connection.h \
	nodedev/libvirt/definition.c nodedev/libvirt/definition.h \
	nodedev/libvirt/domain-source.c nodedev/libvirt/domain-source.h \
	nodedev/libvirt/domains.c nodedev/libvirt/domains.h \
	nodedev/libvirt/long-call.c nodedev/libvirt/long-call.h \
	nodedev/libvirt/node-device.c nodedev/libvirt/node-device.h \
	nodedev/libvirt/references.c nodedev/libvirt/references.h \
	nodedev/libvirt/remote.c nodedev/libvirt/remote.h \
	nodedev/libvirt/version.c nodedev/libvirt/version.h

# What calls libvirt, which vgpuctl loads when there is something to ask: a shared object, linked as a
# program is, so that packagers' tools see what it needs.
module_PROGRAMS += connection.so
connection_so_SOURCES = \
	nodedev/libvirt/libvirt-connection.c \
	nodedev/libvirt/libvirt-domain.c \
	nodedev/libvirt/libvirt-host.c \
	nodedev/libvirt/libvirt-job.c \
	nodedev/libvirt/libvirt-library.c nodedev/libvirt/libvirt-library.h \
	$(module_base_sources)
connection_so_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=hidden
connection_so_LDFLAGS = -shared
connection_so_LDADD = $(LIBVIRT_LIBS)
