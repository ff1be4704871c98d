# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian 13 in User Mode Linux: the kernel is a process, and is ours. See ../uml.
# shellcheck shell=bash disable=SC2034

disk=trixie
