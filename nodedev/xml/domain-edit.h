/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * edit: a domain's XML with a vGPU more in it, or one less.
 *
 * Text in, text out: nothing is asked of libvirt or the host. A vGPU is two elements: a
 * <vgpu:device> of the annotation, which says what it is, and the <hostdev> of that alias: a
 * mediated device, or a virtual function. What else the XML says stays, but for the quotes around
 * attributes. After each edit `request` is read anew from the new text, so that what is handed out
 * is known to mean what was asked.
 */

#pragma once

#include "domain/rewrite.h"

struct domain_edit {
    struct _xmlDoc *tree;
    bool declared;          /* the text began with <?xml ...?> */
    struct request request; /* what the XML asks for now */
};

/* One more vGPU; either type or class. */
struct domain_edit_device {
    const char *alias;
    const char *type;
    const char *class;
};

/* -EINVAL with a line in error if it is no domain's XML. The caller calls domain_edit_end in every
 * case.
 */
int domain_edit_start(const struct document *document, struct domain_edit *ret,
                      struct error *error) CHECKED NONNULL;
void domain_edit_end(struct domain_edit *edit) NONNULL;

/* Adds a device, a mediated one under the UUID of domain_edit_uuid. -EINVAL if the alias is none
 * that libvirt takes from users, or the annotation has a fault already; -EEXIST if the alias is in
 * use.
 */
int domain_edit_add(struct domain_edit *edit, const struct domain_edit_device *device,
                    struct error *error) CHECKED NONNULL;

/* Makes the device of an alias, which must be there, a mediated one or a virtual function. -ENOMEM;
 * -EINVAL if the annotation's link to it does not allow that. */
int
domain_edit_set_source(struct domain_edit *edit, const char *alias,
                       const struct rewrite_source *source, struct error *error) CHECKED NONNULL;

/*
 * Removes the vGPU that has an alias, a UUID, or a virtual function's address; of one that was
 * removed by half, what is left of it. *device is its source, *alias (the caller's to free) what
 * libvirt calls it: "" and NULL if it has no hostdev any more. -ENOENT with those that there are in
 * error.
 */
int domain_edit_remove(struct domain_edit *edit, const char *word, struct name *device,
                       char **alias, struct error *error) CHECKED NONNULL;

/* Whether any device has this alias. */
bool domain_edit_has_alias(const struct domain_edit *edit, const char *alias) CHECKED NONNULL;

/* The hostdev that has an alias, or a source; or NULL. */
const struct request_hostdev *
domain_edit_find(const struct domain_edit *edit, const char *word) CHECKED NONNULL;

/* The whole XML. The caller clears ret. -ENOMEM. */
int domain_edit_text(const struct domain_edit *edit, struct document *ret,
                     struct error *error) CHECKED NONNULL;

/* The annotation as libvirt's API for metadata takes it, without a namespace; NULL in *ret: there
 * is none. And the hostdev of an alias, which must be there. The caller frees *ret. -ENOMEM. */
int domain_edit_annotation(const struct domain_edit *edit, char **ret,
                           struct error *error) CHECKED NONNULL;
int domain_edit_hostdev(const struct domain_edit *edit, const char *alias, char **ret,
                        struct error *error) CHECKED NONNULL;

/* The UUID of a domain's device, the same each time: version 5 of RFC 9562, with the domain's as
 * name space and the alias as name. */
void domain_edit_uuid(const struct name *domain, const char *alias, struct name *ret) NONNULL;
