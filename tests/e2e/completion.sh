#!/usr/bin/env bash
# kind: cpu
# What the completions of bash, zsh and fish offer, asked of these shells.
set -eu
. "$SRCDIR/tests/e2e/lib/lib.sh"

zsh_offers() {
	ZLINE=$1 timeout 600 zsh -f ask.zsh </dev/null
}

fish_offers() {
	HOME=$TESTDIR timeout 600 fish --no-config -c "source stagetrace.fish; complete -C '$1'" </dev/null | cut -f 1
}

# zsh offers completions in a terminal alone: a shell there prints what it would add.
cat >ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ./prepare.zsh'
zpty -r shell text '*<ready>*'
zpty -n -w shell "$ZLINE"$'\t'
zpty -r shell text '*<no more>*'
print -r -- "$text" | tr -d '\r' | sed -n '/^.*<no more>/d; s/^.*<\(.*\)>$/\1/p'
ZSH
cat >prepare.zsh <<'ZSH'
PROMPT=
fpath=($PWD $fpath)
autoload -U compinit
compinit -D -u
setopt extendedglob
compadd() {
	local -a hits
	if [[ " ${@[1,(i)(-|--)]} " == *" -"[^[:space:]]#[OAD]" "* ]]; then
		builtin compadd "$@"
		return
	fi
	builtin compadd -A hits "$@"
	(( $#hits )) && print -rl -- "<"${^hits}">"
	builtin compadd "$@"
}
finish() { print '<no more>' }
comppostfuncs=(finish)
bindkey '^I' complete-word
print '<rea''dy>'
ZSH

# Names of a run are those of its processes, but for those that a shell could take for more.
cp -r "$SRCDIR/tests/data/traced-run" run
sed 's/rustc_middle/$(touch${IFS}caught)/g' run/processes.jsonl | grep caught >added
cat added >>run/processes.jsonl
has caught run/processes.jsonl
mkdir bin
ln -s "$STAGETRACE" bin/stagetrace
PATH=$PWD/bin:$PATH

bash_offers() {
	bash -c 'read -ra COMP_WORDS <<<"${1//=/ = }"; [[ $1 != *" " ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); eval "$(stagetrace help --bash-completion)"; _stagetrace
		printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}

tested=
for shell in bash zsh fish; do
	type -P $shell >/dev/null || continue
	tested+=" $shell"
	"$STAGETRACE" help --zsh-completion >_stagetrace
	"$STAGETRACE" help --fish-completion >stagetrace.fish
	"$STAGETRACE" help --bash-completion >stagetrace.bash
	$shell -n "$([ $shell = zsh ] && echo _stagetrace || echo stagetrace.$shell)"
	while IFS='|' read -r line expected; do
		got=$(${shell}_offers "$line" | sed 's/^.*[,=]//' | LC_ALL=C sort -u | tr '\n' ' ')
		[ "${got% }" = "$expected" ] || fail "$shell: '$line': '${got% }', expected '$expected'"
	done <<'LINES'
stagetrace ti|timeline
stagetrace cpu --by ph|phase
stagetrace cpu --by crate,p|part phase
stagetrace cpu --by crate,|function module part phase query role stack thread
stagetrace cpu --by calls,|
stagetrace cpu --by crate,part,|
stagetrace memory --by region,|
stagetrace memory --by role,p|part phase process
stagetrace memory --by=function,p|part phase process
stagetrace memory --at |end own-peak peak
stagetrace memory run --crate rustc_|rustc_driver rustc_middle rustc_parse
stagetrace tree run --not-crate rustc_p|rustc_parse
stagetrace timeline run --part st|stage2-rustc
stagetrace cpu run --by crate --process l|ld.lld
stagetrace replay run --crate rustc_d|rustc_driver
stagetrace cpu nothing --crate rustc|
stagetrace export --at p|peak
stagetrace memory --columns crate,peak_|peak_bytes peak_time_ns
stagetrace timeline --sort cr|crate crate_bytes
stagetrace memory --role ru|rustc rustc-shim rustdoc
stagetrace export --metric o|outstanding own-peak
stagetrace timeline --of t|touched
stagetrace tree --format |csv json jsonl text
stagetrace cpu --color a|always auto
stagetrace bundle --for|--force
stagetrace help mem|memory
LINES
done
[ ! -e caught ] || fail "a name of the run was run"
echo "asked:$tested"
