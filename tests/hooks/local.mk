# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/hooks/test-hook

bare_tests += tests/hooks/test-main
