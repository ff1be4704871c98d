/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "capture/path-text.h"
#include "base/array.h"
#include "base/memory.h"
#include "device/nvidia-number.h"
#include "lease/ledger.h"
#include "placement/demand.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define UUID_LENGTH 36

/* --- what is no path -------------------------------------------------------------------------- */

char *
path_text_uuid(struct stand_ins *stand_ins, const char *text)
{
    struct name uuid;

    if (name_parse_uuid(&uuid, text) < 0)
        return stand_ins_use(stand_ins, STAND_IN_TEXT, text);
    if (!strcmp(uuid.text, LEASE_NOBODY))
        return memory_copy(uuid.text);
    return stand_ins_use(stand_ins, STAND_IN_UUID, uuid.text);
}

/* Whether it is a UUID as the kernel writes one. */
static bool
is_uuid(const char *text)
{
    struct name uuid;

    return strlen(text) == UUID_LENGTH && text[8] == '-' && text[13] == '-' &&
           name_parse_uuid(&uuid, text) == 0;
}

static bool
is_address(const char *text)
{
    struct name address;

    return name_parse_pci(&address, text) == 0;
}

char *
path_text_device(struct stand_ins *stand_ins, const char *name)
{
    if (is_uuid(name))
        return path_text_uuid(stand_ins, name);
    return stand_ins_use_unless(stand_ins,
                                is_address(name) || stand_ins_is_harmless(stand_ins, name),
                                STAND_IN_DEVICE, name);
}

char *
path_text_type(struct stand_ins *stand_ins, const char *name)
{
    static const enum stand_in lent[] = {STAND_IN_POOL, STAND_IN_PROFILE};
    const enum stand_in *kind;
    struct name id;

    if (stand_ins_is_harmless(stand_ins, name) ||
        (name_parse(&id, name) == 0 && nvidia_number(&id) > 0))
        return memory_copy(name);
    kind = ARRAY_FIND(lent, COUNT(lent), each, stand_ins_has(stand_ins, *each, name));
    return stand_ins_use(stand_ins, kind ? *kind : STAND_IN_TYPE, name);
}

/* Returns the length of a text without a number and its dash at the end. */
static size_t
length_without_number(const char *text)
{
    const char *dash = strrchr(text, '-');

    if (!dash || !dash[1] || strlen(dash) > 6 || strspn(dash + 1, "0123456789") < strlen(dash + 1))
        return strlen(text);
    return (size_t)(dash - text);
}

/* "small-2" is the class of that name, or the second device of the class "small". */
static char *
class_of_alias(struct stand_ins *stand_ins, const char *text)
{
    size_t length =
        stand_ins_has(stand_ins, STAND_IN_CLASS, text) ? strlen(text) : length_without_number(text);
    AUTO_FREE char *class = memory_copy_bytes(text, length);
    AUTO_FREE char *other = stand_ins_use(stand_ins, STAND_IN_CLASS, class);

    return memory_format(DEMAND_ALIAS_STEM "%s%s", other, text + length);
}

char *
path_text_alias(struct stand_ins *stand_ins, const char *alias)
{
    static const char users[] = "ua-";
    const bool is_users = !strncmp(alias, users, strlen(users));
    AUTO_FREE char *other = NULL;

    if (!strncmp(alias, "hostdev", strlen("hostdev")) && strlen(alias) < 12 &&
        strspn(alias + strlen("hostdev"), "0123456789") == strlen(alias) - strlen("hostdev"))
        return memory_copy(alias);
    if (!strncmp(alias, DEMAND_ALIAS_STEM, strlen(DEMAND_ALIAS_STEM)))
        return class_of_alias(stand_ins, alias + strlen(DEMAND_ALIAS_STEM));
    other = stand_ins_use(stand_ins, STAND_IN_ALIAS, alias + (is_users ? strlen(users) : 0));
    return memory_format("%s%s", is_users ? users : "", other);
}

/* QEMU may be called after its guest: "qemu:web01". */
char *
path_text_program(struct stand_ins *stand_ins, const char *name)
{
    static const char guests[] = "qemu:";
    const bool is_guests = !strncmp(name, guests, strlen(guests));
    AUTO_FREE char *other = NULL;

    if (stand_ins_is_harmless(stand_ins, name))
        return memory_copy(name);
    name += is_guests ? strlen(guests) : 0;
    other = stand_ins_use(
        stand_ins,
        stand_ins_has(stand_ins, STAND_IN_DOMAIN, name) ? STAND_IN_DOMAIN : STAND_IN_PROGRAM, name);
    return memory_format("%s%s", is_guests ? guests : "", other);
}

