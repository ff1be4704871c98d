# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# Prometheus understands each query of the dashboard and of the alerting rules, and the query of vgpu.conf(5).
# Each query finds something, and each alert fires when it should.

. "$srcdir/tests/checks/guard.sh"
needs promtool

dashboard=config/libvirt-vgpu-dashboard.json alerts=config/libvirt-vgpu-alerts.yml
golden=tests/golden/metrics/devices
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

queries() { perl tests/monitoring/queries.pl "$1" $dashboard $alerts $golden; }

cp $alerts tests/monitoring/alerts-test.yml "$scratch"
queries rules >"$scratch/dashboard.yml"
queries tests >"$scratch/dashboard-test.yml"
for rules in libvirt-vgpu-alerts dashboard; do
    promtool check rules "$scratch/$rules.yml" >"$scratch/said" 2>&1 ||
        complain "$(cat "$scratch/said")"
done
for tests in alerts-test dashboard-test; do
    (cd "$scratch" && promtool test rules $tests.yml) >"$scratch/said" 2>&1 ||
        complain "$(cat "$scratch/said")"
done
# promtool understands the join, too.
join=$(sed -n '/^label_replace(/,/^\.Ed$/{ /^\.Ed$/d; p; }' config/vgpu.conf.5 | tr -s '\n ' ' ')
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
(cd "$scratch" && promtool test rules join-test.yml) >"$scratch/said" 2>&1 ||
    complain "$(cat "$scratch/said")"
# promtool refuses a wrong rule.
sed -i 's/for: 30m/for: 20m/' "$scratch/libvirt-vgpu-alerts.yml"
if (cd "$scratch" && promtool test rules alerts-test.yml) >/dev/null 2>&1; then
    complain "promtool does not notice that an alert fires too soon"
fi
finish
