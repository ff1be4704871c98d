# SPDX-License-Identifier: LGPL-2.1-or-later

packagingdir = $(docdir)/packaging
dist_doc_DATA += config/packaging/NEWS $(pictures)
pictures = .github/cockpit.png .github/how-it-works.svg

# These pages link to files of this tree. Installed, they link to what is installed with them.
nodist_doc_DATA = config/packaging/installed/README.md
nodist_packaging_DATA = config/packaging/installed/packaging/README.md
installed_links = $(MKDIR_P) $(@D) && $(AWK) -v page=$$page -v installed='README.md=README.md \
	config/packaging/NEWS=NEWS config/packaging/README.md=packaging/README.md \
	.github/cockpit.png=cockpit.png .github/how-it-works.svg=how-it-works.svg' \
	-f '$(srcdir)/config/packaging/installed-links.awk' '$(srcdir)'/$$page >$@.tmp && mv $@.tmp $@

$(nodist_doc_DATA): README.md config/packaging/installed-links.awk
	$(AM_V_GEN)page=README.md; $(installed_links)

$(nodist_packaging_DATA): config/packaging/README.md config/packaging/installed-links.awk
	$(AM_V_GEN)page=config/packaging/README.md; $(installed_links)

CLEANFILES += $(nodist_doc_DATA) $(nodist_packaging_DATA)

EXTRA_DIST += \
	config/packaging/build-package \
	config/packaging/debian \
	config/packaging/README.md \
	config/packaging/hook-link.sh \
	config/packaging/installed-links.awk \
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

# A tarball's files have all the same date, that of debian/changelog. So a tarball is the same, bit by bit, of a
# clone, of a copy without git, and of a tarball. See am__tar in configure.ac.
dist_date = $${SOURCE_DATE_EPOCH:-$$(date -d \
	"$$(sed -n 's/^ -- .*>  //p' '$(srcdir)/config/packaging/debian/changelog' | head -n 1)" +%s)}

# The .spec has a copy of hook-link.sh.
CONFIG_STATUS_DEPENDENCIES = $(srcdir)/config/packaging/hook-link.sh
