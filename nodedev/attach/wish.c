/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "attach/wish.h"
#include "attach/source-edit.h"
#include "base/choices.h"
#include "base/shell-word.h"
#include "base/text.h"
#include "cli/say.h"
#include "placement/demand.h"
#include "view/gpu-view.h"

#include <string.h>

/* --- the value of each option ----------------------------------------------------------------- */

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

/* Reads a word of a list whose first word is "" (base/choices.h). */
static int
read_choice(const struct options *options, enum option_key option, const char *const *words,
            const char **ret, struct error *error)
{
    const char *word = options->values[option];
    char all[64];
    struct text list = text_on(all, sizeof(all));

    *ret = word;
    if (!word || words_index(words + 1, word) >= 0)
        return 0;
    for (size_t i = 1; words[i]; i++)
        text_join(&list, ", ", "%s", words[i]);
    return error_refuse(error, ERROR_USAGE, "--%s %s is none of %s", option_rows[option].name, word,
                        all);
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
read_device(const struct command_call *call, struct domain_edit_device *ret, struct error *error)
{
    const struct options *options = &call->options;
    const char *parent = options->values[OPTION_PARENT];
    int rc;

    *ret = (struct domain_edit_device){
        .alias = options->values[OPTION_ALIAS],
        .type = options->values[OPTION_TYPE],
        .class = options->values[OPTION_CLASS],
        .traits = options->values[OPTION_TRAITS],
        .params = options->params,
        .param_count = options->param_count,
    };
    rc = read_choice(options, OPTION_PLACEMENT, choice_orders, &ret->placement, error);
    if (rc == 0)
        rc = read_choice(options, OPTION_NUMA, choice_numas, &ret->numa, error);
    if (rc == 0)
        rc = check_params(options, error);
    if (rc == 0)
        rc = read_uuid(options->values[OPTION_UUID], &ret->uuid, error);
    return rc == 0 && parent ? read_parent(call, parent, &ret->parent, error) : rc;
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
    return read_device(call, &ret->device, error);
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
is_same(const char *said, const char *wanted)
{
    return said && wanted ? !strcmp(said, wanted) : said == wanted;
}

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
    return is_same(device->type, wanted->type) && is_same(device->class, wanted->class) &&
           is_same(device->parent, *wanted->parent.text ? wanted->parent.text : NULL) &&
           is_same(device->order ? choice_orders[device->order] : NULL, wanted->placement) &&
           is_same(device->numa ? choice_numas[device->numa] : NULL, wanted->numa) &&
           is_same(device->traits, wanted->traits) && has_params(device, wanted);
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
