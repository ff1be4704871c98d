/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * domain-edit: a domain's XML with one vGPU more in it, or one less.
 *
 * It takes text and gives text; libvirt and the host are not asked. A vGPU is two elements: a
 * <vgpu:device> of the annotation, which says what it is, and the <hostdev> with the same alias,
 * which is a mediated device or a virtual function. The rest of the XML stays, except for the
 * quotes around attributes. After each edit `request` is parsed from the new text, so that it is
 * known to mean what was asked for.
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

/* Gives the hostdev of an alias, which must be there, another source: a mediated device or a
 * virtual function. -ENOMEM; -EINVAL if the annotation names the hostdev in a way that does not
 * allow it. */
int
domain_edit_set_source(struct domain_edit *edit, const char *alias,
                       const struct rewrite_source *source, struct error *error) CHECKED NONNULL;

/* Lets the hostdev of an alias, which must be there, be seen on the guest's screen: display='on',
 * and ramfb='on' for what is shown before its driver runs. -EEXIST with a line in error if another
 * has that already, as QEMU takes one. */
int domain_edit_set_display(struct domain_edit *edit, const char *alias,
                            struct error *error) CHECKED NONNULL;

/*
 * Removes the vGPU that has this alias, UUID, or address of a virtual function (cli/pick.h). If
 * only its <vgpu:device> is left, that is removed. *device is its source, *alias what libvirt calls
 * it, which the caller frees; without a hostdev they are "" and NULL. -ENOENT, and error names the
 * vGPUs that the domain has; -ENOTUNIQ, and error names those it may be.
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

/* Two parts of the XML for libvirt's API, which the caller frees. The annotation, without its
 * namespace as the API for metadata wants it; *ret is NULL if there is none. And the <hostdev> of
 * an alias, which must be there. -ENOMEM. */
int domain_edit_annotation(const struct domain_edit *edit, char **ret,
                           struct error *error) CHECKED NONNULL;
int domain_edit_hostdev(const struct domain_edit *edit, const char *alias, char **ret,
                        struct error *error) CHECKED NONNULL;

/* Makes a UUID for a domain's device, the same each time: version 5 of RFC 9562. The domain's UUID
 * is the name space, the alias is the name. A domain without one ("") gets a random UUID. */
void domain_edit_uuid(const struct name *domain, const char *alias, struct name *ret) NONNULL;
