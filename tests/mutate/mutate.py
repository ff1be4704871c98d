#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mutate.py TREE N [SEED]: do the unit tests see a fault? In a copy of this tree, N times, one
# operator, condition or constant of the product is changed, and the tests that execute its line are
# run until one fails. gcov says which tests do. A change that no test sees is printed. A change that
# does not compile, or that makes no other code, is not counted.
#
# ROOMS    the folders whose files are changed, as "nodedev/view nodedev/cli"; without it all of them
import collections, json, os, pathlib, random, re, shutil, subprocess, sys, tempfile, time

# Mains are left out, because no unit test is linked with one. Spaces distinguish a binary operator
# from a pointer, because clang-format puts them there. Some changes are left out: "{0}" means
# "empty" in C, and the size of a buffer changes nothing that a test sees. "< 1" instead of "< 0" is
# the same change as "<= 0", and no descriptor is 0. The sanitizers see buffers that are too small.
SOURCES = "common/*/*.c", "hooks/hook.c", "nodedev/*/*.c"
TOKEN = re.compile(r"""
      (?P<skip>   /\*.*?\*/ | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*'
                | ^[ ]*\#[ ]*(?:include|if|undef)[^\n]* | \{0\} | (?<=<\ )0\b | (?<=>=\ )0\b
                | \bfd\ (?:<|>=)(?=\ 0\b) | \bcalloc\([^\n]*
                | ^[ ]+(?:static\ |const\ )*(?:char|int)\ \w+\[[^]]*\] )
    | (?P<condition> \b(?:if|while)\ (?=\() )
    | (?P<word>   -?\b[A-Za-z_]\w* )
    | (?P<number> \b\d\w* )
    | (?P<operator> -> | \+\+ | -- | ! (?!=)
                | (?<=[ ]) (?:[<>=!|&]=|&&|\|\||<<=?|>>=?|[-+*/%&|<>]=?) (?=[ \n]) )
    """, re.S | re.M | re.X)
OPERATORS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
             "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"], "!": [""],
             "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "++": ["--"], "--": ["++"],
             "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "|=": ["&="], "&=": ["|="],
             "&": ["|"], "|": ["&"], "<<": [">>"], ">>": ["<<"]}
WORDS = {"true": ["false"], "false": ["true"]}
# A line that says so, or whose condition the next line says so of.
MEMORY = re.compile(r"[^\n]*(?:\basprintf\(|(?:\bif [^\n]*\n[^\n]*)?-ENOMEM)")

# A test runs in a process name space of its own, with a /tmp of its own. So all that a fault leaves
# behind, kills or fills ends with the test. The parent of the test is not process 1, because
# process 1 never counts as libvirt's daemon.
JAIL = ["unshare", "-mpf" if os.geteuid() == 0 else "-rmpf", "--mount-proc", "--kill-child", "sh", "-c", """
    ulimit -v 8000000 && ulimit -c 0 && mount -t tmpfs -o size=500m none /tmp &&
    echo 999 >/proc/sys/kernel/ns_last_pid && sh -c '"$0"; exit $?' "$0"; exit $?"""]


BRACKET = re.compile(r'''"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[()]''')


def bracketed(text, start):
    """The text from this '(' to its ')'. Those in strings do not count."""
    depth = 0
    for token in BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0:
            return text[start:token.end()]


def changes(text):
    """Every place in a source, with what could stand there: start, end, words."""
    for token in TOKEN.finditer(text):
        kind, word, (start, end) = token.lastgroup, token.group(), token.span()
        if kind == "condition":
            inner = bracketed(text, end)
            yield end, end + len(inner), ["(!%s)" % inner, "(1 || %s)" % inner, "(0 && %s)" % inner]
        elif kind == "number":
            yield start, end, ["(%s + 1)" % word] + ["(%s - 1)" % word] * (word != "0")
        elif kind == "word" and re.fullmatch("-E[A-Z0-9]{3,}", word):
            yield start, end, ["0", word[1:]]
        elif kind == "word" and word in WORDS or kind == "operator" and word in OPERATORS:
            yield start, end, (WORDS | OPERATORS)[word]


def function_at(text, place):
    """The name of the function that is defined there, if one is, in a list."""
    return re.findall(r"^(\w+)\(", text[:place], re.M)[-1:]


