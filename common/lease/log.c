/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/log.h"

#include <syslog.h>

/* People choose names: nothing in a name may look like another word or another line. */
static const char *
one_word(const char *text, char *buffer, size_t size)
{
    size_t i = 0;

    for (; i < size - 1 && text[i]; i++)
        buffer[i] =
            (unsigned char)text[i] <= ' ' || text[i] == '=' || text[i] == 0x7f ? '_' : text[i];
    buffer[i] = '\0';
    return buffer;
}

void
log_lease(const char *event, const struct lease *lease, const char *result)
{
    char domain[256];

    syslog(LOG_DAEMON | LOG_INFO,
           "domain=%s uuid=%s event=%s device=%s type=%s parent=%s gpu=%s origin=%s result=%s",
           one_word(lease->domain_name, domain, sizeof(domain)), lease->domain.text, event,
           lease->vgpu.device.text, lease->vgpu.type.text, lease->vgpu.parent.text, lease->gpu.text,
           lease->origin == LEASE_MADE ? "made" : "found", result);
}

void
log_renamed(const char *domain_name, const struct name *domain, const struct name *old,
            const struct name *new)
{
    char word[256];

    syslog(LOG_DAEMON | LOG_INFO, "domain=%s uuid=%s event=incoming device=%s result=renamed to %s",
           one_word(domain_name, word, sizeof(word)), domain->text, old->text, new->text);
}

void
log_failure(const char *event, const char *domain, const struct error *error)
{
    char word[256];

    syslog(LOG_DAEMON | LOG_WARNING, "domain=%s event=%s result=failed: %s",
           one_word(domain, word, sizeof(word)), event, error->text);
}
