# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += tests/mutate/mutate.py tests/mutate/argued

# N small faults, one at a time, and whether the unit tests see them:
# make mutate [N=100] [SEED=...] [ROOMS="DIRECTORY..."]
N = 100
mutate:
	@ROOMS='$(ROOMS)' unit_tests='$(unit_tests) tests/base/test-rights' '$(srcdir)/tests/mutate/mutate.py' '$(abs_top_srcdir)' $(N) $(SEED)

.PHONY: mutate

EXTRA_DIST += tests/mutate/README.md
