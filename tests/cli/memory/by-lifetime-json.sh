stagetrace memory "$DATA/traced-run" --by lifetime,function --module librustc_driver --time 1..3 --format json
