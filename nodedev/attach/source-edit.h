/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * source-edit: edits the XML of a domain source, and writes it back.
 */

#pragma once

#include "libvirt/domain-source.h"
#include "xml/domain-edit.h"

/* Begins to edit one definition. Set `secrets` if it is to be defined again: then the XML contains
 * the passwords. Returns -errno with a line in error. The caller calls domain_edit_end in every
 * case. */
int source_edit_start(const struct domain_source *source, enum connection_side side, bool secrets,
                      struct domain_edit *ret, struct error *error) CHECKED NONNULL;

/* Makes the edited XML the definition; or prints it instead. */
int source_edit_define(const struct domain_source *source, const struct domain_edit *edit,
                       struct error *error) CHECKED NONNULL;
int source_edit_print(const struct domain_source *source, const struct domain_edit *edit,
                      struct error *error) CHECKED NONNULL;
