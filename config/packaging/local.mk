# SPDX-License-Identifier: LGPL-2.1-or-later

packagingdir = $(docdir)/packaging
dist_packaging_DATA = config/packaging/README.md
dist_doc_DATA += config/packaging/NEWS

EXTRA_DIST += \
	config/packaging/build-package \
	config/packaging/debian \
	config/packaging/hook-link.sh \
	config/packaging/rpm/90-libvirt-vgpu.preset \
	config/packaging/rpm/libvirt-vgpu.rpmlintrc \
	config/packaging/rpm/libvirt-vgpu.spec

# Packages, by the distribution's own tools. What is in DEBFLAGS goes to dpkg-buildpackage, what is in
# RPMFLAGS to rpmbuild.
deb: dist
	'$(srcdir)/config/packaging/build-package' deb $(distdir).tar.xz packages $(DEBFLAGS)

rpm: dist
	'$(srcdir)/config/packaging/build-package' rpm $(distdir).tar.xz packages $(RPMFLAGS)

.PHONY: deb rpm

# A tarball's files have all the same date: that of the last commit, or what they had in the tarball
# that this is. See am__tar in configure.ac.
dist_date = $${SOURCE_DATE_EPOCH:-$$(test -e '$(srcdir)/.git' && \
	git -C '$(srcdir)' log -1 --format=%ct || stat -c %Y '$(srcdir)/configure.ac')}

# The .spec has a copy of hook-link.sh.
CONFIG_STATUS_DEPENDENCIES = $(srcdir)/config/packaging/hook-link.sh
