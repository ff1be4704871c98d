/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/libvirt-library.h"

#include <stdio.h>
#include <string.h>

/* Returns the class of libvirt's last error, or `otherwise` if libvirt tells none. The kernel may
 * deny the access as well, at libvirt's socket. */
static enum error_class
class_of_last(enum error_class otherwise)
{
    const virError *last = virGetLastError();

    switch (last ? last->code : VIR_ERR_OK) {
    case VIR_ERR_ACCESS_DENIED:
    case VIR_ERR_AUTH_CANCELLED:
    case VIR_ERR_AUTH_FAILED:
    case VIR_ERR_AUTH_UNAVAILABLE:
        return ERROR_DENIED;
    case VIR_ERR_SYSTEM_ERROR:
        return last->int1 == EACCES ? ERROR_DENIED : otherwise;
    case VIR_ERR_NO_DOMAIN:
        return ERROR_NO_DOMAIN;
    default:
        return otherwise;
    }
}

int
libvirt_fail(struct error *error, int code, const char *format, ...)
{
    const char *why = virGetLastErrorMessage();
    size_t length = strlen(why);
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    /* What a hook said ends with a line feed. */
    while (length > 0 && why[length - 1] == '\n')
        length--;
    error_set(error, code, "%s: %.*s", text, (int)length, why);
    error->class = class_of_last(error->class);
    return code;
}

void
libvirt_free_domain(virDomainPtr *domain)
{
    if (*domain)
        virDomainFree(*domain);
}

void
domain_list_clear(struct domain_list *list)
{
    for (int i = 0; i < list->count; i++)
        virDomainFree(list->items[i]);
    free(list->items);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(virDomainGetName(*(const virDomainPtr *)a),
                  virDomainGetName(*(const virDomainPtr *)b));
}

int
domain_list_get(virConnectPtr libvirt, unsigned flags, struct domain_list *ret, struct error *error)
{
    ret->count = virConnectListAllDomains(libvirt, &ret->items, flags);
    if (ret->count < 0)
        return libvirt_fail(error, -EIO, "cannot list the domains");
    if (ret->count > 1)
        qsort(ret->items, (size_t)ret->count, sizeof(ret->items[0]), by_name);
    return 0;
}

virDomainPtr
libvirt_domain_by_uuid(virConnectPtr libvirt, const char *uuid, struct error *error)
{
    virDomainPtr domain = virDomainLookupByUUIDString(libvirt, uuid);

    if (!domain)
        libvirt_fail(error, -EIO, "the domain %s", uuid);
    return domain;
}
