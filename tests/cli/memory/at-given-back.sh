# The moments that the head prints, and times with colons, are accepted.
columns=(--by role --format csv --columns 'role,outstanding_bytes')
head=$(stagetrace memory "$DATA/traced-run" --role rustc --at own-peak | sed -n 's/^at .*peak, \([^ ]*\): .*/\1/p')
stagetrace memory "$DATA/traced-run" --role rustc "${columns[@]}" --at own-peak >own.csv
stagetrace memory "$DATA/traced-run" --role rustc "${columns[@]}" --at "$head" >back.csv
cmp own.csv back.csv
stagetrace memory "$DATA/traced-run" "${columns[@]}" --at 0:01.9 >colon.csv
stagetrace memory "$DATA/traced-run" "${columns[@]}" --at 1.9s | cmp - colon.csv
range=$(stagetrace memory "$DATA/traced-run" | sed -n 's/^range *\(.*\), the whole.*/\1/p')
echo "$range"
stagetrace memory "$DATA/traced-run" "${columns[@]}" --time "$range"
