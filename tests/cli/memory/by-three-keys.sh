cd "$DATA" && stagetrace memory traced-run --by crate,function,phase
