/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* json: escapes, unknown values, and nesting. */

#include "cli/json.h"
#include "fake/unit.h"

#include <stdlib.h>

UNIT_TEST(all_of_it)
{
    static const char wanted[] = "{\n"
                                 "   \"a\\\"b\\\\c\": \"\\u001b[m\\u000a \xc3\xa4?\",\n"
                                 "   \"none\": null,\n"
                                 "   \"list\": [\n"
                                 "      {\n"
                                 "         \"zero\": 0,\n"
                                 "         \"most\": 9223372036854775807,\n"
                                 "         \"unknown\": null\n"
                                 "      },\n"
                                 "      {}\n"
                                 "   ],\n"
                                 "   \"empty\": [],\n"
                                 "   \"yes\": true,\n"
                                 "   \"no\": false\n"
                                 "}\n";
    AUTO_FREE char *text = NULL;
    size_t size;
    struct json json = {.out = open_memstream(&text, &size)};

    json_open(&json, NULL, '{');
    json_text(&json, "a\"b\\c", "\033[m\n \xc3\xa4\xc3");
    json_text(&json, "none", NULL);
    json_open(&json, "list", '[');
    json_open(&json, NULL, '{');
    json_number(&json, "zero", 0);
    json_number(&json, "most", INT64_MAX);
    json_number(&json, "unknown", -1);
    json_close(&json, '}');
    json_open(&json, NULL, '{');
    json_close(&json, '}');
    json_close(&json, ']');
    json_open(&json, "empty", '[');
    json_close(&json, ']');
    json_flag(&json, "yes", true);
    json_flag(&json, "no", false);
    json_close(&json, '}');
    fclose(json.out);
    assert_string_equal(text, wanted);
}
