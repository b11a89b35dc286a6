stagetrace export "$DATA/traced-run" --format svg --metric peak -o peak.svg
grep -o '<title>[^<]*' peak.svg | sort
tail -n 1 peak.svg
