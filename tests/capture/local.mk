# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/capture/test-capture \
	tests/capture/test-captures \
	tests/capture/test-card-facts \
	tests/capture/test-holders

EXTRA_DIST += tests/captures
