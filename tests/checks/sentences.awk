# SPDX-License-Identifier: LGPL-2.1-or-later
#
# sentences.awk: measures the sentences of a README, or of a manual page as "mandoc -T markdown" prints it.
#
#     awk -v name=README.md -v average=18 -v longest=35 -f sentences.awk README.md
#
# Prints each sentence of more than "longest" words. Then prints one line: the number of sentences, the
# average, and the words of the longest sentence. Exits with 1 if one of the two limits is passed.
#
# A sentence ends with ".", "?" or "!" and a blank, or with its paragraph. An item of a list is a
# paragraph of its own. A colon or a semicolon ends nothing. What stands between `backquotes` is one
# word. Not counted are: headings, a bold label before an item, tables, pictures, and code, that is,
# what is indented by four blanks, quoted, or fenced.

BEGIN { RS = "" }

# end_sentence(): counts the sentence that was collected.
function end_sentence() {
    if (!words)
        return
    sentences++
    all += words
    if (words > most)
        most = words
    if (words > longest)
        print name ": a sentence of " words " words:" sentence
    sentence = ""
    words = 0
}

function read_paragraph(text, word, count, i) {
    sub(/^[ \t]*\*\*[^*]*[.:]\*\*/, "", text)
    gsub(/'?`[^`]*`'?/, "`literal`", text)
    count = split(text, word, /[ \t\n]+/)
    for (i = 1; i <= count; i++) {
        if (word[i] !~ /[A-Za-z0-9]/)
            continue
        words++
        sentence = sentence " " word[i]
        if (word[i] ~ /[.?!][)*_"']*$/)
            end_sentence()
    }
    end_sentence()
}

# A record is what stands between two empty lines.
{
    count = split($0, line, "\n")
    paragraph = ""
    for (i = 1; i <= count; i++) {
        if (line[i] ~ /^ *```/) {
            fenced = !fenced
            continue
        }
        if (fenced || line[i] ~ /^([ \t]*>|\||#|<)/ || (line[1] ~ /^    / && line[i] ~ /^    /))
            continue
        if (line[i] ~ /^[ \t]*([*-]|[0-9]+\.)[ \t]/) {
            read_paragraph(paragraph)
            paragraph = ""
            sub(/^[ \t]*([*-]|[0-9]+\.)[ \t]/, "", line[i])
        }
        paragraph = paragraph " " line[i]
    }
    read_paragraph(paragraph)
}

END {
    if (!sentences)
        exit 1
    printf "%s: %d sentences, %.1f words on average, the longest has %d\n", name, sentences, all / sentences, most
    exit all > average * sentences || most > longest
}
