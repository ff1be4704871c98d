# SPDX-License-Identifier: LGPL-2.1-or-later

# The policy module for SELinux, made by the distribution's own Makefile, in its own package; no part of
# "make", as few hosts that build have what it needs.
policy = config/selinux/libvirt_vgpu
selinuxdir = $(datadir)/selinux/packages
policy_sources = $(policy).te $(policy).if $(policy).fc

selinux: $(policy).pp

$(policy).pp: $(policy_sources)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && MAKE='$(MAKE)' '$(srcdir)/config/selinux/compile' '$(srcdir)/config/selinux' $@

install-selinux: $(policy).pp
	$(MKDIR_P) "$(DESTDIR)$(selinuxdir)"
	$(INSTALL_DATA) $(policy).pp "$(DESTDIR)$(selinuxdir)"

uninstall-selinux:
	rm -f "$(DESTDIR)$(selinuxdir)/libvirt_vgpu.pp"

.PHONY: selinux install-selinux uninstall-selinux

CLEANFILES += $(policy).pp
EXTRA_DIST += $(policy_sources) config/selinux/compile
