# SPDX-License-Identifier: LGPL-2.1-or-later

benches = tests/bench/bench tests/bench/bench-list tests/bench/bench-guests tests/bench/bench-growth
check_PROGRAMS += $(benches)
large = tests/bench/large.c tests/bench/large.h
tests_bench_bench_SOURCES = tests/bench/bench.c $(large)
tests_bench_bench_LDFLAGS = -Wl,--wrap=statedir_unlock
tests_bench_bench_list_SOURCES = tests/bench/bench-list.c $(large)
tests_bench_bench_guests_SOURCES = tests/bench/bench-guests.c $(large)
tests_bench_bench_growth_SOURCES = tests/bench/bench-growth.c $(large)
EXTRA_DIST += tests/bench/bench.sh tests/bench/bench-hosts.py

bench: all tests/vgpuctl $(benches)
	'$(srcdir)/tests/bench/bench.sh' '$(abs_top_builddir)'

# What it costs to ask many hosts at once: make bench-hosts [HOSTS=50]
HOSTS = 50
bench-hosts: tests/vgpuctl connection.so
	@'$(srcdir)/tests/bench/bench-hosts.py' '$(abs_top_builddir)/tests/vgpuctl' $(HOSTS)

.PHONY: bench bench-hosts

EXTRA_DIST += tests/bench/README.md
