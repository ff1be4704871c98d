# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 12: libvirt 9.0, QEMU 7.2, kernel 6.1, mdevctl 1.2.
# shellcheck shell=bash disable=SC2034

suite=bookworm
