stagetrace export "$DATA/traced-run" --format svg --metric at-peak --role rustc --crate 'rustc_*' --crate '<a&b>' --time 0..3 |
	grep -o '>traced-run[^<]*'
