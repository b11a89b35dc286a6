# '-' is stdout, not a file of that name.
stagetrace cpu "$DATA/traced-run" --by role --format csv -o - 2>/dev/null
ls
