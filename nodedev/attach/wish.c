/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/wish.h"
#include "attach/source-edit.h"
#include "base/shell-word.h"
#include "base/text.h"
#include "cli/say.h"
#include "placement/demand.h"
#include "view/gpu-view.h"

#include <string.h>

/* --- the value of each option ----------------------------------------------------------------- */

/* The option of each attribute. */
static const enum option_key options_of[ATTRIBUTES] = {
    [ATTRIBUTE_CLASS] = OPTION_CLASS,   [ATTRIBUTE_TYPE] = OPTION_TYPE,
    [ATTRIBUTE_PARENT] = OPTION_PARENT, [ATTRIBUTE_PLACEMENT] = OPTION_PLACEMENT,
    [ATTRIBUTE_NUMA] = OPTION_NUMA,     [ATTRIBUTE_TRAITS] = OPTION_TRAITS,
};

/* Reads a GPU's address. Only a short one has to be a GPU of this host: the domain may be for
 * another host. */
static int
read_parent(const struct command_call *call, const char *word, struct name *ret,
            struct error *error)
{
    AUTO(snapshot_clear) struct snapshot snapshot = {0};
    const struct inventory_gpu *gpu;
    int rc;

    if (name_parse_address(ret, word) == 0)
        return 0;
    rc = snapshot_take_to_show(&snapshot, call->host, &inventory_no_types, error);
    if (rc == 0)
        rc = gpu_view_find(&snapshot, call->host, word, &gpu, error);
    if (rc == 0)
        *ret = gpu->name;
    return rc;
}

/* Reads an attribute that takes any text, or one of its words. The first of these is "". */
static int
read_attribute(const char *value, enum attribute attribute, struct attributes *ret,
               struct error *error)
{
    const char *const *words = attribute_words[attribute];
    int index = words && value ? words_index(words + 1, value) : -1;
    char all[64];
    struct text list = text_on(all, sizeof(all));

    if (!words)
        ret->said[attribute] = (char *)value;
    else
        ret->chosen[attribute] = (unsigned)(index + 1);
    if (!words || !value || index >= 0)
        return 0;
    for (size_t i = 1; words[i]; i++)
        text_join(&list, ", ", "%s", words[i]);
    return error_refuse(error, ERROR_USAGE, "--%s %s is none of %s",
                        option_rows[options_of[attribute]].name, value, all);
}

static int
check_params(const struct options *options, struct error *error)
{
    for (size_t i = 0; i < options->param_count; i++) {
        const char *param = options->params[i], *sign = strchr(param, '=');

        if (!sign || sign == param || !sign[1])
            return error_refuse(error, ERROR_USAGE,
                                "--param %s: write NAME=VALUE, as frame_rate_limiter=0", param);
    }
    return 0;
}

static int
read_uuid(const char *word, struct name *ret, struct error *error)
{
    if (!word || name_parse_uuid(ret, word) == 0)
        return 0;
    return error_refuse(error, ERROR_USAGE, "--uuid %s: that is no UUID; uuidgen makes one", word);
}

static int
read_device(const struct command_call *call, struct wish *ret, struct error *error)
{
    const struct options *options = &call->options;
    struct domain_edit_device *device = &ret->device;
    int rc = 0;

    *device = (struct domain_edit_device){
        .alias = options->values[OPTION_ALIAS],
        .params = options->params,
        .param_count = options->param_count,
    };
    for (enum attribute i = 0; i < ATTRIBUTES && rc == 0; i++)
        rc = read_attribute(options->values[options_of[i]], i, &device->attributes, error);
    if (rc == 0)
        rc = check_params(options, error);
    if (rc == 0)
        rc = read_uuid(options->values[OPTION_UUID], &device->uuid, error);
    if (rc < 0 || !option_given(options, OPTION_PARENT))
        return rc;
    device->attributes.said[ATTRIBUTE_PARENT] = ret->parent.text;
    return read_parent(call, options->values[OPTION_PARENT], &ret->parent, error);
}

/* --- all of them together --------------------------------------------------------------------- */

/* Options that mean one device, and those that mean nothing without a type or a class. */
static const struct {
    enum option_key option;
    const char *alone; /* why it takes no --count; NULL: it takes one */
} rows[] = {
    {OPTION_PARENT, NULL},
    {OPTION_PLACEMENT, NULL},
    {OPTION_NUMA, NULL},
    {OPTION_TRAITS, NULL},
    {OPTION_PARAM, NULL},
    {OPTION_ALIAS, "one --alias is the name of one device: it takes no --count"},
    {OPTION_UUID, "one --uuid is that of one device: it takes no --count"},
    {OPTION_COUNT, NULL},
    {OPTION_DISPLAY, "QEMU takes one vGPU with a display: --display takes no --count"},
};

