/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * model-host: a model as a host that the hook works on: a machine of the fake kernel, a vgpu.conf,
 * and the XML of a guest with the wishes.
 *
 * A quota for "ci-*" is one for guests whose numbers begin with 1, 2 or 3, one for "web-*" for 4, 5
 * and 6. With `ids`, types are called by them, so that hardly a name need be read. The caller frees
 * what each returns.
 */

#pragma once

#include "placement/model.h"

/* The device of a thing has this number and that of the thing. */
#define MODEL_HOST_THING 100

/* Without the things. */
char *model_host_machine(const struct model *model);

/* `head` are its first lines. */
char *model_host_configuration(const struct model *model, bool ids, const char *head);

/* The devices of new mediated devices are numbered from `device` on. */
char *model_host_request(const struct model *model, bool ids, unsigned guest, unsigned device);
