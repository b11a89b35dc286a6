# Nothing is concluded from a newest run that lost events or failed, without gates too: it is said which, exit code 125.
"$DATA/../tools/make-runs.sh" "$DATA" nights 30015 29855 30322 30100 30200 30300 30150
sed -i 's/"tracker_events": 0/"tracker_events": 3/' nights/tiny-20260107T*/manifest.json
FIRST=7 "$DATA/../tools/make-runs.sh" "$DATA" later 30050
sed -i 's/"state": "done"/"state": "failed"/' later/*/manifest.json
stagetrace history add -q nights/* --db lost >added
stagetrace history check --db lost || echo "exit code $?"
stagetrace history check --db lost --last 2 || echo "exit code $?"
stagetrace history check --db lost --fail-if 'build.cpu > 1h' --fail-if 'build.cpu > +5%' || echo "exit code $?"
stagetrace history add -q later/* --db lost >added
stagetrace history check --db lost || echo "exit code $?"
stagetrace history check --db lost --last 1 || echo "exit code $?"
stagetrace history check --db lost --fail-if 'build.cpu > 1h' || echo "exit code $?"
stagetrace history check --db lost --before 2026-01-07
# What grew before it is said all the same.
"$DATA/../tools/make-runs.sh" "$DATA" grown 30015 29855 30322 30100 30200 30300 30150 40050 40010 40020 40100
sed -i 's/"tracker_events": 0/"tracker_events": 3/' grown/tiny-20260111T*/manifest.json
stagetrace history add -q grown/* --db grown.sqlite >added
stagetrace history check --db grown.sqlite --crate core --metric cpu || echo "exit code $?"
