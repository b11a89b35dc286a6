cd "$DATA" || exit
stagetrace memory tiny-run --jobs 4
