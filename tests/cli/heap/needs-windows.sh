unset STAGETRACE_WPR
stagetrace heap 17
