/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * libvirt-library: what the parts of connection.so have in common. No other file includes libvirt's
 * headers, and only those parts include this file.
 *
 *     libvirt-connection.c   opens and closes a connection, and has the table
 *     libvirt-host.c         what a libvirt tells of its host and its domains
 *     libvirt-domain.c       one domain: its definitions, and changing them
 *     libvirt-job.c          one domain: its migration
 *
 * Their functions are the rows of struct connection_calls. They are described there.
 */

#pragma once

#include "libvirt/connection.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

/* Writes a line that ends with libvirt's own words, and says whether rights were missing. Returns
 * the code. Call it right after the call that failed, and use no call of libvirt in its arguments.
 * Each call, even virDomainGetName, deletes the error of the call before. */
int libvirt_fail(struct error *error, int code, const char *format, ...) FORMAT(3, 4) NONNULL;

/* For AUTO. */
void libvirt_free_domain(virDomainPtr *domain) NONNULL;

/* Finds a domain. The caller frees it. Returns NULL with a line in error if there is none. */
virDomainPtr libvirt_domain_by_uuid(virConnectPtr libvirt, const char *uuid,
                                    struct error *error) CHECKED NONNULL;

/* Domains sorted by name, because libvirt returns them in no order. */
struct domain_list {
    virDomainPtr *items;
    int count;
};

/* Lists domains. The flags are those of virConnectListAllDomains. Returns -EIO. The caller clears
 * ret in every case. */
int domain_list_get(virConnectPtr libvirt, unsigned flags, struct domain_list *ret,
                    struct error *error) CHECKED NONNULL;
void domain_list_clear(struct domain_list *list) NONNULL;

/* --- the rows -------------------------------------------------------------------------------- */

int libvirt_host_each_domain(virConnectPtr libvirt, connection_reader *read, void *data,
                             struct error *error);
int libvirt_host_tell(virConnectPtr libvirt, enum connection_scope scope,
                      connection_listener *listen, void *data, struct error *error);

int libvirt_domain_find(virConnectPtr libvirt, const char *word, struct connection_domain *ret,
                        struct error *error);
int libvirt_domain_define(virConnectPtr libvirt, const char *text, struct error *error);
int libvirt_domain_xml(virConnectPtr libvirt, const char *uuid, enum connection_side side,
                       bool secrets, char **ret, struct error *error);
int libvirt_domain_start(virConnectPtr libvirt, const char *uuid, struct error *error);
int libvirt_domain_shut_down(virConnectPtr libvirt, const char *uuid, struct error *error);
int libvirt_domain_attach(virConnectPtr libvirt, const char *uuid, const char *device,
                          struct error *error);
int libvirt_domain_detach(virConnectPtr libvirt, const char *uuid, const char *alias,
                          struct error *error);
int libvirt_domain_set_annotation(virConnectPtr libvirt, const char *uuid, const char *annotation,
                                  struct error *error);

int libvirt_job_migrate(virConnectPtr libvirt, const char *uuid, const char *uri, const char *xml,
                        struct error *error);
int libvirt_job_save(virConnectPtr libvirt, const char *uuid, struct error *error);
int libvirt_job_progress(virConnectPtr libvirt, const char *uuid, struct connection_progress *ret,
                         struct error *error);
int libvirt_job_abort(virConnectPtr libvirt, const char *uuid, struct error *error);
