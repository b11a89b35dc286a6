# Recorded without a trace: processes alone.
stagetrace timeline "$DATA/tiny-run" --every 20s
stagetrace timeline "$DATA/tiny-run" --by role -q
stagetrace timeline "$DATA/tiny-run" --by crate --format csv --every 40s --top 2 -q
stagetrace timeline "$DATA/tiny-run" --format svg -q >build.svg
! command -v xmllint >/dev/null || xmllint --noout build.svg
grep -c 'class="edge"' build.svg
stagetrace timeline "$DATA/tiny-run" --by part -q | tail -n 4
# CPU time without memory.
stagetrace timeline "$DATA/traced-run" --of touched --by crate -q --top 2 | tail -n 4
