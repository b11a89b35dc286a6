stagetrace processes "$DATA/traced-run" --not-role rustc --not-crate rustc_driver --columns pid,role,crate
