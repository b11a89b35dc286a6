stagetrace memory "$DATA/traced-run" --by crate,lifetime --at 2.2
