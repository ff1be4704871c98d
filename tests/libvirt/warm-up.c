/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "libvirt/warm-up.h"
#include "fake/fake-kernel.h"
#include "fake/scene.h"
#include "fake/unit.h"
#include "libvirt/connection.h"

#include <stdio.h>

static int
ignore(void *data, const char *word)
{
    return 0;
}

int
warm_up_connection(void **state)
{
    AUTO(connection_close) struct connection *connection = NULL;
    AUTO_FREE char *uri = NULL;
    const struct host host = {.root = -1, .ops = &host_kernel, .module = fake_module()};
    struct error error;

    assert_true(asprintf(&uri, "test://%s/tests/data/t4-host.xml", scene_sources()) > 0);
    assert_int_equal(connection_open(&host, uri, CONNECTION_READ, &connection, &error), 0);
    assert_int_equal(connection_tell(connection, CONNECTION_ALL, ignore, NULL, &error), 0);
    return scene_go_to_sources(state);
}
