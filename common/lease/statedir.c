/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lease/statedir.h"
#include "base/array.h"
#include "base/safe-open.h"
#include "lease/drained.h"
#include "lease/log.h"
#include "lease/proving.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define DIRECTORY   "run/libvirt-vgpu"
#define LEDGER_MOST (4 << 20)
#define REMEDY      "'vgpuctl reconcile --rebuild' makes another from what running guests have"

static int
read_boot_id(const struct host *host, char *buffer, size_t size, struct error *error)
{
    ssize_t length = host_read(host, buffer, size, "proc/sys/kernel/random/boot_id");

    if (length < 0)
        return error_set(error, (int)length, "cannot read the kernel's boot id: %s",
                         strerror((int)-length));
    return 0;
}

int
statedir_open(const struct host *host, bool make, struct statedir *ret, struct error *error)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;

    statedir.host = host;
    if (make && host_make_directory(host, DIRECTORY) < 0 && errno != EEXIST)
        return error_set(error, -errno, "cannot make /" DIRECTORY ": %m");
    if (make && host_make_directory(host, DIRECTORY "/released") < 0 && errno != EEXIST)
        return error_set(error, -errno, "cannot make /" DIRECTORY "/released: %m");
    statedir.dir = host_open(host, DIRECTORY, O_RDONLY | O_DIRECTORY, 0);
    if (statedir.dir < 0 && errno == ENOENT && !make)
        return -ENOENT;
    if (statedir.dir < 0)
        return error_set(error, -errno, "cannot open /" DIRECTORY ": %m");
    statedir.claims = openat(statedir.dir, "claims",
                             O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (statedir.claims < 0)
        return error_set(error, -errno, "cannot open /" DIRECTORY "/claims: %m");
    *ret = statedir;
    statedir = STATEDIR_CLOSED;
    return 0;
}

void
statedir_open_to_look(const struct host *host, struct statedir *ret)
{
    *ret = STATEDIR_CLOSED;
    ret->host = host;
    ret->dir = host_open(host, DIRECTORY, O_RDONLY | O_DIRECTORY, 0);
    if (ret->dir < 0)
        return;
    ret->claims = host_open(host, DIRECTORY "/claims", O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    ret->is_hidden = ret->claims < 0 && errno != ENOENT;
}

void
statedir_close(struct statedir *statedir)
{
    statedir_unlock(statedir);
    cleanup_close(&statedir->claims);
    cleanup_close(&statedir->dir);
    *statedir = STATEDIR_CLOSED;
}

/* Whether the name "lock" is still that of this open file. Somebody may have removed it. */
static bool
is_the_lock(int dir, int fd)
{
    struct stat ours, named;

    return fstat(fd, &ours) == 0 && fstatat(dir, "lock", &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

int
statedir_lock(struct statedir *statedir, struct deadline deadline, struct error *error)
{
    for (;;) {
        AUTO_CLOSE int fd = openat(statedir->dir, "lock",
                                   O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
        int rc;

        if (fd < 0)
            return error_set(error, -errno, "cannot open /" DIRECTORY "/lock: %m");
        rc = deadline_lock(deadline, fd);
        if (rc == -ETIMEDOUT)
            return error_set(error, rc,
                             "another process holds /" DIRECTORY "/lock: 'lslocks' names it");
        if (rc < 0)
            return error_set(error, rc, "cannot lock /" DIRECTORY "/lock: %s", strerror(-rc));
        if (is_the_lock(statedir->dir, fd)) {
            statedir->lock = TAKE_FD(fd);
            log_collect(statedir->host);
            return 0;
        }
    }
}

void
statedir_unlock(struct statedir *statedir)
{
    if (statedir->lock < 0)
        return;
    cleanup_close(&statedir->lock);
    statedir->lock = -1;
    log_send(statedir->host);
}

/* NULL and errno if the ledger cannot be read. ELOOP: it is a link, or no regular file. ENOMEM: see
 * base/memory.h. */
static char *
read_ledger(const struct host *host)
{
    AUTO_CLOSE int fd = host_open(host, DIRECTORY "/ledger", O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    AUTO_FREE char *text = NULL;
    struct stat status;
    ssize_t length;

    if (fd < 0 && errno == EOPNOTSUPP)
        errno = ELOOP;
    if (fd < 0 || fstat(fd, &status) < 0)
        return NULL;
    if (!S_ISREG(status.st_mode) || status.st_size > LEDGER_MOST) {
        errno = S_ISREG(status.st_mode) ? EFBIG : ELOOP;
        return NULL;
    }
    text = malloc((size_t)status.st_size + 1);
    if (!text)
        return NULL;
    length = read(fd, text, (size_t)status.st_size);
    if (length < 0)
        return NULL;
    text[length] = '\0';
    if (strlen(text) == (size_t)length)
        return TAKE(text);
    errno = EILSEQ;
    return NULL;
}

int
statedir_load_leases(const struct statedir *statedir, struct ledger *ret, struct error *error)
{
    AUTO_FREE char *text = read_ledger(statedir->host);
    char boot_id[64];
    int rc;

    *ret = (struct ledger){.next_claim = 1};
    if (!text && errno == ENOENT)
        return 0;
    if (!text && (errno == EILSEQ || errno == EFBIG || errno == ELOOP))
        return error_set(error, -EBADMSG, "/" DIRECTORY "/ledger: %s; " REMEDY,
                         errno == ELOOP ? "it is no regular file" : strerror(errno));
    if (!text)
        return error_set(error, -errno, "cannot read /" DIRECTORY "/ledger: %m");
    rc = read_boot_id(statedir->host, boot_id, sizeof(boot_id), error);
    if (rc == 0)
        rc = ledger_parse(text, boot_id, vgpu_interfaces(statedir->host), ret, error);
    if (rc == 0)
        return 0;
    error_wrap(error, "/" DIRECTORY "/ledger");
    if (rc == -EPROTONOSUPPORT)
        error_add(error, "install the libvirt-vgpu that wrote it, or else " REMEDY);
    else if (statedir_is_broken(rc))
        error_add(error, REMEDY);
    return rc;
}

int
statedir_load(const struct statedir *statedir, struct ledger *ret, struct error *error)
{
    int rc = statedir_load_leases(statedir, ret, error);

    proving_read(statedir->host, statedir->claims, &ret->proved);
    whole_cards_read(statedir->host, &ret->cards);
    ret->drained_rc = drained_read(statedir->host, &ret->drained);
    return rc;
}

int
statedir_look(const struct host *host, struct statedir *ret, struct error *error)
{
    statedir_open_to_look(host, ret);
    if (ret->dir < 0 && errno != ENOENT)
        return error_set(error, -errno, "cannot open /" DIRECTORY ": %m");
    return 0;
}

int
statedir_peek(const struct host *host, struct ledger *ret, struct error *error)
{
    AUTO(statedir_close) struct statedir statedir = STATEDIR_CLOSED;
    int rc = statedir_look(host, &statedir, error);

    *ret = (struct ledger){.next_claim = 1};
    if (rc == 0 && statedir.dir >= 0)
        return statedir_load(&statedir, ret, error);
    ret->drained_rc = drained_read(host, &ret->drained);
    return rc;
}

/* Only the holder of the lock writes, so the new file can always have the same name. */
int
statedir_store(const struct statedir *statedir, const struct ledger *ledger, struct error *error)
{
    AUTO_FREE char *text = NULL;
    AUTO_CLOSE int fd = -1;
    char boot_id[64];
    int rc = read_boot_id(statedir->host, boot_id, sizeof(boot_id), error);

    if (rc < 0)
        return rc;
    if (!is_the_lock(statedir->dir, statedir->lock))
        return error_set(error, -ESTALE,
                         "somebody has removed /" DIRECTORY "/lock while it was held, so the "
                         "ledger stays as it was; try again");
    text = ledger_format(ledger, boot_id);
    fd = safe_open_new(statedir->dir, "ledger.new", 0644);
    if (fd < 0)
        return error_set(error, -errno, "cannot write /" DIRECTORY "/ledger.new: %m");
    rc = fchmod(fd, 0644) < 0 ? -errno : safe_open_write(fd, text);
    if (rc == 0 && renameat(statedir->dir, "ledger.new", statedir->dir, "ledger") < 0)
        rc = -errno;
    if (rc < 0)
        return error_set(error, rc, "cannot write /" DIRECTORY "/ledger: %s", strerror(-rc));
    return 0;
}

bool
statedir_is_broken(int rc)
{
    return rc == -EBADMSG || rc == -EPROTONOSUPPORT;
}

int
statedir_set_aside(const struct statedir *statedir, struct path *ret, struct error *error)
{
    time_t now = time(NULL);
    struct tm broken;
    char when[32];
    int rc;

    strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &broken));
    rc = path_format(ret, "/" DIRECTORY "/ledger.broken-%s", when);
    if (rc == 0 && linkat(statedir->dir, "ledger", statedir->dir, strrchr(ret->text, '/') + 1, 0))
        rc = -errno;
    return rc < 0 ? error_set(error, rc, "cannot set the ledger aside as %s: %s", ret->text,
                              strerror(-rc))
                  : 0;
}

static struct flock
byte_of(uint64_t claim)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)claim, .l_len = 1};
}

