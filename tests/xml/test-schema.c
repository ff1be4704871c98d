/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* vgpu-request.rng and the hook's parser agree on every request. */

#include "base/host.h"
#include "domain/request-parser.h"
#include "xml/xml-tree.h"
#include "fake/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <libxml/relaxng.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static xmlRelaxNGPtr rules;

static void
say_nothing(void *data, const char *format, ...)
{
}

static int
setup(void **state)
{
    const char *top = getenv("srcdir");
    AUTO_FREE char *path = NULL;
    xmlRelaxNGParserCtxtPtr parser;

    if (asprintf(&path, "%s/config/vgpu-request.rng", top ? top : ".") < 0)
        return -1;
    parser = xmlRelaxNGNewParserCtxt(path);
    rules = parser ? xmlRelaxNGParse(parser) : NULL;
    xmlRelaxNGFreeParserCtxt(parser);
    return rules ? 0 : -1;
}

static int
teardown(void **state)
{
    xmlRelaxNGFree(rules);
    return 0;
}

/* Does the schema accept one request? The schema judges a whole document, so it gets one. */
static bool
takes_request(xmlNodePtr request)
{
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlRelaxNGValidCtxtPtr validator = xmlRelaxNGNewValidCtxt(rules);
    bool taken;

    assert_non_null(document);
    assert_non_null(validator);
    xmlDocSetRootElement(document, xmlDocCopyNode(request, document, 1));
    xmlRelaxNGSetValidErrors(validator, say_nothing, say_nothing, NULL);
    taken = xmlRelaxNGValidateDoc(validator, document) == 0;
    xmlRelaxNGFreeValidCtxt(validator);
    xmlFreeDoc(document);
    return taken;
}

/* Does the schema accept all requests of a domain? There may be none. */
static bool
schema_accepts(const struct document *document)
{
    xmlDocPtr tree = xml_tree_read(document);
    xmlNodePtr root = tree ? xmlDocGetRootElement(tree) : NULL, part = NULL, request = NULL;
    bool accepts = true;

    while (root && (part = xml_tree_next(root, part, "metadata", NULL))) {
        while ((request = xml_tree_next(part, request, "request", REQUEST_NAMESPACE)))
            accepts = takes_request(request) && accepts;
    }
    xmlFreeDoc(tree);
    return accepts;
}

/* --- the corpus ------------------------------------------------------------------------------- */

/* Only the parser can see these faults, because they are outside of the element, or between
 * elements. */
static const char *const beyond[] = {
    "bad-function-without-alias", "bad-hostdev-without-uuid", "bad-names-none",
    "bad-newer-hostdev",          "bad-newer-namespace",      "bad-no-uuid",
    "bad-two-name-one",           "bad-two-requests",
};

static bool
is_beyond(const char *name)
{
    for (size_t i = 0; i < COUNT(beyond); i++) {
        if (!strcmp(beyond[i], name))
            return true;
    }
    return false;
}

static void
compare_file(int directory, const char *name)
{
    AUTO_CLOSE int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    AUTO(document_clear) struct document document = {0};
    AUTO(request_clear) struct request request = {0};
    struct error error = {0};
    bool good, accepts;

    assert_true(fd >= 0);
    assert_int_equal(
        document_read(&(const struct host){.ops = &host_kernel}, fd, &document, &error), 0);
    good = request_parse(&document, &request, &error) == 0;
    /* The schema does not judge a document that is no domain XML. */
    if (!good && !is_beyond(name))
        return;
    accepts = schema_accepts(&document);
    good = good && !*request.fault.text;
    if (is_beyond(name) ? good || !accepts : good != accepts)
        fail_msg("%s: the parser says \"%s\", and the schema %s it", name, request.fault.text,
                 accepts ? "accepts" : "refuses");
}

UNIT_PROGRAM(setup, teardown)

UNIT_TEST(corpus)
{
    const char *top = getenv("srcdir");
    AUTO_FREE char *path = NULL;
    unsigned files = 0;
    DIR *directory;

    assert_true(asprintf(&path, "%s/tests/corpus/request", top ? top : ".") > 0);
    directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (*entry->d_name == '.')
            continue;
        compare_file(dirfd(directory), entry->d_name);
        files++;
    }
    closedir(directory);
    assert_true(files > 20);
}

/* --- requests of one device ------------------------------------------------------------------- */

#define DEVICE "dddddddd-0000-4000-8000-000000000001"

