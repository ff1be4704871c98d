/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* table-xml: which elements are found, how a number and a text may be written, and which documents
 * are refused. */

#include "device/table-xml.h"
#include "fake/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fake/repeat.h"

/* What is found of a menu: for each dish its name, number and price. */
struct menu {
    char said[400];
};

static void FORMAT(2, 3) say(struct menu *menu, const char *format, ...)
{
    size_t length = strlen(menu->said);
    va_list args;

    va_start(args, format);
    vsnprintf(menu->said + length, sizeof(menu->said) - length, format, args);
    va_end(args);
}

static void
say_number(struct menu *menu, uint64_t number)
{
    if (number == TABLE_XML_ABSENT)
        say(menu, "-");
    else if (number == TABLE_XML_WRONG)
        say(menu, "!");
    else
        say(menu, "%llu", (unsigned long long)number);
}

static void
say_dish(struct menu *menu, const xmlNode *dish)
{
    char name[6];

    table_xml_text(dish, "name", name, sizeof(name));
    say(menu, "(%s ", name);
    say_number(menu, table_xml_number(dish, "n"));
    say(menu, " ");
    say_number(menu, table_xml_number_inside(dish, "price"));
    say(menu, ")");
}

static int
read_menu(const char *text, struct menu *menu, struct error *error)
{
    AUTO(document_clear) struct document document = {memory_copy(text), strlen(text)};
    AUTO(table_xml_free) xmlDoc *tree = NULL;
    int rc = table_xml_read(&document, "menu", &tree, error);
    const xmlNode *root = rc < 0 ? NULL : xmlDocGetRootElement(tree);

    *menu = (struct menu){0};
    for (const xmlNode *dish = NULL; root && (dish = table_xml_next(root, dish, "dish"));)
        say_dish(menu, dish);
    return rc;
}

static void
check_said(const char *text, const char *wanted)
{
    struct error error = {0};
    struct menu menu;

    if (read_menu(text, &menu, &error) < 0)
        fail_msg("%s\n%.1000s", error.text, text);
    if (strcmp(menu.said, wanted))
        fail_msg("%s, and not %s: %s", menu.said, wanted, text);
}

static void
check_refused(const char *text, const char *words)
{
    struct error error = {0};
    struct menu menu;

    assert_int_equal(read_menu(text, &menu, &error), -EINVAL);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" is not in: %s", words, error.text);
    assert_null(strchr(error.text, '\n'));
}

UNIT_TEST(which_elements)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"<menu/>", ""},
        {"<menu></menu>", ""},
        {"<menu><dish/></menu>", "( - -)"},
        {"<menu><dish></dish></menu>", "( - -)"},
        {"<menu><dish name='soup' n='1'><price>7</price></dish><dish/></menu>", "(soup 1 7)( - -)"},
        {"<menu><dish n='1' more='2'>hot<price of='x'>7</price>!</dish></menu>", "( 1 7)"},
        {"<menu><dish><price>7</price><price>8</price></dish></menu>", "( - 8)"},
        {"<menu><dish><price/></dish></menu>", "( - !)"},
        {"<menu><dish><price></price></dish></menu>", "( - !)"},
        /* In the wrong place. */
        {"<menu><other><dish/></other></menu>", ""},
        {"<menu><price>7</price><dish/></menu>", "( - -)"},
        {"<menu><dish><dish n='2'/></dish></menu>", "( - -)"},
        {"<menu><dish><x><price>7</price></x></dish></menu>", "( - -)"},
        {"<menu><dish><price>7<dish n='2'/></price></dish></menu>", "( - 7)"},
        {"<menu><dish><price>7<menu><dish/></menu></price></dish></menu>", "( - 7)"},
        {"<menu><menu><dish/></menu></menu>", ""},
        {"<menu><x:dish xmlns:x='x'/><dish x:n='2' xmlns:x='x'/></menu>", "( - -)"},
        {"<menu xmlns='x'><dish n='2'/></menu>", "( 2 -)"},
        /* What is no element. */
        {"<?xml version='1.0' encoding='UTF-8'?><!DOCTYPE menu><menu><!-- <dish/> --><?dish?>"
         "<![CDATA[<dish/>]]></menu><!-- -->",
         ""},
        {"\xef\xbb\xbf<menu><dish/></menu>", "( - -)"},
        {"<!DOCTYPE menu SYSTEM '/etc/passwd' []><menu/>", ""},
        {"<!DOCTYPE menu PUBLIC 'a' 'http://127.0.0.1:1/a'><menu/>", ""},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        check_said(rows[i].text, rows[i].wanted);
}

