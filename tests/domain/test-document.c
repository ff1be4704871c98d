/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* document: XML of untrusted people. It is broken, in pieces, large or hostile. */

#include "domain/parsed.h"
#include "fake/repeat.h"

#include <fcntl.h>
#include <libxml/xmlmemory.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#define TEST(function) UNIT_TEST_IN(function, parsed_set_up, parsed_tear_down, NULL)

TEST(unreadable)
{
    static const struct {
        const char *text;
        const char *words;
    } rows[] = {
        {"", "it is empty"},
        {"\n", "line "},
        {"nonsense", "line 1: "},
        {"<domain>" HEAD, "line 1: "},
        {"<domain>\n" HEAD "\n</Domain>", "line 3: "},
        {GUEST("", "") "<domain/>", "line 1: "},
        {GUEST("", "") "x", "line 1: "},
        {"<domain a='1' a='2'>" HEAD "</domain>", "line 1: "},
        {"<domain>" HEAD "\xff</domain>", "line 1: "},
        {"<domain>" HEAD "&#1;</domain>", "line 1: "},
        {"<?xml version='1.0' encoding='no-such'?><domain>" HEAD "</domain>", "no-such"},
        /* libxml2 also says this if it has no memory for our document */
        {GUEST(ASK(ONE) "<x xmlns:y=''/>", GPU0), "namespace"},
        /* other documents */
        {"<domstatus>" GUEST("", "") "</domstatus>", "no domain XML"},
        {"<x:domain xmlns:x='urn:x'>" HEAD "</x:domain>", "no domain XML"},
        {"<network><name>a</name><uuid>" UUID "</uuid></network>", "no domain XML"},
        /* entities */
        {"<!DOCTYPE domain>" GUEST("", ""), "document type"},
        {"<!DOCTYPE domain SYSTEM 'file:///etc/passwd'>" GUEST("", ""), "document type"},
        {"<!DOCTYPE d [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><domain><name>&a;</name><uuid>" UUID
         "</uuid></domain>",
         "document type"},
        {"<!DOCTYPE d [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
         "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>]><domain><name>&c;</name></domain>",
         "document type"},
        {"<domain><name>&nbsp;</name><uuid>" UUID "</uuid></domain>", "nbsp"},
        /* UUIDs */
        {"<domain><name>a</name></domain>", "no <uuid>"},
        {"<domain><x><uuid>" UUID "</uuid></x></domain>", "no <uuid>"},
        {"<domain><uuid/></domain>", "is not one"},
        {"<domain><uuid>web01</uuid></domain>", "is not one"},
        {GUEST("", MDEV("x", "")), "has the uuid \"x\", which is no UUID"},
        {GUEST("", "<hostdev mode='subsystem' type='mdev'><source><address/></source></hostdev>"),
         "<address> of a <hostdev type='mdev'> has no uuid"},
        {GUEST("", "<hostdev mode='subsystem' type='mdev'><source/></hostdev>"),
         "no <source><address uuid"},
        {GUEST("", "<hostdev mode='subsystem' type='mdev'/>"), "no <source><address uuid"},
    };
    struct parsed *parsed = *state;
    size_t wrong = 0;

    for (size_t i = 0; i < COUNT(rows); i++) {
        int rc = parsed_read(parsed, rows[i].text);

        if (rc == -EINVAL && !strncmp(parsed->error.text, "cannot read the domain XML: ", 28) &&
            strstr(parsed->error.text, rows[i].words))
            continue;
        print_error("%d, no \"%s\" in \"%s\" for: %s\n", rc, rows[i].words, parsed->error.text,
                    rows[i].text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* A pipe that may end in the middle of a document. */
TEST(every_truncation_is_refused)
{
    static const char text[] = GUEST(ASK(ONE), GPU0);
    struct parsed *parsed = *state;

    for (size_t length = 0; length < sizeof(text) - 1; length++)
        assert_int_equal(parsed_read_bytes(parsed, text, length), -EINVAL);
    assert_int_equal(parsed_read_bytes(parsed, text, sizeof(text) - 1), 0);
}

/* Each read gets one byte, or a few, as from a pipe. */
static void
read_in_pieces(struct parsed *parsed, const char *bytes, size_t length, size_t piece)
{
    size_t sent = 0;
    int ends[2], size = 4 << 20;

    request_clear(&parsed->request);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
    for (; sent < length; sent += piece) {
        size_t rest = length - sent < piece ? length - sent : piece;

        if (send(ends[1], bytes + sent, rest, MSG_DONTWAIT) < 0)
            fail_msg("only %zu of %zu bytes fit: %m", sent, length);
    }
    close(ends[1]);
    if (parsed_read_all(parsed, ends[0]) < 0)
        fail_msg("in pieces of %zu: %s", piece, parsed->error.text);
    close(ends[0]);
    assert_string_equal(parsed->request.domain.text, UUID);
    assert_string_equal(parsed->request.name, "a&b\xc3\xa4");
}

TEST(in_pieces)
{
    static const char text[] = "<domain><name>a&amp;b\xc3\xa4</name><uuid>" UUID "</uuid></domain>";

    for (size_t piece = 1; piece < sizeof(text); piece = piece < 8 ? piece + 1 : 2 * piece)
        read_in_pieces(*state, text, sizeof(text) - 1, piece);
}

#define PLAIN       "<domain>" HEAD "</domain>"
#define BYTES(text) text, sizeof(text) - 1

/* Whether this process has one of iconv's files in its memory. */
static bool
has_iconv(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    bool found = false;

    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps))
        found |= strstr(line, "gconv") != NULL;
    fclose(maps);
    return found;
}

/* For another encoding libxml2 would let iconv load a file that the environment names. */
TEST(only_utf8_is_read)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *words; /* NULL: it is read */
    } rows[] = {
        {BYTES("<?xml version='1.0'?>" PLAIN), NULL},
        {BYTES("<?xml version='1.0' encoding='UTF-8'?>" PLAIN), NULL},
        {BYTES("<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"yes\"?>" PLAIN), NULL},
        {BYTES("<?xml version = '1.0'\n\tencoding = 'Utf-8' ?>" PLAIN), NULL},
        {BYTES("\xef\xbb\xbf" PLAIN), NULL},
        {BYTES("\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8'?>" PLAIN), NULL},
        {BYTES("<!-- encoding='EUC-JP' ?> -->" PLAIN), NULL},
        {BYTES("<?xml version='1.0' encoding='EUC-JP'?>" PLAIN), "declares encoding 'EUC-JP'"},
        {BYTES("<?xml version='1.0' encoding=\"EUC-JP\"?>" PLAIN), "declares encoding 'EUC-JP'"},
        {BYTES("<?xml version='1.0' encoding='EUC-JP"), "declares encoding 'EUC-JP'"},
        {BYTES("<?xml version='1.0'\r\nencoding\n=\t'EUC-KR' ?>" PLAIN), "encoding 'EUC-KR'"},
        {BYTES("<?xml version='1.0'encoding='EUC-JP'?>" PLAIN), "declares encoding 'EUC-JP'"},
        {BYTES("<?xml encoding='EUC-JP'?>" PLAIN), "declares encoding 'EUC-JP'"},
        {BYTES("\xef\xbb\xbf<?xml version='1.0' encoding='EUC-JP'?>" PLAIN), "'EUC-JP'"},
        {BYTES("<?xml version='1.0' encoding='ISO-8859-1'?>" PLAIN), "'ISO-8859-1'"},
        {BYTES("<?xml version='1.0' encoding='US-ASCII'?>" PLAIN), "'US-ASCII'"},
        {BYTES("<?xml version='1.0' encoding='UTF-16'?>" PLAIN), "'UTF-16'"},
        {BYTES("<?xml version='1.0' encoding='UTF-8//TRANSLIT'?>" PLAIN), "'UTF-8//TRANSLIT'"},
        {BYTES("<?xml version='1.0' encoding=''?>" PLAIN), "declares encoding ''"},
        {BYTES("\xff\xfe<\0d\0o\0m\0a\0i\0n\0/\0>\0"), "line 1: the byte 0xff is not UTF-8"},
        {BYTES("\xfe\xff\0<\0d\0o\0m\0a\0i\0n\0/\0>"), "line 1: the byte 0xfe is not UTF-8"},
        {BYTES("\xff\xfe\0\0<\0\0\0d\0\0\0"), "line 1: the byte 0xff is not UTF-8"},
        {BYTES("<\0?\0x\0m\0l\0"), "line 1: the byte 0x00 is not UTF-8"},
        {BYTES("\0<\0?\0x\0m\0l"), "line 1: the byte 0x00 is not UTF-8"},
        {BYTES("\0\0\0<\0\0\0?"), "line 1: the byte 0x00 is not UTF-8"},
        {BYTES("Lo\xa7\x94\x93\x40\xa5\x85"), "line 1: the byte 0xa7 is not UTF-8"},
        {BYTES(PLAIN "\n<!--\n\xe4-->"), "line 3: the byte 0xe4 is not UTF-8"},
        {BYTES(PLAIN "\n<!--\n\xc3"), "line 3: the byte 0xc3 is not UTF-8"},
        {BYTES(PLAIN "<!--\xed\xa0\x80-->"), "line 1: the byte 0xed is not UTF-8"},
        {BYTES(PLAIN "\n\0"), "line 2: the byte 0x00 is not UTF-8"},
    };
    struct parsed *parsed = *state;
    size_t wrong = 0;

    for (size_t i = 0; i < COUNT(rows); i++) {
        int rc = parsed_read_bytes(parsed, rows[i].bytes, rows[i].length);

        if (rows[i].words ? rc == -EINVAL && strstr(parsed->error.text, rows[i].words)
                          : rc == 0 && !strcmp(parsed->request.domain.text, UUID))
            continue;
        print_error("row %zu: %d, \"%s\" for: %s\n", i, rc, rc ? parsed->error.text : "",
                    rows[i].bytes);
        wrong++;
    }
    assert_int_equal(wrong, 0);
    assert_false(has_iconv());
}

