/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* nvidia: the facts that the ids and names of types tell. */

#include "device/nvidia-number.h"
#include "device/vendor.h"
#include "fake/unit.h"

#include <stdio.h>
#include <string.h>

UNIT_TEST(numbers_of_types)
{
    static const struct {
        const char *id;
        unsigned number;
    } rows[] = {
        {"nvidia-1", 1},
        {"nvidia-222", 222},
        {"nvidia-999999999", 999999999},
        {"nvidia-9", 9},
        {"nvidia-1000000000", 0},
        {"nvidia-0", 0},
        {"nvidia-", 0},
        {"nvidia-01", 0},
        {"nvidia-2a", 0},
        {"nvidia--2", 0},
        {"nvidia- 2", 0},
        {"nvidia-:", 0},
        {"mvidia-222", 0},
        {"mtty-2", 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct name id = {0}, again;

        snprintf(id.text, sizeof(id.text), "%s", rows[i].id);
        assert_int_equal(nvidia_number(&id), rows[i].number);
        nvidia_number_id(rows[i].number, &again);
        if (rows[i].number)
            assert_string_equal(again.text, rows[i].id);
    }
}

UNIT_TEST(names_of_types)
{
    static const struct {
        const char *name;
        unsigned framebuffer, slices;
    } rows[] = {
        {"GRID T4-1B", 1024, 0},
        {"GRID T4-16Q", 16384, 0},
        {"NVIDIA RTX Pro 6000 Blackwell DC-2B", 2048, 0},
        {"NVIDIA L40S-2A", 2048, 0},
        {"L40S-48C", 49152, 0},
        {"GRID M60-0Q", 512, 0},
        {"RTX6000-Ada-9999Q", 9999 * 1024, 0},
        /* types of a GPU instance */
        {"A100-1-5C", 5120, 1},
        {"NVIDIA RTX Pro 6000 Blackwell DC-1-2Q", 2048, 1},
        {"GRID A100X-7-80C", 81920, 7},
        {"A-1234-5C", 5120, 1234},
        {"A-12345-5C", 5120, 0},
        {"A-x1-5C", 5120, 0},
        {"A 1-5C", 5120, 0},
        {"-1-5C", 5120, 1},
        /* no such name exists */
        {"GRID T4-1", 0, 0},
        {"GRID T4-1X", 0, 0},
        {"GRID T4-B", 0, 0},
        {"GRID T4", 0, 0},
        {"T4-1B small", 0, 0},
        {"", 0, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct inventory_type type = {.id = {"nvidia-222"}}, known = type, other = {.id = {"i915"}};

        snprintf(type.name, sizeof(type.name), "%s", rows[i].name);
        known = type;
        known.framebuffer = 77;
        memcpy(other.name, type.name, sizeof(other.name));
        vendor_describe(vendor_built_in, &type);
        if (type.framebuffer != rows[i].framebuffer || type.slices != rows[i].slices)
            fail_msg("%s: %u MiB, %u slices", rows[i].name, type.framebuffer, type.slices);
        /* The driver's own numbers (ctrla081.h). */
        assert_int_equal(type.ceiling, !type.framebuffer ? 0 : type.slices ? 12 : 32);
        vendor_describe(vendor_built_in, &known);
        assert_int_equal(known.framebuffer, 77);
        vendor_describe(vendor_built_in, &other);
        assert_int_equal(other.framebuffer, 0);
        assert_int_equal(other.slices, 0);
        assert_int_equal(other.ceiling, 0);
    }
}