static int
check_together(const struct options *options, unsigned count, struct error *error)
{
    bool has_type = option_given(options, OPTION_TYPE),
         has_class = option_given(options, OPTION_CLASS);

    if (has_type && has_class)
        return error_refuse(error, ERROR_USAGE, "either --type or --class, please");
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *name = option_rows[rows[i].option].name;

        if (!option_given(options, rows[i].option))
            continue;
        if (!has_type && !has_class)
            return error_refuse(error, ERROR_USAGE, "--%s is for --type or --class", name);
        if (rows[i].alone && count > 1)
            return error_refuse(error, ERROR_USAGE, "%s", rows[i].alone);
    }
    return 0;
}

int
wish_read(const struct command_call *call, struct wish *ret, struct error *error)
{
    const struct options *options = &call->options;
    unsigned seconds;
    int rc;

    *ret = (struct wish){.display = option_given(options, OPTION_DISPLAY)};
    rc = options_number(options, OPTION_COUNT, 1, WISH_MOST, 1, &ret->count, error);
    if (rc == 0)
        rc = options_timeout(options, &seconds, error);
    if (rc == 0)
        rc = check_together(options, ret->count, error);
    if (rc < 0)
        return rc;
    ret->timeout = seconds * 1000;
    if (!option_given(options, OPTION_TYPE) && !option_given(options, OPTION_CLASS))
        ret->count = 0;
    return read_device(call, ret, error);
}

static void
print_option(enum option_key option, const char *value, FILE *out)
{
    say_part(out, " --%s%s%s", option_rows[option].name, *value ? " " : "",
             *value ? shell_word(value).text : "");
}

void
wish_print(const struct options *options, FILE *out)
{
    static const enum option_key kinds[] = {OPTION_TYPE, OPTION_CLASS};

    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (option_given(options, kinds[i]))
            print_option(kinds[i], options->values[kinds[i]], out);
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (option_given(options, rows[i].option) && rows[i].option != OPTION_PARAM)
            print_option(rows[i].option, options->values[rows[i].option], out);
    }
    for (size_t i = 0; i < options->param_count; i++)
        print_option(OPTION_PARAM, options->params[i], out);
}

/* --- compared with a domain ------------------------------------------------------------------- */

static bool
has_params(const struct request_device *device, const struct domain_edit_device *wanted)
{
    if (device->param_count != wanted->param_count)
        return false;
    for (size_t i = 0; i < wanted->param_count; i++) {
        const struct request_param *param = &device->params[i];
        const size_t length = strlen(param->name);

        if (strncmp(wanted->params[i], param->name, length) || wanted->params[i][length] != '=' ||
            strcmp(wanted->params[i] + length + 1, param->value) != 0)
            return false;
    }
    return true;
}

static bool
is_as_wished(const struct request_device *device, const struct domain_edit_device *wanted)
{
    return attributes_equal(&device->attributes, &wanted->attributes) && has_params(device, wanted);
}

int
wish_compare(const struct domain_source *source, const struct wish *wish,
             struct wish_difference *ret, struct error *error)
{
    AUTO(domain_edit_end) struct domain_edit edit = {0};
    const struct request *request = &edit.request;
    int rc = source_edit_start(source,
                               source->meant[CONNECTION_LIVE] ? CONNECTION_LIVE : CONNECTION_CONFIG,
                               false, &edit, error);

    *ret = (struct wish_difference){.missing = wish->count};
    for (size_t i = 0; rc == 0 && i < request->hostdev_count; i++) {
        const struct request_hostdev *hostdev = &request->hostdevs[i];
        bool has_device = hostdev->device != SIZE_MAX;

        if (!demand_is_explicit(hostdev))
            continue;
        if (ret->missing && has_device &&
            is_as_wished(&request->devices[hostdev->device], &wish->device))
            ret->missing--;
        else
            words_add(&ret->too_many, hostdev->alias ? hostdev->alias : hostdev->source.text);
    }
    return rc;
}

void
wish_difference_clear(struct wish_difference *difference)
{
    words_clear(&difference->too_many);
}
