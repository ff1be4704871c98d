# SPDX-License-Identifier: LGPL-2.1-or-later
#
# copyright.awk: compares files with the stanzas of a machine-readable debian/copyright (DEP-5).
#
#     find * -type f | awk -f copyright.awk debian/copyright -
#
# The last stanza with a matching pattern is a file's stanza. Printed are: a file without a stanza; a
# file whose SPDX line names another licence than its stanza; a copyright line whose holder the stanza
# does not name; a pattern without a file; a licence without a text. Exits with 1 if it prints a line.
# A file named LICENSE is the text of a licence: its holder is no holder of ours.

function complain(text) { print text; bad = 1 }

# expression(PATTERN): "*" and "?" also match "/", as DEP-5 says.
function expression(pattern) {
    gsub(/[].+^$(){}|[]/, "\\\\&", pattern)
    gsub(/\*/, ".*", pattern)
    gsub(/\?/, ".", pattern)
    return "^" pattern "$"
}

# stanza_of(FILE): its number in "licence" and "holders"; 0 without one.
function stanza_of(file,    i, stanza) {
    for (i = 1; i <= patterns; i++)
        if (file ~ expression(pattern[i])) {
            stanza = owner[i]
            used[i] = 1
        }
    return stanza + 0
}

# names_holder(STANZA, LINE): whether the copyright line has one of the stanza's holders.
function names_holder(stanza, line,    i, name, count) {
    count = split(holders[stanza], name, "\n")
    for (i = 1; i <= count; i++)
        if (name[i] != "" && index(line, name[i]))
            return 1
    return 0
}

# judge(FILE): a notice stands in the first 40 lines, an SPDX line in the first 5.
function judge(file,    stanza, line, number, said) {
    stanza = stanza_of(file)
    if (!stanza) {
        complain(file ": no stanza")
        return
    }
    for (number = 1; number <= 40 && (getline line <file) > 0; number++) {
        if (number <= 5 && match(line, /SPDX-License-Identifier: *[A-Za-z0-9.-]+/)) {
            said = substr(line, RSTART, RLENGTH)
            sub(/.*: */, "", said)
            if (said != licence[stanza])
                complain(file ": " said ", and its stanza says " licence[stanza])
        }
        if (line ~ /Copyright (\(C\)|©) *[12][0-9][0-9][0-9]/ && file !~ /(^|\/)LICENSE$/ &&
            !names_holder(stanza, line))
            if (!(line ~ /Foundation,$/ && names_holder(stanza, line " Inc.")))
                complain(file ": its stanza does not name the holder of: " line)
    }
    close(file)
}

# --- debian/copyright -------------------------------------------------------------------------

FNR == 1 { input++ }
input == 1 && /^[A-Z][A-Za-z-]*:/ {
    field = $1
    value = $0
    sub(/^[^:]*: */, "", value)
    if (field == "Files:") {
        stanzas++
        in_files = 1
    } else if (field == "License:" && in_files)
        licence[stanzas] = value
    else if (field == "License:")
        text_of[value] = 1
}
input == 1 && /^[ A-Z]/ && field == "Files:" {
    value = $0
    sub(/^Files:/, "", value)
    count = split(value, words)
    for (i = 1; i <= count; i++) {
        pattern[++patterns] = words[i]
        owner[patterns] = stanzas
    }
}
input == 1 && /^[ A-Z]/ && field == "Copyright:" {
    value = $0
    sub(/^(Copyright:)? */, "", value)
    sub(/^[-0-9, ]+/, "", value)
    holders[stanzas] = holders[stanzas] value "\n"
}
input == 1 && /^$/ { in_files = 0; field = "" }

# --- the files --------------------------------------------------------------------------------

input == 2 { judge($0); files++ }

END {
    if (!stanzas || !files)
        complain("nothing to compare: " stanzas + 0 " stanzas, " files + 0 " files")
    for (i = 1; i <= patterns; i++)
        if (!used[i])
            complain("no file is " pattern[i])
    for (i = 1; i <= stanzas; i++) {
        count = split(licence[i], part, " and ")
        for (j = 1; j <= count; j++)
            if (!(part[j] in text_of))
                complain("no text of the licence " part[j])
    }
    exit bad
}
