# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/commands/test-agreement \
	tests/commands/test-availability \
	tests/commands/test-bound-function \
	tests/commands/test-broken-configuration \
	tests/commands/test-drain \
	tests/commands/test-evacuate \
	tests/commands/test-evacuation-plan \
	tests/commands/test-explain \
	tests/commands/test-guests \
	tests/commands/test-handover \
	tests/commands/test-interface \
	tests/commands/test-log \
	tests/commands/test-metrics \
	tests/commands/test-neighbour \
	tests/commands/test-one-answer \
	tests/commands/test-other-user \
	tests/commands/test-ready \
	tests/commands/test-reap \
	tests/commands/test-reap-functions \
	tests/commands/test-screen \
	tests/commands/test-sriov \
	tests/commands/test-status \
	tests/commands/test-tables \
	tests/commands/test-where

tests_commands_test_agreement_SOURCES = tests/commands/test-agreement.c $(model_town)
tests_commands_test_evacuate_SOURCES = tests/commands/test-evacuate.c $(warm_up)
tests_commands_test_evacuation_plan_SOURCES = tests/commands/test-evacuation-plan.c $(warm_up)
tests_commands_test_where_SOURCES = tests/commands/test-where.c $(warm_up)
