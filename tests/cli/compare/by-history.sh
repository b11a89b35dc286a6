# One run a side: a history of 24 nights knows that the CPU time of a crate varies by less than a percent. A tenth more has
# a verdict, of four percent it cannot tell; a metric of which the history knows nothing neither.
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322 30048 29947 30263 29794 30120 30189 29866 30071 29703 \
	30152 30237 29911 30084 29966 30151 29885 30043 30140 29871 30052 30225
FIRST=24 "$DATA/../tools/make-runs.sh" "$DATA" later 33140 31400
stagetrace compare nights/tiny-20260124T120000Z later/tiny-20260125T120000Z --metric cpu
stagetrace history add -q nights/* >added
stagetrace compare nights/tiny-20260124T120000Z later/tiny-20260125T120000Z --metric cpu
stagetrace compare nights/tiny-20260124T120000Z later/tiny-20260126T120000Z --metric cpu
stagetrace compare nights/tiny-20260124T120000Z later/tiny-20260125T120000Z --by part --format csv --columns part,cpu_delta,cpu_verdict,cpu_p
# The page of two runs has the same verdicts, and says where they come from.
stagetrace report nights/tiny-20260124T120000Z later/tiny-20260125T120000Z -q -o page.html
sed -n '/The whole build/,/<\/table>/p; /<ul class="hint"/,/<\/ul>/p; /id="cpu"/,/<details>/p' page.html | sed 's/<[^>]*>/ /g' | grep '[a-z0-9]'
# What a filter leaves, and a process, is in no history.
stagetrace compare nights/tiny-20260124T120000Z later/tiny-20260125T120000Z --by part --role rustc --metric cpu -q
# Too few runs, another machine, no history: no verdicts.
stagetrace history add -q --db few.sqlite nights/tiny-2026010* >added
stagetrace compare nights/tiny-20260124T120000Z later/tiny-20260125T120000Z --metric cpu --head --format jsonl --db few.sqlite | sed -n 1p
HOST=other FIRST=25 "$DATA/../tools/make-runs.sh" "$DATA" other 33140
stagetrace compare nights/tiny-20260124T120000Z other/tiny-20260126T120000Z --metric cpu --format csv --columns crate,cpu_verdict
STAGETRACE_HISTORY=none.sqlite stagetrace compare nights/tiny-20260124T120000Z later/tiny-20260125T120000Z --format csv --columns crate,cpu_verdict
stagetrace compare nights/tiny-20260124T120000Z later/tiny-20260125T120000Z --db none.sqlite || echo "exit code $?"
stagetrace compare nights/tiny-20260124T120000Z -- later/* --db none.sqlite || echo "exit code $?"
