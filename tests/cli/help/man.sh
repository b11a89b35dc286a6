# Every command has its section and an example, and groff and mandoc, where they are there, find nothing to complain about.
stagetrace help --man >page
grep -A 4 "^.SH NAME" page
grep "^.SH" page
stagetrace help | sed -n "/^Commands:/,/^\$/s/^  \([a-z][a-z-]*\) .*/\1/p" | while read -r command; do
	grep -q "^.SS stagetrace $command" page || echo "no section for $command"
	[ "$(sed '1,/^.SH EXAMPLES/d; /^.SH/,$d' page | grep -c "stagetrace $command ")" -ge 1 ] || echo "no example of $command"
done
if command -v groff >/dev/null; then
	groff -man -ww -Tutf8 page >/dev/null
fi
if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning page
fi
