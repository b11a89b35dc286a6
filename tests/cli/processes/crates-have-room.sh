# A command line has the room that crates leave, not the other way round.
cp -r "$DATA/traced-run" run
sed -i 's/rustc_middle/rustc_trait_selection/g' run/processes.jsonl
for columns in 80 100; do
	COLUMNS=$columns stagetrace processes run --crate rustc_trait_selection
done
