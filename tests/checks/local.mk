# SPDX-License-Identifier: LGPL-2.1-or-later

# These need only what the build needs.
quick_checks = \
	tests/checks/check-layers.sh \
	tests/checks/check-install.sh \
	tests/checks/check-completion.sh \
	tests/checks/check-corpus.sh \
	tests/checks/check-golden.sh \
	tests/checks/check-hook-link.sh \
	tests/checks/check-linkage.sh \
	tests/checks/check-man.sh \
	tests/checks/check-monitoring.sh \
	tests/checks/check-prefix.sh \
	tests/checks/check-style.sh

# These take long, or need other programs. The longest first, so that it is not alone in the end; valgrind last,
# as it takes all processors.
deep_checks = \
	tests/checks/check-sanitizers.sh \
	tests/checks/check-packages.sh \
	tests/checks/check-model.sh \
	tests/checks/check-cockpit.sh \
	tests/checks/check-linters.sh \
	tests/checks/check-portability.sh \
	tests/checks/check-recipes.sh \
	tests/checks/check-script.sh \
	tests/checks/check-selinux.sh \
	tests/checks/check-alerts.sh \
	tests/checks/check-completion-shells.sh \
	tests/checks/check-terminal.sh \
	tests/checks/check-units.sh \
	tests/checks/check-words.sh \
	tests/checks/check-schemas.sh \
	tests/checks/check-valgrind.sh

# They read what the others leave.
tests/checks/check-golden.log tests/checks/check-schemas.log: $(unit_tests:=.log)

EXTRA_DIST += \
	$(quick_checks) \
	$(deep_checks) \
	tests/checks/check-arm64.sh \
	tests/checks/completion-machine.sh \
	tests/checks/copyright.awk \
	tests/checks/dead-links.pl \
	tests/checks/guard.sh \
	tests/checks/schemas.py \
	tests/checks/scratch-libvirt.sh \
	tests/checks/sentences.awk

EXTRA_DIST += tests/checks/README.md
