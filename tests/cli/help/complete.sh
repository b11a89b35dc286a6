# What the completion of bash offers.
stagetrace help --bash-completion >completion
. ./completion
complete_words() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_stagetrace
	echo "${*:2} -> ${COMPREPLY[*]}"
}
complete_words stagetrace ti
complete_words stagetrace cpu --by ph
complete_words stagetrace cpu --by crate,p
complete_words stagetrace memory --columns peak_bytes,peak_
complete_words stagetrace memory --role ru
complete_words stagetrace tree --not-role bu
complete_words stagetrace export --metric o
complete_words stagetrace timeline --of t
complete_words stagetrace help me
complete_words stagetrace memory run --fo
