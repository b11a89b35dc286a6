stagetrace memory "$DATA/traced-run" --role rustc --by stack --at own-peak
