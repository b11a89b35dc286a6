# The stacks of a phase, and of what has no query.
stagetrace export "$DATA/traced-run" --phase 'type check' --format folded
stagetrace export "$DATA/traced-run" --not-phase 'type check' --query '[no query]' --format svg | grep -o 'traced-run.*type check[^<]*'