/* A release needs only the UUID. */
TEST(what_precedes_a_bad_byte_is_kept)
{
    struct parsed *parsed = *state;

    assert_int_equal(parsed_read(parsed, "<domain>" HEAD "<title>\xe4</title></domain>"), -EINVAL);
    assert_string_equal(parsed->request.domain.text, UUID);
    assert_int_equal(parsed_read(parsed, "<domain><title>\xe4</title>" HEAD "</domain>"), -EINVAL);
    assert_string_equal(parsed->request.domain.text, "");
    assert_int_equal(parsed_read(parsed, "<?xml version='1.0' encoding='EUC-JP'?>" PLAIN), -EINVAL);
    assert_string_equal(parsed->request.domain.text, "");
}

static size_t allocations; /* how many libxml2 still gets */

static void *
allocate(size_t size)
{
    return allocations && allocations-- ? malloc(size) : NULL;
}

static void *
reallocate(void *memory, size_t size)
{
    return allocations && allocations-- ? realloc(memory, size) : NULL;
}

static char *
duplicate(const char *text)
{
    return allocations && allocations-- ? strdup(text) : NULL;
}

/* libvirt shows to people what the hook writes to its stderr. So nothing but our own lines may be
 * written there, whatever the document is, and without memory. */
TEST(libxml2_writes_nothing_itself)
{
    static const char *const texts[] = {
        "<?xml version='1.0' encoding='EUC-JP'?><domain><name>\xff\xff</name></domain>",
        "<?xml version='1.0' encoding='no-such'?>" PLAIN,
        "<domain><name>\xff\xff</name></domain>",
        "<a:domain>" HEAD "</a:domain>",
        GUEST(ASK(ONE), GPU0),
    };
    struct parsed *parsed = *state;
    size_t wordless = 0;
    int kept = dup(STDERR_FILENO), said = memfd_create("test-stderr", MFD_CLOEXEC), same;
    xmlFreeFunc free_ours;
    xmlMallocFunc malloc_ours;
    xmlReallocFunc realloc_ours;
    xmlStrdupFunc strdup_ours;

    assert_int_equal(dup2(said, STDERR_FILENO), STDERR_FILENO);
    xmlMemGet(&free_ours, &malloc_ours, &realloc_ours, &strdup_ours);
    same = xmlMemSetup(free, allocate, reallocate, duplicate);
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t most = 0; most < 400; most++) {
            allocations = most;
            if (parsed_read(parsed, texts[i]) < 0)
                wordless += parsed->error.text[strlen(parsed->error.text) - 1] == ' ';
        }
    }
    xmlMemSetup(free_ours, malloc_ours, realloc_ours, strdup_ours);
    for (size_t i = 0; i < COUNT(texts); i++)
        (void)!parsed_read(parsed, texts[i]);
    dup2(kept, STDERR_FILENO);
    close(kept);
    assert_int_equal(same, 0);
    assert_int_equal(wordless, 0);
    assert_int_equal(lseek(said, 0, SEEK_END), 0);
    close(said);
}

