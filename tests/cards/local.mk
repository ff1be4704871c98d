# SPDX-License-Identifier: LGPL-2.1-or-later

# The emulated cards: a kernel module, which DKMS builds on the machine that has it. It is in a package of
# its own, and no part of "make".
cards_sources = tests/cards/module/Kbuild tests/cards/module/*.[ch]
cardsdir = $(prefix)/src/vgpu-cards-$(VERSION)
cardsmandir = $(mandir)/man4

# The file for DKMS is not here: Debian's dh_dkms writes it.
install-cards:
	$(MKDIR_P) "$(DESTDIR)$(cardsdir)" "$(DESTDIR)$(cardsmandir)"
	cd '$(srcdir)' && $(INSTALL_DATA) $(cards_sources) "$(DESTDIR)$(cardsdir)"
	$(INSTALL_DATA) '$(srcdir)/tests/cards/vgpu-cards.4' "$(DESTDIR)$(cardsmandir)"

# Also the file for DKMS, which whoever installs this by hand has added.
uninstall-cards:
	cd '$(srcdir)' && for file in $(cards_sources) dkms.conf; do \
		rm -f "$(DESTDIR)$(cardsdir)/$${file##*/}" || exit 1; \
	done
	rm -f "$(DESTDIR)$(cardsmandir)/vgpu-cards.4"

.PHONY: install-cards uninstall-cards

EXTRA_DIST += tests/cards
