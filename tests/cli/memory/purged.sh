stagetrace memory "$DATA/traced-run" --columns image,purged_bytes --sort purged_bytes --top 1