/* The largest size that is read, and one byte more. */
TEST(limits)
{
    static const struct {
        const char *head, *item, *tail;
        unsigned most;
        const char *fault, *unreadable;
    } rows[] = {
        {"<domain>" HEAD "<devices>", GPU0, "</devices></domain>", 256, NULL, "more than 256"},
        {"<domain>" HEAD "<metadata>" OURS, "<vgpu:device " TYPE "/>",
         "</vgpu:request></metadata></domain>", 64, "more than 64 <vgpu:device>", NULL},
        {"<domain>" HEAD "<metadata>" OURS "<vgpu:device " TYPE ">",
         "<vgpu:param name='a' value='1'/>", "</vgpu:device></vgpu:request></metadata></domain>",
         16, "more than 16 <vgpu:param>", NULL},
        {"<domain>" HEAD "<metadata>" OURS "<vgpu:device type='", "x",
         "'/></vgpu:request></metadata></domain>", 256, "<vgpu:device type=\"xxx", NULL},
        {"<domain><uuid>" UUID "</uuid><name>", "x", "</name></domain>", 1023, NULL, "too long"},
    };
    struct parsed *parsed = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        for (unsigned more = 0; more < 2; more++) {
            AUTO_FREE char *text =
                repeat(rows[i].head, rows[i].item, rows[i].most + more, rows[i].tail);
            int rc = parsed_read(parsed, text);
            bool told = rows[i].fault && strstr(parsed->request.fault.text, rows[i].fault);

            assert_int_equal(rc, more && rows[i].unreadable ? -EINVAL : 0);
            assert_int_equal(told, more && rows[i].fault);
            if (rc < 0)
                assert_non_null(strstr(parsed->error.text, rows[i].unreadable));
        }
    }
}

