# It has no command lines: that is said, of crates and parts alone.
cd "$DATA/traced-run" || exit
stagetrace memory trace.perf.data --by crate --top 2 --format csv
stagetrace memory trace.perf.data --by role --top 1 --format csv
stagetrace cpu trace.perf.data --crate rustc_middle --format csv
stagetrace memory . --by crate --top 1 --format csv
stagetrace processes trace.perf.data --crate rustc_middle --format csv
stagetrace timeline trace.perf.data --by crate --top 1 --every 5s --format csv
