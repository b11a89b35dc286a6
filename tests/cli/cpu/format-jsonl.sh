# An object a line; with --head that comes first.
stagetrace cpu "$DATA/traced-run" --by crate,role --format jsonl -q
stagetrace cpu "$DATA/traced-run" --by crate -o crates.jsonl.gz --head -q
python3 - <<'PY'
import gzip, json
head, *rows = map(json.loads, gzip.open("crates.jsonl.gz"))
print(list(head), len(head["head"]) > 5, rows)
PY
stagetrace cpu "$DATA/traced-run" --crate none --format jsonl -q
