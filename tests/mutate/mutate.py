#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mutate.py TREE N [SEED]: do the unit tests see a fault? In a copy of this tree, N times, one
# operator, condition or constant of the product is changed, and the tests are run until one fails.
# What none sees is printed. A change that does not compile, or not to other code, is not counted.
import os, pathlib, random, re, shutil, subprocess, sys, tempfile, time

# Mains are left out, because no unit test is linked with one. Spaces tell a binary operator from a
# pointer: clang-format sees to that. "{0}" is how C says "empty", a buffer's size says nothing, and
# "< 1" instead of "< 0" is what "<= 0" is.
SOURCES = "common/*/*.c", "hooks/hook.c", "nodedev/*/*.c"
TOKEN = re.compile(r"""
      (?P<skip>   /\*.*?\*/ | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*'
                | ^[ ]*\#[ ]*(?:include|if|undef)[^\n]* | \{0\} | (?<=<\ )0\b | (?<=>=\ )0\b
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

# A test runs in a process name space of its own, with a /tmp of its own: what a fault leaves behind,
# kills or fills ends with it. Its parent is not process 1, which is never libvirt's daemon.
JAIL = ["unshare", "-rpf", "--mount-proc", "--kill-child", "sh", "-c", """
    ulimit -v 8000000 && ulimit -c 0 && mount -t tmpfs -o size=500m none /tmp &&
    echo 999 >/proc/sys/kernel/ns_last_pid && sh -c '"$0"; exit $?' "$0"; exit $?"""]


def bracketed(text, start):
    """The text from this '(' to its ')'."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at + 1]


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


def drawn(seed, file):
    """The changes of a file, each with a number by which they are drawn. That hangs on the seed,
    function and line, so that a seed finds the same again in what has not changed."""
    text = file.read_text()
    for start, end, words in changes(text):
        begin = text.rfind("\n", 0, start) + 1
        function = re.findall(r"^(\w+)\(", text[:start], re.M)[-1:]
        chance = random.Random("%s %s %s %s" % (seed, file, function, text[begin:end]))
        yield chance.random(), file, start, end, chance.choice(words)


def make(*targets):
    return subprocess.run(["make", "-s", "-j2", *targets], stdin=subprocess.DEVNULL,
                          capture_output=True).returncode == 0


def fails(test, limit):
    try:
        return subprocess.run([*JAIL, test], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=limit).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def seer(file, tests, seconds):
    """The first test that fails: of the file's room first, then of those that saw one last."""
    for test in sorted(tests, key=lambda test: pathlib.Path(test).parent.name != file.parent.name):
        if not make(test):
            sys.exit("mutate: %s cannot be linked" % test)
        if fails(test, 20 + 10 * seconds[test]):
            tests.remove(test)
            tests.insert(0, test)
            return test


def run(count, seed, tests):
    seconds = {}
    if subprocess.run(["./configure", "-q", "CFLAGS=-O2"]).returncode != 0 or not make(*tests):
        sys.exit("mutate: the copy cannot be built")
    for test in tests:
        began = time.monotonic()
        if fails(test, 600):
            sys.exit("mutate: %s fails before anything is changed (in unshare -rpf)" % test)
        seconds[test] = time.monotonic() - began
    tests.sort(key=seconds.get)

    files = [file for glob in SOURCES for file in pathlib.Path().glob(glob)]
    places = sorted(place for file in files if file.name != "main.c" for place in drawn(seed, file))
    print("mutate: seed %s, %d places" % (seed, len(places)), flush=True)
    seen = lost = 0
    for _, file, start, end, word in places:
        if seen + lost == count:
            break
        text, code = file.read_text(), file.with_suffix(".o")
        make(str(code))
        before = code.read_bytes()
        file.write_text(text[:start] + word + text[end:])
        if make(str(code)) and code.read_bytes() != before:
            line = text.count("\n", 0, start)
            test = seer(file, tests, seconds)
            seen, lost = seen + bool(test), lost + (not test)
            print("%s:%d: %s" % (file, line + 1, "seen by " + test if test else "NOT SEEN"))
            if not test:
                print("-%s\n+%s" % (text.split("\n")[line], file.read_text().split("\n")[line]))
            sys.stdout.flush()
        file.write_text(text)
    print("mutate: seed %s: %d of %d seen" % (seed, seen, seen + lost))


def main():
    tree, count = sys.argv[1], int(sys.argv[2])
    seed = sys.argv[3] if len(sys.argv) > 3 else random.randrange(10 ** 6)
    tests = os.environ["unit_tests"].split()
    with tempfile.TemporaryDirectory(prefix="vgpu-mutate-", dir="/var/tmp") as copy:
        others = shutil.ignore_patterns(".git", "*.[oa]", "*.log", "vm", "autom4te.cache")
        shutil.copytree(tree, copy, dirs_exist_ok=True, ignore=others)
        os.chdir(copy)
        os.environ.update(srcdir=copy, TMPDIR="/tmp", top_builddir=copy, MAKEFLAGS="")
        run(count, seed, tests)


main()
