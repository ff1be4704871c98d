# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/policy/test-policy \
	tests/policy/test-policy-faults

conf = tests/policy/conf.c tests/policy/conf.h
tests_policy_test_policy_SOURCES = tests/policy/test-policy.c $(conf)
tests_policy_test_policy_faults_SOURCES = tests/policy/test-policy-faults.c $(conf)
