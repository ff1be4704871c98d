#!/usr/bin/perl
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# queries.pl WHAT DASHBOARD ALERTS METRICS...: for check-monitoring.sh. METRICS are what vgpuctl
# metrics has printed.
#
#   faults   what the queries of both files ask for and no metric has: its name, a label, or a label's
#            value; and metrics that no query asks for
#   rules    the dashboard's queries as Prometheus' recording rules
#   tests    a test for each of these: on the metrics printed, it finds something
use strict;
use warnings;
use JSON::PP;

my ($what, $dashboard, $alerts, @metrics) = @ARGV;

# The labels that Prometheus itself adds, and the metrics of the node exporter.
my %others = map { $_ => 1 } qw(instance job file);
my %foreign = (node_textfile_mtime_seconds => 1);

sub slurp {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

# Every value of "expr" in a tree.
sub expressions {
    my ($tree) = @_;
    return map { expressions($_) } @$tree if ref $tree eq 'ARRAY';
    return () if ref $tree ne 'HASH';
    return map { $_ eq 'expr' ? $tree->{$_} : expressions($tree->{$_}) } sort keys %$tree;
}

my $tree = decode_json(slurp($dashboard));
my @drawn = expressions($tree);
my @variables = map { $_->{query} } grep { $_->{type} eq 'query' } @{$tree->{templating}{list}};
my @alerted = slurp($alerts) =~ /^ *expr: (.*)$/mg;

# NAME => LABEL => VALUE, and the lines themselves.
my (%known, @samples);
for my $line (map { split /\n/, slurp($_) } @metrics) {
    next unless $line =~ /^(libvirt_vgpu_\w+)(?:\{(.*)\})? (\d+)$/;
    my ($name, $labels, $value) = ($1, $2 // '', $3);
    $known{$name} //= {};
    $known{$name}{$1}{$2} = 1 while $labels =~ /(\w+)="((?:[^"\\]|\\.)*)"/g;
    push @samples, [$name, $labels, $value];
}

sub faults {
    my %asked;
    die "no query in $dashboard or $alerts\n" if !@drawn || !@alerted || !%known;
    for my $query (@drawn, @variables, @alerted) {
        for my $name ($query =~ /\b((?:libvirt|node)_\w+)/g) {
            $asked{$name} = 1;
            print "$query: there is no metric $name\n" unless $known{$name} || $foreign{$name};
        }
        while ($query =~ /\b(libvirt_vgpu_\w+)\{([^}]*)\}/g) {
            my ($name, $matchers) = ($1, $2);
            while ($matchers =~ /(\w+)(=~?|!~|!=)"([^"]*)"/g) {
                my ($label, $values) = ($1, $3);
                next if $others{$label};
                print "$query: $name has no label $label\n" unless $known{$name}{$label};
                print "$query: no $label of $name is \"$_\"\n"
                    for grep { !$known{$name}{$label}{$_} } split /\|/, $values;
            }
        }
        for my $label (map { split /, */ } $query =~ /\b(?:by|on|without|ignoring) \(([^)]*)\)/g) {
            print "$query: no metric has a label $label\n"
                unless $others{$label} || grep { $_->{$label} } values %known;
        }
    }
    print "nobody asks for the metric $_\n" for grep { !$asked{$_} } sort keys %known;
}

# Without Grafana's variables.
sub plain {
    my ($query) = @_;
    $query =~ s/\$__rate_interval/5m/g;
    $query =~ s/\$instance/.*/g;
    return $query;
}

sub rules {
    print "groups:\n  - name: dashboard\n    rules:\n";
    my $number = 0;
    print "      - {record: 'query:", ++$number, "', expr: '", plain($_), "'}\n" for @drawn;
}

# Counters must grow, or their rate is 0.
sub tests {
    print "evaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n";
    for my $sample (@samples) {
        my ($name, $labels, $value) = @$sample;
        my $grows = $name =~ /_total$/ ? 1 : 0;
        print "      - series: '$name\{instance=\"h1\"", $labels ? ",$labels" : '', "}'\n",
            "        values: $value+${grows}x10\n";
    }
    print "    promql_expr_test:\n";
    for my $query (@drawn) {
        print "      - expr: 'clamp_max(count(", plain($query), "), 1)'\n        eval_time: 8m\n",
            "        exp_samples: [{labels: '{}', value: 1}]\n";
    }
}

my %does = (faults => \&faults, rules => \&rules, tests => \&tests);
($does{$what} or die "queries.pl: what is $what?\n")->();