/* As an attribute, and as the text of an element. */
UNIT_TEST(numbers)
{
    static const struct {
        const char *number, *wanted;
    } rows[] = {
        {"0", "0"},
        {"16", "16"},
        {"010", "10"},
        {"0x1f", "31"},
        {"0X1F", "31"},
        {"0x01F", "31"},
        {" \t\n0x10\r ", "16"},
        {"18446744073709551613", "18446744073709551613"},
        {"0xfffffffffffffffd", "18446744073709551613"},
        {"18446744073709551614", "!"},
        {"18446744073709551615", "!"},
        {"18446744073709551616", "!"},
        {"0x10000000000000000", "!"},
        {"000000000000000000000000000001", "1"},
        {"", "!"},
        {" ", "!"},
        {"-1", "!"},
        {"+1", "!"},
        {"1.5", "!"},
        {"1 2", "!"},
        {"1k", "!"},
        {"a", "!"},
        {"0x", "!"},
        {"0xg", "!"},
        {"0x0x1", "!"},
        {"x1", "!"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *text = memory_format("<menu><dish n='%s'><price>%s</price></dish></menu>",
                                             rows[i].number, rows[i].number);
        AUTO_FREE char *wanted = memory_format("( %s %s)", rows[i].wanted, rows[i].wanted);

        check_said(text, wanted);
    }
    check_said("<menu><dish><price>1<!-- -->2<?x?>3</price></dish></menu>", "( - 123)");
    check_said("<menu><dish><price><![CDATA[12]]></price></dish></menu>", "( - 12)");
    check_said("<menu><dish><price>1<x>5</x>2</price></dish></menu>", "( - 12)");
    check_said("<menu><dish><price>&#x31;</price></dish></menu>", "( - 1)");
    /* A text has at most 31 bytes. */
    check_said("<menu><dish><price>0000000000000000000000000000001</price></dish></menu>",
               "( - 1)");
    check_said("<menu><dish><price>00000000000000000000000000000001</price></dish></menu>",
               "( - !)");
    check_said("<menu><dish><price>1<!-- -->0000000000000000000000000000000</price></dish></menu>",
               "( - !)");
    check_said("<menu><dish><price>00000000000000000000000000000001<!-- -->2</price></dish>"
               "<dish><price>3</price></dish></menu>",
               "( - !)( - 3)");
}

UNIT_TEST(texts)
{
    static const struct {
        const char *name, *wanted;
    } rows[] = {
        {"", ""},       {"a b", "a b"},   {"12345", "12345"}, {"123456", ""},
        {" ~", " ~"},   {"\xc3\xa4", ""}, {"a&#10;", ""},     {"&#x7f;", ""},
        {"&#x80;", ""}, {"&lt;", "<"},    {"a\tb", "a b"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *text = memory_format("<menu><dish name='%s'/></menu>", rows[i].name);
        AUTO_FREE char *wanted = memory_format("(%s - -)", rows[i].wanted);

        check_said(text, wanted);
    }
}

UNIT_TEST(what_is_refused)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", "it is empty"},
        {"menu", "line 1: "},
        {"<menu>", "line 1: "},
        {"\n<menu>\n<dish>\n</menu>", "line 4: Opening and ending tag mismatch"},
        {"<dish/>", "line 1: the root is <dish>, and not <menu>"},
        {"<menu/><menu/>", "line 1: Extra content"},
        {"<menu>\n<dish n='1' n='2'/></menu>", "line 2: Attribute n redefined"},
        {"<menu>\n\xff</menu>", "line 2: the byte 0xff is not UTF-8"},
        {"<?xml version='1.0' encoding='latin1'?><menu/>", "it declares encoding 'latin1'"},
        /* Entities are not expanded: declared here, or elsewhere, as parameters, as an attribute.
         */
        {"<!DOCTYPE menu [\n<!ENTITY e \"1\">]><menu/>", "it declares something itself"},
        {"<!DOCTYPE menu [<!ENTITY % e SYSTEM 'file:///etc/passwd'> %e;]><menu/>",
         "it declares something itself"},
        {"<!DOCTYPE menu [<!ATTLIST dish n CDATA '5'>]><menu><dish/></menu>",
         "it declares something itself"},
        {"<!DOCTYPE menu SYSTEM 'x'><menu>\n<dish><price>1&two;3</price></dish></menu>",
         "line 2: Entity 'two' not defined"},
        {"<!DOCTYPE menu SYSTEM 'x'><menu><dish name='1&two;3'/></menu>",
         "line 1: Entity 'two' not defined"},
        {"<menu>&two;</menu>", "line 1: Entity 'two' not defined"},
        {"<!DOCTYPE menu [%two;]><menu/>", "line 1: "},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        check_refused(rows[i].text, rows[i].words);
}

/* How much is enough, and what is too much. */
UNIT_TEST(bounds)
{
    static const struct {
        const char *before, *piece;
        unsigned most;
        const char *after, *words;
    } rows[] = {
        {"<menu><a", " a#=''", 1024, "/></menu>", "an element has more than 1024 attributes"},
        {"<menu>", "<a/>", 524286, "</menu>", "it has more than 524288 tags and attributes"},
        {"<menu>", "<a b=''/>", 262143, "</menu>", "it has more than 524288 tags and attributes"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_FREE char *most = repeat(rows[i].before, rows[i].piece, rows[i].most, rows[i].after);
        AUTO_FREE char *more =
            repeat(rows[i].before, rows[i].piece, rows[i].most + 1, rows[i].after);

        check_said(most, "");
        check_refused(more, rows[i].words);
    }
}

/* libxml2's own limits hold, too. */
UNIT_TEST(depth_and_length)
{
    AUTO_FREE char *deep = repeat("<menu>", "<a>", 100000, "");
    AUTO_FREE char *nested = repeat(deep, "</a>", 100000, "</menu>");
    AUTO_FREE char *text = repeat("<menu>", ".", 11 << 20, "</menu>");

    check_refused(nested, "line 1: ");
    check_refused(text, "line 1: ");
}
