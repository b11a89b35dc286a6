stagetrace memory "$DATA/traced-run" --by function --function 'rustc_parse*' --at own-peak
stagetrace memory "$DATA/traced-run" --by crate --not-function 'rustc_parse*' --at own-peak
stagetrace memory "$DATA/traced-run" --by role --thread 'no such thread' --format csv
