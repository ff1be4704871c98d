# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/cli/test-hostile-names \
	tests/cli/test-json \
	tests/cli/test-options \
	tests/cli/test-output \
	tests/cli/test-program \
	tests/cli/test-root \
	tests/cli/test-terminal \
	tests/cli/test-typed-line \
	tests/cli/test-vgpuctl \
	tests/cli/test-watch