/* A guest whose metadata has a head, an item `count` times, and a tail. */
static char *
metadata_of(const char *head, const char *item, unsigned count, const char *tail)
{
    AUTO_FREE char *items = repeat(head, item, count, tail);
    char *text;

    assert_true(asprintf(&text, "<domain>" HEAD "<metadata>%s</metadata></domain>", items) > 0);
    return text;
}

/* Documents with few bytes that cost the parser much. Each is tried with the most that is read, and
 * with one more. */
TEST(budgets)
{
    static const struct {
        const char *head, *item, *tail;
        unsigned most;
        const char *over;
    } rows[] = {
        {"", "<a/>", "", 249996, "it has 250001 elements, and at most 250000 are read"},
        {"", "<a a='' b='' c='' d='' e=''/>", "", 100000,
         "it has 500005 attributes, and at most 500000 are read"},
        {"", "<a xmlns='urn:x'/>", "", 20000,
         "it has 20001 namespace declarations, and at most 20000 are read"},
        {"", "<a xmlns:b=''/>", "", 20000, "it has 20001 namespace declarations, and at most"},
        {"<a ", "n#='' ", "/>", 14142,
         "it needs 100005153 comparisons of names, and at most 100000000 are made"},
        {"<a ", "xmlns:n#='u' ", "/>", 14141, "it needs 100005153 comparisons of names"},
    };
    struct parsed *parsed = *state;

    for (size_t i = 0; i < COUNT(rows); i++) {
        for (unsigned more = 0; more < 2; more++) {
            AUTO_FREE char *text =
                metadata_of(rows[i].head, rows[i].item, rows[i].most + more, rows[i].tail);
            int rc = parsed_read(parsed, text);

            if (rc != (more ? -EINVAL : 0) || (more && !strstr(parsed->error.text, rows[i].over)) ||
                (more && !strstr(parsed->error.text, "made: make its <metadata> smaller") &&
                 !strstr(parsed->error.text, "read: make its <metadata> smaller")))
                fail_msg("row %zu and %u: %d %s", i, more, rc, parsed->error.text);
            assert_string_equal(parsed->request.domain.text, UUID);
            assert_string_equal(parsed->request.name, "web01");
        }
    }
}

