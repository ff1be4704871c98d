# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/device/test-ceilings \
	tests/device/test-mdev \
	tests/device/test-nvidia \
	tests/device/test-nvidia-extract \
	tests/device/test-nvidia-table \
	tests/device/test-open-files \
	tests/device/test-share \
	tests/device/test-sizes \
	tests/device/test-table-xml \
	tests/device/test-type-cache \
	tests/device/test-vf \
	tests/device/test-vf-list \
	tests/device/test-vfio

# It runs only in the machine of tests/vm. It needs none of our libraries.
check_PROGRAMS += tests/device/odd-files
tests_device_odd_files_SOURCES = tests/device/odd-files.c
tests_device_odd_files_LDADD =
