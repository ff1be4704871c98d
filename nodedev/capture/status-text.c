/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/status-text.h"

#include <stdio.h>
#include <string.h>

#define NOBODY 65534 /* neither root nor this user, unless this user is nobody */

static const char *
owner_word(uid_t uid)
{
    return uid == 0 ? "root" : uid == geteuid() ? "us" : "other";
}

static uid_t
owner_of(const char *word)
{
    if (!strcmp(word, "root"))
        return 0;
    if (!strcmp(word, "us"))
        return geteuid();
    return geteuid() == NOBODY ? NOBODY - 1 : NOBODY;
}

struct status_text
status_text_of(const struct stat *status)
{
    struct status_text ret;

    snprintf(ret.text, sizeof(ret.text), "%o %s %lld %lld.%09ld %lld.%09ld %llx:%llx",
             (unsigned)status->st_mode, owner_word(status->st_uid), (long long)status->st_size,
             (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec,
             (long long)status->st_ctim.tv_sec, status->st_ctim.tv_nsec,
             (unsigned long long)status->st_dev, (unsigned long long)status->st_ino);
    return ret;
}

bool
status_text_parse(const char *text, struct stat *ret)
{
    unsigned long long device, inode;
    long long size, modified, changed;
    unsigned mode;
    char owner[8];

    *ret = (struct stat){0};
    if (sscanf(text, "%o %7s %lld %lld.%9ld %lld.%9ld %llx:%llx", &mode, owner, &size, &modified,
               &ret->st_mtim.tv_nsec, &changed, &ret->st_ctim.tv_nsec, &device, &inode) != 9)
        return false;
    ret->st_mode = (mode_t)mode;
    ret->st_uid = owner_of(owner);
    ret->st_size = (off_t)size;
    ret->st_mtim.tv_sec = (time_t)modified;
    ret->st_ctim.tv_sec = (time_t)changed;
    ret->st_dev = (dev_t)device;
    ret->st_ino = (ino_t)inode;
    return true;
}