/* libxml2 looks up every element below in all namespaces that are declared above it. */
TEST(elements_among_many_namespaces)
{
    struct parsed *parsed = *state;
    AUTO_FREE char *head = repeat("<a", " xmlns:n#='u'", 4000, ">");

    for (unsigned more = 0; more < 2; more++) {
        AUTO_FREE char *text = metadata_of(head, "<b/>", 22999 + more, "</a>");

        assert_int_equal(parsed_read(parsed, text), more ? -EINVAL : 0);
        if (more)
            assert_non_null(
                strstr(parsed->error.text, "it needs 100002000 comparisons of names, and"));
    }
}

/* libxml2 keeps every name that it has met, also names that it does not report to us. */
TEST(names_by_the_thousand)
{
    static const char *const items[] = {"<n#/>", "<a n#=''/>", "<a xmlns:n#='u' n#:b=''/>",
                                        "<?n# ?>"};
    static const unsigned most[] = {49900, 49900, 19000, 49900};
    struct parsed *parsed = *state;

    for (size_t i = 0; i < COUNT(items); i++) {
        AUTO_FREE char *good = metadata_of("", items[i], most[i], "");
        AUTO_FREE char *bad = metadata_of("", items[i], 70000, "");

        if (parsed_read(parsed, good) < 0)
            fail_msg("%s: %s", items[i], parsed->error.text);
        assert_int_equal(parsed_read(parsed, bad), -EINVAL);
        if (i != 2)
            assert_non_null(strstr(parsed->error.text, " different names, and at most 50000 "));
    }
}

/* 500 devices, 512 processors, the distances of 64 NUMA nodes, and text of tools that declare their
 * namespace on every element. Even four times as much is read quickly. */
TEST(a_large_guest)
{
    struct parsed *parsed = *state;
    AUTO_FREE char *disks = repeat(
        "",
        "<disk type='file' device='disk'><driver name='qemu' type='qcow2' cache='none'/>"
        "<source file='/var/lib/libvirt/images/#.qcow2' index='1'/><backingStore type='file'>"
        "<format type='raw'/><source file='/a'/><backingStore/></backingStore>"
        "<target dev='#' bus='scsi'/><alias name='ua-#'/><iotune><read_bytes_sec>1"
        "</read_bytes_sec></iotune><address type='drive' controller='0' bus='0' target='0' "
        "unit='0'/></disk>",
        4 * 500, "");
    AUTO_FREE char *processors =
        repeat("", "<vcpupin vcpu='1' cpuset='0-511'/><vcpu id='1' pid='1'/>", 4 * 512, "");
    AUTO_FREE char *nodes = repeat("", "<sibling id='1' value='10'/>", 4 * 64 * 64, "");
    AUTO_FREE char *tools =
        repeat("", "<t:item xmlns:t='urn:tool:1' t:key='#' t:value='some text of this length'/>",
               4 * 1500, "");
    AUTO_FREE char *text = NULL;

    assert_true(asprintf(&text,
                         "<domain>" HEAD "<metadata>" ASK(ONE) "%s</metadata><cputune>%s</cputune>"
                                                               "<cpu>%s</cpu><devices>" GPU0
                                                               "%s</devices></domain>",
                         tools, processors, nodes, disks) > 0);
    parsed_assert(parsed, text);
}

