# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The Grafana dashboard and the alerting rules ask for metrics, labels and values that vgpuctl
# metrics really prints, according to the golden files. Every metric is used.

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
finish
