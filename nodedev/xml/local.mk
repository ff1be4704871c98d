# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/xml/asked-vgpus.c nodedev/xml/asked-vgpus.h \
	nodedev/xml/domain-edit.c nodedev/xml/domain-edit.h \
	nodedev/xml/hostdev-source.c nodedev/xml/hostdev-source.h \
	nodedev/xml/xml-tree.c nodedev/xml/xml-tree.h