/* A new number is never below the microseconds since the kernel booted. So even if the ledger was
 * lost, the microseconds of now are above the numbers of all leases. */
uint64_t
statedir_number_above(const struct host *host, const struct ledger *ledger)
{
    const uint64_t now = host->ops->now(host) / 1000 + 1;

    return ledger->next_claim > now ? ledger->next_claim : now;
}

uint64_t
statedir_take_number(const struct statedir *statedir, struct ledger *ledger)
{
    ledger->next_claim = statedir_number_above(statedir->host, ledger);
    return ledger->next_claim++;
}

/* The counter stays above our claim, even if the ledger was deleted, or not stored since. */
int
statedir_claim(struct statedir *statedir, struct ledger *ledger, struct error *error)
{
    if (statedir->claim && ledger->next_claim <= statedir->claim)
        ledger->next_claim = statedir->claim + 1;
    while (!statedir->claim) {
        uint64_t number = statedir_take_number(statedir, ledger);
        struct flock byte = byte_of(number);

        if (fcntl(statedir->claims, F_OFD_SETLK, &byte) == 0)
            statedir->claim = number;
        else if (errno != EAGAIN && errno != EACCES)
            return error_set(error, -errno, "cannot lock /" DIRECTORY "/claims: %m");
    }
    return 0;
}

bool
statedir_is_claimed(const struct statedir *statedir, const struct lease *lease)
{
    const struct host *host = statedir->host;

    if (lease->claim == 0 || lease->claim == statedir->claim)
        return false;
    return statedir->is_hidden ? lease->state == LEASE_PENDING || lease->state == LEASE_REMOVING
                               : statedir->claims >= 0 &&
                                     host->ops->is_locked(host, statedir->claims, lease->claim);
}

bool
statedir_is_unsure(const struct statedir *statedir, const struct ledger *ledger)
{
    return statedir->is_hidden &&
           ARRAY_HAS(ledger->leases, ledger->count, lease,
                     lease->state == LEASE_PENDING || lease->state == LEASE_REMOVING ||
                         lease->state == LEASE_LEAVING);
}
