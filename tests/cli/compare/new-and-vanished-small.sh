# Crates that one side alone has are listed, however little they hold: that one compiles is what changed. Not functions.
cp -r "$DATA/traced-run" base
cp -r base new
sed -i 's/"role":"cargo"/"role":"rustc","crate":"old_one"/' base/processes.jsonl
sed -i 's/"role":"cargo"/"role":"rustc","crate":"new_one"/' new/processes.jsonl
stagetrace compare base new --min-effect 1GB | sed 1,7d
stagetrace compare base new --min-effect 1GB --by crate --metric cpu --format markdown | grep '_one'
stagetrace compare base new --min-effect 1GB --by role | sed 1,7d
stagetrace compare base new --min-effect 1GB --by crate,function | sed 1,7d
