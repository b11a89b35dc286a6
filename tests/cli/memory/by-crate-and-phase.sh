stagetrace memory "$DATA/traced-run" --by crate,phase --at peak
