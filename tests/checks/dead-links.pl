# SPDX-License-Identifier: LGPL-2.1-or-later
#
# perl dead-links.pl DIRECTORY: prints each relative link of a page there that leads nowhere. A page is a
# file *.md. A link leads to a file, and to a heading, if it names one. It is an error if there is no link.

use strict;
use warnings;
use File::Basename;
use File::Find;

# text PAGE: without displays and other code, whose brackets are no links.
sub text {
    open my $file, '<', $_[0] or die "$_[0]: $!\n";
    my $text = do { local $/; <$file> };
    $text =~ s/^(```|~~~).*?^\1//gms;
    $text =~ s/^    .*$//gm;
    $text =~ s/`[^`]*`//g;
    return $text;
}

# has_heading PAGE ANCHOR: as GitHub makes anchors of headings.
sub has_heading {
    my ($page, $anchor) = @_;
    open my $file, '<', $page or return 0;
    while (<$file>) {
        next unless s/^#+ +//;
        chomp;
        s/[^\w\- ]//g;
        tr/ /-/;
        return 1 if lc eq $anchor;
    }
    return 0;
}

my ($links, $dead) = (0, 0);
my @pages;
find({ no_chdir => 1, wanted => sub { push @pages, $_ if /\.md$/ && -f } }, $ARGV[0]);
for my $page (sort @pages) {
    for my $link (text($page) =~ /\]\(([^)\s]+)\)/g) {
        next if $link =~ /^[a-z]+:/;
        $links++;
        my ($path, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
        my $target = $path eq '' ? $page : dirname($page) . "/$path";
        next if -e $target && ($anchor eq '' || has_heading($target, $anchor));
        print "$page: $link leads nowhere\n";
        $dead++;
    }
}
print "$ARGV[0]: there is no link\n" unless $links;
exit($dead || !$links ? 1 : 0);
