# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13 with OpenStack's Nova, whose library judges the emulated cards. It is 374 MB more.
# shellcheck shell=bash disable=SC2034

suite=trixie
more=(systemd-dev python3-nova)
