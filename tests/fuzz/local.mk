# SPDX-License-Identifier: LGPL-2.1-or-later

fuzz_targets = \
	tests/fuzz/fuzz-request \
	tests/fuzz/fuzz-rewrite \
	tests/fuzz/fuzz-policy \
	tests/fuzz/fuzz-ledger \
	tests/fuzz/fuzz-remote \
	tests/fuzz/fuzz-nvidia-table \
	tests/fuzz/fuzz-callout \
	tests/fuzz/fuzz-capture
check_PROGRAMS += $(fuzz_targets)
fuzz_main = tests/fuzz/fuzz-main.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz-request.c $(fuzz_main)
tests_fuzz_fuzz_rewrite_SOURCES = tests/fuzz/fuzz-rewrite.c $(fuzz_main)
tests_fuzz_fuzz_policy_SOURCES = tests/fuzz/fuzz-policy.c $(fuzz_main)
tests_fuzz_fuzz_ledger_SOURCES = tests/fuzz/fuzz-ledger.c $(fuzz_main)
tests_fuzz_fuzz_remote_SOURCES = tests/fuzz/fuzz-remote.c $(fuzz_main)
tests_fuzz_fuzz_nvidia_table_SOURCES = tests/fuzz/fuzz-nvidia-table.c $(fuzz_main)
tests_fuzz_fuzz_callout_SOURCES = tests/fuzz/fuzz-callout.c $(fuzz_main)
tests_fuzz_fuzz_capture_SOURCES = tests/fuzz/fuzz-capture.c $(fuzz_main)
EXTRA_DIST += tests/fuzz/look tests/corpus

# Looks for inputs that no seed has, with clang: make fuzz [TARGET=ledger] [SECONDS=60].
TARGET = ledger
SECONDS = 60
fuzz:
	srcdir='$(srcdir)' sources='$(libvgpu_a_SOURCES) $(libvgpuctl_a_SOURCES)' \
		libs='$(LIBVIRT_LIBS) $(SMARTCOLS_LIBS) $(UUID_LIBS) $(XML_LIBS) $(CONFIG_LIBS)' \
		'$(srcdir)/tests/fuzz/look' $(TARGET) $(SECONDS) $(DEFS) $(AM_CPPFLAGS) $(AM_CFLAGS)

.PHONY: fuzz

EXTRA_DIST += tests/fuzz/README.md
