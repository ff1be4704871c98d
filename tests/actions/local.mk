# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/actions/test-arrival \
	tests/actions/test-assign \
	tests/actions/test-crowd \
	tests/actions/test-function \
	tests/actions/test-incoming \
	tests/actions/test-interfaces \
	tests/actions/test-kept \
	tests/actions/test-lies \
	tests/actions/test-look \
	tests/actions/test-machines \
	tests/actions/test-names-read \
	tests/actions/test-neighbours \
	tests/actions/test-obstacles \
	tests/actions/test-pool \
	tests/actions/test-random \
	tests/actions/test-real-hosts \
	tests/actions/test-reconcile \
	tests/actions/test-promise \
	tests/actions/test-release \
	tests/actions/test-saved-state \
	tests/actions/test-silent-card \
	tests/actions/test-start \
	tests/actions/test-state-directory \
	tests/actions/test-storm \
	tests/actions/test-unlike \
	tests/actions/test-unreadable \
	tests/actions/test-whole-card \
	tests/actions/test-xe

tests_actions_test_random_SOURCES = tests/actions/test-random.c \
	tests/actions/random-host.c tests/actions/random-host.h

EXTRA_DIST += tests/actions/README.md
