eval "$(stagetrace help --bash-completion)"
complete_line() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_stagetrace
	echo "${COMPREPLY[*]}"
}
complete_line stagetrace proc
complete_line stagetrace processes --co
complete_line stagetrace tree --format ""
complete_line stagetrace tree --sort pe
complete_line stagetrace help --m
complete_line stagetrace tree run
complete_line stagetrace memory --at ""
complete_line stagetrace memory --by l
complete_line stagetrace memory --by process,
complete_line stagetrace memory --by role,p
complete_line stagetrace memory --by region,
complete_line stagetrace memory --by role,part,
complete_line stagetrace memory --columns pid,im
