/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "evacuate/evacuation-record.h"
#include "base/array.h"
#include "base/durable.h"

#include <string.h>

#define DIRECTORY "var/lib/libvirt-vgpu/evacuated"
#define MOST      65536 /* bytes of a record */

int
evacuation_record_write(const struct host *host, const struct evacuation_move *move,
                        struct error *error)
{
    AUTO_FREE char *text = evacuation_moves_format(move, 1);
    int rc = durable_write(host, DIRECTORY, move->domain.text, text);

    return rc < 0 ? error_set(error, rc, "cannot write /" DIRECTORY "/%s: %s", move->domain.text,
                              strerror(-rc))
                  : 0;
}

int
evacuation_record_remove(const struct host *host, const struct name *domain, struct error *error)
{
    int rc = durable_remove(host, DIRECTORY, domain->text, error);

    return rc < 0 ? rc : 0;
}

/* The file of a guest has the move of that guest, and no other. */
static int
read_one(const struct host *host, const struct name *domain, struct evacuation_moves *ret,
         struct error *error)
{
    AUTO(evacuation_moves_clear) struct evacuation_moves moves = {0};
    AUTO_FREE char *text = memory_zeroed(1, MOST);
    char file[256];
    ssize_t length = host_read(host, text, MOST, DIRECTORY "/%s", domain->text);
    int rc;

    snprintf(file, sizeof(file), "/" DIRECTORY "/%s", domain->text);
    if (length == -ENOENT)
        return 0;
    if (length < 0)
        return error_set(error, (int)length, "%s: %s", file, strerror((int)-length));
    rc = evacuation_moves_parse(text, file, &moves, error);
    if (rc < 0)
        return rc;
    if (moves.count != 1 || !name_equal(&moves.items[0].domain, domain))
        return error_set(error, -EINVAL, "%s: it is not the move of that guest alone", file);
    ARRAY_ADD(ret->items, ret->count, moves.items[0]);
    moves.count = 0;
    return 0;
}

int
evacuation_record_read_all(const struct host *host, struct evacuation_moves *ret,
                           struct error *error)
{
    AUTO(names_clear) struct names files = {0};
    struct error fault;
    int rc = host_list(host, &files, "%s", DIRECTORY);

    *ret = (struct evacuation_moves){0};
    if (rc == -ENOENT)
        return 0;
    if (rc < 0)
        return error_set(error, rc, "cannot tell which guests are away: /" DIRECTORY ": %s",
                         strerror(-rc));
    *error = (struct error){0};
    for (size_t i = 0; i < files.count; i++) {
        struct name domain;

        if (name_parse_uuid(&domain, files.items[i].text) < 0)
            continue;
        if (read_one(host, &domain, ret, &fault) < 0) {
            error_add(error, "%s", fault.text);
            rc = -EINVAL;
        }
    }
    if (rc < 0)
        error_advise(error, "remove the file, and its guest counts as at home");
    return rc;
}
