# Gates of a crate have the values that `compare` has, of all its processes: also of a crate that has a linker alone. --whole shows them.
cp -r "$DATA/traced-run" traced
cp -r "$DATA/tiny-run" tiny
stagetrace history add traced tiny
gates='crate:rustc_driver.own-peak > 1B
crate:rustc_driver.cpu > 1s
crate:rustc_driver.wall > 1s
crate:rustc_middle.own-peak > 1B
crate:rustc_middle.size > 1B
crate:rustc_middle.at-peak > 1B
crate:rustc_middle.cpu > 1s
compile:rustc_middle.own-peak > 1B
compile:rustc_middle.size > 1B
compile:rustc_middle.cpu > 1s
compile:rustc_driver.cpu > 1s
phase:rustc: type check.own-peak > 1B
role:rustc.size > 1B
part:stage2-rustc.own-peak > 1B
peak > 1B'
options=()
while read -r gate; do
	options+=(--fail-if "$gate")
done <<<"$gates"
for run in traced tiny; do
	stagetrace history check --config $run "${options[@]}" >out 2>of-history || true
	stagetrace compare $run $run "${options[@]}" >out 2>of-compare || true
	grep '^stagetrace: gate' of-history
	grep '^stagetrace: gate' of-compare | sed 's/ -> .*//; s/ (did you mean .*//' >values
	grep '^stagetrace: gate' of-history | cmp - values
done
stagetrace history show cpu --config tiny --crate rustc_driver --format csv --columns kind,part,crate_type,cpu_ns
stagetrace history show cpu --config tiny --crate rustc_driver --whole --format csv --columns kind,part,crate_type,cpu_ns
stagetrace history show cpu --config tiny --crate rustc_driver --whole | sed -n 1p
stagetrace history show cpu --config tiny --whole
