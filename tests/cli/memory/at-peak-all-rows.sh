# Rows that held nothing are left out of text alone, and not of columns that were asked for.
stagetrace memory "$DATA/traced-run" --by crate --at peak --top 1
stagetrace memory "$DATA/traced-run" --by crate --at peak --columns crate,at_peak_bytes
stagetrace memory "$DATA/traced-run" --by crate --at peak --format csv | cut -d , -f 1,9
stagetrace memory "$DATA/traced-run" --by crate
