stagetrace memory "$DATA/traced-run" --by stack --format csv --columns stack,count,size_bytes
