# A phase or query that is not there: the most similar one is named.
stagetrace cpu "$DATA/traced-run" --by crate --phase 'typ check' --format csv
stagetrace cpu "$DATA/traced-run" --by crate --query typek --not-query nowhere --format csv --columns samples
stagetrace cpu "$DATA/traced-run" --by crate --phase nowhere --not-phase 'LLVM: optimise: other' --format csv --columns samples