/* Compares the two, and returns their common verdict. */
static bool
both_accept(const char *content)
{
    AUTO(request_clear) struct request request = {0};
    AUTO_FREE char *text = NULL;
    struct document document;
    struct error error = {0};
    bool schema_says, parser_says;

    assert_true(asprintf(&text,
                         "<domain xmlns:vgpu='" REQUEST_NAMESPACE "'><uuid>" DEVICE
                         "</uuid><metadata><vgpu:request>%s</vgpu:request></metadata><devices>"
                         "<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source><address "
                         "uuid='" DEVICE "'/></source><alias name='ua-a'/></hostdev>"
                         "</devices></domain>",
                         content) > 0);
    document = (struct document){text, strlen(text)};
    if (request_parse(&document, &request, &error) < 0)
        fail_msg("%s: %s", error.text, text);
    schema_says = schema_accepts(&document);
    parser_says = !*request.fault.text;
    if (schema_says != parser_says)
        fail_msg("%s: the parser says \"%s\", and the schema %s it", content, request.fault.text,
                 schema_says ? "accepts" : "refuses");
    return schema_says;
}

#define X64  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X256 X64 X64 X64 X64

UNIT_TEST(by_hand)
{
    static const struct {
        const char *content;
        bool good;
    } rows[] = {
        {"", true},
        {"<vgpu:device type='a'/>", true},
        {"<vgpu:device class='a'/>", true},
        {"<vgpu:device/>", false},
        {"<vgpu:device type='a' class='b'/>", false},
        {"<vgpu:device type='a/b'/>", false},
        {"<vgpu:device class='a/b'/>", true},
        {"<vgpu:device type=''/>", false},
        {"<vgpu:device type='" X256 "'/>", true},
        {"<vgpu:device type='" X256 "x'/>", false},
        {"<vgpu:device type='a&#9;b'/>", false},
        {"<vgpu:device type='a\tb'/>", true}, /* XML turns the tab into a blank */
        {"<vgpu:device type='a&#10;b'/>", false},
        {"<vgpu:device type='GRID T4-1B'/>", true},
        {"<vgpu:device type='a&amp;b'/>", true},
        {"<vgpu:device type='\xc3\xa4'/>", true},
        {"<vgpu:device alias='ua-a' type='a'/>", true},
        {"<vgpu:device alias='ua-a' uuid='" DEVICE "' type='a'/>", false},
        {"<vgpu:device uuid='" DEVICE "' type='a'/>", true},
        {"<vgpu:device uuid='DDDDDDDD00004000-8000000000000001' type='a'/>", true},
        {"<vgpu:device uuid=' - dd dd-dd dd-0000-4000-8000-000000000001 ' type='a'/>", true},
        {"<vgpu:device uuid='0000:3d:00.4' type='a'/>", false},
        {"<vgpu:device uuid='d-ddddddd-0000-4000-8000-000000000001' type='a'/>", false},
        {"<vgpu:device uuid='dddddddd-0000-4000-8000-00000000001' type='a'/>", false},
        {"<vgpu:device uuid='dddddddd-0000-4000-8000-000000000001-' type='a'/>", false},
        {"<vgpu:device type='a' parent='0000:18:00.0'/>", true},
        {"<vgpu:device type='a' parent='0000:18:1F.7'/>", true},
        {"<vgpu:device type='a' parent='0000:18:20.0'/>", false},
        {"<vgpu:device type='a' parent='0000:18:00.8'/>", false},
        {"<vgpu:device type='a' parent='18:00.0'/>", false},
        {"<vgpu:device type='a' parent='0000:1:02.07'/>", false},
        {"<vgpu:device foo:type='a'/>", false},
        {"<vgpu:device type='a'/><foo:device type='a'/>", false},
        {"<vgpu:device type='a' parent='000000001:18:00.0'/>", false},
        {"<vgpu:device type='a' parent='00000001:18:00.0'/>", true},
        {"<vgpu:device type='a' parent='mtty'/>", true},
        {"<vgpu:device type='a' parent='.'/>", false},
        {"<vgpu:device type='a' parent='..'/>", false},
        {"<vgpu:device type='a' parent='...'/>", true},
        {"<vgpu:device type='a' parent='a b'/>", false},
        {"<vgpu:device type='a' parent='a/b'/>", false},
        {"<vgpu:device type='a' parent='" X64 "'/>", false},
        {"<vgpu:device type='a' placement='pack'/>", true},
        {"<vgpu:device type='a' placement=' pack '/>", false},
        {"<vgpu:device type='a' placement='Pack'/>", false},
        {"<vgpu:device type='a' numa='ignore'/>", true},
        {"<vgpu:device type='a' numa='strict'/>", false},
        {"<vgpu:device type='a' traits='a, !b'/>", true},
        {"<vgpu:device type='a' tpye='b'/>", false},
        {"<vgpu:device vgpu:type='a'/>", false},
        {"<vgpu:device type='a' vgpu:numa='prefer'/>", false},
        {"<vgpu:device type='a' xml:lang='de'/>", false},
        {"<vgpu:device type='a'>text</vgpu:device>", true},
        {"text <vgpu:device type='a'/><!-- c -->", true},
        {"<vgpu:device type='a'><vgpu:param name='a' value='b'/></vgpu:device>", true},
        {"<vgpu:device type='a'>t<vgpu:param name='a' value='b'>t</vgpu:param></vgpu:device>",
         true},
        {"<vgpu:device type='a'><vgpu:param name='vgpu-placement-id' value='4'/></vgpu:device>",
         true},
        {"<vgpu:device type='a' placement-id='4'/>", true},
        {"<vgpu:device type='a' placement-id='65535'>t</vgpu:device>", true},
        {"<vgpu:device type='a' placement-id='100000'/>", false},
        {"<vgpu:device type='a' placement-id=''/>", false},
        {"<vgpu:device type='a' placement-id=' 4'/>", false},
        {"<vgpu:device type='a' placement-id='-1'/>", false},
        {"<vgpu:device type='a' placement-id='4'><vgpu:param name='a' value='b'/></vgpu:device>",
         true},
        {"<vgpu:device type='a' placement-id='4'><vgpu:param name='vgpu-placement-id' "
         "value='4'/></vgpu:device>",
         false},
        {"<vgpu:device type='a'><vgpu:param name='a'/></vgpu:device>", false},
        {"<vgpu:device type='a'><vgpu:param name='a' value=''/></vgpu:device>", false},
        {"<vgpu:device type='a'><vgpu:param name='a' value='b' c='d'/></vgpu:device>", false},
        {"<vgpu:device type='a'><vgpu:param name='a' value='b'><x/></vgpu:param></vgpu:device>",
         false},
        {"<vgpu:device type='a'><param name='a' value='b'/></vgpu:device>", false},
        {"<vgpu:device type='a'><vgpu:device type='a'/></vgpu:device>", false},
        {"<vgpu:device type='a'/><vgpu:param name='a' value='b'/>", false},
        {"<vgpu:device type='a'/><device/>", false},
        {"<vgpu:device type='a'/><x:device xmlns:x='urn:x'/>", false},
        {"<vgpu:device type='a'/><x:device xmlns:x='urn:libvirt-vgpu:domain:2' type='a'/>", false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (both_accept(rows[i].content) != rows[i].good)
            fail_msg("%s", rows[i].content);
    }
}

/* Each attribute, with a value of its kind or without a value. */
static const char *const words[][8] = {
    {"alias='ua-a'", "uuid='" DEVICE "'", "uuid='x'", "alias=''", "alias='ua-a' uuid='x'", ""},
    {"type='a'", "class='a'", "type='a' class='a'", "type='a/b'", "class='&#10;'", "type='b'", ""},
    {"parent='0000:18:00.0'", "parent='mtty'", "parent='..'", "parent='a:b'", "", ""},
    {"placement='spread'", "placement='pack'", "placement='best'", "", ""},
    {"numa='require'", "numa='prefer'", "numa=''", "", ""},
    {"traits='a'", "traits='!a b'", "traits=''", "", "", ""},
    {"placement-id='4'", "placement-id='x'", "", "", ""},
    {"vgpu:numa='prefer'", "colour='red'", "", "", "", "", "", ""},
};
static const char *const contents[] = {
    "",
    "",
    "text",
    "<vgpu:param name='a' value='b'/>",
    "<vgpu:param name='a' value='b'/> <vgpu:param value='b' name='c'/>",
    "<vgpu:param name='a' value='b' more='c'/>",
    "<vgpu:param name='vgpu-placement-id' value='3'/>",
    "<vgpu:param name='a'/>",
    "<param name='a' value='b'/>",
    "<vgpu:device type='a'/>",
};

UNIT_TEST(by_chance)
{
    unsigned seed = 1, good = 0, all = 4000;

    for (unsigned n = 0; n < all; n++) {
        char text[1024] = "<vgpu:device";
        size_t at = strlen(text), first = (unsigned)rand_r(&seed) % COUNT(words);

        for (size_t i = 0; i < COUNT(words); i++) {
            const char *const *row = words[(first + i) % COUNT(words)];
            size_t count = 0;

            while (count < COUNT(words[0]) && row[count])
                count++;
            at += (size_t)snprintf(text + at, sizeof(text) - at, " %s",
                                   row[(unsigned)rand_r(&seed) % count]);
        }
        snprintf(text + at, sizeof(text) - at, ">%s</vgpu:device>",
                 contents[(unsigned)rand_r(&seed) % COUNT(contents)]);
        good += both_accept(text);
    }
    assert_in_range(good, all / 50, all / 2);
}
