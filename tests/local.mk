# SPDX-License-Identifier: LGPL-2.1-or-later

# Each tests/ROOM/test-NAME.c is a program of its own. Those of bare_tests are no unit tests, which valgrind
# and the sanitizers run: one has a malloc of its own, the others trace, or make calls that nobody should.
check_PROGRAMS += $(unit_tests) $(bare_tests)
LDADD = tests/fake/libscene.a libvgpuctl.a libvgpu.a $(CMOCKA_LIBS) $(SMARTCOLS_LIBS) $(UUID_LIBS) \
	$(XML_LIBS) $(CONFIG_LIBS) $(DL_LIBS) $(RT_LIBS)

TESTS = $(unit_tests) $(bare_tests) $(quick_checks)
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = srcdir='$(srcdir)'; unit_tests='$(unit_tests)'; fuzz_targets='$(fuzz_targets)'; \
	. tests/environment;

# Three speeds: "make check" is TESTS, and needs what the build needs. tests/needs installs what the others need.
check-deep:
	@'$(srcdir)/tests/needs' deep page || :
	@$(MAKE) check TESTS='$(deep_checks)' TEST_SUITE_LOG=tests/deep.log

check-vm: dist
	@'$(srcdir)/tests/needs' vm page || :
	$(in_vm)
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) '$(srcdir)/tests/checks/check-schemas.sh' vm || [ $$? -eq 77 ]

# On another processor. No other target has this: it fetches, builds all once more, and emulates.
check-arm64: dist
	@'$(srcdir)/tests/needs' arm64 || :
	@$(AM_TESTS_ENVIRONMENT) bare_tests='$(bare_tests)' \
		$(SHELL) '$(srcdir)/tests/checks/check-arm64.sh' '$(abs_top_builddir)/$(distdir).tar.xz'

check-all:
	+@'$(srcdir)/tests/play' '$(MAKE) check' '$(MAKE) check-deep' '$(MAKE) check-vm'

.PHONY: check-deep check-vm check-arm64 check-all

EXTRA_DIST += tests/README.md tests/times tests/data tests/golden tests/machines tests/monitoring tests/needs tests/play

clean-local:
	-rm -rf packages arm64 tests/cockpit-pictures tests/vm-logs tests/vm-results \
		tests/fuzz/learned tests/fuzz/found tests/deep.log tests/*/*.valgrind.log tests/*/*.documents