/* --- one name of a path ----------------------------------------------------------------------- */

/* Where a name stands: the two directories above it, and whether they are the kernel's. */
struct position {
    struct words above;
    bool is_kernels; /* numbers are devices, processes and descriptors there */
};

static const char *
above(const struct position *at, size_t steps)
{
    return steps <= at->above.count ? at->above.items[at->above.count - steps] : "";
}

static bool
ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length > tail && !strcmp(text + length - tail, end);
}

size_t
path_text_guest(const char *file)
{
    return ends_with(file, ".xml") ? strlen(file) - strlen(".xml") : 0;
}

/* "NAME.xml", a guest's. NULL: it is another file. */
static char *
guest_file(struct stand_ins *stand_ins, const char *name)
{
    const size_t length = path_text_guest(name);
    AUTO_FREE char *domain = memory_copy_bytes(name, length), *other = NULL;

    if (!length)
        return NULL;
    other = stand_ins_use(stand_ins, STAND_IN_DOMAIN, domain);
    return memory_format("%s.xml", other);
}

/* A script of libvirt's. doctor says whether it runs before our hook, and whether it looks like a
 * left-over copy. */
static char *
script(struct stand_ins *stand_ins, const char *name)
{
    static const struct {
        const char *pattern, *begin, *end;
    } forms[] = {
        {"*~", "", "~"},
        {"#*#", "#", "#"},
        {".*.sw?", ".", ".swp"},
        {"*.bak", "", ".bak"},
        {"*.orig", "", ".orig"},
        {"*.old", "", ".old"},
        {"*.dpkg-*", "", ".dpkg-old"},
        {"*.rpm*", "", ".rpmsave"},
        {"*.ucf-*", "", ".ucf-old"},
        {"*.pacnew", "", ".pacnew"},
        {"*", "", ""},
    };
    AUTO_FREE char *other = stand_ins_use(stand_ins, STAND_IN_FILE, name);
    size_t i = 0;

    if (stand_ins->keeps_names)
        return TAKE(other);
    while (fnmatch(forms[i].pattern, name, 0) != 0)
        i++;
    return memory_format("%s%s%s%s", forms[i].begin,
                         *forms[i].begin               ? ""
                         : strcmp(name, "50-vgpu") < 0 ? "10-"
                                                       : "90-",
                         other, forms[i].end);
}

/* A file in conf.d. It is read if it ends with ".conf" and does not begin with a dot. */
static char *
drop_in(struct stand_ins *stand_ins, const char *name)
{
    AUTO_FREE char *other = stand_ins_use(stand_ins, STAND_IN_FILE, name);

    if (stand_ins->keeps_names)
        return TAKE(other);
    return memory_format("%s%s%s", *name == '.' ? "." : "", other,
                         ends_with(name, ".conf") ? ".conf" : "");
}

/* Whether all words between dots are harmless, as in "prepare.ok". */
static bool
has_harmless_words(const struct stand_ins *stand_ins, const char *name)
{
    AUTO_FREE char *copy = memory_copy(name);
    char *rest = copy, *word;

    while ((word = strsep(&rest, "."))) {
        if (!stand_ins_is_harmless(stand_ins, word))
            return false;
    }
    return true;
}

/* Whether it is a name that the kernel gives, with a number: "12", "vfio3", "nvidia-222". */
static bool
is_numbered(const char *name)
{
    static const char *const stems[] = {"",   "gi",   "gpu",      "nvidia-", "node",
                                        "vf", "vfio", "vfio-dev", "virtfn"};
    struct name pci;
    size_t length = strlen(name), stem;
    unsigned domain, bus;
    int end = 0;

    if (sscanf(name, "pci%4x:%2x%n", &domain, &bus, &end) == 2 && name[end] == '\0' && end == 10)
        return true;
    for (stem = length; stem > 0 && isdigit((unsigned char)name[stem - 1]);)
        stem--;
    if (stem == length || length - stem > 10)
        return false;
    return ARRAY_HAS(stems, COUNT(stems), each,
                     strlen(*each) == stem && !strncmp(*each, name, stem)) ||
           name_parse_pci(&pci, name) == 0;
}

/* A UUID or an address with something of ours around it: "ADDRESS.former", "UUID.12345". NULL: it
 * is something else. */
