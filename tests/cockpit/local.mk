# SPDX-License-Identifier: LGPL-2.1-or-later

check_PROGRAMS += tests/cockpit/fake-host
tests_cockpit_fake_host_SOURCES = tests/cockpit/fake-host.c $(planted)

EXTRA_DIST += \
	tests/cockpit/browser.mjs \
	tests/cockpit/in-vm-cockpit.mjs \
	tests/cockpit/in-vm-cockpit-evacuate.mjs \
	tests/cockpit/in-vm-cockpit-machines.mjs \
	tests/cockpit/looks.mjs \
	tests/cockpit/readme.txt \
	tests/cockpit/run.mjs \
	tests/cockpit/test-errors.mjs \
	tests/cockpit/test-evacuate.mjs \
	tests/cockpit/test-guests.mjs \
	tests/cockpit/test-host.mjs \
	tests/cockpit/test-keyboard.mjs \
	tests/cockpit/test-names.mjs \
	tests/cockpit/test-readme.mjs
