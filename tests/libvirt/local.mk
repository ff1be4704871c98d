# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/libvirt/test-child \
	tests/libvirt/test-connection-module \
	tests/libvirt/test-remote

warm_up = tests/libvirt/warm-up.c tests/libvirt/warm-up.h
tests_libvirt_test_remote_SOURCES = tests/libvirt/test-remote.c $(warm_up)

# Two modules that are not to be loaded.
check_PROGRAMS += tests/libvirt/old-module.so tests/libvirt/odd-module.so
tests_libvirt_old_module_so_SOURCES = tests/libvirt/other-module.c
tests_libvirt_old_module_so_CFLAGS = $(AM_CFLAGS) -fPIC
tests_libvirt_old_module_so_LDFLAGS = -shared
tests_libvirt_old_module_so_LDADD =
tests_libvirt_odd_module_so_SOURCES = tests/libvirt/other-module.c
tests_libvirt_odd_module_so_CPPFLAGS = $(AM_CPPFLAGS) -DOTHER_VERSION=VGPU_VERSION -DOTHER_SIZE=1
tests_libvirt_odd_module_so_CFLAGS = $(AM_CFLAGS) -fPIC
tests_libvirt_odd_module_so_LDFLAGS = -shared
tests_libvirt_odd_module_so_LDADD =
