# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The Grafana dashboard and the alerting rules ask for metrics, labels and values that vgpuctl
# metrics really prints, according to the golden files. Every metric is used. With promtool:
# Prometheus understands each query, each query finds something, and each alert fires when it
# should.

. "$srcdir/tests/checks/guard.sh"

dashboard=config/libvirt-vgpu-dashboard.json alerts=config/libvirt-vgpu-alerts.yml
golden=tests/golden/metrics/devices
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

queries() { perl tests/monitoring/queries.pl "$1" $dashboard $alerts $golden; }

faults=$(queries faults)
[ -z "$faults" ] || complain "$faults"

# The golden file has every metric.
sed -n 's/^    {"\(libvirt_vgpu_[a-z_]*\)".*/\1/p' nodedev/view/metrics.c | sort >"$scratch/written"
sed -n 's/^# TYPE \(libvirt_vgpu_[a-z_]*\) .*/\1/p' $golden | sort >"$scratch/printed"
diff "$scratch/written" "$scratch/printed" >"$scratch/diff" ||
    complain "metrics in metrics.c ('<') are not those of $golden ('>'):" "$(cat "$scratch/diff")"

# The check finds a file that asks for something else.
for wrong in 's/libvirt_vgpu_lost/libvirt_vgpu_losses/' 's/state=~/status=~/' 's/pending/waiting/' \
    's/by (instance, name)/by (instance, nmae)/'; do
    sed "$wrong" $alerts >"$scratch/wrong.yml"
    cmp -s $alerts "$scratch/wrong.yml" && complain "$wrong changes nothing"
    [ -n "$(perl tests/monitoring/queries.pl faults $dashboard "$scratch/wrong.yml" $golden)" ] ||
        complain "nobody notices $wrong"
done

# The query in vgpu.conf(5) joins an exporter's figures with ours: it uses metrics that we print.
join=$(sed -n '/^label_replace(/,/^\.Ed$/{ /^\.Ed$/d; p; }' config/vgpu.conf.5 | tr -s '\n ' ' ')
[ -n "$join" ] || complain "vgpu.conf(5) joins nothing"
{ cat $alerts && echo "          expr: $join"; } >"$scratch/joined.yml"
faults=$(perl tests/monitoring/queries.pl faults $dashboard "$scratch/joined.yml" $golden)
[ -z "$faults" ] || complain "$faults"
sed 's/state="held"/state="heald"/' "$scratch/joined.yml" >"$scratch/wrong.yml"
[ -n "$(perl tests/monitoring/queries.pl faults $dashboard "$scratch/wrong.yml" $golden)" ] ||
    complain "nobody notices a wrong join"

if [ -n "$PROMTOOL" ]; then
    cp $alerts tests/monitoring/alerts-test.yml "$scratch"
    queries rules >"$scratch/dashboard.yml"
    queries tests >"$scratch/dashboard-test.yml"
    for rules in libvirt-vgpu-alerts dashboard; do
        $PROMTOOL check rules "$scratch/$rules.yml" >"$scratch/said" 2>&1 ||
            complain "$(cat "$scratch/said")"
    done
    for tests in alerts-test dashboard-test; do
        (cd "$scratch" && $PROMTOOL test rules $tests.yml) >"$scratch/said" 2>&1 ||
            complain "$(cat "$scratch/said")"
    done
    # promtool understands the join, too.
    cat >"$scratch/join.yml" <<EOF
groups: [{name: join, rules: [{record: joined, expr: '$join'}]}]
EOF
    cat >"$scratch/join-test.yml" <<'EOF'
rule_files: [join.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'vgpu_utilization{vm_uuid="u1"}', values: 42x5}
      - {series: 'vgpu_utilization{vm_uuid="u2"}', values: 7x5}
      - {series: 'libvirt_vgpu_info{device="d1", name="T4-1B", gpu="g", state="held", domain="web01", domain_uuid="u1"}', values: 1x5}
      - {series: 'libvirt_vgpu_info{device="d2", name="T4-1B", gpu="g", state="kept", domain="web01", domain_uuid="u1"}', values: 1x5}
    promql_expr_test:
      - expr: joined
        eval_time: 2m
        exp_samples:
          - {labels: 'joined{vm_uuid="u1", domain_uuid="u1", domain="web01", name="T4-1B", gpu="g"}', value: 42}
EOF
    (cd "$scratch" && $PROMTOOL test rules join-test.yml) >"$scratch/said" 2>&1 ||
        complain "$(cat "$scratch/said")"
    # promtool refuses a wrong rule.
    sed -i 's/for: 30m/for: 20m/' "$scratch/libvirt-vgpu-alerts.yml"
    if (cd "$scratch" && $PROMTOOL test rules alerts-test.yml) >/dev/null 2>&1; then
        complain "promtool does not notice that an alert fires too soon"
    fi
else
    echo "promtool is not installed: names, labels and values were compared, and no rule was run"
fi
finish
