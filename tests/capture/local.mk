# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/capture/test-capture \
	tests/capture/test-captures \
	tests/capture/test-conf-text \
	tests/capture/test-holders \
	tests/capture/test-redaction \
	tests/capture/test-stand-ins

tests_capture_test_conf_text_SOURCES = tests/capture/test-conf-text.c $(conf)

EXTRA_DIST += tests/captures
