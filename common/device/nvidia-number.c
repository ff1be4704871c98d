/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "device/nvidia-number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEM "nvidia-"

static unsigned
read_digits(const char *digits)
{
    if (*digits < '1' || *digits > '9' || strlen(digits) > 9 ||
        strspn(digits, "0123456789") != strlen(digits))
        return 0;
    return (unsigned)strtoul(digits, NULL, 10);
}

unsigned
nvidia_number(const struct name *id)
{
    return strncmp(id->text, STEM, strlen(STEM)) ? 0 : read_digits(id->text + strlen(STEM));
}

void
nvidia_number_id(unsigned number, struct name *ret)
{
    *ret = (struct name){0};
    snprintf(ret->text, sizeof(ret->text), STEM "%u", number);
}

unsigned
nvidia_number_of_directory(const char *directory)
{
    const char *dash = strrchr(directory, '-');

    return dash ? read_digits(dash + 1) : 0;
}

unsigned
nvidia_number_of_word(const char *word)
{
    static const char *const stems[] = {"", STEM, "vfio-pci-"};
    unsigned number = 0;

    for (size_t i = 0; i < COUNT(stems) && !number; i++) {
        if (!strncmp(word, stems[i], strlen(stems[i])))
            number = read_digits(word + strlen(stems[i]));
    }
    return number;
}
