# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpuctl_a_SOURCES += \
	nodedev/callout/callout.c nodedev/callout/callout.h

# What mdevctl runs; of libvgpuctl.a it takes what does without libvirt.
libexec_PROGRAMS += libvirt-vgpu-callout
libvirt_vgpu_callout_SOURCES = nodedev/callout/main.c
libvirt_vgpu_callout_LDADD = libvgpuctl.a libvgpu.a $(XML_LIBS) $(CONFIG_LIBS) $(RT_LIBS)

dist_man_MANS += nodedev/callout/libvirt-vgpu-callout.8
