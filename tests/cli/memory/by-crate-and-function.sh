stagetrace memory "$DATA/traced-run" --by crate,function --format csv