def drawn(seed, file):
    """The changes of a file, each with a number by which they are drawn. That hangs on the seed,
    function and line, so that a seed finds the same again in what has not changed. What is done
    without memory is no question for unit tests, but for tests/faults."""
    text = file.read_text()
    for start, end, words in changes(text):
        begin = text.rfind("\n", 0, start) + 1
        if MEMORY.match(text, begin):
            continue
        chance = random.Random("%s %s %s %s" % (seed, file, function_at(text, start), text[begin:end]))
        yield chance.random(), file, start, end, chance.choice(words)


# The product as one shared object, so that no test is linked again when a file of it changes.
LIBRARIES = "$(LIBVIRT_LIBS) $(SMARTCOLS_LIBS) $(UUID_LIBS) $(XML_LIBS) $(CONFIG_LIBS)"
PRODUCT = """product.so: libvgpu.a libvgpuctl.a
\t$(CC) -shared -o $@ $(PROFILE) -Wl,--whole-archive $^ -Wl,--no-whole-archive """ + LIBRARIES
LDADD = "LDADD=tests/fake/libscene.a $(CURDIR)/product.so $(CMOCKA_LIBS) " + LIBRARIES

# A child that ends with _exit() writes no counts of its own accord, and tests have many.
LEAVE = """#include <sys/syscall.h>
#include <unistd.h>
extern void __gcov_dump(void);
void _exit(int status) { __gcov_dump(); for (;;) syscall(SYS_exit_group, status); }
"""


