# Every command has its section, and groff, where it is there, finds nothing to complain about.
stagetrace help --man >page
grep -A 4 "^.SH NAME" page
stagetrace help | sed -n "/^Commands:/,/^\$/s/^  \([a-z-]*\) .*/\1/p" | while read -r command; do
	grep -q "^.SS stagetrace $command" page || echo "no section for $command"
done
if command -v groff >/dev/null; then
	groff -man -ww -Tutf8 page >/dev/null
fi
