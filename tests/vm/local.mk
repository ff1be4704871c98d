# SPDX-License-Identifier: LGPL-2.1-or-later

EXTRA_DIST += tests/vm

# The real thing: a virtual machine with real libvirt, QEMU and mdev drivers. See tests/vm/run.
in_vm = VGPU_BUILD='$(abs_top_builddir)' VGPU_TARBALL='$(abs_top_builddir)/$(distdir).tar.xz' \
	'$(srcdir)/tests/vm/run'

demo: dist
	@'$(srcdir)/tests/needs' vm || :
	$(in_vm) demo

.PHONY: demo
