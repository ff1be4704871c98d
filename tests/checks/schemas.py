#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
schemas.py [--some] SCHEMA FILE...: for check-schemas.sh. The files have command lines of vgpuctl, each
with what it printed.

Each document must be as the schema of its command says. Each key of a schema must have had a value in
some document: else nobody would notice that the key is lost or has another type. With --some the files
are only a part of all, and need not have each key.
"""

import json
import re
import sys

from jsonschema import Draft202012Validator

# libvirt's test driver moves no domain.
UNSEEN = {"move/vgpus", "change/host"}

# Rules of lines that several lists have.
SHARED = ("change", "finding", "lease")

# What is no command, or has no list, has a document as well.
NO_COMMAND = {"$ref": "#/$defs/document", "unevaluatedProperties": False}

DOCUMENT = re.compile(r"^\$ vgpuctl (\S+)[^\n]*\n(\{\n.*?^\}\n)", re.MULTILINE | re.DOTALL)

# With --watch, and while guests are evacuated, a document is one line.
LINES = re.compile(r"^\$ vgpuctl (\S+)[^\n]*\n((?:\{[^\n]+\}\n)+)", re.MULTILINE)


def rule_of(schema, command):
    """The rule of a command's document, where the schema tells others to refer to."""
    return schema["$defs"][f"vgpuctl-{command}"]


def documents(printed):
    """The command and the text of each document in what was printed."""
    yield from DOCUMENT.findall(printed)
    for command, lines in LINES.findall(printed):
        for line in lines.splitlines():
            yield command, line


def look_up(schema, rule):
    """The rule that a reference leads to, and the name of that rule."""
    name = None
    while "$ref" in rule and "properties" not in rule:
        name = rule["$ref"].rsplit("/", 1)[1]
        rule = schema["$defs"][name]
    return rule, name


def keys(schema, rule, path):
    """The path of each key below a rule, with the value in it that a document must have had."""
    rule, name = look_up(schema, rule)
    path = name if name in SHARED else path
    for key, below in rule.get("properties", {}).items():
        yield f"{path}/{key}"
        yield from keys(schema, below, f"{path}/{key}")
    if "items" in rule:
        yield from keys(schema, rule["items"], path)


def values(schema, rule, value, path):
    """The path of each key that has a value in a document."""
    rule, name = look_up(schema, rule)
    path = name if name in SHARED else path
    if isinstance(value, list):
        for item in value:
            yield from values(schema, rule.get("items", {}), item, path)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in rule.get("properties", {}) and inner is not None:
                yield f"{path}/{key}"
                yield from values(schema, rule["properties"][key], inner, f"{path}/{key}")


def main(*arguments):
    is_part = arguments[0] == "--some"
    schema_name, *names = arguments[is_part:]
    with open(schema_name, encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    commands = {name.removeprefix("vgpuctl-") for name in schema["$defs"] if name.startswith("vgpuctl-")}
    wanted = {key for command in commands for key in keys(schema, rule_of(schema, command), command)}
    seen, count, faults = set(UNSEEN), 0, 0
    for name in names:
        with open(name, encoding="utf-8", errors="replace") as file:
            printed = file.read()
        found = list(documents(printed))
        if name.endswith(".documents") and not found and re.search(r"^\{.*\n", printed, re.MULTILINE):
            print(f"{name}: nothing in it is read as a document")
            faults += 1
        for command, text in found:
            rule = rule_of(schema, command) if command in commands else NO_COMMAND
            asked = {"$ref": f"#/$defs/vgpuctl-{command}"} if command in commands else rule
            document = json.loads(text)
            count += 1
            for fault in Draft202012Validator({**asked, "$defs": schema["$defs"]}).iter_errors(document):
                print(f"{name}: {fault.json_path}: {fault.message}")
                faults += 1
            seen |= set(values(schema, rule, document, command))
    for key in sorted(set() if is_part else wanted - seen):
        print(f"no document has a value for {key}")
    print(f"{count} documents, {len(wanted)} keys")
    return faults > 0 or count == 0 or (not is_part and bool(wanted - seen))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
