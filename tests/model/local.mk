# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += \
	tests/model/decision.pml \
	tests/model/ledger.pml \
	tests/model/process.pml \
	tests/model/promise.pml \
	tests/model/run \
	tests/model/world.pml

EXTRA_DIST += tests/model/README.md
