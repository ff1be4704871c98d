/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "domain/parsed.h"
#include "domain/request-parser.h"

#include <string.h>
#include <sys/mman.h>

int
parsed_read_all(struct parsed *parsed, int fd)
{
    int rc =
        (document_clear(&parsed->document), document_read(&(const struct host){.ops = &host_kernel},
                                                          fd, &parsed->document, &parsed->error));

    return rc < 0 ? rc : request_parse(&parsed->document, &parsed->request, &parsed->error);
}

int
parsed_read_bytes(struct parsed *parsed, const char *bytes, size_t length)
{
    AUTO_CLOSE int fd = memfd_create("test-request", MFD_CLOEXEC);

    request_clear(&parsed->request);
    parsed->error.text[0] = '\0';
    assert_int_equal(write(fd, bytes, length), length);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return parsed_read_all(parsed, fd);
}

int
parsed_read(struct parsed *parsed, const char *text)
{
    return parsed_read_bytes(parsed, text, strlen(text));
}

void
parsed_assert(struct parsed *parsed, const char *text)
{
    if (parsed_read(parsed, text) < 0 || request_check(&parsed->request, &parsed->error) < 0)
        fail_msg("%s in: %.2000s", parsed->error.text, text);
}

int
parsed_set_up(void **state)
{
    static struct parsed parsed;

    parsed = (struct parsed){0};
    *state = &parsed;
    return 0;
}

int
parsed_tear_down(void **state)
{
    struct parsed *parsed = *state;

    request_clear(&parsed->request);
    document_clear(&parsed->document);
    return 0;
}
