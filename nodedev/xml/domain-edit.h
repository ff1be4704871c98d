/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * domain-edit: a domain's XML with one vGPU added or removed.
 *
 * It takes text and returns text. It asks neither libvirt nor the host. A vGPU is two elements. The
 * annotation has a <vgpu:device>, which says what the vGPU is. The <hostdev> with the same alias is
 * a mediated device or a virtual function. The rest of the XML stays, except for the quotes around
 * attributes. After each edit `request` is parsed from the new text. So the new text is known to
 * mean what was asked for.
 */

#pragma once

#include "domain/rewrite.h"

struct domain_edit {
    struct _xmlDoc *tree;
    bool declared;          /* the text begins with <?xml ...?> */
    struct request request; /* what the XML asks for now */
    struct document before; /* the text that it was made from */
};

/* A vGPU to be added: the attributes of its <vgpu:device>, and its <vgpu:param>. Either type or
 * class is said. All texts are borrowed. */
struct domain_edit_device {
    const char *alias;
    struct attributes attributes;
    const char *const *params; /* NAME=VALUE each */
    size_t param_count;
    struct name uuid; /* of the mediated device; "": domain_edit_uuid makes it */
};

/* Returns -EINVAL with a line in error if it is no domain's XML. The caller calls domain_edit_end
 * in every case. */
int domain_edit_start(const struct document *document, struct domain_edit *ret,
                      struct error *error) CHECKED NONNULL;
void domain_edit_end(struct domain_edit *edit) NONNULL;

/* Adds a vGPU, as a mediated device with its UUID, or that of domain_edit_uuid. Returns -EINVAL if
 * libvirt does not take such an alias from users, or if the annotation has a fault already or by
 * this. Returns -EEXIST if the alias or the UUID is in use. */
int domain_edit_add(struct domain_edit *edit, const struct domain_edit_device *device,
                    struct error *error) CHECKED NONNULL;

/* Sets the source of the hostdev with this alias, which must exist: a mediated device or a virtual
 * function. Returns -ENOMEM; or -EINVAL if the annotation names the hostdev in a way that does not
 * allow the change. */
int
domain_edit_set_source(struct domain_edit *edit, const char *alias,
                       const struct rewrite_source *source, struct error *error) CHECKED NONNULL;

/* Makes the <vgpu:device> of a hostdev, which is named by alias or source, say a type in place of
 * its class. Returns -ENOENT with a line in error if no <vgpu:device> names such a hostdev; or
 * -ENOMEM. */
int domain_edit_set_type(struct domain_edit *edit, const char *word, const char *type,
                         struct error *error) CHECKED NONNULL;

/* Makes the guest's screen show the vGPU with this alias, which must exist. It sets display='on',
 * and ramfb='on' for the time before the guest's driver runs. QEMU takes one such device: if there
 * is another, returns -EEXIST with a line in error. */
int domain_edit_set_display(struct domain_edit *edit, const char *alias,
                            struct error *error) CHECKED NONNULL;

/*
 * Removes the vGPU that has this alias, UUID, or address of a virtual function (cli/pick.h). If
 * only its <vgpu:device> is left, that is removed. *device gets its source, and *alias libvirt's
 * name for it, which the caller frees. Without a hostdev they are "" and NULL. Returns -ENOENT, and
 * error names the domain's vGPUs; or -ENOTUNIQ, and error names those that may be meant.
 */
int domain_edit_remove(struct domain_edit *edit, const char *word, struct name *device,
                       char **alias, struct error *error) CHECKED NONNULL;

/* Whether any device has this alias. */
bool domain_edit_has_alias(const struct domain_edit *edit, const char *alias) CHECKED NONNULL;

/* Finds the hostdev with an alias or a source. Returns NULL if there is none. */
const struct request_hostdev *
domain_edit_find(const struct domain_edit *edit, const char *word) CHECKED NONNULL;

/* Writes the whole XML. The caller clears ret. Returns -ENOMEM. */
int domain_edit_text(const struct domain_edit *edit, struct document *ret,
                     struct error *error) CHECKED NONNULL;

/* Write two parts of the XML for libvirt's API, which the caller frees. The first is the
 * annotation, without its namespace as the API for metadata wants it; *ret is NULL if there is
 * none. The second is the <hostdev> of an alias, which must exist. Both return -ENOMEM. */
int domain_edit_annotation(const struct domain_edit *edit, char **ret,
                           struct error *error) CHECKED NONNULL;
int domain_edit_hostdev(const struct domain_edit *edit, const char *alias, char **ret,
                        struct error *error) CHECKED NONNULL;

/* Makes a UUID for a domain's device, the same each time: version 5 of RFC 9562. The domain's UUID
 * is the name space, the alias is the name. A domain without one ("") gets a random UUID. */
void domain_edit_uuid(const struct name *domain, const char *alias, struct name *ret) NONNULL;
