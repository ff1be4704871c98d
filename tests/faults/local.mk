# SPDX-License-Identifier: LGPL-2.1-or-later

bare_tests += tests/faults/test-faults
tests_faults_test_faults_SOURCES = \
	tests/faults/actions.c tests/faults/actions.h \
	tests/faults/inject.c tests/faults/inject.h \
	tests/faults/stage.c tests/faults/stage.h \
	tests/faults/stage-expect.c \
	tests/faults/stage-program.c \
	tests/faults/system-calls.c tests/faults/system-calls.h \
	tests/faults/test-faults.c \
	tests/faults/traced-host.c tests/faults/traced-host.h
tests_faults_test_faults_LDFLAGS = -Wl,--wrap=fork,--wrap=connection_ask_domains,--wrap=config_init,--wrap=config_read_string,--wrap=name_parse_uuid

EXTRA_DIST += tests/faults/README.md
