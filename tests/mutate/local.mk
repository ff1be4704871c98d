# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += tests/mutate/mutate.py tests/mutate/argued tests/mutate/planted

# N small faults, one at a time, and whether the unit tests see them:
# make mutate [N=100] [SEED=...] [ROOMS="DIRECTORY..."]
N = 100
mutate:
	@ROOMS='$(ROOMS)' unit_tests='$(unit_tests) tests/base/test-rights' '$(srcdir)/tests/mutate/mutate.py' '$(abs_top_srcdir)' $(N) $(SEED)

# The faults of tests/mutate/planted, and whether the tests that they name see them: make planted [FAULTS="NAME..."] [VM=1]
planted: $(unit_tests)
	@VM='$(VM)' '$(srcdir)/tests/mutate/planted/play' '$(abs_top_srcdir)' $(FAULTS)

.PHONY: mutate planted

EXTRA_DIST += tests/mutate/README.md
