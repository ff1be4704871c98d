# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/lease/test-counters \
	tests/lease/test-daemon \
	tests/lease/test-fate \
	tests/lease/test-ledger \
	tests/lease/test-log \
	tests/lease/test-marks \
	tests/lease/test-proving \
	tests/lease/test-statedir
