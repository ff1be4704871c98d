/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * source-edit: edits the XML of a domain source, writes it back, and tells what has changed.
 */

#pragma once

#include "libvirt/definition.h"
#include "libvirt/domain-source.h"
#include "view/change.h"
#include "xml/domain-edit.h"

/* Begins to edit one definition. Set `secrets` if it is to be defined again: then the XML contains
 * the passwords. Returns -errno with a line in error. The caller calls domain_edit_end in every
 * case. */
int source_edit_start(const struct domain_source *source, enum connection_side side, bool secrets,
                      struct domain_edit *ret, struct error *error) CHECKED NONNULL;

/* Makes the edited XML the definition, as definition_replace. */
int source_edit_define(const struct domain_source *source, const struct domain_edit *edit,
                       struct document *written, struct error *error) CHECKED NONNULL;

/* Refuses a definition that libvirt has written without the display of a vGPU, and makes the old
 * one the definition again. Returns -EOPNOTSUPP with a line in error. */
int source_edit_check_display(const struct domain_source *source, const struct document *old,
                              const struct document *written, struct error *error) CHECKED NONNULL;

/* Prints the edited XML. */
int source_edit_print(const struct domain_source *source, const struct domain_edit *edit,
                      struct error *error) CHECKED NONNULL;

/* Adds a change of a device of the domain, in the definitions that are meant. Returns it, as
 * changes_add does. */
struct change *
source_edit_tell(const struct domain_source *source, const char *outcome, const struct name *device,
                 const char *alias, struct changes *ret) NONNULL;
