# SPDX-License-Identifier: LGPL-2.1-or-later

libvgpu_a_SOURCES += \
	hooks/hook.c hooks/hook.h

sbin_PROGRAMS += libvirt-vgpu-hook
libvirt_vgpu_hook_SOURCES = hooks/main.c
libvirt_vgpu_hook_LDADD = libvgpu.a $(XML_LIBS) $(CONFIG_LIBS) $(RT_LIBS)

dist_man_MANS += hooks/libvirt-vgpu-hook.8
