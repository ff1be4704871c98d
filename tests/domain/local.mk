# SPDX-License-Identifier: LGPL-2.1-or-later

unit_tests += \
	tests/domain/test-document \
	tests/domain/test-request \
	tests/domain/test-status-files

parsed = tests/domain/parsed.c tests/domain/parsed.h
tests_domain_test_document_SOURCES = tests/domain/test-document.c $(parsed)
tests_domain_test_request_SOURCES = tests/domain/test-request.c $(parsed)
tests_domain_test_status_files_SOURCES = tests/domain/test-status-files.c $(parsed)
