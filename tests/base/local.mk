# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/base/test-deadline \
	tests/base/test-document-edit \
	tests/base/test-durable \
	tests/base/test-error \
	tests/base/test-file-lock \
	tests/base/test-host \
	tests/base/test-lock-holder \
	tests/base/test-memory \
	tests/base/test-names \
	tests/base/test-nodeset \
	tests/base/test-printable \
	tests/base/test-reader \
	tests/base/test-run-links \
	tests/base/test-shell-word \
	tests/base/test-suggest \
	tests/base/test-text \
	tests/base/test-usage

bare_tests += tests/base/test-rights
