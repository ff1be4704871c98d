# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/check/test-check \
	tests/check/test-pools \
	tests/check/test-table-check \
	tests/check/test-wrong-input
