# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13 for arm64: the packages of trixie, on an emulated processor.
# shellcheck shell=bash disable=SC2034

suite=trixie
architecture=arm64
kernel=(linux-image-arm64 linux-headers-arm64 initramfs-tools zstd)
host=(libvirt-daemon-system libvirt-daemon-driver-qemu libvirt-clients qemu-system-arm mdevctl)
# The disk takes half an hour. So it has only what the scenarios of virtual GPUs need.
tools=(busybox strace socat jq pciutils)
more=(systemd-dev)
