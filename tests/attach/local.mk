# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/attach/test-attach \
	tests/attach/test-definitions \
	tests/attach/test-detach \
	tests/attach/test-hotplug \
	tests/attach/test-old-libvirt \
	tests/attach/test-vf-selection

definition = tests/attach/definition.c tests/attach/definition.h
tests_attach_test_attach_SOURCES = tests/attach/test-attach.c $(definition)
# It stands between libvirt and those who call it.
tests_attach_test_attach_LDADD = $(LDADD) $(LIBVIRT_LIBS)
tests_attach_test_definitions_SOURCES = tests/attach/test-definitions.c $(definition)
tests_attach_test_definitions_LDADD = $(LDADD) $(LIBVIRT_LIBS)
tests_attach_test_detach_LDADD = $(LDADD) $(LIBVIRT_LIBS)
tests_attach_test_old_libvirt_LDADD = $(LDADD) $(LIBVIRT_LIBS)
tests_attach_test_vf_selection_SOURCES = tests/attach/test-vf-selection.c $(definition)
