# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/migrate/test-migrate-check \
	tests/migrate/test-migrate-functions \
	tests/migrate/test-move \
	tests/migrate/test-relocation \
	tests/migrate/test-remote-placement

migrate_case = tests/migrate/migrate-case.c tests/migrate/migrate-case.h
tests_migrate_test_migrate_check_SOURCES = tests/migrate/test-migrate-check.c $(migrate_case)
tests_migrate_test_migrate_functions_SOURCES = tests/migrate/test-migrate-functions.c $(migrate_case)
tests_migrate_test_move_SOURCES = tests/migrate/test-move.c $(warm_up) $(definition)
tests_migrate_test_relocation_SOURCES = tests/migrate/test-relocation.c $(warm_up) $(definition)
# It stands between libvirt and those who call it.
tests_migrate_test_relocation_LDADD = $(LDADD) $(LIBVIRT_LIBS)
tests_migrate_test_remote_placement_SOURCES = tests/migrate/test-remote-placement.c $(model_town)
