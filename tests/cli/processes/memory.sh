stagetrace processes "$DATA/traced-run" --sort at_peak_bytes --columns pid,crate,size_bytes,peak_bytes,at_peak_bytes
