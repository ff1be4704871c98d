# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13 with a large program of others that judges the emulated cards: Nova.
# shellcheck shell=bash disable=SC2034

suite=trixie
more=(systemd-dev python3-nova python3-libvirt)
