# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13 as it is: the host of every ordinary run.
# shellcheck shell=bash disable=SC2034

suite=trixie
more=(systemd-dev)
