# SPDX-License-Identifier: LGPL-2.1-or-later
#
# awk -v page=PAGE -v installed="SOURCE=TARGET ..." -f installed-links.awk PAGE: prints the page as it is
# installed. The sources are paths in this tree, and the targets are below the directory of documents. A link to
# what is installed leads there. A link to what is not becomes text, which says where that is in the sources.

# plain PATH: without "DIR/.." in it.
function plain(path) {
    while (sub(/[^\/]+\/\.\.\//, "", path)) { }
    return path
}

function directory(path) {
    return sub(/[^\/]*$/, "", path) ? path : ""
}

# link TEXT LINK: what stands for [TEXT](LINK).
function link(text, address,    path, anchor, bang, up) {
    if (address ~ /^(#|[a-z]+:)/) { return text "](" address ")" }
    path = address
    anchor = ""
    if (match(path, /#.*/)) {
        anchor = substr(path, RSTART)
        path = substr(path, 1, RSTART - 1)
    }
    path = plain(directory(page) path)
    if (path in target) {
        up = directory(target[page])
        gsub(/[^\/]+/, "..", up)
        return text "](" up target[path] anchor ")"
    }
    # The text begins after the last bracket, before which an image has a "!".
    match(text, /!?\[[^\[]*$/)
    bang = substr(text, RSTART)
    sub(/^!?\[/, "", bang)
    return substr(text, 1, RSTART - 1) bang (bang == path ? " in the sources" : " (" path " in the sources)")
}

BEGIN {
    for (count = split(installed, list, " "); count; count--) {
        split(list[count], pair, "=")
        target[pair[1]] = pair[2]
    }
}

{ whole = whole $0 "\n" }

END {
    done = ""
    while (match(whole, /\]\([^)]*\)/)) {
        text = done substr(whole, 1, RSTART - 1)
        address = substr(whole, RSTART + 2, RLENGTH - 3)
        whole = substr(whole, RSTART + RLENGTH)
        done = link(text, address)
    }
    printf "%s%s", done, whole
}
