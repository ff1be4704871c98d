# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 14 before its release: libvirt 12, QEMU 11, kernel 7. It still changes.
# shellcheck shell=bash disable=SC2034

suite=forky
more=(systemd-dev)
