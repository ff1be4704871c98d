# SPDX-License-Identifier: LGPL-2.1-or-later

dist_man_MANS += config/vgpu.conf.5 config/vgpu-request.7

dist_pkgdata_DATA = \
	config/libvirt-vgpu-alerts.yml \
	config/libvirt-vgpu-dashboard.json \
	config/vgpu-request.rng \
	config/vgpuctl.schema.json

metainfodir = $(datadir)/metainfo
dist_metainfo_DATA = config/org.cockpit_project.libvirt-vgpu.metainfo.xml

examplesdir = $(docdir)/examples
dist_examples_DATA = config/vgpu.conf

# Those that name a program of ours are filled in.
filled_units = \
	config/libvirt-vgpu-metrics.service \
	config/libvirt-vgpu-ready.service \
	config/libvirt-vgpu-reconcile.service \
	config/libvirt-vgpu-setup.service \
	config/libvirt-vgpu-sriov@.service
units = \
	config/libvirt-vgpu-metrics.timer \
	config/libvirt-vgpu-reconcile.timer

if SYSTEMD_UNITS
nodist_systemdsystemunit_DATA = $(filled_units)
dist_systemdsystemunit_DATA = $(units)
endif
if TMPFILES
dist_tmpfiles_DATA = config/libvirt-vgpu.conf
endif

# The profile's file is called as the profile.
profile = config/apparmor/libvirt-vgpu
if APPARMOR
nodist_apparmor_DATA = $(profile)
endif

filled = $(filled_units) $(profile)
vendor_tools = config/vendor-tools.unit
$(filled): $(filled:=.in) $(vendor_tools) Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e 's,@bindir[@],$(bindir),' -e 's,@sbindir[@],$(sbindir),' \
		-e 's,@libexecdir[@],$(libexecdir),' -e 's,@configdir[@],$(configdir),' \
		-e '/^@vendor_tools[@]/{' -e 'r $(srcdir)/$(vendor_tools)' -e 'd' -e '}' \
		"$(srcdir)/$@.in" >$@.tmp && mv $@.tmp $@

CLEANFILES += $(filled) $(filled:=.tmp)
EXTRA_DIST += $(filled:=.in) $(units) $(vendor_tools) config/libvirt-vgpu.conf config/install-rest \
	config/vgpuctl.bash-completion config/vgpuctl.fish-completion config/vgpuctl.zsh-completion

# The files are called as what they complete, or shells do not find them.
completion_files =
if BASH_COMPLETION
completion_files += $(completionsdir)/vgpuctl
endif
if ZSH_COMPLETION
completion_files += $(zshdir)/_vgpuctl
endif
if FISH_COMPLETION
completion_files += $(fishdir)/vgpuctl.fish
endif

# Links, completions, and what an administrator may have changed: what automake has no rule for.
install_rest = DESTDIR='$(DESTDIR)' srcdir='$(srcdir)' sbindir='$(sbindir)' libexecdir='$(libexecdir)' \
	hooksdir='$(hooksdir)' mdevctldir='$(mdevctldir)' configdir='$(configdir)' \
	moduledir='$(moduledir)' man1dir='$(man1dir)' \
	own_dirs='$(moduledir) $(pkgdatadir) $(cockpitdir) $(examplesdir) $(packagingdir) $(docdir) $(cardsdir)' \
	prefix='$(prefix)' used_dirs='$(bindir) $(sbindir) $(libexecdir) $(metainfodir) $(man1dir) $(cardsmandir) \
	$(man5dir) $(man7dir) $(man8dir) $(systemdsystemunitdir) $(tmpfilesdir) $(apparmordir) $(completionsdir) \
	$(zshdir) $(fishdir) $(selinuxdir)' \
	completionsdir='$(completionsdir)' completion_files='$(completion_files)' '$(srcdir)/config/install-rest'

install-exec-hook:
	$(install_rest) links

install-data-hook:
	$(install_rest) files

# Also what "make install-selinux" and "make install-cards" may have installed.
uninstall-hook: uninstall-selinux uninstall-cards
	$(install_rest) remove
