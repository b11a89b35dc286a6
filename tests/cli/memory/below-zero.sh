# The estimate of sampled events is higher than the exact sum: text has no negative numbers, CSV adds up.
cd "$DATA" || exit
stagetrace memory traced-run --by process --not-function '*main*'
stagetrace memory traced-run --by stack --at own-peak
stagetrace memory traced-run --by stack --at own-peak --head --format csv --columns outstanding_bytes,count
