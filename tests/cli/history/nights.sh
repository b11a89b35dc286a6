# Thirty nights; on the 21st the CPU time of a crate grows by a tenth. --db, a graph, what changed, and that it is known then.
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322 30048 29947 30263 29794 30120 30189 29866 \
	30071 29703 30152 30237 29911 30084 29966 30151 29885 30043 33140 32871 33052 33225 32914 33081 32978 33116 32859 33037
stagetrace history add -q nights/* >added
stagetrace history show cpu --crate core --part stage2-std --host example
stagetrace history check || echo "exit code $?"
stagetrace history check --crate core --metric cpu --format csv || echo "exit code $?"
stagetrace history acknowledge tiny-20260121T120000Z --crate core --note 'a new lint'
stagetrace history check --crate core
stagetrace history check --crate core --fail-if 'crate:core.cpu > +5%' || echo "exit code $?"
stagetrace history acknowledge tiny-20260121T120000Z
stagetrace history check --fail-if 'crate:core.cpu > +5%' --fail-if 'part:stage2-std.cpu > 10s' || echo "exit code $?"
stagetrace history acknowledge tiny-20260202T120000Z
stagetrace history check --fail-if 'crate:core.cpu > +5%' --fail-if 'crate:core.cpu < 1s' || echo "exit code $?"
stagetrace history check --fail-if 'crate:core.cpu > +5%' --last 1 || echo "exit code $?"
stagetrace history show cpu --crate core --last 25 --format csv --columns run,cpu_ns,commit --top 3
