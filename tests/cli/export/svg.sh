stagetrace export "$DATA/traced-run" --format svg --metric at-peak -o peak.svg
grep -o '<title>[^<]*' peak.svg | sort
tail -n 1 peak.svg
