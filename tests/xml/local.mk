# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/xml/test-domain-edit \
	tests/xml/test-schema
