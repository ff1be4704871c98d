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
