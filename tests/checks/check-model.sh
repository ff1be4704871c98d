# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The model of the ledger's protocol: its properties hold, and each of its rules is needed. With
# LONG=1 in the environment the large configurations are searched, too.

. "$srcdir/tests/checks/guard.sh"
needs spin

exec tests/model/run
