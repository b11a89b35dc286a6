stagetrace timeline "$DATA/traced-run" --columns crate,working,graph --every 500ms
