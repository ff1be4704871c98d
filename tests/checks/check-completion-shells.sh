# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
#
# The completions of fish and zsh. Both call bash's completion, and each shell shows what it offers then.

. "$srcdir/tests/checks/guard.sh"
needs fish
needs zsh
. "$srcdir/tests/checks/completion-machine.sh"

# The completions as they are installed. The other two contain the path of bash's.
make_completions() {
    mkdir "$scratch/completions"
    cp config/vgpuctl.bash-completion "$scratch/completions/vgpuctl"
    sed "s,@completionsdir@,$scratch/completions," config/vgpuctl.zsh-completion >"$scratch/_vgpuctl"
    sed "s,@completionsdir@,$scratch/completions," config/vgpuctl.fish-completion >"$scratch/vgpuctl.fish"
}

make_completions

# As with bash above, but each word is complete.
# shellcheck disable=SC2016 # it is for fish to expand
in_fish() {
    got=$(cd "$scratch" && HOME=$scratch PATH=$bin:$PATH fish --no-config -c 'source vgpuctl.fish
        complete --do-complete "$argv[1]"' "$1" 2>&1 | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')
    [ "$got" = "$2" ] || complain "fish: '$1': '$got', not '$2'"
}

in_fish 'vgpuctl gp' "gpus$(printf '\t')show the GPUs that offer vGPUs"
in_fish 'vgpuctl types 0000:18:0' 0000:18:00.0
in_fish 'vgpuctl reconcile --ro' "--root$(printf '\t')another machine's file system, or a capture of it"
in_fish 'vgpuctl gpus -o GPU,N' 'GPU,NAME GPU,NUMA'
in_fish 'vgpuctl any --class=sm' '--class=small --class=smart'
in_fish 'vgpuctl explain w' web01
in_fish 'vgpuctl types --root ro' root/

# The test types a line into zsh, with a tab where zsh is to complete, and runs it. The output shows
# the completed words.
# in_zsh LINE WORDS
# shellcheck disable=SC2016 # it is for zsh to expand
in_zsh() {
    got=$(cd "$scratch" && HOME=$scratch PATH=$bin:$PATH zsh -f -c 'zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PS1=; fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; print -n REA; print DY"
        zpty -r -m shell text "*READY*"
        zpty -n -w shell "$1"; zpty -w shell "; print -n DO; print NE"
        zpty -r -m shell text "*DONE*"
        print -r -- "$text"' zsh "$(printf %b "$1")" 2>&1)
    case $got in
    *"$2"*) ;;
    *) complain "zsh: '$1': '$got' has no '$2'" ;;
    esac
}

in_zsh 'vgpuctl types 0000:18:0\t-rn -o type' nvidia-222
in_zsh 'vgpuctl li\t--columns=DEVICE,AL\t-rn' ua-gpu0
in_zsh 'echo vgpuctl; vgpuctl expl\t--he\t' 'Usage: vgpuctl explain'
finish
