# One file with all views and no other, twice the same bytes; without -o it is report.html, which is not replaced.
stagetrace report "$DATA/traced-run" -o page.html
! command -v xmllint >/dev/null || xmllint --html --noout page.html 2>&1 | grep -v 'Tag .* invalid\|^<\|^ *^' || true
grep -o '<section id="[a-z]*"' page.html
grep -c 'http-equiv="Content-Security-Policy"' page.html
! grep -oiE '(src|href)="[^#"][^"]*"|https?://[^ "]*' page.html
stagetrace report "$DATA/traced-run" -q
cmp page.html report.html
! stagetrace report "$DATA/traced-run" -q
stagetrace report "$DATA/traced-run" -q --force
# What can be read without scripts.
sed -n '/<section id="overview"/,/<\/section>/p' page.html | sed 's/<[^>]*>/ /g' | grep -v '^ *$'
