cd "$DATA" && stagetrace memory traced-run --by region --columns size_bytes,function,stack --top 6
stagetrace memory traced-run --by region --columns size_bytes,stack --top 2 --full-names --wide
