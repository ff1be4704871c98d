# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13 with large programs of others that judge the emulated cards: Nova, and Cockpit's page of
# virtual machines.
# shellcheck shell=bash disable=SC2034

suite=trixie
more=(systemd-dev python3-nova python3-libvirt cockpit-machines libvirt-dbus polkitd)