def make(*targets):
    return subprocess.run(["make", "-s", "-j2", "--eval", PRODUCT, LDADD, *targets],
                          stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


# The tests of a program that are left out, as "/one/another/".
WITHOUT = collections.defaultdict(str)


def fails(test, limit, output=subprocess.DEVNULL):
    try:
        return subprocess.run([*JAIL, test], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                              timeout=limit, env=dict(os.environ, WITHOUT=WITHOUT[test])).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def fails_unchanged(program):
    """Leaves out what fails before anything is changed, because the kernel lists no lock in a name
    space of processes if its taker has ended. The other tests of the program count."""
    with tempfile.TemporaryFile() as output:
        if not fails(program, 600, output):
            return False
        output.seek(0)
        names = sorted(set(re.findall(r"^\[  FAILED  \] (\w+)$", output.read().decode(errors="replace"), re.M)))
    for name in names:
        print("left out: %s of %s, which fails before anything is changed" % (name, program))
    WITHOUT[program] = "/%s/" % "/".join(names)
    counted([])
    return not names or fails(program, 600)


def object_of(file):
    """What calls libvirt is a shared object of its own."""
    code = file.with_suffix(".o")
    return code if code.exists() else file.with_name("connection_so-" + code.name)


def counts_of(file):
    return object_of(file).with_suffix(".gcda")


def counted(files):
    """The lines that have been executed since the last call, and those that have not, as (file,
    line). A line without code of its own, as the second one of a condition, goes with the line
    before it."""
    executed, idle = set(), set()
    written = [str(path) for path in map(counts_of, files) if path.exists()]
    told = subprocess.run(["gcov", "-t", "-j", *written], capture_output=True).stdout if written else b""
    for source in (source for line in told.splitlines() for source in json.loads(line)["files"]):
        numbers = sorted((line["line_number"], line["count"]) for line in source["lines"])
        last = [(number + 1, 0) for number, _ in numbers[-1:]]
        for (number, count), (end, _) in zip(numbers, numbers[1:] + last):
            (executed if count else idle).update((source["file"], n) for n in range(number, end))
    for path in pathlib.Path().rglob("*.gcda"):
        path.unlink()
    return executed, idle


def play_all(tests, files):
    """Plays each test with an unchanged product that counts what is executed: how long each one
    takes, and which ones execute a line of the files."""
    codes = {object_of(file): object_of(file).read_bytes()
             for glob in SOURCES for file in pathlib.Path().glob(glob) if file.name != "main.c"}
    for code in codes:
        code.unlink()
    pathlib.Path("leave.c").write_text(LEAVE)
    if not make("product.so", "connection.so", "CFLAGS=-O0 -fPIC --coverage",
                "PROFILE=--coverage leave.c"):
        sys.exit("mutate: the product that counts cannot be built")
    os.environ["GCOV_ERROR_FILE"] = "/dev/null"
    seconds, players = {}, collections.defaultdict(list)
    for test in tests:
        began = time.monotonic()
        if fails_unchanged(test):
            print("left out: %s, which fails before anything is changed" % test)
            continue
        seconds[test] = time.monotonic() - began
        executed, idle = counted(files)
        for place in executed:
            players[place].append(test)
        for place in idle:
            players[place]
    for code, content in codes.items():
        code.write_bytes(content)
    return seconds, players


def candidates(file, line, players, tests):
    """The tests that can see a change. A table is read, not executed: any test may see it. A child
    that is killed, or may not write, leaves no counts. So if no test was seen to execute a line, the
    tests of its room are played."""
    return (players.get((str(file), line), tests) or
            [test for test in tests if pathlib.Path(test).parent.name == file.parent.name])


def seer(candidates, seconds):
    """The first test that fails, of the quickest first."""
    if not make("product.so", "connection.so"):
        sys.exit("mutate: the product cannot be linked")
    return next((test for test in sorted(candidates, key=seconds.get)
                 if fails(test, 20 + 10 * seconds[test])), None)


def argued(copy):
    """What no unit test can see: the file, the function where the line alone is too common, and the
    line as it would be. Why, is said in the list."""
    listed = pathlib.Path(copy, "tests/mutate/argued").read_text()
    return set(re.findall(r"^(\S+?)(?:, in (\w+))?: (.*)\n(?=  )", listed, re.M))


def run(count, seed, tests, passed_over):
    seen, lost = 0, 0
    if (subprocess.run(["./configure", "-q", "CFLAGS=-O2 -fPIC"]).returncode != 0 or
            not make("product.so", "connection.so") or not make(*tests)):
        sys.exit("mutate: the copy cannot be built")

    rooms = os.environ.get("ROOMS", "").split()
    files = [file for glob in SOURCES for file in pathlib.Path().glob(glob)
             if file.name != "main.c" and (not rooms or str(file.parent) in rooms)]
    unknown = set(rooms) - {str(file.parent) for file in files}
    if unknown:
        sys.exit("mutate: no product file is in %s" % ", ".join(sorted(unknown)))
    seconds, players = play_all(tests, files)
    tests = list(seconds)
    places = sorted(place for file in files for place in drawn(seed, file))
    print("mutate: seed %s, %d places" % (seed, len(places)), flush=True)
    for _, file, start, end, word in places:
        if seen + lost == count:
            break
        text, code = file.read_text(), object_of(file)
        changed, line = text[:start] + word + text[end:], text.count("\n", 0, start)
        mutant = changed.split("\n")[line].strip()
        if any((str(file), where, mutant) in passed_over for where in ["", *function_at(text, start)]):
            print("%s:%d: argued, and not counted" % (file, line + 1))
            continue
        before = code.read_bytes()
        file.write_text(changed)
        if make(str(code)) and code.read_bytes() != before:
            test = seer(candidates(file, line + 1, players, tests), seconds)
            seen, lost = seen + bool(test), lost + (not test)
            print("%s:%d: %s" % (file, line + 1, "seen by " + test if test else "NOT SEEN"))
            if not test:
                print("-%s\n+%s" % (text.split("\n")[line], changed.split("\n")[line]))
            sys.stdout.flush()
        file.write_text(text)
        code.write_bytes(before)
    print("mutate: seed %s: %d of %d seen" % (seed, seen, seen + lost))


def main():
    tree, count = sys.argv[1], int(sys.argv[2])
    seed = sys.argv[3] if len(sys.argv) > 3 else random.randrange(10 ** 6)
    tests = os.environ["unit_tests"].split()
    with tempfile.TemporaryDirectory(prefix="vgpu-mutate-", dir="/var/tmp") as copy:
        others = shutil.ignore_patterns(".git", "*.[oa]", "*.log", "vm-logs", "autom4te.cache")
        shutil.copytree(tree, copy, dirs_exist_ok=True, ignore=others)
        os.chdir(copy)
        os.environ.update(srcdir=copy, TMPDIR="/tmp", ROUNDS="20%", top_builddir=copy, MAKEFLAGS="")
        os.environ.pop("SEED", None)  # it chooses places, and not the random hosts of tests
        run(count, seed, tests, argued(copy))


main()
