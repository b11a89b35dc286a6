# The moments that the head prints, and times with colons, are accepted.
columns="--by role --format csv --columns role,outstanding_bytes"
head=$(stagetrace memory "$DATA/traced-run" --role rustc --at own-peak | sed -n 's/^at .*peak, \([^ ]*\): .*/\1/p')
stagetrace memory "$DATA/traced-run" --role rustc $columns --at own-peak >own
stagetrace memory "$DATA/traced-run" --role rustc $columns --at "$head" >back
cmp own back
stagetrace memory "$DATA/traced-run" $columns --at 0:01.9 >colon
stagetrace memory "$DATA/traced-run" $columns --at 1.9s | cmp - colon
range=$(stagetrace memory "$DATA/traced-run" | sed -n 's/^range *\(.*\), the whole.*/\1/p')
echo "$range"
stagetrace memory "$DATA/traced-run" $columns --time "$range"
