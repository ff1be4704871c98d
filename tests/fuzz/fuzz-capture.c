/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A capture stays the same when it is written and read again. It answers every question, and it can
 * be made public. */

#include "capture/card-facts.h"
#include "capture/playback.h"
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static char *
text_of(struct answers *answers)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    answers_write(answers, false, "fuzzed", out);
    fclose(out);
    return text;
}

/* Tries each operation with each path in the capture. */
static void
ask(const struct answer *answer, const struct host *host)
{
    AUTO(words_clear) struct words words = {0};
    struct stat status;
    char text[64];
    int fd = host->ops->open(host, answer->path, O_RDONLY, 0);

    if (fd >= 0)
        close(fd);
    MUST(host->ops->read(host, answer->path, text, sizeof(text)) <= (ssize_t)sizeof(text));
    MUST(host->ops->link(host, answer->path, text, sizeof(text)) < (ssize_t)sizeof(text));
    MUST(host->ops->label(host, answer->path, text, sizeof(text)) <= (ssize_t)sizeof(text));
    MUST(host->ops->list(host, answer->path, &words) <= 0);
    MUST(host->ops->status(host, answer->path, &status) <= 0);
    MUST(host->ops->write(host, answer->path, "1") == -EROFS);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct host host = {.config = "etc/libvirt-vgpu", .hook = "usr/sbin/hook"};
    AUTO(playback_clear) struct playback playback = {0};
    AUTO(answers_clear) struct answers again = {0}, public = {0};
    AUTO_FREE char *text = strndup((const char *)data, size), *written = NULL, *copy = NULL;
    AUTO_FREE char *rewritten = NULL, *left = NULL;
    struct error error = {0};

    if (playback_start(&playback, &host, text, &error) < 0) {
        MUST(strstr(error.text, "line ") || !strncmp(error.text, "it is ", 6));
        return 0;
    }
    written = text_of(&playback.answers);
    copy = strdup(written);
    MUST(answers_parse(copy, &again, &error) == 0);
    rewritten = text_of(&again);
    MUST(!strcmp(written, rewritten));
    for (size_t i = 0; i < playback.answers.count; i++)
        ask(playback.answers.items[i], &playback.host);
    card_facts_take(&again, &public);
    left = text_of(&public);
    MUST(answers_are(left));
    return 0;
}
