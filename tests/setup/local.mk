# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/setup/test-setup \
	tests/setup/test-setup-boot \
	tests/setup/test-setup-declaration \
	tests/setup/test-setup-instances \
	tests/setup/test-setup-unread \
	tests/setup/test-setup-users \
	tests/setup/test-startup-notice \
	tests/setup/test-tool-outlives

cards = tests/setup/cards.c tests/setup/cards.h
tests_setup_test_setup_SOURCES = tests/setup/test-setup.c $(cards)
tests_setup_test_setup_boot_SOURCES = tests/setup/test-setup-boot.c $(cards)
tests_setup_test_setup_declaration_SOURCES = tests/setup/test-setup-declaration.c $(cards)
tests_setup_test_setup_instances_SOURCES = tests/setup/test-setup-instances.c $(cards)
tests_setup_test_setup_unread_SOURCES = tests/setup/test-setup-unread.c $(cards)
tests_setup_test_setup_users_SOURCES = tests/setup/test-setup-users.c $(cards)
