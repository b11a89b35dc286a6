# What may have been meant: names that have the word, or differ by few letters; where nothing is similar, none.
for filter in --part=stage2 --crate=rustc_parce --crate=middle --process=lld --process=foo --module=LLVM --module=rustc --module=nowhere; do
	stagetrace memory "$DATA/traced-run" --by role "$filter" --format csv --columns role 2>&1
done
