# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13 whose second host is Debian 14. Guests migrate to another libvirt and QEMU, on one kernel.
# shellcheck shell=bash disable=SC2034

suite=trixie
other=forky
more=(systemd-dev)
