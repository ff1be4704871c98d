# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Where packages of another system come from: the mirror of this host. This file is sourced, by root.

# mirror_of_host [DISTRIBUTION]: prints the mirror of this host, if this host runs Debian. A mirror has
# other distributions in directories beside Debian's.
mirror_of_host() {
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(CODENAME)' 'Created-By: Packages' |
		awk '$1 ~ /\/debian\/$/ && $2 == "main" && $3 !~ /-/ { print $1; exit }' |
		sed "s,/debian/\$,/${1:-debian}/,"
}

# Prints how this host's apt reaches the mirror: its proxies, and whether it accepts old snapshots.
way_of_host() {
	apt-config dump | grep -E '^Acquire::(https?::Proxy[: ]|Check-Valid-Until|Check-Date|Retries)' || true
}

# proxy_for URL: prints the proxy that this host's apt would use, for programs other than apt.
proxy_for() {
	local proxy='' detect=''
	eval "$(apt-config shell proxy Acquire::http::Proxy detect Acquire::http::Proxy-Auto-Detect)"
	[ -z "$detect" ] || proxy=$("$detect" "$1")
	case $proxy in DIRECT | false) proxy= ;; esac
	echo "$proxy"
}

# download MIRROR SUITE PACKAGE: fetches the newest package of this suite of Debian into the present directory. The apt of
# this host need not know the suite. apt checks the package with Debian's keys.
download() {
	local dir apt status=0
	dir=$(mktemp -d)
	mkdir "$dir/lists" "$dir/cache"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $1 $2 main" >"$dir/sources.list"
	apt=(apt-get -q -o APT::Sandbox::User=root -o Dir::State::Lists="$dir/lists" -o Dir::Cache="$dir/cache"
		-o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null)
	"${apt[@]}" update && "${apt[@]}" download "$3" || status=$?
	rm -rf "$dir"
	return "$status"
}
