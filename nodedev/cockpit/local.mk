# SPDX-License-Identifier: LGPL-2.1-or-later

# The page for Cockpit, which finds it by the name of the directory. Packages have it apart.
cockpitdir = $(datadir)/cockpit/libvirt-vgpu
dist_cockpit_DATA = \
	nodedev/cockpit/elements.js \
	nodedev/cockpit/evacuate.js \
	nodedev/cockpit/gpu.js \
	nodedev/cockpit/guests.js \
	nodedev/cockpit/host.js \
	nodedev/cockpit/index.html \
	nodedev/cockpit/manifest.json \
	nodedev/cockpit/page.css \
	nodedev/cockpit/page.js \
	nodedev/cockpit/vgpuctl.js

install-cockpit: install-dist_cockpitDATA install-dist_metainfoDATA

.PHONY: install-cockpit
