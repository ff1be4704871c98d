/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * model-host: a model as a host for the hook. It is a machine of the fake kernel, a vgpu.conf, and
 * the XML of a guest with the wishes.
 *
 * A quota for "ci-*" applies to guests whose numbers begin with 1, 2 or 3. A quota for "web-*"
 * applies to 4, 5 and 6. With `ids`, requests name types by their ids. So the hook reads hardly any
 * name. The caller frees the results of all functions.
 */

#pragma once

#include "placement/model.h"

/* The device of a thing has this number plus the thing's number. */
#define MODEL_HOST_THING 100

/* The machine without the things. */
char *model_host_machine(const struct model *model);

/* `head` has the first lines of the file. */
char *model_host_configuration(const struct model *model, bool ids, const char *head);

/* New mediated devices have numbers from `device` on. */
char *model_host_request(const struct model *model, bool ids, unsigned guest, unsigned device);
