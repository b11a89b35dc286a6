# The picture: valid, without scripts, all processes, the peak that `memory` has.
stagetrace timeline "$DATA/traced-run" --format svg -o build.svg
! command -v xmllint >/dev/null || xmllint --noout build.svg
grep -c 'class="edge"' build.svg
grep -o 'class="peak-text".*</text>' build.svg | sed 's/.*>peak/peak/'
! grep -i '<script\|onload\|href' build.svg
sed -n 's/.*<g><title>/bar: /; s/<\/title>.*//; /^bar: rustc_middle/,/LLVM/p' build.svg
stagetrace timeline "$DATA/traced-run" --format svg --role link --time 6s..9s | grep -o '<text class="note".*'
# Twice the same bytes.
stagetrace timeline "$DATA/traced-run" --format svg | cmp - build.svg
