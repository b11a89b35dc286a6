stagetrace memory "$DATA/traced-run" --by process --columns image,size_bytes
