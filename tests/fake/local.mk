# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/fake/test-captured \
	tests/fake/test-fake-clock \
	tests/fake/test-fake-snapshot \
	tests/fake/test-fake-vf

# The scenes of the tests load that module, too, and two that are not to be loaded.
check_LIBRARIES += tests/fake/libscene.a
EXTRA_tests_fake_libscene_a_DEPENDENCIES = connection.so tests/libvirt/old-module.so \
	tests/libvirt/odd-module.so
tests_fake_libscene_a_SOURCES = \
	tests/fake/bandwidth.c tests/fake/bandwidth.h \
	tests/fake/captured.c tests/fake/captured.h \
	tests/fake/chance.c tests/fake/chance.h \
	tests/fake/fake-clock.c tests/fake/fake-clock.h \
	tests/fake/fake-kernel.c tests/fake/fake-kernel.h \
	tests/fake/fake-lie.c \
	tests/fake/fake-machine.c \
	tests/fake/fake-mdev.c \
	tests/fake/fake-parse.c \
	tests/fake/fake-parts.h \
	tests/fake/fake-snapshot.c tests/fake/fake-snapshot.h \
	tests/fake/fake-sriov.c \
	tests/fake/fake-tree.c \
	tests/fake/fake-vf.c \
	tests/fake/fake-vf-type.c \
	tests/fake/fake-xe.c \
	tests/fake/listener.c tests/fake/listener.h \
	tests/fake/nvidia-tools.c tests/fake/nvidia-tools.h \
	tests/fake/repeat.c tests/fake/repeat.h \
	tests/fake/scene.c tests/fake/scene.h \
	tests/fake/typed.c tests/fake/typed.h \
	tests/fake/unit.c tests/fake/unit.h