static char *
decorated(struct stand_ins *stand_ins, const char *name)
{
    static const char unit[] = "libvirt-vgpu-sriov@";
    static const char *const ends[] = {"", ".former", ".type", ".service"};
    const bool is_unit = !strncmp(name, unit, strlen(unit));
    const char *dot, *begin = name + (is_unit ? strlen(unit) : 0);
    AUTO_FREE char *device = NULL, *other = NULL;

    /* A UUID has no dot; an address has one. */
    dot = strchr(begin, '.');
    if (dot && strchr(begin, ':') && strchr(begin, ':') < dot)
        dot = strchr(dot + 1, '.');
    device = memory_copy_bytes(begin, dot ? (size_t)(dot - begin) : strlen(begin));
    dot = dot ? dot : "";
    if (!is_address(device) && !is_uuid(device))
        return NULL;
    if (!ARRAY_HAS(ends, COUNT(ends), end, !strcmp(*end, dot)) &&
        (dot[1] == '\0' || strlen(dot) > 21 || strspn(dot + 1, "0123456789") != strlen(dot + 1)))
        return NULL;
    other = path_text_device(stand_ins, device);
    return memory_format("%s%s%s", is_unit ? unit : "", other, dot);
}

/* The link of a whole card (lease/whole-card.h): an address, a dot and a UUID. NULL: it is
 * something else. */
static char *
whole_card(struct stand_ins *stand_ins, const char *name)
{
    const char *dot = strrchr(name, '.');
    AUTO_FREE char *card = memory_copy_bytes(name, dot ? (size_t)(dot - name) : 0);
    AUTO_FREE char *domain = NULL;

    if (!dot || !is_address(card) || !is_uuid(dot + 1))
        return NULL;
    domain = path_text_device(stand_ins, dot + 1);
    return memory_format("%s.%s", card, domain);
}

static char *
rename_at(struct stand_ins *stand_ins, const struct position *at, const char *name)
{
    char *ret = NULL;

    if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
        return memory_copy(name);
    if (!strcmp(above(at, 1), "qemu") && !strcmp(above(at, 2), "libvirt"))
        ret = guest_file(stand_ins, name);
    if (!ret && stand_ins_is_harmless(stand_ins, name))
        ret = memory_copy(name);
    if (!ret && !strcmp(above(at, 1), "qemu.d"))
        ret = script(stand_ins, name);
    if (!ret && !strcmp(above(at, 1), "conf.d"))
        ret = drop_in(stand_ins, name);
    if (!ret && !strcmp(above(at, 1), "whole"))
        ret = whole_card(stand_ins, name);
    if (!ret)
        ret = decorated(stand_ins, name);
    if (!ret && (has_harmless_words(stand_ins, name) || (at->is_kernels && is_numbered(name))))
        ret = memory_copy(name);
    if (!ret)
        ret = stand_ins_use(stand_ins, strcmp(above(at, 1), "home") ? STAND_IN_FILE : STAND_IN_USER,
                            name);
    return ret;
}

/* --- paths ------------------------------------------------------------------------------------ */

/* Goes down into a directory, or up. */
static void
enter(struct position *at, const char *name)
{
    if (!strcmp(name, "..") && at->above.count)
        free(at->above.items[--at->above.count]);
    else if (*name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        words_add(&at->above, name);
    at->is_kernels = at->above.count &&
                     (!strcmp(at->above.items[0], "sys") || !strcmp(at->above.items[0], "proc") ||
                      !strcmp(at->above.items[0], "dev"));
}

static void
enter_all(struct position *at, const char *path)
{
    AUTO_FREE char *copy = memory_copy(path);
    char *rest = copy, *name;

    while ((name = strsep(&rest, "/")))
        enter(at, name);
}

char *
path_text(struct stand_ins *stand_ins, const char *directory, const char *path)
{
    struct position place = {.above = {0}};
    AUTO_FREE char *copy = memory_copy(path);
    char *rest = copy, *name, *ret = NULL;
    size_t length;
    FILE *out = memory_stream(&ret, &length);

    enter_all(&place, *path == '/' ? "" : directory);
    while ((name = strsep(&rest, "/"))) {
        AUTO_FREE char *other = rename_at(stand_ins, &place, name);

        fprintf(out, "%s%s", other, rest ? "/" : "");
        enter(&place, name);
    }
    memory_stream_end(out, &ret);
    words_clear(&place.above);
    return ret;
}
