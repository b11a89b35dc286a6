stagetrace memory "$DATA/traced-run" --by role --time 2..3 --at 3.5s --format csv --columns role,outstanding_bytes
stagetrace memory "$DATA/traced-run" --by role --time 2..3 --at 1 --format csv --columns role,outstanding_bytes
