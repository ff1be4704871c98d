# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13, whose guests migrate to Debian 14 and back: another libvirt and another QEMU, on one kernel.
# shellcheck shell=bash disable=SC2034

suite=trixie
other=forky
more=(systemd-dev)