TEST(every_fault_with_its_line)
{
    static const struct {
        unsigned line;
        const char *text;
    } rows[] = {
        {2, "<vgpu:device> has an unknown attribute \"tpye\" (did you mean type?)"},
        {4, "<vgpu:device> has both type=\"a/b\" and class=\"b\": leave one out"},
        {4, "<vgpu:device type=\"a/b\">: no type has a slash in it; 'vgpuctl types' lists types"},
        {5, "<vgpu:param> needs both name and value"},
        {2, "<vgpu:device alias=\"ua-0\"> names no <hostdev> of type mdev or pci: give one the "
            "<alias name='ua-0'/>, or take the <vgpu:device> out with 'vgpuctl detach web01 ua-0'"},
        {4, "<vgpu:device alias=\"ua-1\"> names no <hostdev> of type mdev or pci: give one the "
            "<alias name='ua-1'/>, or take the <vgpu:device> out with 'vgpuctl detach web01 ua-1'"},
    };
    struct parsed *parsed = *state;
    const struct request *request = &parsed->request;
    AUTO_FREE char *many = repeat("<domain>" HEAD "<metadata>" OURS, "<vgpu:device/>", 64 + 10,
                                  "</vgpu:request></metadata></domain>");

    assert_int_equal(parsed_read(parsed, "<domain>" HEAD "<metadata>" OURS
                                         "\n<vgpu:device alias='ua-0' tpye='a'/>\n"
                                         "<vgpu:device alias='ua-1'\n type='a/b' class='b'>\n"
                                         "<vgpu:param name='a'/></vgpu:device></vgpu:request>"
                                         "</metadata></domain>"),
                     0);
    assert_int_equal(request->fault_count, COUNT(rows));
    assert_string_equal(request->fault.text, rows[0].text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(request->faults[i].line, rows[i].line);
        assert_string_equal(request->faults[i].text, rows[i].text);
    }
    assert_int_equal(parsed_read(parsed, many), 0);
    assert_int_equal(request->fault_count, 64);
}

TEST(nested_and_large)
{
    struct parsed *parsed = *state;
    AUTO_FREE char *deep = repeat("<domain>" HEAD, "<a>", 100000, "");
    AUTO_FREE char *large = repeat("<domain>" HEAD, "          \n     ", (8 << 20) / 16, "");
    size_t length = 8 << 20;

    assert_int_equal(parsed_read(parsed, deep), -EINVAL);
    assert_non_null(strstr(parsed->error.text,
                           " it has 257 elements in each other, and at most 256 "
                           "are read: make its <metadata> smaller"));
    memset(large + strlen("<domain>" HEAD), '\n', length - strlen("<domain>" HEAD));
    memcpy(large + length - 9, "</domain>", 9);
    large[length] = '\n';
    assert_int_equal(parsed_read_bytes(parsed, large, length), 0);
    assert_int_equal(parsed_read_bytes(parsed, large, length + 1), -EFBIG);
    assert_non_null(strstr(parsed->error.text, "larger than 8 MiB"));
    assert_int_equal(parsed->document.length, length);
}

TEST(ampersands_by_the_thousand)
{
    struct parsed *parsed = *state;
    size_t count = (200 << 10) / 5;
    AUTO_FREE char *text = repeat("<domain>" HEAD "<metadata>" OURS "<vgpu:device type='", "&amp;",
                                  count, "'/></vgpu:request></metadata></domain>");

    assert_int_equal(parsed_read(parsed, text), 0);
    assert_int_equal(strlen(parsed->request.devices[0].attributes.said[ATTRIBUTE_TYPE]), count);
    assert_int_equal(strspn(parsed->request.devices[0].attributes.said[ATTRIBUTE_TYPE], "&"),
                     count);
}

/* Seconds of this process's processor time. */
static double
used_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* libxml2 compares each attribute of an element with each other attribute. One megabyte of
 * attributes took minutes. */
TEST(attributes_by_the_megabyte)
{
    struct parsed *parsed = *state;
    AUTO_FREE char *value = repeat("<domain>" HEAD "<a b='", "x", 200000, "'/></domain>");
    AUTO_FREE char *text =
        repeat("<domain>" HEAD "<metadata><a ", "b00000='' ", 100000, "/></metadata></domain>");
    AUTO_FREE char *comment = repeat("<domain>" HEAD "<!--", "<a ", 1 << 20, "--></domain>");
    AUTO_FREE char *data =
        repeat("<domain>" HEAD "<title><![CDATA[", "<a ", 1 << 20, "]]></title></domain>");
    char *at = strstr(text, "b00000");
    double start = used_time();

    for (unsigned i = 0; i < 100000; i++, at += strlen("b00000='' "))
        snprintf(at + 1, 6, "%05u", i), at[6] = '=';
    assert_int_equal(parsed_read(parsed, text), -EINVAL);
    assert_non_null(strstr(parsed->error.text, "tag is longer than 256 KiB"));
    assert_string_equal(parsed->request.domain.text, UUID);
    assert_true(used_time() - start < 5);
    /* longer than any argument that a program can be given */
    assert_int_equal(parsed_read(parsed, value), 0);
    /* Parts whose cost grows only with their length may be as long. */
    assert_int_equal(parsed_read(parsed, comment), 0);
    assert_int_equal(parsed_read(parsed, data), 0);
}

