stagetrace timeline "$DATA/traced-run" --by part --every 4s --format json --crate 'rustc_*'
