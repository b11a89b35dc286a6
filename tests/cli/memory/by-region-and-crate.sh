stagetrace memory "$DATA/traced-run" --by crate,region