/* A domain with these <vgpu:device> and <hostdev>. The caller frees it. */
static char *
domain_of(const char *devices, const char *hostdevs)
{
    char *text;

    assert_true(asprintf(&text,
                         "<domain>" HEAD "<metadata>" OURS "%s</vgpu:request></metadata><devices>%s"
                         "</devices></domain>",
                         devices, hostdevs) > 0);
    return text;
}

/* The cost of our own code also grows only with the length. This holds for very many host devices,
 * and for devices that do not say which host device they mean. */
TEST(hostdevs_by_the_thousand)
{
    struct parsed *parsed = *state;
    AUTO_FREE char *devices = repeat("", "<vgpu:device " TYPE "/>", 64, "");
    AUTO_FREE char *hostdevs = repeat("", "<hostdev mode='subsystem' type='pci'/>", 20000, "");
    AUTO_FREE char *text = domain_of(devices, hostdevs);
    double start = used_time();

    assert_int_equal(parsed_read(parsed, text), 0);
    assert_int_equal(parsed->request.hostdev_count, 20000);
    assert_non_null(strstr(parsed->request.fault.text, "has 64 <vgpu:device> and 0 <hostdev "));
    assert_true(used_time() - start < 20);
}

/* No <vgpu:device> names a hostdev that is there. Only an alias that may be a vGPU's is compared
 * with theirs, letter by letter, and a document has few of these. */
TEST(aliases_by_the_thousand)
{
    struct parsed *parsed = *state;
    AUTO_FREE char *hostdevs = repeat("",
                                      "<hostdev mode='subsystem' type='pci'>"
                                      "<alias name='a-network-card-of-the-host'/></hostdev>",
                                      80000, "");
    AUTO_FREE char *devices =
        repeat("", "<vgpu:device alias='ua-network-card-of-the-host' " TYPE "/>", 64, "");
    AUTO_FREE char *text = domain_of(devices, hostdevs);
    double start = used_time();

    assert_int_equal(parsed_read(parsed, text), 0);
    assert_int_equal(parsed->request.hostdev_count, 80000);
    assert_int_equal(parsed->request.fault_count, 64);
    assert_null(strstr(parsed->request.fault.text, "did you mean"));
    assert_true(used_time() - start < 5);
}

/* Documents that cannot be read to the end. The part before the fault is kept. */
TEST(descriptors_and_partial_documents)
{
    struct parsed *parsed = *state;
    int closed = memfd_create("test-request", MFD_CLOEXEC);
    AUTO_CLOSE int directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    close(closed);
    assert_int_equal(parsed_read_all(parsed, closed), -EBADF);
    assert_non_null(strstr(parsed->error.text, "Bad file descriptor"));
    assert_int_equal(parsed_read_all(parsed, directory), -EISDIR);
    assert_int_equal(parsed_read(parsed, "<domain>" HEAD "<devices>" GPU0 "<x"), -EINVAL);
    assert_string_equal(parsed->request.domain.text, UUID);
    assert_string_equal(parsed->request.name, "web01");
}

/* A message is valid text, even if the text that it quotes was cut. */
TEST(a_quoted_value_is_cut_between_characters)
{
    struct parsed *parsed = *state;
    AUTO_FREE char *text = repeat("<domain>" HEAD "<metadata>" OURS "<vgpu:device type='x",
                                  "\xc3\xa4", 200, "'/></vgpu:request></metadata></domain>");
    const char *end;

    assert_int_equal(parsed_read(parsed, text), 0);
    end = strrchr(parsed->request.fault.text, '"');
    assert_non_null(end);
    assert_int_not_equal(end[-1] & 0xff, 0xc3);
}
